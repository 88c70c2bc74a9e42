"""A site, on tabs: its structure, settings, share links, audience, redirects and publication."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from textual.app import ComposeResult

from recto.contract.members import Members
from recto.contract.organizations import Organization, Organizations
from recto.contract.sites import Site, Sites
from recto.contract.structure import Structure
from recto.contract.users import Users
from recto.store.locations import SiteLocation
from recto.store.rearranging import SiteAddress
from recto.store.roles import role_of
from recto.tui.actions import bindings
from recto.tui.screens.site.structure_tab import StructureTab
from recto.tui.screens.view import View
from recto.tui.widgets.tab_strip import TabStrip

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recto.store.query import Query
    from recto.store.store import Store
    from recto.tui.screens.site.tab import SiteTab

_TABS: dict[str, tuple[str, str]] = {
    "Settings": ("recto.tui.screens.site.settings_tab", "SettingsTab"),
    "Share links": ("recto.tui.screens.site.share_links_tab", "ShareLinksTab"),
    "Audience": ("recto.tui.screens.site.audience_tab", "AudienceTab"),
    "Redirects": ("recto.tui.screens.site.redirects_tab", "RedirectsTab"),
    "Publication": ("recto.tui.screens.site.publication_tab", "PublicationTab"),
}
"""The further tabs, imported when they are first shown: the module and the class of each."""

TABS = ("Structure", *_TABS)
"""The names of the tabs, in their order."""

_SHORT = {"Share links": "Links", "Publication": "Publish"}


class SiteView(View[SiteLocation]):
    """Shows a site."""

    BINDINGS = bindings("view.refresh")

    def __init__(self, store: Store, location: SiteLocation) -> None:
        super().__init__(store, location)
        self._address = SiteAddress(location.organization, location.site)
        self._structure = StructureTab(store, self._address, location)
        self._tabs: dict[str, SiteTab] = {TABS[0]: self._structure}
        self._strip = self.tab_strip = TabStrip(TABS, short=_SHORT, active=min(location.tab, len(TABS) - 1))

    @classmethod
    def first_queries(cls, store: Store, location: SiteLocation) -> Sequence[Query[Any]]:
        """The site and its structure."""
        ids = location.organization, location.site
        return store.query(Sites.get_site, *ids), store.query(Structure.get_structure, *ids)

    def compose_body(self) -> ComposeResult:
        """Compose the tabs and the content of the shown tab."""
        tab = self.tab
        yield self._strip
        yield tab
        if tab is not self._structure:
            self._structure.display = False
            yield self._structure

    def on_mount(self) -> None:
        """Follow the site."""
        address = self._address
        self._organization: Query[Organization] = self.store.query(Organizations.get_organization, address.organization)
        self._site: Query[Site] = self.store.query(Sites.get_site, address.organization, address.id)
        self.tab.take_focus()
        self.follow(self._organization, self._show_head)
        self.follow(self._site, self._show_head)

    # Tabs

    @property
    def tab(self) -> SiteTab:
        """The tab that is shown."""
        return self._tab(TABS[self._strip.active])

    def _tab(self, name: str) -> SiteTab:
        if name not in self._tabs:
            module, tab = _TABS[name]
            self._tabs[name] = getattr(import_module(module), tab)(self.store, self._address)
        return self._tabs[name]

    @property
    def in_focus(self) -> Sequence[Query[Any]]:
        """The lists of the shown tab."""
        return self.tab.in_focus

    async def on_tab_strip_switched(self, event: TabStrip.Switched) -> None:
        """Show another tab."""
        event.stop()
        shown = self.tab
        if not shown.is_attached:
            shown.display = False  # until it is mounted, the two would share the room
            await self.query_one(".body").mount(shown)
        # Meanwhile the view may have been left, or yet another tab chosen, which is not there before the next message.
        if not self.is_whole:
            return
        for tab in self._tabs.values():
            tab.display = tab is shown
        shown.take_focus()
        self.refresh_bindings()

    # The location

    @property
    def location(self) -> SiteLocation:
        """The site, its tab, and the row of the cursor in the structure."""
        if (row := self._structure.row) is None:
            return self.opened_at
        title = self._site.value.title if self._site.value else self.opened_at.title
        tab = self._strip.active
        return SiteLocation(self._address.organization, self._address.id, row=row, tab=tab, title=title)

    def arrive(self, location: SiteLocation) -> None:
        """Show the tab of a location, and put the cursor on its item."""
        self._strip.active = location.tab
        if location.item is not None:
            self._structure.reveal(location.item)

    # Drawing

    def _show_head(self, _query: object) -> None:
        organization, site = self._organization.value, self._site.value
        trail = (organization.title if organization else "…", site.title if site else self.opened_at.title or "…")
        aside = ""
        if site is not None:
            aside = "published" if site.published else "not published"
        self.show_where(*trail, aside=aside, role=self._role_on(site) if site is not None else "")
        self.refresh_bindings()

    def _role_on(self, site: Site) -> str:
        """Return the role on a site; its permissions do not tell reviewers from readers, but the membership does."""
        role = role_of(site.permissions)
        if role != "read":
            return role
        me = self.store.known_response(Users.get_user)
        member = (
            self.store.known_response(Members.get_member, self._address.organization, me.id) if me is not None else None
        )
        return (member.role if member is not None else None) or ""

    def action_view_refresh(self) -> None:
        """Request everything shown again."""
        self.tab.reload()

    # Leaving

    def why_not(self, action: str) -> str | None:
        """Return the reason why an action cannot be done now."""
        if action in ("change.undo", "change.redo") and self.is_mounted and self.tab is self._structure:
            if (reason := self._structure.why_no_change) is not None:
                return reason
            if action == "change.undo" and self._structure.unsaved:
                return None
        return super().why_not(action)

    def action_change_undo(self) -> None:
        """Take back what was last done to the structure where that is shown, else the last change."""
        if self.tab is not self._structure or not self._structure.undo():
            super().action_change_undo()

    @property
    def staged(self) -> str | None:
        """The moves that are lost when the program ends."""
        return self._structure.unsaved

    def escape(self) -> bool:
        """Put lifted items back or stop running moves, else close the innermost."""
        return (self.tab is self._structure and self._structure.escape()) or super().escape()

    @property
    def may_close(self) -> bool:
        """Whether no moves are staged or running."""
        return self._structure.may_close
