"""The settings screen: each change is in force at once and saved with the comments of the file."""

from __future__ import annotations

import re
import threading
import tomllib
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import MappingProxyType
from typing import Any

import pytest

from recto import paths
from recto.settings import Settings, load
from recto.settings_file import save
from recto.tui import actions
from recto.tui.app import RectoApp
from recto.tui.dialogs.prompt import PromptLine
from recto.tui.look import times
from recto.tui.navigation import views
from recto.tui.screens.settings import settings_screen
from recto.tui.screens.settings.settings_screen import KeyTable, SettingsScreen, are_on_same_screen
from support.idle import wait_until_idle
from support.screens import press_at_once, settled, shows
from support.views import ExampleView

Program = Callable[..., RectoApp]

ROOT = Path(__file__).parents[3]
GUIDE = "src/recto/server/guide/pages"


@pytest.fixture(autouse=True)
def relative_dates() -> Iterator[None]:
    yield
    times.show_dates("relative")


@asynccontextmanager
async def open_settings(
    program: Program, settings: Settings | None = None, *keys: str, size: tuple[int, int] = (100, 40)
) -> AsyncIterator[tuple[RectoApp, Callable[..., Any]]]:
    """Open the settings by their action, and press keys."""
    app = program(ExampleView, settings)
    async with app.run_test(size=size, notifications=True) as pilot:

        async def press(*more: str) -> None:
            for key in more:
                await pilot.press(key)
                await settled(pilot)

        await settled(pilot)
        await press("f9", *keys)
        yield app, press


async def find(press: Callable[..., Any], text: str) -> None:
    """Put the cursor on the row with a text."""
    await press("slash", *text, "enter")


def read_saved() -> Settings:
    return load(paths.settings_file(), {})


async def test_a_theme_is_seen_under_the_cursor_and_esc_goes_back_to_the_one_before(program: Program) -> None:
    async with open_settings(program, None, "enter") as (app, press):
        await press("down")
        assert app.theme == "light"
        await press("down")
        assert app.theme == "contrast"
        await press("escape")
        assert app.theme == "dark"
        assert not paths.settings_file().exists()


async def test_on_a_small_screen_each_setting_shows_its_value(program: Program) -> None:
    async with open_settings(program, size=(40, 14)) as (app, _press):
        for line in (
            "Theme       dark",
            "Dates       relative",
            "Pictures    ask",
            "Animations  off",
            "Mouse       on",
        ):
            assert shows(app, line), line


async def test_a_setting_is_saved_with_the_comments_of_the_file(program: Program) -> None:
    paths.settings_file().write_text('# mine\ntheme = "dark"  # at night\n')
    async with open_settings(program, None, "enter", "down", "enter") as (app, press):
        assert app.theme == "light"
        assert shows(app, "Theme       light")
        assert paths.settings_file().read_text() == '# mine\ntheme = "light"  # at night\n'
        await press("d")
        assert app.theme == "dark"
        assert paths.settings_file().read_text() == "# mine\n"


async def test_a_wrong_value_says_at_the_field_what_is_allowed(program: Program) -> None:
    async with open_settings(program) as (app, press):
        await find(press, "Polling")
        await press("enter", "backspace", *"soon", "enter")
        assert isinstance(app.screen, PromptLine)
        assert shows(app, "Polling must be “off” or seconds from 5 to 3,600, not 'soon'.")
        await press(*["backspace"] * 4, *"off", "enter")
        assert isinstance(app.screen, SettingsScreen)
        assert read_saved().polling is None
        assert app.settings.polling is None
        await press("k", "enter", *"no-such-program-here", "enter")
        assert shows(app, "There is no program “no-such-program-here”.")
        await press("escape", "enter")
        assert shows(app, "You typed this before; typing replaces it.")
        await press("escape", "j", "j", "enter", *"gone", "enter")
        assert shows(app, "There is no folder gone.")
        await press(*["backspace"] * 4, "~", "enter")
        assert read_saved().fonts == Path.home()


async def test_a_pressed_key_works_at_once_and_is_saved(program: Program) -> None:
    async with open_settings(program) as (app, press):
        await find(press, "Go to the previous view")
        await press("enter", "f12")
        assert shows(app, "It is free.")
        await press("enter")
        assert read_saved().keys == {"view.previous": ("f12",)}
        assert shows(app, "f12               Go to the previous view")
        await press("escape", "escape")
        assert not isinstance(app.screen, SettingsScreen)
        await press("f12")
        assert shows(app, "no view before this one")


