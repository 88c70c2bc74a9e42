from __future__ import annotations

import logging
import re
from collections.abc import Coroutine, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any, TypeVar

import pytest

from recto.client.errors import NotAllowed, ServerFailed, Unreachable
from recto.contract.addresses import AtRevision
from recto.contract.change_requests import ChangeRequest, ChangeRequestLink
from recto.contract.content import Content
from recto.contract.operation import Operation
from recto.document.suggestion import write_suggestion
from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Platform
from recto.store import page_reading
from recto.store.drafts import DraftKind, DraftPlace, Drafts
from recto.store.page_reading import PageCounts, PageReading
from recto.tui.dialogs.thread import Thread
from recto.tui.lists.diff_list import DiffList
from recto.tui.screens.change_request import facts
from recto.tui.screens.change_request.change_request_view import ChangeRequestView
from recto.tui.screens.change_request.facts import RequestFacts
from recto.tui.widgets.text_pad import TextPad
from support.calls import calls
from support.content import Desk, make_space
from support.guide import START, Guide
from support.platform import FrozenClock, Speaker, join, own_organization
from support.reviewing import Seat, Sit, seat_at
from support.sites import Refusing

R = TypeVar("R")


@pytest.fixture
def sit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Sit:
    return seat_at(tmp_path, monkeypatch)


# What is shown


async def test_the_header_tells_how_it_stands_and_who_reviews(sit: Sit, guide: Guide) -> None:
    me = (await guide.ada.get("/user"))["id"]
    await guide.grace.send("POST", f"{guide.path}/requested-reviewers", {"users": [me]})
    async with sit(guide) as seat:
        seat.assert_shows("#1 Say how long it takes", "open", "by Grace Hopper", "Ada Lovelace review requested")
        assert "5" in seat.line("1 Overview").split("2 Changes")[1]


async def test_changed_pages_say_what_happened_to_each_and_count_their_lines_without_being_opened(
    sit: Sit, guide: Guide
) -> None:
    async with sit(guide) as seat:
        await seat.press("2")
        seat.assert_shows("~ Getting started", "= The API", "0 of 5 viewed")
        assert "+1 -1" in seat.line("~ Reference")
        assert "+1 -0" in seat.line("+ Signing in")
        assert "+0 -1" in seat.line("- Old page")


async def test_the_diff_shows_lines_with_their_signs_and_folds_the_rest_which_z_and_enter_open(
    sit: Sit, guide: Guide
) -> None:
    async with sit(guide, page="reference") as seat:
        assert "- Line 20 of the reference." in seat.line("- Line 20")
        assert "+ Line twenty of the reference." in seat.line("+ Line twenty")
        assert not seat.shows("Line 3 of the reference.")
        await seat.press("enter", "z")
        assert seat.shows("Line 16 of the reference.")
        await seat.press("g")
        assert seat.shows("Line 3 of the reference.")
        await seat.press("z")
        assert not seat.shows("Line 3 of the reference.")
        await seat.press("g")
        assert "lines unchanged" in seat.line("⋯")
        await seat.press("enter")
        assert seat.shows("Line 1 of the reference.")
        view = view_of(seat)
        assert view.location.page == "reference"
        await seat.press("3")
        assert view.location.tab == 2


async def test_changed_blocks_are_named_prose_is_rewrapped_and_links_show_titles_also_of_other_spaces(
    sit: Sit, guide: Guide, platform: Platform
) -> None:
    other = make_space(platform, [ImportedPage("far", "Far away", slug="far", text="There.\n")])
    here = "Read on in [it](/pages/api),\nthen in [that](/pages/old)."
    elsewhere = f"[a](/spaces/{other}/pages/far), [b](/spaces/{other}), [c](/spaces/gone/pages/gone)"
    text = START.replace("You need an account.", "You need no account.")
    await guide.desk.edit("start", text.replace("Read on.", f"{here}\n\n{elsewhere}"))
    async with sit(guide, page="start") as seat:
        assert "hint" in seat.line("── ")
        seat.assert_shows("+ Read on in [it](The API), then in [that](Old page).")
        seat.assert_shows("+ [a](Far away), [b](Guide), [c](a page of another space)")
        assert not seat.shows("/pages/")
        assert not seat.shows("/spaces/")


async def test_attributes_that_changed_are_lines(sit: Sit, guide: Guide) -> None:
    async with sit(guide, page="api") as seat:
        assert "- API" in seat.line("- API")
        assert "+ The API" in seat.line("+ The API")


