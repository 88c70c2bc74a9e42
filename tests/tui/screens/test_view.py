from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import httpx
import pytest
from textual.app import ComposeResult
from textual.content import Content
from textual.screen import Screen
from textual.widget import Widget

from recto.client.errors import Unreachable
from recto.client.sender import Sender
from recto.contract.operation import Operation
from recto.contract.users import Users
from recto.store.drafts import Drafts
from recto.store.mutation import Mutation
from recto.store.query import Listing, Query
from recto.store.store import Store
from recto.tui.actions import Offer, bindings, offers
from recto.tui.app import RectoApp
from recto.tui.dialogs.prompt import PromptLine
from recto.tui.lists.rows import ItemRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.screens.pane import Pane
from recto.tui.screens.view import View
from recto.tui.widgets import bars
from recto.tui.widgets.bars import StatusBar
from recto.tui.widgets.tab_strip import TabStrip
from support.notes import Notes
from support.screens import screen_text, settled, shows, until_shown
from support.views import ExampleView

Program = Callable[..., RectoApp]


class OrganizationContents(ExampleView):
    """A view of notes, as small as a screen can be."""

    BINDINGS = bindings("view.refresh", "item.new", "page.edit")

    def compose_body(self) -> ComposeResult:
        self.tab_strip = TabStrip(("Notes", "People"))
        yield self.tab_strip
        yield Pane(self.store, "Notes", VirtualList(), id="notes-pane")

    def on_mount(self) -> None:
        self.calls = 0
        self.notes = self.follow(self.store.query_list(Notes.list_notes, "b1"), self.show_notes)

    def show_notes(self, query: Query[Listing[Any]]) -> None:
        self.calls += 1
        panel = self.query_one(Pane)
        if panel.show_state(query, "the notes", empty="Notes would stand here.", key="a", makes="adds one"):
            items = query.value.items if query.value else ()
            panel.entitle("Notes", str(len(items)))
            self.query_one(VirtualList).show(ItemRows(items, lambda note, width: [(note.title, "")]))

    def action_view_refresh(self) -> None:
        self.notes.refresh()

    def action_item_new(self) -> None:
        self.work(self._new())

    async def _new(self) -> None:
        title = await self.ask(PromptLine("New note", limit=10))
        if title is not None:
            self.say(f"made {title}")

    def action_page_edit(self) -> None:
        self.work(self._edit(Path("note.md")))

    async def _edit(self, file: Path) -> None:
        self.say("edited" if await self.edit_file(file) else "no editor")


def answering(store: Store, *answers: Any) -> None:
    left = list(answers)

    def answer(operation: Operation[Any, Any], _arguments: Mapping[str, Any]) -> Any:
        if operation is Users.get_user:
            return {"id": "ada", "displayName": "Ada"}
        now = left.pop(0)
        if isinstance(now, Exception):
            raise now
        return {"items": [{"id": title, "title": title} for title in now]}

    transport: Any = store._transport
    transport.answer = answer


async def test_what_is_asked_for_is_shown_when_it_comes(program: Program, store: Store) -> None:
    answering(store, ["alpha", "beta"])
    app = program(OrganizationContents)
    async with app.run_test() as pilot:
        await settled(pilot)

        assert shows(app, "alpha")
        assert shows(app, "Notes  2")


async def test_nothing_there_and_a_failure_look_different_and_both_say_the_next_key(
    program: Program, store: Store
) -> None:
    answering(store, Unreachable("Could not load the notes.", "No answer came."), [], ["alpha"])
    app = program(OrganizationContents)
    async with app.run_test() as pilot:
        await settled(pilot)
        assert shows(app, "× Could not load the notes.")
        assert shows(app, "No answer came.")
        assert shows(app, "r  tries again")
        await pilot.press("r")
        await settled(pilot)
        assert shows(app, "Notes would stand here.")
        assert shows(app, "a  adds one")
        await pilot.press("r")
        await settled(pilot)

        assert shows(app, "alpha")
        assert not shows(app, "Notes would stand here.")


