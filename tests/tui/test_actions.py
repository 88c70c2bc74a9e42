from __future__ import annotations

from pathlib import Path

import pytest
from textual.binding import Binding
from textual.keys import key_to_character

from recto.tui import actions
from recto.tui.navigation import views
from recto.tui.screens.organizations.organizations_view import OrganizationsView
from recto.tui.widgets.bars import StatusBar
from support.guide_workspace import person
from support.screens import all_messages


def test_a_name_is_registered_once() -> None:
    with pytest.raises(ValueError, match=r"list\.down"):
        actions.register(actions.Action("list.down", "Down"))


def test_a_binding_carries_the_name_the_keys_and_the_method() -> None:
    (binding,) = actions.bindings("page.edit")

    assert isinstance(binding, Binding)
    key, *marks = binding.key.split(",")
    assert (binding.id, key, binding.action) == ("page.edit", "e", "page_edit")
    assert not any(actions.is_key(mark) for mark in marks)


def test_a_keymap_spells_keys_as_textual_does_and_can_switch_an_action_off() -> None:
    keymap = actions.keymap({"list.left": (",", "ctrl+b"), "page.edit": ()})

    keys = {name: list(filter(actions.is_key, chosen.split(","))) for name, chosen in keymap.items()}
    assert keys == {"list.left": ["comma", "ctrl+b"], "page.edit": []}


def test_settings_may_name_an_action_by_its_former_name() -> None:
    former = {"organization.bring_in": ("I",)}
    assert OrganizationsView.BINDINGS  # whose module registers it

    assert list(actions.keymap(former)) == ["organization.import"]
    assert actions.unknown_names([*former, "organization.never"]) == ["organization.never"]


def test_no_action_that_destroys_lies_beside_a_harmless_one() -> None:
    # On every common keyboard these letters are neighbours only of each other in the other case.
    assert actions.get("item.delete").keys == ("D",)
    assert all("D" not in action.keys for action in actions.all_actions() if action.name != "item.delete")


@pytest.mark.parametrize(
    ("key", "label"),
    [
        ("question_mark", "?"),
        ("vertical_line", "|"),
        ("space", "space"),
        ("tab", "tab"),
        ("ctrl+s", "ctrl+s"),
        ("shift+left", "shift+←"),
        ("G", "G"),
    ],
)
def test_keys_are_written_as_people_read_them(key: str, label: str) -> None:
    assert actions.key_label(key) == label


def test_a_key_with_a_sign_is_written_as_the_sign() -> None:
    views.import_views()
    for key in {key for action in actions.all_actions() for key in action.keys}:
        sign = key_to_character(key) or ""
        if sign.isprintable() and sign.strip():
            assert actions.key_label(key) == sign


def test_names_that_are_not_registered_are_found() -> None:
    assert actions.unknown_names(["page.edit", "page.eat"]) == ["page.eat"]


def test_no_key_that_asks_for_a_change_confirms_one() -> None:
    views.import_views()

    confirms = actions.get("dialog.confirm").keys
    assert not [action.name for action in actions.all_actions() if action.writes and set(action.keys) & set(confirms)]


def test_each_action_says_why_it_is_not_done_elsewhere() -> None:
    views.import_views()

    assert all(action.elsewhere for action in actions.all_actions())


async def test_a_key_of_several_actions_names_each_in_a_word_and_its_reason(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        await ada.press("p")
        [reason] = all_messages(ada.pilot.app)
        assert reason.startswith("p: picture, fetch (only on a page), ")
        await ada.press("t")
        [reason] = all_messages(ada.pilot.app)
        assert reason.startswith("t does nothing here; elsewhere: to a team, ")
        await ada.pilot.resize_terminal(40, 20)
        ada.pilot.app.notify("A message that covers nothing of the reason.")
        await ada.press("t")
        bar = ada.pilot.app.screen.query_one(StatusBar).region
        assert bar.height > 1
        assert all(toast.region.bottom <= bar.y for toast in ada.pilot.app.screen.query("Toast"))
        ada.pilot.app.clear_notifications()
        await ada.press("f")
        await ada.type("Guide")
        await ada.press("enter", "2", "enter", "2", "m")
        assert all_messages(ada.pilot.app) == ["Lift: only in the trees of pages, spaces and sites."]


async def test_a_space_without_pages_says_so_and_not_that_they_are_loading(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        await ada.press("a")
        await ada.type("Handbook")
        await ada.press("ctrl+s", "enter", "m")
        assert all_messages(ada.pilot.app)[1:] == ["Lift: no pages here yet."]
        await ada.press("e")
        assert all_messages(ada.pilot.app)[1:] == ["Edit in your editor: no page is shown."]


def test_actions_are_listed_by_group() -> None:
    views.import_views()

    groups = [action.group for action in actions.all_actions()]

    assert list(dict.fromkeys(groups)) == list(actions.GROUPS)
    assert groups == sorted(groups, key=actions.GROUPS.index)


@pytest.mark.parametrize("former", ["organization.bring_in", "request.pull", "settle.apply", "thread.take"])
def test_each_former_name_is_that_of_an_action(former: str) -> None:
    views.import_views()

    assert actions.unknown_names([former]) == []
