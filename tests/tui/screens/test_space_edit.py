"""Editing the pages of a space with the keys alone: into change requests, and through failures, restarts and others."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from textual._compositor import CompositorUpdate
from textual.screen import Screen
from textual.widgets import TextArea
from textual.widgets._toast import Toast

from recto.client.errors import Unreachable
from recto.contract.changes import MOST_FILE_BYTES
from recto.contract.spaces import Spaces, UpdateSpace
from recto.server.platform import Platform
from recto.settings import Settings
from recto.store.drafts import DraftKind, DraftPlace
from recto.tui.app import RectoApp
from recto.tui.dialogs.dialog import Dialog
from recto.tui.page.page_view import PageView
from recto.tui.screens.reading.page_tree_pane import PageTreePane
from recto.tui.screens.space import page_changes
from recto.tui.screens.space.space_view import SpaceView
from recto.tui.terminal.editor import EditorError
from support.content import Desk, change_space, make_space
from support.documents import PNG
from support.platform import join, own_organization
from support.screens import all_messages, settled, until
from support.slow import with_slow
from support.spaces import Reader, Workspace, handbook

BETTER = "It takes three steps"


class Editor:
    """A person's editor: does to the file what the test says, and notes what it was given."""

    def __init__(self, *changes: Callable[[str], str]) -> None:
        self.changes = list(changes)
        self.given: list[str] = []
        self.files: list[Path] = []
        self.lines: list[int] = []

    def __call__(self, file: Path, line: int) -> None:
        text = file.read_text()
        self.given.append(text)
        self.files.append(file)
        self.lines.append(line)
        file.write_text(self.changes.pop(0)(text))


def replace_words(old: str, new: str) -> Callable[[str], str]:
    return lambda text: text.replace(old, new)


def lost() -> Unreachable:
    return Unreachable("The page was not sent.", "The connection broke.", may_have_arrived=True)


def unreachable() -> Unreachable:
    return Unreachable("The page was not sent.", "No answer came.")


async def drafts(reader: Reader) -> int:
    return len(list((reader.store.drafts._folder).glob("*/draft.json")))


# Into change requests


async def test_an_edit_goes_to_a_new_change_request_in_which_one_is_then(workspace: Workspace) -> None:
    editor = Editor(replace_words("three steps", "three small steps"))
    async with workspace.reader(editor=editor) as reader:
        await reader.read("The guide")
        await reader.press("e")
        reader.shows("Edit “The guide” in", "New change request “Edit The guide”", "made when you send")
        await reader.press("enter")
        assert editor.files[0].suffix == ".md"
        assert editor.given[0].startswith("# The guide\n\nIt takes three steps.")
        assert reader.says("“The guide” is in #1 “Edit The guide”.")
        assert not isinstance(reader.pilot.app.screen, Dialog), "an outcome is no dialog to be closed"
        assert "three small steps" in await reader.text_in(1, "guide")
        assert "three small steps" not in str(await reader.api.get(f"/spaces/{reader.space}/content/page/guide"))
        assert await drafts(reader) == 0
        reader.shows("#1 “Edit The guide”", "It takes three small steps.")


async def test_the_subject_is_the_persons_own_kept_by_esc_and_refused_where_it_is_too_long(
    workspace: Workspace,
) -> None:
    async with workspace.reader(editor=Editor(replace_words("Open", "Open slowly"))) as reader:
        await reader.read("The guide")
        await reader.press("e", "escape")
        assert await reader.requests() == []
        assert await drafts(reader) == 0
        await reader.press("e")
        await reader.type("Slow down" + "!" * 92)
        await reader.press("enter")
        reader.shows("101 characters; a subject has at most 100.")
        await reader.press("escape", "e")
        reader.shows("New change request “Slow down!")
        await reader.press("ctrl+u", "escape", "e")
        reader.shows("New change request “Edit The guide”")
        await reader.type("Slow down" + "!" * 92)
        await reader.press("end", "backspace", "enter")
        assert [one["subject"] for one in await reader.requests()] == ["Slow down" + "!" * 91]


