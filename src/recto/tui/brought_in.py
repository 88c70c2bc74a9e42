"""What to tell a person of a folder that was brought in."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from recto.tui import navigation
from recto.tui.navigation import Beginning
from recto.tui.signs import count

if TYPE_CHECKING:
    from recto.store.places import Spot
    from recto.store.workspace import BroughtIn, BroughtInSpace, Remark


def beginning(brought: BroughtIn) -> Beginning:
    """Return where to begin after a folder was brought in, and what came of it where there is something to know."""
    return Beginning(_spot(brought), "What came in", told(brought) if brought.remarks else ())


def told(brought: BroughtIn) -> tuple[str, ...]:
    """Return the lines that say what came in, what was left out and what was listed in vain."""
    spaces = [f"“{space.title}”: {_became(space)}" for space in brought.spaces]
    if not brought.remarks:
        return tuple(spaces)
    return (*spaces, "", f"{count(len(brought.remarks), 'thing')} to know:", *_grouped(brought.remarks))


def _grouped(remarks: Sequence[Remark]) -> Iterator[str]:
    """Return what is said of many files once, above them, and what is said of one file several times below it."""
    files, messages = Counter(one.path for one in remarks), Counter(one.message for one in remarks)
    groups: dict[str, list[str]] = {}
    for one in remarks:
        if messages[one.message] > 1:
            groups.setdefault(one.message, []).append(one.path)
        elif one.path and files[one.path] > 1:
            groups.setdefault(f"{one.path}:", []).append(one.message)
        else:
            groups[f"{one.path}: {one.message}" if one.path else one.message] = []
    for head, below in groups.items():
        yield from ("", head, *(f"  {line}" for line in below))


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
