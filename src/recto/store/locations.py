"""Locations in the program, a type for each screen, and the file that reopens the last."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict, field, fields, replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, TypeAlias

from recto.contract.addresses import Address, AtRevision, InChangeRequest, Main
from recto.frozen import fields_of, frozen, record
from recto.store.json_file import JsonFile
from recto.store.signal import Signal

MOST_RECENT = 50
"""The number of recent locations kept for each platform."""

MOST_CHOICES = 200
"""The number of spaces of a platform whose choice is kept."""

MOST_GIT_PLACES = 200
"""The number of spaces of a platform whose branch, and the values of whose forms, are kept."""

LONGEST_VALUE = 4_000
"""The most characters of a form's value that are kept."""

MOST_DELETED = 200
"""The number of deleted spaces of a platform that are remembered."""

Subject: TypeAlias = tuple[str, ...]

FormValues: TypeAlias = Mapping[str, str | bool]
"""The values of a form's controls, by field."""


@frozen
class OrganizationsLocation:
    """The organizations; ``item`` is the item of the tree under the cursor, ``opened`` the expanded ones."""

    screen: ClassVar = "organizations"
    item: str | None = None
    opened: tuple[str, ...] = ()
    title: str = ""

    @property
    def subject(self) -> Subject:
        """The subject of the screen: locations with the same subject share a screen."""
        return (self.screen,)

    @property
    def target(self) -> Subject:
        """The thing shown, without the position in it: each target is remembered once."""
        return (*self.subject, self.item or "")


@frozen
class SpaceLocation:
    """A space at an address: in a change request, at a past revision, else its main content."""

    screen: ClassVar = "space"
    space: str
    revision: str | None = None
    change_request: str | None = None
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
    opened: tuple[str, ...] | None = None
    closed: tuple[str, ...] | None = None
    """The expanded branches of the tree or, where most are, the collapsed ones; both ``None`` where not known."""

    @property
    def address(self) -> Address:
        """The address of the content."""
        if self.revision is not None:
            return AtRevision(self.space, self.revision)
        return Main(self.space) if self.change_request is None else InChangeRequest(self.space, self.change_request)

    @property
    def subject(self) -> Subject:
        """The subject of the screen: locations with the same subject share a screen."""
        return (self.screen, self.space, self.revision or "", self.change_request or "")

    @property
    def target(self) -> Subject:
        """The thing shown, without the position in it: each target is remembered once."""
        return (*self.subject, self.page or "", self.anchor)


@frozen
class ChangeRequestLocation:
    """A change request, at a page."""

    screen: ClassVar = "change-request"
    space: str
    change_request: str
    page: str | None = None
    title: str = ""
    tab: int | None = None

    @property
    def subject(self) -> Subject:
        """The subject of the screen: locations with the same subject share a screen."""
        return (self.screen, self.space, self.change_request)

    @property
    def target(self) -> Subject:
        """The thing shown, without the position in it: each target is remembered once."""
        return (*self.subject, self.page or "")


@frozen
class SiteLocation:
    """A site, on a tab, at an item of its structure or at a row."""

    screen: ClassVar = "site"
    organization: str
    site: str
    item: str | None = None
    row: int | None = None
    title: str = ""
    tab: int = 0

    @property
    def subject(self) -> Subject:
        """The subject of the screen: locations with the same subject share a screen."""
        return (self.screen, self.organization, self.site)

    @property
    def target(self) -> Subject:
        """The thing shown, without the position in it: each target is remembered once."""
        return (*self.subject, self.item or "")


Location: TypeAlias = OrganizationsLocation | SpaceLocation | ChangeRequestLocation | SiteLocation


@frozen
class ChosenRequest:
    """The change request chosen in a space; with ``at_main`` edits go there, but the space is seen at main."""

    change_request: str
    at_main: bool = False


@frozen
class DeletedSpace:
    """A space that was deleted from here: when, as seconds since 1970, and from which organization."""

    id: str
    organization: str
    title: str
    at: float


def item_id(kind: str, id: str) -> str:
    """Return the id of an item of the organizations' tree: its kind, and the id of what it stands for."""
    return f"{kind}:{id}"


def parent_of(location: Location) -> Location | None:
    """Return the parent in the breadcrumb; ``None`` above the organizations."""
    match location:
        case OrganizationsLocation():
            return None
        case SiteLocation():
            return OrganizationsLocation(item_id("site", location.site))
        case SpaceLocation(revision=None):
            return OrganizationsLocation(item_id("space", location.space))
        case _:
            return SpaceLocation(location.space)


