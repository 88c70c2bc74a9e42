"""Where edits of pages go, and how their text is recognised on the platform."""

from __future__ import annotations

from datetime import UTC, datetime
from pathlib import Path

import pytest

from recto.store.content_writes import same_text
from recto.store.drafts import Draft, DraftKind, DraftPlace
from recto.store.editing import SUBJECT_LIMIT, Target, default_subject

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def draft(request: str | None, **facts: str) -> Draft:
    place = DraftPlace(space="s", change_request=request, page="p")
    return Draft("d", DraftKind.PAGE_EDIT, place, Path("text.md"), NOW, NOW, facts=facts)


@pytest.mark.parametrize(
    ("given", "sent", "same"),
    [
        ("# A\n\ntext\n", "# A\n\ntext\n", True),
        ("# A\n\ntext", "# A\n\ntext\n\n", True),
        ("# A\n\ntext\n", "---\ndescription: B\n---\n\n# A\n\ntext\n", True),
        ("# A\n\ntext\n", "\ufeff# A\r\n\r\ntext\r\n", True),
        ("# A\n\ntext\n", "# A\n\nother\n", False),
        ("# A\n\ntext\n", "# B\n\ntext\n", False),
    ],
)
def test_a_text_is_recognised_as_it_is_given_out(given: str, sent: str, same: bool) -> None:
    assert same_text(given, sent) is same


def test_a_draft_goes_where_it_was_started_for_unless_it_was_sent_elsewhere_since() -> None:
    started = draft("c1", subject="One", number="1")
    assert Target.of_draft(started) == Target("c1", "One", 1)
    assert Target.of_draft(draft("c1", **Target("c2", "Two", 2).facts)) == Target("c2", "Two", 2)
    new = Target.of_draft(draft("c1", **Target(subject="Three").facts))
    assert new == Target(None, "Three")
    assert new.name == "a new change request “Three”"


def test_a_long_title_makes_a_subject_that_is_not_too_long() -> None:
    assert default_subject("The  guide\n") == "Edit The guide"
    assert len(default_subject("word " * 60)) <= SUBJECT_LIMIT
