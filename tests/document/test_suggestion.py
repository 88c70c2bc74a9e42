from __future__ import annotations

import pytest

from recto.document.suggestion import Suggestion, end_of_suggestion, find_suggestion, write_suggestion


def test_the_proposed_text_is_found_in_the_comment() -> None:
    comment = "Shorter:\n\n```suggestion\nOne\n\ntwo\n```\n\nWhat do you think?"
    assert find_suggestion(comment) == Suggestion("One\n\ntwo", "Shorter:\n\nWhat do you think?")


@pytest.mark.parametrize("comment", ["no fence", "```python\nx\n```", "```suggestion\nnever closed"])
def test_other_comments_propose_nothing(comment: str) -> None:
    assert find_suggestion(comment) is None


@pytest.mark.parametrize("text", ["One line", "", "```python\nx\n```", "a\n\n````\nb\n````"])
def test_what_is_proposed_is_read_back(text: str) -> None:
    assert find_suggestion(write_suggestion(text, "Why.")) == Suggestion(text, "Why.")


@pytest.mark.parametrize(
    ("comment", "before"),
    [
        (write_suggestion("One\ntwo"), "```suggestion\nOne\ntwo"),
        (write_suggestion("", "Why."), "Why.\n\n```suggestion\n"),
        ("no fence", None),
        ("```suggestion\nOne\n```\nWhat do you think?", None),
    ],
)
def test_the_end_of_what_is_proposed_is_found(comment: str, before: str | None) -> None:
    end = end_of_suggestion(comment)
    assert (None if end is None else comment[:end]) == before