async def test_an_edit_goes_to_an_existing_change_request_and_the_next_one_too_without_asking(
    workspace: Workspace,
) -> None:
    desk = await Desk.open(workspace.api, workspace.space, "Say it better")
    await desk.edit("guide", "# The guide\n\nIt takes four steps.\n")
    editor = Editor(
        replace_words("four", "five"), replace_words("five", "six"), replace_words("This paragraph", "This")
    )
    async with workspace.reader(editor=editor) as reader:
        await reader.read("The guide")
        await reader.press("e")
        reader.shows("Edit “The guide” in", "New change request “Edit The guide”", "made when you send")
        reader.shows("#1 Say it better", "draft · just now · Ada Lovelace")
        await reader.press("down", "enter")
        assert editor.given[0] == "# The guide\n\nIt takes four steps.\n"
        assert await reader.text_in(1, "guide") == "# The guide\n\nIt takes five steps.\n"
        reader.shows("#1 “Say it better”", "It takes five steps.")
        assert "~" in reader.line("│     The guide")
        await reader.press("e")
        assert await reader.text_in(1, "guide") == "# The guide\n\nIt takes six steps.\n"
        await reader.press("tab")
        await reader.read("Welcome")
        await reader.press("e")
        assert "This is here" in await reader.text_in(1, "welcome")


async def test_one_dialog_asks_for_the_change_request_or_the_subject_of_a_new_one(workspace: Workspace) -> None:
    await Desk.open(workspace.api, workspace.space, "Say it better")
    editor = Editor(replace_words("three", "four"))
    async with workspace.reader(editor=editor) as reader:
        await reader.read("The guide")
        await reader.press("e")
        await reader.type("better")
        reader.shows("#1 Say it better", "New change request “better”")
        await reader.type(" words")
        reader.shows_not("#1 Say it better")
        await reader.press("enter")
        assert reader.says("“The guide” is in #2 “better words”.")
        assert len(editor.given) == 1


async def test_the_change_request_under_the_cursor_is_the_one_chosen(workspace: Workspace) -> None:
    for subject in ("Say it better", "B change"):
        await Desk.open(workspace.api, workspace.space, subject)
    editor = Editor(replace_words("three", "four"), replace_words("three", "five"))
    async with workspace.reader(editor=editor) as reader:
        await reader.read("The guide")
        await reader.press("e")
        await reader.type("better")
        await reader.press("down", "enter")
        assert reader.says("“The guide” is in #3 “better”.")
        await reader.press("w")
        await reader.type("main")
        await reader.press("enter", "e")
        await reader.type("A change")
        await reader.press("enter")
        assert reader.says("“The guide” is in #4 “A change”.")


SIZES = ((80, 24), (60, 20), (160, 48))


@pytest.mark.parametrize("size", with_slow(SIZES, SIZES[1:]))
async def test_who_has_written_a_page_stands_before_it_at_every_size(
    workspace: Workspace, size: tuple[int, int]
) -> None:
    editor = Editor(lambda text: f"{text}Words.\n", lambda text: f"{text}Words.\n", lambda text: f"{text}Words.\n")
    async with workspace.reader(size=size, editor=editor) as reader:
        await reader.press("tab" if size[0] > 80 else "enter", "h")
        for number, title in enumerate(("One", "Two", "Three")):
            await reader.press("a")
            await reader.type(title)
            await reader.press("enter", *(["enter"] if not number else []))
            reader.shows(f"╭─ {title}")
            view = reader.pilot.app.screen
            assert isinstance(view, SpaceView)
            assert (view.location.title.partition(",")[0], view.location.panel) == (title, "reader")
            assert view.query_one(PageView).has_focus
            await reader.press("h")
            assert view.page_tree.current == view.reading.page


# When it does not work


async def test_a_failed_request_keeps_the_draft_which_e_goes_on_with_also_after_a_restart(workspace: Workspace) -> None:
    editor = Editor(replace_words("Open", "Close"), lambda text: text, replace_words("Close", "Shut"))
    async with workspace.reader(editor=editor) as reader:
        reader.transport.errors["write_content"] = [unreachable(), None, unreachable()]
        await reader.read("The guide")
        await reader.press("e", "enter")
        assert reader.says("The page was not sent. No answer came.")
        reader.shows("A draft of yours from just now, for #1 “Edit The guide”: e")
        assert "…" in reader.line("│     The guide")
        await reader.press("e")
        assert "Close the box" in editor.given[1]
        assert "Close the box" in await reader.text_in(1, "guide")
        assert len(await reader.requests()) == 1, "the change request of the first try is used again"
        reader.shows_not("A draft of yours")
        assert await drafts(reader) == 0
        await reader.press("e")
    workspace.platform.clock.advance(hours=2)  # type: ignore[attr-defined]
    async with workspace.reader(editor=Editor(replace_words("Shut", "Lock"))) as reader:
        assert reader.says("Typed here and not sent yet: “The guide”.")
        await reader.read("The guide")
        reader.shows("A draft of yours from 2 h ago")
        await reader.press("e")
        assert "Lock the box" in await reader.text_in(1, "guide")


