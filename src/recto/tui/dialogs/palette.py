"""Every action by its name, with its key; one that cannot be done here says why."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from recto.frozen import frozen
from recto.tui import actions
from recto.tui.actions import Offer
from recto.tui.dialogs.choose import Finder, Scored
from recto.tui.look import lines
from recto.tui.look.lines import Line, Span

_GENERAL = {actions.GOING: 1, actions.MOVING: 2}
"""Actions that every screen has come after those of this screen."""


@frozen
class Entry:
    """An action in the palette, and its offer where it is offered."""

    action: actions.Action
    offer: Offer | None

    @property
    def reason(self) -> str:
        """Why it cannot be done here and now, or nothing."""
        if self.offer is None:
            return "not on this screen"
        return self.offer.reason or ""


def entries(offered: Iterable[Offer]) -> list[Entry]:
    """Return all actions: first those that can be done, then those offered that cannot, then those of other views."""
    by_name = {offer.action.name: offer for offer in offered}
    found = [Entry(action, by_name.get(action.name)) for action in actions.registered() if action.in_palette]
    return sorted(
        found, key=lambda entry: (entry.offer is None, bool(entry.reason), _GENERAL.get(entry.action.group, 0))
    )


class Palette(Finder[Entry, Offer]):
    """Answers the offer to take up."""

    def __init__(self, offered: Iterable[Offer]) -> None:
        super().__init__("Actions", entries(offered), placeholder="name of an action")

    def text_of(self, item: Entry) -> str:
        """Return title and name, so that either finds it."""
        return f"{item.action.title} {item.action.name}"

    def draw(self, item: Entry, width: int) -> Line:
        """Draw the title, then the reason against it or its group, and the key."""
        keys = item.offer.keys if item.offer else item.action.keys
        role = "faint" if item.reason else ""
        right: list[Span] = [(lines.plain(item.reason or item.action.group), "faint" if item.reason else "muted")]
        right.append((f"{actions.keys_label(keys[:2]):>10}", "faint" if item.reason else "accent"))
        return lines.beside([(item.action.title, role)], right, width)

    def ordered(self, found: Sequence[Scored[Entry]]) -> list[Entry]:
        """Put the actions that can be done before those that cannot."""
        return sorted(super().ordered(found), key=lambda entry: bool(entry.reason))

    def answer(self, item: Entry) -> Offer | None:
        """Return the offer."""
        return item.offer

    def choose(self, item: Entry) -> None:
        """Answer with the offer, or say why it cannot be taken up."""
        if item.reason:
            self.notify(f"{item.action.title}: {item.reason}.", markup=False)
        else:
            super().choose(item)
