"""The pages that were read one after another: the way back, and forward again."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass

from recto.tui.page.cursor import Position


@dataclass(frozen=True, slots=True)
class Visit:
    """A page that was read, and the position in it."""

    page: str
    position: Position


class History:
    """The visits before and after the page that is read; ``here`` is that page, ``None`` before the first."""

    def __init__(self) -> None:
        self.here: str | None = None
        self._back: list[Visit] = []
        self._forward: list[Visit] = []
        self._before: Visit | None = None

    def enter(self, page: str, left: Visit | None) -> None:
        """Begin to read a page; ``left`` is where the one before is left."""
        if page == self.here:
            return
        if left is not None:
            self._before = left
            self._back.append(left)
        self._forward.clear()
        self.here = page

    @property
    def can_go_forward(self) -> bool:
        """Whether there is a page from which the person came back."""
        return bool(self._forward)

    def back(self, pages: Container[str], left: Visit | None) -> Visit | None:
        """Return the visit before this one whose page still exists."""
        return self._step(self._back, self._forward, pages, left)

    def forward(self, pages: Container[str], left: Visit | None) -> Visit | None:
        """Return the visit from which the person came back, where its page still exists."""
        return self._step(self._forward, self._back, pages, left)

    def previous(self, pages: Container[str], left: Visit | None) -> Visit | None:
        """Return the visit just before this one, in whatever direction."""
        before = self._before
        return self.back_to(before, left) if before is not None and before.page in pages else None

    def back_to(self, visit: Visit, left: Visit | None) -> Visit:
        """Return to a visit, and leave the way as it is."""
        if left is not None:
            self._before = left
        self.here = visit.page
        return visit

    def _step(self, ahead: list[Visit], behind: list[Visit], pages: Container[str], left: Visit | None) -> Visit | None:
        while ahead:
            visit = ahead.pop()
            if visit.page in pages:
                if left is not None:
                    behind.append(left)
                return self.back_to(visit, left)
        return None
