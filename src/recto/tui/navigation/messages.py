"""Going from screen to screen: where a start begins, and the messages by which screens ask to go."""

from __future__ import annotations

from dataclasses import dataclass

from textual.message import Message

from recto.store.locations import Location


@dataclass(frozen=True, slots=True)
class Beginning:
    """Where a start begins, and the text of the dialog shown there."""

    location: Location
    title: str = ""
    lines: tuple[str, ...] = ()


class Go(Message):
    """Asks to go to a location: on top of the screen shown, or ``instead`` of it."""

    def __init__(self, location: Location, *, instead: bool = False) -> None:
        super().__init__()
        self.location = location
        self.instead = instead


class GoBack(Message):
    """Asks to go back; with ``quit``, to leave the program where there is no screen to go back to."""

    def __init__(self, *, quit: bool = False) -> None:
        super().__init__()
        self.quit = quit


class GoPrevious(Message):
    """Asks for the screen shown before this one."""
