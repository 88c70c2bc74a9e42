"""Going from view to view: where one can go, and the messages by which screens ask for it."""

from __future__ import annotations

from dataclasses import dataclass, replace

from textual.message import Message

from recto.store.places import Spot

ORGANIZATIONS, SPACE, CHANGE_REQUEST, SITE = "organizations", "space", "change-request", "site"
REVISION = "revision"

SUBJECTS = {
    ORGANIZATIONS: (),
    SPACE: ("space",),
    CHANGE_REQUEST: ("space", "change_request"),
    SITE: ("organization", "site"),
    REVISION: ("space", "revision"),
}
"""What a view is about: spots that agree in these are in the same view, whatever page or tab they name."""


@dataclass(frozen=True, slots=True)
class Beginning:
    """Where to begin, and what to tell the person there."""

    spot: Spot
    title: str = ""
    told: tuple[str, ...] = ()


def at_organizations(**arguments: str) -> Spot:
    """Return the spot of the organizations, at one of them or at something in it (``organization``, ``space``…)."""
    return Spot(ORGANIZATIONS, arguments)


def at_space(space: str, *, page: str | None = None, anchor: str = "") -> Spot:
    """Return the spot of a space, at a page of it, or at a place in that page."""
    there = ({"page": page} if page else {}) | ({"anchor": anchor} if page and anchor else {})
    return Spot(SPACE, {"space": space} | there)


def to_read(spot: Spot) -> Spot:
    """Return a spot to go to rather than to come back to: at the same place, but in whatever panel one reads."""
    return replace(spot, view={name: value for name, value in spot.view.items() if name != "part"})


def at_change_request(space: str, change_request: str, *, page: str | None = None) -> Spot:
    """Return the spot of a change request, at a page of it."""
    arguments = {"space": space, "change_request": change_request}
    return Spot(CHANGE_REQUEST, arguments | ({"page": page} if page else {}))


def at_revision(space: str, revision: str, *, page: str | None = None) -> Spot:
    """Return the spot of a past revision of a space, at a page of it."""
    return Spot(REVISION, {"space": space, "revision": revision} | ({"page": page} if page else {}))


def at_site(organization: str, site: str) -> Spot:
    """Return the spot of a site."""
    return Spot(SITE, {"organization": organization, "site": site})


def same_view(one: Spot, other: Spot) -> bool:
    """Say whether two spots are in the same view."""
    names = SUBJECTS.get(one.screen, ())
    return one.screen == other.screen and all(one.arguments.get(name) == other.arguments.get(name) for name in names)


def is_known(spot: Spot) -> bool:
    """Say whether there is a view for a spot, and whether it names what the view is about."""
    return spot.screen in SUBJECTS and all(spot.arguments.get(name) for name in SUBJECTS[spot.screen])


class Go(Message):
    """The person wants to be at a spot: on top of the view where they are, or ``instead`` of it."""

    def __init__(self, spot: Spot, *, instead: bool = False) -> None:
        super().__init__()
        self.spot = spot
        self.instead = instead


class GoBack(Message):
    """The person wants to be where they came from; with ``quit``, to leave the program if there is no such place."""

    def __init__(self, *, quit: bool = False) -> None:
        super().__init__()
        self.quit = quit


class GoPrevious(Message):
    """The person wants the view that they saw before this one."""
