"""What only a workspace of one's own can do, beyond the API."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol


@dataclass(frozen=True, slots=True)
class Progress:
    """How far a long work is."""

    doing: str
    """What is being done, as a few words."""
    done: int
    total: int | None = None
    """How much there is to do in all; None while that is not known."""


@dataclass(frozen=True, slots=True)
class Remark:
    """Something about the folder that its owner should know."""

    path: str
    """The file, from the folder on; empty for the folder itself."""
    message: str


@dataclass(frozen=True, slots=True)
class BroughtInSpace:
    """A book of the folder and the space that holds it."""

    space: str
    """The space's id."""
    title: str
    pages: int
    created: bool
    """Whether the space is new."""
    changed: bool
    """Whether the folder differed from what the space held."""


@dataclass(frozen=True, slots=True)
class BroughtIn:
    """What came of bringing a folder in."""

    organization: str
    """The id of the organization that holds it."""
    spaces: tuple[BroughtInSpace, ...]
    site: str | None = None
    """The site's id, where the folder describes one."""
    remarks: tuple[Remark, ...] = ()
    """What was left out, listed in vain or not understood."""


class WorkspaceError(Exception):
    """Something about one's own workspace failed; what, why and what to do next are sentences."""

    def __init__(self, what: str, why: str, next_step: str = "") -> None:
        super().__init__(what, why)
        self.what = what
        self.why = why
        self.next_step = next_step

    def __str__(self) -> str:
        return f"{self.what} {self.why} {self.next_step}".strip()


class LocalWorkspace(Protocol):
    """The workspace in this process. All of it may raise :class:`WorkspaceError`."""

    async def bring_in(self, folder: Path, progress: Callable[[Progress], None]) -> BroughtIn:
        """Bring a folder of documentation in as spaces and a site; again, only what changed.

        ``progress`` is called in the event loop's thread. Cancelled, nothing of what was not finished stays.
        """
        ...

    async def remove_guide(self) -> None:
        """Remove the organization that is the program's own guide; nothing where it is gone already."""
        ...

    async def rename_owner(self, name: str, email: str) -> None:
        """Change the name and the e-mail address of the person whose workspace it is."""
        ...
