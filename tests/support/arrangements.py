"""Arrangements of sites for tests, written as nested tuples, and a model of what a server makes of steps."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from recto.store.arrangement import Arrangement, Item, Kind
from recto.store.move_plan import PutInCollection, PutInto, Step
from recto.store.moves import Where


def group(name: str, *inside: Any) -> tuple[Item, tuple[Any, ...]]:
    """A group whose id and title are its name, with what is in it."""
    return Item(name, Kind.GROUP, name), inside


def section(name: str, *inside: Any, default: bool = False) -> tuple[Item, tuple[Any, ...]]:
    """A section whose id, title and path are its name, with its site spaces."""
    return Item(name, Kind.SECTION, name, path=name, default=default), inside


def site_space(name: str, *, default: bool = False) -> tuple[Item, tuple[Any, ...]]:
    """A site space whose id, title and path are its name."""
    return Item(name, Kind.SITE_SPACE, name, path=name, default=default), ()


def other(name: str) -> tuple[Item, tuple[Any, ...]]:
    """Something that this version does not know."""
    return Item(name, Kind.OTHER, name), ()


def arranged(*roots: tuple[Item, tuple[Any, ...]]) -> Arrangement:
    """Make an arrangement of what stands at the top level."""
    items: dict[str, Item] = {}
    children: dict[str | None, tuple[str, ...]] = {}

    def take(parent: str | None, nodes: Iterable[tuple[Item, tuple[Any, ...]]]) -> None:
        nodes = tuple(nodes)
        if nodes:
            children[parent] = tuple(item.id for item, _ in nodes)
        for item, inside in nodes:
            items[item.id] = item
            take(item.id, inside)

    take(None, roots)
    return Arrangement(items, children, sectioned=roots[0][0].kind is not Kind.SITE_SPACE)


def outline(arrangement: Arrangement) -> str:
    """Write an arrangement as one line: ``Home Products(Payments Identity)``."""

    def write(parent: str | None) -> str:
        parts = []
        for id in arrangement.under(parent):
            inside = write(id)
            parts.append(f"{arrangement.items[id].name}({inside})" if inside else arrangement.items[id].name)
        return " ".join(parts)

    return write(None)


class ModelServer:
    """What the platform makes of steps: a new place is the last one there, and sorting is among siblings only."""

    def __init__(self, arrangement: Arrangement) -> None:
        self.items = arrangement.items
        self.children = {parent: list(ids) for parent, ids in arrangement.children.items()}

    def make(self, step: Step) -> None:
        """Make a step of a site; raises ``ValueError`` where the platform would refuse it."""
        assert not isinstance(step, PutInCollection)
        old = next(parent for parent, ids in self.children.items() if step.item.id in ids)
        if isinstance(step, PutInto):
            new = step.into.id if step.into else None
            self._refuse_loop(step.item.id, new)
            if step.item.kind not in (Kind.GROUP, Kind.SECTION) or (step.into and step.into.kind is not Kind.GROUP):
                raise ValueError("only sections and groups go into groups")
            self.children[old].remove(step.item.id)
            self.children.setdefault(new, []).append(step.item.id)
            return
        siblings = self.children[old]
        if step.anchor.id not in siblings or step.anchor.id == step.item.id:
            raise ValueError("only siblings can be sorted")
        siblings.remove(step.item.id)
        siblings.insert(siblings.index(step.anchor.id) + (step.where is Where.AFTER), step.item.id)

    def _refuse_loop(self, id: str, parent: str | None) -> None:
        while parent is not None:
            if parent == id:
                raise ValueError("a group cannot lie in itself")
            parent = next(above for above, ids in self.children.items() if parent in ids)

    @property
    def order(self) -> dict[str | None, tuple[str, ...]]:
        """What is where."""
        return {parent: tuple(ids) for parent, ids in self.children.items() if ids}
