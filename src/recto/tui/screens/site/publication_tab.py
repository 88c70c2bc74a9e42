"""The tab with a site's publication: publish, unpublish, and the structure as a visitor gets it."""

from __future__ import annotations

from typing import TYPE_CHECKING
from urllib.parse import parse_qs, urlsplit

from textual.app import ComposeResult

from recto.client.errors import NotFound
from recto.contract.publishing import Checkout, PublishedSite, Publishing
from recto.contract.sites import Site
from recto.document.text import count
from recto.store.arrangement import Arrangement, Kind
from recto.store.sites import publish_site, unpublish_site
from recto.tui import actions
from recto.tui.actions import Action, bindings, not_loaded
from recto.tui.dialogs.confirm import UNDO, Confirm
from recto.tui.dialogs.prompt import PromptLine
from recto.tui.forms.role_words import AUDIENCES
from recto.tui.lists.fact_list import FactList
from recto.tui.lists.tree_list import TreeList
from recto.tui.look import signs
from recto.tui.look.fact_rows import fact, heading, rows
from recto.tui.look.lines import Line
from recto.tui.navigation.url_locations import for_browser
from recto.tui.screens.pane import Pane
from recto.tui.screens.site.structure import describe_in, rows_of
from recto.tui.screens.site.tab import SiteTab
from recto.tui.widgets.line_view import Ground

if TYPE_CHECKING:
    from recto.store.query import Query
    from recto.store.rearranging import SiteAddress
    from recto.store.store import Store

_GROUP = "Site"

actions.register(
    Action("site.publish", "Publish, or unpublish", ("P",), _GROUP, "publish", writes=True),
    Action("site.visit_with", "See it with a share key or a visitor's token", ("w",), _GROUP, "with a key"),
)


class VisitorPane(Pane):
    """The published structure as a visitor gets it."""

    def __init__(self, store: Store, site: SiteAddress) -> None:
        self._tree = TreeList(leads=False, id="published")
        super().__init__(store, "As a visitor gets it", self._tree, id="visitor")
        self._site = site
        self.key: str | None = None
        """The share key or token with which the site is seen."""
        self._published = self._query_published()

    def on_mount(self) -> None:
        """Follow the publication."""
        self.follow_instead("published", self._show, self._published)

    def show_with_key(self, key: str | None) -> None:
        """Show what the holder of a share key, or of a visitor's token, gets."""
        self.key = key
        self._published = self._query_published()
        self.follow_instead("published", self._show, self._published)

    def _query_published(self) -> Query[PublishedSite]:
        return self.store.query(Publishing.get_published_site, self._site.organization, self._site.id, self.key)

    def reload(self) -> None:
        """Request it again."""
        self._published.refresh()

    def _show(self, query: Query[PublishedSite]) -> None:
        if isinstance(query.error, NotFound):
            self.entitle("As a visitor gets it")
            self.show_empty("Not published: visitors get nothing.", "P", "publishes it")
            return
        if not self.show_state(query, "the published site") or query.value is None:
            return
        arrangement = Arrangement.of(query.value.structure)
        kinds = [item.kind for item in arrangement.items.values()]
        counted = [count(kinds.count(kind), kind.word) for kind in Kind if kinds.count(kind)]
        self.entitle("As a visitor gets it", ", ".join(counted), "with a key" if self.key else "without a key")
        items = rows_of(arrangement, describe_in(arrangement))
        self._tree.open_items(*arrangement.items)
        self._tree.show_items(items)
        if not items:
            self.show_empty("Nothing of the site is shown to this visitor.")


