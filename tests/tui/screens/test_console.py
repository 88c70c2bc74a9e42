"""The console: every operation found, filled in, sent and read by keys alone."""

from __future__ import annotations

from pathlib import Path

import httpx
import pytest
from textual.widgets import TextArea

from recto import paths
from recto.contract.api import routes
from recto.contract.organizations import Organizations
from recto.contract.spaces import Spaces
from recto.store.api_calls import ApiCall, ApiResponse
from recto.tui.dialogs.dialog import Dialog
from recto.tui.forms.form_view import FieldRow
from recto.tui.screens.console.call_form import CallForm, form_of
from recto.tui.screens.console.choose_operation import Operations
from recto.tui.screens.console.response import ResponseDialog, tree_of
from recto.tui.widgets.line_field import LineField
from support.guide_workspace import Person, open_guided, person, read_only_person
from support.other_platforms import OtherPlatform, visit_platform
from support.screens import all_messages, settled

WIDE = (120, 40)


def shown_text(ada: Person) -> str:
    return " ".join(all_messages(ada.pilot.app))


async def open_call(ada: Person, words: str) -> CallForm:
    await ada.press("exclamation_mark")
    ada.pilot.app.screen.query_one(LineField).value = words
    await ada.press("enter")
    screen = ada.pilot.app.screen
    assert isinstance(screen, CallForm), ada.screen
    return screen


async def fill(ada: Person, form: CallForm, name: str, text: str) -> None:
    """Paste a text into a field."""
    row = next(row for row in form.query(FieldRow) if row.entry.name == name)
    assert isinstance(row.control, LineField | TextArea)
    if isinstance(row.control, LineField):
        row.control.value = text
    else:
        row.control.insert(text)
    await settled(ada.pilot)


async def guide_of(ada: Person) -> str:
    listed = (await ada.store.fetch(Organizations.list_organizations)).items
    return next(one.id for one in listed if one.title == "Recto guide")


async def space_of(ada: Person) -> str:
    return next(
        one.id for one in (await ada.store.call(Spaces.list_spaces, await guide_of(ada))).items if one.title == "Guide"
    )


# Finding


async def test_an_operation_is_found_by_path_title_and_words(tmp_path: Path) -> None:
    async with person(tmp_path, size=WIDE) as ada:
        for words, method, path in (
            ("redirects", "GET", "sites/{siteId}/redirects"),
            ("get user", "GET", "/user"),
            ("merge main content", "POST", "{changeRequestId}/merge"),
            ("published", "GET", "{siteId}/published"),
            ("create space", "POST", "/orgs/{organizationId}/spaces"),
            ("list spaces", "GET", "/orgs/{organizationId}/spaces"),
        ):
            await ada.press("exclamation_mark")
            assert isinstance(ada.pilot.app.screen, Operations)
            await ada.type(words)
            first = next(line for line in ada.screen.splitlines() if "/{" in line or "/user" in line)
            assert method in first
            assert path in first
            await ada.press("escape")


async def test_the_palette_leads_there_and_a_form_can_be_made_of_every_operation(tmp_path: Path) -> None:
    async with person(tmp_path, size=WIDE) as ada:
        await ada.press("colon")
        ada.pilot.app.screen.query_one(LineField).value = "console"
        await ada.press("enter")
        assert isinstance(ada.pilot.app.screen, Operations)
    for route in routes():
        form, _choices = form_of(route, {})
        expected = {each.name for each in route.parameters if each.place.value != "body"}
        assert expected <= form.fields.keys()


# Calling


async def test_what_is_known_of_the_place_is_filled_in_and_the_answer_folds(tmp_path: Path) -> None:
    async with person(tmp_path, size=WIDE) as ada:
        guide = await guide_of(ada)
        await ada.find("Recto guide")
        form = await open_call(ada, "get orgs spaces")
        assert guide in ada.screen
        await ada.press("ctrl+s")
        assert isinstance(ada.pilot.app.screen, ResponseDialog)
        assert "200 · " in ada.screen
        assert "▾ items" in ada.screen
        assert "▸ 0  Guide" in ada.screen
        await ada.press("j", "j", "l")
        assert "title  Guide" in ada.screen
        await ada.press("2")
        assert '"title": "Guide"' in ada.screen
        await ada.press("3")
        assert f"recto api --workspace workspace GET /orgs/{guide}/spaces" in ada.screen
        assert "has no address" in ada.screen
        await ada.press("escape")
        assert form.is_on_top
        await ada.press("escape", "escape")
        assert not isinstance(ada.pilot.app.screen, Dialog)


async def test_a_list_goes_on_page_by_page(tmp_path: Path) -> None:
    async with person(tmp_path, size=WIDE) as ada:
        await ada.find("Recto guide")
        await fill(ada, await open_call(ada, "get orgs spaces"), "limit", "1")
        await ada.press("ctrl+s")
        assert "1 item" in ada.screen
        assert "page 1" in ada.screen
        before = ada.screen
        await ada.press("left_square_bracket")
        assert "this is the first page" in shown_text(ada)
        await ada.press("right_square_bracket")
        assert "page 2" in ada.screen
        assert ada.screen != before
        await ada.press("left_square_bracket")
        assert "page 1" in ada.screen


