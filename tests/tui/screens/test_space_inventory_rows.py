"""How files, links and revisions of a space stand in their lists."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from recto.contract.change_requests import ChangeRequest
from recto.contract.common import User
from recto.contract.content import Dimensions, File, Page
from recto.contract.links import ReferencedContent
from recto.store.links import SpaceLink
from recto.store.revisions import PastRevision
from recto.tui.lists.rows import ItemRows
from recto.tui.screens.space.inventory_rows import file_rows, link_rows, revision_rows

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
WIDTH = 100


def draw(rows: ItemRows[Any]) -> str:
    """The one row there is, its left and its right side apart by one blank."""
    (line,) = rows.draw(0, WIDTH)
    text = "".join(text for text, _role in line)
    left, _, right = text.rpartition("   ")
    return f"{left.rstrip()} | {right.strip()}" if left else text.rstrip()


@pytest.mark.parametrize(
    ("fields", "right"),
    [
        ({"content_type": "application/pdf", "size": 34_000}, "application/pdf · 34.0 KB"),
        (
            {"content_type": "image/png", "size": 812, "dimensions": Dimensions(width=640, height=480)},
            "image/png · 640 x 480 · 812 B",
        ),
    ],
)
def test_a_file_says_what_it_is_and_how_large(fields: dict[str, Any], right: str) -> None:
    assert draw(file_rows([File(id="f1", name="report", **fields)], ())) == f"report | {right}"


def revision(**fields: Any) -> str:
    made = PastRevision("r1", fields.pop("type", "edits"), NOW - timedelta(hours=2), fields.pop("number", 3), **fields)
    return draw(revision_rows([made], NOW))


def request(subject: str = "Say it better") -> ChangeRequest:
    return ChangeRequest(id="c1", number=7, subject=subject, created_by=User(id="u1", display_name="Ada Lovelace"))


def test_a_revision_says_when_how_by_whom_and_from_which_change_request() -> None:
    assert revision(type="merge", request=request()) == "○ 2 h ago      merged #7 Say it better | by Ada Lovelace"
    assert revision(type="merge", request=request("")) == "○ 2 h ago      merged #7 without a subject | by Ada Lovelace"


def test_the_revision_of_now_is_marked() -> None:
    assert revision(number=0).split() == ["●", "2", "h", "ago", "|", "edited", "now"]


def test_a_revision_of_a_commit_says_its_message_and_which() -> None:
    made = revision(type="update", message="Sync from Git", commit="0a1b2c3d")
    assert made == "○ 2 h ago      updated: Sync from Git | 0a1b2c3d"


def test_an_unknown_kind_of_revision_is_named_as_it_is() -> None:
    assert "restored" in revision(type="restored")


def link(status: str, text: str = "the guide", **target: Any) -> str:
    found = SpaceLink(0, status, ReferencedContent(**target), "/pages/g1", text, "w1", "Welcome", 3)
    return draw(link_rows([found], ()))


def test_a_link_says_its_status_what_it_leads_to_and_where_it_is_written() -> None:
    guide = Page(id="g1", title="The manual")
    assert link("ok", kind="page", page=guide) == "→ page    the guide  The manual | in Welcome"
    assert link("ok", kind="anchor", page=guide, anchor="end") == "→ place   the guide  The manual #end | in Welcome"
    assert link("broken", kind="page", page=guide) == "× broken  the guide  /pages/g1 | in Welcome"
    assert link("ok", text="", kind="file", file=File(id="f", name="a.pdf")) == "→ file    a.pdf | in Welcome"
