"""Translations: their life, who sees them, and what cannot be translated."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from recto.contract.jobs import JobState
from recto.contract.translations import RUN
from recto.server.platform import Platform
from recto.server.storage.database import Connection
from support.platform import FrozenClock, Speaker

NO_TEXT = {"object": "document", "data": {"schemaVersion": 1}, "nodes": []}


@pytest.fixture
def path(organization: str) -> str:
    return f"/orgs/{organization}/translations"


@pytest.fixture
def manual(make_space: Callable[[str], str]) -> str:
    return make_space("Manual")


def into(language: str, space: str) -> dict[str, Any]:
    return {"source": {"space": space, "language": "en"}, "language": language, "instructions": NO_TEXT}


async def test_a_new_translation_is_pending_and_has_no_result(
    ada: Speaker, path: str, manual: str, clock: FrozenClock
) -> None:
    made = await ada.send("POST", path, into("fr", manual), 201)
    now = "2026-03-02T09:00:00.000Z"
    stats = ("runs", "totalWords", "totalPages", "totalDuration", "latestRunDuration", "latestPages", "latestWords")
    assert made == {
        "object": "translation",
        "id": made["id"],
        "status": "pending",
        **into("fr", manual),
        "createdAt": now,
        "updatedAt": now,
        "stats": dict.fromkeys(stats, 0),
        "permissions": {"view": True, "edit": True},
        "urls": {"location": f"http://recto.test/v1{path}/{made['id']}"},
    }
    clock.advance(minutes=1)
    instructions = {**NO_TEXT, "nodes": [{"object": "block", "type": "paragraph"}]}
    changed = await ada.send("PUT", f"{path}/{made['id']}", {"instructions": instructions})
    assert changed["updatedAt"] == "2026-03-02T09:01:00.000Z"
    assert [each["type"] for each in changed["instructions"]["nodes"]] == ["paragraph"]
    assert await ada.get(path) == {"count": 1, "items": [changed]}


async def test_a_space_is_translated_once_into_another_language(ada: Speaker, path: str, manual: str) -> None:
    await ada.send("POST", path, into("fr", manual), 201)
    assert "has a translation into fr already" in await ada.refused("POST", path, 400, into("fr", manual))
    assert "language: the source is in en already" in await ada.refused("POST", path, 400, into("en", manual))
    assert "source.space: There is no space nowhere" in await ada.refused("POST", path, 400, into("fr", "nowhere"))
    await ada.send("POST", path, into("de", manual), 201)


async def test_who_may_not_see_the_source_does_not_see_its_translation(
    ada: Speaker, path: str, manual: str, speak: Callable[[Any], Speaker], clock: FrozenClock
) -> None:
    made = await ada.send("POST", path, into("fr", manual), 201)
    reader, creator = speak("read"), speak("create")
    assert (await reader.get(f"{path}/{made['id']}"))["permissions"] == {"view": True, "edit": False}
    await ada.send("PATCH", f"/spaces/{manual}", {"defaultLevel": None})
    assert (await reader.get(path))["items"] == []
    await reader.refused("GET", f"{path}/{made['id']}", 404)
    await creator.refused("POST", f"{path}/{made['id']}/run", 404)
    await creator.refused("POST", path, 400, into("de", manual))
    await ada.send("DELETE", f"/spaces/{manual}", status=204)
    for days in (0, 8):  # after which the space cannot be restored any more
        clock.advance(days=days)
        assert (await reader.get(path))["items"] == []
        assert [each["id"] for each in (await ada.get(path))["items"]] == [made["id"]]
    assert manual in await ada.refused("POST", f"{path}/{made['id']}/run", 404)


async def test_a_translation_whose_run_was_killed_is_pending(
    ada: Speaker, path: str, manual: str, platform: Platform
) -> None:
    made = await ada.send("POST", path, into("fr", manual), 201)

    def leave_behind(connection: Connection) -> None:
        values = {"kind": RUN, "what": "Manual (fr)", "caller": "", "started_at": made["createdAt"]}
        connection.insert("jobs", id=7, state=JobState.RUNNING.value, **values)
        connection.update("translations", made["id"], job=7)

    platform.database.write_now(leave_behind)
    assert await ada.get(f"{path}/{made['id']}") == made


async def test_without_an_engine_a_run_fails_and_says_which_setting_is_missing(
    ada: Speaker, path: str, manual: str, platform: Platform
) -> None:
    made = await ada.send("POST", path, into("fr", manual), 201)
    refusal = await ada.refused("POST", f"{path}/{made['id']}/run", 412)
    assert "Set “translation_command”" in refusal
    (record,) = platform.database.read_now(platform.jobs.find)
    assert (record.state, record.message) == (JobState.FAILED, refusal)
    assert (record.kind, record.what, record.space) == (RUN, "Manual (fr)", manual)
    assert await ada.get(f"{path}/{made['id']}") == made
    body = {"instructions": NO_TEXT, "translationCommand": ["sh"]}
    assert "translationCommand" in await ada.refused("PUT", f"{path}/{made['id']}", 400, body)
