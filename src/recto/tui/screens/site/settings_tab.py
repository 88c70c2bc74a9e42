"""The tab with a site's settings: a form of what can be changed, and what only the platform sets beside it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from textual.app import ComposeResult

from recto.contract.sites import Site, Sites, UpdateSite
from recto.contract.structure import SiteStructure, Structure
from recto.document.text import count
from recto.frozen import frozen
from recto.store.arrangement import Arrangement, Kind
from recto.store.sites import proxy_of, update_site
from recto.tui.actions import bindings, not_loaded
from recto.tui.dialogs.choose import Choice
from recto.tui.dialogs.confirm import ConfirmTitle, undo_of
from recto.tui.forms.form import Field, FieldKind, Filling, Form, Latest
from recto.tui.forms.form_pane import FormPane
from recto.tui.forms.role_words import AUDIENCES
from recto.tui.lists.fact_list import FactList
from recto.tui.look.fact_rows import fact, heading, rows
from recto.tui.look.lines import Line, plain
from recto.tui.look.times import both
from recto.tui.navigation.messages import GoUp
from recto.tui.screens.pane import Pane
from recto.tui.screens.site.deleting import ask_and_delete
from recto.tui.screens.site.tab import SiteTab, why_not_admin
from recto.tui.widgets.line_view import Ground

if TYPE_CHECKING:
    from recto.store.mutation import Outcome
    from recto.store.query import Query
    from recto.store.rearranging import SiteAddress
    from recto.store.store import Store
    from recto.tui.forms.form_view import FormView

WIDTH: Final = {"visitor-auth": 0, "share-link": 0, "unlisted": 1, "public": 2}
"""How wide an audience is, by the visibility; a change to a wider one is confirmed by the site's title."""


@frozen
class Settings:
    """What the form is about: a site, and how it is arranged."""

    site: Site
    arrangement: Arrangement

    def default(self, kind: Kind) -> str | None:
        """Return the id of the section, or of the site space, that the site opens with."""
        arrangement = self.arrangement
        for item in arrangement.items.values():
            if item.kind is kind and item.default:
                section = arrangement.parents[item.id] if kind is Kind.SITE_SPACE else None
                if section is None or arrangement.items[section].default:
                    return item.id
        return None


def _form(*opens_with: Field) -> Form[UpdateSite]:
    return Form(
        "site-settings",
        UpdateSite,
        Field("title", required=True, read=lambda of: of.site.title),
        Field("visibility", "Visible to", choices=AUDIENCES, read=lambda of: of.site.visibility),
        "Address",
        Field("basename", "Name", says="Its part of the published address.", read=lambda of: of.site.basename),
        Field(
            "proxy",
            says="Serves the site under a path of another domain, such as example.org/docs. Empty removes it.",
            none="no proxy",
            read=lambda of: proxy_of(of.site),
        ),
        "Opens with",
        *opens_with,
        "Readers and agents",
        Field(
            "adaptive_content",
            says="On: conditions decide what each visitor sees. Off: everyone sees everything.",
            kind=FieldKind.SWITCH,
            read=lambda of: of.site.adaptive_content is not None and of.site.adaptive_content.enabled,
            write=lambda enabled: {"enabled": enabled},
        ),
        Field(
            "agents_context",
            "Agents",
            choices={"excluded": "agents cannot access the site", "included": "agents can access the site"},
            read=lambda of: of.site.agents_context,
        ),
    )


_SPACE = Field(
    "default_site_space", "Site space", kind=FieldKind.CHOICE, read=lambda of: of.default(Kind.SITE_SPACE) or ""
)
_SECTION = Field(
    "default_site_section", "Section", kind=FieldKind.CHOICE, read=lambda of: of.default(Kind.SECTION) or ""
)
_SETTINGS = _form(_SPACE)
_SETTINGS_WITH_SECTIONS = _form(_SECTION, _SPACE)