async def test_after_a_lost_answer_it_looks_whether_the_text_has_arrived(workspace: Workspace) -> None:
    async with workspace.reader(editor=Editor(replace_words("Open", "Close"))) as reader:

        async def lose() -> None:
            raise lost()

        reader.transport.then["write_content"] = lose
        await reader.read("The guide")
        await reader.press("e", "enter")
        assert reader.says("“The guide” is in #1")
        assert await drafts(reader) == 0


async def test_what_had_arrived_when_the_program_was_killed_or_was_left_untouched_is_not_offered(
    workspace: Workspace,
) -> None:
    async with workspace.reader(editor=Editor(replace_words("Open", "Close"))) as reader:
        reader.transport.always["write_content"] = unreachable()
        await reader.read("The guide")
        await reader.press("e", "enter")
        (draft,) = reader.store.drafts.find()
        reader.store.drafts.mark_sending(draft)
        text = reader.store.drafts.text(draft)
        place = DraftPlace(space=reader.space, page="welcome")
        reader.store.drafts.start(DraftKind.PAGE_EDIT, place, "# Welcome\n", base_text="# Welcome\n")
    await Desk(workspace.api, workspace.space, 1).edit("guide", text)
    async with workspace.reader() as reader:
        assert reader.says("“The guide” had arrived in #1.")
        assert not reader.says("not sent yet")
        await reader.read("The guide")
        reader.shows_not("A draft of yours")
        assert [draft.place.page for draft in reader.store.drafts.find()] == ["welcome"]
    workspace.platform.clock.advance(days=2)  # type: ignore[attr-defined]
    async with workspace.reader() as reader:
        assert await drafts(reader) == 0


async def test_an_editor_that_changes_nothing_cannot_be_run_or_fails_sends_nothing(workspace: Workspace) -> None:
    missing = EditorError("The editor “ed” could not be started: No such file or directory.")
    failed = EditorError("The editor “ed” ended with code 1, so nothing is sent.")

    def cannot_start(_: str) -> str:
        raise missing

    class Failing(Editor):
        def __call__(self, file: Path, line: int) -> None:
            super().__call__(file, line)
            if not self.changes:
                raise failed

    editor = Failing(lambda text: text, cannot_start, lambda text: text + "More.\n")
    async with workspace.reader(editor=editor) as reader:
        await reader.read("The guide")
        await reader.press("e", "enter")
        assert reader.says("“The guide” was not changed.")
        assert await drafts(reader) == 0
        await reader.press("e", "enter")
        assert reader.says(str(missing))
        assert reader.says("E edits the page in the built-in editor.")
        assert await drafts(reader) == 0
        await reader.press("e", "enter")
        assert reader.says(str(failed))
        assert reader.says("Your text for “The guide” is kept as a draft: e continues it.")
        reader.shows("A draft of yours")
        assert await reader.requests() == []
        await reader.press("D")
        reader.shows("Discard the draft", "removed for good")
        await reader.press("n")
        assert await drafts(reader) == 1
        await reader.press("D", "y")
        assert await drafts(reader) == 0
        reader.shows_not("A draft of yours")
        assert reader.says("Discarded the draft of “The guide”.")


async def test_a_change_request_merged_meanwhile_is_reported_and_another_is_chosen(workspace: Workspace) -> None:
    desk = await Desk.open(workspace.api, workspace.space, "First")
    await desk.edit("guide", "# The guide\n\nFour.\n")

    async with workspace.reader(editor=Editor(replace_words("Four", "Five"), lambda text: text)) as reader:
        reader.transport.always["write_content"] = unreachable()
        await reader.read("The guide")
        await reader.press("e", "down", "enter")
        reader.transport.always.clear()
        await desk.merge()
        await reader.press("r", "e")
        assert reader.says("#1 is merged, so your text has to go elsewhere.")
        reader.shows("New change request")
        await reader.press("enter")
        assert await reader.text_in(2, "guide") == "# The guide\n\nFive.\n"


