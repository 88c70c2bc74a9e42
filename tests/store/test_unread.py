"""What could not be read of a list is never taken for not being there."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest

from recto.client.errors import ClientError
from recto.client.sender import Sender
from recto.contract.addresses import Main
from recto.contract.structure import Structure
from recto.contract.unread import unread_of
from recto.store.arrangement import Arrangement, Kind
from recto.store.drafts import Drafts
from recto.store.moves import Move, Refusal, Where, apply_move
from recto.store.mutation import NotArrived
from recto.store.rearranging import SiteAddress, rearrangement
from recto.store.store import Store
from recto.store.talking import CommentChanges
from support.platform import FrozenClock

Answer = Callable[[httpx.Request], httpx.Response]


@pytest.fixture
def store(tmp_path: Path) -> Callable[[dict[str, Any]], Store]:
    """Make a store whose platform has these answers by the end of a path; the rest is not found."""

    def make(answers: dict[str, Any]) -> Store:
        def answer(request: httpx.Request) -> httpx.Response:
            path = f"{request.method} {request.url.path}"
            found = next((value for pattern, value in answers.items() if re.search(pattern + "$", path)), None)
            if isinstance(found, bytes):
                return httpx.Response(200, content=found)
            if found is None:
                return httpx.Response(404, json={"error": {"code": 404, "message": "Not Found"}})
            return httpx.Response(200, json=found)

        clock = FrozenClock()
        sender = Sender("https://x.y", None, transport=lambda: httpx.MockTransport(answer))
        return Store(sender, Drafts(tmp_path / "drafts", clock), clock=clock)

    return make


@pytest.mark.parametrize("readable", [True, False])
async def test_a_comment_among_what_cannot_be_read_may_have_arrived(
    readable: bool, store: Callable[[dict[str, Any]], Store]
) -> None:
    other = {"object": "comment", "id": "c1", "status": "open" if readable else ["open"]}
    platform = store(
        {
            "POST .*/comments": b"{",
            "GET .*/comments": {"items": [other]},
            "GET /v1/user": {"object": "user", "id": "u1"},
        }
    )
    outcome = await platform.run(CommentChanges(Main("s1")).comment("Hello"))
    assert isinstance(outcome.error, NotArrived) == readable
    assert outcome.error is not None
    assert outcome.error.may_have_arrived == (not readable)


SECTIONS = {"items": [{"object": "site-section", "id": "a", "title": "A"}, {"object": "site-section", "id": "b"}]}
BROKEN = {"items": [*SECTIONS["items"], {"object": "site-section", "id": "c", "title": 4}]}


async def test_a_structure_of_lists_has_what_could_not_be_read_of_them(
    store: Callable[[dict[str, Any]], Store],
) -> None:
    spaces = {"items": [{"object": "site-space", "id": "p", "section": "a"}]}
    platform = store({"GET .*/sites/w": {"id": "w"}, "GET .*/sections": BROKEN, "GET .*/site-spaces": spaces})
    structure = await platform.fetch(Structure.get_structure, "o", "w")
    assert [note.id for note in unread_of(structure)] == ["c"]
    arrangement = Arrangement.of(structure)
    assert arrangement.children == {None: ("a", "b"), "a": ("p",)}
    assert arrangement.items["a"].kind is Kind.SECTION
    refused = apply_move(arrangement, Move(("a",), "b", Where.AFTER))
    assert isinstance(refused, Refusal)
    assert "could not be read" in refused.reason
    whole = Arrangement(arrangement.items, arrangement.children)
    wanted = whole.with_order({None: ("b", "a")})
    outcome = await platform.run(rearrangement(SiteAddress("o", "w"), whole, wanted, doing="Moving", done="Moved"))
    assert isinstance(outcome.error, ClientError)
    assert "could not be read" in outcome.error.why


async def test_a_site_without_sections_has_site_spaces(store: Callable[[dict[str, Any]], Store]) -> None:
    spaces = {"items": [{"object": "site-space", "id": "p"}, {"object": "site-space", "id": "q"}]}
    answers = {"GET .*/sites/w": {"id": "w"}, "GET .*/sections": {"items": []}, "GET .*/site-spaces": spaces}
    structure = await store(answers).fetch(Structure.get_structure, "o", "w")
    assert (structure.type, [one.id for one in structure.structure]) == ("siteSpaces", ["p", "q"])


async def test_groups_of_lists_nest_as_they_say(store: Callable[[dict[str, Any]], Store]) -> None:
    sections = {"items": [{"object": "site-section", "id": name, "sectionGroup": group} for name, group in
                          (("a", None), ("b", "g"), ("c", "g"), ("d", "h"))]}  # fmt: skip
    inside = [{"object": "site-section", "id": "c"}, {"object": "site-section", "id": "b"}]
    groups = {"items": [{"object": "site-section-group", "id": "g", "sections": inside},
                        {"object": "site-section-group", "id": "h", "sectionGroup": "g"}]}  # fmt: skip
    answers = {
        "GET .*/sites/w": {"id": "w"}, "GET .*/sections": sections, "GET .*/site-spaces": {"items": []},
        "GET .*/section-groups": groups,
    }  # fmt: skip
    structure = await store(answers).fetch(Structure.get_structure, "o", "w")
    assert Arrangement.of(structure).children == {None: ("g", "a"), "g": ("h", "c", "b"), "h": ("d",)}
