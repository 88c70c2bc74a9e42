"""All actions by name, with their keys, and places; actions that cannot be done here say why."""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Sequence

from rich.cells import cell_len

from recto.frozen import frozen
from recto.store.locations import Location
from recto.tui import actions
from recto.tui.actions import Action, Offer
from recto.tui.dialogs.choose import FinderDialog, Scored
from recto.tui.dialogs.fuzzy import Fuzzy, fold
from recto.tui.dialogs.help import title_of
from recto.tui.dialogs.jump import Target
from recto.tui.look import lines
from recto.tui.look.lines import Line, Span

_ALSO = {
    "app.console": "request endpoint curl json operations",
    "app.help": "shortcuts bindings",
    "app.jump": "open switch",
    "app.quit": "exit",
    "app.settings": "preferences options configuration colors colours keys mouse polling dates",
    "arrange.apply": "save commit",
    "arrange.lift": "move drag reorder rearrange",
    "change.redo": "again repeat",
    "change.undo": "revert take back",
    "item.copy_link": "address url share",
    "item.delete": "remove discard trash",
    "item.new": "add create page space section",
    "item.open_in_browser": "web",
    "item.rename": "title subject",
    "organization.import": "folder markdown upload",
    "page.edit": "write change text",
    "page.edit_here": "write change text",
    "request.merge": "publish release",
    "request.reviewers": "ask assign",
    "request.status": "close archive reopen draft",
    "request.update": "pull sync rebase",
    "revision.revert": "undo take back rollback restore",
    "review.comment": "remark note",
    "review.submit": "approve request changes verdict",
    "space.choose_address": "branch switch change request main",
    "space.comment": "remark note discuss",
    "space.facts": "info details metadata",
    "space.links": "references backlinks",
    "space.outline": "contents headings toc",
    "space.search": "find words text",
    "thread.react": "emoji like",
    "thread.resolve": "close done",
    "view.quit": "exit back leave close",
    "view.refresh": "reload update",
    "view.up": "back parent",
}
"""Other words for an action."""

_PLACE = "place"
_PLACES = frozenset({"app.settings"})
"""Actions that lead to a place which has no address."""

_BY_WORDS = 100.0
"""The least score of a match at the beginnings of words; fuzzy matches have less."""

_LEAST_REASON = 20
"""The cells that a reason has at least, however long the title is."""

_WORD = re.compile(r"[^\W_]+")


@frozen
class PaletteEntry:
    """An action in the palette, and its offer where it is offered."""

    action: Action
    offer: Offer | None

    @property
    def title(self) -> str:
        """The title, that of a tab its name."""
        return title_of(self.offer) if self.offer is not None else self.action.title

    @property
    def reason(self) -> str:
        """Why it cannot be done here and now, or nothing."""
        return self.action.elsewhere if self.offer is None else self.offer.reason or ""


def entries(offered: Iterable[Offer]) -> list[PaletteEntry]:
    """Return all actions: first what can be done here, then what cannot, last what moves the cursor."""
    by_name = {offer.action.name: offer for offer in offered}
    found = [
        PaletteEntry(action, by_name.get(action.name))
        for action in actions.all_actions()
        if action.in_palette or (action.name.startswith("view.tab_") and action.name in by_name)
    ]
    return sorted(found, key=_rank)


def _rank(item: PaletteEntry | Target) -> tuple[bool, int, bool, bool]:
    if isinstance(item, Target):
        return False, 0, True, True
    # An action of this place that cannot act now is nearer than one of another place.
    distance = 0 if not item.reason else 2 if item.offer is None else 1
    return item.action.group == actions.MOVING, distance, item.action.group == actions.GOING, False


FindPlaces = Callable[[], Awaitable[Sequence[Target]]]


class Palette(FinderDialog[PaletteEntry | Target, Offer | Location]):
    """Asks for an action or a place; answers the offer to run, or the location to go to."""

    def __init__(self, offered: Iterable[Offer], find_places: FindPlaces | None = None) -> None:
        super().__init__("Actions", entries(offered), placeholder="name of an action, or of a place")
        self._find_places = find_places

    def on_mount(self) -> None:
        """Request the places."""
        if self._find_places is not None:
            self.run_worker(self._add_places(self._find_places), "places", exit_on_error=False)

    async def _add_places(self, find: FindPlaces) -> None:
        self.add(await find())

    def text_of(self, item: PaletteEntry | Target) -> str:
        """Return the words by which an item is found."""
        if isinstance(item, Target):
            return f"{item.title} {item.where}"
        return f"{item.title} {item.action.name} {_ALSO.get(item.action.name, '')}"

    def score(self, query: Fuzzy, item: PaletteEntry | Target) -> float:
        """Rate matches of the beginnings of words above scattered letters, those in the title highest."""
        wanted = [part for word in query.words for part in _WORD.findall(word)]
        title = _WORD.findall(fold(item.title))
        words = [*title, *_WORD.findall(fold(self.text_of(item)))]
        if wanted and all(any(word.startswith(each) for word in words) for each in wanted):
            in_title = sum(any(word.startswith(each) for word in title) for each in wanted)
            whole = sum(each in words for each in wanted)
            first = bool(title) and title[0].startswith(wanted[0])
            return _BY_WORDS + 10 * in_title / len(wanted) + 5 * whole / len(wanted) + first - len(title) / 100
        return query.score(item.title)

    def order(self, found: Sequence[Scored[PaletteEntry | Target]]) -> list[PaletteEntry | Target]:
        """Put matches of words first, then what can be done here, and what moves the cursor last."""
        return [item for _score, item in sorted(found, key=lambda each: (each[0] < _BY_WORDS, *_rank(each[1])))]

    def draw(self, item: PaletteEntry | Target, width: int) -> Line:
        """Draw the title, then the reason against it or its group, and the key."""
        if isinstance(item, Target):
            left: list[Span] = [(lines.plain(item.title), ""), (f"  {lines.plain(item.where)}", "muted")]
            return lines.beside(left, [(_PLACE, "muted"), (" " * 10, "")], width)
        keys = item.offer.keys if item.offer else item.action.keys
        role = "faint" if item.reason else ""
        group = _PLACE if item.action.name in _PLACES else item.action.group
        key = f"  {actions.keys_label(keys[:2]):>8}"
        room = max(_LEAST_REASON, width - cell_len(item.title) - cell_len(key) - 1)
        right = lines.fit(
            [(lines.plain(actions.name_keys(self, item.reason or group)), "faint" if item.reason else "muted")], room
        )
        right.append((key, "faint" if item.reason else "accent"))
        return lines.beside([(item.title, role)], right, width)

    def choose(self, item: PaletteEntry | Target) -> None:
        """Answer with the offer or the location, or show why the action cannot be done."""
        if isinstance(item, PaletteEntry) and item.reason:
            self.explain(actions.sentence(item.action, item.reason))
        else:
            self.dismiss(item.location if isinstance(item, Target) else item.offer)
