from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import KW_ONLY, field, replace
from functools import cached_property
from inspect import signature
from threading import Barrier
from typing import ClassVar

import pytest

from recto import frozen as frozen_module
from recto.frozen import fields_of, frozen, record


@frozen
class Point:
    """A point with a note that is not compared and a secret that is not shown."""

    x: int
    y: int = 0
    note: str = field(default="", compare=False)
    secret: str = field(default="", repr=False)


@frozen
class Pair:
    """Has the fields of a point that are compared."""

    x: int
    y: int = 0
    secret: str = ""


@frozen
class Named:
    """Has fields that are given by name, and a property that is found out once."""

    _: KW_ONLY
    name: str
    asked: list[str] = field(default_factory=list, compare=False)

    @cached_property
    def loud(self) -> str:
        """The name in capitals."""
        self.asked.append(self.name)
        return self.name.upper()


@record
class Counted:
    """Changes."""

    name: str
    count: int = 0


@frozen
class Nothing:
    """Has no fields."""


@frozen
class Checked:
    """Looks at each of its objects."""

    seen: ClassVar[list[int]] = []
    number: int

    def __post_init__(self) -> None:
        self.seen.append(self.number)


@frozen
class Loose:
    """Compares and shows itself in its own way."""

    text: str

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Loose) and self.text.lower() == other.text.lower()

    def __hash__(self) -> int:
        return hash(self.text.lower())

    def __repr__(self) -> str:
        return "loose"


def test_values_are_equal_and_hashed_by_the_fields_that_are_compared() -> None:
    assert Point(1, 2, "a") == Point(1, 2, "b") != Point(1, 3)
    assert len({Point(1, 2, "a"), Point(1, 2, "b"), Point(2, 1)}) == 2
    assert Nothing() == Nothing()
    assert len({Nothing(), Nothing()}) == 1


def test_a_class_looks_at_the_first_objects_and_at_many() -> None:
    for number in range(100):
        Checked(number)
    assert Checked.seen == [*range(100)]


def test_values_of_two_classes_are_never_equal() -> None:
    different: list[object] = [Point(1, 2), Pair(1, 2), (1, 2, "")]
    assert all(one != other for one in different for other in different if one is not other)


def test_a_value_shows_its_fields_but_those_that_are_not_to_be_shown() -> None:
    assert repr(Point(1, secret="s")) == "Point(x=1, y=0, note='')"


def test_what_a_class_says_itself_holds() -> None:
    assert Loose("A") == Loose("a")
    assert len({Loose("A"), Loose("a")}) == 1
    assert repr(Loose("A")) == "loose"


def test_a_value_has_slots_can_be_replaced_and_matched() -> None:
    point = replace(Point(1), y=5)
    with pytest.raises(AttributeError):
        point.z = 1  # type: ignore[attr-defined]
    match point:
        case Point(x, y):
            assert (x, y) == (1, 5)


def test_a_class_is_completed_at_its_first_object_with_those_it_extends() -> None:
    @frozen
    class Base:
        x: int
        y: int = 1

    @frozen
    class Extended(Base):
        z: list[int] = field(default_factory=list)
        words: ClassVar = "three"

    class Plain(Extended):
        def __init__(self, x: int) -> None:
            super().__init__(x, 7)

    assert not hasattr(Base, "__dataclass_fields__")
    assert (Plain(1).x, Plain(1).y, Plain(1).z) == (1, 7, [])
    assert [each.name for each in fields_of(Extended)] == ["x", "y", "z"]
    assert Extended(1) == Extended(1, 1, []) != Base(1)
    assert Extended.words == "three"


def test_threads_that_make_the_first_objects_at_once_all_get_one() -> None:
    for _ in range(50):

        @frozen
        class Value:
            x: int
            y: tuple[int, ...] = field(default_factory=tuple)

        ready = Barrier(8)

        def make(x: int, kind: type[Value] = Value, ready: Barrier = ready) -> Value:
            ready.wait()
            return kind(x)

        with ThreadPoolExecutor(8) as pool:
            assert [value.x for value in pool.map(make, range(8))] == list(range(8))
        assert Value(1) == Value(1)


def test_a_class_refuses_at_its_first_object_what_it_refuses_later() -> None:
    @frozen
    class Value:
        x: int

    for _ in range(2):
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
            Value()  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="takes from 2 to 5 positional arguments but 6 were given"):
        Point(1, 2, "", "", 5)  # type: ignore[call-arg]
    with pytest.raises(TypeError, match="multiple values for argument 'x'"):
        Pair(1, x=1)  # type: ignore[misc]


def test_objects_are_alike_before_and_after_there_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frozen_module, "_MANY", 2)

    @frozen
    class Value(Pair):
        more: list[int] = field(default_factory=list, compare=False)

    values = [Value(1, secret="s") for _ in range(5)]

    assert [*signature(Value).parameters] == ["x", "y", "secret", "more"]  # that of the compiled one
    assert len({*values}) == 1
    assert len({id(value.more) for value in values}) == 5
    assert repr(values[0]) == repr(values[-1])


def test_a_property_is_found_out_once_and_does_not_count() -> None:
    named = Named(name="ada")
    assert (named.loud, named.loud, named.asked) == ("ADA", "ADA", ["ada"])
    assert named == Named(name="ada")
    assert replace(named, name="grace").loud == "GRACE"


def test_fields_may_be_given_by_name_alone() -> None:
    with pytest.raises(TypeError):
        Named("ada")  # type: ignore[call-arg]
    assert repr(Named(name="ada")) == "Named(name='ada', asked=[])"


def test_a_record_changes_and_is_equal_to_itself_alone() -> None:
    record = Counted("one")
    record.count += 1
    assert (record.name, record.count) == ("one", 1)
    assert record == record and record != Counted("one", 1)
    assert {record: "kept"}[record] == "kept"
    assert not hasattr(record, "__dict__")
    assert repr(record) == "Counted(name='one', count=1)"
