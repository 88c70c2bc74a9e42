"""Bars at the top and the bottom of a screen: title and status."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.cells import cell_len
from textual import events
from textual.content import Content
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive, reactive
from textual.screen import Screen
from textual.widget import Widget

from recto.frozen import frozen
from recto.tui.actions import GOING, Action, Offer, name_keys, offers
from recto.tui.look.lines import Line, Span, fit, plain, width_of, wrap
from recto.tui.look.text_roles import COLOURS

READ_ONLY = "read-only"

_BETWEEN = " › "


@frozen
class Whereabouts:
    """The platform, the person's name and role; each may be unknown."""

    platform: str = ""
    person: str = ""
    role: str = ""

    def forms(self) -> list[str]:
        """Return it in words, from the longest to the shortest."""
        role = f" ({self.role})" if self.role else ""
        first_name = self.person.partition(" ")[0]
        forms = [
            " · ".join(part for part in (self.platform, name) if part) + role
            for name in dict.fromkeys((self.person, first_name, ""))
        ]
        return [*forms, f"{self._short_platform}{role}"]

    @property
    def _short_platform(self) -> str:
        """The platform in a few cells: its host is cut, its port stays whole."""
        host, colon, port = self.platform.rpartition(":")
        if not (colon and port.isdigit() and len(port) <= _LONGEST_PORT):
            host, colon, port = self.platform, "", ""
        room = _SHORT_PLATFORM - len(colon + port)
        return "".join(text for text, _role in fit([(host, "")], room)) + colon + port


_SHORT_PLATFORM, _LONGEST_PORT = 14, 5
_LEAST_TRAIL, _SHORTEST_TRAIL = 24, 12
"""The fewest cells of the trail before whereabouts, and before a word about the place, are shown."""
_SHORTEST_WORD = 8
"""The cells below which a word about the place is left out; whereabouts matter more."""


