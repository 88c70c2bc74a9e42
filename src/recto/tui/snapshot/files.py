"""The file that holds the snapshot of the last screen."""

from __future__ import annotations

import json
import logging
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from recto import __version__, disk
from recto.frozen import frozen
from recto.store.locations import Location, Locations, location_data, read_location

log = logging.getLogger(__name__)

FORM = 2
"""The form of the file; one of another form, or of another version of the program, is not read."""

_MOST_BYTES = 4_000_000


@frozen
class Snapshot:
    """What a screen showed: line by line its texts, each with the number of its style."""

    location: Location
    """What was shown."""
    look: str
    """The theme and the colours that it was drawn for; it is not shown under others."""
    styles: tuple[str, ...]
    lines: tuple[tuple[tuple[str, int], ...], ...]


class Snapshots:
    """The last snapshot of a platform, in a file that only its owner may read: it holds texts of pages.

    ``account`` separates the users of the platform: a snapshot is shown only to its own account.
    """

    def __init__(self, file: Path, locations: Locations, address: str, account: str = "") -> None:
        self._file = file
        self._locations = locations
        self._address = address
        self._account = account

    def last(self) -> Snapshot | None:
        """Return the snapshot of the last location; ``None`` where there is none that can be read."""
        try:
            if self._file.stat().st_size > _MOST_BYTES:
                return None
            snapshot = self._read(json.loads(self._file.read_bytes()))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError, RecursionError) as error:
            log.warning("The last snapshot cannot be read: %s", type(error).__name__)
            return None
        last = self._locations.last(self._address)
        return (
            snapshot if snapshot is not None and last is not None and last.target == snapshot.location.target else None
        )

    def save(self, snapshot: Snapshot) -> None:
        """Replace the snapshot; a file that cannot be written is logged and changes nothing."""
        data = self._signature | {
            "location": location_data(snapshot.location),
            "look": snapshot.look,
            "styles": snapshot.styles,
            "lines": snapshot.lines,
        }
        try:
            disk.make_folder(self._file.parent)
            # An outage may cost the snapshot, which is no loss. The file is made for its owner alone.
            disk.write(self._file, json.dumps(data, ensure_ascii=False).encode(), durable=False)
        except (OSError, ValueError) as error:
            log.warning("The last snapshot could not be saved: %s", error)

    def delete(self) -> None:
        """Delete the snapshot."""
        with suppress(OSError):
            self._file.unlink()

    @property
    def _signature(self) -> dict[str, object]:
        return {"form": FORM, "version": __version__, "address": self._address, "account": self._account}

    def _read(self, data: Mapping[str, Any]) -> Snapshot | None:
        """Read a snapshot; ``None`` where it is another account's. Raises where the file is damaged."""
        if any(data[name] != value for name, value in self._signature.items()):
            return None
        location, styles = read_location(data["location"]), tuple(_text(style) for style in data["styles"])
        lines = tuple(tuple((_text(text), _number(style, styles)) for text, style in line) for line in data["lines"])
        return Snapshot(location, _text(data["look"]), styles, lines) if location is not None else None


def _text(value: object) -> str:
    if not isinstance(value, str):
        raise TypeError("a text is none")
    return value


def _number(value: object, styles: Sequence[str]) -> int:
    if not isinstance(value, int) or not 0 <= value < len(styles):
        raise ValueError("a style is not there")
    return value