async def test_texts_are_asked_only_of_pages_whose_text_is_changed_and_once(sit: Sit, guide: Guide) -> None:
    transports: list[Refusing] = []
    async with sit(guide, prepare=transports.append) as seat:
        await seat.press("2", "right_curly_bracket")
        [transport] = transports
        asked = [arguments for arguments in transport.asked if arguments.get("format") == "markdown"]
        texts = [str(sorted(arguments.items())) for arguments in asked if "page_id" in arguments]
        assert len(texts) == len(set(texts)) == 6
        assert "api" not in {arguments.get("page_id") for arguments in asked}


async def test_space_marks_a_page_viewed_and_goes_on(sit: Sit, guide: Guide) -> None:
    async with sit(guide) as seat:
        await seat.press("2", "space")
        seat.assert_shows("1 of 5 viewed")
        assert "✓" in seat.line("~ Getting started")
        assert "2 of 5" in seat.lines[-2]
    async with sit(guide) as seat:
        await seat.press("2")
        seat.assert_shows("1 of 5 viewed")
    await guide.desk.edit("start", START)
    await guide.desk.edit("start", START.replace("five", "seven"))
    async with sit(guide) as seat:
        await seat.press("2")
        seat.assert_shows("0 of 5 viewed")


async def test_the_preview_is_the_page_as_it_will_be(sit: Sit, guide: Guide) -> None:
    async with sit(guide) as seat:
        await seat.press("4")
        seat.assert_shows("It takes ten minutes to install and to sign in.")
        await seat.press("right_curly_bracket", "right_curly_bracket", "right_curly_bracket")
        seat.assert_shows("Enter your name.")
        await seat.press("right_curly_bracket")
        seat.assert_shows("This page will be gone.")


async def test_a_narrow_terminal_shows_the_tree_or_the_diff(sit: Sit, guide: Guide) -> None:
    async with sit(guide, size=(60, 20)) as seat:
        await seat.press("2")
        seat.assert_shows("ten minutes")
        assert isinstance(seat.pilot.app.focused, DiffList), "on the changes the keys belong to the diff"
        await seat.press("q")
        seat.assert_shows("0 of 5 viewed")
        assert not seat.shows("ten minutes")
        await seat.press("enter")
        seat.assert_shows("ten minutes")
        await seat.press("escape")
        seat.assert_shows("0 of 5 viewed")


# Talking


async def test_a_comment_goes_to_the_block_under_the_cursor(sit: Sit, guide: Guide) -> None:
    async with sit(guide, page="start") as seat:
        await seat.press("enter", "c")
        seat.assert_shows("It takes ten minutes")
        await seat.type("Really ten?")
        await seat.press("ctrl+s")
        seat.assert_shows("Really ten?", "Ada Lovelace")
        assert "○1" in seat.line("~ Getting started")
    [comment] = await guide.comments()
    assert comment["body"]["markdown"] == "Really ten?"
    assert comment["target"]["node"]["id"] == await guide.block("start", "It takes ten")


async def test_a_thread_is_answered_resolved_and_reacted_to(sit: Sit, guide: Guide) -> None:
    await guide.grace.send("POST", f"{guide.path}/comments", {"body": {"markdown": "Is *ten* right?"}, "page": "start"})
    async with sit(guide) as seat:
        await seat.press("3", "enter", "c")
        seat.assert_shows("Reply to Grace Hopper", "On the whole page.")
        await seat.type("It is.")
        await seat.press("ctrl+s")
        seat.assert_shows("It is.")
        await seat.press("plus")
        await seat.type("rocket")
        await seat.press("enter")
        seat.assert_shows("🚀 1")
        await seat.press("x")
        seat.assert_shows("✓ resolved by Ada Lovelace")
        await seat.press("escape", "escape")
    [comment] = await guide.comments()
    assert comment["status"] == "resolved"
    assert comment["reactions"][0]["emoji"] == "1f680"
    [reply] = (await guide.ada.get(f"{guide.path}/comments/{comment['id']}/replies"))["items"]
    assert reply["body"]["markdown"] == "It is."


