from __future__ import annotations

import pytest

from recto.document.markdown.front_matter import split_front_matter


def test_front_matter_and_text_are_the_page_again() -> None:
    page = "---\ntitle: Hi\nhidden: true\ntags: [a, b]\nsince: 2024-01-01\n---\n\n# Hi\n"
    front, text = split_front_matter(page)
    assert front.values == {"title": "Hi", "hidden": True, "tags": ["a", "b"], "since": "2024-01-01"}
    assert (front.source + text, front.lines, front.problem) == (page, 6, None)


@pytest.mark.parametrize(
    "page", ["# Hi\n", "---\nnever closed\n", "---\nwords between dividers\n---\n", "--- x\n---\n", ""]
)
def test_other_pages_have_none(page: str) -> None:
    front, text = split_front_matter(page)
    assert (front.source, front.values, text) == ("", {}, page)


@pytest.mark.parametrize(
    ("yaml", "problem"),
    [
        ("title: [", "The front matter is not valid YAML"),
        ("a: b: c", "mapping values are not allowed in this context (line 2)"),
        ("a: &x [1]\nb: *x", "aliases are not allowed"),
        ("a: " + "[" * 3000, "nested more than 50 deep (line 2)"),
        ("a: " + "[" * 60_000, "nested more than 50 deep (line 2)"),
        ("a: !!bool perhaps", "not of the type that its tag names"),
        ("a: !!python/object:os.system x", "could not determine a constructor"),
        ("a: " + "x" * 70_000, "longer than 64 KB"),
        ("a: \x07", "The front matter is not valid YAML"),
    ],
)
def test_unreadable_front_matter_is_kept_and_reported(yaml: str, problem: str) -> None:
    front, text = split_front_matter(f"---\n{yaml}\n---\ntext\n")
    assert front.problem is not None
    assert problem in front.problem
    assert (front.values, front.source, text) == ({}, f"---\n{yaml}\n---\n", "text\n")
