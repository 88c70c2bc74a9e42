"""Locations in the program, one type for each screen, and the file that brings a person back to the last one."""

from __future__ import annotations

import json
import logging
import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from recto import disk
from recto.contract.addresses import AtRevision, Main
from recto.store.signal import Signal

log = logging.getLogger(__name__)

MOST_RECENT = 50
"""The number of recent locations kept for each platform."""

Subject: TypeAlias = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class OrganizationsLocation:
    """The organizations; ``item`` is the item of the tree under the cursor, ``opened`` the expanded ones."""

    screen: ClassVar = "organizations"
    item: str | None = None
    opened: tuple[str, ...] = ()
    title: str = ""

    @property
    def subject(self) -> Subject:
        """What the screen is about: locations with the same subject are on the same screen."""
        return (self.screen,)

    @property
    def target(self) -> Subject:
        """What is shown, wherever in it: each target is remembered once."""
        return (*self.subject, self.item or "")


@dataclass(frozen=True, slots=True)
class SpaceLocation:
    """A space: its main content or, with ``revision``, a past one."""

    screen: ClassVar = "space"
    space: str
    revision: str | None = None
    page: str | None = None
    anchor: str = ""
    """A heading of the page."""
    title: str = ""
    position: tuple[int, int, int] | None = None
    """Where in the page: the leaf, the offset in it, and the lines of the screen above."""
    tab: int = 0
    panel: str | None = None
    """The panel with the focus; ``None`` leaves it to the screen."""
    side: str | None = None
    """What the side panel shows."""
    tree_width: int = 0
    side_width: int = 0
    """The columns given to the page tree and to the side panel; 0 leaves them to the style sheet."""
    edits_to: int | None = None
    """The number of the change request that edits go to."""
    opened: tuple[str, ...] | None = None
    closed: tuple[str, ...] | None = None
    """The expanded branches of the tree or, where most are, the collapsed ones; both ``None`` where not known."""

    @property
    def address(self) -> Main | AtRevision:
        """The address of the content."""
        return Main(self.space) if self.revision is None else AtRevision(self.space, self.revision)

    @property
    def subject(self) -> Subject:
        """What the screen is about: locations with the same subject are on the same screen."""
        return (self.screen, self.space, self.revision or "")

    @property
    def target(self) -> Subject:
        """What is shown, wherever in it: each target is remembered once."""
        return (*self.subject, self.page or "", self.anchor)


@dataclass(frozen=True, slots=True)
class ChangeRequestLocation:
    """A change request, at one of its pages."""

    screen: ClassVar = "change-request"
    space: str
    change_request: str
    page: str | None = None
    title: str = ""
    tab: int | None = None

    @property
    def subject(self) -> Subject:
        """What the screen is about: locations with the same subject are on the same screen."""
        return (self.screen, self.space, self.change_request)

    @property
    def target(self) -> Subject:
        """What is shown, wherever in it: each target is remembered once."""
        return (*self.subject, self.page or "")


@dataclass(frozen=True, slots=True)
class SiteLocation:
    """A site, at an item of its structure or at a row."""

    screen: ClassVar = "site"
    organization: str
    site: str
    item: str | None = None
    row: int | None = None
    title: str = ""

    @property
    def subject(self) -> Subject:
        """What the screen is about: locations with the same subject are on the same screen."""
        return (self.screen, self.organization, self.site)

    @property
    def target(self) -> Subject:
        """What is shown, wherever in it: each target is remembered once."""
        return (*self.subject, self.item or "")


Location: TypeAlias = OrganizationsLocation | SpaceLocation | ChangeRequestLocation | SiteLocation


def item_id(kind: str, id: str) -> str:
    """Return the id of an item of the organizations' tree: its kind, and the id of what it stands for."""
    return f"{kind}:{id}"


def organizations_above(location: Location) -> OrganizationsLocation:
    """Return the location above: the organizations, at the space or the site."""
    match location:
        case OrganizationsLocation():
            return location
        case SiteLocation():
            return OrganizationsLocation(item_id("site", location.site))
        case _:
            return OrganizationsLocation(item_id("space", location.space))


