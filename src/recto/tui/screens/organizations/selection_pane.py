"""The pane beside the tree of organizations with facts about the selection."""

from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import TYPE_CHECKING

from textual.message import Message

from recto.contract.collections import Collection
from recto.contract.sites import Site
from recto.contract.spaces import Space
from recto.contract.unread import all_unread
from recto.document.text import count
from recto.store.locations import item_id
from recto.tui.actions import key_label, key_shown, name_keys
from recto.tui.dialogs.import_report import finding_lines
from recto.tui.lists.fact_list import FactList
from recto.tui.lists.rows import is_unread, unread_lines
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import lines, signs, times
from recto.tui.look.fact_rows import fact, heading, rows
from recto.tui.look.lines import Line
from recto.tui.navigation.url_locations import for_browser
from recto.tui.screens.organizations.organization_rows import COLLECTION, SPACE
from recto.tui.screens.pane import Pane

if TYPE_CHECKING:
    from collections.abc import Callable

    from textual.worker import Worker

    from recto.contract.import_report import SpaceImport
    from recto.contract.organizations import Organization
    from recto.store.store import Store
    from recto.tui.screens.organizations.organization_contents import OrganizationContents
    from recto.tui.screens.organizations.organization_tree_pane import Selection


class SelectionPane(Pane):
    """Facts about the selected item."""

    class Opened(Message):
        """The person goes into the item that the facts are about."""

    def __init__(self, store: Store) -> None:
        self._facts = FactList(id="facts")
        super().__init__(store, "About", self._facts, id="about")
        self._subject = ("", "")
        self._imported: SpaceImport | None = None
        """The last import of the selected space's folder, once it is known."""
        self._finding: Worker[None] | None = None

    def show_selection(self, selection: Selection, organization: Organization) -> None:
        """Show the facts; scroll to the beginning for another item."""
        is_same = (selection.kind, selection.id) == self._subject
        self._subject = (selection.kind, selection.id)
        self._facts.openable = isinstance(selection.thing, Space | Site)
        if not is_same:
            self._imported = None
        if isinstance(selection.thing, Space) and self.store.workspace is not None:
            find = partial(self._find_import, selection, organization)
            # Without a description Textual makes one of all that is passed on: each space of the organization.
            self._finding = self.run_worker(
                find, "import", group="import", description=selection.id, exclusive=True, exit_on_error=False
            )
        self._show(selection, organization, is_same=is_same)

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Go into the item, as its facts offer."""
        event.stop()
        if self._facts.openable:
            self.post_message(self.Opened())

    async def _find_import(self, selection: Selection, organization: Organization) -> None:
        assert self.store.workspace is not None
        found = await self.store.workspace.find_import(selection.id)
        if found != self._imported and (selection.kind, selection.id) == self._subject:
            self._imported = found
            self._show(selection, organization, is_same=True)

    def _show(self, selection: Selection, organization: Organization, *, is_same: bool) -> None:
        self.entitle(selection.label or organization.title)
        found = rows(self._lines(selection, organization))
        self._facts.show(found, None if (is_same and self._facts.has_focus) or not len(found) else found.key(0))

    def _lines(self, at: Selection, organization: Organization) -> list[Line]:
        match at.thing:
            case Space():
                facts = [*space_facts(at.thing, self.store.clock()), (), self._say_what_opens("it")]
                return [*facts, *import_facts(self._imported, self.store.clock())] if self._imported else facts
            case Collection():
                inside = at.contents.children.get(item_id(COLLECTION, at.id), ()) if at.contents is not None else ()
                return collection_facts(at.thing, sum(item.startswith(f"{SPACE}:") for item in inside))
            case Site():
                return [*site_facts(at.thing), (), self._say_what_opens("its structure")]
        if is_unread(at.kind):
            return [[("The response could not be read; only its place in the list is known.", "muted")]]
        found = organization_facts(
            organization, at.contents, self.store.workspace is not None, partial(key_shown, self)
        )
        return [*found, (), [(str(at.failure), "error")]] if at.failure is not None else found

    def _say_what_opens(self, it: str) -> Line:
        return [(name_keys(self, "‹list.open›"), "strong accent"), (f"  opens {it}", "")]


def organization_facts(
    organization: Organization,
    contents: OrganizationContents | None,
    own: bool,
    label_of: Callable[[str], str] = key_label,
) -> list[Line]:
    """Return the facts about an organization; where it is empty, how to add content.

    ``label_of`` returns the label of the key that an action has now, by its default key.
    """
    found: list[Line] = []
    if contents is not None and contents.complete:
        found.append(fact("spaces", str(len(contents.spaces))))
    if contents is not None and contents.knows_sites:
        found.append(fact("sites", str(len(contents.sites))))
    if contents is not None and contents.open_requests is not None:
        found.append(fact("to review", count(contents.open_requests, "open change request")))
    if organization.created_at is not None:
        found.append(fact("since", times.exact(organization.created_at)))
    found += unread_lines(all_unread(organization))
    if contents is not None and contents.complete and not contents.spaces and organization.permissions.create_content:
        found += [(), *_empty(own, label_of)]
    return found


def _empty(own: bool, label_of: Callable[[str], str]) -> list[Line]:
    key = "strong accent"
    found: list[Line] = [
        [("There is no documentation here yet.", "strong")],
        (),
        [(label_of("a"), key), ("  creates an empty space", "")],
    ]
    if own:
        found += [
            [(label_of("b"), key), ("  imports a folder of Markdown pages", "")],
            (),
            [("From the shell:", "muted")],
            [("   recto open path/to/folder", "code")],
            (),
            [("A folder with a SUMMARY.md keeps the order of its pages.", "muted")],
            [("Open it again later to import what has changed.", "muted")],
        ]
    return found


def collection_facts(collection: Collection, inside: int) -> list[Line]:
    """Return the facts about a collection."""
    found = [fact("holds", count(inside, "space"))]
    if collection.description:
        found.insert(0, [(lines.plain(collection.description), "")])
    if collection.default_level:
        found.append(fact("default role", str(collection.default_level)))
    return found


def space_facts(space: Space, now: datetime) -> list[Line]:
    """Return the facts about a space."""
    visibility = signs.sign(signs.VISIBILITY, space.visibility)
    found = [
        fact("visibility", visibility.word),
        *([fact("editing", "locked: nothing can be changed", "warning")] if space.edit_mode == "locked" else []),
        fact("to review", count(space.change_requests_open, "open change request")),
        fact("drafts", count(space.change_requests_draft, "draft change request")),
        fact("comments", count(space.comments, "open comment")),
        fact("updated", times.ago(space.updated_at, now)),
    ]
    if space.language:
        found.append(fact("language", space.language))
    return [*found, *unread_lines(all_unread(space))]


def import_facts(imported: SpaceImport, now: datetime) -> list[Line]:
    """Return the facts about the last import of a space's folder: its place, its time and its findings."""
    found: list[Line] = [
        (),
        heading("Import", times.ago(imported.imported_at, now)),
        fact("folder", imported.folder),
    ]
    found += [[(line, "")] for line in finding_lines(imported.findings)]
    return found if imported.findings else [*found, [("Everything in it was imported.", "muted")]]


def site_facts(site: Site) -> list[Line]:
    """Return the facts about a site."""
    found = [
        fact("visibility", signs.sign(signs.VISIBILITY, site.visibility).word),
        fact("state", "published" if site.published else "not published"),
        fact("spaces", str(site.site_spaces)),
    ]
    if address := for_browser(site.urls.published):
        found.append(fact("address", address))
    return [*found, *unread_lines(all_unread(site))]
