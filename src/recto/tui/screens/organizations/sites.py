"""The sites of an organization: searched by title, narrowed by state, plan and space, created and deleted."""

from __future__ import annotations

from typing import TYPE_CHECKING, get_args

from recto.contract.sites import CreateSite, Site, Sites, SiteType
from recto.contract.spaces import Spaces
from recto.document.text import count
from recto.store.drafts import DraftPlace
from recto.store.locations import SiteLocation
from recto.store.rearranging import SiteAddress
from recto.store.roles import needs
from recto.store.sites import create_site
from recto.tui.actions import Action, bindings, register
from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.forms.form import Field, FieldKind, Filling, Form
from recto.tui.forms.form_dialog import FormDialog
from recto.tui.forms.role_words import AUDIENCES
from recto.tui.lists.columns import Column
from recto.tui.look import signs
from recto.tui.look.times import ago
from recto.tui.screens.list_pane import Listed, ListPane, Nothing, Option
from recto.tui.screens.site.deleting import ask_and_delete

if TYPE_CHECKING:
    from recto.contract.organizations import Organization
    from recto.store.mutation import Outcome
    from recto.store.store import Store

register(Action("sites.with_space", "Show only the sites with a space", ("w",), "Organizations"))

NEW_SITE = Form(
    "new-site",
    CreateSite,
    Field("title", required=True),
    Field("spaces", kind=FieldKind.SEVERAL, none="none yet", says="The spaces on it, in this order."),
    Field("visibility", "Visible to", choices=AUDIENCES, default="public", required=True),
    Field("type", "Plan", default="basic", required=True),
    sends="Create the site",
)


class SitesPane(ListPane[Site]):
    """The sites of an organization."""

    BINDINGS = bindings("item.new", "item.delete", "sites.with_space")

    def __init__(self, store: Store) -> None:
        listed = Listed[Site](
            title="Sites",
            what="the sites",
            one="site",
            columns=(
                Column("Title", lambda site: site.title, width=28, least=14, grows=True),
                Column("State", lambda site: "published" if site.published else "not published", width=13),
                Column("Visible to", lambda site: signs.sign(signs.VISIBILITY, site.visibility).word, width=18, rank=1),
                Column("Spaces", lambda site: str(site.site_spaces), width=6, rank=2, at_right=True),
                Column("Plan", lambda site: site.type, width=9, rank=3),
                Column(
                    "Created",
                    lambda site: ago(site.created_at, store.clock()) if site.created_at else "",
                    width=12,
                    rank=4,
                ),
            ),
            name=lambda site: site.title or site.id,
            empty=Nothing("No sites yet.", "a", "creates one from spaces"),
            search="title",
            filters=(
                Option("all sites"),
                Option("published", {"published": True}),
                Option("not published", {"published": False}),
                *(Option(f"plan {kind}", {"type": (kind,)}) for kind in get_args(SiteType)),
            ),
        )
        super().__init__(store, listed, id="sites", quiet=True)
        self._organization: Organization | None = None
        self._space: str | None = None
        """The id of the space with which sites are shown."""

    def show_organization(self, organization: Organization) -> None:
        """List the sites of an organization."""
        is_same = self._organization is not None and self._organization.id == organization.id
        self._organization = organization
        if not is_same:
            self._space = None
            self._list()

    def _list(self) -> None:
        if self._organization is not None:
            self.list_from(Sites.list_sites, self._organization.id, space=self._space)

    # Actions

    def why_not(self, action: str) -> str | None:
        """Return the reason why something cannot be done with the sites."""
        organization = self._organization
        if organization is None:
            return "no organization"
        if action in ("item.new", "item.delete") and (reason := needs(organization.permissions, "admin")):
            return reason
        return self.why_none_chosen(action, "item.delete") or super().why_not(action)

    def on_list_pane_opened(self, event: ListPane.Opened) -> None:
        """Go to a site."""
        event.stop()
        if self._organization is not None:
            self.go(SiteLocation(self._organization.id, event.item.id))

    def action_item_new(self) -> None:
        """Create a site from spaces."""
        if self._organization is not None:
            self.work(self._new(self._organization.id), "new site", unless_running="new site")

    async def _new(self, organization: str) -> None:
        async def submit(body: CreateSite) -> Outcome[Site]:
            return await self.send(create_site(organization, body))

        filling = Filling(
            NEW_SITE,
            submit,
            choices={"spaces": await self._spaces(organization)},
            place=DraftPlace(organization=organization),
        )
        made = await self.ask(FormDialog(self.store, "New site", filling))
        if made is not None:
            self.say(f"Created the site “{made.title}” with {count(made.site_spaces, 'space')}; it is not published.")
            self.go(SiteLocation(organization, made.id))

    async def _spaces(self, organization: str) -> list[Choice]:
        query = await self.store.query_list(Spaces.list_spaces, organization).wait()
        if query.error is not None:
            raise query.error
        spaces = query.value.items if query.value is not None else ()
        found = [Choice(space.id, space.title or space.id) for space in spaces]
        return sorted(found, key=lambda choice: choice.label.casefold())

    def action_item_delete(self) -> None:
        """Delete the site under the cursor, after its title is typed."""
        if self._organization is not None and (site := self.current) is not None:
            address = SiteAddress(self._organization.id, site.id)
            self.work(ask_and_delete(self, address, site), "delete site", unless_running="delete site")

    def action_sites_with_space(self) -> None:
        """Ask for a space, and show only the sites with it."""
        if self._organization is not None:
            self.work(self._with_space(self._organization.id), "with space", unless_running="with space")

    async def _with_space(self, organization: str) -> None:
        choices = [Choice("", "All sites"), *await self._spaces(organization)]
        chosen = await self.ask(Choose("Sites with the space", choices))
        if chosen is not None:
            self._space = chosen or None
            self._list()
