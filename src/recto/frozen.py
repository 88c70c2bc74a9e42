"""Frozen values with slots, made quickly.

A start makes a hundred and fifty such classes. ``dataclasses`` compiles six functions for each, which is a tenth of
the start; here it compiles one, ``__init__``, and the others are shared. That nothing is set afterwards is held by the
type checker alone.
"""

from __future__ import annotations

from dataclasses import dataclass, field, fields
from operator import attrgetter
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[T], /) -> type[T]:
    """Make a class a dataclass with slots whose objects are not to be changed: equal and hashed by their fields."""
    own = cls.__dict__
    # An ``__eq__`` of its own has Python put None in place of the hash.
    has_hash = own.get("__hash__") is not None
    made: Any = dataclass(slots=True, eq=False, repr=False)(cls)
    compared = [each.name for each in fields(made) if each.compare]
    values = attrgetter(*compared) if compared else _no_values

    def equal(self: T, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def hash_values(self: T) -> int:
        return hash(values(self))

    if "__eq__" not in own:
        made.__eq__ = equal
    if not has_hash:
        made.__hash__ = hash_values
    if "__repr__" not in own:
        made.__repr__ = _repr
    return made  # type: ignore[no-any-return]


def _no_values(_: object) -> tuple[()]:
    return ()


def _repr(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"
