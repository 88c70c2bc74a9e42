from __future__ import annotations

import asyncio
import gc
import re
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from pathlib import Path
from typing import Any
from weakref import ReferenceType, ref

import pytest
from textual.app import ComposeResult
from textual.css.parse import parse
from textual.screen import Screen

from recto.settings import Settings
from recto.store.locations import (
    ChangeRequestLocation,
    Location,
    Locations,
    OrganizationsLocation,
    SpaceLocation,
)
from recto.store.query import Query
from recto.store.store import Store
from recto.tui.actions import bindings, offers
from recto.tui.app import RectoApp
from recto.tui.dialogs.jump import Jump, Target
from recto.tui.lists.rows import ItemRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look.themes import FIRST, LATER, style_sheets
from recto.tui.navigation.messages import Beginning
from recto.tui.screens.opening_screen import Opening
from recto.tui.screens.view import View
from recto.tui.widgets.text_pad import TextPad
from support.screens import press_at_once, screen_text, settled, shows
from support.styles import parse_each_time
from support.views import ExampleView

Program = Callable[..., RectoApp]


class First(ExampleView):
    """The view at the bottom."""

    BINDINGS = bindings("page.edit", "item.new")
    edited = 0

    def compose_body(self) -> ComposeResult:
        yield VirtualList(ItemRows(["one", "two"], lambda item, width: [(item, "")]))

    def on_mount(self) -> None:
        self.show_where("Acme", "First")

    def why_not(self, action: str) -> str | None:
        return "it is locked" if action == "item.new" else super().why_not(action)

    def action_page_edit(self) -> None:
        self.edited += 1

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        self.go(SpaceLocation(str(event.key)))


class Space(View[SpaceLocation]):
    """A view on top."""

    typed: str | None = None

    @classmethod
    def first_queries(cls, store: Store, location: SpaceLocation) -> Sequence[Query[Any]]:
        return ()

    def compose_body(self) -> ComposeResult:
        yield VirtualList(ItemRows([str(self.location.page)], lambda item, width: [(item, "")]))
        yield TextPad()

    def arrive(self, location: SpaceLocation) -> None:
        self.opened_at = location
        self.show_where("arrived", location.page or "")

    @property
    def unsent(self) -> str | None:
        return self.typed


@pytest.fixture
def begun(program: Program) -> Callable[..., RectoApp]:
    def make(settings: Settings | None = None, **options: object) -> RectoApp:
        return program(First, settings, **{"views": {"space": Space}, **options})

    return make


async def test_something_is_seen_before_the_store_is_open(begun: Program, store: Store) -> None:
    gate = asyncio.Event()

    async def open_store() -> Store:
        await gate.wait()
        return store

    app = begun(open_store=open_store)
    async with app.run_test() as pilot:
        await pilot.pause()
        assert shows(app, "Recto")
        assert shows(app, "Opening your documentation")
        gate.set()
        await settled(pilot)

        assert isinstance(app.screen, First)


