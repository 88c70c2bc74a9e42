"""Moves in an arrangement: each returns a new arrangement, or the reason why it is not possible."""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum

from recto.frozen import frozen
from recto.store.arrangement import Arrangement, Item, Kind


class Where(Enum):
    """Where items go, relative to the target of a move."""

    BEFORE = "before"
    AFTER = "after"
    INSIDE = "inside"
    """As the last item in it."""


@frozen
class Move:
    """Items and their new place; the target ``None`` with ``Where.INSIDE`` is the end of the top level."""

    items: tuple[str, ...]
    target: str | None
    where: Where


@frozen
class Refusal:
    """Why a move is not possible, as a sentence."""

    reason: str


def find_lifted(arrangement: Arrangement, ids: Iterable[str]) -> tuple[str, ...]:
    """Return the items that a move of these takes: from top to bottom, without those that go along in another."""
    wanted = {id for id in ids if id in arrangement.items}
    chosen = [id for id in wanted if not any(above in wanted for above in arrangement.above(id))]
    if len(chosen) > 1:
        rows: dict[str | None, dict[str, int]] = {}

        def path(id: str) -> list[int]:
            found = []
            for each in (id, *arrangement.above(id)):
                parent = arrangement.parents[each]
                if parent not in rows:
                    rows[parent] = {sibling: row for row, sibling in enumerate(arrangement.under(parent))}
                found.append(rows[parent][each])
            return found[::-1]

        chosen.sort(key=path)
    return tuple(chosen)


def apply_move(arrangement: Arrangement, move: Move) -> Arrangement | Refusal:
    """Apply a move, or return the reason why it is not possible."""
    if arrangement.why_fixed is not None:
        return Refusal(arrangement.why_fixed)
    gone = [id for id in (*move.items, *((move.target,) if move.target else ())) if id not in arrangement.items]
    if gone:
        return Refusal("What it names is no longer there.")
    ids = find_lifted(arrangement, move.items)
    if not ids:
        return Refusal("There is nothing to move.")
    if move.target in ids and move.where is not Where.INSIDE:
        return arrangement
    parent = move.target if move.where is Where.INSIDE else arrangement.parents[str(move.target)]
    for item in (arrangement.items[id] for id in ids):
        if reason := why_stays(item) or why_not(arrangement, item, parent):
            return Refusal(reason)
    return _carry_out(arrangement, ids, parent, move)


def _carry_out(arrangement: Arrangement, ids: tuple[str, ...], parent: str | None, move: Move) -> Arrangement:
    changed: dict[str | None, tuple[str, ...]] = {}
    for left in {arrangement.parents[id] for id in ids}:
        changed[left] = tuple(id for id in arrangement.under(left) if id not in ids)
    siblings = changed.get(parent, arrangement.under(parent))
    if move.where is Where.INSIDE:
        index = len(siblings)
    else:
        index = siblings.index(str(move.target)) + (move.where is Where.AFTER)
    changed[parent] = (*siblings[:index], *ids, *siblings[index:])
    return arrangement.with_order(changed)


def why_stays(item: Item) -> str | None:
    """Return the reason why this person may not move an item at all, as a sentence."""
    return f"“{item.name}” cannot be moved: {item.why_fixed}." if item.why_fixed else None


def why_not(arrangement: Arrangement, item: Item, parent: str | None) -> str | None:
    """Return in a sentence why an item cannot be in a parent, or at the top level (``None``); ``None`` if it can."""
    into = arrangement.items[parent] if parent is not None else None
    match item.kind:
        case Kind.ORGANIZATION:
            return f"“{item.name}” is an organization; organizations have no order."
        case Kind.COLLECTION | Kind.SPACE:
            return _why_not_in_collection(arrangement, item, into)
        case Kind.PAGE:
            return _why_page_not(arrangement, item, into)
        case Kind.PAGE_GROUP | Kind.PAGE_LINK | Kind.PAGE_COMPUTED:
            return f"“{item.name}” is a {item.kind.word}; the API moves pages alone."
        case Kind.OTHER:
            return f"“{item.name}” is of a kind that this version does not know; it stays where it is."
        case Kind.SITE_SPACE:
            return _why_site_space_not(arrangement, item, into)
        case Kind.LINK if parent != arrangement.parents[item.id]:
            return "The API can order an external link, but not put it somewhere else."
        case Kind.LINK:
            return None
    if into is None:
        return None
    if into.kind is Kind.SECTION:
        return f"A section contains site spaces; a {item.kind.word} goes before or after it, or into a group."
    if into.kind is not Kind.GROUP:
        what = "An external link" if into.kind is Kind.LINK else f"A {into.kind.word}"
        return f"{what} contains nothing; a {item.kind.word} goes before or after a section or a group."
    if item.id == into.id:
        return "A group cannot go into itself."
    if item.id in arrangement.above(into.id):
        return f"“{into.name}” is in “{item.name}”; a group cannot go into its own contents."
    return None