async def test_what_could_not_be_refreshed_stays_and_says_so(program: Program, store: Store) -> None:
    answering(store, ["alpha"], Unreachable("Could not load the notes.", "No answer came."))
    app = program(OrganizationContents)
    async with app.run_test() as pilot:
        await settled(pilot)
        await pilot.press("r")
        await settled(pilot)

        assert shows(app, "alpha")
        assert shows(app, "not refreshed")


async def test_after_leaving_a_view_hears_no_more(program: Program, store: Store) -> None:
    answering(store, ["alpha"], ["beta"])
    app = program(OrganizationContents)
    async with app.run_test() as pilot:
        await settled(pilot)
        view = app.screen
        assert isinstance(view, OrganizationContents)
        await view.remove()
        calls = view.calls
        view.notes.refresh()
        await store.idle()
        await pilot.pause()

        assert view.calls == calls


async def test_work_can_ask_and_go_on_with_the_answer(program: Program, store: Store) -> None:
    answering(store, [])
    app = program(OrganizationContents)
    async with app.run_test(notifications=True) as pilot:
        await settled(pilot)
        await pilot.press("a")
        await settled(pilot)
        await pilot.press(*"Ideas", "enter")
        await settled(pilot)

        assert shows(app, "made Ideas")


@pytest.mark.usefixtures("each_step_painted")
async def test_what_comes_after_a_refresh_comes_after_it_is_painted(
    program: Program, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(store, ["alpha"], ["beta"])
    app = program(OrganizationContents)
    async with app.run_test() as pilot:
        await settled(pilot)
        view = app.screen
        assert isinstance(view, OrganizationContents)
        log: list[str] = []
        display = app._display

        def count_painted(screen: Screen[Any], drawn: Any) -> None:
            log.append("painted")
            display(screen, drawn)

        monkeypatch.setattr(app, "_display", count_painted)
        view.query_one(Pane).entitle("Books")
        await view.until_painted()
        log.append("after")
        await settled(pilot)

        assert log.index("painted") < log.index("after")


@pytest.mark.usefixtures("each_step_painted")
async def test_what_is_offered_is_found_out_first_for_the_bottom_line_that_is_drawn(
    program: Program, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(store, ["alpha"])
    log: list[str] = []
    render = StatusBar.render

    def found_out(screen: Screen[Any], *, hinted: bool = False) -> list[Offer]:
        log.append("found out")
        return offers(screen, hinted=hinted)

    def draw(bar: StatusBar) -> Content:
        log.append("drawn")
        return render(bar)

    monkeypatch.setattr(bars, "offers", found_out)
    monkeypatch.setattr(StatusBar, "render", draw)
    app = program(OrganizationContents)
    async with app.run_test() as pilot:
        await settled(pilot)

        assert log[:2] == ["drawn", "found out"]
        assert shows(app, "? keys")


@pytest.mark.usefixtures("each_step_painted")
async def test_a_view_that_cannot_be_painted_ends_the_program_and_says_so(program: Program, store: Store) -> None:
    class Unpaintable(Widget):
        def render(self) -> str:
            raise ValueError("no colours")

    class Blank(ExampleView):
        def compose_body(self) -> ComposeResult:
            yield Unpaintable()

    app = program(Blank)
    with pytest.raises(ValueError, match="no colours"):
        async with app.run_test() as pilot:
            await settled(pilot)

    assert app.return_code == 1


async def test_digits_switch_tabs_there_are(program: Program, store: Store) -> None:
    answering(store, [])
    app = program(OrganizationContents)
    async with app.run_test() as pilot:
        await settled(pilot)
        await pilot.press("2", "7")
        await settled(pilot)

        assert app.screen.query_one(TabStrip).active == 1


async def test_undo_takes_back_what_was_done_and_redo_does_it_again(program: Program, store: Store) -> None:
    answering(store, [])
    contents: list[str] = []

    def put(name: str) -> Mutation[Any]:
        async def call(_call: Any) -> None:
            contents.append(name)

        async def take(_call: Any) -> None:
            contents.remove(name)

        inverse = Mutation(doing=f"Putting {name} away", done=f"Put {name} away", call=take)
        return Mutation(doing=f"Putting {name} up", done=f"Put {name} up", call=call, inverse=lambda _: inverse)

    app = program(OrganizationContents)
    async with app.run_test(notifications=True) as pilot:
        await settled(pilot)
        await pilot.press("u")
        await settled(pilot)
        assert shows(app, "Undo the last change: nothing to undo.")
        await store.run(put("a book"))
        await pilot.press("u")
        await settled(pilot)
        assert contents == []
        assert shows(app, "Put a book away (undo).")
        await pilot.press("U")
        await settled(pilot)

        assert contents == ["a book"]


async def test_the_editor_is_the_one_the_program_was_given(program: Program, store: Store) -> None:
    answering(store, [])
    edited: list[Path] = []
    app = program(OrganizationContents, editor=lambda file, line: edited.append(file))
    async with app.run_test(notifications=True) as pilot:
        await settled(pilot)
        await pilot.press("e")
        await settled(pilot)

        assert edited == [Path("note.md")]
        assert shows(app, "edited")


async def test_the_trail_loses_its_beginning_where_there_is_no_room(program: Program, store: Store) -> None:
    answering(store, [])
    app = program(OrganizationContents)
    async with app.run_test(size=(40, 20)) as pilot:
        await settled(pilot)
        assert isinstance(app.screen, View)
        app.screen.show_where("Acme Incorporated", "Developer docs", "Getting started", aside="draft")
        await settled(pilot)

        assert screen_text(app)[0].strip() == "… › Getting started       draft  Ada"


async def test_a_wait_that_the_platform_asks_for_is_seen_and_given_up(tmp_path: Path, program: Program) -> None:
    busy = httpx.Response(429, headers={"Retry-After": "9"}, json={"error": {"code": 429, "message": "Too many"}})
    sender = Sender("https://api.example.com", None, transport=lambda: httpx.MockTransport(lambda _: busy))
    store = Store(sender, Drafts(tmp_path / "drafts"))
    waiting = asyncio.Event()
    store.waits.subscribe(lambda _: waiting.set())

    async def open_store() -> Store:
        return store

    async with program(OrganizationContents, open_store=open_store).run_test(size=(80, 24)) as pilot:
        await waiting.wait()
        await pilot.pause()
        assert shows(pilot.app, "The platform asks to wait 9 s  esc gives up")
        await pilot.press("escape")
        await settled(pilot)
        assert not shows(pilot.app, "asks to wait")
        assert shows(pilot.app, "Try again in 9 s.")
    await store.aclose()


async def test_a_change_that_takes_long_is_named_until_it_has_ended(
    monkeypatch: pytest.MonkeyPatch, program: Program, store: Store
) -> None:
    monkeypatch.setattr("recto.store.store.MOMENT", 0)
    answered = asyncio.Event()
    answering(store, [])
    app = program(OrganizationContents)
    async with app.run_test() as pilot:
        await settled(pilot)
        store.run(Mutation(doing="Sending the note", done="Sent the note", call=lambda _: answered.wait()))
        await until_shown(pilot, "sending the note")
        answered.set()
        await settled(pilot)
        assert not shows(app, "sending the note")


async def test_leaving_a_view_gives_up_what_it_waits_for(tmp_path: Path, program: Program) -> None:
    asked: list[str] = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        return httpx.Response(503, headers={"Retry-After": "9"})

    sender = Sender("https://api.example.com", None, transport=lambda: httpx.MockTransport(answer))
    store = Store(sender, Drafts(tmp_path / "drafts"))
    waiting = asyncio.Event()
    store.waits.subscribe(lambda _: waiting.set())

    async def open_store() -> Store:
        return store

    async with program(OrganizationContents, open_store=open_store).run_test(size=(80, 24)) as pilot:
        await waiting.wait()
        assert store.waiting
        await pilot.app.screen.dismiss()
        await settled(pilot)
        assert not store.waiting
        assert asked.count("/v1/books/b1/notes") == 1
    await store.aclose()