async def test_each_style_sheet_is_parsed_once_until_the_first_screen_is_seen(
    begun: Program, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: Counter[str] = Counter()

    def count(scope: str, css: str, read_from: tuple[str, str], **options: Any) -> Any:
        parsed[read_from[0]] += 1
        return parse(scope, css, read_from, **options)

    parse_each_time(monkeypatch)
    monkeypatch.setattr("textual.css.stylesheet.parse", count)
    app = begun(settings=Settings(theme="light"))
    async with app.run_test() as pilot:
        await settled(pilot)
        sheets = [str(path) for path in style_sheets((*FIRST, *LATER))]
        assert [parsed[sheet] for sheet in sheets] == [1] * len(sheets)
        assert "-theme-light" in app.classes
        dark = app.screen.styles.background
        app.theme = "dark"
        await settled(pilot)
        assert app.screen.styles.background != dark


def test_no_rule_for_all_widgets_depends_on_their_order() -> None:
    # By such a rule Textual would style each widget again whenever any is mounted beside it.
    texts = [Path(sheet).read_text() for sheet in style_sheets((*FIRST, *LATER))]
    assert not any(re.search(r"\*:(first|last|odd|even|empty)", text) for text in texts)


async def test_an_opening_that_fails_says_why_and_can_be_tried_again(begun: Program, store: Store) -> None:
    answers: list[Store | Exception] = [OSError("workspace.db is not a workspace"), store]

    async def open_store() -> Store:
        answer = answers.pop(0)
        if isinstance(answer, Exception):
            raise answer
        return answer

    app = begun(open_store=open_store)
    async with app.run_test() as pilot:
        await settled(pilot)
        assert isinstance(app.screen, Opening)
        assert shows(app, "workspace.db is not a workspace")
        await pilot.press("r")
        await settled(pilot)

        assert isinstance(app.screen, First)


async def test_it_begins_where_it_was_left(begun: Program, store: Store, tmp_path: Path) -> None:
    store.locations = Locations(tmp_path / "places.json")
    store.locations.remember(store.address, SpaceLocation("one", page="intro"))
    app = begun()
    async with app.run_test() as pilot:
        await settled(pilot)

        assert isinstance(app.screen, Space)
        assert shows(app, "intro")


async def test_a_lead_finds_where_to_begin_and_says_what_it_is_at(begun: Program) -> None:
    said: list[str] = []

    async def lead(store: Store, say: Callable[[str], None]) -> Location:
        say("12 of 40 pages")
        said.append("\n".join(screen_text(app)))
        return SpaceLocation("one")

    app = begun(opening=lead)
    async with app.run_test() as pilot:
        await settled(pilot)

        assert isinstance(app.screen, Space)
        assert said


@pytest.mark.parametrize("key", ["escape", "q"])
async def test_what_the_program_was_called_for_is_cancelled_after_a_question(begun: Program, key: str) -> None:
    given_up: list[bool] = []
    goes_on = asyncio.Event()

    async def lead(_store: Store, say: Callable[[str], None]) -> Location:
        say("12 of 40 pages")
        try:
            await goes_on.wait()
        except asyncio.CancelledError:
            given_up.append(True)
            raise
        return SpaceLocation("one")

    app = begun(opening=lead)
    async with app.run_test() as pilot:
        while not shows(app, "12 of 40 pages"):
            await pilot.pause()
        await pilot.press(key)
        await settled(pilot)
        assert shows(app, "cancels it and quits")
        await pilot.press("n")
        await pilot.pause()
        assert not given_up
        await pilot.press(key)
        await settled(pilot)
        await pilot.press("y")
        await pilot.pause()
    assert given_up == [True]
    assert (app.return_code, app.last_words) == (1, "Cancelled; nothing of it was kept.")


async def test_the_question_whether_to_cancel_goes_when_there_is_nothing_left_to_cancel(begun: Program) -> None:
    goes_on = asyncio.Event()

    async def lead(_store: Store, say: Callable[[str], None]) -> Location:
        say("12 of 40 pages")
        await goes_on.wait()
        return SpaceLocation("one")

    app = begun(opening=lead)
    async with app.run_test() as pilot:
        while not shows(app, "12 of 40 pages"):
            await pilot.pause()
        await pilot.press("escape")
        await settled(pilot)
        goes_on.set()
        while not isinstance(app.screen, Space):
            await pilot.pause()
        await settled(pilot)
        assert isinstance(app.screen, Space)


async def test_messages_of_the_start_are_shown_on_the_first_screen(begun: Program) -> None:
    async def lead(_store: Store, _say: Callable[[str], None]) -> Beginning:
        told = ("Not in the summary: notes.md", "In the summary, but missing: gone.md")
        return Beginning(SpaceLocation("one"), "What to know", told)

    app = begun(opening=lead)
    async with app.run_test() as pilot:
        await settled(pilot)
        assert shows(app, "Not in the summary: notes.md")
        await pilot.press("enter")
        await settled(pilot)

        assert isinstance(app.screen, Space)


async def test_keys_for_an_action_that_does_not_exist_are_reported(begun: Program) -> None:
    app = begun(Settings(keys={"page.eat": ("x",)}))
    async with app.run_test(notifications=True) as pilot:
        await settled(pilot)

        assert shows(app, "page.eat")


async def test_going_back_and_to_the_view_before(begun: Program) -> None:
    app = begun()
    async with app.run_test() as pilot:
        await settled(pilot)
        await pilot.press("enter")
        await settled(pilot)
        assert isinstance(app.screen, Space)
        await pilot.press("backspace")
        await settled(pilot)
        assert isinstance(app.screen, First)
        await pilot.press("minus")
        await settled(pilot)
        assert isinstance(app.screen, Space)
        await pilot.press("minus")
        await settled(pilot)
        assert isinstance(app.screen, First)
        assert len(app.screen_stack) == 2
        await pilot.press("underscore")
        await settled(pilot)
        assert isinstance(app.screen, Space)
        await pilot.press("backspace", "backspace")
        await settled(pilot)

        assert isinstance(app.screen, First)


async def test_esc_leaves_no_screen(begun: Program) -> None:
    app = begun(opening=SpaceLocation("one"))
    async with app.run_test() as pilot:
        await settled(pilot)
        await pilot.press("escape", "escape")
        await settled(pilot)

        assert isinstance(app.screen, Space)
        assert shows(app, "Nothing to cancel or close here.")
        await pilot.press("j")
        await settled(pilot)
        assert not shows(app, "Nothing to cancel or close here.")


async def test_up_leads_to_the_parent_whatever_the_way_here_was(begun: Program) -> None:
    app = begun(opening=ChangeRequestLocation("one", "c1"))
    async with app.run_test() as pilot:
        await settled(pilot)
        assert app.view is not None
        app.view.go(SpaceLocation("two"))
        await settled(pilot)
        app.view.go(ChangeRequestLocation("one", "c1"))
        await settled(pilot)
        above = []
        for _ in range(2):
            await pilot.press("q")
            await settled(pilot)
            above.append(app.view.here)

        assert above == [SpaceLocation("one"), OrganizationsLocation("space:one")]


async def test_a_part_of_the_trail_is_clicked(begun: Program) -> None:
    app = begun(opening=ChangeRequestLocation("one", "c1"))
    async with app.run_test() as pilot:
        await settled(pilot)
        assert app.view is not None
        app.view.show_where("Acme", "One", "#1 Words")
        await settled(pilot)
        await pilot.click("TitleBar", offset=(app.view.query_one("TitleBar").styles.padding.left + 8, 0))
        await settled(pilot)
        assert app.view.here == SpaceLocation("one")


async def test_a_spot_in_the_same_view_does_not_open_another(begun: Program) -> None:
    app = begun(opening=SpaceLocation("one", page="a"))
    async with app.run_test() as pilot:
        await settled(pilot)
        assert isinstance(app.screen, Space)
        app.screen.go(SpaceLocation("one", page="b"))
        await settled(pilot)

        assert shows(app, "arrived › b")
        assert len(app.screen_stack) == 2


async def test_behind_a_view_that_one_was_led_to_are_the_organizations(begun: Program) -> None:
    app = begun(opening=SpaceLocation("one"))
    async with app.run_test() as pilot:
        await settled(pilot)
        await pilot.press("backspace")
        await settled(pilot)

        assert isinstance(app.screen, First)


async def test_q_goes_up_and_then_quits(begun: Program) -> None:
    app = begun()
    async with app.run_test() as pilot:
        await settled(pilot)
        await pilot.press("enter")
        await settled(pilot)
        await pilot.press("q")
        await settled(pilot)
        assert isinstance(app.screen, First)
        await pilot.press("q")
        await pilot.pause()

        assert not app.is_running or app._exit


async def test_quitting_asks_only_where_something_is_not_sent(begun: Program) -> None:
    app = begun(opening=SpaceLocation("one"))
    async with app.run_test() as pilot:
        await settled(pilot)
        assert isinstance(app.screen, Space)
        app.screen.typed = "a comment"
        await pilot.press("ctrl+q")
        await settled(pilot)
        assert shows(app, "Not sent yet: a comment.")
        await pilot.press("n")
        await settled(pilot)
        assert not app._exit
        await pilot.press("ctrl+q", "y")
        await pilot.pause()

        assert app._exit


async def test_letters_are_text_while_a_field_has_the_focus(begun: Program) -> None:
    app = begun(opening=SpaceLocation("one"))
    async with app.run_test() as pilot:
        await settled(pilot)
        pad = app.screen.query_one(TextPad)
        pad.focus()
        await pilot.press(*"qfru1-", "question_mark", "colon", "slash", "backspace")
        await settled(pilot)

        assert pad.text == "qfru1-?:"
        assert isinstance(app.screen, Space)


async def test_an_action_that_cannot_be_done_takes_no_room_in_the_bottom_line_and_says_why(begun: Program) -> None:
    app = begun()
    async with app.run_test(notifications=True) as pilot:
        await settled(pilot)
        await pilot.press("a")
        await settled(pilot)

        assert screen_text(app)[-1] == "  New: it is locked."
        await pilot.press("j")
        await settled(pilot)
        assert "e edit" in screen_text(app)[-1] and "a new" not in screen_text(app)[-1]


async def test_a_persons_own_keys_replace_the_defaults_everywhere(begun: Program) -> None:
    settings = Settings(keys={"page.edit": ("x",), "app.help": ("f5",), "item.new": ()})
    app = begun(settings)
    async with app.run_test(size=(80, 60)) as pilot:
        await settled(pilot)
        first = app.screen
        assert isinstance(first, First)
        await pilot.press("e", "question_mark")
        await settled(pilot)
        assert (first.edited, app.screen) == (0, first)
        assert shows(app, "? has no action. f5 shows the keys that work here.")
        await pilot.press("j")
        await settled(pilot)
        assert "x edit" in screen_text(app)[-1]
        assert "a new" not in screen_text(app)[-1]
        await pilot.press("x", "f5")
        await settled(pilot)

        assert first.edited == 1
        assert any("x " in line and "Edit in your editor" in line for line in screen_text(app))


async def test_a_key_of_ones_own_leaves_the_order_of_what_can_be_done(begun: Program) -> None:
    def named(app: RectoApp) -> list[str]:
        return [offer.action.name for offer in offers(app.screen)]

    orders: list[list[str]] = []
    for keys in ({}, {"page.edit": ("x",), "list.find": ("ctrl+f",)}):
        app = begun(Settings(keys=keys))
        async with app.run_test() as pilot:
            await settled(pilot)
            orders.append(named(app))

    assert orders[0] == orders[1]


async def test_a_key_of_ones_own_wins_over_the_default_of_another_action(begun: Program) -> None:
    app = begun(Settings(keys={"page.edit": ("r", "j")}))
    async with app.run_test() as pilot:
        await settled(pilot)
        first = app.screen
        assert isinstance(first, First)
        await pilot.press("r")
        await settled(pilot)

        assert first.edited == 1


@pytest.mark.parametrize(
    ("name", "keys", "without"),
    [
        ("page.edit", ("a",), "item.new"),
        ("page.edit", ("f9",), "app.settings"),
        ("view.escape", ("f9",), "app.settings"),
    ],
)
async def test_an_action_whose_key_another_has_now_is_offered_without_a_key(
    begun: Program, name: str, keys: tuple[str, ...], without: str
) -> None:
    app = begun(Settings(keys={name: keys}))
    async with app.run_test() as pilot:
        await settled(pilot)
        offered = {offer.action.name: offer.keys for offer in offers(app.screen)}

        assert (offered[name], offered[without]) == (keys, ())


async def test_the_palette_finds_by_name_and_does_it(begun: Program) -> None:
    app = begun()
    async with app.run_test() as pilot:
        await settled(pilot)
        first = app.screen
        assert isinstance(first, First)
        await pilot.press("colon", *"edit in your")
        await settled(pilot)
        assert any("Edit in your editor" in line and line.rstrip(" │").endswith("e") for line in screen_text(app))
        await pilot.press("enter")
        await settled(pilot)

        assert first.edited == 1


async def test_the_palette_says_why_not(begun: Program) -> None:
    app = begun()
    async with app.run_test() as pilot:
        await settled(pilot)
        await pilot.press("ctrl+p", *"item.new")
        await settled(pilot)
        assert shows(app, "it is locked")
        await pilot.press("backspace", *"w", "enter")
        await settled(pilot)

        assert not isinstance(app.screen, First)


async def test_help_shows_the_keys_by_group(begun: Program) -> None:
    app = begun()
    async with app.run_test(size=(80, 40)) as pilot:
        await settled(pilot)
        await pilot.press("question_mark")
        await settled(pilot)
        text = "\n".join(screen_text(app))
        assert "Move" in text
        assert "j ↓" in text
        await pilot.press("question_mark")
        await settled(pilot)

        assert isinstance(app.screen, First)


@pytest.mark.parametrize(
    ("name", "advice"),
    [("page.edti", "Did you mean “page.edit”?"), ("zzz", "The guide lists them in its space “Keys”.")],
)
async def test_keys_for_no_action_are_reported_with_where_to_look(begun: Program, name: str, advice: str) -> None:
    app = begun(settings=Settings(keys={name: ("x",), "search.scope": ("f7",)}))
    async with app.run_test(size=(160, 40), notifications=True) as pilot:
        await settled(pilot)
        told = [notice.message for notice in app._notifications]
        assert told == [f"Your settings give keys to “{name}”, but there is no such action. {advice}"]


async def test_keys_that_do_not_exist_are_reported(begun: Program) -> None:
    keys = ("foo", "strg+x", "é", "?", "+", "ctrl+e", "f12", "minus", "slash", "alt+up", "pagedown", "full_stop")
    app = begun(settings=Settings(keys={"list.down": keys}))
    async with app.run_test(size=(160, 40), notifications=True) as pilot:
        await settled(pilot)
        told = [notice.message for notice in app._notifications]
        advice = "In the settings (f9), enter on an action takes the key that you press."
        assert told == [f"Your settings name a key “{key}”, but there is no such key. {advice}" for key in keys[:2]]


async def test_a_key_is_found_in_the_help_by_its_name(begun: Program) -> None:
    app = begun()
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        await pilot.press("question_mark")
        await settled(pilot)
        assert not shows(app, "Copy the selected text")
        await pilot.press("slash", *"selected text")
        await settled(pilot)
        assert shows(app, "Copy the selected text")
        assert shows(app, "1 found")
        await pilot.press("enter")
        await settled(pilot)
        assert not shows(app, "1 found")
        await pilot.press("escape", "escape")
        await settled(pilot)
        assert isinstance(app.screen, First)


async def test_jumping_takes_targets_as_they_come(begun: Program) -> None:
    gate = asyncio.Event()

    async def targets(_store: Store) -> AsyncIterator[Sequence[Target]]:
        yield [Target("Getting started", "space", "Acme", SpaceLocation("one"))]
        await gate.wait()
        yield [Target("Webhooks", "page", "Acme › Docs", SpaceLocation("two", page="hooks"))]

    app = begun(targets=targets)
    async with app.run_test() as pilot:
        await settled(pilot)
        await pilot.press("f")
        await pilot.pause()
        await pilot.press(*"hook")
        await pilot.pause()
        assert not shows(app, "Webhooks")
        gate.set()
        await settled(pilot)
        assert shows(app, "Webhooks")
        await pilot.press("enter")
        await settled(pilot)

        assert isinstance(app.screen, Space)
        assert shows(app, "hooks")


async def test_a_dialog_that_is_closed_is_held_by_nothing(begun: Program) -> None:
    async def targets(_store: Store) -> AsyncIterator[Sequence[Target]]:
        yield [Target("Getting started", "space", "Acme", SpaceLocation("one"))]

    app = begun(targets=targets)
    closed: list[ReferenceType[Screen[Any]]] = []
    async with app.run_test() as pilot:
        await settled(pilot)
        for key in ("escape", "enter", "escape"):
            press_at_once(app, "f", *"ge")
            await settled(pilot)
            assert isinstance(app.screen, Jump)
            closed.append(ref(app.screen))
            await pilot.press(key)
            await settled(pilot)
        gc.collect()
        assert [dialog() for dialog in closed] == [None, None, None]


async def test_enter_before_a_name_is_there_jumps_when_it_comes_unless_one_types_on(begun: Program) -> None:
    gate = asyncio.Event()

    async def targets(_store: Store) -> AsyncIterator[Sequence[Target]]:
        yield [Target("Getting started", "space", "Acme", SpaceLocation("one"))]
        await gate.wait()
        yield [Target("Questions", "space", "Acme", SpaceLocation("three"))]
        yield [Target("Webhooks", "page", "Acme › Docs", SpaceLocation("two", page="hooks"))]
        yield [Target("Hooks", "page", "Acme › Docs", SpaceLocation("two", page="others"))]

    app = begun(targets=targets)
    async with app.run_test() as pilot:
        await settled(pilot)
        await pilot.press("f", *"hook", "enter")
        gate.set()
        await settled(pilot)
        assert isinstance(app.view, Space)
        assert shows(app, "hooks")

        gate.clear()
        await pilot.press("f", *"hoo", "enter", "k")
        gate.set()
        await settled(pilot)
        assert isinstance(app.screen, Jump)


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (100, 30), (200, 50)])
async def test_the_bottom_line_always_shows_how_to_find_the_rest(begun: Program, size: tuple[int, int]) -> None:
    app = begun()
    async with app.run_test(size=size) as pilot:
        await settled(pilot)

        assert screen_text(app)[-1].endswith(": actions  ? keys")
        assert len(screen_text(app)) == size[1]