class PublicationTab(SiteTab):
    """Publication of a site, and the published structure."""

    BINDINGS = bindings("site.publish", "site.visit_with", "item.open_in_browser", "item.copy_link")

    def __init__(self, store: Store, address: SiteAddress) -> None:
        super().__init__(store, address, id="publication-tab")
        self._visitor = VisitorPane(store, address)
        self._facts = FactList(id="publication-facts")
        self.target = self._visitor.target

    def compose(self) -> ComposeResult:
        """Compose the published structure, and the facts beside it."""
        with Ground(classes="columns"):
            yield self._visitor
            yield Pane(self.store, "Publication", self._facts, id="publication")

    def on_mount(self) -> None:
        """Follow the site."""
        self.follow(self.site, self._show)

    def _show(self, query: Query[Site]) -> None:
        site = query.value
        if site is None:
            reason = str(query.error) if query.error is not None else "Loading the site…"
            self._facts.show(rows([[(reason, "muted")]]))
            return
        visibility = signs.sign(signs.VISIBILITY, site.visibility)
        lines: list[Line] = [heading("Published" if site.published else "Not published")]
        lines.append(fact("visible to", AUDIENCES.get(site.visibility, visibility.word)))
        if self._published:
            lines.append(fact("address", self._published))
        if site.hostname:
            lines.append(fact("host", site.hostname))
        if site.adaptive_content is not None and site.adaptive_content.enabled:
            lines.append(fact("adaptive", "conditions decide what each visitor sees"))
        refused = self.why_not("site.publish")
        does = f"  {'unpublishes' if site.published else 'publishes'} it" + (f": {refused}" if refused else "")
        lines += [[], [("P", "faint" if refused else "accent"), (does, "muted")]]
        self._facts.show(rows(lines))
        self.refresh_bindings()

    def reload(self) -> None:
        """Request everything shown again."""
        super().reload()
        self._visitor.reload()

    # Actions

    def word(self, action: Action) -> Action:
        """Return the title of publishing: it publishes or unpublishes the site."""
        site = self.site.value
        if action.name != "site.publish" or site is None:
            return action
        return action.reword("Unpublish" if site.published else "Publish")

    def action_site_publish(self) -> None:
        """Publish the site, or unpublish it, after asking."""
        if (site := self.site.value) is not None:
            self.work(
                self._unpublish(site) if site.published else self._publish(site), "publish", unless_running="publish"
            )

    async def _publish(self, site: Site) -> None:
        says = f"“{site.title}” will be read by {AUDIENCES.get(site.visibility, site.visibility)}."
        held = count(site.site_spaces, "space") if site.site_spaces else "nothing yet"
        question = Confirm("Publish the site", says, f"It holds {held}.", does="publishes it", undo=UNDO)
        if await self.ask(question):
            mutation = publish_site(self.address, site.title)
            outcome = await self.send(mutation)
            if outcome.error is not None:
                self.say_failed(outcome.error)
            elif isinstance(outcome.value, Checkout):
                self.say(
                    "Not published: the platform asks for payment first. Finish it in the web app"
                    " (‹item.open_in_browser› opens it)."
                )
            else:
                self.say(f"{mutation.done}.")
            self._visitor.reload()

    async def _unpublish(self, site: Site) -> None:
        says = f"“{site.title}” can no longer be read by its visitors."
        more = "Its addresses and share links stop working until it is published again."
        if await self.ask(Confirm("Unpublish the site", says, more, does="unpublishes it", undo=UNDO)):
            await self.carry_out(unpublish_site(self.address, site.title))
            self._visitor.reload()

    def action_site_visit_with(self) -> None:
        """Ask for a share key or a token, and show what its holder gets."""
        self.work(self._visit_with(), "visit", instead_of="visit")

    async def _visit_with(self) -> None:
        says = "A share key, the address of a share link, or a visitor's signed token; empty is without a key."
        key, draft = self._visitor.key or "", self.store.line_drafts.of("key", self.address.id)
        line = PromptLine("See it with a key", key, label="Key", required=False, says=says, draft=draft)
        if (typed := await self.ask(line)) is not None:
            draft.discard()
            self._visitor.show_with_key(share_key(typed))

    def action_item_open_in_browser(self) -> None:
        """Open the published site, else the site in the web app."""
        if address := self._published or self._in_app:
            self.app.open_url(address)

    def action_item_copy_link(self) -> None:
        """Copy the published address, else that of the site in the web app."""
        if address := self._published or self._in_app:
            self.app.copy_to_clipboard(address)
            self.say(f"Copied {address}")

    @property
    def _published(self) -> str | None:
        return for_browser(self.site.value.urls.published if self.site.value is not None else None)

    @property
    def _in_app(self) -> str | None:
        return for_browser(self.site.value.urls.app if self.site.value is not None else None)

    def why_not(self, action: str) -> str | None:
        """Return the reason why an action cannot be done now."""
        if (reason := super().why_not(action)) is not None:
            return reason
        if action == "site.publish" and self.site.value is None:
            return not_loaded("the site", self.site)
        if action == "site.publish" and (
            self.store.lacks(Publishing.publish_site) or self.store.lacks(Publishing.unpublish_site)
        ):
            return "this server cannot publish sites"
        if action in ("item.open_in_browser", "item.copy_link") and not (self._published or self._in_app):
            is_published = self.site.value is not None and self.site.value.published
            return "its address is not on the web" if is_published else "not published"
        return None


def share_key(typed: str) -> str | None:
    """Return the key in what a person types: itself, or that of the address of a share link; ``None`` for nothing.

    Addresses have it as their parameter ``shareKey``, or as the last part of their path.
    """
    typed = typed.strip()
    if not typed.startswith(("https://", "http://")):
        return typed or None
    try:
        parts = urlsplit(typed)
    except ValueError:  # such as https://[docs
        return typed
    named = parse_qs(parts.query).get("shareKey")
    return named[0] if named else parts.path.rstrip("/").rpartition("/")[2] or None
