"""What to tell a person of a folder that was brought in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recto.tui import navigation
from recto.tui.navigation import Beginning
from recto.tui.signs import count

if TYPE_CHECKING:
    from recto.store.places import Spot
    from recto.store.workspace import BroughtIn, BroughtInSpace


def beginning(brought: BroughtIn) -> Beginning:
    """Return where to begin after a folder was brought in, and what came of it where there is something to know."""
    return Beginning(_spot(brought), "What came in", told(brought) if brought.remarks else ())


def told(brought: BroughtIn) -> tuple[str, ...]:
    """Return the lines that say what came in, what was left out and what was listed in vain."""
    spaces = [f"“{space.title}”: {_became(space)}" for space in brought.spaces]
    remarks = [f"{remark.path}: {remark.message}" if remark.path else remark.message for remark in brought.remarks]
    if not remarks:
        return tuple(spaces)
    return (*spaces, "", f"{count(len(remarks), 'thing')} to know:", "", *remarks)


def _spot(brought: BroughtIn) -> Spot:
    """Return the site, or the one space that came of the folder."""
    if brought.site is not None:
        return navigation.at_site(brought.organization, brought.site)
    return navigation.at_space(brought.spaces[0].space)


def _became(space: BroughtInSpace) -> str:
    pages = count(space.pages, "page")
    if space.created:
        return f"a new space with {pages}"
    if space.change_request is not None:
        return f"{pages}; what the folder changed conflicts with the space and waits in a change request"
    return f"{pages}, brought up to date" if space.changed else f"{pages}, nothing has changed"
