from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recto.server.content import objects
from recto.server.content.imported_tree import ImportedPage, ImportedTree, import_tree
from recto.server.content.keys import block_keys
from recto.server.content.main_content import set_main
from recto.server.content.objects import Remembered, load_text, save_blob
from recto.server.content.revisions import content_of, create_revision, get_revision, main_revision
from recto.server.content.search import forget
from recto.server.platform import Platform
from recto.server.spaces import removal
from recto.server.spaces.removal import remove_space, sweep_content
from recto.server.spaces.spaces import add_space
from recto.server.storage.database import Connection
from support.content import Desk, make_space
from support.platform import FrozenClock, Speaker, own_organization

CONTENT = ("texts", "nodes", "manifests", "blobs", "block_keys")
OWN = (
    "revisions", "change_requests", "reviews", "review_requests", "comments", "replies", "reactions", "conflicts",
    "search_sections", "search",
)  # fmt: skip
PAGES = (
    ImportedPage("start", "Start", "start", text="Hello.\n\nRead on.\n"),
    ImportedPage("more", "More", "more", text="More.\n", children=(ImportedPage("deep", "Deep", "deep", text="D.\n"),)),
)


@pytest.fixture(autouse=True)
def forgetful(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is read is read from the file."""
    for name in ("_nodes", "_trees", "_manifests"):
        monkeypatch.setattr(objects, name, Remembered(0))


def counts(platform: Platform, *tables: str) -> dict[str, int]:
    return platform.database.read_now(
        lambda connection: {table: connection.value(f"SELECT count(*) FROM {table}") for table in tables}
    )


async def swept(platform: Platform) -> None:
    """Wait for the sweep that the last write began."""
    assert platform.sweeper._thread is not None
    await asyncio.to_thread(platform.sweeper._thread.join)


def read_everything(connection: Connection) -> dict[str, Any]:
    """All that the revisions that are left hold, read to the last byte; fails where something is not there."""
    read: dict[str, Any] = {}
    for revision in connection.column("SELECT id FROM revisions"):
        content = content_of(connection, get_revision(connection, revision))
        pages = [
            (
                node.id,
                node.title,
                load_text(connection, node.text),
                block_keys(objects.PendingObjects(connection), node.id, node.text),
            )
            for node in content.root.walk()
        ]
        assert None not in [text for _, _, text, _ in pages]
        files = [objects.load_blob(connection, file["blob"]) for file in content.files if "blob" in file]
        assert None not in files
        contents = [load_text(connection, each["text"]) for each in content.extras.get("reusableContents", ())]
        assert None not in contents
        read[revision] = (pages, files, contents, json.dumps(dict(content.extras), sort_keys=True))
    return read


def with_file(platform: Platform, content: bytes) -> Mapping[str, Any]:
    blob = platform.database.write_now(lambda connection: save_blob(connection, content))
    return {"id": "file", "name": "a.txt", "contentType": "text/plain", "size": len(content), "blob": blob}


async def busy_space(platform: Platform, ada: Speaker, words: str) -> str:
    """A space with a file, a reusable content, edits, a merge, a conflict, a review, comments and a reaction."""
    pages = (ImportedPage("own", words, "own", text=f"{words}.\n\nTwice.\n"), *PAGES)
    included = {"id": "note", "title": "Note", "text": f"A note on {words}.\n"}
    space = make_space(platform, pages, files=[with_file(platform, words.encode())], reusable_contents=[included])
    first, second = await Desk.open(ada, space), await Desk.open(ada, space)
    await first.edit("own", f"# {words}\n\nMine, {words}.\n")
    await second.edit("own", f"# {words}\n\nTheirs, {words}.\n")
    await ada.send("POST", f"{first.path}/reviews", {"status": "approved", "comment": {"markdown": "Good."}}, 201)
    await first.merge()
    assert (await second.update())["result"] == "conflicts"
    comment = await ada.send("POST", f"/spaces/{space}/comments", {"body": {"markdown": "Hm."}})
    said = f"/spaces/{space}/comments/{comment['id']}"
    await ada.send("POST", f"{said}/replies", {"body": {"markdown": "Indeed."}})
    await ada.send("PUT", said, {"addedReactions": ["1f44d"]})
    return space


async def test_after_seven_days_nothing_of_a_space_is_left_and_all_of_the_others(
    platform: Platform, ada: Speaker, clock: FrozenClock
) -> None:
    kept = await busy_space(platform, ada, "kept")
    platform.database.write_now(lambda connection: forget(connection, 100))
    before, read = counts(platform, *CONTENT, *OWN), platform.database.read_now(read_everything)
    gone = await busy_space(platform, ada, "gone")
    await ada.send("DELETE", f"/spaces/{gone}", status=204)
    clock.advance(days=7)
    platform.sweeper.sweep()
    assert counts(platform, *OWN)["revisions"] > before["revisions"]
    assert await ada.get(f"/spaces/{gone}")
    clock.advance(milliseconds=1)
    platform.sweeper.sweep()
    assert counts(platform, *CONTENT, *OWN) == before
    assert platform.database.read_now(read_everything) == read
    assert [each["id"] for each in (await ada.get(f"/orgs/{own_organization(platform)}/spaces"))["items"]] == [kept]
    assert platform.database.read_now(lambda connection: connection.all("PRAGMA foreign_key_check")) == []
    for path in ("", "/content", "/comments"):
        await ada.refused("GET", f"/spaces/{gone}{path}", 404)
    await ada.refused("POST", f"/spaces/{gone}/restore", 404)
    await ada.send("DELETE", f"/spaces/{gone}", status=204)


async def test_a_copy_outlives_its_original_with_the_keys_of_its_blocks(
    platform: Platform, ada: Speaker, clock: FrozenClock
) -> None:
    space = await busy_space(platform, ada, "original")
    copy = (await ada.send("POST", f"/spaces/{space}/duplicate", status=201))["id"]
    page = f"/spaces/{copy}/content/page/own?format=document"
    seen = await ada.get(page)
    await ada.send("DELETE", f"/spaces/{space}", status=204)
    clock.advance(days=8)
    platform.sweeper.sweep()
    assert await ada.get(page) == seen
    assert platform.database.read_now(lambda c: [*read_everything(c)]) == [
        (await ada.get(f"/spaces/{copy}"))["revision"]
    ]
    found = await ada.get(f"/spaces/{copy}/search", query="Twice")
    assert found["count"] == 0
    assert (await ada.get(f"/spaces/{copy}/search", query="Mine"))["count"] == 1


async def test_a_site_goes_on_without_it(platform: Platform, ada: Speaker, clock: FrozenClock) -> None:
    first, second = make_space(platform, PAGES), make_space(platform, PAGES)
    organization = own_organization(platform)
    site = await ada.send("POST", f"/orgs/{organization}/sites", {"title": "Docs", "spaces": [first, second]}, 201)
    await ada.send("DELETE", f"/spaces/{first}", status=204)
    clock.advance(days=8)
    platform.sweeper.sweep()
    (left,) = (await ada.get(f"/orgs/{organization}/sites/{site['id']}/site-spaces"))["items"]
    assert (left["space"]["id"], left["default"]) == (second, True)
    stored = platform.database.read_now(lambda c: c.all("SELECT space, is_default FROM site_spaces"))
    assert stored == [{"space": second, "is_default": 1}]


async def test_a_write_after_the_time_has_come_sweeps_aside(
    platform: Platform, ada: Speaker, clock: FrozenClock
) -> None:
    gone, other = make_space(platform, PAGES), make_space(platform, PAGES)
    await ada.send("DELETE", f"/spaces/{gone}", status=204)
    await swept(platform)
    clock.advance(days=8)
    await ada.get(f"/spaces/{other}")
    assert counts(platform, "spaces") == {"spaces": 2}, "who reads does not sweep"
    await ada.send("PATCH", f"/spaces/{other}", {"title": "Other"})
    await swept(platform)
    assert counts(platform, "spaces") == {"spaces": 1}


async def test_it_looks_at_most_once_an_hour(platform: Platform, ada: Speaker, clock: FrozenClock) -> None:
    space = make_space(platform, PAGES)
    looks = []
    for minutes in (0, 59, 1):
        clock.advance(minutes=minutes)
        await ada.send("PATCH", f"/spaces/{space}", {"title": "Again"})
        await swept(platform)
        looks.append(platform.sweeper._thread)
    assert looks[0] is looks[1]
    assert looks[1] is not looks[2]


async def test_what_ended_halfway_is_finished_the_next_time(
    platform: Platform, ada: Speaker, monkeypatch: pytest.MonkeyPatch, clock: FrozenClock
) -> None:
    kept = make_space(platform, PAGES)
    platform.sweeper.sweep()
    before = counts(platform, *CONTENT)
    gone = await busy_space(platform, ada, "gone")
    await ada.send("DELETE", f"/spaces/{gone}", status=204)
    clock.advance(days=8)

    def fail(connection: Connection) -> None:
        raise OSError

    with monkeypatch.context() as broken:
        broken.setattr(removal, "sweep_content", fail)
        with pytest.raises(OSError):
            platform.sweeper.sweep()
    assert counts(platform, "spaces", "nodes")["spaces"] == 1
    assert counts(platform, *CONTENT) != before
    platform.sweeper.sweep()
    assert counts(platform, *CONTENT) == before
    assert kept


async def test_a_failure_in_the_background_is_only_logged(
    platform: Platform, ada: Speaker, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    space = make_space(platform, PAGES)
    monkeypatch.setattr(removal, "_find_expired", lambda connection, before: connection.value("SELECT nothing"))
    await ada.send("PATCH", f"/spaces/{space}", {"title": "Other"})
    assert platform.sweeper._thread is not None
    await asyncio.to_thread(platform.sweeper._thread.join)
    assert "OperationalError" in caplog.text


def test_a_sweeper_that_is_closed_sweeps_no_more(platform: Platform, ada: Speaker, clock: FrozenClock) -> None:
    gone = make_space(platform, PAGES)
    platform.database.write_now(lambda connection: connection.update("spaces", gone, deleted_at="2020"))
    platform.sweeper.close()
    platform.sweeper.nudge()
    assert platform.sweeper._thread is None
    platform.sweeper.sweep()
    assert counts(platform, "spaces") == {"spaces": 1}


async def test_many_words_that_are_gone_leave_the_search_index(
    platform: Platform, ada: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(removal, "_WORDS_LEFT", 1)
    space = make_space(platform, PAGES)

    def rewrite(connection: Any) -> None:
        pages = [ImportedPage(page.id, page.title, text="New.\n") for page in PAGES]
        import_tree(platform.context(connection), space, ImportedTree(pages))

    platform.database.write_now(rewrite)
    assert counts(platform, "search", "search_sections") == {"search": 5, "search_sections": 2}
    platform.sweeper.sweep()
    assert counts(platform, "search", "search_sections") == {"search": 2, "search_sections": 2}
    assert (await ada.get(f"/spaces/{space}/search", query="New"))["count"] == 2


# Each step: in which of four spaces, and what happens there.
_steps = st.lists(
    st.tuples(st.integers(0, 3), st.sampled_from(["write", "write", "copy", "delete", "sweep"]), st.integers(0, 5)),
    max_size=14,
)


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(steps=_steps)
def test_whatever_is_swept_every_revision_that_is_left_reads_as_before(
    platform: Platform, organization: str, steps: list[tuple[int, str, int]]
) -> None:
    class Undo(Exception):
        pass

    def work(connection: Any) -> None:
        context = platform.context(connection)
        spaces: list[str | None] = [add_space(context, organization, "x") for _ in range(4)]
        for at, doing, number in steps:
            space = spaces[at]
            if doing == "sweep":
                before = read_everything(connection)
                sweep_content(connection)
                assert read_everything(connection) == before
            elif space is None:
                spaces[at] = add_space(context, organization, "x")
            elif doing == "write":
                pages = [ImportedPage(f"p{page}", "P", text=f"Text {number % page}.\n") for page in range(1, 4)]
                file = {"id": "f", "name": "f", "contentType": "t", "size": 1}
                file["blob"] = save_blob(connection, bytes([number]))
                note = {"id": "n", "title": "N", "text": f"Note {number % 2}.\n"}
                import_tree(context, space, ImportedTree(pages, files=[file], reusable_contents=[note]))
            elif doing == "copy":
                content = content_of(connection, main_revision(connection, space))
                target = spaces[(at + 1) % 4]
                if target is not None:
                    set_main(context, create_revision(context, target, "edits", (), content))
            else:
                remove_space(connection, space)
                spaces[at] = None
        sweep_content(connection)
        assert len(read_everything(connection)) == connection.value("SELECT count(*) FROM revisions")
        raise Undo

    with pytest.raises(Undo):
        platform.database.write_now(work)
