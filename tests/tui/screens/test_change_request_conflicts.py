from __future__ import annotations

from dataclasses import replace
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from recto.client.errors import Conflict, Unreachable
from recto.contract.addresses import Main
from recto.contract.content import Content
from recto.store.drafts import DraftKind
from recto.tui.terminal.editor import EditorError
from support.content import Desk
from support.guide import LONG, START, Guide
from support.reviewing import Seat, Sit, seat_at
from support.screens import settled
from support.sites import Refusing

WIDE = (170, 44)
OURS = "It takes ten minutes to install and to sign in."
THEIRS = "It takes seven minutes to install."


@pytest.fixture
def sit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sit:
    return seat_at(tmp_path, monkeypatch)


def update(page: str, **values: Any) -> dict[str, Any]:
    return {"operation": "update_page", "page": page, **values}


async def move_on(guide: Guide, *changes: dict[str, Any]) -> None:
    """Merge something else into the main content, some time later."""
    guide.clock.advance(minutes=5)
    other = await Desk.open(guide.grace, guide.space, "Something else")
    await other.write(*changes)
    await other.merge()


async def disagree(guide: Guide) -> None:
    """Have the main content change the same sentence, and a line far from what is changed elsewhere."""
    await move_on(
        guide,
        update("start", document={"markdown": START.replace("It takes five minutes to install.", THEIRS)}),
        update("reference", document={"markdown": LONG.replace("Line 3 of", "Line three of")}),
    )


@pytest.mark.parametrize("comes_back", [False, True])
async def test_conflicts_that_could_not_be_looked_for_are_looked_for_again(
    sit: Sit, guide: Guide, *, comes_back: bool
) -> None:
    await disagree(guide)
    failing = Content.list_pages.at(Main).name

    def fail(transport: Refusing) -> None:
        transport.always[failing] = Unreachable("Could not load the pages.", "No answer came.")

    async with sit(guide, WIDE, prepare=fail) as seat:
        seat.assert_told("Could not load the pages. No answer came.")
        assert not seat.shows("≠ conflicting")
        del seat.transport.always[failing]
        if comes_back:
            seat.store.reach.emit(None)
            await settled(seat.pilot)
        else:
            await seat.press("r")
        seat.assert_shows("≠ conflicting", "× It conflicts with main in one place")


async def test_a_pull_without_conflicts_is_just_made(sit: Sit, guide: Guide) -> None:
    await move_on(guide, update("reference", document={"markdown": LONG.replace("Line 3 of", "Line three of")}))
    async with sit(guide, WIDE) as seat:
        seat.assert_shows("↓ outdated")
        assert not seat.shows("≠ conflicting")
        await seat.press("P")
        seat.assert_shows("Nothing conflicts.")
        await seat.press("y")
        assert not seat.shows("outdated")
        assert not seat.shows("5 Conflicts")
    text = await guide.desk.text("reference")
    assert "Line three of" in text and "Line twenty of" in text


async def test_it_says_before_a_pull_what_conflicts_which_is_resolved_hunk_by_hunk_and_merged(
    sit: Sit, guide: Guide
) -> None:
    await disagree(guide)
    async with sit(guide, WIDE) as seat:
        seat.assert_shows("≠ conflicting", "↓ outdated", "× It conflicts with main in one place")
        await seat.press("P")
        seat.assert_shows("Main has changed 2 pages since.", "2 pages changed on both sides.")
        assert "1 conflict" in seat.line("≠ Getting started")
        await seat.press("n")
        assert (await guide.desk.get())["outdated"]
        await seat.press("P", "y")
        seat.assert_shows("5 Conflicts 1", "1 of 1 left", OURS, THEIRS, "It takes five minutes to install.")
        await seat.press("A")
        seat.assert_told("1 conflict left to resolve")
        await seat.press("left")
        seat.assert_shows(" resolved, A applies", "resolved: ours: this change request")
        await seat.press("u")
        seat.assert_shows("1 of 1 left")
        await seat.press("b", "A")
        seat.assert_shows("Apply the resolution of 1 conflict")
        await seat.press("y")
        assert not seat.shows("Conflicts")
        await seat.press("M", "y")
        seat.assert_told("Merged #1")
    text = await guide.main_text("start")
    assert f"{OURS}\n\n{THEIRS}\n" in text
    assert "<<<<" not in text


