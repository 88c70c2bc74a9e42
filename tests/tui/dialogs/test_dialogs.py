from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from recto.store.drafts import DraftKind, DraftPlace
from recto.store.keeper import TypedText
from recto.store.line_drafts import LineDrafts
from recto.store.store import Store
from recto.tui.app import RectoApp
from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.dialogs.choose_request import NEW, ChooseRequest
from recto.tui.dialogs.choose_several import ChooseSeveral
from recto.tui.dialogs.compose import Compose
from recto.tui.dialogs.confirm import NO_UNDO, UNDO, Confirm, ConfirmTitle
from recto.tui.dialogs.dialog import Dialog
from recto.tui.dialogs.help import Help
from recto.tui.dialogs.prompt import PromptLine, PromptText
from recto.tui.dialogs.report import Report, ScrolledLines
from recto.tui.dialogs.review import ReviewDialog
from recto.tui.widgets.bars import StatusBar
from recto.tui.widgets.text_pad import TextPad
from support.screens import all_messages, screen_text, settled, shows
from support.views import ExampleView

Program = Callable[..., RectoApp]


class Under(ExampleView):
    """What lies under the dialogs."""


UNANSWERED = object()


async def answer(program: Program, dialog: Dialog[Any], keys: list[str], shown: str = "") -> Any:
    """Show a dialog, press keys, and give its answer."""
    answers: list[Any] = [UNANSWERED]
    app = program(Under)
    async with app.run_test(notifications=True) as pilot:
        await settled(pilot)
        app.push_screen(dialog, answers.append)
        await settled(pilot)
        await pilot.press(*keys)
        await settled(pilot)
        assert shows(app, shown)
    return answers[-1]


@pytest.mark.parametrize(
    ("keys", "answered"),
    [(["y"], True), (["n"], False), (["escape"], None), (["enter"], UNANSWERED), (["D"], UNANSWERED)],
)
async def test_a_loss_is_confirmed_by_one_key_alone(program: Program, keys: list[str], answered: object) -> None:
    dialog = Confirm("Delete", "Six pages go away.", does="deletes them", undo=UNDO)

    assert await answer(program, dialog, keys) is answered


@pytest.mark.parametrize("dialog", [Confirm("Delete", *["Pages."] * 9, does="x", undo=UNDO), Choose("Which", [])])
async def test_passing_messages_cover_nothing_of_a_dialog(program: Program, dialog: Dialog[Any]) -> None:
    app = program(Under)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settled(pilot)
        app.push_screen(dialog)
        await settled(pilot)
        app.notify("Moved “Getting started” below “Guide”. " * 3)
        await settled(pilot)
        box, toast = dialog.query_one(".box").region, app.screen.query_one("Toast").region
        assert box.bottom <= toast.y and toast.bottom <= 24 and toast.height == 3
        assert shows(app, "esc close")


LONG = [f"Page {number}" for number in range(1, 31)]


async def test_a_long_question_scrolls_and_its_answers_stay_in_sight(program: Program) -> None:
    app = program(Under)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settled(pilot)
        app.push_screen(Confirm("Delete", "Pages go away:", points=LONG, does="deletes them", undo=UNDO))
        app.notify("Moved.")
        for keys, seen in (["", "Page 1"], ["j" * 30, "u takes it back."], ["k" * 30, "Pages go away:"]):
            await pilot.press(*keys)
            await settled(pilot)
            assert shows(app, seen)
            assert all(shows(app, text) for text in ("y  deletes them", "n  leaves everything as it is", "esc close"))


async def test_a_long_question_that_asks_for_a_title_keeps_the_line_for_it_in_sight(program: Program) -> None:
    app = program(Under)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settled(pilot)
        app.push_screen(ConfirmTitle("Delete", "Bye.", named="Docs", points=LONG, does="deletes it", undo=UNDO))
        await settled(pilot)
        await pilot.press(*"Do", *["down"] * 30)
        await settled(pilot)
        texts = ("u takes it back.", "Type Docs; enter then deletes it.", " Do ", "esc close")
        assert all(shows(app, text) for text in texts)


async def test_a_confirmation_says_what_will_happen(program: Program) -> None:
    dialog = Confirm("Delete", "Six [b]pages[/b] go away.", does="deletes them", undo=UNDO, points=["Getting started"])

    await answer(program, dialog, [], "Six [b]pages[/b] go away.")


async def test_a_confirmation_of_what_is_final_says_so(program: Program) -> None:
    dialog = Confirm("Delete", "Six pages go away.", does="deletes them", undo=NO_UNDO)

    await answer(program, dialog, [], "This cannot be undone.")