async def test_a_value_is_copied_from_the_page_whose_tree_is_there(tmp_path: Path) -> None:
    copied: list[str] = []
    async with person(tmp_path, size=WIDE) as ada:
        ada.pilot.app.copy_to_clipboard = copied.append  # type: ignore[assignment,method-assign]
        call = ApiCall(next(route for route in routes() if route.name == "get_user"), {})
        shown = ResponseDialog(ada.store, ApiResponse.read(call, b'{"items": ["one", "two"]}'))
        shown._pages.append(ApiResponse.read(call, b'{"items": ["three"]}'))
        ada.pilot.app.push_screen(shown)
        await settled(ada.pilot)
        await ada.press("G")
        shown.action_console_next_page()
        shown.action_item_copy_text()
        await ada.press("G", "y")
    assert copied == ["two", "three"]


async def test_what_is_under_the_cursor_is_copied_and_the_whole_and_the_lines(tmp_path: Path) -> None:
    copied: list[str] = []
    async with person(tmp_path, size=WIDE) as ada:
        ada.pilot.app.copy_to_clipboard = copied.append  # type: ignore[assignment,method-assign]
        await open_call(ada, "get user")
        await ada.press("ctrl+s")
        await ada.press("slash")
        await ada.type("displayName")
        await ada.press("enter", "y", "2", "y", "3", "y", "f6", "f7")
        assert "has no address" in shown_text(ada)
    assert copied[0] == "Ada Lovelace"
    assert '"displayName": "Ada Lovelace"' in copied[1]
    assert copied[2:] == ["recto api --workspace workspace GET /user"] * 2


async def test_a_write_is_confirmed_and_done_and_seen_by_the_view_below(tmp_path: Path) -> None:
    async with person(tmp_path, size=WIDE) as ada:
        space = await space_of(ada)
        await ada.find("Guide")
        form = await open_call(ada, "patch spaces editMode")
        await fill(ada, form, "space_id", space)
        await fill(ada, form, "title", "Handbook")
        await ada.press("ctrl+s")
        assert f"PATCH /spaces/{space}" in ada.screen
        assert 'title: "Handbook"' in ada.screen
        await ada.press("n")
        assert (await ada.store.call(Spaces.get_space, space)).title == "Guide"
        await ada.press("ctrl+s", "y")
        assert isinstance(ada.pilot.app.screen, ResponseDialog)
        assert (await ada.store.call(Spaces.get_space, space)).title == "Handbook"
        await ada.press("escape", "escape", "escape")
        assert "Handbook" in ada.screen


async def test_null_clears_and_what_is_left_out_stays(tmp_path: Path) -> None:
    async with person(tmp_path, size=WIDE) as ada:
        space = await space_of(ada)
        assert (await ada.store.call(Spaces.get_space, space)).emoji
        form = await open_call(ada, "patch spaces editMode")
        await fill(ada, form, "space_id", space)
        await fill(ada, form, "emoji", "null")
        await ada.press("ctrl+s", "y")
        found = await ada.store.call(Spaces.get_space, space)
        assert (found.emoji, found.title) == ("", "Guide")


async def test_faults_are_shown_beside_fields_before_a_call_is_sent(tmp_path: Path) -> None:
    async with person(tmp_path, size=WIDE) as ada:
        form = await open_call(ada, "patch spaces editMode")
        await ada.press("ctrl+s")
        assert "spaceId" in shown_text(ada)
        await fill(ada, form, "space_id", "s")
        await fill(ada, form, "title", "x" * 51)
        await fill(ada, form, "merge_rules", "{")
        await settled(ada.pilot)
        notes = " ".join(str(note.render()) for note in form.query(".note"))
        assert "is not JSON" in notes
        assert "at most 50" in notes
        await ada.press("ctrl+s")
        assert isinstance(ada.pilot.app.screen, CallForm)


def test_a_body_that_is_nested_too_deeply_is_refused_by_its_field() -> None:
    route = next(route for route in routes() if route.name == "set_instructions")
    form, _ = form_of(route, {})
    write = form.fields["instructions"].write
    assert write is not None
    assert write('{"a":' * 50 + "1" + "}" * 50)
    with pytest.raises(ValueError, match="nested too deeply"):
        write('{"a":' * 400 + "1" + "}" * 400)


async def test_a_refusal_of_the_server_is_shown_and_typed_text_stays(tmp_path: Path) -> None:
    async with person(tmp_path, size=WIDE) as ada:
        form = await open_call(ada, "get spaces content files backlinks")
        await fill(ada, form, "space_id", "nothing")
        await fill(ada, form, "file_id", "nothing")
        await ada.press("ctrl+s")
        assert isinstance(ada.pilot.app.screen, CallForm)
        assert "There is no space nothing, or you may not see it." in shown_text(ada)
        assert "nothing" in ada.screen
        await ada.press("escape")
        assert "Not sent yet: 2 changed fields" in ada.screen