class SettingsTab(SiteTab):
    """The settings of a site."""

    BINDINGS = bindings("item.delete")

    def __init__(self, store: Store, address: SiteAddress) -> None:
        super().__init__(store, address, id="settings-tab")
        self._structure: Query[SiteStructure] = store.query(Structure.get_structure, *self.ids)
        self._form = FormPane(store, "Settings", id="site-settings")
        self._facts = FactList(id="site-facts")
        self.target = self._facts

    def compose(self) -> ComposeResult:
        """Compose the form, and the facts beside it."""
        with Ground(classes="columns"):
            yield self._form
            yield Pane(self.store, "Set by the platform", self._facts, id="site-facts-pane")

    def on_mount(self) -> None:
        """Follow the site and its structure."""
        self.follow(self._structure, self._show)
        self.follow(self.site, self._show)

    def take_focus(self) -> None:
        """Focus the form, or the pane beside it while the form is loading."""
        if self.site.value is not None:
            self._form.take_focus()
        else:
            super().take_focus()

    def reload(self) -> None:
        """Request everything shown again."""
        super().reload()
        self._structure.refresh()

    # Drawing

    def _show(self, _: Query[Any]) -> None:
        if not self._form.show_state(self.site, "the settings of the site") or self.site.value is None:
            return
        site, structure = self.site.value, self._structure.value
        self._facts.show(rows(self._fact_lines(site)))
        if structure is None and self._structure.error is None:
            return
        arrangement = Arrangement.of(structure) if structure is not None else Arrangement({}, {})
        form = _SETTINGS_WITH_SECTIONS if arrangement.sectioned and arrangement.items else _SETTINGS
        latest = Latest(Settings(site, arrangement), self._read_again)
        filling: Filling[UpdateSite, Site] = Filling(
            form,
            lambda body: self._submit(latest.value, body),
            thing=Settings(site, arrangement),
            choices=default_choices(arrangement),
            reread=latest,
            place=self.place(),
            reason=why_not_admin(site, self.organization.value),
        )
        self._form.fill((site.id, form is _SETTINGS), filling)
        self.refresh_bindings()

    def _fact_lines(self, site: Site) -> list[Line]:
        lines: list[Line] = [heading(site.title or site.id, site.id)]
        lines.append(fact("plan", site.type if not site.applied_type else f"{site.type} (paid: {site.applied_type})"))
        lines.append(fact("published", "yes" if site.published else "no"))
        lines.append(fact("host", site.hostname or "the organization's"))
        if site.proxy is not None and site.proxy.origin:
            lines.append(fact("proxy from", site.proxy.origin))
        if site.default_level:
            lines.append(fact("default level", str(site.default_level)))
        if site.created_at is not None:
            lines.append(fact("created", both(site.created_at, self.store.clock())))
        if site.ads is not None and site.ads.status:
            can = ", can be submitted" if site.ads.submittable else ""
            lines.append(fact("ads", f"{site.ads.status}{can}"))
        lines += [[], heading("Features", str(len(site.features)) if site.features else "none")]
        for feature in site.features:
            frozen_ = "frozen" if feature.frozen else ""
            more = ", ".join(filter(None, (feature.plan, frozen_, *feature.customizations)))
            lines.append([("· ", "faint"), (plain(feature.id), ""), (plain(f"  {more}"), "muted")])
        return lines

    # Changing

    async def _read_again(self) -> Settings:
        # Not what the form follows: the difference is to be shown before anything is sent.
        site = await self.store.call(Sites.get_site, *self.ids)
        return Settings(site, Arrangement.of(await self.store.call(Structure.get_structure, *self.ids)))

    async def _submit(self, now: Settings, body: UpdateSite) -> Outcome[Site] | None:
        site, change = now.site, update_site(self.address, now.site, body)
        if wider := consequences(site, now.arrangement, body):
            does, undo = "changes the settings", undo_of(change, site)
            question = ConfirmTitle("More people will see the site", *wider, named=site.title, does=does, undo=undo)
            if not await self.ask(question):
                return None
        return await self.send(change)

    def on_form_view_sent(self, event: FormView.Sent) -> None:
        """Show that the settings are changed."""
        event.stop()
        self.say(f"Changed the settings of “{event.value.title}”.")

    # Deleting

    def action_item_delete(self) -> None:
        """Delete the site, after its title is typed."""
        if (site := self.site.value) is not None:
            self.work(self._delete(site), "delete", unless_running="delete")

    async def _delete(self, site: Site) -> None:
        if await ask_and_delete(self, self.address, site):
            self.screen.post_message(GoUp())

    def why_not(self, action: str) -> str | None:
        """Return the reason why the site cannot be deleted."""
        if action == "item.delete" and self.site.value is None:
            return not_loaded("the site", self.site)
        return super().why_not(action)


def default_choices(arrangement: Arrangement) -> dict[str, list[Choice]]:
    """Return what a site can open with, by the field of the form; site spaces with their sections."""
    items = arrangement.items
    sections = [Choice(each.id, each.name, f"/{each.path}") for each in items.values() if each.kind is Kind.SECTION]
    spaces = []
    for _, item in arrangement.walk():
        if item.kind is Kind.SITE_SPACE:
            section = arrangement.parents[item.id]
            spaces.append(Choice(item.id, item.name, f"in “{items[section].name}”" if section is not None else ""))
    return {"default_site_section": sections, "default_site_space": spaces}


def consequences(site: Site, arrangement: Arrangement, body: UpdateSite) -> list[str]:
    """Return what more people see after a change, a sentence each; empty where the audience does not grow."""
    found = []
    if "visibility" in body.model_fields_set and WIDTH.get(body.visibility, 0) > WIDTH.get(site.visibility, 0):
        since = "From now on it is" if site.published else "Once published, it is"
        found.append(f"{since} open to {AUDIENCES[body.visibility]}.")
    adaptive = body.adaptive_content if "adaptive_content" in body.model_fields_set else None
    conditional = sum(item.condition is not None for item in arrangement.items.values())
    if adaptive is not None and not adaptive.enabled and conditional:
        found.append(f"{count(conditional, 'condition')} no longer count: what they hid is shown to everyone.")
    return found
