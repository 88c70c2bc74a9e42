"""What takes long about a write is worked out before its transaction, and holds for what is there by then."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from recto.server.content import content_merge, keys
from recto.server.content.imported_tree import ImportedPage
from recto.server.content.objects import Remembered
from recto.server.platform import Platform
from support.content import Desk, make_space
from support.platform import Speaker

PAGES = tuple(ImportedPage(name, name.title(), name, text="One.\n\nTwo.\n\nThree.\n") for name in ("guide", "other"))


class Held:
    """A function of a module that waits, when it is first called, until it is let go."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> None:
        self.calls = 0
        self._begun, self._free = threading.Event(), threading.Event()
        self._work: Callable[..., Any] = getattr(module, name)
        monkeypatch.setattr(module, name, self._call)

    def _call(self, *given: Any, **named: Any) -> Any:
        self.calls += 1
        if not self._begun.is_set():
            self._begun.set()
            assert self._free.wait(60)
        return self._work(*given, **named)

    async def begun(self) -> None:
        assert await asyncio.to_thread(self._begun.wait, 60)

    def let_go(self) -> None:
        self._free.set()


@pytest.fixture
def held(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[Any, str], Held]]:
    made: list[Held] = []

    def hold(module: Any, name: str) -> Held:
        made.append(Held(monkeypatch, module, name))
        return made[-1]

    yield hold
    for each in made:
        each.let_go()


@pytest.fixture
def space(platform: Platform) -> str:
    return make_space(platform, PAGES)


async def test_others_write_while_a_write_is_planned(
    ada: Speaker, space: str, held: Callable[[Any, str], Held]
) -> None:
    desk = await Desk.open(ada, space)
    planning = held(keys, "carry_later")
    edit = asyncio.create_task(desk.edit("guide", "# Guide\n\nOne.\n\nMore.\n"))
    await planning.begun()
    other = await Desk.open(ada, space)
    await other.write({"operation": "update_page", "page": "other", "title": "Another"})
    planning.let_go()
    await edit
    assert await desk.text("guide") == "# Guide\n\nOne.\n\nMore.\n"


async def test_what_was_written_meanwhile_is_kept(ada: Speaker, space: str, held: Callable[[Any, str], Held]) -> None:
    desk = await Desk.open(ada, space)
    planning = held(keys, "carry_later")
    edit = asyncio.create_task(desk.edit("guide", "# Guide\n\nOne.\n\nMore.\n"))
    await planning.begun()
    await desk.write({"operation": "update_page", "page": "other", "title": "Another"})
    await desk.write({"operation": "insert_page", "title": "Third", "document": {"markdown": "New.\n"}})
    planning.let_go()
    await edit
    pages = (await ada.get(f"{desk.path}/content/pages"))["pages"]
    assert [page["title"] for page in pages] == ["Guide", "Another", "Third"]
    assert await desk.text("guide") == "# Guide\n\nOne.\n\nMore.\n"


async def test_a_write_is_refused_that_was_prepared_before_the_change_request_was_merged(
    ada: Speaker, space: str, held: Callable[[Any, str], Held]
) -> None:
    desk = await Desk.open(ada, space)
    planning = held(keys, "carry_later")
    edit = asyncio.create_task(ada.request("POST", f"{desk.path}/content", json=update("guide", "Late.\n")))
    await planning.begun()
    await desk.merge()
    planning.let_go()
    assert (await edit).status_code == 409


@pytest.mark.parametrize("doing", ["merge", "update"])
async def test_others_write_while_texts_are_merged_and_the_merge_holds_for_what_they_wrote(
    ada: Speaker, space: str, held: Callable[[Any, str], Held], doing: str
) -> None:
    first, second, third = [await Desk.open(ada, space) for _ in range(3)]
    await first.edit("guide", "# Guide\n\nFirst.\n\nTwo.\n\nThree.\n")
    await second.edit("guide", "# Guide\n\nOne.\n\nTwo.\n\nSecond.\n")
    await third.write({"operation": "update_page", "page": "other", "title": "Another"})
    await first.merge()
    merging_texts = held(content_merge, "merge_text")
    merge = asyncio.create_task(ada.send("POST", f"{second.path}/{doing}"))
    await merging_texts.begun()
    await third.merge()
    merging_texts.let_go()
    await merge
    where = f"/spaces/{space}/content" if doing == "merge" else f"{second.path}/content"
    pages = (await ada.get(f"{where}/pages"))["pages"]
    assert [page["title"] for page in pages] == ["Guide", "Another"]
    page = await ada.get(f"{where}/page/guide", format="markdown")
    assert page["markdown"] == "# Guide\n\nFirst.\n\nTwo.\n\nSecond.\n"


def update(page: str, markdown: str) -> dict[str, Any]:
    return {"changes": [{"operation": "update_page", "page": page, "document": {"markdown": markdown}}]}


@pytest.mark.parametrize("method", ["POST", "PUT"])
async def test_others_write_while_the_page_is_read_that_a_comment_is_on(
    ada: Speaker, space: str, held: Callable[[Any, str], Held], monkeypatch: pytest.MonkeyPatch, method: str
) -> None:
    page = await ada.get(f"/spaces/{space}/content/page/guide", format="document")
    block = page["document"]["nodes"][0]["key"]
    path = f"/spaces/{space}/comments"
    made = await ada.send("POST", path, {"body": {"markdown": "A."}, "page": "guide", "node": block})
    reacting = f"{path}/{made['id']}", {"addedReactions": ["+1"]}
    posting = path, {"body": {"markdown": "B."}, "page": "guide", "node": block}
    monkeypatch.setattr(keys, "_previews", Remembered(1_000, len))
    reading = held(keys, "blocks_by_key")
    comment = asyncio.create_task(ada.send(method, *(posting if method == "POST" else reacting)))
    await reading.begun()
    await Desk.open(ada, space)
    reading.let_go()
    assert (await comment)["target"]["node"]["id"] == block
    assert reading.calls == 1
