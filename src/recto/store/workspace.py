"""What only a workspace of one's own can do, beyond the API."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

from recto.client.errors import ClientError
from recto.store.progress import Progress


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
    change_request: str | None = None
    """The change request that holds what the folder changed, where that conflicts with what the space changed."""


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


class WorkspaceError(ClientError):
    """Something about one's own workspace failed, such as a folder without pages."""

    default_next_step = ""


class LocalWorkspace(Protocol):
    """The workspace in this process. All of it may raise :class:`WorkspaceError`."""

    async def bring_in(
        self, folder: Path, progress: Callable[[Progress], None], organization: str | None = None
    ) -> BroughtIn:
        """Bring a folder of documentation in as spaces and a site; again, only what changed.

        A new folder goes to ``organization``, or where none is given to the person's own.

        ``progress`` is called in the event loop's thread. Cancelled, nothing of what was not finished stays.
        """
        ...

    async def guide(self) -> str | None:
        """Return the id of the organization that is the program's own guide; None where there is none."""
        ...

    async def remove_guide(self) -> None:
        """Remove the organization that is the program's own guide; nothing where it is gone already."""
        ...

    async def rename_owner(self, name: str, email: str) -> None:
        """Change the name and the e-mail address of the person whose workspace it is."""
        ...