async def test_without_colour_the_cursor_is_still_seen(begun: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = begun()
    async with app.run_test() as pilot:
        await settled(pilot)
        strip = app.screen.query_one(VirtualList).render_line(0)

        assert any(segment.style is not None and segment.style.reverse for segment in strip)


@pytest.mark.parametrize("theme", ["dark", "light", "contrast"])
async def test_each_theme_has_every_role(begun: Program, theme: str) -> None:
    from recto.tui.look.text_roles import COLOURS, GROUNDS, roles

    app = begun(Settings(theme=theme))
    async with app.run_test() as pilot:
        await settled(pilot)
        own = roles(app)

        assert app.theme == theme
        assert all(own.style(role).color for role in COLOURS)
        assert all(own.style(role).bgcolor for role in GROUNDS)


@pytest.mark.parametrize("theme", ["dark", "light", "contrast"])
async def test_on_sixteen_colours_the_cursor_and_what_is_found_are_still_seen(
    begun: Program, theme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    from rich.color import Color, ColorSystem

    from recto.tui.look.text_roles import roles

    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("COLORTERM")
    app = begun(Settings(theme=theme))
    async with app.run_test() as pilot:
        await settled(pilot)

        def downgrade(colour: Color | None) -> Color:
            assert colour is not None
            return colour.downgrade(ColorSystem.STANDARD)

        own = roles(app)
        ground = downgrade(Color.parse(app.theme_variables["background"]))
        text = downgrade(own.style("text").color)
        for role in ("cursor", "cursor-blurred", "selected", "found", "added-word", "removed-word"):
            assert downgrade(own.style(role).bgcolor) not in (ground, text), role
        for role in ("muted", "faint", "line", "accent", "added", "removed", "warning", "changed"):
            assert downgrade(own.style(role).color) != ground, role
        assert downgrade(own.style("on-cursor").color) != downgrade(own.style("cursor").bgcolor)
