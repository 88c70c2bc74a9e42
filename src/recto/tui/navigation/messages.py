"""Messages of navigation, the start, and what a screen may have that matters there."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, runtime_checkable

from textual.message import Message

from recto.frozen import frozen
from recto.store.locations import Location

if TYPE_CHECKING:
    from collections.abc import Sequence

    from textual.screen import Screen

    from recto.store.drafts import DraftPlace
    from recto.store.query import Query


@frozen
class Beginning:
    """The first location of a start, and the text of the dialog shown there."""

    location: Location
    title: str = ""
    lines: tuple[str, ...] = ()


@frozen
class Arrival:
    """What to do once on arrival: the name of an action, the block to go to, and words to mark."""

    action: str = ""
    block: Block | None = None
    words: str = ""


@frozen
class Block:
    """A block of a page: the line of the source under the cursor, counted from 0, and that source.

    The page may differ at the destination: the corresponding line counts there.
    """

    line: int
    source: str


class Go(Message):
    """Asks to go to a location: on top of the present screen, or ``instead`` of a view if that is on top.

    ``reason`` is shown there.
    """

    def __init__(
        self,
        location: Location,
        *,
        instead: Screen[Any] | None = None,
        arrival: Arrival | None = None,
        reason: str = "",
    ) -> None:
        super().__init__()
        self.location = location
        self.instead = instead
        self.arrival = arrival
        self.reason = reason


class GoUp(Message):
    """Asks to go to the parent in the breadcrumb; with ``quit``, to leave the program at the top."""

    def __init__(self, *, quit: bool = False) -> None:
        super().__init__()
        self.quit = quit


class GoPrevious(Message):
    """Asks for the location visited before."""


class GoForward(Message):
    """Asks for the location from which the person went back."""


class Visited(Message):
    """A screen shows a location that ``-`` leads back to."""

    def __init__(self, location: Location) -> None:
        super().__init__()
        self.location = location


class Left(Message):
    """A screen leaves a location, at the position to come back to."""

    def __init__(self, location: Location) -> None:
        super().__init__()
        self.location = location


@runtime_checkable
class HasUnsent(Protocol):
    """A screen on which text may be typed and not sent; the app asks before it quits."""

    @property
    def unsent(self) -> str | None:
        """The text, as a noun (``2 comments``); ``None`` where all is sent."""


@runtime_checkable
class HasStaged(Protocol):
    """A screen with changes that are saved nowhere; the app asks before it quits."""

    @property
    def staged(self) -> str | None:
        """The changes, as a noun (``3 staged moves``); ``None`` without any."""

    @property
    def may_close(self) -> bool:
        """Whether no changes are staged or being made; else the screen stays open below the others."""


@runtime_checkable
class HasPages(Protocol):
    """A screen with pages, each of which may be gone, or in sight."""

    def lacks_page(self, page: str) -> bool:
        """Whether a page is known to be gone, so that ``-`` passes over it."""

    def shows_place(self, place: DraftPlace) -> bool:
        """Whether what a change was about is on the screen, so that undo need not ask."""


class AskingForm(Protocol):
    """A form on a screen, which asks before its changes are lost."""

    @property
    def asks(self) -> bool:
        """Whether it has changes that are not saved."""

    @property
    def has_draft(self) -> bool:
        """Whether its changes are kept as a draft."""

    @property
    def changes(self) -> str:
        """The changes, as a noun."""

    async def ask_to_leave(self) -> bool:
        """Ask what becomes of the changes; false where the person stays."""


@runtime_checkable
class HasTabs(Protocol):
    """A screen with tabs."""

    @property
    def tab_names(self) -> Sequence[str]:
        """The names of the tabs; none where it has no tabs after all."""

    @property
    def tab_name(self) -> str:
        """The name of the tab that is shown."""


@runtime_checkable
class HasLists(Protocol):
    """A screen with several lists, or a part of one; the list that a person looks at is asked for most often."""

    @property
    def in_focus(self) -> Sequence[Query[Any]]:
        """What the person looks at."""
