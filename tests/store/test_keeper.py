from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from recto import disk
from recto.store import keeper as keeper_module
from recto.store.drafts import Draft, DraftKind, DraftPlace, Drafts
from recto.store.keeper import Keeper, NotKept
from recto.store.tasks import Tasks


class CountingDrafts(Drafts):
    """Drafts that count what is saved and can have a full disk."""

    saved = 0
    full = False
    meanwhile: Callable[[], None] = staticmethod(lambda: None)

    def save(self, draft: Draft, text: str) -> Draft:
        if self.full:
            raise OSError(28, "No space left on device")
        self.saved += 1
        self.meanwhile()
        return super().save(draft, text)


@pytest.fixture
def drafts(tmp_path: Path) -> CountingDrafts:
    return CountingDrafts(tmp_path, lambda: datetime(2026, 3, 2, tzinfo=UTC))


async def test_only_the_newest_text_is_written(drafts: CountingDrafts) -> None:
    tasks = Tasks()
    keeper = Keeper(drafts, tasks)
    draft = drafts.start(DraftKind.COMMENT, DraftPlace())
    for length in range(1, 101):
        keeper.type(draft, "x" * length)
    await tasks.idle()
    assert drafts.text(draft) == "x" * 100
    assert drafts.saved == 1


async def test_typing_goes_on_while_it_is_written(drafts: CountingDrafts) -> None:
    tasks = Tasks()
    keeper = Keeper(drafts, tasks)
    first, second = drafts.start(DraftKind.COMMENT, DraftPlace()), drafts.start(DraftKind.REPLY, DraftPlace())
    for number in range(20):
        keeper.type(first, f"first {number}")
        keeper.type(second, f"second {number}")
        if number % 5 == 0:
            await keeper.flush()
    await tasks.idle()
    assert (drafts.text(first), drafts.text(second)) == ("first 19", "second 19")


async def test_what_is_typed_while_a_text_is_written_is_written_next(drafts: CountingDrafts) -> None:
    tasks = Tasks()
    keeper = Keeper(drafts, tasks)
    draft = drafts.start(DraftKind.COMMENT, DraftPlace())
    loop = asyncio.get_running_loop()

    async def type_more() -> None:
        keeper.type(draft, "first and more")

    def meanwhile() -> None:
        drafts.meanwhile = lambda: None
        asyncio.run_coroutine_threadsafe(type_more(), loop).result()

    drafts.meanwhile = meanwhile
    keeper.type(draft, "first")
    await tasks.idle()
    assert drafts.text(draft) == "first and more"


async def test_a_full_disk_is_reported_and_tried_again(drafts: CountingDrafts) -> None:
    tasks = Tasks()
    told: list[str | None] = []
    keeper = Keeper(drafts, tasks)
    keeper.changed.subscribe(lambda _: told.append(error.why if (error := keeper.error_of(draft)) else None))
    draft = drafts.start(DraftKind.COMMENT, DraftPlace(), base_text="")
    drafts.full = True
    keeper.type(draft, "typed")
    await tasks.idle()
    assert told == ["The system reports: No space left on device."]
    assert keeper.unsaved == [draft]
    assert (await keeper.text(draft), await keeper.is_edited(draft)) == ("typed", True)
    with pytest.raises(NotKept):
        await keeper.do(drafts.mark_sending, draft)
    drafts.full = False
    assert (await keeper.do(drafts.get, draft.id)) is not None
    assert drafts.text(draft) == "typed"
    assert told[-1] is None
    assert not keeper.unsaved
    keeper.close()


@pytest.mark.parametrize("end", ["saved", "discarded"])
async def test_a_draft_that_could_not_be_saved_is_released_once_it_is(
    drafts: CountingDrafts, tmp_path: Path, end: str
) -> None:
    tasks = Tasks()
    keeper = Keeper(drafts, tasks)
    another = Drafts(tmp_path, lambda: datetime(2026, 3, 2, tzinfo=UTC))
    draft = drafts.start(DraftKind.COMMENT, DraftPlace())
    for _ in range(2):
        await keeper.hold(draft)
    drafts.full = True
    keeper.type(draft, "typed")
    for _ in range(2):
        keeper.release(draft)
    await tasks.idle()
    assert another.find() == []
    drafts.full = False
    if end == "saved":
        await keeper.flush()
    else:
        await keeper.discard(draft)
        drafts.save(draft, "typed again")
    assert [each.id for each in another.find()] == [draft.id]
    keeper.close()


async def test_a_text_that_cannot_be_saved_holds_up_no_other_draft(drafts: CountingDrafts) -> None:
    keeper = Keeper(drafts, Tasks())
    stuck, other = drafts.start(DraftKind.COMMENT, DraftPlace()), drafts.start(DraftKind.REPLY, DraftPlace())
    drafts.full = True
    keeper.type(stuck, "typed")

    assert await keeper.do(drafts.find) == [stuck, other] or await keeper.do(drafts.find) == [other, stuck]
    await keeper.do(drafts.note, other, waits="yes")
    with pytest.raises(NotKept):
        await keeper.save(other, "more")
    assert await keeper.text(other) == "more"
    await keeper.discard(stuck)
    await keeper.discard(other)
    assert (drafts.find(), keeper.unsaved) == ([], [])
    assert not await keeper.is_edited(stuck)
    keeper.close()


async def test_what_could_not_be_saved_is_tried_again_without_a_key(
    drafts: CountingDrafts, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeper_module, "RETRY_AFTER", 0.01)
    tasks = Tasks()
    keeper = Keeper(drafts, tasks)
    draft = drafts.start(DraftKind.COMMENT, DraftPlace())
    saved = asyncio.Event()
    keeper.changed.subscribe(lambda _: saved.set() if keeper.error_of(draft) is None else None)
    drafts.full = True
    keeper.type(draft, "typed")
    await tasks.idle()
    drafts.full = False
    await asyncio.wait_for(saved.wait(), 60)

    assert drafts.text(draft) == "typed"
    assert keeper.unsaved == []


def test_a_draft_that_cannot_be_made_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: object, **__: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(disk, "write", full)
    with pytest.raises(OSError, match="No space"):
        Drafts(tmp_path / "drafts").start(DraftKind.COMMENT, DraftPlace())

    assert list((tmp_path / "drafts").iterdir()) == []