async def test_an_update_after_which_nothing_can_be_loaded_is_resolved_all_the_same(sit: Sit, guide: Guide) -> None:
    await disagree(guide)
    async with sit(guide, WIDE) as seat:

        async def fail_from_now_on() -> None:
            seat.transport.down = Unreachable("Could not load a change request.", "No answer came.")

        seat.transport.then["pull"] = fail_from_now_on
        await seat.press("P", "y")
        seat.assert_told("Updated #1 “Say how long it takes” from main, which conflicts.")
        seat.assert_shows("5 Conflicts 1", "1 of 1 left")
        seat.transport.down = None
        await seat.press("r", "left", "A", "y")
        seat.assert_told("Applied the resolution to #1 “Say how long it takes”. Nothing conflicts any more: M merges.")
    text = await guide.desk.text("start")
    assert OURS in text
    assert "<<<<" not in text


async def test_an_update_without_conflicts_is_not_loaded_again_to_say_so(sit: Sit, guide: Guide) -> None:
    await move_on(guide, update("reference", document={"markdown": LONG.replace("Line 3 of", "Line three of")}))
    async with sit(guide, WIDE) as seat:

        async def fail_from_now_on() -> None:
            seat.transport.down = Unreachable("Could not load a change request.", "No answer came.")

        seat.transport.then["pull"] = fail_from_now_on
        await seat.press("P", "y")
        seat.assert_told("Updated #1 “Say how long it takes” from main. Nothing conflicts.")


async def test_a_resolution_in_progress_survives_a_restart(sit: Sit, guide: Guide) -> None:
    await disagree(guide)
    async with sit(guide, WIDE) as seat:
        await seat.press("P", "y", "right")
        seat.assert_shows(" resolved, A applies")
    async with sit(guide, WIDE) as seat:
        await seat.press("5")
        seat.assert_shows(" resolved, A applies", "resolved: theirs: main")
        await seat.press("A", "y")
    assert THEIRS in await guide.desk.text("start")


async def test_a_conflict_is_resolved_with_other_words_that_are_kept_where_the_editor_fails(
    sit: Sit, guide: Guide
) -> None:
    await disagree(guide)
    times = count()

    def editor(file: Path, line: int) -> None:
        """Leave the text as it is, then save other words and fail, then leave those."""
        if next(times) == 1:
            file.write_text("It takes a while.")
            raise EditorError("The editor ended with code 1.")

    async with sit(guide, WIDE, editor=editor) as seat:
        await seat.press("P", "y", "e")
        seat.assert_shows("1 of 1 left")
        seat.assert_told("The text is as offered, so the conflict in “Getting started” is still open: b takes both.")
        await seat.press("e")
        seat.assert_shows("1 of 1 left")
        await seat.press("e")
        seat.assert_shows("resolved: edited", "It takes a while.")
        await seat.press("E")
        await seat.type(" Truly.")
        await seat.press("ctrl+s", "A", "y")
    assert "It takes a while. Truly.\n" in await guide.desk.text("start")


async def test_a_resolution_that_is_complete_offers_its_key_first(sit: Sit, guide: Guide) -> None:
    await disagree(guide)
    async with sit(guide, (80, 24)) as seat:
        await seat.press("P", "y")
        assert not seat.shows("A apply")
        await seat.press("right")
        assert seat.lines[-1].split()[:2] == ["A", "apply"]


async def test_a_merge_of_nothing_says_so(sit: Sit, guide: Guide) -> None:
    other = await Desk.open(guide.grace, guide.space, "Something else")
    async with sit(replace(guide, desk=other), WIDE) as seat:
        await seat.press("M")
        seat.assert_shows("Its content is as in main: there is nothing to merge.")