@frozen
class GitPlace:
    """A branch of a repository, without credentials; ``directory`` is that of the project in it."""

    url: str
    ref: str
    directory: str = ""

    @property
    def branch(self) -> str:
        """The short name of the branch."""
        return self.ref.removeprefix("refs/heads/")


class Locations:
    """The recent locations, choices, branches, forms and deleted spaces, by the platform's address, in one small file.

    It is read once. Each change is made both here and in the file, so that windows do not overwrite each other's
    entries, and a choice made in one window does not affect another.
    """

    def __init__(self, file: Path) -> None:
        self._file = JsonFile(file, "recent locations")
        self._known: dict[str, _Known] | None = None
        self.remembered: Signal[Location] = Signal()
        """Emits each location that is remembered."""

    def last(self, address: str) -> Location | None:
        """Return the last location on a platform."""
        return next(iter(self.recent(address)), None)

    def recent(self, address: str) -> tuple[Location, ...]:
        """Return the recent locations on a platform, newest first, each target once."""
        return tuple(self._known_at(address).recent)

    def remember(self, address: str, location: Location) -> None:
        """Remember a location."""

        def change(known: _Known) -> None:
            older = [other for other in known.recent if other.target != location.target]
            known.recent = [location, *older][:MOST_RECENT]

        self._change(address, change)
        self.remembered.emit(location)

    def choice(self, address: str, space: str) -> ChosenRequest | None:
        """Return the change request chosen in a space of a platform."""
        return self._known_at(address).choices.get(space)

    def choose(self, address: str, space: str, choice: ChosenRequest | None) -> None:
        """Remember the choice in a space."""

        def change(known: _Known) -> None:
            # The choice made last stands last, so that the oldest goes first.
            known.choices.pop(space, None)
            if choice is not None:
                known.choices[space] = choice

        if self.choice(address, space) != choice:
            self._change(address, change)

    def git_place(self, address: str, space: str) -> GitPlace | None:
        """Return the branch that was typed for a space of a platform."""
        return self._known_at(address).git_places.get(space)

    def keep_git_place(self, address: str, space: str, place: GitPlace) -> None:
        """Remember the branch of a space."""

        def change(known: _Known) -> None:
            known.git_places.pop(space, None)
            known.git_places[space] = place

        self._change(address, change)

    def form_values(self, address: str, space: str, form: str) -> FormValues:
        """Return the values with which a form of a space was sent the last time, by field."""
        return self._known_at(address).forms.get(space, {}).get(form, {})

    def keep_form_values(self, address: str, space: str, form: str, values: Mapping[str, object]) -> None:
        """Remember the values of a form of a space; they contain no secrets."""
        kept = _short(values)

        def change(known: _Known) -> None:
            known.forms[space] = {**known.forms.pop(space, {}), form: kept}

        self._change(address, change)

    def at_choice(self, address: str, location: SpaceLocation) -> SpaceLocation:
        """Return a location of main where its space is seen now: in the change request chosen, else as it is."""
        choice = self.choice(address, location.space)
        return location if choice is None or choice.at_main else replace(location, change_request=choice.change_request)

    def deleted_spaces(self, address: str) -> tuple[DeletedSpace, ...]:
        """Return the spaces that were deleted from here on a platform, the oldest first."""
        return self._known_at(address).deleted

    def remember_deleted(self, address: str, space: DeletedSpace) -> None:
        """Remember a deleted space of a platform."""

        def change(known: _Known) -> None:
            others = (each for each in known.deleted if each.id != space.id)
            known.deleted = (*others, space)[-MOST_DELETED:]

        self._change(address, change)

    def forget_deleted(self, address: str, *spaces: str) -> None:
        """Forget deleted spaces of a platform."""

        def change(known: _Known) -> None:
            known.deleted = tuple(each for each in known.deleted if each.id not in spaces)

        self._change(address, change)

    def load(self) -> None:
        """Read the file where that has not been done, in any thread."""
        self._read()

    def flush(self) -> None:
        """Wait until the file is written."""
        self._file.flush()

    def _change(self, address: str, change: Callable[[_Known], None]) -> None:
        change(self._known_at(address))
        self._file.change(partial(_change_saved, address, change))

    def _known_at(self, address: str) -> _Known:
        return self._read().setdefault(address, _Known())

    def _read(self) -> dict[str, _Known]:
        if self._known is None:
            self._known = {address: _Known.read(entries) for address, entries in self._file.read().items()}
        return self._known