@pytest.mark.parametrize(
    ("keys", "answered"),
    [
        (["enter"], UNANSWERED),
        ([*"the gui", "enter"], UNANSWERED),
        ([*"the guide", "enter"], True),
        ([*"y"], UNANSWERED),
        (["escape"], None),
    ],
)
async def test_a_great_loss_is_confirmed_by_its_title(program: Program, keys: list[str], answered: object) -> None:
    dialog = ConfirmTitle(
        "Delete the space", "It has 12 pages.", named="📘 The Guide", does="deletes the space", undo=UNDO
    )

    assert await answer(program, dialog, keys) is answered


async def test_several_are_chosen_and_stay_chosen_while_others_are_looked_for(program: Program) -> None:
    people = [Choice("a", "Ada"), Choice("b", "Bo"), Choice("c", "Cleo")]
    keys = [*"cleo", "enter", *["backspace"] * 4, *"bo", "enter", "ctrl+s"]

    assert await answer(program, ChooseSeveral("Members", people, ["a"]), keys) == ("a", "c", "b")
    assert await answer(program, ChooseSeveral("Members", people, ["a"]), ["enter", "ctrl+s"]) == ()


async def test_what_cannot_be_taken_says_why_in_one_sentence(program: Program) -> None:
    app = program(Under)
    async with app.run_test(notifications=True) as pilot:
        await settled(pilot)
        app.push_screen(PromptLine("Rename", ""))
        await settled(pilot)
        assert not shows(app, "cannot be empty"), "nothing was typed or sent yet"
        await pilot.press("enter")
        await settled(pilot)
        assert any(line.strip(" │") == "Title cannot be empty." for line in screen_text(app))
        assert not shows(app, "empty..")


async def test_a_field_has_a_label_and_says_what_is_wrong_with_it(program: Program) -> None:
    app = program(Under)
    async with app.run_test() as pilot:
        await settled(pilot)
        app.push_screen(PromptLine("Path of “Guide”", "a", label="Path"))
        await settled(pilot)
        assert any(line.strip(" │") == "Path" for line in screen_text(app))
        await pilot.press("backspace")
        await settled(pilot)
        assert shows(app, "Path cannot be empty.")


async def test_a_line_is_checked_as_it_is_typed(program: Program) -> None:
    long = PromptLine("Rename", "Old", limit=5)
    assert await answer(program, long, [*" name", "enter"], "8 characters; at most 5 are allowed.") is UNANSWERED
    assert await answer(program, PromptLine("Rename", "Old", limit=5), [*"er", "enter"]) == "Older"
    assert await answer(program, PromptLine("Rename"), ["enter"], "Title cannot be empty") is UNANSWERED
    taken = PromptLine("Slug", check=lambda text: "taken" if text == "a" else None)
    assert await answer(program, taken, ["a", "enter"], "taken") is UNANSWERED
    assert await answer(program, PromptLine("Rename", "Old"), ["escape"]) is None


async def test_what_was_typed_and_left_is_offered_again_until_it_is_emptied(program: Program) -> None:
    draft = LineDrafts().of("rename", "id")

    def prompt() -> PromptLine:
        return PromptLine("Rename", "Old", draft=draft)

    assert await answer(program, prompt(), [*"er", "escape"]) is None
    assert await answer(program, prompt(), ["escape"]) is None
    assert await answer(program, prompt(), ["enter"]) == "Older"
    assert await answer(program, prompt(), [*"New", "escape"]) is None
    assert await answer(program, prompt(), ["enter"]) == "New"
    assert await answer(program, prompt(), ["delete", "escape"]) is None
    assert await answer(program, prompt(), ["enter"]) == "Old"


async def test_several_lines_are_sent_by_ctrl_s_and_left_as_a_draft(program: Program, store: Store) -> None:
    draft = store.drafts.start(DraftKind.COMMENT, DraftPlace())
    keys = [*"one", "enter", *"q?"]

    dialog = PromptText("Comment", typed=TypedText(store.keeper, draft, ""))
    assert await answer(program, dialog, [*keys, "ctrl+s"]) == "one\nq?"
    assert store.drafts.text(draft) == "one\nq?"
    dialog = PromptText("Comment", typed=TypedText(store.keeper, draft, ""))
    assert await answer(program, dialog, [*"two", "escape"]) is None
    assert store.drafts.text(draft) == "two"
    assert await answer(program, PromptText("Comment"), ["ctrl+s"], "Nothing to send") is UNANSWERED
    assert await answer(program, PromptText("Comment", limit=2), [*"abc", "ctrl+s"], "3 of 2") is UNANSWERED