def _why_page_not(arrangement: Arrangement, item: Item, into: Item | None) -> str | None:
    if into is None:
        return None
    if not into.kind.holds:
        return f"“{into.name}” is a {into.kind.word} and contains no pages."
    if item.id == into.id:
        return "A page cannot go into itself."
    if item.id in arrangement.above(into.id):
        return f"“{into.name}” is in “{item.name}”; a page cannot go into its own contents."
    return None


def _why_site_space_not(arrangement: Arrangement, item: Item, into: Item | None) -> str | None:
    # The API can order site spaces, but not move them to another section: a site space would be removed
    # and created again, under another id, without its customization, its redirects and its share of links.
    parent = arrangement.parents[item.id]
    if (into.id if into else None) == parent:
        return None
    if into is not None and into.kind is Kind.GROUP:
        return "A group contains sections and groups; a site space stays in its section."
    if into is not None and into.kind is Kind.SITE_SPACE:
        return "A site space contains nothing; it goes before or after another."
    if parent is None:
        return "A site space at the top level can only be ordered there."
    own = arrangement.items[parent].name
    return f"A site space stays in its section, here “{own}”: add its space to the other section, then remove it here."


def _why_not_in_collection(arrangement: Arrangement, item: Item, into: Item | None) -> str | None:
    if into is None:
        return f"“{item.name}” stays in its organization; only a transfer takes it to another."
    if into.kind is Kind.SPACE:
        return f"A space contains pages; a {item.kind.word} goes before or after it."
    if item.id == into.id:
        return "A collection cannot go into itself."
    if item.id in arrangement.above(into.id):
        return f"“{into.name}” is in “{item.name}”; a collection cannot go into its own contents."
    if into.why_closed and arrangement.parents[item.id] != into.id:
        return f"Nothing can be put into “{into.name}”: {into.why_closed}."
    return None


def step_move(arrangement: Arrangement, ids: Iterable[str], by: int) -> Move | Refusal:
    """Return the move of items up (``by`` -1) or down (1) by a place among their siblings."""
    chosen = _together(arrangement, ids)
    if isinstance(chosen, Refusal):
        return chosen
    siblings = arrangement.peers(arrangement.parents[chosen[0]], chosen)
    index = siblings.index(chosen[0]) - 1 if by < 0 else siblings.index(chosen[-1]) + 1
    if index < 0:
        return Refusal("It is the first already." if len(chosen) == 1 else "They are the first already.")
    if index >= len(siblings):
        return Refusal("It is the last already." if len(chosen) == 1 else "They are the last already.")
    return Move(chosen, siblings[index], Where.BEFORE if by < 0 else Where.AFTER)


def outward(arrangement: Arrangement, ids: Iterable[str]) -> Move | Refusal:
    """Return the move of items out of their parent, to the place after it."""
    chosen = _together(arrangement, ids)
    if isinstance(chosen, Refusal):
        return chosen
    parent = arrangement.parents[chosen[0]]
    if parent is None:
        return Refusal("It is at the top level already.")
    return Move(chosen, parent, Where.AFTER)


def inward(arrangement: Arrangement, ids: Iterable[str]) -> Move | Refusal:
    """Return the move of items to the end of the group just above them."""
    chosen = _together(arrangement, ids)
    if isinstance(chosen, Refusal):
        return chosen
    siblings = arrangement.beside(chosen[0])
    above = siblings[: siblings.index(chosen[0])]
    if arrangement.kinds_apart:
        # The kind that contains the others stands above all of them, so the nearest of it is meant.
        above = tuple(id for id in above if arrangement.items[id].kind is arrangement.kinds_apart[0])
    if not above:
        return Refusal("There is nothing above it to go into.")
    return Move(chosen, above[-1], Where.INSIDE)


def _together(arrangement: Arrangement, ids: Iterable[str]) -> tuple[str, ...] | Refusal:
    chosen = find_lifted(arrangement, ids)
    if not chosen:
        return Refusal("There is nothing to move.")
    if len({arrangement.parents[id] for id in chosen}) > 1:
        return Refusal("The selected items are in different places: lift them, then they can go to one.")
    return chosen


def names(arrangement: Arrangement, ids: Iterable[str]) -> str:
    """Name items in a sentence: ``“Home”``, ``“Home” and “Guides”``, ``“Home” and 3 more``."""
    found = [f"“{arrangement.items[id].name}”" for id in ids if id in arrangement.items]
    if len(found) > 2:
        return f"{found[0]} and {len(found) - 1} more"
    return " and ".join(found) or "what was to be moved"


def destination(arrangement: Arrangement, move: Move) -> str:
    """Describe where a move goes: ``before “Home”``, ``into the group “Guides”``, ``to the end of the top level``."""
    if move.target is None:
        return "to the end of the top level"
    target = arrangement.items.get(move.target)
    if target is None:
        return "to where it was to be"
    if move.where is Where.INSIDE:
        return f"into the {target.kind.word} “{target.name}”"
    return f"{move.where.value} “{target.name}”"