def _change_saved(address: str, change: Callable[[_Known], None], content: dict[str, Any]) -> None:
    known = _Known.read(content.get(address))
    change(known)
    content[address] = known.data()


@record
class _Known:
    """The entries of a platform; choices by space, the latest last."""

    recent: list[Location] = field(default_factory=list)
    choices: dict[str, ChosenRequest] = field(default_factory=dict)
    deleted: tuple[DeletedSpace, ...] = ()
    git_places: dict[str, GitPlace] = field(default_factory=dict)
    forms: dict[str, dict[str, FormValues]] = field(default_factory=dict)

    def data(self) -> dict[str, Any]:
        """Return it as data for JSON."""
        chosen = list(self.choices.items())[-MOST_CHOICES:]
        return {
            "recent": [location_data(each) for each in self.recent],
            "choices": {space: asdict(choice) for space, choice in chosen},
            "deleted": [asdict(space) for space in self.deleted],
            "git": {space: asdict(place) for space, place in list(self.git_places.items())[-MOST_GIT_PLACES:]},
            "forms": dict(list(self.forms.items())[-MOST_GIT_PLACES:]),
        }

    @classmethod
    def read(cls, data: object) -> _Known:
        """Read it, leaving out what has another form; it once was the list of locations alone."""
        if not isinstance(data, Mapping):
            return cls(_read_list(data))
        chosen = data.get("choices")
        read = {str(space): _read_choice(each) for space, each in chosen.items()} if isinstance(chosen, Mapping) else {}
        choices = {space: each for space, each in read.items() if each is not None}
        return cls(
            _read_list(data.get("recent")),
            choices,
            _read_deleted(data.get("deleted")),
            _read_git(data.get("git")),
            _read_forms(data.get("forms")),
        )


# As data


def location_data(location: Location) -> dict[str, Any]:
    """Return a location as data for JSON."""
    named = ((each.name, getattr(location, each.name)) for each in fields(location))
    known = ((name, list(value) if isinstance(value, tuple) else value) for name, value in named)
    return {"screen": location.screen} | {name: value for name, value in known if value not in (None, "")}


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
    read = ((each.name, _READERS[str(each.type)](known.get(each.name))) for each in fields_of(screen))
    try:
        return screen(**{name: value for name, value in read if value is not None})
    except TypeError:
        return None


def _read_list(data: object) -> list[Location]:
    return [found for entry in (data if isinstance(data, list) else ()) if (found := read_location(entry)) is not None]


def _read_choice(data: object) -> ChosenRequest | None:
    request = _text(data.get("change_request")) if isinstance(data, Mapping) else None
    return ChosenRequest(request, data.get("at_main") is True) if request and isinstance(data, Mapping) else None


def _read_deleted(data: object) -> tuple[DeletedSpace, ...]:
    entries = [entry for entry in (data if isinstance(data, list) else ()) if isinstance(entry, Mapping)]
    found = []
    for entry in entries:
        id, organization, at = _text(entry.get("id")), _text(entry.get("organization")), entry.get("at")
        if id and organization and isinstance(at, int | float) and not isinstance(at, bool):
            found.append(DeletedSpace(id, organization, _text(entry.get("title")) or "", float(at)))
    return tuple(found[-MOST_DELETED:])


def _read_git(data: object) -> dict[str, GitPlace]:
    found: dict[str, GitPlace] = {}
    for space, entry in (data if isinstance(data, Mapping) else {}).items():
        if isinstance(entry, Mapping) and (url := _text(entry.get("url"))) and (ref := _text(entry.get("ref"))):
            found[str(space)] = GitPlace(url, ref, _text(entry.get("directory")) or "")
    return found


def _read_forms(data: object) -> dict[str, dict[str, FormValues]]:
    return {
        str(space): {str(form): _short(values) for form, values in forms.items() if isinstance(values, Mapping)}
        for space, forms in (data if isinstance(data, Mapping) else {}).items()
        if isinstance(forms, Mapping)
    }


def _short(values: Mapping[Any, object]) -> FormValues:
    """Return the switches, and the texts that are not too long."""
    return {
        str(name): value
        for name, value in values.items()
        if isinstance(value, bool) or (isinstance(value, str) and len(value) <= LONGEST_VALUE)
    }


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
