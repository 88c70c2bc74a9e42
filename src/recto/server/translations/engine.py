"""The program that translates, as the owner's settings name it."""

from __future__ import annotations

from pathlib import Path

from recto.frozen import frozen


@frozen
class Engine:
    """The command of the engine, as a list of arguments, and the file with the glossary."""

    command: tuple[str, ...]
    glossary: Path | None = None

    @property
    def name(self) -> str:
        """The name of the program; its arguments may be secrets."""
        return Path(self.command[0]).name
