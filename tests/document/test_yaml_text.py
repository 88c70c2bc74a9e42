from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
import yaml

from recto.document.yaml_text import (
    EACH,
    MOST_DIGITS,
    MOST_NESTED,
    MOST_WEIGHT,
    YamlError,
    read_plain_yaml,
    read_yaml,
)

LAUGHS = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n" + "".join(
    f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]\n" for n in range(1, 30)
)
MERGES = "a0: &a0 {k: v}\n" + "".join(f"a{n}: &a{n} {{<<: [{', '.join([f'*a{n - 1}'] * 10)}]}}\n" for n in range(1, 30))


@pytest.fixture
def events(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The events that have been asked for; nothing may be built of a text that is refused."""
    given: list[Any] = []
    parse = yaml.parse

    def count_nodes(text: str, **options: Any) -> Iterator[Any]:
        for event in parse(text, **options):
            given.append(event)
            yield event

    def build(*_: Any, **__: Any) -> None:
        raise AssertionError("a text that is to be refused was built")

    monkeypatch.setattr(yaml, "parse", count_nodes)
    monkeypatch.setattr(yaml, "load", build)
    return given


@pytest.mark.parametrize("read", [read_yaml, read_plain_yaml])
@pytest.mark.parametrize("nested", ["[", "{a: ", "- ", "? "])
def test_deep_nesting_is_refused_before_anything_is_built(events: list[Any], read: Any, nested: str) -> None:
    for times in (MOST_NESTED + 1, 30_000, 60_000):
        with pytest.raises(YamlError, match=f"nested more than {MOST_NESTED} deep"):
            read(nested * times)
        assert len(events) < 4 * MOST_NESTED + 10
        events.clear()


def test_short_front_matter_is_parsed_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(yaml, "parse")
    assert read_yaml("description: Words - and more.\ntags: [a, b]\n") == {
        "description": "Words - and more.",
        "tags": ["a", "b"],
    }
    deepest: Any = read_yaml("[" * MOST_NESTED + "]" * MOST_NESTED)
    for _ in range(MOST_NESTED):
        deepest = deepest[0] if deepest else None
    assert deepest is None


@pytest.mark.parametrize(
    "text",
    [
        "a: b\nc: 'd'\na: e\n",
        "a: true\nb: 1\nc: ~\nd: [x, {y: 1.5}]\ne: |\n  Long\n",
        "a: &x {k: v}\nb: *x\n<<: *x\n",
        "1: a\nyes: b\n~: c\n",
        "!!str 1: !!str 2\n? {a: b}\n: c\n",
        "!!map x",
        "=: a\nb: =\n",
        "a: {<<: {b: c}}\n",
        "- a: b\n",
    ],
)
def test_names_with_texts_are_built_as_all_else_is(text: str) -> None:
    def outcome(read: Any) -> Any:
        try:
            found = read(text)
        except (yaml.YAMLError, YamlError, TypeError):
            return "refused"
        return {str(name): value for name, value in found.items()} if isinstance(found, dict) else found

    assert outcome(read_yaml) == outcome(yaml.safe_load)


def test_what_is_nested_by_its_indentation_is_refused_before_anything_is_built(events: list[Any]) -> None:
    with pytest.raises(YamlError, match=f"nested more than {MOST_NESTED} deep"):
        read_yaml("".join(f"{' ' * place}a:\n" for place in range(MOST_NESTED + 2)))
    assert events


@pytest.mark.parametrize("text", [LAUGHS, MERGES])
def test_aliases_count_as_what_they_stand_for(events: list[Any], text: str) -> None:
    with pytest.raises(YamlError, match="unfolds into too many values"):
        read_yaml(text)
    assert len(events) < 200


def test_more_values_than_are_read_are_refused(events: list[Any]) -> None:
    with pytest.raises(YamlError, match="unfolds into too many values"):
        read_yaml("- 1\n" * (MOST_WEIGHT // EACH))
    assert len(events) < MOST_WEIGHT // EACH


@pytest.mark.parametrize(
    "number", ["9" * 4_000, "0x" + "f" * 3_600, "-0b" + "1" * 15_000, "0" + "7" * 5_000, "1:" * 500_000 + "1"]
)
@pytest.mark.parametrize("written", ["a: {}", "? {}\n: 1", "!!int '{}'"])
def test_a_whole_number_has_so_many_digits(events: list[Any], written: str, number: str) -> None:
    with pytest.raises(YamlError, match=f"a whole number has more than {MOST_DIGITS:,} digits"):
        read_yaml(written.format(number))


def test_long_texts_of_digits_are_no_numbers() -> None:
    assert read_yaml(f"a: 'x{'1' * 4_000}'\nb: {'ab1' * 2_000}\nc: '{'9' * 4_000}'\n")["c"] == "9" * 4_000
    assert len(str(read_yaml("a: 0x" + "f" * (MOST_DIGITS - 2))["a"])) > MOST_DIGITS


def test_an_alias_within_its_own_value_is_refused() -> None:
    with pytest.raises(YamlError, match=r"\*a is not defined before it \(line 1\)"):
        read_yaml("a: &a [*a]\n")


def test_values_are_those_of_json() -> None:
    text = "day: 2024-01-01\nnot: .nan\nwords: !!set {a}\nshared: &s [1, yes]\nagain: *s\n"
    assert read_yaml(text) == {
        "day": "2024-01-01",
        "not": "nan",
        "words": ["a"],
        "shared": [1, True],
        "again": [1, True],
    }
    assert read_plain_yaml("limit: 500\non: yes\n") == {"limit": "500", "on": "yes"}