async def test_a_key_that_means_something_else_too_is_shown_as_a_conflict(program: Program) -> None:
    async with open_settings(program) as (app, press):
        await find(press, "Refresh")
        await press("a", "f")
        assert shows(app, "f is also “Go to anything by name”")
        await press("enter")
        assert read_saved().keys == {"view.refresh": ("r", "f")}
        assert shows(app, "! f is also “Go to anything by name”")
        await press("d")
        assert read_saved().keys == {}
        assert not shows(app, "is also")
        await press("x")
        assert read_saved().keys == {"view.refresh": ()}
        assert shows(app, "no key            Refresh")


async def test_enter_and_esc_are_no_keys_to_choose(program: Program) -> None:
    async with open_settings(program) as (app, press):
        await find(press, "Refresh")
        await press("enter", "enter")
        assert not isinstance(app.screen, SettingsScreen)
        await press("escape")
        assert isinstance(app.screen, SettingsScreen)
        assert not paths.settings_file().exists()


async def test_a_file_that_cannot_be_written_is_reported_and_stays_as_it_is(program: Program) -> None:
    paths.settings_file().write_text("theme = ")
    async with open_settings(program, None, "enter", "down", "enter") as (app, _press):
        assert shows(app, "is not valid TOML")
        assert app.theme == "dark"
        assert paths.settings_file().read_text() == "theme = "


async def test_what_is_saved_while_the_settings_are_left_and_opened_again_is_in_force(
    program: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    may_write = threading.Event()

    def save_late(*given: Any) -> None:
        assert may_write.wait(timeout=60)
        save(*given)

    monkeypatch.setattr(settings_screen, "save", save_late)
    async with open_settings(program) as (app, press):
        await press("down", "down", "down")  # to the animations
        try:
            press_at_once(app, "enter", "escape")
            await wait_until_idle()
            assert not isinstance(app.screen, SettingsScreen)
            press_at_once(app, "f9")
            await wait_until_idle()
            press_at_once(app, *["down"] * 4, "enter")  # at the mouse
            await wait_until_idle()
        finally:
            may_write.set()
        await press("escape", "f9")
        assert shows(app, "Animations  on")
        assert shows(app, "Mouse       off")
        assert (read_saved().animations, read_saved().mouse) == (True, False)


async def test_a_variable_that_counts_more_is_named(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECTO_THEME", "light")
    async with open_settings(program, Settings(theme="light")) as (app, _press):
        assert shows(app, "RECTO_THEME counts more at the next start")


async def test_exact_dates_are_shown_at_once(program: Program) -> None:
    now = datetime(2026, 3, 12, 14, 5, tzinfo=UTC)
    before = now - timedelta(hours=2)
    assert times.ago(before, now) == "2 h ago"
    async with open_settings(program) as (app, press):
        shown = []
        app._store.show_again = lambda: shown.append(times.ago(before, now))  # type: ignore[union-attr,method-assign]
        await press("j", "enter", "down", "enter")
        assert read_saved().dates == "exact"
        assert times.ago(before, now) == times.both(before, now) == times.exact(before)
        assert shown[-1:] == [times.exact(before)]


async def test_the_screen_fits_eighty_columns_and_says_why_a_key_does_not_act(program: Program) -> None:
    app = program(ExampleView)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settled(pilot)
        for key in ("f9", "x"):
            await pilot.press(key)
            await settled(pilot)
        assert shows(app, "only for the keys")
        for key in ("g", "enter"):
            await pilot.press(key)
            await settled(pilot)
        assert shows(app, "Open: no setting is selected.")
        assert shows(app, "Theme       dark")


def test_no_keys_conflict_by_design() -> None:
    views.import_views()
    table = KeyTable(MappingProxyType({}))
    found = {action.name: table.conflicts(action) for action in actions.all_actions()}
    assert {name: conflicts for name, conflicts in found.items() if conflicts} == {}


@pytest.mark.parametrize("text", ["README.md", *(f"{GUIDE}/{name}.md" for name in ("guide/en/settings", "keys/names"))])
def test_examples_of_keys_are_free_ones(text: str) -> None:
    views.import_views()
    examples = re.findall(
        r"^\[keys\]\n.*?(?=^```)", (ROOT / text).read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE
    )
    assert examples
    for example in examples:
        written: dict[str, str | list[str]] = tomllib.loads(example)["keys"]
        table = KeyTable({name: (keys,) if isinstance(keys, str) else tuple(keys) for name, keys in written.items()})
        assert [table.conflicts(actions.get(name)) for name in written] == [{}] * len(written)


def test_actions_of_different_screens_do_not_meet() -> None:
    views.import_views()
    assert are_on_same_screen(actions.get("view.refresh"), actions.get("item.new"))
    assert not are_on_same_screen(actions.get("organization.import"), actions.get("dialog.confirm"))


def test_a_key_is_compared_by_its_name_not_its_spelling() -> None:
    table = KeyTable({"view.refresh": ("?", ",")})
    assert set(table.conflicts(actions.get("view.refresh"))) == {"question_mark", "comma"}
