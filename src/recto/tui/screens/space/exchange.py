"""Imports and exports of a space, and the pages of templates: each begins with its form."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from typing import TYPE_CHECKING, Any

from recto.contract.addresses import Address, AtRevision
from recto.tui.screens.space.from_template import add_from_template
from recto.tui.screens.space.git_sync import export_to_git, import_from_git, remove_installation
from recto.tui.screens.space.import_form import import_into
from recto.tui.screens.space.to_folder import export_to_folder

if TYPE_CHECKING:
    from recto.contract.spaces import Space
    from recto.tui.screens.interactive import Interactive


class Exchange:
    """What a space's screen opens for this, once the space is loaded.

    ``space`` returns the space, or ``None`` while it is not loaded.
    """

    def __init__(self, screen: Interactive, space: Callable[[], Space | None]) -> None:
        self._screen = screen
        self._space = space

    def add_template(self) -> None:
        """Add the pages of a template to main."""
        self._open("template", lambda space: add_from_template(self._screen, space.id, space.organization))

    def import_git(self) -> None:
        """Import a branch of a repository into main."""
        self._open("git", lambda space: import_from_git(self._screen, space))

    def export_git(self) -> None:
        """Push main to a branch of a repository."""
        self._open("git", lambda space: export_to_git(self._screen, space))

    def remove_git(self) -> None:
        """Remove the legacy Git installation."""
        self._open("git", lambda space: remove_installation(self._screen, space))

    def export_folder(self, at: Address) -> None:
        """Write the space, as it is seen at an address, into a folder."""
        self._open("export", lambda space: export_to_folder(self._screen, space, at))

    def import_content(self, at: Address) -> None:
        """Import content after the pages at an address; a past revision takes none."""
        if not isinstance(at, AtRevision):
            self._open("import", lambda space: import_into(self._screen, at, space.organization))

    def _open(self, name: str, form: Callable[[Space], Coroutine[Any, Any, None]]) -> None:
        if (space := self._space()) is not None:
            self._screen.work_to_open(form(space), name)
