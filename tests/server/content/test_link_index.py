from __future__ import annotations

import sqlite3
from typing import Any

import pytest

from recto.server.content import link_index
from recto.server.content.imported_tree import ImportedPage
from recto.server.content.link_index import links_of, load_references, outward_links, references_in
from recto.server.content.objects import Remembered
from recto.server.content.revisions import main_revision
from recto.server.platform import Platform
from recto.server.storage.database import Connection
from support.content import make_space
from support.platform import Speaker

TEXT = """# Part {number}

See [the next](page{next}.md#part-{next} "mention"), ![a picture](.gitbook/assets/a%20b.png) and <https://example.org>.

{{% include "reused.md" %}}

<details><summary>More “{number}”</summary>資料庫 [索引](/pages/page1)</details>
"""


@pytest.fixture(autouse=True)
def nothing_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin as a process does that was just started."""
    monkeypatch.setattr(link_index, "_references", Remembered(20_000))
    monkeypatch.setattr(link_index, "_links", Remembered(4))
    monkeypatch.setattr(link_index, "_outward", Remembered(4))


def pages(number: int) -> list[ImportedPage]:
    return [
        ImportedPage(f"page{at}", f"Page {at}", f"page{at}", text=TEXT.format(number=at, next=at + 1))
        for at in range(number)
    ]


async def kept_by(platform: Platform) -> dict[str, Any]:
    """Return what is kept of all texts, after what is to be written later."""
    return await platform.database.write(
        lambda connection: load_references(connection, connection.column("SELECT hash FROM texts"))
    )


async def test_what_was_read_once_is_not_read_again_by_the_next_process(
    platform: Platform, ada: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = make_space(platform, pages(30))
    read = await ada.get(f"/spaces/{space}/links", limit=1000)
    kept = await kept_by(platform)
    assert len(kept) == 30
    hashes = list(kept)
    assert platform.database.read_now(lambda connection: references_in(connection, hashes)) == kept

    def unasked(text: str) -> Any:
        raise AssertionError("it was read before")

    monkeypatch.setattr(link_index, "_references", Remembered(20_000))
    monkeypatch.setattr(link_index, "_links", Remembered(4))
    monkeypatch.setattr(link_index, "references", unasked)
    assert await ada.get(f"/spaces/{space}/links", limit=1000) == read


def test_that_a_revision_has_no_links_is_remembered_too(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    space = make_space(platform, [ImportedPage("page", "Page", "page", text="Words.\n")])

    def work(connection: Connection) -> None:
        revision = main_revision(connection, space)
        assert links_of(connection, revision) == ()
        monkeypatch.setattr(link_index, "_Reading", None)
        assert outward_links(connection, revision) == ()

    platform.database.read_now(work)


async def test_a_few_texts_are_not_worth_a_write(platform: Platform, ada: Speaker) -> None:
    space = make_space(platform, pages(3))
    assert (await ada.get(f"/spaces/{space}/links"))["count"] > 0
    assert await kept_by(platform) == {}


async def test_what_another_reader_found_is_read_again(platform: Platform, ada: Speaker) -> None:
    space = make_space(platform, pages(30))
    await ada.get(f"/spaces/{space}/links")
    assert len(await kept_by(platform)) == 30

    def spoil(connection: Connection) -> None:
        connection.execute("UPDATE text_references SET reader = 0, body = '[[], []]'")

    platform.database.write_now(spoil)
    assert await kept_by(platform) == {}


async def test_a_write_without_a_waiting_caller_may_fail(platform: Platform, caplog: pytest.LogCaptureFixture) -> None:
    def fails(connection: Connection) -> None:
        raise sqlite3.OperationalError("no such table: secrets")

    with caplog.at_level("INFO"):
        await platform.database.read(lambda connection: connection.later(fails))
        assert await platform.database.write(lambda connection: connection.value("SELECT 1")) == 1
    assert [record.getMessage() for record in caplog.records if "deferred" in record.getMessage()] == [
        "A deferred write failed: OperationalError."
    ]
