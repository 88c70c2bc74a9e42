"""The pane beside a site's structure: staged or running moves, the item under the cursor, and the site."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from recto.contract.sites import Site, Sites
from recto.document.text import count
from recto.store.arrangement import Arrangement, Item, Kind, address_of
from recto.tui.dialogs.confirm_moves import address_lines
from recto.tui.lists.virtual_list import FactList
from recto.tui.look import signs
from recto.tui.look.fact_rows import fact, heading, rows
from recto.tui.look.lines import Line, plain
from recto.tui.look.times import both
from recto.tui.navigation.url_locations import for_browser
from recto.tui.screens.pane import Pane

if TYPE_CHECKING:
    from recto.store.progress import Progress
    from recto.store.query import Query
    from recto.store.rearranging import SiteAddress
    from recto.store.staging import Staging
    from recto.store.store import Store
    from recto.tui.screens.applied_moves import AppliedMoves


class StructureFacts(Pane):
    """The moves, the item under the cursor, and the site."""

    def __init__(self, store: Store, site: SiteAddress) -> None:
        self._facts = FactList(id="facts")
        super().__init__(store, "About", self._facts, id="about")
        self._address = site
        self._of_structure: list[Line] = []

    def on_mount(self) -> None:
        """Follow the site."""
        self._site: Query[Site] = self.store.query(Sites.get_site, self._address.organization, self._address.id)
        self.follow(self._site, lambda _: self._show())

    def show_structure(self, moves: AppliedMoves, item: Item | None) -> None:
        """Show the moves and the item under the cursor."""
        staging, run, conduct = moves.staging, moves.run, moves.conduct
        found: list[Line] = []
        if run is not None and conduct is not None:
            found += progress_lines(run.mutation.doing, conduct.latest, [step.sentence for step in conduct.steps])
        elif staging is not None:
            found += staged_lines(staging)
        if staging is not None and item is not None:
            found += item_lines(staging.arrangement, item)
        self._of_structure = found
        self._show()

    def _show(self) -> None:
        found = list(self._of_structure)
        if self._site.value is not None:
            found += site_lines(self._site.value, self.store.clock())
        elif self._site.error is not None:
            found += [heading("The site could not be loaded"), [(plain(str(self._site.error)), "error")]]
            found += [[("r", "accent"), (" tries again", "muted")]]
        self._facts.show(rows(found))


def staged_lines(staging: Staging) -> list[Line]:
    """Return the staged moves and the addresses that change with them."""
    if not staging.moves:
        return []
    total = len(staging.steps)
    lines: list[Line] = [heading("Staged", f"{count(len(staging.moves), 'move')}, not applied yet")]
    lines += [[("→ ", "changed"), (plain(one.sentence), "")] for one in staging.moves]
    if not total:
        lines.append([("Together these moves change nothing.", "muted")])
    lines += address_lines(staging.new_addresses) or [[("No address changes.", "muted")]]
    return [*lines, []]


def progress_lines(doing: str, progress: Progress | None, steps: Sequence[str]) -> list[Line]:
    """Return the progress of running moves."""
    done = progress.done if progress else 0
    lines: list[Line] = [heading(doing, f"{done} of {len(steps)}")]
    for index, step in enumerate(steps):
        sign, role = ("✓ ", "success") if index < done else ("… ", "accent") if index == done else ("· ", "faint")
        lines.append([(sign, role), (plain(step), "" if index <= done else "muted")])
    return [*lines, []]


def item_lines(arrangement: Arrangement, item: Item) -> list[Line]:
    """Return the facts about an item."""
    lines: list[Line] = [heading(item.name, item.kind.word)]
    if item.kind is Kind.OTHER:
        return [*lines, [("This version does not know this kind of item. It stays where it is.", "muted")], []]
    if item.description:
        lines.append([(plain(item.description), "muted")])
    if item.path:
        lines.append(fact("path", item.path))
    if item.url:
        lines.append(fact("leads to", item.url))
    if item.kind is Kind.SITE_SPACE:
        lines.append(fact("read at", address_of(arrangement, item)))
    if item.published:
        lines.append(fact("address", item.published))
    if item.default:
        where = "its section" if item.kind is Kind.SITE_SPACE and arrangement.parents[item.id] else "the site"
        lines.append(fact("default", f"{where} opens with it"))
    if item.kind is not Kind.GROUP:
        lines.append(fact("shown to", f"visitors for whom {item.condition}" if item.condition else "everyone"))
    if item.titles:
        lines.append(fact("title", ", ".join(f"{title} ({language})" for language, title in item.titles)))
    if item.hidden:
        lines.append(fact("hidden", "not in the navigation"))
    if item.draft:
        lines.append(fact("draft", "not published with the site"))
    if item.kind in (Kind.GROUP, Kind.SECTION):
        lines.append(fact("holds", _holds(arrangement, item)))
    return [*lines, []]


def _holds(arrangement: Arrangement, item: Item) -> str:
    kinds = [arrangement.items[id].kind for id in arrangement.under(item.id)]
    parts = [count(kinds.count(kind), kind.word) for kind in Kind if kinds.count(kind)]
    return ", ".join(parts) or "nothing yet"


def site_lines(site: Site, at: datetime) -> list[Line]:
    """Return the facts about the site."""
    visibility = signs.sign(signs.VISIBILITY, site.visibility)
    lines: list[Line] = [heading(site.title or site.id, "site")]
    lines.append(fact("visible to", visibility.word))
    lines.append(fact("published", "yes" if site.published else "no"))
    for name, address in (
        ("address", for_browser(site.urls.published)),
        ("host", site.hostname),
        ("name", site.basename),
    ):
        if address:
            lines.append(fact(name, address))
    if site.proxy and site.proxy.target:
        lines.append(fact("proxy", site.proxy.target))
    lines.append(fact("spaces", str(site.site_spaces)))
    if site.adaptive_content and site.adaptive_content.enabled:
        lines.append(fact("adaptive", "visitors see different content"))
    if site.created_at:
        lines.append(fact("made", both(site.created_at, at)))
    return lines