class Locations:
    """The last and the recent locations, by the platform's address, in one small file."""

    def __init__(self, file: Path) -> None:
        self._file = file
        self._entries: dict[str, list[Location]] | None = None
        self._writing = threading.Lock()
        self.remembered: Signal[Location] = Signal()
        """Emits each location that is remembered."""

    def last(self, address: str) -> Location | None:
        """Return the last location on a platform."""
        found = self._read().get(address)
        return found[0] if found else None

    def recent(self, address: str) -> tuple[Location, ...]:
        """Return the recent locations on a platform, newest first, each target once."""
        return tuple(self._read().get(address, ()))

    def remember(self, address: str, location: Location) -> None:
        """Remember a location and write the file."""
        self.note(address, location)
        self.write()

    def note(self, address: str, location: Location) -> None:
        """Remember a location; the next ``write`` saves it."""
        entries = self._read()
        older = [other for other in entries.get(address, ()) if other.target != location.target]
        entries[address] = [location, *older][:MOST_RECENT]
        self.remembered.emit(location)

    def write(self) -> None:
        """Write the file, in any thread; a failure is logged and changes nothing."""
        # The newest entries are read inside the lock, so that no thread overwrites what another wrote later.
        with self._writing:
            entries = dict(self._read())
            data = {name: [location_data(each) for each in found] for name, found in entries.items()}
            try:
                disk.make_folder(self._file.parent)
                # Not durable, as it is written at every step: an outage may cost the last location, never the file.
                disk.write(self._file, json.dumps(data, ensure_ascii=False).encode(), durable=False)
            except OSError as error:
                log.warning("The location could not be saved: %s", error)

    def forget(self, address: str, location: Location) -> None:
        """Remove a location, such as one that no longer exists; the next ``write`` saves it."""
        entries = self._read()
        entries[address] = [other for other in entries.get(address, ()) if other.target != location.target]

    def _read(self) -> dict[str, list[Location]]:
        if self._entries is None:
            try:
                data = json.loads(self._file.read_bytes())
                self._entries = {str(address): _read_list(entries) for address, entries in data.items()}
            except FileNotFoundError:
                self._entries = {}
            except (OSError, ValueError, AttributeError, RecursionError) as error:
                log.warning("The saved locations cannot be read: %s", type(error).__name__)
                self._entries = {}
        return self._entries


# As data


def location_data(location: Location) -> dict[str, Any]:
    """Return a location as data for JSON."""
    named = ((field.name, getattr(location, field.name)) for field in fields(location))
    return {"screen": location.screen} | {name: value for name, value in named if value not in (None, "")}


def read_location(data: object) -> Location | None:
    """Read a location, leaving out values of another form; ``None`` without a known screen and its subject."""
    if not isinstance(data, Mapping) or not isinstance(data.get("screen"), str):
        return None
    screen = _SCREENS.get(data["screen"])
    if screen is None:
        return None
    # Version 0.1 had the ids in a mapping of their own.
    arguments = data.get("arguments")
    known = {**arguments, **data} if isinstance(arguments, Mapping) else data
    read = ((field.name, _READERS[str(field.type)](known.get(field.name))) for field in fields(screen))
    try:
        return screen(**{name: value for name, value in read if value is not None})
    except TypeError:
        return None


def _read_list(data: object) -> list[Location]:
    return [found for entry in (data if isinstance(data, list) else ()) if (found := read_location(entry)) is not None]


def _text(value: object) -> str | None:
    return value if isinstance(value, str) and value else None


def _number(value: object) -> int | None:
    return value if isinstance(value, int) and 0 <= value < 2**31 else None


def _texts(value: object) -> tuple[str, ...] | None:
    return tuple(each for each in value if isinstance(each, str)) if isinstance(value, list) else None


def _position(value: object) -> tuple[int, int, int] | None:
    numbers = [_number(each) for each in value] if isinstance(value, list) else []
    match numbers:
        case [int() as leaf, int() as offset, int() as above]:
            return leaf, offset, above
        case _:
            return None


_READERS: Mapping[str, Callable[[object], Any]] = {
    "str": _text,
    "str | None": _text,
    "int": _number,
    "int | None": _number,
    "tuple[str, ...]": _texts,
    "tuple[str, ...] | None": _texts,
    "tuple[int, int, int] | None": _position,
}
"""How a field is read, by its annotation; ``None`` leaves it at its default."""

_SCREENS: Mapping[str, type[Location]] = {
    # In version 0.1 a past revision was a screen of its own.
    "revision": SpaceLocation,
    **{kind.screen: kind for kind in (OrganizationsLocation, SpaceLocation, ChangeRequestLocation, SiteLocation)},
}
