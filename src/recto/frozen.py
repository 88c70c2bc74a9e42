"""Frozen values and records with slots, completed when the first object of a class is made.

A start imports some two hundred such classes and makes objects of a quarter of them, a few of most. ``dataclasses``
compiles functions for each, which would be a tenth of the start: here it compiles one, ``__init__``, for a class that
has many objects, and equality and hash are shared. Only the type checker ensures that nothing is set afterwards.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, Field, dataclass, field, fields
from functools import cached_property
from operator import attrgetter
from threading import Lock
from typing import Any, TypeVar, dataclass_transform

T = TypeVar("T")

_MADE_BY_DATACLASS = ("__dataclass_fields__", "__dataclass_params__", "__match_args__")

_MANY = 40
"""The number of objects for which compiling ``__init__`` takes less time than it saves."""

_incomplete: dict[type, type] = {}
"""By class: the same class as it was written, with the defaults of its fields."""

_completing = Lock()


@dataclass_transform(frozen_default=True, field_specifiers=(field,))
def frozen(cls: type[T], /) -> type[T]:
    """Make a class a dataclass with slots whose objects are not to be changed: equal and hashed by their fields."""
    return _with_slots(cls)


@dataclass_transform(eq_default=False, field_specifiers=(field,))
def record(cls: type[T], /) -> type[T]:
    """Make a class a dataclass with slots whose objects change: each is equal to itself alone."""
    cls.__eq__, cls.__hash__ = object.__eq__, object.__hash__  # type: ignore[method-assign]
    return _with_slots(cls)


def _with_slots(cls: type[T]) -> type[T]:
    names = [name for name, kind in cls.__annotations__.items() if not kind.startswith(("ClassVar", "KW_ONLY"))]
    without = {*names, "__dict__", "__weakref__"}
    if any(isinstance(value, cached_property) for value in cls.__dict__.values()):
        names.append("__dict__")  # where such a property keeps its value
    body = {name: value for name, value in cls.__dict__.items() if name not in without}

    def complete_and_init(self: Any, *args: Any, **kwargs: Any) -> None:
        _complete(made)
        made.__init__(self, *args, **kwargs)

    added = {"__qualname__": cls.__qualname__, "__slots__": names, "__init__": complete_and_init}
    metaclass: Any = type(cls)
    made = metaclass(cls.__name__, cls.__bases__, {**body, **added})
    _incomplete[made] = cls
    return made  # type: ignore[no-any-return]


def fields_of(cls: type) -> tuple[Field[Any], ...]:
    """Return the fields of a frozen class, whether it has objects yet or not."""
    _complete(cls)
    return fields(cls)


def _complete(cls: type) -> None:
    """Give a class, and the frozen ones that it extends, the functions that depend on its fields."""
    with _completing:
        for each in reversed(cls.__mro__):
            if each in _incomplete:
                _complete_one(each, _incomplete[each])
                del _incomplete[each]


def _complete_one(made: Any, written: type) -> None:
    # An ``__eq__`` in the class statement has Python put None in place of the hash.
    has_hash = written.__dict__.get("__hash__") is not None
    has_repr = "__repr__" in written.__dict__
    has_equal = "__eq__" in written.__dict__
    dataclass(init=False, eq=False, repr=False)(written)
    compared = [each.name for each in fields(written) if each.compare]
    values = attrgetter(*compared) if compared else _no_values

    def equal(self: Any, other: object) -> bool:
        return values(self) == values(other) if other.__class__ is self.__class__ else NotImplemented

    def hash_values(self: Any) -> int:
        return hash(values(self))

    if not has_equal:
        made.__eq__ = equal
    if not has_hash:
        made.__hash__ = hash_values
    if not has_repr:
        made.__repr__ = _repr
    for name in _MADE_BY_DATACLASS:
        setattr(made, name, written.__dict__[name])
    # This opens the class to other threads.
    made.__init__ = _init_of_few(made, written)


def _init_of_few(made: Any, written: type) -> Callable[..., None]:
    """Return an ``__init__`` that sets field by field, until there are many objects or a call does not fit."""
    known = fields(written)
    names = {each.name for each in known}
    by_place = [each.name for each in known if not each.kw_only]
    calls = 0
    ends = hasattr(written, "__post_init__")

    def init(self: Any, *args: Any, **kwargs: Any) -> None:
        nonlocal calls
        calls += 1
        values = dict(zip(by_place, args, strict=False)) | kwargs
        fits = len(values) == len(args) + len(kwargs) and values.keys() <= names
        for each in known if len(values) < len(names) else ():
            if each.name not in values and each.default_factory is not MISSING:
                values[each.name] = each.default_factory()
            elif each.name not in values:
                values[each.name] = each.default
                fits = fits and each.default is not MISSING
        if calls > _MANY or not fits:
            _compile_init(made, written)
            made.__init__(self, *args, **kwargs)
            return
        for name, value in values.items():
            setattr(self, name, value)
        if ends:
            self.__post_init__()

    return init


def _compile_init(made: Any, written: Any) -> None:
    """Give a class the ``__init__`` of a dataclass, which also says what does not fit."""
    with _completing:
        for each in fields(written):
            if each.name in written.__annotations__:
                setattr(written, each.name, each)  # as it stood there before the fields were collected
        dataclass(eq=False, repr=False)(written)
        made.__init__ = written.__init__


def _no_values(_: object) -> tuple[()]:
    return ()


def _repr(self: Any) -> str:
    shown = (f"{each.name}={getattr(self, each.name)!r}" for each in fields(self) if each.repr)
    return f"{type(self).__qualname__}({', '.join(shown)})"
