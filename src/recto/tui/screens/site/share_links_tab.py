"""The tab with a site's share links: secret addresses by which it is read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from recto.contract.share_links import CreateShareLink, ShareLink, ShareLinks, UpdateShareLink
from recto.contract.sites import Site
from recto.document.text import count
from recto.store.share_link_changes import ShareLinkChanges, name_of
from recto.tui import actions
from recto.tui.actions import Action, bindings
from recto.tui.dialogs.confirm import NO_UNDO, Confirm, shorten
from recto.tui.forms.form import Field, Filling, Form, Latest
from recto.tui.forms.form_dialog import FormDialog
from recto.tui.lists.columns import Column
from recto.tui.look import signs
from recto.tui.look.times import ago
from recto.tui.navigation.url_locations import for_browser, only_here
from recto.tui.screens.list_pane import Listed, ListPane, Nothing
from recto.tui.screens.site.tab import SiteTab

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recto.store.mutation import Outcome
    from recto.store.query import Query
    from recto.store.rearranging import SiteAddress
    from recto.store.store import Store

actions.register(
    Action("site.switch_link", "Switch the share link on or off", ("x",), "Site", "on or off", writes=True)
)

NEW_LINK = Form(
    "new-share-link",
    CreateShareLink,
    Field("name", says="For whom it is: a partner, a review, a test."),
    sends="Create the share link",
)
RENAMED_LINK = Form("share-link", UpdateShareLink, Field("name", required=True))


class ShareLinksTab(SiteTab):
    """The share links of a site."""

    BINDINGS = bindings(
        "item.new", "item.rename", "site.switch_link", "item.copy_link", "item.open_in_browser", "item.delete"
    )

    def __init__(self, store: Store, address: SiteAddress) -> None:
        super().__init__(store, address, id="share-links-tab")
        self._changes = ShareLinkChanges(address)
        now = store.clock
        listed: Listed[ShareLink] = Listed(
            title="Share links",
            what="the share links",
            one="share link",
            columns=(
                Column("Name", name_of, width=28, least=12, grows=True),
                Column("State", lambda link: [("● on", "success")] if link.active else [("○ off", "muted")], width=5),
                Column("Created", lambda link: ago(link.created_at, now()) if link.created_at else "", 12, rank=2),
                Column("Address", lambda link: for_browser(link.urls.published) or "", width=40, least=16, rank=1),
            ),
            name=name_of,
            empty=Nothing("No share links yet.", "a", "creates one"),
        )
        self._links = ListPane(store, listed, id="share-links")
        self._remark = Static(classes="remark")
        self.target = self._links.rows

    @property
    def in_focus(self) -> Sequence[Query[Any]]:
        """What the tab lists."""
        return self._links.in_focus

    def compose(self) -> ComposeResult:
        """Compose the list, and below it whether its links count."""
        yield self._links
        yield self._remark

    def on_mount(self) -> None:
        """List the links, and follow the site."""
        self._links.list_from(ShareLinks.list_share_links, *self.ids)
        self.follow(self.site, self._show_site)

    def _show_site(self, query: Query[Site]) -> None:
        site = query.value
        counts = site is None or site.visibility == "share-link"
        self._remark.display = not counts
        if site is not None and not counts:
            word = signs.sign(signs.VISIBILITY, site.visibility).word
            says = f"These links open the site only while it is visible by share link; now it is {word}."
            self._remark.update(Content.styled(says, "$warning"))
        self.refresh_bindings()

    def reload(self) -> None:
        """Request everything shown again."""
        super().reload()
        self._links.reload()

    # Actions

    def action_item_new(self) -> None:
        """Create a share link."""
        self.work(self._create(), "share link", unless_running="share link")

    async def _create(self) -> None:
        async def submit(body: CreateShareLink) -> Outcome[ShareLink]:
            return await self.send(self._changes.create(body))

        made = await self.ask(FormDialog(self.store, "New share link", Filling(NEW_LINK, submit, place=self.place())))
        if made is not None:
            self._links.go_to(made.id)
            self.say(f"Created the share link “{name_of(made)}”. ‹item.copy_link› copies its address.")

    def action_item_rename(self) -> None:
        """Rename the link."""
        if (link := self._links.current) is not None:
            self.work(self._rename(link), "rename", unless_running="share link")

    async def _rename(self, link: ShareLink) -> None:
        async def read() -> ShareLink:
            return await self._changes.read(link.id, self.store.call) or link

        latest = Latest(link, read)

        async def submit(body: UpdateShareLink) -> Outcome[ShareLink]:
            return await self.send(self._changes.update(latest.value, body))

        filling = Filling(RENAMED_LINK, submit, thing=link, reread=latest, place=self.place(link.id))
        made = await self.ask(FormDialog(self.store, f"Rename {name_of(link)}", filling))
        if made is not None:
            self.say(f"Renamed the share link to “{name_of(made)}”.")

    def action_site_switch_link(self) -> None:
        """Switch the selected links on, or off where the first of them is on."""
        if chosen := self._links.chosen:
            self.work(self._switch(chosen, on=not chosen[0].active), "switch", unless_running="share link")

    async def _switch(self, links: tuple[ShareLink, ...], *, on: bool) -> None:
        word = "on" if on else "off"
        await self._links.change_each(
            [link for link in links if link.active is not on],
            lambda link: self._changes.update(link, UpdateShareLink(active=on)),
            doing=f"Switching share links {word}",
            done=f"Switched {word}",
        )

    def action_item_delete(self) -> None:
        """Delete the selected links, after asking."""
        if chosen := self._links.chosen:
            self.work(self._delete(chosen), "delete", unless_running="share link")

    async def _delete(self, links: tuple[ShareLink, ...]) -> None:
        points = shorten([name_of(link) for link in links])
        of = count(len(links), "share link")
        says = f"This deletes {of}; its address no longer opens the site."
        question = Confirm("Delete share links", says, points=points, does=f"deletes {of}", undo=NO_UNDO)
        if await self.ask(question):
            await self._links.change_each(links, self._changes.delete, doing="Deleting share links", done="Deleted")

    def action_item_copy_link(self) -> None:
        """Copy the secret address of the link."""
        link = self._links.current
        if link is not None and link.urls.published:
            self.app.copy_to_clipboard(link.urls.published)
            self.say(f"Copied the address of “{name_of(link)}”.{only_here(link.urls.published)}")

    def action_item_open_in_browser(self) -> None:
        """Open the site by the link."""
        if address := self._in_browser:
            self.app.open_url(address)

    @property
    def _in_browser(self) -> str | None:
        link = self._links.current
        return for_browser(link.urls.published) if link is not None else None

    def why_not(self, action: str) -> str | None:
        """Return the reason why an action cannot be done now."""
        if (reason := super().why_not(action)) is not None:
            return reason
        acting = ("item.rename", "site.switch_link", "item.delete", "item.copy_link", "item.open_in_browser")
        if (reason := self._links.why_none_chosen(action, *acting)) is not None:
            return reason
        link = self._links.current
        if action == "item.copy_link" and link is not None and not link.urls.published:
            return "no address while the site is not published"
        if action == "item.open_in_browser" and not self._in_browser:
            return "its address is not on the web"
        return None
