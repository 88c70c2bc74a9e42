"""The tab with a site's redirects: old addresses and where they lead, with loops and dead targets marked."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from itertools import islice
from typing import TYPE_CHECKING, Any

from pydantic import TypeAdapter, ValidationError
from textual.app import ComposeResult

from recto.contract.addresses import Main
from recto.contract.content import Content, walk_pages
from recto.contract.formats import WebAddress
from recto.contract.redirects import CreateRedirect, Redirect, Redirects, ToAddress, ToPage, UpdateRedirect
from recto.contract.structure import SiteStructure, Structure
from recto.document.text import count
from recto.store.arrangement import Arrangement, Kind, addresses
from recto.store.redirect_changes import (
    Problems,
    RedirectChanges,
    Targets,
    as_sent,
    destination,
    find_problems,
    is_creatable,
    target_of,
)
from recto.tui.actions import bindings
from recto.tui.dialogs.choose import Choice
from recto.tui.dialogs.confirm import NO_UNDO, UNDO, Confirm, shorten
from recto.tui.forms.form import Field, FieldKind, Filling, Form, Latest
from recto.tui.forms.form_dialog import FormDialog
from recto.tui.lists.columns import Column
from recto.tui.look.lines import Line
from recto.tui.screens.list_pane import Listed, ListPane, Nothing
from recto.tui.screens.site.tab import SiteTab

if TYPE_CHECKING:
    from recto.contract.content import Page
    from recto.contract.redirects import Destination
    from recto.store.mutation import Outcome
    from recto.store.query import Query
    from recto.store.rearranging import SiteAddress
    from recto.store.store import Store

_MOST_SPACES = 30
"""The most spaces of a site whose pages are loaded, to be offered as targets and to find dead ones."""


def _elsewhere(typed: str) -> Choice:
    try:
        TypeAdapter(WebAddress).validate_python(typed)
    except ValidationError:
        return Choice(typed, "An address elsewhere", reason="type it, from https:// on")
    return Choice(typed, typed, "elsewhere")


_FIELDS = (
    Field("source", "From", says="The old path on the site, such as /old/page.", placeholder="/old/page"),
    Field(
        "destination",
        "To",
        says="A section, a site space or a page; or type an address elsewhere, from https:// on.",
        kind=FieldKind.CHOICE,
        read=lambda redirect: target_of(redirect.destination),
        write=lambda target: destination(target).model_dump(by_alias=False),
        create=_elsewhere,
        required=True,
    ),
    Field("permanent", says="On: browsers and search engines remember it.", default=True),
)
NEW_REDIRECT = Form("new-redirect", CreateRedirect, *_FIELDS, sends="Create the redirect")
CHANGED_REDIRECT = Form("redirect", UpdateRedirect, *_FIELDS)


def source_of(redirect: Redirect) -> Line:
    """Return the address of a redirect, and whether what stands for its wildcard goes into the target."""
    return [(redirect.source, ""), *([("  captures its wildcard", "muted")] if redirect.capture_wildcard else [])]


class RedirectsTab(SiteTab):
    """The redirects of a site."""

    BINDINGS = bindings("item.new", "item.change", "item.delete")

    def __init__(self, store: Store, address: SiteAddress) -> None:
        super().__init__(store, address, id="redirects-tab")
        self._changes = RedirectChanges(address)
        self._structure: Query[SiteStructure] = store.query(Structure.get_structure, *self.ids)
        self._all = store.query_list(Redirects.list_redirects, *self.ids)
        self._targets = Targets(Arrangement({}, {}))
        self._problems = Problems()
        listed: Listed[Redirect] = Listed(
            title="Redirects",
            what="the redirects",
            one="redirect",
            columns=(
                Column("From", source_of, width=30, least=14, grows=True),
                Column("To", self._leads_to, width=44, least=16, grows=True),
                Column("Kind", lambda one: "permanent" if one.permanent else "temporary", width=9, rank=1),
                Column("Problem", self._problem, width=13),
            ),
            name=lambda one: one.source,
            empty=Nothing("No redirects yet.", "a", "adds one"),
            why_not_open=lambda: self.why_not("item.change"),
        )
        self._list = ListPane(store, listed, id="redirects")
        self.target = self._list.rows

    @property
    def in_focus(self) -> Sequence[Query[Any]]:
        """What the tab lists."""
        return self._list.in_focus

    def compose(self) -> ComposeResult:
        """Compose the list."""
        yield self._list

    def on_mount(self) -> None:
        """List the redirects, and follow what they lead to."""
        self._list.list_from(Redirects.list_redirects, *self.ids)
        self.follow(self._structure, self._mark_problems)
        self.follow(self._all, self._mark_problems)
        self.follow(self.site, self._mark_problems)

    def reload(self) -> None:
        """Request everything shown again."""
        super().reload()
        self._structure.refresh()
        self._list.reload()
        self._all.refresh()

    # Drawing

    def _mark_problems(self, _: Query[Any]) -> None:
        """Find the redirects that lead nowhere."""
        structure, site = self._structure.value, self.site.value
        if structure is None:
            return
        redirects = self._all.value.items if self._all.value is not None else ()
        arrangement = Arrangement.of(structure)
        published = site.urls.published if site is not None else None
        targets = Targets(arrangement, published=published)
        self._targets = replace(targets, pages=self._known_pages(targets, redirects))
        self._problems = find_problems(redirects, self._targets)
        self._list.rows.redraw()

    def _known_pages(self, targets: Targets, redirects: Iterable[Redirect]) -> dict[str, dict[str, Page]]:
        """Return the pages of the spaces to whose pages redirects lead, and ask for those that are not known."""
        leads_to = (_space_of(as_sent(redirect.destination), targets) for redirect in redirects)
        found = {}
        for space in islice(dict.fromkeys(space for space in leads_to if space is not None), _MOST_SPACES):
            query = self.store.query(Content.list_pages, Main(space))
            if query.value is not None:
                found[space] = {page.id: page for page in walk_pages(query.value.pages)}
            elif query.error is None:
                self.follow_instead(f"pages of {space}", self._mark_problems_once_loaded, query)
        return found

    def _mark_problems_once_loaded(self, query: Query[Any]) -> None:
        if query.value is not None:
            self._mark_problems(query)

    def _leads_to(self, redirect: Redirect) -> Line:
        target = target_of(redirect.destination)
        if not target:
            return [("unknown to this version", "faint")]
        to = as_sent(redirect.destination)
        items = self._targets.arrangement.items
        if isinstance(to, ToPage):
            item = items.get(to.site_space_id)
            page = self._targets.pages.get(item.space or "", {}).get(to.page_id) if item is not None else None
            return [(page.title if page is not None else to.page_id, ""), (f"  {self._path(redirect)}", "muted")]
        id = target.partition(":")[2]
        if id in items:
            return [(items[id].name, ""), (f"  {self._path(redirect)}", "muted")]
        return [(target, "")]

    def _path(self, redirect: Redirect) -> str:
        return self._targets.path(redirect) or ""

    def _problem(self, redirect: Redirect) -> Line:
        if redirect.id in self._problems.loops:
            return [("! loop", "error")]
        if self._targets.arrangement.items and redirect.id in self._problems.dead:
            return [("! dead target", "error")]
        return [("draft", "muted")] if redirect.draft else []

    # Actions

    def action_item_new(self) -> None:
        """Add a redirect."""
        self.work(self._create(), "redirect", unless_running="redirect")

    async def _create(self) -> None:
        async def submit(body: CreateRedirect) -> Outcome[Redirect]:
            return await self.send(self._changes.create(body))

        filling = Filling(NEW_REDIRECT, submit, choices={"destination": await self._choices()}, place=self.place())
        made = await self.ask(FormDialog(self.store, "New redirect", filling))
        if made is not None:
            self._list.go_to(made.id)
            self.say(f"Added the redirect from {made.source}.")

    def on_list_pane_opened(self, event: ListPane.Opened) -> None:
        """Change a redirect."""
        event.stop()
        self.action_item_change()

    def action_item_change(self) -> None:
        """Change the redirect."""
        if (redirect := self._list.current) is not None and self.why_not("item.change") is None:
            self.work(self._change(redirect), "redirect", unless_running="redirect")

    async def _change(self, redirect: Redirect) -> None:
        async def read() -> Redirect:
            return await self._changes.read(redirect.id, self.store.call) or redirect

        latest = Latest(redirect, read)

        async def submit(body: UpdateRedirect) -> Outcome[Redirect]:
            return await self.send(self._changes.update(latest.value, body))

        filling = Filling(
            CHANGED_REDIRECT,
            submit,
            thing=redirect,
            choices={"destination": await self._choices()},
            reread=latest,
            place=self.place(redirect.id),
        )
        changed = await self.ask(FormDialog(self.store, f"Redirect from {redirect.source}", filling))
        if changed is not None:
            self.say(f"Changed the redirect from {changed.source}.")

    async def _choices(self) -> list[Choice]:
        """Return what redirects can lead to: sections, site spaces, and the pages of a site that is not too large.

        What is missing among them stands there with the reason.
        """
        query = await self._structure.wait()
        if query.error is not None:
            raise query.error
        arrangement = Arrangement.of(query.value) if query.value is not None else Arrangement({}, {})
        read_at = addresses(arrangement)
        choices: list[Choice] = []
        spaces = {item.space for item in arrangement.items.values() if item.space is not None}
        is_small = len(spaces) <= _MOST_SPACES
        pages = await self._pages_of(spaces) if is_small else {}
        for _, item in arrangement.walk():
            if item.kind is Kind.SECTION:
                choices.append(Choice(f"section:{item.id}", item.name, f"section  /{item.path}"))
            elif item.kind is Kind.SITE_SPACE:
                choices.append(Choice(f"space:{item.id}", item.name, f"site space  {read_at[item.id]}"))
                choices += [
                    Choice(f"page:{item.id}:{page.id}", page.title, f"page  {read_at[item.id]}{page.path or ''}")
                    for page in pages.get(item.space or "", {}).values()
                ]
                if is_small and item.space not in pages:
                    missing = f"pages of {item.id}", f"Pages of “{item.name}”"
                    choices.append(Choice(*missing, reason="could not be loaded"))
        if not is_small:
            choices.append(Choice("pages", "Pages", reason=f"not listed with more than {_MOST_SPACES} spaces"))
        return choices

    async def _pages_of(self, spaces: Iterable[str]) -> Mapping[str, Mapping[str, Page]]:
        """Return the pages of spaces; those that cannot be loaded are left out."""
        found = {}
        for space in spaces:
            listed = await self.store.query(Content.list_pages, Main(space)).wait()
            if listed.value is not None:
                found[space] = {page.id: page for page in walk_pages(listed.value.pages)}
        return found

    def action_item_delete(self) -> None:
        """Delete the selected redirects, after asking."""
        if chosen := self._list.chosen:
            self.work(self._delete(chosen), "delete", unless_running="redirect")

    async def _delete(self, redirects: tuple[Redirect, ...]) -> None:
        points = shorten([one.source for one in redirects])
        of = count(len(redirects), "redirect")
        says = f"This deletes {of}; links to these addresses no longer lead anywhere."
        undo = UNDO if all(map(is_creatable, redirects)) else NO_UNDO
        if await self.ask(Confirm("Delete redirects", says, points=points, does=f"deletes {of}", undo=undo)):
            await self._list.change_each(redirects, self._changes.delete, doing="Deleting redirects", done="Deleted")

    def why_not(self, action: str) -> str | None:
        """Return the reason why an action cannot be done now."""
        reason = super().why_not(action) or self._list.why_none_chosen(action, "item.change", "item.delete")
        return reason or self._list.why_not(action)


def _space_of(to: Destination | None, targets: Targets) -> str | None:
    """Return the id of the space whose page a redirect leads to, by its id or by its address."""
    if isinstance(to, ToPage):
        item = targets.arrangement.items.get(to.site_space_id)
        return item.space if item is not None else None
    path = targets.own_path(to.url) if isinstance(to, ToAddress) else None
    found = targets.read_in(path) if path is not None else None
    return found[0].space if found is not None and found[1] else None
