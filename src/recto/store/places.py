"""Where the person was, for each platform, so that the program comes back there."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from recto import private
from recto.store import atomic
from recto.store.signal import Signal

log = logging.getLogger(__name__)

MOST_RECENT = 50
"""How many visited things are remembered for each platform."""


@dataclass(frozen=True, slots=True)
class Spot:
    """A place in the program: a screen, what it shows, and where in it."""

    screen: str
    """The screen's name."""
    arguments: dict[str, str] = field(default_factory=dict)
    """What it shows, such as ``{"space": id, "page": id}``."""
    title: str = ""
    """What the person saw it called."""
    view: dict[str, int] = field(default_factory=dict)
    """Where in it: scroll positions and cursors by name."""

    def same_thing(self, other: Spot) -> bool:
        """Whether both show the same, wherever in it."""
        return (self.screen, self.arguments) == (other.screen, other.arguments)


class Places:
    """The last place and the recently visited ones, by the platform's address, in one small file."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._entries: dict[str, list[Spot]] | None = None
        self._writing = threading.Lock()
        self.remembered: Signal[Spot] = Signal()
        """Tells of each place when it is remembered."""

    def last(self, address: str) -> Spot | None:
        """Return where the person was last on that platform."""
        spots = self._read().get(address)
        return spots[0] if spots else None

    def recent(self, address: str) -> tuple[Spot, ...]:
        """Return what was visited on that platform, the newest first, each thing once."""
        return tuple(self._read().get(address, ()))

    def remember(self, address: str, spot: Spot) -> None:
        """Remember where the person is, in the file too."""
        self.note(address, spot)
        self.write()

    def note(self, address: str, spot: Spot) -> None:
        """Remember where the person is; it comes into the file with the next ``write``."""
        entries = self._read()
        older = [other for other in entries.get(address, ()) if not other.same_thing(spot)]
        entries[address] = [spot, *older][:MOST_RECENT]
        self.remembered.emit(spot)

    def write(self) -> None:
        """Write what is remembered, in any thread; a file that cannot be written is logged and changes nothing."""
        # What is newest is read in turn, so that no thread writes over what another wrote later.
        with self._writing:
            entries = dict(self._read())
            data = {name: [asdict(each) for each in spots] for name, spots in entries.items()}
            try:
                private.make_folder(self._file.parent)
                # Quick enough for every step of the way; an outage may cost the last place, never the file's form.
                atomic.write(self._file, json.dumps(data, ensure_ascii=False).encode(), durable=False)
            except OSError as error:
                log.warning("The place could not be remembered: %s", error)

    def forget(self, address: str, spot: Spot) -> None:
        """Forget a place, such as one that no longer exists; it goes from the file with the next ``write``."""
        entries = self._read()
        entries[address] = [other for other in entries.get(address, ()) if not other.same_thing(spot)]

    def _read(self) -> dict[str, list[Spot]]:
        if self._entries is None:
            try:
                data = json.loads(self._file.read_bytes())
                self._entries = {str(address): _spots(spots) for address, spots in data.items()}
            except FileNotFoundError:
                self._entries = {}
            except (OSError, ValueError, AttributeError, RecursionError) as error:
                log.warning("The remembered places cannot be read: %s", type(error).__name__)
                self._entries = {}
        return self._entries


def _spots(data: Any) -> list[Spot]:
    """Read what can be read of a list of places; the rest is passed over."""
    return [spot for entry in (data if isinstance(data, list) else []) if (spot := read_spot(entry)) is not None]


def read_spot(entry: Any) -> Spot | None:
    """Read what can be read of a place; ``None`` where it is none."""
    if not (isinstance(entry, Mapping) and isinstance(entry.get("screen"), str)):
        return None
    arguments, view = entry.get("arguments"), entry.get("view")
    return Spot(
        screen=entry["screen"],
        arguments={str(k): str(v) for k, v in arguments.items()} if isinstance(arguments, Mapping) else {},
        title=str(entry.get("title", "")),
        view={str(k): v for k, v in view.items() if _is_number(v)} if isinstance(view, Mapping) else {},
    )


def _is_number(value: object) -> bool:
    """Whether a value is a position in something that could be there."""
    return isinstance(value, int) and 0 <= value < 2**31