@pytest.mark.parametrize("size", [(60, 20), (80, 24)])
@pytest.mark.parametrize("says", ["It is about a word or two of the line.", "A sentence of many words. " * 6])
async def test_a_text_makes_way_for_its_sentence_and_its_keys(
    program: Program, store: Store, says: str, size: tuple[int, int]
) -> None:
    typed = TypedText(store.keeper, store.drafts.start(DraftKind.COMMENT, DraftPlace()), "")
    app = program(Under)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        app.push_screen(Compose("Comment", typed=typed, reviewing=2, says=says))
        await settled(pilot)
        box, keys = app.screen.query_one(".box").region, app.screen.query_one(StatusBar).region
        assert box.contains_region(keys) and keys.bottom == box.bottom - 1
        assert shows(app, "esc leave")


@pytest.mark.parametrize(
    ("reviewing", "may_wait", "sends", "reason"),
    [
        (2, True, "ctrl+s add", "your review has begun: sending adds it"),
        (2, False, "ctrl+s send", "replies and comments on main are sent at once"),
    ],
)
async def test_a_comment_that_cannot_be_kept_by_a_key_of_its_own_says_why(
    program: Program, store: Store, reviewing: int, may_wait: bool, sends: str, reason: str
) -> None:
    typed = TypedText(store.keeper, store.drafts.start(DraftKind.COMMENT, DraftPlace()), "")
    dialog = Compose("Comment", typed=typed, reviewing=reviewing, may_wait=may_wait)
    app = program(Under)
    async with app.run_test() as pilot:
        await settled(pilot)
        app.push_screen(dialog)
        await settled(pilot)
        assert shows(app, sends) and not shows(app, "keep for review")
        await pilot.press("ctrl+r")
        await settled(pilot)
        assert all_messages(app)[-1] == f"Keep the comment for your review: {reason}."


async def test_a_text_to_change_is_there_with_the_cursor_at_its_end(program: Program) -> None:
    assert await answer(program, PromptText("Comment", "Hello"), ["!", "ctrl+s"]) == "Hello!"


CHOICES = [
    Choice("one", "Getting started", "12 pages"),
    Choice("two", "Reference"),
    Choice("three", "Archive", reason="it is locked"),
]


async def test_a_choice_is_found_by_letters_or_arrows(program: Program) -> None:
    assert await answer(program, Choose("Space", CHOICES), [*"ref", "enter"]) == "two"
    assert await answer(program, Choose("Space", CHOICES), ["down", "enter"]) == "two"
    assert await answer(program, Choose("Space", CHOICES), ["down", "up", "enter"], "") == "one"


async def test_what_makes_something_new_is_chosen_where_the_cursor_stands_on_it(program: Program) -> None:
    def dialog() -> Choose:
        return Choose("Space", CHOICES, create=lambda typed: Choice(f"new {typed}", f"New “{typed}”"))

    assert await answer(program, dialog(), [*"ref", "down", "enter"]) == "new ref"
    assert await answer(program, dialog(), [*"ref", "down", "down", "up", "enter"]) == "two"


REQUESTS = [Choice("12", "#12 Add a change to the docs"), Choice("11", "#11 B change"), Choice("10", "#10 修正错别字")]


@pytest.mark.parametrize(
    ("typed", "answered"),
    [
        ("change to", "12"),
        ("Chan", "12"),
        ("b  CHANGE", "11"),
        ("#11", "11"),
        ("错别字", "10"),
        ("A change to", "12"),
        ("Change the docs", NEW),
        ("hange", NEW),
        ("1", "12"),
    ],
)
async def test_a_change_request_is_found_by_its_words_and_a_subject_that_merely_has_them_is_new(
    program: Program, typed: str, answered: str
) -> None:
    dialog = ChooseRequest("Edit in", REQUESTS, draft=LineDrafts().of("subject"), proposed="Edit Guide")

    assert await answer(program, dialog, [*typed, "enter"]) == answered


async def test_who_has_gone_down_the_list_stays_there_while_more_comes_in(program: Program) -> None:
    answers: list[str | None] = []
    app = program(Under)
    async with app.run_test() as pilot:
        await settled(pilot)
        dialog = Choose("Space", CHOICES)
        app.push_screen(dialog, answers.append)
        await settled(pilot)
        await pilot.press("down")
        dialog.add([Choice("four", "Changelog")])
        await pilot.press("enter")
        await settled(pilot)

    assert answers == ["two"]


async def test_what_cannot_be_chosen_says_why(program: Program) -> None:
    assert await answer(program, Choose("Space", CHOICES), [*"arch", "enter"], "it is locked") is UNANSWERED


async def test_nothing_found_chooses_nothing_and_says_so(program: Program) -> None:
    says = "No match for “zzz”."
    assert await answer(program, Choose("Space", CHOICES), [*"zzz", "enter"], says) is UNANSWERED


