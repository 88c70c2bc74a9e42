"""The organizations: a tree of what each holds, and beside it what is selected."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult

from recto.contract.members import Member, Members
from recto.contract.organizations import Organization, Organizations
from recto.contract.spaces import Space
from recto.store.locations import ChangeRequestLocation, OrganizationsLocation, SiteLocation, SpaceLocation, item_id
from recto.tui.actions import Action, bindings, register
from recto.tui.lists.rows import ItemRows, Rows, WrappedRows
from recto.tui.lists.tree_list import TreeItem, TreeList
from recto.tui.lists.tree_rows import unread_items
from recto.tui.lists.unread import is_unread
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import signs
from recto.tui.look.fact_rows import rows
from recto.tui.look.lines import Line
from recto.tui.screens.organizations import facts as told
from recto.tui.screens.organizations import tree as tree
from recto.tui.screens.organizations.inbox import Entry, Inbox, entry_rows
from recto.tui.screens.organizations.selection import Selection
from recto.tui.screens.organizations.shelves import Shelves
from recto.tui.screens.organizations.tasks import OrganizationTasks
from recto.tui.screens.organizations.tree import Shelf, organization_item, parted
from recto.tui.screens.view import View
from recto.tui.widgets.panel import Panel

if TYPE_CHECKING:
    from recto.contract.collections import Collection
    from recto.contract.sites import Site
    from recto.store.query import Listing, Query
    from recto.store.store import Store

_GROUP = "Organizations"

register(
    Action("organization.import", "Import a folder of documentation", ("b",), _GROUP, "import", writes=True),
    Action("organization.remove_guide", "Remove Recto's own guide", (), _GROUP, writes=True),
    Action("organization.rename_me", "Change your name and e-mail address", (), _GROUP, writes=True),
)

_FEW = 3
"""With no more organizations than this, all of them stand open at the first start."""


class OrganizationsView(View[OrganizationsLocation]):
    """The view at the bottom of all others."""

    BINDINGS = bindings(
        "organization.import",
        "item.new",
        "item.rename",
        "item.delete",
        "item.open_in_browser",
        "item.copy_link",
        "view.refresh",
        "organization.remove_guide",
        "organization.rename_me",
    )

    def __init__(self, store: Store, location: OrganizationsLocation) -> None:
        super().__init__(store, location)
        self._shelves = Shelves(store, self._follow_shelf)
        self._tasks = OrganizationTasks(self, lambda: self.selection)
        self._inbox: Inbox | None = None
        self._inbox_of: str | None = None
        self._inbox_cursor = 0
        self._subject = ""
        self._cursor: str | None = location.item
        self._opened = set(location.opened)
        self._has_begun = False
        self._guide: str | None = None

    def compose_body(self) -> ComposeResult:
        """Put the tree and what is selected in it."""
        yield Panel("Organizations", TreeList(id="tree"), id="organizations")
        yield Panel("About", VirtualList(quiet=True, id="facts"), id="about")

    def on_mount(self) -> None:
        """Follow the organizations."""
        self.show_where("Recto")
        self._organizations: Query[Listing[Organization]] = self.store.query_list(Organizations.list_organizations)
        self._tree.focus()
        self.follow(self._organizations, self._show_tree)
        self.work(self._learn_guide(), "guide")

    def on_unmount(self) -> None:
        """Give up what is being read."""
        if self._inbox is not None:
            self._inbox.close()
        super().on_unmount()

    async def _learn_guide(self) -> None:
        if self.store.workspace is not None:
            self._guide = await self.store.workspace.guide()
            self.refresh_bindings()

    # Where one is

    @property
    def location(self) -> OrganizationsLocation:
        """The item under the cursor and what stands open."""
        current = self._tree.current if self.is_mounted else None
        if current is None:
            return self.opened_at
        return OrganizationsLocation(current.id, tuple(sorted(self._tree.expanded)), current.label)

    def arrive(self, location: OrganizationsLocation) -> None:
        """Put the cursor on what the location names."""
        wanted = location.item
        if wanted is not None and not self._tree.reveal(wanted):
            self._cursor = wanted

    # The tree

    @property
    def _tree(self) -> TreeList:
        return self.query_one("#tree", TreeList)

    @property
    def _facts(self) -> VirtualList:
        return self.query_one("#facts", VirtualList)

    @property
    def _about(self) -> Panel:
        return self.query_one("#about", Panel)

    def _follow_shelf(self, query: Query[Any]) -> None:
        self.follow(query, self._show_tree)

    def _known_organizations(self) -> Sequence[Organization]:
        listing = self._organizations.value
        return listing.items if listing is not None else ()

    def _show_tree(self, _: Query[Any]) -> None:
        panel = self.query_one("#organizations", Panel)
        if not panel.show_state(
            self._organizations, "your organizations", empty="You belong to no organization here yet."
        ):
            return
        organizations = self._known_organizations()
        self._begin(organizations)
        items = [organization_item(one, self._shelves.shelf(one.id)) for one in organizations]
        if self._organizations.value is not None:
            items += unread_items(self._organizations.value.unread)
        self._tree.show_items(items, self._wanted_cursor(items))
        self._show_selected()

    def _begin(self, organizations: Sequence[Organization]) -> None:
        """Look into the organizations that stood open, or into all where there are few."""
        if self._has_begun:
            return
        self._has_begun = True
        ids = {item_id(tree.ORGANIZATION, one.id) for one in organizations}
        opened = self._opened or (ids if len(ids) <= _FEW else set())
        for item in opened & ids:
            self._shelves.look_into(parted(item)[1])
        self._tree.open_items(*opened)

    def _wanted_cursor(self, items: Sequence[TreeItem]) -> str | None:
        """Return the item to put the cursor on where it is there by now; it is wanted once."""
        wanted = self._cursor
        if wanted is None or not _holds(items, wanted):
            return None
        self._cursor = None
        return wanted

    def on_tree_list_wanted(self, event: TreeList.Wanted) -> None:
        """Ask what an organization holds that is opened."""
        self._shelves.look_into(parted(event.item.id)[1])

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        """Show what the cursor stands on."""
        if event.control is self._tree:
            self._show_selected()
        else:
            self._step_over_heading(event.index)

    def _step_over_heading(self, index: int) -> None:
        """Keep the cursor of the inbox on change requests: it goes on in the direction in which it came."""
        shown = self._facts.rows
        before, self._inbox_cursor = self._inbox_cursor, index
        entry = shown.item(index) if isinstance(shown, WrappedRows) else None
        if isinstance(entry, Entry) and entry.request is None:
            self._facts.cursor = index - 1 if 0 < index < before else index + 1

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Go into what was chosen."""
        if event.control is self._tree:
            self._go_into(str(event.key))
        elif isinstance(self._facts.rows, WrappedRows):
            entry = next((one for one in self._facts.rows.items if getattr(one, "id", None) == event.key), None)
            if isinstance(entry, Entry) and entry.request is not None:
                self.go(ChangeRequestLocation(entry.request.space, entry.request.id))

    def _go_into(self, item: str) -> None:
        kind, id = parted(item)
        if kind == tree.SPACE:
            self.go(SpaceLocation(id))
        elif kind == tree.SITE and (found := self._shelves.site(id)) is not None:
            self.go(SiteLocation(found[0], id))
        elif kind in (tree.INBOX, tree.MEMBERS):
            self._facts.focus()
        elif (current := self._tree.current) is not None:
            self._tree.toggle(current)

    # What is selected

    @property
    def selection(self) -> Selection:
        """What the cursor stands on."""
        current = self._tree.current
        kind, id = parted(current.id) if current is not None else ("", "")
        organization = self._organization_of_cursor()
        return Selection(kind, id, organization, self._thing(kind, id) or organization, self._guide)

    def _organization_of_cursor(self) -> Organization | None:
        rows = self._tree.tree_rows.rows
        for index in range(min(self._tree.cursor, len(rows) - 1), -1, -1):
            kind, id = parted(rows[index].item.id)
            if kind == tree.ORGANIZATION:
                return next((one for one in self._known_organizations() if one.id == id), None)
        return None

    def _thing(self, kind: str, id: str) -> Collection | Space | Site | None:
        match kind:
            case tree.SPACE:
                return self._shelves.space(id)
            case tree.COLLECTION:
                return self._shelves.collection(id)
            case tree.SITE:
                found = self._shelves.site(id)
                return found[1] if found is not None else None
        return None

    def _show_selected(self) -> None:
        at = self.selection
        organization = at.organization
        if organization is None:
            return
        kind, id = at.kind, at.id
        current = self._tree.current
        label = current.label if current is not None else organization.title
        self.show_where("Recto", *dict.fromkeys((organization.title, label)))
        if kind == tree.INBOX:
            self._show_inbox(organization)
        elif kind == tree.MEMBERS:
            self._show_members(organization)
        else:
            self._about.entitle(label)
            self._about.show_body()
            self._put(f"{kind}:{id}", rows(self._told(kind, id, organization)))
        self.refresh_bindings()

    def _put(self, subject: str, shown: Rows, first: Hashable | None = None) -> None:
        """Show rows about a subject from the beginning, unless the person is among them."""
        if subject == self._subject and self._facts.has_focus:
            self._facts.show(shown)
        else:
            self._subject = subject
            self._facts.show(shown, first if first is not None or not len(shown) else shown.key(0))

    def _told(self, kind: str, id: str, organization: Organization) -> list[Line]:
        now = self.store.clock()
        if kind == tree.SPACE and (space := self._shelves.space(id)) is not None:
            return told.space_facts(space, now)
        if kind == tree.COLLECTION and (collection := self._shelves.collection(id)) is not None:
            shelf = self._shelves.shelf(organization.id) or Shelf()
            return told.collection_facts(collection, sum(space.parent == id for space in shelf.spaces))
        if kind == tree.SITE and (found := self._shelves.site(id)) is not None:
            return told.site_facts(found[1])
        if is_unread(kind):
            return [[("What the server answers of this could not be read; only that it is there is known.", "muted")]]
        failure = self._shelves.failure(organization.id)
        facts = told.organization_facts(organization, self._shelves.shelf(id), self.store.workspace is not None)
        return [*facts, (), [(str(failure), "error")]] if failure is not None else facts

    def _show_inbox(self, organization: Organization) -> None:
        if self._inbox_of != organization.id:
            if self._inbox is not None:
                self._inbox.close()
            self._inbox_of = organization.id
            self._inbox = Inbox(self.store, organization.id, self._inbox_changed)
        self._draw_inbox()

    def _inbox_changed(self) -> None:
        self.call_later(self._draw_inbox)

    def _draw_inbox(self) -> None:
        inbox = self._inbox
        at = self.selection
        if inbox is None or at.kind != tree.INBOX or at.id != self._inbox_of:
            return
        entries = inbox.entries
        found = sum(entry.request is not None for entry in entries)
        self._about.entitle("Change requests", str(found) if found else "")
        if (
            entries
            or inbox.unread
            or self._about.show_state(inbox.open, "the change requests", empty=_NOTHING_TO_REVIEW)
        ):
            self._about.show_body()
            first = next((entry.id for entry in entries if entry.request is not None), None)
            self._put(
                f"{tree.INBOX}:{at.id}", entry_rows(entries, inbox.unread, self._space_title, self.store.clock()), first
            )

    def _space_title(self, id: str) -> str:
        space = self._shelves.space(id)
        return space.title if space is not None else "a space"

    def _show_members(self, organization: Organization) -> None:
        members: Query[Listing[Member]] = self.store.query_list(Members.list_members, organization.id)
        self.follow(members, self._draw_members)

    def _draw_members(self, members: Query[Listing[Member]]) -> None:
        organization = self.selection.organization
        if self.selection.kind != tree.MEMBERS or organization is None:
            return
        if members.key.argument("organization_id") != organization.id:
            return
        found = signs.by_name(members.value.items) if members.value else []
        unread = members.value.unread if members.value else ()
        self._about.entitle("Members", signs.count(len(found), "person", "people") if found else "")
        if self._about.show_state(members, "the members", empty="Nobody is here."):
            self._put(f"{tree.MEMBERS}:{organization.id}", ItemRows(found, told.draw_member, unread=unread))

    # Actions

    def why_not(self, action: str) -> str | None:
        """Say why something cannot be done with what the cursor stands on."""
        return self._tasks.why_not(action) or super().why_not(action)

    def action_view_refresh(self) -> None:
        """Ask anew for everything that is shown."""
        self._organizations.refresh()
        self._shelves.refresh()
        if self._inbox is not None:
            self._inbox.refresh()

    def action_organization_import(self) -> None:
        """Import a folder."""
        self.work(self._tasks.import_folder(), "import")

    def action_organization_remove_guide(self) -> None:
        """Remove the guide."""
        self.work(self._remove_guide(), "remove guide")

    async def _remove_guide(self) -> None:
        if await self._tasks.remove_guide():
            self._guide = None

    def action_organization_rename_me(self) -> None:
        """Change the owner's name and address."""
        self.work(self._tasks.rename_me(), "rename me")

    def action_item_new(self) -> None:
        """Make a space."""
        self.work(self._new_space(), "new space")

    async def _new_space(self) -> None:
        space = await self._tasks.new_space()
        if space is not None:
            # The cursor goes there as soon as the tree has it.
            self._cursor = item_id(tree.SPACE, space)
            self._show_tree(self._organizations)

    def action_item_rename(self) -> None:
        """Rename a space."""
        self.work(self._tasks.rename_space(), "rename space")

    def action_item_delete(self) -> None:
        """Remove the guide, the one thing that can be removed here."""
        self.action_organization_remove_guide()

    def action_item_open_in_browser(self) -> None:
        """Open what the cursor stands on in the web app."""
        self.app.open_url(self.selection.address or "")

    def action_item_copy_link(self) -> None:
        """Copy the address of what the cursor stands on."""
        self.app.copy_to_clipboard(self.selection.address or "")
        self.say("Copied the address.")


_NOTHING_TO_REVIEW = "No change request is open. Press e on a page to propose a change."


def _holds(items: Sequence[TreeItem], id: str) -> bool:
    return any(item.id == id or _holds(item.children, id) for item in items)