async def test_the_editor_opens_from_the_diff_at_the_line_under_the_cursor_and_sends_here(
    sit: Sit, guide: Guide
) -> None:
    lines: list[str] = []

    def edit(file: Path, line: int) -> None:
        text = file.read_text()
        lines.append(text.splitlines()[line - 1])
        file.write_text(text.replace("Read on.", "Read on, slowly."))

    async with sit(guide, page="start", editor=edit) as seat:
        await seat.press("enter", "e")
        assert lines == ["It takes ten minutes to install and to sign in."]
        seat.assert_told("“Getting started” is in #1")
        seat.assert_shows("Read on, slowly.")
        await seat.press("4", "E")
        seat.assert_shows("Read on, slowly.", "line 1 of")
        await seat.press("escape")
    text = (await guide.ada.get(f"{guide.path}/content/page/start", format="markdown"))["markdown"]
    assert "Read on, slowly." in text
    assert "ten minutes" in text


async def test_e_on_a_thread_edits_ones_own_comment_and_says_whose_anothers_is(
    sit: Sit, guide: Guide, clock: FrozenClock
) -> None:
    node = await guide.block("start", "It takes ten")
    await guide.ada.send("POST", f"{guide.path}/comments", {"body": {"markdown": "Hm."}, "page": "start", "node": node})
    clock.advance(minutes=5)
    await guide.grace.send("POST", f"{guide.path}/comments", {"body": {"markdown": "Mine."}})
    async with sit(guide, page="start") as seat:
        await seat.press("enter", "greater_than_sign", "e")
        await seat.type(" Why?")
        await seat.press("ctrl+s")
        seat.assert_shows("Hm. Why?")
        await seat.press("3", "G", "e")
        seat.assert_told("it is Grace Hopper's")
        await seat.press("1", "e")
        seat.assert_shows("ctrl+s send  esc leave")


async def test_one_edits_and_deletes_only_what_is_ones_own(sit: Sit, guide: Guide, clock: FrozenClock) -> None:
    await guide.ada.send("POST", f"{guide.path}/comments", {"body": {"markdown": "Hm."}})
    clock.advance(minutes=5)
    await guide.grace.send("POST", f"{guide.path}/comments", {"body": {"markdown": "Mine."}})
    async with sit(guide) as seat:
        await seat.press("3", "j", "enter", "e")
        seat.assert_told("it is Grace Hopper's")
        await seat.press("escape", "g", "enter", "e")
        await seat.type(" Why?")
        await seat.press("ctrl+s")
        seat.assert_shows("Hm. Why?")
        await seat.press("D", "y")
        assert not seat.shows("Hm. Why?")
    assert [comment["body"]["markdown"] for comment in await guide.comments()] == ["Mine."]


async def test_a_suggestion_is_shown_as_a_change_with_titles_and_taken(sit: Sit, guide: Guide) -> None:
    block = await guide.block("start", "Read on")
    said = f"Better?\n\n{write_suggestion('Read on in [it](/pages/api), and enjoy.')}"
    await guide.grace.send(
        "POST", f"{guide.path}/comments", {"body": {"markdown": said}, "page": "start", "node": block}
    )
    async with sit(guide, page="start") as seat:
        assert "- Read on." in seat.line("- Read on.")
        assert "+ Read on in [it](The API), and enjoy." in seat.line("+ Read on in")
        await seat.press("enter", "greater_than_sign", "enter")
        assert isinstance(seat.pilot.app.screen, Thread)
        seat.assert_shows("+ Read on in [it](The API), and enjoy.")
        assert not seat.shows("/pages/")
        await seat.press("t", "escape")
        assert "+ Read on in [it](The API), and enjoy." in seat.line("+ Read on in")
        revision = (await guide.desk.get())["revision"]
        await seat.press("enter", "t")
        seat.assert_told("“Getting started” has this text already.")
        assert (await guide.desk.get())["revision"] == revision
    text = await guide.desk.text("start")
    assert re.search(r"## Next\n\nRead on in \[it\]\([^)]+\), and enjoy\.\n\Z", text)
    assert text.startswith("# Getting started\n\nWelcome to the guide.\n\nIt takes ten minutes")
    [comment] = await guide.comments()
    assert comment["status"] == "resolved"


async def test_a_suggestion_is_made_from_the_block_under_the_cursor(sit: Sit, guide: Guide) -> None:
    async with sit(guide, page="start") as seat:
        await seat.press("enter", "s")
        seat.assert_shows("```suggestion", "It takes ten minutes to install and to sign in.")
        await seat.type(" Or more.")
        await seat.press("ctrl+s")
        seat.assert_told("Sent the suggestion “It takes ten minutes to install")
        await seat.press("s")
        await seat.type(" Once.")
        await seat.press("ctrl+r", "S")
        seat.assert_shows(": proposes “It takes ten minutes")
    [comment] = await guide.comments()
    assert comment["body"]["markdown"] == (
        "```suggestion\nIt takes ten minutes to install and to sign in. Or more.\n```"
    )