# When another person was there


async def changed_meanwhile(workspace: Workspace, theirs: Callable[[str], str]) -> tuple[Desk, Editor]:
    """Give a change request whose page is changed by another hand while the editor is open."""
    desk = await Desk.open(workspace.api, workspace.space, "Together")
    text = await desk.text("guide")

    class Racing(Editor):
        def __call__(self, file: Path, line: int) -> None:
            super().__call__(file, line)
            if len(self.given) == 1:
                workspace.platform.database.write_now(lambda connection: write(workspace.platform, connection))

    def write(platform: Platform, connection: object) -> None:
        from recto.contract.changes import PageText, UpdatePage
        from recto.server.content.change_requests import find_change_request
        from recto.server.content.write_plan import apply_plan, plan_write

        context = platform.context(connection)  # type: ignore[arg-type]
        row = find_change_request(context.database, workspace.space, "1")
        changes = [UpdatePage(page="guide", document=PageText(markdown=theirs(text)))]
        apply_plan(context, row, plan_write(context, row, changes))

    return desk, Racing(replace_words("Open the box", "Close the box"), replace_words("<<<<<<<", "<<<<<<<"))


async def test_a_concurrent_edit_is_reported_and_merged_never_overwritten(workspace: Workspace) -> None:
    desk, editor = await changed_meanwhile(workspace, replace_words("Put it away", "Give it back"))
    async with workspace.reader(editor=editor) as reader:
        await reader.read("The guide")
        await reader.press("e", "down", "enter")
        reader.shows("The page was changed while you edited it", "Merge both, and send it", "Leave it as a draft")
        assert "Close the box" not in await desk.text("guide")
        await reader.type("send")
        await reader.press("enter")
        text = await desk.text("guide")
        assert "Close the box" in text
        assert "Give it back" in text


async def test_a_conflict_goes_to_the_editor_and_is_not_sent_with_its_markers(workspace: Workspace) -> None:
    desk, editor = await changed_meanwhile(workspace, replace_words("Open the box", "Burn the box"))
    async with workspace.reader(editor=editor) as reader:
        await reader.read("The guide")
        await reader.press("e", "down", "enter")
        reader.shows("1 conflict")
        reader.shows_not("Merge both, and send it")
        await reader.press("enter")
        assert "<<<<<<< yours" in editor.given[1]
        assert "Burn the box" in editor.given[1]
        assert reader.says("Your text has conflict markers.")
        assert "<<<<<<<" not in await desk.text("guide")
        reader.shows("A draft of yours")


# The built-in editor