async def test_the_editor_opens_a_conflict_at_the_first_line_that_differs(sit: Sit, guide: Guide) -> None:
    sides = (f"It begins.\nAnd {side}.\n" for side in ("ours", "base", "theirs"))
    marked = "<<<<<<< ours\n{}||||||| base\n{}=======\n{}>>>>>>> theirs\n".format(*sides)
    await guide.desk.edit("start", START.replace("It takes five minutes to install.\n", marked))
    opened: list[str] = []

    def editor(file: Path, line: int) -> None:
        opened.append(file.read_text().splitlines()[line - 1])

    async with sit(guide, WIDE, editor=editor) as seat:
        await seat.press("5", "e")
    assert opened == ["And ours."]


async def test_words_typed_for_a_conflict_survive_esc_and_a_new_start(sit: Sit, guide: Guide) -> None:
    await disagree(guide)
    async with sit(guide, WIDE) as seat:
        await seat.press("P", "y", "E")
        await seat.type(" Half a thought")
        await seat.press("escape")
        seat.assert_told("Your text for the conflict in “Getting started” is kept as a draft")
        seat.assert_shows("1 of 1 left")
        await seat.press("E")
        seat.assert_shows("Half a thought")
        await seat.press("escape")
    async with sit(guide, WIDE) as seat:
        await seat.press("5", "left", "E")
        await seat.type(", finished.")
        await seat.press("ctrl+s")
        seat.assert_shows("resolved: edited", "Half a thought, finished.")
        assert seat.store.drafts.find(kind=DraftKind.CONFLICT_TEXT) == []
        await seat.press("A", "y")
    assert f"{OURS}\n\n{THEIRS} Half a thought, finished.\n" in await guide.desk.text("start")


async def test_words_typed_for_a_conflict_are_let_go_when_it_is_resolved_otherwise(sit: Sit, guide: Guide) -> None:
    await disagree(guide)
    async with sit(guide, WIDE) as seat:
        await seat.press("P", "y", "E")
        await seat.type(" Half a thought")
        await seat.press("escape", "left", "A", "y")
        assert seat.store.drafts.find(kind=DraftKind.CONFLICT_TEXT) == []
    assert f"{OURS}\n" in await guide.desk.text("start")


async def test_attributes_places_and_deletions_are_resolved_too(sit: Sit, guide: Guide) -> None:
    await guide.desk.write(update("reference", into="start"))
    await move_on(
        guide,
        update("api", title="Interface"),
        update("old", title="An old page"),
        update("reference", at=0),
    )
    async with sit(guide, WIDE) as seat:
        await seat.press("P", "y")
        left = seat.line("5 Conflicts")
        assert left.rstrip().endswith("5 Conflicts 2") or left.rstrip().endswith("5 Conflicts 3"), left
        seat.assert_shows("deleted on one side, changed on the other", "The page is deleted.")
        for _ in range(3):
            await seat.press("right")
        seat.assert_shows("resolved, A applies")
        await seat.press("A", "y", "M", "y")
        seat.assert_told("Merged #1")
    pages = (await guide.ada.get(f"/spaces/{guide.space}/content/pages"))["pages"]
    titles = [page["title"] for page in pages]
    assert "An old page" in titles


async def test_markers_left_by_an_update_elsewhere_are_resolved(sit: Sit, guide: Guide) -> None:
    await disagree(guide)
    assert (await guide.desk.update())["result"] == "conflicts"
    async with sit(guide, WIDE) as seat:
        seat.assert_shows("5 Conflicts 1", "One conflict is not resolved")
        await seat.press("5")
        seat.assert_shows(OURS, THEIRS)
        await seat.press("right", "A", "y", "M", "y")
        seat.assert_told("Merged #1")
    assert THEIRS in await guide.main_text("start")


