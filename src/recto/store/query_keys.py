"""Names of queries, and ways to choose among them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from recto.frozen import frozen

if TYPE_CHECKING:
    from recto.contract.operation import Operation


@frozen
class QueryKey:
    """The name of a query: the operation, its arguments, and whether it walks a list to its end."""

    operation: Operation[Any, Any]
    arguments: tuple[tuple[str, Any], ...]
    walks: bool = False

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.operation, self.arguments, self.walks))

    @classmethod
    def of(cls, operation: Operation[Any, Any], arguments: Mapping[str, Any], *, walks: bool = False) -> QueryKey:
        """Name a call with these arguments by parameter name; the ids in an address count as arguments, too."""
        named = {**arguments, **arguments["at"].arguments} if "at" in arguments else arguments
        return cls(operation, tuple((name, _hashable(value)) for name, value in sorted(named.items())), walks)

    def argument(self, name: str) -> Any:
        """Return an argument; ``None`` where the operation has no such parameter."""
        return dict(self.arguments).get(name)

    def has(self, arguments: Mapping[str, Any]) -> bool:
        """Whether the call has all these arguments with these values."""
        mine = dict(self.arguments)
        return all(name in mine and mine[name] == _hashable(value) for name, value in arguments.items())


Chooser = Callable[[QueryKey], bool]
"""Returns whether a query is chosen."""


def calls(operation: Operation[Any, Any], **arguments: Any) -> Chooser:
    """Choose the queries of an operation, of all its calls or of those with these arguments."""
    return lambda key: key.operation is operation and key.has(arguments)


def about(**arguments: Any) -> Chooser:
    """Choose the queries of any operation that were asked with these arguments, such as ``space_id``."""
    return lambda key: key.has(arguments)


def _hashable(value: Any) -> Any:
    if isinstance(value, (list, tuple)):
        return tuple(_hashable(item) for item in value)
    if isinstance(value, (set, frozenset)):
        return frozenset(_hashable(item) for item in value)
    if isinstance(value, dict):
        return tuple(sorted((key, _hashable(item)) for key, item in value.items()))
    return value