async def test_nothing_is_left_of_a_suggestion_in_which_nothing_was_typed(sit: Sit, guide: Guide) -> None:
    async with sit(guide, page="start") as seat:
        await seat.press("enter")
        for ends in ("escape", "ctrl+s"):
            await seat.press("s", ends)
            assert not seat.shows("not sent")
            assert seat.store.drafts.find() == []
        # A program that was killed would leave this.
        pending, text = view_of(seat).pending, write_suggestion("It takes ten minutes.")
        await pending.begin("start", "block", "It takes", text)
    assert await guide.comments() == []
    async with sit(guide, page="start") as seat:
        assert not seat.shows("not sent")


async def test_letters_are_text_while_one_types_which_esc_and_a_failed_request_keep(sit: Sit, guide: Guide) -> None:
    def prepare(transport: Refusing) -> None:
        transport.errors["post_comment"] = [Unreachable("The comment was not sent.", "No answer came.")]

    async with sit(guide, page="start", prepare=prepare) as seat:
        await seat.press("enter", "c")
        await seat.type("cSMPq]}>")
        seat.assert_shows("cSMPq]}>")
        await seat.press("escape")
        seat.assert_shows("draft")
        await seat.press("c", "ctrl+s")
        seat.assert_told("No answer came.")
        seat.assert_shows("draft")
        assert await guide.comments() == []
    async with sit(guide, page="start") as seat:
        seat.assert_shows("1 comment not sent", "cSMPq]}>")
        await seat.press("enter", "greater_than_sign", "enter")
        await seat.press("ctrl+s")
    assert [comment["body"]["markdown"] for comment in await guide.comments()] == ["cSMPq]}>"]


async def test_a_comment_whose_answer_was_lost_is_looked_for_before_it_is_offered_again(
    sit: Sit, guide: Guide, clock: FrozenClock, tmp_path: Path
) -> None:
    drafts = Drafts(tmp_path / "drafts", clock)
    place = DraftPlace(space=guide.space, change_request=(await guide.desk.get())["id"], page="start")
    for text in ("It arrived", "It did not"):
        drafts.mark_sending(drafts.start(DraftKind.COMMENT, place, text))
    await guide.ada.send("POST", f"{guide.path}/comments", {"body": {"markdown": "It arrived"}, "page": "start"})
    clock.advance(minutes=5)
    async with sit(guide, page="start") as seat:
        seat.assert_shows("1 comment not sent")
        await seat.press("3")
        assert "draft" in seat.line("You  ")
        seat.assert_shows("It did not")
    assert [drafts.text(draft) for draft in drafts.find()] == ["It did not"]


async def test_a_reply_that_had_arrived_when_the_program_was_killed_is_not_offered_again(
    sit: Sit, guide: Guide, clock: FrozenClock, tmp_path: Path
) -> None:
    comment = await guide.grace.send("POST", f"{guide.path}/comments", {"body": {"markdown": "Really?"}})
    drafts = Drafts(tmp_path / "drafts", clock)
    request = (await guide.desk.get())["id"]
    place = DraftPlace(space=guide.space, change_request=request, comment=comment["id"])
    drafts.unsure(drafts.mark_sending(drafts.start(DraftKind.REPLY, place, "It is.")))
    replies = f"{guide.path}/comments/{comment['id']}/replies"
    await guide.ada.send("POST", replies, {"body": {"markdown": "It is."}})
    async with sit(guide) as seat:
        await seat.press("3", "enter", "c")
        seat.assert_told("Your reply “It is.” had arrived.")
        assert seat.pilot.app.screen.query_one(TextPad).text == ""
        await seat.press("escape")
        assert seat.store.drafts.find() == []
    assert len((await guide.ada.get(replies))["items"]) == 1


