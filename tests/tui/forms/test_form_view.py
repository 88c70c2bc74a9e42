"""Forms filled in with the keys: in a dialog, and in a pane of a screen."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import pytest
from textual.app import ComposeResult
from textual.pilot import Pilot
from textual.widgets import Static

from recto.client.errors import BadRequest
from recto.contract.spaces import CreateSpace, Space, UpdateSpace
from recto.store.drafts import DraftKind, DraftPlace, Drafts
from recto.store.mutation import Outcome
from recto.store.store import Store
from recto.tui.app import RectoApp
from recto.tui.dialogs.choose import Choice
from recto.tui.forms.form import Field, FieldKind, Filling, Form, FormState
from recto.tui.forms.form_dialog import FormDialog
from recto.tui.forms.form_draft import OPEN_ELSEWHERE
from recto.tui.forms.form_pane import FormPane
from recto.tui.forms.form_view import FormView
from recto.tui.widgets.line_field import LineField
from recto.tui.widgets.text_pad import TextPad
from support.screens import all_messages, screen_text, settled, shows, type_text, until
from support.views import ExampleView

Program = Callable[..., RectoApp]

NEW = Form(
    "new-space",
    CreateSpace,
    Field("title", required=True, says="Readers see it."),
    Field("language", none="none"),
    Field("edit_mode", choices={"live": "edits are seen at once", "locked": "only through change requests"}),
    Field("parent", kind=FieldKind.CHOICE, none="top of the organization"),
)
SETTINGS = Form(
    "space",
    UpdateSpace,
    "About",
    Field("title", required=True),
    Field("default_level", none="no access"),
    "Editing",
    Field("edit_mode"),
)
GUIDE = Space(id="s1", title="Guide", default_level="read", edit_mode="live")


class Under(ExampleView):
    """What lies under the dialogs."""


class Tab(ExampleView):
    """A screen with a form in a pane."""

    filling: Filling[Any, Any]

    def compose_body(self) -> ComposeResult:
        self.pane = FormPane(self.store, "Settings", id="settings")
        yield self.pane

    def on_mount(self) -> None:
        self.pane.fill("s1", self.filling)
        self.pane.take_focus()


class Sink:
    """Takes bodies, and refuses those that it is told to."""

    def __init__(self, refusal: BadRequest | None = None) -> None:
        self.refusal = refusal
        self.bodies: list[Any] = []

    async def __call__(self, body: Any) -> Outcome[str] | None:
        self.bodies.append(body)
        if self.refusal is not None:
            refusal, self.refusal = self.refusal, None
            return Outcome(None, refusal)
        return Outcome("done")


async def open_dialog(
    app: RectoApp, pilot: Pilot[None], store: Store, filling: Filling[Any, Any], answers: list[Any]
) -> None:
    await settled(pilot)
    app.push_screen(FormDialog(store, "New space", filling), answers.append)
    await settled(pilot)


async def press(pilot: Pilot[None], *keys: str) -> None:
    for key, after in zip(keys, (*keys[1:], ""), strict=True):
        await pilot.press(key)
        if not (key.isalpha() and len(key) == len(after) == 1):  # letters that are typed follow each other at once
            await settled(pilot)


async def test_what_is_typed_faster_than_it_is_taken_stays(
    program: Program, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    taken: list[tuple[str, Any]] = []
    put = FormState.put

    def note(state: FormState[Any], name: str, value: Any) -> None:
        taken.append((name, value))
        put(state, name, value)

    monkeypatch.setattr(FormState, "put", note)
    app = program(Under)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_dialog(app, pilot, store, Filling(NEW, Sink()), [])
        title, language, *_ = app.screen.query(LineField)
        for text in ("G", "Gu", "Guide"):
            title.value = text
            language.value = text[:2].lower()
        await settled(pilot)

        assert (title.value, language.value) == ("Guide", "gu")
        assert taken == [("title", "Guide"), ("language", "gu")]


async def test_letters_cause_no_layout_while_the_remarks_on_them_keep_their_size(
    program: Program, store: Store
) -> None:
    app = program(Under)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_dialog(app, pilot, store, Filling(NEW, Sink()), [])
        await press(pilot, "G")
        layouts: list[object] = []
        app.screen.screen_layout_refresh_signal.subscribe(
            app.screen.query_one(FormView), layouts.append, immediate=True
        )
        await press(pilot, *"uide to all")
        assert shows(app, "Guide to all")
        assert shows(app, "12 of 50")
        assert layouts == []


async def test_a_dialog_takes_letters_at_once_and_sends_what_was_filled_in(program: Program, store: Store) -> None:
    sink, answers = Sink(), list[Any]()
    app = program(Under)
    choices = {"parent": [Choice("c1", "Products"), Choice("c2", "Archive")]}
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await open_dialog(app, pilot, store, Filling(NEW, sink, choices=choices), answers)
        assert shows(app, "Readers see it.")
        assert shows(app, "‹ not set ›")
        await press(pilot, *"Guide", "tab", *"en", "down", "space", "space", "down")
        await press(pilot, "enter", *"arch", "enter", "ctrl+s")

    assert [body.to_json() for body in sink.bodies] == [
        b'{"title":"Guide","parent":"c2","language":"en","editMode":"locked"}'
    ]
    assert answers == ["done"]


async def test_what_is_wrong_stands_beside_the_field_as_one_types(program: Program, store: Store) -> None:
    sink, answers = Sink(), list[Any]()
    app = program(Under)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await open_dialog(app, pilot, store, Filling(NEW, sink), answers)
        assert not shows(app, "cannot be empty")
        await press(pilot, "ctrl+s")
        assert sink.bodies == []
        assert "Title: cannot be empty" in "".join(all_messages(app))
        await type_text(pilot, "x" * 51)
        assert shows(app, "× at most 50 characters")
        assert shows(app, "51 of 50")
        await press(pilot, "backspace")
        assert not shows(app, "at most 50")
        await press(pilot, "tab", *"eng")
        assert shows(app, "× must be a code of two letters")


async def test_a_refused_call_keeps_what_was_typed_and_names_the_field(program: Program, store: Store) -> None:
    refusal = BadRequest("Could not create the space.", "", status=400, message="title: is taken")
    sink, answers = Sink(refusal), list[Any]()
    app = program(Under)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await open_dialog(app, pilot, store, Filling(NEW, sink), answers)
        await press(pilot, *"Guide", "ctrl+s")
        assert answers == []
        assert shows(app, "× title: is taken")
        await press(pilot, *" 2", "ctrl+s")

    assert [body.title for body in sink.bodies] == ["Guide", "Guide 2"]
    assert answers == ["done"]


async def test_enter_goes_from_field_to_field_and_sends_at_the_last(program: Program, store: Store) -> None:
    sink, answers = Sink(), list[Any]()
    app = program(Under)
    lines = Form("lines", CreateSpace, Field("title", required=True), Field("language"))
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await open_dialog(app, pilot, store, Filling(lines, sink), answers)
        await press(pilot, *"Guide", "enter", *"en", "enter")

    assert [body.language for body in sink.bodies] == ["en"]
    assert answers == ["done"]


async def test_leaving_with_changes_asks_and_without_does_not(program: Program, store: Store) -> None:
    answers = list[Any]()
    app = program(Under)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await open_dialog(app, pilot, store, Filling(NEW, Sink()), answers)
        await press(pilot, "escape")
        assert answers == [None]
        await open_dialog(app, pilot, store, Filling(NEW, Sink()), answers)
        await press(pilot, *"Gu", "escape")
        assert answers == [None]
        await press(pilot, "n", *"ide")
        assert shows(app, "Guide")
        await press(pilot, "escape", "y")
        assert answers == [None, None]


@pytest.fixture
def tab() -> type[Tab]:
    class Shown(Tab):
        filling = Filling(SETTINGS, Sink(), thing=GUIDE)

    return Shown


async def test_in_a_pane_letters_are_keys_until_enter(program: Program, tab: type[Tab]) -> None:
    app = program(tab)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settled(pilot)
        await press(pilot, "z", "j", "j", "space")
        view = app.screen.query_one(FormView)
        assert view.state is not None
        assert view.state.changed == ["edit_mode"]
        assert shows(app, "1 change not saved")
        await press(pilot, "g", "enter", *" 2", "escape")
        assert view.state.raw["title"] == "Guide 2"
        await press(pilot, "x")
        assert view.state.raw["title"] == "Guide"
        await press(pilot, "ctrl+s")
    assert [body.to_json() for body in tab.filling.submit.bodies] == [b'{"editMode":"locked"}']  # type: ignore[attr-defined]


async def test_a_key_for_a_row_that_was_replaced_does_nothing(program: Program, tab: type[Tab]) -> None:
    app = program(tab)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        view = app.screen.query_one(FormView)
        row = view.rows[0]
        await view.remove_children()
        assert row.why_not("list.down") is None and row.why_not("list.up") is None
        row.action_list_down()
        row.action_list_top()
        row.action_list_bottom()
        view.on_text_pad_left(TextPad.Left(TextPad(""), ""))


async def test_no_value_is_a_choice_where_the_body_takes_null(program: Program, tab: type[Tab]) -> None:
    app = program(tab)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settled(pilot)
        await press(pilot, "j", "enter", *"no acc", "enter", "ctrl+s")
    assert [body.to_json() for body in tab.filling.submit.bodies] == [b'{"defaultLevel":null}']  # type: ignore[attr-defined]


async def test_a_form_that_may_not_be_changed_says_why_before_anything_is_filled_in(program: Program) -> None:
    class Shown(Tab):
        filling = Filling(SETTINGS, Sink(), thing=GUIDE, reason="needs the admin role")

    app = program(Shown)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await settled(pilot)
        assert shows(app, "needs the admin role")
        await press(pilot, "enter")
        assert "needs the admin role" in "".join(all_messages(app))
        await press(pilot, "j", "space", "ctrl+s")
        assert Shown.filling.submit.bodies == []  # type: ignore[attr-defined]


async def test_what_others_changed_is_shown_before_it_is_replaced(program: Program) -> None:
    now = Space(id="s1", title="Handbook", default_level="read", edit_mode="live")

    async def reread() -> Space:
        return now

    class Shown(Tab):
        filling = Filling(SETTINGS, Sink(), thing=GUIDE, reread=reread)

    app = program(Shown)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await settled(pilot)
        await press(pilot, "enter", *" 2", "ctrl+s")
        assert Shown.filling.submit.bodies == []  # type: ignore[attr-defined]
        assert shows(app, "Others changed it meanwhile, to: Handbook")
        await press(pilot, "ctrl+s")
    assert [body.title for body in Shown.filling.submit.bodies] == ["Guide 2"]  # type: ignore[attr-defined]


class Slow:
    """Takes bodies of spaces, and answers once it may."""

    def __init__(self) -> None:
        self.asked, self.may = asyncio.Event(), asyncio.Event()

    async def __call__(self, body: UpdateSpace) -> Outcome[Space]:
        self.asked.set()
        await self.may.wait()
        return Outcome(GUIDE.model_copy(update=body.model_dump(exclude_unset=True)))


async def test_what_is_typed_while_a_form_is_sent_stays_as_a_draft(program: Program, store: Store) -> None:
    slow = Slow()

    class Shown(Tab):
        filling = Filling(SETTINGS, slow, thing=GUIDE, place=DraftPlace(space="s1"))

    app = program(Shown)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await settled(pilot)
        await press(pilot, "enter", *" 2", "escape")
        await pilot.press("ctrl+s")
        await slow.asked.wait()
        view = app.screen.query_one(FormView)
        view.put("title", "Guide 3")
        slow.may.set()
        await settled(pilot)
        assert view.state is not None
        assert (view.state.raw["title"], view.state.initial["title"]) == ("Guide 3", "Guide 2")
        assert shows(app, "1 change not saved")
        assert not shows(app, "Others changed it meanwhile")
        await store.keeper.flush()
        (draft,) = store.drafts.find(DraftPlace(space="s1"), DraftKind.FORM)
        assert json.loads(store.drafts.text(draft)) == {"title": "Guide 3"}


async def test_what_is_typed_back_while_a_form_is_sent_is_a_change(program: Program, store: Store) -> None:
    slow = Slow()

    class Shown(Tab):
        filling = Filling(SETTINGS, slow, thing=GUIDE)

    app = program(Shown)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await settled(pilot)
        await press(pilot, "enter", *" 2", "escape")
        await pilot.press("ctrl+s")
        await slow.asked.wait()
        view = app.screen.query_one(FormView)
        view.put("title", "Guide")
        slow.may.set()
        await settled(pilot)
        assert view.state is not None
        assert (view.state.raw["title"], view.state.changed) == ("Guide", ["title"])


async def test_a_form_that_is_sent_takes_away_its_own_draft_and_not_that_of_the_next(
    program: Program, store: Store
) -> None:
    slow = Slow()
    places = {id: DraftPlace(space=id) for id in ("s1", "s2")}

    class Shown(Tab):
        filling = Filling(SETTINGS, slow, thing=GUIDE, place=places["s1"])

    app = program(Shown)
    async with app.run_test(size=(100, 24), notifications=True) as pilot:
        await settled(pilot)
        await press(pilot, "enter", *" 2", "escape")
        await pilot.press("ctrl+s")
        await slow.asked.wait()
        other = Space(id="s2", title="Handbook", default_level="read", edit_mode="live")
        app.screen.query_one(FormPane).fill("s2", Filling(SETTINGS, Sink(), thing=other, place=places["s2"]))
        await until(pilot, lambda: shows(app, "Handbook"))
        app.screen.query_one(FormView).put("title", "Handbooks")
        slow.may.set()
        await settled(pilot)
        await store.keeper.flush()
        assert shows(app, "Handbooks")
        assert [len(store.drafts.find(place, DraftKind.FORM)) for place in places.values()] == [0, 1]


async def test_a_form_that_was_kept_as_a_draft_does_not_ask_again(program: Program, store: Store) -> None:
    filling = Filling(NEW, Sink(), place=DraftPlace(organization="o1"))
    app, answers = program(Under), list[Any]()
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await open_dialog(app, pilot, store, filling, answers)
        await press(pilot, *"Gu", "escape")
        assert shows(app, "Not sent yet: 1 changed field of “New space”.")
        await press(pilot, "k")
        assert answers == [None]
        await open_dialog(app, pilot, store, filling, answers)
        assert shows(app, "Gu")
        await press(pilot, "ctrl+q")
        assert shows(app, "It is kept as a draft.")


async def test_what_is_chosen_is_requested_page_by_page_and_searched_by_the_platform(
    program: Program, store: Store
) -> None:
    asked: list[tuple[str, int]] = []

    async def find(text: str) -> AsyncIterator[Sequence[Choice]]:
        for page in range(20):
            asked.append((text, page))
            yield [Choice(f"{text}{page}-{n}", f"{text} number {page}-{n}") for n in range(25)]

    sink, answers = Sink(), list[Any]()
    app = program(Under)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await open_dialog(app, pilot, store, Filling(NEW, sink, find={"parent": find}), answers)
        await press(pilot, *"Guide", "down", "down", "down", "enter")
        assert asked == [("", 0)]
        await press(pilot, *["down"] * 7)
        assert asked == [("", 0), ("", 1)]
        await press(pilot, *"zo")
        # A letter may be looked for before the next one comes; of each text only the first page is asked for.
        assert (asked[-1], {page for _, page in asked[2:]}) == (("zo", 0), {0})
        await press(pilot, "enter")
        assert shows(app, "zo number 0-0")
        await press(pilot, "ctrl+s")
    assert [body.parent for body in sink.bodies] == ["zo0-0"]


async def test_labels_stand_above_their_fields_where_it_is_narrow(program: Program, tab: type[Tab]) -> None:
    app = program(tab)
    async with app.run_test(size=(60, 20)) as pilot:
        await settled(pilot)
        lines = [line.strip(" │") for line in screen_text(app)]
        assert "Default level" in lines


async def test_what_was_typed_survives_a_crash_until_it_is_sent_or_discarded(program: Program, store: Store) -> None:
    sink, place = Sink(), DraftPlace(organization="o1")
    filling = Filling(NEW, sink, place=place)
    app = program(Under)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await open_dialog(app, pilot, store, filling, [])
        await press(pilot, *"Gui", "tab", *"en")
        await store.keeper.flush()
    assert [draft.facts["form"] for draft in store.drafts.find(place, DraftKind.FORM)] == ["new-space"]

    app, answers = program(Under), list[Any]()
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await open_dialog(app, pilot, store, filling, answers)
        assert shows(app, "Gui")
        assert "What you typed here before is back" in "".join(all_messages(app))
        await press(pilot, *"de", "ctrl+s")
    assert [(body.title, body.language) for body in sink.bodies] == [("Guide", "en")]
    assert store.drafts.find(place, DraftKind.FORM) == []

    app = program(Under)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await open_dialog(app, pilot, store, filling, answers)
        assert not shows(app, "Guide")
        await press(pilot, *"Other", "escape", "y")
    assert store.drafts.find(place, DraftKind.FORM) == []


@pytest.mark.skipif(os.name == "nt", reason="files are not locked there")
async def test_typing_into_a_form_that_another_window_has_open_says_so_once(program: Program, store: Store) -> None:
    place, elsewhere = DraftPlace(organization="o1"), Drafts(store.drafts.folder)
    for form in ("new-space", "new-site"):
        elsewhere.hold(elsewhere.start(DraftKind.FORM, place, "{}", facts={"form": form}))
    app = program(Under)
    async with app.run_test(size=(80, 24), notifications=True) as pilot:
        await open_dialog(app, pilot, store, Filling(NEW, Sink(), place=place), [])
        assert OPEN_ELSEWHERE not in all_messages(app)
        await press(pilot, *"Gu", "tab", *"en")
        assert [text for text in all_messages(app) if text == OPEN_ELSEWHERE] == [OPEN_ELSEWHERE]
        await store.keeper.flush()
    assert [draft.facts["form"] for draft in store.drafts.find(place, DraftKind.FORM)] == ["new-space"]
    elsewhere.close()


async def test_a_long_value_and_the_last_field_of_a_long_form_are_seen_at_80_columns(
    program: Program, store: Store
) -> None:
    form = Form(
        "new-space",
        CreateSpace,
        Field("title", required=True),
        Field("emoji", kind=FieldKind.TEXT),
        Field("language", kind=FieldKind.TEXT),
        Field("edit_mode", "Last", none="no last"),
        sends="Create the space",
    )
    app = program(Under)
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        app.push_screen(FormDialog(store, "New space", Filling(form, Sink()), says="What it is for."))
        await settled(pilot)
        await press(pilot, "ctrl+s")
        assert shows(app, "Create the space: Title: cannot be empty."), "and so does the reason why it does not"
        await press(pilot, *"abcdefghij" * 6)
        assert shows(app, "fghijabcdefghij")
        assert shows(app, "ctrl+s create"), "the hint says what the form does"
        await press(pilot, "tab")
        assert shows(app, "ctrl+s create"), "in a field of several lines, too"
        await press(pilot, "tab", "tab")
        assert shows(app, "‹ no last ›")
        assert shows(app, "What it is for.")
        assert shows(app, "ctrl+s create")
        await press(pilot, "f1")
        assert shows(app, "Create the space")


async def test_a_letter_updates_only_what_it_changes(
    program: Program, store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = program(Under)
    async with app.run_test(size=(80, 24)) as pilot:
        await open_dialog(app, pilot, store, Filling(NEW, Sink()), [])
        await press(pilot, *"boo")
        updated: list[Static] = []
        update = Static.update

        def note(shown: Static, *content: Any, **more: Any) -> None:
            updated.append(shown)
            update(shown, *content, **more)

        monkeypatch.setattr(Static, "update", note)
        await press(pilot, "k")
        assert all(shown.has_class("mark") for shown in updated) and len(updated) <= 1, updated
