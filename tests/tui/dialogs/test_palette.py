"""Finding actions and places in the palette: by the beginnings of words, other words, and what works here first."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widget import Widget

from recto.tui import actions
from recto.tui.actions import Offer
from recto.tui.dialogs.palette import Palette, PaletteEntry, entries
from recto.tui.lists.rows import ItemRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.navigation import views
from recto.tui.screens.organizations.organizations_view import OrganizationsView
from recto.tui.screens.settings.settings_screen import SettingsScreen
from recto.tui.widgets.line_field import LineField
from support.guide_workspace import Person, person
from support.screens import shows


def list_items(ada: Person) -> list[str]:
    palette = ada.pilot.app.screen
    assert isinstance(palette, Palette)
    rows = palette.query_one(VirtualList).rows
    assert isinstance(rows, ItemRows)
    return [item.title for item in rows.items]


@pytest.mark.parametrize(
    ("typed", "first"),
    [
        ("undo", "Undo the last change"),
        ("revert", "Revert what was merged"),
        ("drag", "Lift"),
        ("remove", "Delete"),
        ("theme", "Change settings: theme, editor, keys"),
        ("settings", "Change settings: theme, editor, keys"),
        ("quit", "Quit"),
        ("publish", "Merge"),
        ("members", "Members"),
        ("inbox", "Inbox"),
        ("copy link", "Copy link"),
    ],
)
async def test_an_action_is_found_by_the_words_that_a_person_has_for_it(tmp_path: Path, typed: str, first: str) -> None:
    async with person(tmp_path) as ada:
        await ada.press("colon")
        await ada.type(typed)
        assert first in list_items(ada)[:2]


async def test_what_works_here_comes_first_and_what_moves_the_cursor_last(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        await ada.press("colon")
        palette = ada.pilot.app.screen
        assert isinstance(palette, Palette)
        rows = palette.query_one(VirtualList).rows
        assert isinstance(rows, ItemRows)
        found = [item for item in rows.items if isinstance(item, PaletteEntry)]
        kinds = [(item.action.group == "Move", bool(item.reason)) for item in found]
        assert kinds == sorted(kinds)


async def test_what_does_not_work_here_says_where_it_does(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        await ada.press("colon")
        await ada.type("next change")
        assert shows(ada.pilot.app, "only in a diff")
        await ada.press("enter")
        assert shows(ada.pilot.app, "Next change: only in a diff.")
        await ada.type("zzz")
        assert shows(ada.pilot.app, "No match for")


async def test_the_settings_are_a_place(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        await ada.press("colon")
        await ada.type("settings")
        line = next(line for line in ada.screen.splitlines() if "Change settings" in line)
        assert " place " in line


async def test_places_are_gone_to_by_name(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        await ada.press("colon")
        await ada.type("members")
        await ada.press("enter")
        view = ada.pilot.app.screen
        assert isinstance(view, OrganizationsView)
        assert str(view.location.item).startswith("members:")
        await ada.press("colon")
        await ada.type("combined inbox")
        await ada.press("enter")
        assert view.location.item == "everywhere:"
        await ada.press("colon")
        await ada.type("settings")
        await ada.press("enter")
        assert isinstance(ada.pilot.app.screen, SettingsScreen)


def test_all_actions_are_there() -> None:
    views.import_views()

    assert {entry.action.name for entry in entries([])} > {"request.merge", "page.edit", "conflict.ours"}


def test_a_reason_without_room_is_cut_and_the_key_stays() -> None:
    action = actions.get("revision.revert")
    reason = "no revision is selected; 6 lists them"
    drawn = "".join(
        text for text, _role in Palette([]).draw(PaletteEntry(action, Offer(action, ("R",), Widget(), reason)), 69)
    )
    assert drawn == f"Revert what was merged {reason[:-2]}…         R"


async def test_long_keys_stand_apart_from_the_reason(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        await ada.press("colon")
        await ada.type("whole organization")
        assert shows(ada.pilot.app, "only in a search  tab shift+tab")


async def test_help_says_on_a_small_screen_too_why_a_key_does_nothing(tmp_path: Path) -> None:
    async with person(tmp_path, size=(44, 16)) as ada:
        await ada.press("question_mark", "slash", *"Apply staged", "enter")
        assert shows(ada.pilot.app, "Apply staged moves")
        assert shows(ada.pilot.app, "no moves are staged")


async def test_help_begins_with_what_works_where_one_is(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        await ada.press("question_mark")
        screen = ada.screen
        assert shows(ada.pilot.app, "Keys that work here")
        assert screen.index("  Organizations") < screen.index("b          Import a folder")
        assert "no moves are staged" not in screen[: screen.index("Import a folder")]


async def test_help_lists_the_keys_of_a_text_field_and_is_named_by_a_key_that_is_no_text(tmp_path: Path) -> None:
    async with person(tmp_path, size=(100, 44)) as ada:
        await ada.press("a")
        await ada.press("ctrl+g")
        assert "ctrl+g has no action. f1 shows the keys that work here." in ada.screen
        await ada.type("One two")
        await ada.press("alt+backspace", "f1")
        assert shows(ada.pilot.app, "ctrl+w ctrl+bksp  Delete the word before")
        assert not shows(ada.pilot.app, "Undo what was typed")  # a field of one line does not
        await ada.press("escape")
        field = ada.pilot.app.focused
        assert isinstance(field, LineField) and field.value == "One "