async def test_what_is_typed_while_a_call_is_on_its_way_is_not_lost_without_a_question(tmp_path: Path) -> None:
    people: list[Person] = []
    forms: list[CallForm] = []

    class Typing(OtherPlatform):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            if forms and request.url.path == "/v1/orgs":
                form = forms.pop()
                row = next(row for row in form.query(FieldRow) if row.entry.name == "limit")
                assert isinstance(row.control, LineField)
                row.control.value = "7"
                await people[0].pilot.pause()
            return await super().handle_async_request(request)

    platform = open_guided(tmp_path)
    try:
        async with visit_platform(platform, tmp_path, Typing(platform), size=WIDE) as ada:
            people.append(ada)
            forms.append(await open_call(ada, "get /orgs"))
            await fill(ada, forms[0], "limit", "5")
            await ada.press("ctrl+s")
            assert not forms and isinstance(ada.pilot.app.screen, ResponseDialog)
            await ada.press("escape", "escape")
            assert "Not sent yet: 1 changed field" in ada.screen
    finally:
        platform.close()


# What may not be done


async def test_read_only_is_shown_before_the_form_is_filled_in(tmp_path: Path) -> None:
    async with read_only_person(tmp_path, size=WIDE) as ada:
        await ada.press("exclamation_mark")
        ada.pilot.app.screen.query_one(LineField).value = "post ping"
        await settled(ada.pilot)
        assert "Recto is read-only now" in ada.screen
        await ada.press("enter", "ctrl+s")
        assert "Send the call: Recto is read-only now." in shown_text(ada)
        await ada.press("enter")
        assert isinstance(ada.pilot.app.screen, CallForm)
        await ada.press("escape", "escape")
        await open_call(ada, "get user")
        await ada.press("ctrl+s")
        assert isinstance(ada.pilot.app.screen, ResponseDialog)


# History


async def test_calls_are_found_again_at_the_next_start_filled_in(tmp_path: Path) -> None:
    async with person(tmp_path, size=WIDE) as ada:
        guide = await guide_of(ada)
        await ada.find("Recto guide")
        await open_call(ada, "get orgs spaces")
        await ada.press("ctrl+s", "escape", "escape")
        assert f"↺ GET    /orgs/{guide}/spaces" in ada.screen
    async with person(tmp_path, size=WIDE) as ada:
        await ada.press("exclamation_mark")
        assert f"↺ GET    /orgs/{guide}/spaces" in ada.screen
        await ada.press("enter")
        assert guide in ada.screen
        await ada.press("ctrl+s")
        assert isinstance(ada.pilot.app.screen, ResponseDialog)


async def test_a_share_key_is_sent_but_neither_kept_nor_written_into_a_line(tmp_path: Path) -> None:
    asked: list[str] = []

    class Noting(OtherPlatform):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            asked.append(str(request.url))
            return await super().handle_async_request(request)

    copied: list[str] = []
    platform = open_guided(tmp_path)
    try:
        async with visit_platform(platform, tmp_path, Noting(platform), size=WIDE) as ada:
            ada.pilot.app.copy_to_clipboard = copied.append  # type: ignore[assignment,method-assign]
            space = await space_of(ada)
            form = await open_call(ada, "get spaces spaceId")
            await fill(ada, form, "space_id", space)
            await fill(ada, form, "share_key", "hunter2")
            await ada.press("f6", "f7", "ctrl+s")
            assert isinstance(ada.pilot.app.screen, ResponseDialog)
    finally:
        platform.close()
    assert any("shareKey=hunter2" in url for url in asked)
    assert copied == [
        f'recto api --base-url https://docs.example.com GET /spaces/{space} -q shareKey="$SHARE_KEY"',
        f"curl -sS https://docs.example.com/v1/spaces/{space}'?shareKey='\"$SHARE_KEY\""
        ' -H "Authorization: Bearer $RECTO_TOKEN"',
    ]
    assert "hunter2" not in paths.calls_file().read_text()
    assert platform.token not in paths.calls_file().read_text() + "".join(copied)


# Text from outside


def test_a_large_or_hostile_answer_is_a_tree_made_where_it_is_looked_at() -> None:
    hostile = {"\x1b]0;x\x07": "\u202egnp\x1b[31m", "a/b~c": [{"id": 1}, None, True]}
    flat = tree_of(hostile)
    assert list(flat.ids)[1:] == ["/a~1b~0c", "/a~1b~0c/0", "/a~1b~0c/0/id", "/a~1b~0c/1", "/a~1b~0c/2"]
    large = tree_of({"items": [{"id": str(number), "title": "x"} for number in range(20_000)]})
    assert len(large) == 60_001
    assert len(large._items) == 0
