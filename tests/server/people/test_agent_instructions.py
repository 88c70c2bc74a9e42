from __future__ import annotations

from typing import Any

import pytest

from recto.contract.common import Role
from recto.server.people.access import ROLES
from recto.server.platform import Platform
from support.platform import BASE_URL, FrozenClock, Speaker, join, stranger


@pytest.fixture
def path(organization: str) -> str:
    return f"/orgs/{organization}/agent-instructions"


def document_of(text: str) -> dict[str, Any]:
    """A document of one paragraph, with a block of an unknown type behind it."""
    leaves = [{"object": "leaf", "text": text, "marks": [{"object": "mark", "type": "bold"}]}]
    paragraph = {"object": "block", "type": "paragraph", "key": "p1", "nodes": [{"object": "text", "leaves": leaves}]}
    unknown = {"object": "block", "type": "hologram", "isVoid": True, "data": {"align": "center", "depth": 3}}
    return {
        "object": "document",
        "data": {"schemaVersion": 7, "mood": "calm"},
        "nodes": [paragraph, unknown, {"object": "whatever", "x": None}],
    }


async def test_there_are_none_at_first(platform: Platform, ada: Speaker, path: str) -> None:
    found = await ada.get(path)
    assert found["object"] == "agent-instructions"
    assert found["instructions"]["object"] == "document"
    assert not found["instructions"].get("nodes")
    assert found["urls"] == {"location": f"{BASE_URL}/v1{path}"}
    assert (found["updatedAt"], found["updatedBy"]) == ("2026-03-02T09:00:00.000Z", platform.owner)


async def test_what_is_written_comes_back_as_it_was(
    platform: Platform, ada: Speaker, organization: str, path: str, clock: FrozenClock
) -> None:
    anna = join(platform, organization, "Anna Admin", "admin")
    for speaker, who, hour in ((ada, platform.owner, 10), (Speaker(platform, anna), anna, 11)):
        clock.advance(hours=1)
        written = await speaker.send("PUT", path, {"instructions": document_of(f"At {hour}")})
        assert written == {
            "object": "agent-instructions",
            "instructions": document_of(f"At {hour}"),
            "updatedAt": f"2026-03-02T{hour}:00:00.000Z",
            "updatedBy": who,
            "urls": {"location": f"{BASE_URL}/v1{path}"},
        }
        assert await ada.get(path) == written


async def test_written_twice_it_says_the_same(ada: Speaker, path: str) -> None:
    once = await ada.send("PUT", path, {"instructions": document_of("Be brief.")})
    assert await ada.send("PUT", path, {"instructions": document_of("Be brief.")}) == once


@pytest.mark.parametrize(
    ("body", "complaint"),
    [
        ({}, "instructions: is required"),
        ({"instructions": None}, "instructions: must be an object"),
        ({"instructions": "Be brief."}, "instructions: must be an object"),
        ({"instructions": {"object": "block", "type": "paragraph"}}, "instructions.object: one of 'document'"),
        ({"instructions": {"nodes": 3}}, "instructions.nodes: must be a list"),
        ({"instructions": {}, "tone": "calm"}, "tone: is not a field of this request"),
    ],
)
async def test_what_is_no_document_is_refused(ada: Speaker, path: str, body: dict[str, Any], complaint: str) -> None:
    before = await ada.send("PUT", path, {"instructions": document_of("Be brief.")})
    assert (await ada.refused("PUT", path, 400, body)).startswith(complaint)
    assert await ada.get(path) == before


@pytest.mark.parametrize("role", [*ROLES, None])
async def test_members_read_and_admins_write(
    platform: Platform, organization: str, path: str, role: Role | None
) -> None:
    speaker = Speaker(platform, join(platform, organization, "Max Member", role))
    await speaker.get(path, status=200 if role else 403)
    if role == "admin":
        await speaker.send("PUT", path, {"instructions": document_of("Mine")})
    else:
        assert "admin role" in await speaker.refused("PUT", path, 403, {"instructions": document_of("Mine")})


async def test_of_what_one_does_not_see(platform: Platform, ada: Speaker, path: str) -> None:
    for speaker, where in ((Speaker(platform, stranger(platform)), path), (ada, "/orgs/unknown/agent-instructions")):
        await speaker.refused("GET", where, 404)
        await speaker.refused("PUT", where, 404, {"instructions": {}})