async def test_a_suggestion_is_taken_from_the_conversation_as_well_and_says_why_its_thread_stays_open(
    sit: Sit, guide: Guide
) -> None:
    block = await guide.block("start", "Read on")
    said = {"body": {"markdown": "```suggestion\nRead it all.\n```"}, "page": "start", "node": block}
    await guide.grace.send("POST", f"{guide.path}/comments", said)
    async with sit(guide) as seat:
        await seat.press("3", "enter")
        seat.assert_shows("- Read on.", "+ Read it all.")
        await guide.desk.edit("start", (await guide.desk.text("start")).replace("Welcome to", "This is"))
        failed = NotAllowed("Could not change the comment.", "Your role does not allow it.", status=403)
        seat.transport.errors["update_comment"] = [failed]
        await seat.press("t")
        seat.assert_told("Could not change the comment. Your role does not allow it.")
    text = await guide.desk.text("start")
    assert "Read it all." in text and "This is the guide." in text


async def test_going_by_thread_goes_on_in_the_next_page(sit: Sit, guide: Guide) -> None:
    for page in ("start", "api"):
        await guide.grace.send("POST", f"{guide.path}/comments", {"body": {"markdown": f"On {page}"}, "page": page})
    async with sit(guide, page="start") as seat:
        await seat.press("enter", "less_than_sign", "greater_than_sign")
        seat.assert_shows("On api")
        await seat.press("greater_than_sign")
        seat.assert_told("No next thread.")
        await seat.press("less_than_sign")
        seat.assert_shows("On start")


# The review


async def test_a_review_waits_on_disk_and_is_sent_as_a_whole(sit: Sit, guide: Guide) -> None:
    async with sit(guide, page="start") as seat:
        await seat.press("enter", "c")
        await seat.type("First")
        await seat.press("ctrl+r")
        seat.assert_shows("pending in your review", "1 comment not sent")
        assert await guide.comments() == []
    async with sit(guide, page="start") as seat:
        seat.assert_shows("1 comment not sent")
        await seat.press("3", "c")
        assert seat.shows("Your comment on")
        await seat.type(" of all")
        await seat.press("ctrl+s")
        await seat.press("S")
        seat.assert_shows("1 comment will be sent with it:", "First of all")
        await seat.press("tab")
        await seat.type("Fine")
        await seat.press("shift+tab", "enter")
        seat.assert_shows("Ada Lovelace approved")
        assert not seat.shows("not sent")
    said = [comment["body"]["markdown"] for comment in await guide.comments()]
    assert said == ["First of all", "Fine"]
    [review] = (await guide.ada.get(f"{guide.path}/reviews"))["items"]
    assert review["status"] == "approved"


async def test_a_review_is_anchored_again_when_the_page_changes(sit: Sit, guide: Guide) -> None:
    async with sit(guide, page="start") as seat:
        await seat.press("enter", "c")
        await seat.type("Hm")
        await seat.press("ctrl+r")
    await guide.desk.edit("start", "All new.\n")
    async with sit(guide, page="start") as seat:
        seat.assert_shows("its block was removed", "Hm")
        await seat.press("S", "j", "enter")
    [comment] = await guide.comments()
    assert comment["body"]["markdown"] == "Hm"
    assert "node" not in comment["target"]
    assert comment["target"]["page"]["id"] == "start"


async def test_a_review_that_stops_half_way_keeps_the_rest(sit: Sit, guide: Guide) -> None:
    def prepare(transport: Refusing) -> None:
        transport.errors["post_comment"] = [None, Unreachable("The comment was not sent.", "No answer came.")]

    async with sit(guide, page="start", prepare=prepare) as seat:
        await seat.press("enter", "c")
        await seat.type("One")
        await seat.press("ctrl+r", "G", "c")
        await seat.type("Two")
        await seat.press("ctrl+s", "S", "enter")
        seat.assert_told("The review of #1 “Say how long it takes” is not submitted. 1 comment of it stays here.")
        seat.assert_shows("1 comment not sent")
        assert (await guide.ada.get(f"{guide.path}/reviews"))["items"] == []
        await seat.press("S", "enter")
    assert sorted(comment["body"]["markdown"] for comment in await guide.comments()) == ["One", "Two"]


# Merging


async def test_merging_shows_what_is_met_and_asks(sit: Sit, guide: Guide) -> None:
    async with sit(guide) as seat:
        await seat.press("M")
        seat.assert_shows("✓ It is open, not a draft", "✓ Your role may merge", "merges it into main")
        assert "5 pages  +3 -3 lines" in seat.line("5 pages")
        await seat.press("M")
        assert (await guide.desk.get())["status"] == "open"
        await seat.press("y")
        revision = (await guide.desk.get())["revisionMerged"]
        seat.assert_told(f"Merged #1 “Say how long it takes” into main as revision {revision}.")
        seat.assert_shows(f"revision      {(await guide.desk.get())['revision']}")
    assert "ten minutes to install and to sign in" in await guide.main_text("start")