async def test_what_is_settled_is_kept_when_the_other_side_writes_meanwhile(sit: Sit, guide: Guide) -> None:
    third = START.replace("It takes five minutes to install.", THEIRS).replace("Read on.", "Read it all.")
    await guide.desk.edit("start", (await guide.desk.text("start")).replace("Read on.", "Read on and on."))
    await move_on(guide, update("start", document={"markdown": third}))
    async with sit(guide, WIDE) as seat:
        await seat.press("P", "y")
        seat.assert_shows("2 of 2 left")
        await seat.press("right", "left")
        marked = await guide.desk.text("start")
        await guide.desk.edit("start", marked.replace("Welcome to the guide.", "Welcome."))
        await seat.press("A", "y")
    text = await guide.desk.text("start")
    assert "Welcome.\n" in text and THEIRS in text and "Read on and on." in text


async def test_what_another_person_resolved_meanwhile_is_not_written_over(sit: Sit, guide: Guide) -> None:
    await disagree(guide)
    async with sit(guide, WIDE) as seat:
        await seat.press("P", "y", "left")
        await guide.desk.edit("start", START.replace("It takes five minutes to install.", "It is quick."))
        await seat.press("A")
        seat.assert_told("were resolved elsewhere")
        assert not seat.shows("5 Conflicts")
    assert "It is quick." in await guide.desk.text("start")


async def test_main_that_moves_on_again_is_reported(sit: Sit, guide: Guide) -> None:
    await disagree(guide)
    async with sit(guide, WIDE) as seat:
        await seat.press("P", "y", "left")
        await move_on(guide, update("old", title="Older"))
        await seat.press("A", "y")
        seat.assert_told("Main has changed meanwhile: P updates from it again.")
        seat.assert_shows("outdated")


async def test_a_pull_that_is_refused_changes_nothing_and_a_failed_write_keeps_what_is_resolved(
    sit: Sit, guide: Guide
) -> None:
    await disagree(guide)

    def prepare(transport: Refusing) -> None:
        transport.errors["pull"] = [Conflict("It was not pulled in.", "It is being merged.", status=409)]

    async with sit(guide, WIDE, prepare=prepare) as seat:
        await seat.press("P", "y")
        seat.assert_told("It is being merged.")
        assert not seat.shows("5 Conflicts")
    async with sit(guide, WIDE) as seat:
        assert not seat.shows("5 Conflicts")
        seat.transport.errors["write_content"] = [Unreachable("It was not written.", "No answer came.")]
        await seat.press("P", "y", "left", "A", "y")
        seat.assert_told("No answer came.")
        seat.assert_shows(" resolved, A applies")
        await seat.press("A", "y")
    assert OURS in await guide.desk.text("start")


async def lose_update(seat: Seat) -> None:
    """Update from main; the answer is lost, and so is that of the look for it."""

    async def cut_off() -> None:
        seat.transport.down = Unreachable("Nothing was loaded.", "No answer came.")
        raise Unreachable("It was not pulled in.", "No answer came.", may_have_arrived=True)

    seat.transport.then["pull"] = cut_off
    await seat.press("P", "y")
    seat.assert_shows("It may have arrived")
    await seat.press("n")
    seat.transport.down = None
    seat.assert_told("kept under Conflicts")


async def test_an_update_that_may_have_arrived_keeps_the_three_sides(sit: Sit, guide: Guide) -> None:
    await disagree(guide)
    async with sit(guide, WIDE) as seat:
        await lose_update(seat)
    assert "<<<<" in await guide.desk.text("start")
    async with sit(guide, WIDE) as seat:
        await seat.press("5")
        seat.assert_shows("1 of 1 left", OURS, THEIRS, "It takes five minutes to install.")
        await seat.press("left", "A", "y")
        assert not seat.shows("5 Conflicts")
    text = await guide.desk.text("start")
    assert OURS in text and THEIRS not in text and "<<<<" not in text


async def test_after_an_update_that_may_have_arrived_what_others_resolved_is_not_written_over(
    sit: Sit, guide: Guide
) -> None:
    await disagree(guide)
    async with sit(guide, WIDE) as seat:
        await lose_update(seat)
        await guide.desk.edit("start", START.replace("It takes five minutes to install.", "It is quick."))
        await seat.press("r", "5", "left", "A")
        seat.assert_told("were resolved elsewhere")
    assert "It is quick." in await guide.desk.text("start")