async def test_a_dialog_takes_the_keys_of_the_view_below(program: Program) -> None:
    app = program(Under)
    async with app.run_test() as pilot:
        await settled(pilot)
        app.push_screen(Confirm("Delete", does="deletes", undo=UNDO))
        await settled(pilot)
        await pilot.press("f", "j")
        await settled(pilot)

        assert isinstance(app.screen, Confirm)
        assert shows(app, "Down: only in a list or on a page.")
        await pilot.press("question_mark")
        await settled(pilot)
        assert isinstance(app.screen, Help)


@pytest.mark.parametrize(
    ("dialog", "key", "reasons"),
    [
        (Choose("To", CHOICES), "ctrl+s", ["ctrl+s does nothing here; elsewhere: send, "]),
        (
            ConfirmTitle("Delete the space", "Bye.", named="Docs", does="deletes it", undo=UNDO),
            "ctrl+s",
            ["ctrl+s does nothing here; elsewhere: send, "],
        ),
        (Confirm("Delete", does="deletes", undo=UNDO), "t", ["t does nothing here; elsewhere: "]),
    ],
)
async def test_a_key_of_another_dialog_says_what_is_true_in_this_one(
    program: Program, dialog: Dialog[Any], key: str, reasons: list[str]
) -> None:
    app = program(Under)
    async with app.run_test(size=(120, 30), notifications=True) as pilot:
        await settled(pilot)
        app.push_screen(dialog)
        await settled(pilot)
        await pilot.press(key)
        await settled(pilot)
        said = " ".join(all_messages(app))
        assert all(reason in said for reason in reasons), said
        assert "only in a dialog" not in said


@pytest.mark.parametrize("key", ["q", "backspace", "escape"])
async def test_a_dialog_without_a_field_is_closed(program: Program, key: str) -> None:
    assert await answer(program, Confirm("Delete", does="deletes", undo=UNDO), [key]) is None


async def test_in_a_field_the_keys_that_close_are_text(program: Program) -> None:
    assert await answer(program, PromptLine("Name"), ["q", "u", "x", "backspace", "enter"]) == "qu"


async def test_a_field_leaves_tab_to_the_panels(program: Program) -> None:
    app = program(Under)
    async with app.run_test() as pilot:
        await settled(pilot)
        app.push_screen(PromptText("Comment"))
        await settled(pilot)
        await pilot.press("tab")
        await settled(pilot)

        assert app.screen.query_one(TextPad).text == ""


@pytest.mark.parametrize(
    ("size", "told", "height"),
    [((80, 24), 3, 8), ((80, 24), 100, 21), ((160, 48), 3, 8), ((160, 48), 100, 45), ((60, 20), 100, 17)],
)
async def test_a_report_stands_in_a_box_as_high_as_its_text(
    program: Program, size: tuple[int, int], told: int, height: int
) -> None:
    app = program(Under)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        app.push_screen(Report("What came in", [f"Line {number}." for number in range(1, told + 1)]))
        await settled(pilot)
        box = app.screen.query_one(".box")
        assert box.outer_size.height == height
        assert "esc" in screen_text(app)[box.region.bottom - 2]
        await pilot.press("G")
        await settled(pilot)
        assert shows(app, f"Line {told}.")
        assert "esc" in screen_text(app)[box.region.bottom - 2]


async def test_a_report_scrolls_line_by_line_without_a_cursor(program: Program) -> None:
    app = program(Under)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        app.push_screen(Report("What came in", [f"Line {number}." for number in range(1, 101)]))
        await settled(pilot)
        await pilot.press("j", "j")
        await settled(pilot)
        assert not shows(app, "Line 2.") and shows(app, "Line 3.")
        await pilot.press("k", "ctrl+d")
        await settled(pilot)
        assert not shows(app, "Line 9.") and shows(app, "Line 10.")
        told = app.screen.query_one(ScrolledLines)
        first, second = (told.render_line(y)._segments[0].style for y in range(2))
        assert first == second


@pytest.mark.parametrize("size", [(60, 20), (80, 24)])
@pytest.mark.parametrize("waiting", [1, 9])
async def test_a_review_with_many_comments_leaves_its_verdicts_and_keys_in_sight(
    program: Program, store: Store, size: tuple[int, int], waiting: int
) -> None:
    typed = TypedText(store.keeper, store.drafts.start(DraftKind.COMMENT, DraftPlace()), "")
    app = program(Under)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        app.push_screen(ReviewDialog([f"Comment {number}" for number in range(1, waiting + 1)], typed))
        await settled(pilot)
        box = app.screen.query_one(".box").region
        assert "enter submit" in screen_text(app)[box.bottom - 2]
        for shown in ("Comment 1", "Approve", "Request changes", "no verdict", "optional (tab)"):
            assert shows(app, shown)
        assert app.screen.query_one(TextPad).region.bottom < box.bottom - 2
        await pilot.press("shift+tab", "G")
        await settled(pilot)
        assert shows(app, f"Comment {waiting}") and shows(app, "Request changes")