async def test_a_merge_says_which_threads_are_open_and_who_asked_for_changes(sit: Sit, guide: Guide) -> None:
    await guide.grace.send("POST", f"{guide.path}/comments", {"body": {"markdown": "Is it so?"}, "page": "start"})
    async with sit(guide) as seat:
        # What is said after the screen was opened counts, too.
        linus = Speaker(guide.platform, join(guide.platform, own_organization(guide.platform), "Linus", "review"))
        await linus.send("POST", f"{guide.path}/reviews", {"status": "changes-requested"}, 201)
        await seat.press("M")
        seat.assert_shows("○ 1 open thread", "! Linus requested changes", "merges it into main")


async def test_a_role_that_may_not_merge_reads_so(
    guide: Guide, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    guide.platform.admit("of-linus", join(guide.platform, own_organization(guide.platform), "Linus", "edit"))
    monkeypatch.setattr(guide.platform, "token", "of-linus")
    async with seat_at(tmp_path, monkeypatch)(guide) as seat:
        seat.assert_shows("× Your role may not merge")
        assert not seat.shows("role may merge")


async def test_a_merge_is_taken_back_from_the_change_request(sit: Sit, guide: Guide) -> None:
    before = await guide.main_text("start")
    async with sit(guide) as seat:
        await seat.press("R")
        seat.assert_told("it is not merged")
        await seat.press("M", "y", "R")
        seat.assert_shows("Revert #1 “Say how long it takes”", "5 pages will be as before")
        seat.assert_shows("+ Old page  comes back", "- Signing in  is deleted", "~ Getting started")
        await seat.press("y")
        seat.assert_told("#2 “Revert #1: Say how long it takes” reverts it once it is merged.")
        seat.assert_shows("#2 Revert #1: Say how long it takes")
        await seat.press("2")
        seat.assert_shows("+ Old page", "- Signing in", "~ Getting started")
        await seat.press("M", "y")
    assert await guide.main_text("start") == before
    assert "Nobody reads this." in await guide.main_text("old")


async def test_a_conflict_of_a_revert_is_resolved_in_its_change_request(sit: Sit, guide: Guide) -> None:
    async with sit(guide) as seat:
        await seat.press("M", "y")
        guide.clock.advance(minutes=5)
        other = await Desk.open(guide.grace, guide.space, "Later")
        await other.edit("start", START.replace("five minutes to install", "an hour"))
        await other.merge()
        await seat.press("R")
        assert "1 conflict" in seat.line("Getting started  1 conflict")
        await seat.press("y")
        seat.assert_shows("5 Conflicts 1")
        await seat.press("5")
        seat.assert_shows("It takes an hour.", "It takes five minutes to install.")
        for draft in seat.store.drafts.find():
            seat.store.drafts.discard(draft)
    # On another machine the conflicts are found by their markers.
    async with sit(replace(guide, desk=Desk(guide.grace, guide.space, 3))) as seat:
        seat.assert_shows("5 Conflicts 1")
        await seat.press("5", "right", "A", "y", "M", "y")
    assert "It takes five minutes to install." in await guide.main_text("start")


async def test_a_rule_that_is_not_met_says_what_mends_it(sit: Sit, guide: Guide) -> None:
    rules = {"type": "rules", "rules": [{"rule": "require_at_least_one_approved_review"}]}
    await guide.ada.send("PATCH", f"/spaces/{guide.space}", {"mergeRules": rules})
    async with sit(guide) as seat:
        assert "S submit your review" in seat.line("× No approvals yet")
        await seat.press("M")
        seat.assert_shows("It cannot be merged yet.")
        in_dialog_and_behind = sum(line.count("No approvals yet") for line in seat.lines)
        assert in_dialog_and_behind == 2
        await seat.press("y")
        assert "merge" not in seat.transport.changes
        # The key that mends it works in the dialog, too.
        await seat.press("S", "enter")
        seat.assert_shows("✓ At least one person has approved it")
        await seat.press("M", "y")
    assert (await guide.desk.get())["status"] == "merged"


async def test_a_subject_that_others_changed_meanwhile_is_shown_before_it_is_replaced(sit: Sit, guide: Guide) -> None:
    async with sit(guide) as seat:
        await seat.press("f2")
        await guide.desk.speaker.send("PATCH", guide.desk.path, {"subject": "Theirs"})
        await seat.type(" now")
        await seat.press("enter")
        seat.assert_shows("Others changed it meanwhile, to “Theirs”: enter replaces theirs.")
        await seat.press("enter")
        seat.assert_shows("#1 Say how long it takes now")
        await seat.press("u")
        seat.assert_shows("#1 Theirs")


async def test_subject_description_status_and_reviewers_are_changed(sit: Sit, guide: Guide) -> None:
    async with sit(guide) as seat:
        await seat.press("f2")
        await seat.type(" now")
        await seat.press("enter")
        seat.assert_shows("#1 Say how long it takes now")
        await seat.action("change the description")
        await seat.type("Because it takes longer.")
        await seat.press("escape")
        seat.assert_told("Your description is not sent: “Change the description” continues it.")
    async with sit(guide) as seat:
        seat.assert_told("Your description is not sent: “Change the description” continues it.")
        await seat.action("change the description")
        seat.assert_shows("You typed this before; it is not sent yet.")
        await seat.press("ctrl+s")
        seat.assert_shows("Because it takes longer.")
        await seat.action("change the status")
        await seat.type("draft")
        await seat.press("enter")
        seat.assert_shows("◌ draft")
        await seat.press("u")
        seat.assert_shows("○ open")
    found = await guide.desk.get()
    assert (found["subject"], found["status"]) == ("Say how long it takes now", "open")


async def test_a_merged_one_says_by_whom_and_what_it_is_about(sit: Sit, guide: Guide) -> None:
    class Newer(Refusing):
        async def _passed_on(
            self, operation: Operation[Any, R], arguments: Mapping[str, Any], call: Coroutine[Any, Any, R]
        ) -> R:
            answer = await super()._passed_on(operation, arguments, call)
            if isinstance(answer, ChangeRequest):
                link = {"id": "1", "ref": {"kind": "url", "url": "https://t.example/7"}, "title": "T-7"}
                return answer.model_copy(update={"links": (ChangeRequestLink.model_validate(link),)})
            return answer

    def newer(transport: Refusing) -> None:
        transport.inner = Newer(transport.inner)

    await guide.desk.merge()
    async with sit(guide, prepare=newer) as seat:
        seat.assert_shows("T-7  https://t.example/7")
        assert " by Grace Hopper" in seat.line("merged   ")


async def test_reviewers_are_chosen_by_name(sit: Sit, guide: Guide) -> None:
    for name in ("bob Byte", "Cleo Cipher", "Alan Turing"):
        join(guide.platform, own_organization(guide.platform), name, "review")
        guide.clock.advance(minutes=1)
    async with sit(guide) as seat:
        await seat.action("request a review")
        names = [line.partition("@example.org")[0].split()[-1] for line in seat.lines if "@example.org" in line]
        assert names == ["ada", "alan", "bob", "cleo"]


async def test_a_change_request_that_cannot_be_loaded_says_why(sit: Sit, guide: Guide) -> None:
    def prepare(transport: Refusing) -> None:
        transport.always["get_change_request"] = Unreachable("The change request was not loaded.", "No answer came.")

    async with sit(guide, prepare=prepare) as seat:
        seat.assert_shows("Could not load the change request.", "No answer came.")
        del seat.transport.always["get_change_request"]
        await seat.press("r")
        seat.assert_shows("by Grace Hopper")


async def test_a_diff_that_cannot_be_made_says_so(
    sit: Sit, guide: Guide, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    # It is logged, which is no fault of the second server.
    caplog.set_level(logging.CRITICAL + 1, "recto")

    async def fail(_: PageReading) -> None:
        raise KeyError("surprise")

    async with sit(guide, (160, 40)) as seat:
        monkeypatch.setattr(PageReading, "compare", fail)
        await seat.press("2", "right_curly_bracket")
        seat.assert_shows("Could not compare the texts of this page.", "Unexpected error; details are in the log")


async def test_lines_that_could_not_be_counted_are_counted_by_a_refresh(sit: Sit, guide: Guide) -> None:
    failing = Content.get_page.at(AtRevision).name

    def fail(transport: Refusing) -> None:
        transport.always[failing] = Unreachable("Could not load the page.", "No answer came.")

    async with sit(guide, (120, 40), prepare=fail) as seat:
        await seat.press("2")
        assert not re.search(r"\+\d+ -\d+", seat.line("~ Reference"))
        del seat.transport.always[failing]
        await seat.press("r")
        assert re.search(r"\+\d+ -\d+", seat.line("~ Reference"))


async def fail_from_now_on(seat: Seat) -> None:
    seat.transport.down = Unreachable("Could not load a change request.", "No answer came.")


async def test_a_merge_that_failed_or_worked_is_reported_so_though_nothing_can_be_loaded_after_it(
    sit: Sit, guide: Guide
) -> None:
    async with sit(guide) as seat:
        await seat.press("M")
        seat.transport.errors["merge"] = [ServerFailed("Could not merge.", "The disk is full.", status=500)]
        await fail_from_now_on(seat)
        await seat.press("y")
        seat.assert_told("Could not merge. The disk is full.")
        assert (await guide.desk.get())["status"] == "open"
        seat.transport.down = None
        seat.transport.then["merge"] = lambda: fail_from_now_on(seat)
        await seat.press("M", "y")
        seat.assert_told("Merged #1 “Say how long it takes” into main. It could not be loaded again: r tries again.")
    assert (await guide.desk.get())["status"] == "merged"


async def test_a_merge_does_not_wait_for_the_lines_of_many_pages(
    sit: Sit, guide: Guide, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(facts, "MOST_COUNTED", 2)
    async with sit(guide) as seat:
        seat.pilot.app.screen.facts.counts = PageCounts(seat.store, "other")  # type: ignore[attr-defined]
        await seat.press("M")
        assert "lines" not in seat.line("5 pages")


async def test_lines_are_counted_first_in_the_pages_in_sight_and_shown_in_portions(
    sit: Sit, guide: Guide, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_reading, "_PORTION", 2)
    added = [f"Page {number}" for number in range(5)]
    await guide.desk.write(
        *({"operation": "insert_page", "title": title, "document": {"markdown": "One line.\n"}} for title in added)
    )
    async with sit(guide) as seat:
        known = facts_of(seat)
        request, pages = known.request.value, known.pages
        assert request is not None and pages is not None
        counts, portions = PageCounts(seat.store, "1"), list[set[str]]()
        last = next(page.id for page in pages if page.title == "Page 4")

        def note_counted() -> None:
            counted = {page.title for page in pages if counts.of(page) is not None}
            portions.append(counted.difference(*portions))

        await counts.count(request, pages, note_counted, lambda: [last])
        assert portions[0] == {"Page 4"}
        assert [len(portion) for portion in portions[1:]] == [2, 2, 2, 2]


async def test_lines_are_counted_again_only_where_a_page_was_changed_further(sit: Sit, guide: Guide) -> None:
    async with sit(guide, page="start") as seat:
        known = facts_of(seat)
        request, pages = known.request.value, known.pages
        assert request is not None and pages is not None
        asked = len(seat.transport.asked)
        again = PageCounts(seat.store, view_of(seat).key)
        assert again.find_uncounted(request, pages) == []
        await again.count(request, pages)
        assert again.total == known.counts.total != (0, 0)
        assert len(seat.transport.asked) == asked
        new = next(page for page in pages if page.title == "Signing in")
        assert known.counts.of(new) == (1, 0)
        await guide.desk.edit(new.id, "Enter your name.\n\nThen wait.\n")
        guide.clock.advance(minutes=1)
        await seat.press("r")
        assert known.counts.of(new) == (3, 0)


async def test_the_threads_of_all_pages_are_found_in_one_walk_over_the_comments(sit: Sit, guide: Guide) -> None:
    for number in range(3):
        body = {"body": {"markdown": f"Comment {number}"}, "page": "start"}
        await guide.grace.send("POST", f"{guide.path}/comments", body)
    async with sit(guide, page="reference") as seat:
        known = facts_of(seat)
        assert known.threads_by_page is known.threads_by_page
        assert "3" in seat.line("~ Getting started")
        before = calls(view_of(seat).changed.show)
        for number in range(40):
            body = {"body": {"markdown": f"Further {number}"}, "page": "start"}
            await guide.grace.send("POST", f"{guide.path}/comments", body)
        await seat.press("r")
        assert "43" in seat.line("~ Getting started")
        # Each open thread of a page is counted for its row, and nothing else.
        assert calls(view_of(seat).changed.show) - before <= 2 * 40


def view_of(seat: Seat) -> ChangeRequestView:
    view = seat.pilot.app.screen
    assert isinstance(view, ChangeRequestView)
    return view


def facts_of(seat: Seat) -> RequestFacts:
    return view_of(seat).facts