class TitleBar(Widget):
    """A trail from the organization down to the current location, and a word about it at the right.

    Whereabouts, read-only mode, content from the cache and a platform that cannot be reached are named there, too.
    The trail comes first: the rest is shortened for it.
    """

    @frozen
    class Chosen(Message):
        """A part of the trail was clicked, that many steps before the last."""

        steps: int

    virtual_size = Reactive(Size(0, 0), repaint=False)  # a layout gives it, and needs no other layout for it

    trail: reactive[tuple[str, ...]] = reactive(())
    address: reactive[Span | None] = reactive(None)
    """The address of the content, in its own colour, after the trail."""
    aside: reactive[str] = reactive("")
    age: reactive[str] = reactive("")
    """Age of content from the cache."""
    under_way: reactive[str] = reactive("")
    """The running job, or a change that takes long."""
    offline: reactive[tuple[str, str]] = reactive(("", ""))
    """Since when, and why, the platform cannot be reached or refuses the token; empty if it can."""
    whereabouts: reactive[Whereabouts] = reactive(Whereabouts())

    def __init__(self) -> None:
        super().__init__()
        self._places: list[tuple[int, int]] = []
        """Where the parts of the trail begin and end, the last one first."""

    def on_click(self, event: events.Click) -> None:
        """Post which part of the trail was clicked."""
        offset = event.get_content_offset(self)
        for steps, (start, end) in enumerate(self._places):
            if offset is not None and start <= offset.x < end:
                self.post_message(self.Chosen(steps))

    def render(self) -> Content:
        """Render the trail; if it is too long its beginning is cut, since its end names the current place."""
        names = [plain(name) for name in self.trail]
        address = [(f"  {plain(self.address[0])}", f"${COLOURS[self.address[1]]}")] if self.address else []
        address = fit(address, self.size.width // 2)
        width = self.size.width - width_of(address)
        least = min(_LEAST_TRAIL, cell_len(_BETWEEN.join(["…", *names[-1:]])))
        aside = self._aside(cell_len(_BETWEEN.join(names)), width, least)
        room = width - (width_of(aside) + 2 if aside else 0)
        while len(names) > 1 and cell_len(_BETWEEN.join(names)) > room:
            names = ["…", *names[2:]] if names[0] == "…" and len(names) > 2 else ["…", *names[1:]]
            if len(names) == 2:
                break
        if names[:1] == ["…"]:
            # Whole names were dropped, which may leave more room than was missing.
            aside = self._lengthen(aside, width - cell_len(_BETWEEN.join(names)) - 2)
            room = width - (width_of(aside) + 2 if aside else 0)
        taken = width_of(aside)
        parts: list[tuple[str, str]] = []
        self._places = []
        x = 0
        for index, name in enumerate(names):
            last = index == len(names) - 1
            parts += [(_BETWEEN, "$faint")] if index else []
            parts.append((name, "bold $foreground" if last else "$muted"))
            x += cell_len(_BETWEEN) if index else 0
            self._places.insert(0, (x, x := x + cell_len(name)))
        parts = [*fit(parts, room), *address]
        if aside:
            parts += [(" " * (self.size.width - width_of(parts) - taken), ""), *aside]
        return Content.assemble(*parts)

    def _aside(self, trail: int, width: int, least: int) -> list[tuple[str, str]]:
        """Return the right part, as long as fits beside a trail of so many cells in a width.

        ``least`` are the cells of the trail that stay before the reason why the platform cannot be reached is left out.
        """
        since, why = self.offline
        forms = [form for form in self.whereabouts.forms() if form] or [""]
        both = f"{since}: {why}" if since else ""
        if since:
            tries = [*((both, form) for form in forms), (both, ""), (since, forms[-1]), (since, "")]
        else:
            tries = [("", form) for form in forms]
        for offline, form in tries:
            aside = self._parts(offline, form)
            if trail + 2 + width_of(aside) <= width:
                return aside
            if since and (offline, form) == (both, "") and width - 2 - width_of(aside) >= least:
                return aside  # the reason matters more than the beginning of the trail
        if width - 2 - width_of(aside) >= _LEAST_TRAIL:
            return aside
        for form in forms[1:] or forms:
            left = width - 2 - width_of(self._parts(since, form, 0))
            if form and left >= min(trail, _SHORTEST_TRAIL):
                room = left - 2 - min(trail, _LEAST_TRAIL)
                return self._parts(since, form, room if room >= _SHORTEST_WORD else 0)
        aside = self._parts(since, "")
        lacking = min(trail, _SHORTEST_TRAIL) + 2 + width_of(aside) - width
        return aside if lacking <= 0 else self._parts(since, "", max(0, cell_len(plain(self.aside)) - lacking))

    def _lengthen(self, aside: list[tuple[str, str]], room: int) -> list[tuple[str, str]]:
        """Return the right part with as much of the whereabouts, then of the word, as fits."""
        for form in self.whereabouts.forms() if not any(self.offline) else ():
            left = room - width_of(self._parts("", form, 0)) - 2
            if left >= -2:
                return self._parts("", form, left if left >= _SHORTEST_WORD else 0)
        return aside

    def _parts(self, offline: str, whereabouts: str, most: int | None = None) -> list[tuple[str, str]]:
        """Return the right part; ``most`` is how many cells the word about the place may take."""
        read_only = READ_ONLY if getattr(self.app, "read_only", False) else ""
        texts = [
            *((plain(self.under_way), "$accent"), (self._word(most), "$muted")),
            *((plain(offline), "$warning"), (self.age, "$warning")),
            *((read_only, "$warning"), (plain(whereabouts), "$faint")),
        ]
        found: list[tuple[str, str]] = []
        for text, style in texts:
            if text:
                found += [*([("  ", "")] if found else []), (text, style)]
        return found

    def _word(self, most: int | None) -> str:
        word = plain(self.aside)
        return word if most is None or not word else "".join(text for text, _ in fit([(word, "")], most))


_ENDS = frozenset({"arrange.apply", "conflict.apply"})
_FIRST = ("list.open", "page.edit", "item.change", "item.new")
_ALWAYS = ("app.palette", "app.help")
_OF_SCREENS = ("view.up", "view.quit", "app.help")
_GAP = 2

GIVES_UP = "‹view.escape›"
"""The key that gives up waiting."""


class StatusBar(Widget):
    """The keys of the present actions with a short word each; news at the right.

    In a dialog, which has few keys, actions that cannot be done yet are dimmed instead of hidden.
    """

    virtual_size = Reactive(Size(0, 0), repaint=False)  # a layout gives it, and needs no other layout for it

    news: reactive[str] = reactive("")
    """A short word on the state of things: ``saving``, ``offline``."""

    reason: reactive[str] = reactive("")
    """Why the last key did nothing; shown in place of the keys until the next key, on as many lines as needed."""

    waiting: reactive[str] = reactive("")
    """The wait that the platform asked for; shown in place of the keys until it is over or given up."""

    def __init__(self) -> None:
        super().__init__()
        self._places: list[tuple[int, int, Offer]] = []
        self._offered: list[Offer] | None = None
        """The line as drawn; ``None`` before that."""
        self._checks = False
        """Whether it is about to be looked whether the line is still true."""

    def on_mount(self) -> None:
        """Follow the focus."""
        self.screen.bindings_updated_signal.subscribe(self, self._bindings_changed)

    def _bindings_changed(self, _screen: Screen[Any]) -> None:
        # Collecting the offered actions takes a while, and while a view is made its bindings change again and again.
        if self._offered is not None and not self._checks:
            # Once for all changes until what is under way is painted, which may draw the line, too.
            self._checks = True
            self.call_after_refresh(self._check)

    def _check(self) -> None:
        self._checks = False
        if self.is_attached and self._offers_now() != self._offered:
            self.refresh()

    def _offers_now(self) -> list[Offer]:
        shown = offers(self.screen, hinted=True) if self.screen.is_attached else []
        if self._is_in_dialog:
            # A dialog is closed with esc, not left by going up.
            return [offer for offer in shown if offer.action.name not in _OF_SCREENS]
        return [offer for offer in shown if offer.reason is None]

    @property
    def _is_in_dialog(self) -> bool:
        return self.screen.is_attached and self.screen.is_modal

    def validate_news(self, news: str) -> str:
        """Name the keys in force."""
        return name_keys(self, news)

    def validate_reason(self, reason: str) -> str:
        """Name the keys in force."""
        return name_keys(self, reason)

    def watch_reason(self) -> None:
        """Resize for the reason."""
        self.styles.height = self.lines

    @property
    def lines(self) -> int:
        """The number of lines that the reason needs."""
        return len(self._wrap_reason())

    def _wrap_reason(self) -> Sequence[Line]:
        return wrap([(self.reason, "$warning")], self.size.width)

    def render(self) -> Content:
        """Render as many keys as fit."""
        if self.waiting:
            self._places = []
            return Content.assemble(
                (plain(self.waiting), "$warning"),
                " " * _GAP,
                (name_keys(self, GIVES_UP), "bold $accent"),
                " ",
                ("gives up", "$muted"),
            )
        if self.reason:
            self._places = []
            return Content("\n").join(Content.assemble(*line) for line in self._wrap_reason())
        hinted = self._offered = self._offers_now()
        last = [offer for offer in hinted if offer.action.name in _ALWAYS]
        first = [offer for offer in hinted if offer.action.name not in _ALWAYS]
        first.sort(key=lambda offer: (offer.reason is not None, _rank(offer.action)))
        news = plain(self.news)
        room = self.size.width - (cell_len(news) + _GAP if news else 0)
        room -= sum(_width(offer) + _GAP for offer in last)
        shown: list[Offer] = []
        for offer in first:
            if (width := _width(offer) + _GAP) <= room:
                room -= width
                shown.append(offer)
        return self._lay_out([*shown, *last], news)

    def _lay_out(self, shown: list[Offer], news: str) -> Content:
        parts: list[tuple[str, str] | str] = []
        self._places = []
        x = 0
        for offer in shown:
            able = offer.reason is None
            parts += [(offer.key, "bold $accent" if able else "$faint"), " "]
            parts += [(offer.action.hint, "$muted" if able else "$faint"), " " * _GAP]
            self._places.append((x, x + _width(offer), offer))
            x += _width(offer) + _GAP
        if news:
            parts += [" " * (self.size.width - x - cell_len(news)), (news, "$muted")]
        return Content.assemble(*parts)

    async def on_click(self, event: events.Click) -> None:
        """Run the action of the key that was clicked."""
        for start, end, offer in self._places:
            if start <= event.x < end:
                await self.app.run_action(offer.action.method, offer.node)


def _rank(action: Action) -> int:
    """Return the place of an action among those of the line; what cannot be done now comes after all."""
    if action.name in _ENDS:
        return 0  # actions that end work that has begun
    if action.name in _FIRST:
        return 1 + _FIRST.index(action.name)
    if action.name == "list.find":
        return 9  # it works in all lists
    return 10 if action.group == GOING else 8


def _width(offer: Offer) -> int:
    return cell_len(offer.key) + 1 + cell_len(offer.action.hint)