async def test_the_built_in_editor_sends_with_ctrl_s_and_another_change_waits_until_then(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.read("The guide")
        await reader.press("E", "enter")
        assert isinstance(reader.pilot.app.focused, TextArea)
        reader.shows("for a new change request “Edit The guide” · line 1 of", "# The guide")
        await reader.press("down", "down")
        await reader.type("jNow: ")
        going = asyncio.Event()
        reader.transport.then["get_space"] = going.wait
        await reader.pilot.press("ctrl+s")
        await until(reader.pilot, lambda: "get_space" not in reader.transport.then)
        await reader.pilot.press("f2")
        await until(reader.pilot, lambda: reader.says("The action before is not finished yet: try again in a moment."))
        await reader.pilot.press("D")
        going.set()
        await settled(reader.pilot)
        assert reader.says("“The guide” is in #1 “Edit The guide”.")
        assert (await reader.text_in(1, "guide")).startswith("# The guide\n\njNow: It takes three steps.")
        assert await drafts(reader) == 0


async def test_esc_and_quitting_leave_the_built_in_editor_with_a_draft_to_go_on_with(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.read("The guide")
        await reader.press("E", "enter", "down", "down")
        await reader.type("Half a ")
        await reader.press("escape")
        assert reader.says("Your text for “The guide” is kept as a draft: e continues it.")
        reader.shows("A draft of yours")
        assert await reader.requests() == []
        await reader.press("E")
        reader.shows("Half a It takes three steps.")
        await reader.type("box: ")
        await reader.press("ctrl+q")
        reader.shows("Not sent yet: a change of “The guide”.")
        await reader.press("y")
    async with workspace.reader() as reader:
        assert reader.says("Typed here and not sent yet: “The guide”.")
        await reader.read("The guide")
        await reader.press("E", "ctrl+s")
        text = await reader.text_in(1, "guide")
        assert "Half a " in text and "box: " in text


async def test_the_cursor_of_the_built_in_editor_stays_in_sight_in_a_smaller_terminal(workspace: Workspace) -> None:
    async with workspace.reader(size=(80, 24)) as reader:
        await reader.read("The guide")
        await reader.press("E", "enter")
        reader.pilot.app.screen.query_one(TextArea).insert(("A line of words. " * 8 + "\n") * 60)
        await reader.type("Here")
        for size in ((80, 20), (60, 20), (80, 24)):
            await reader.pilot.resize_terminal(*size)
            await settled(reader.pilot)
            reader.shows("Here")


async def test_the_built_in_editor_takes_the_whole_screen_again_when_a_message_is_gone(workspace: Workspace) -> None:
    async with workspace.reader(size=(80, 24)) as reader:
        await reader.read("The guide")
        await reader.press("E", "enter")
        screen = reader.pilot.app.screen
        box = screen.query_one(".box")
        whole = box.region
        for says in ("Something happened.", "And this."):
            screen.notify(says)
            await until(reader.pilot, lambda: bool(screen.query(Toast)) and box.region != whole)
            await settled(reader.pilot)
            assert screen.query(Toast).last().region.bottom == screen.region.bottom - 1  # as on the screen below
        for message in screen.query(Toast):
            low = box.region.height
            await reader.pilot.click(message)
            await until(reader.pilot, partial(lambda low: box.region.height > low, low))
        assert box.region == whole == screen.region


async def test_without_any_editor_e_opens_the_built_in_one(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recto.tui.terminal.editor.find_editor", lambda **_: None)
    async with workspace.reader() as reader:
        await reader.read("The guide")
        await reader.press("e", "enter")
        assert isinstance(reader.pilot.app.focused, TextArea)


# The page tree


async def tree_in(reader: Reader, number: int) -> list[Any]:
    answer = await reader.api.get(f"/spaces/{reader.space}/change-requests/{number}/content/pages")
    return list(answer["pages"])


async def test_a_new_page_is_written_at_once_and_stands_after_the_page_under_the_cursor(workspace: Workspace) -> None:
    editor = Editor(lambda text: text + "When it smokes.\n")
    async with workspace.reader(editor=editor) as reader:
        await reader.read("The guide")
        await reader.press("a")
        reader.shows("New page", "after “The guide”")
        await reader.type("Troubles")
        await reader.press("escape", "a")
        reader.shows("Troubles")
        await reader.press("enter")
        assert editor.given == ["# Troubles\n\n"]
        assert editor.lines == [3]
        reader.shows("New change request “Add Troubles”")
        await reader.press("enter")
        assert reader.says("“Troubles” is in #1 “Add Troubles”.")
        reader.shows("#1 “Add Troubles”", "When it smokes.")
        using = next(page for page in await tree_in(reader, 1) if page["id"] == "using")
        assert [page["title"] for page in using["pages"]] == ["The guide", "Troubles", "Not yet"]
        text = await reader.text_in(1, using["pages"][1]["id"])
        assert text == "# Troubles\n\nWhen it smokes.\n"
        assert reader.transport.changes.count("write_content") == 1, "the page and its text are one write"


async def test_a_new_page_is_shown_in_a_change_request_whose_pages_were_seen_before(workspace: Workspace) -> None:
    await Desk.open(workspace.api, workspace.space, "Say it better")
    async with workspace.reader(editor=Editor(lambda text: text + "When it smokes.\n")) as reader:
        for address in ("better", "main"):
            await reader.press("w")
            await reader.type(address)
            await reader.press("enter")
        await reader.press("a")
        await reader.type("Troubles")
        await reader.press("enter", "down", "enter")
        reader.shows("#1 “Say it better”", "When it smokes.")
        assert not reader.says("The page you were on")
        tree = await tree_in(reader, 1)
        assert reader.pilot.app.screen.query_one(PageTreePane).current == tree[1]["id"]


async def test_tab_puts_a_new_page_inside_or_at_the_end(workspace: Workspace) -> None:
    editor = Editor(*[lambda text: text + "Words.\n"] * 2)
    async with workspace.reader(editor=editor) as reader:
        await reader.read("The guide")
        await reader.press("a", "tab")
        reader.shows("inside “The guide”")
        await reader.type("Under")
        await reader.press("enter", "enter")
        await reader.press("a", "tab", "tab")
        reader.shows("at the end of the top level")
        await reader.type("Last")
        await reader.press("enter")
        tree = await tree_in(reader, 1)
        assert tree[-1]["title"] == "Last"
        guide = next(page for page in tree[1]["pages"] if page["id"] == "guide")
        assert [page["title"] for page in guide["pages"]] == ["Under"]


async def test_a_new_page_stands_in_the_tree_while_it_is_a_draft_and_goes_on_there(workspace: Workspace) -> None:
    async with workspace.reader(editor=Editor(lambda text: text + "Half.\n")) as reader:
        reader.transport.always["create_change_request"] = unreachable()
        await reader.read("The guide")
        await reader.press("a")
        await reader.type("Troubles")
        await reader.press("enter", "enter")
        assert reader.says("is kept as a draft")
    async with workspace.reader(editor=Editor(lambda text: text + "Whole.\n")) as reader:
        assert reader.says("Typed here and not sent yet: “Troubles”.")
        lines = reader.screen.splitlines()
        guide = next(at for at, line in enumerate(lines) if "The guide" in line)
        assert "Troubles" in lines[guide + 1]
        assert "not sent" in lines[guide + 1]
        await reader.read("Troubles")
        reader.shows("Half.", "A new page from just now")
        await reader.press("f2")
        assert reader.says("Rename: this page is not sent yet.")
        await reader.press("e")
        using = next(page for page in await tree_in(reader, 1) if page["id"] == "using")
        assert [page["title"] for page in using["pages"]] == ["The guide", "Troubles", "Not yet"]
        assert "Half.\nWhole." in await reader.text_in(1, using["pages"][1]["id"])
        reader.shows_not("Troubles  not sent")
        assert await drafts(reader) == 0


async def test_a_new_page_in_which_nothing_is_written_is_not_added(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.press("a", "enter")
        reader.shows("The title cannot be empty.")
        await reader.type("Troubles")
        await reader.press("ctrl+t", "escape")
        assert reader.says("Nothing was written, so “Troubles” is not added.")
        assert await drafts(reader) == 0
        assert await reader.requests() == []


async def test_the_title_typed_over_in_the_editor_is_the_title_of_the_page_with_its_signs_of_markdown(
    workspace: Workspace,
) -> None:
    title = "Use `foo` & *bar* [link](b.md)"
    async with workspace.reader(editor=Editor(lambda _: f"# {title}\n\nWater.\n")) as reader:
        await reader.press("a")
        await reader.type("Troubles")
        await reader.press("enter", "enter")
        assert [page["title"] for page in await tree_in(reader, 1)][1] == title
        reader.shows(title)
        reader.shows_not("Use foo & bar")


async def test_the_first_page_of_a_new_space_is_offered_and_written(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    workspace.space = make_space(workspace.platform, [])
    async with workspace.reader(editor=Editor(lambda text: text + "Hello.\n")) as reader:
        reader.shows("No pages yet.", "a  writes the first one")
        await reader.press("a")
        await reader.type("Home")
        await reader.press("enter", "enter")
        (page,) = await tree_in(reader, 1)
        assert await reader.text_in(1, page["id"]) == "# Home\n\nHello.\n"
    workspace.close()


async def test_f4_on_a_search_hit_edits_its_page_where_the_words_are(workspace: Workspace) -> None:
    editor = Editor(replace_words("turn the crank", "turn it"))
    async with workspace.reader(editor=editor) as reader:
        await reader.press("s")
        await reader.type("crank")
        await reader.press("f4", "enter")
        assert editor.given[0].splitlines()[editor.lines[0] - 1] == "Read what is in it, then turn the crank."
        assert "turn it" in await reader.text_in(1, "guide")


async def test_f4_without_a_search_hit_edits_nothing_later(workspace: Workspace) -> None:
    editor = Editor(replace_words("turn the crank", "turn it"))
    async with workspace.reader(editor=editor) as reader:
        await reader.press("s", "f4")
        await reader.type("crank")
        await reader.press("enter")
        reader.shows("turn the crank")
        assert editor.given == []


async def test_the_editor_opens_at_the_block_under_the_cursor(workspace: Workspace) -> None:
    editor = Editor(replace_words("Open", "Close"))
    async with workspace.reader(editor=editor) as reader:
        await reader.read("The guide")
        await reader.press("right_square_bracket", "right_square_bracket", "e", "enter")
        assert editor.given[0].splitlines()[editor.lines[0] - 1] == "## Second step"
        await reader.press("E")
        line = (await reader.text_in(1, "guide")).splitlines().index("## Second step") + 1
        reader.shows(f"line {line} of")


async def test_a_title_that_others_changed_meanwhile_is_shown_before_it_is_replaced(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.press("f2")
        first, *rest = handbook()
        change_space(workspace.platform, workspace.space, [replace(first, title="Good morning"), *rest])
        await reader.type(" back")
        await reader.press("enter")
        reader.shows("Others changed it meanwhile, to “Good morning”: enter replaces theirs.")
        await reader.press("enter", "enter")
        assert (await reader.text_in(1, "welcome")).startswith("# Welcome back\n")


async def test_a_page_is_renamed_and_another_deleted_in_the_same_change_request(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.read("The guide")
        await reader.press("f2", "end")
        await reader.type(" to it")
        await reader.press("enter", "escape", "f2")
        reader.shows("The guide to it", "You typed this before; typing replaces it.")
        await reader.press("enter", "enter")
        assert (await reader.text_in(1, "guide")).startswith("# The guide to it\n")
        await reader.press("tab")
        await reader.read("Welcome")
        await reader.press("D")
        reader.shows("Delete the page", "“Welcome” will be deleted in a change request.", "deletes it there")
        await reader.press("y")
        tree = await reader.api.get(f"/spaces/{reader.space}/change-requests/1/content/pages")
        assert [page["id"] for page in tree["pages"]] == ["using", "elsewhere"]
        assert len((await reader.api.get(f"/spaces/{reader.space}/content/pages"))["pages"]) == 3
        await reader.press("u")
        assert reader.says("Reverted the removal of “Welcome”")
        reader.pilot.app.clear_notifications()
        await reader.read("Welcome")
        await reader.press("D", "y")
        lacking = [each for each in all_messages(reader.pilot.app) if "The page you were on" in each]
        assert len(lacking) == 1, "the tree comes once more, with its deleted pages"


async def test_the_selected_pages_are_deleted_in_one_change_with_those_under_them(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.press("g", "space", "space", "space", "D")
        reader.shows("Delete the selected pages", "2 pages and the 2 pages under them will be deleted")
        reader.shows("· Welcome", "· Using it")
        await reader.press("y", "enter")
        tree = await reader.api.get(f"/spaces/{reader.space}/change-requests/1/content/pages")
        assert [page["id"] for page in tree["pages"]] == ["elsewhere"]
        assert reader.says("The removal of 2 pages is in #1 “Delete 2 pages”.")


async def test_questions_and_empty_lists_name_the_keys_of_the_settings(workspace: Workspace) -> None:
    settings = Settings(keys={"dialog.confirm": ("Y",), "dialog.decline": (), "item.new": ("ctrl+n",)})
    async with workspace.reader(settings=settings) as reader:
        await reader.press("4")
        reader.shows("No files yet.", "ctrl+n  adds one")
        await reader.press("1", "D")
        reader.shows("Y  continues, and asks", ":  leaves everything as it is")
        await reader.press("Y", "enter")
        assert len(await reader.requests()) == 1


async def test_sentences_name_the_keys_of_the_settings(workspace: Workspace) -> None:
    settings = Settings(keys={"view.tab_1": ("f6",), "page.edit": ("ctrl+e",), "change.undo": ("f7",)})
    async with workspace.reader(settings=settings, size=(140, 50)) as reader:
        await reader.press("4", "f2")
        reader.shows("only on a page; f6 shows the pages")
        await reader.press("question_mark")
        reader.shows("only on a page; f6 shows the pages")
        await reader.press("escape", "f6", "E", "enter", "x", "escape")
        assert reader.says("ctrl+e continues it.")
        reader.shows("ctrl+e continues, D")
        await reader.press("g", "m", "j", "enter", "A")
        reader.shows("f7 takes it back.")


async def test_so_many_pages_as_go_into_one_write_are_deleted_at_once(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(page_changes, "MAX_CHANGES", 1)
    async with workspace.reader() as reader:
        await reader.press("g", "space", "space", "D")
        assert reader.says("At most 1 pages are deleted in one write: 2 are selected.")
        assert not isinstance(reader.pilot.app.screen, Dialog)
        await reader.press("escape", "D")
        reader.shows("Delete the page")


async def test_a_file_is_added_and_shown_and_one_that_cannot_be_is_named_and_its_path_stays(
    workspace: Workspace, tmp_path: Path
) -> None:
    picture, large = tmp_path / "A dot.png", tmp_path / "large.bin"
    picture.write_bytes(PNG)
    large.write_bytes(bytes(MOST_FILE_BYTES + 1))
    async with workspace.reader() as reader:
        await reader.press("4")
        reader.shows("No files yet.", "a  adds one")
        await reader.press("a")
        gone = tmp_path / "gone"
        for path, why in ((gone, "There is no such file."), (tmp_path, "It is a folder."), (large, "than 1 MB.")):
            await reader.type(str(path))
            await reader.press("enter")
            assert why in " ".join(reader.screen.replace("│", " ").split())
        await reader.press("escape", "a")
        reader.shows("large.bin", "You typed this before; typing replaces it.")
        assert await reader.requests() == []
        await reader.type(str(picture))
        await reader.press("enter", "enter")
        assert reader.says("“A dot.png” is in #1 “Add A dot.png”.")
        reader.shows("Files  1", "image/png · 1 x 1 · 68 B")
        (file,) = (await reader.api.get(f"/spaces/{reader.space}/change-requests/1/content/files"))["items"]
        await reader.press("y")
        assert reader.pilot.app.clipboard == f"![](/files/{file['id']})"
        await reader.press("u")
        assert reader.says("nothing to undo")


async def test_a_change_is_sent_though_its_space_is_left_meanwhile(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        space = reader.pilot.app.screen

        async def leave() -> None:
            await reader.pilot.app.switch_screen(Screen())

        reader.transport.then["create_change_request"] = leave
        await reader.read("The guide")
        await reader.press("f2", "end")
        await reader.type(" to it")
        await reader.press("enter", "enter")
        assert not space.is_attached
        assert (await reader.text_in(1, "guide")).startswith("# The guide to it\n")


# What cannot be done


async def test_the_reason_is_shown_where_editing_is_refused(workspace: Workspace) -> None:
    reading = join(workspace.platform, own_organization(workspace.platform), "Rea Reader", "read")
    workspace.platform.admit("token-of-rea", reading)
    async with workspace.reader(editor=Editor(), token="token-of-rea") as reader:
        await reader.read("The guide")
        for key, title in (("e", "Edit in your editor"), ("a", "New"), ("f2", "Rename"), ("D", "Delete")):
            await reader.press(key)
            assert reader.says(f"{title}: needs the edit role.")
        await reader.press("c")
        assert reader.says("Comment on the block under the cursor: needs the comment role.")


async def test_a_locked_space_says_so_and_takes_change_requests_all_the_same(workspace: Workspace) -> None:
    async with workspace.reader(editor=Editor(replace_words("Open", "Close"))) as reader:
        await reader.store.call(Spaces.update_space, reader.space, UpdateSpace(edit_mode="locked"))
        await reader.press("r")
        reader.shows("■ locked")
        await reader.read("The guide")
        await reader.press("e", "enter")
        assert "Close the box" in await reader.text_in(1, "guide")


async def test_a_group_and_a_link_are_not_edited_here(workspace: Workspace) -> None:
    async with workspace.reader(editor=Editor()) as reader:
        await reader.press("j", "e")
        assert reader.says("Edit in your editor: a group page is not written here.")
        await reader.press("G", "e")
        assert reader.says("Edit in your editor: a link page is not written here.")


@pytest.mark.usefixtures("each_step_painted")
async def test_no_other_view_is_seen_between_a_view_and_the_one_in_its_place(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen: list[Screen[Any]] = []
    display = RectoApp._display

    def note(app: RectoApp, of: Screen[Any], drawn: Any) -> None:
        if isinstance(drawn, CompositorUpdate) and not app._batch_count:
            seen.append(app.screen)
        display(app, of, drawn)

    async with workspace.reader() as reader:
        await reader.read("The guide")
        await reader.press("E", "enter")
        await reader.type("New ")
        monkeypatch.setattr(RectoApp, "_display", note)
        await reader.press("ctrl+s")
        reader.shows("#1 “Edit The guide”")
    views = [screen for screen in seen if not isinstance(screen, Dialog)]
    assert {type(view) for view in views} == {SpaceView}
    assert len(set(views)) == 2
