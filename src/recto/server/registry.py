"""Which handler answers which operation.

The handlers of the operations declared in ``recto.contract.spaces`` are in ``recto.server.handlers.spaces``, and are
imported when the first of them is asked for.
"""

from __future__ import annotations

import importlib
import importlib.util
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Concatenate, ParamSpec, TypeVar

from recto.contract.operation import Operation
from recto.server.bodies import STANDARD, BodyLimit
from recto.server.context import Context

P = ParamSpec("P")
R = TypeVar("R")

Handler = Callable[Concatenate[Context, P], R]


@dataclass(frozen=True, slots=True)
class Entry:
    """A handler; the path after ``/v1`` at which what it makes is found afterwards, where the answer says it.

    ``prepare`` works out, before the transaction begins, what the handler then finds in ``context.prepared``.
    ``limit`` is what the body may weigh. Calls with the same value of the parameter ``turn`` follow each other.
    """

    handler: Callable[..., Any]
    location: str | None = None
    prepare: Callable[..., Any] | None = None
    limit: BodyLimit = STANDARD
    turn: str | None = None


_entries: dict[Operation[Any, Any], Entry] = {}


def handles(
    operation: Operation[P, R],
    *,
    location: str | None = None,
    prepare: Handler[P, Any] | None = None,
    limit: BodyLimit = STANDARD,
    turn: str | None = None,
) -> Callable[[Handler[P, R]], Handler[P, R]]:
    """Register the decorated function as the one handler of an operation.

    A handler checks first, before it looks at the body, whether the caller may do this at all: it is called once
    before the body is read, and only as far as that (:func:`recto.server.requests.hold_permission`).

    ``location`` is for operations that answer 201 with a ``Location`` header: a path after ``/v1`` in which
    ``{space_id}`` stands for an argument and ``{answer.id}`` for a field of the answer. ``limit`` is for operations
    whose bodies may weigh more than others.

    ``prepare`` is for operations that write and have much to work out: it is called with the same arguments in a read
    transaction, and the handler finds what it returned in ``context.prepared``. The handler raises
    :class:`~recto.server.database.Moved` where that no longer fits what is there by then, and both are called again.
    ``prepare`` checks first, too, whether the caller may do this. ``turn`` names a parameter in the path: calls with
    the same value, which would mostly move what the others have prepared, wait for each other for a while.
    """

    def register(handler: Handler[P, R]) -> Handler[P, R]:
        if operation in _entries:
            raise ValueError(f"{operation!r} has a handler already")
        _entries[operation] = Entry(handler, location, prepare, limit, turn)
        return handler

    return register


def known_entry(operation: Operation[Any, Any]) -> Entry | None:
    """Return the handler of an operation if it is imported already, which takes no time."""
    return _entries.get(operation)


def entry(operation: Operation[Any, Any]) -> Entry | None:
    """Return the handler of an operation, importing its module if need be; ``None`` where this server has none."""
    if operation not in _entries:
        area = operation.resource.__module__.rpartition(".")[2]
        module = f"recto.server.handlers.{area}"
        if importlib.util.find_spec(module) is None:
            return None
        importlib.import_module(module)
    return _entries.get(operation)
