"""Finding by a few letters: in time, off the event loop, and for the letters that are there."""

from __future__ import annotations

import asyncio
import gc
import threading
from collections import Counter
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from typing import Any
from weakref import ReferenceType, ref

import pytest
from textual.pilot import Pilot

from recto.contract.change_requests import ChangeRequest
from recto.contract.common import User
from recto.store.locations import SpaceLocation
from recto.tui.app import RectoApp
from recto.tui.dialogs.choose import AT_ONCE, SHOWN, Choice, Choose, draw_choice
from recto.tui.dialogs.choose_request import request_choice
from recto.tui.dialogs.fuzzy import Fuzzy
from recto.tui.dialogs.jump import Jump, Target
from recto.tui.lists.rows import ItemRows
from recto.tui.lists.virtual_list import VirtualList
from support.screens import settled, shows
from support.views import ExampleView

Program = Callable[..., RectoApp]
MANY = 5_000


class Under(ExampleView):
    """What lies under the dialogs."""


class Watched(Choose):
    """Counts the items looked at for each query, and by which thread; ``gate`` holds those for ``held``."""

    def __init__(self, choices: Sequence[Choice], held: str = "") -> None:
        super().__init__("Page", choices)
        self.looked_at: Counter[str] = Counter()
        self.threads: Counter[bool] = Counter()
        self.gate = threading.Event()
        self._held = held

    def score(self, query: Fuzzy, item: Choice) -> float:
        in_thread = threading.current_thread() is not threading.main_thread()
        self.looked_at[query.letters] += 1
        self.threads[in_thread] += 1
        if in_thread and self._held and query.letters == self._held:
            self.gate.wait(timeout=60)
        return super().score(query, item)


def choices(number: int) -> list[Choice]:
    return [Choice(str(index), f"Page {index} about rates") for index in range(number)]


def list_items(app: RectoApp) -> list[Any]:
    rows = app.screen.query_one(VirtualList).rows
    return list(rows.items) if isinstance(rows, ItemRows) else []


async def show(pilot: Pilot[Any], dialog: Any) -> list[Any]:
    """Show a dialog; its answers come into the list that is returned."""
    answers: list[Any] = []
    await settled(pilot)
    pilot.app.push_screen(dialog, answers.append)
    await pilot.pause()
    return answers


async def test_many_are_matched_off_the_event_loop(program: Program) -> None:
    dialog = Watched(choices(MANY))
    app = program(Under)
    async with app.run_test() as pilot:
        await show(pilot, dialog)
        dialog.threads.clear()
        await pilot.press(*"4999")
        await settled(pilot)

        assert shows(app, "Page 4999")
        assert dialog.threads[True] >= MANY
        assert dialog.threads[False] == 0


async def test_few_are_matched_before_the_next_frame(program: Program) -> None:
    dialog = Watched(choices(AT_ONCE))
    app = program(Under)
    async with app.run_test() as pilot:
        await show(pilot, dialog)
        await pilot.press(*"19")

        assert dialog.threads[True] == 0
        assert list_items(app)[0].id == "19"


async def test_matching_for_earlier_letters_is_abandoned_and_never_listed(program: Program) -> None:
    dialog = Watched(choices(MANY), held="4")
    app = program(Under)
    async with app.run_test() as pilot:
        await show(pilot, dialog)
        await pilot.press("4")
        await pilot.pause()
        await pilot.press(*"99")
        await pilot.pause()
        dialog.gate.set()
        await settled(pilot)

        assert dialog.looked_at["4"] <= MANY / 10
        assert dialog.looked_at["499"] == MANY
        assert [one.id for one in list_items(app)][:2] == ["499", "4990"]


async def test_keys_pressed_ahead_are_for_what_is_typed_before_them(program: Program) -> None:
    dialog = Watched(choices(MANY))
    app = program(Under)
    async with app.run_test() as pilot:
        answers = await show(pilot, dialog)
        for key in [*"499", "down", "down", "enter"]:
            app.simulate_key(key)
        await settled(pilot)

        assert answers == ["4991"]


def page(title: str, path: str = "", where: str = "Ada's documentation") -> Target:
    return Target(title, "page", where, SpaceLocation("s", page=title), path)


NAMES = [
    page("Rotate all items in it"),
    page("Rate limits"),
    page("Requests and timing", "reference/a-long-tail-of-limits"),
    page("Quotas", "rate-limits"),
]


async def test_names_always_stand_before_words(program: Program) -> None:
    wait = asyncio.Event()

    async def names() -> AsyncIterator[Sequence[Target]]:
        yield NAMES[:2]
        await wait.wait()
        yield NAMES[2:]

    async def words(typed: str) -> AsyncIterator[Sequence[Target]]:
        location = SpaceLocation("s", page="words")
        yield [Target("Billing", "words", "Docs", location, found=f"about {typed} and more")]

    app = program(Under)
    async with app.run_test(size=(120, 40)) as pilot:
        await show(pilot, Jump(names, words))
        await pilot.press(*"rate limit")
        await pilot.pause()
        assert [one.title for one in list_items(app)] == ["Rate limits", "Rotate all items in it", "Billing"]
        wait.set()
        await settled(pilot)

        expected = ["Rate limits", "Quotas", "Rotate all items in it", "Billing", "Requests and timing"]
        assert [one.title for one in list_items(app)] == expected


@pytest.mark.parametrize("is_there", [True, False])
async def test_enter_waits_for_a_name_while_pages_are_still_listed_and_chooses_the_words_at_once_when_pressed_again(
    program: Program, is_there: bool
) -> None:
    wait = asyncio.Event()
    in_text = SpaceLocation("s", page="words")

    async def names() -> AsyncIterator[Sequence[Target]]:
        yield NAMES[1:2]
        await wait.wait()
        yield [page("Webhooks")]

    async def words(typed: str) -> AsyncIterator[Sequence[Target]]:
        yield [Target("Billing", "words", "Docs", in_text, found=f"about {typed} and more")]

    app = program(Under)
    async with app.run_test(size=(120, 40)) as pilot:
        answers = await show(pilot, Jump(names, words))
        await pilot.press(*"webhooks")
        await pilot.pause()
        assert [one.title for one in list_items(app)] == ["Billing"]
        assert shows(app, "No name matches yet: still listing pages…")
        await pilot.press("enter")
        await pilot.pause()
        assert answers == []
        if is_there:
            wait.set()
        else:
            await pilot.press("enter")
        await settled(pilot)
    assert answers == [page("Webhooks").location if is_there else in_text]


async def test_a_dialog_that_is_closed_lets_go_of_its_targets(program: Program) -> None:
    class Held(Target):
        """A target of which is known whether it is still held."""

    held: list[ReferenceType[Target]] = []

    async def names() -> AsyncIterator[Sequence[Target]]:
        # More than are shown.
        some = [Held(f"Page {number}", "page", "Docs", SpaceLocation("s", page=str(number))) for number in range(900)]
        held.extend(map(ref, some))
        yield some

    app = program(Under)
    async with app.run_test(size=(120, 40)) as pilot:
        jump = Jump(names)
        await show(pilot, jump)
        await pilot.press(*"page 1")
        await settled(pilot)
        await pilot.press("escape")
        await settled(pilot)
        gc.collect()
        assert jump.is_running is False
        assert sum(one() is not None for one in held) <= SHOWN


async def test_who_has_gone_down_to_a_place_stays_there_when_it_is_listed_again(program: Program) -> None:
    wait = asyncio.Event()

    async def names() -> AsyncIterator[Sequence[Target]]:
        yield NAMES[:3]
        await wait.wait()
        yield [replace(one, where="Guide") for one in NAMES]

    app = program(Under)
    async with app.run_test(size=(120, 40)) as pilot:
        answers = await show(pilot, Jump(names))
        await pilot.press("down")
        wait.set()
        await settled(pilot)
        await pilot.press("down", "enter")
        await settled(pilot)

    assert answers == [NAMES[2].location]


async def test_words_of_earlier_letters_neither_show_nor_hold_later_ones(program: Program) -> None:
    begun: list[str] = []
    given_up: list[str] = []
    never = asyncio.Event()

    async def names() -> AsyncIterator[Sequence[Target]]:
        yield NAMES

    async def words(typed: str) -> AsyncIterator[Sequence[Target]]:
        begun.append(typed)
        try:
            if typed != "quota":
                await never.wait()
            yield [Target("Billing", "words", "Docs", SpaceLocation("s"), found=typed)]
        except asyncio.CancelledError:
            given_up.append(typed)
            raise

    app = program(Under)
    async with app.run_test(size=(120, 40)) as pilot:
        await show(pilot, Jump(names, words))
        await pilot.press(*"quota")
        await settled(pilot)
        assert [one.title for one in list_items(app)] == ["Quotas", "Billing", "Requests and timing"]
        assert given_up == begun[:-1] == ["quo", "quot"]

        await pilot.press("backspace")
        await pilot.pause()
        assert "Billing" not in [one.title for one in list_items(app)]
        await pilot.press("backspace", "backspace")
        await settled(pilot)
        assert given_up == ["quo", "quot", "quot", "quo"]


def test_a_detail_without_room_is_cut_and_the_label_keeps_what_it_needs() -> None:
    now = datetime(2026, 3, 2, 9, tzinfo=UTC)
    author = User(id="u", display_name="Grace Brewster Murray Hopper")
    request = ChangeRequest(id="1", number=1, subject="Better words", status="draft", created_by=author, updated_at=now)
    choice = request_choice(request, now, here=True)
    assert "".join(text for text, _ in draw_choice(choice, 50)) == "#1 Better words you are here · draft · just now ·…"
    assert "draft · just now · Grace Brewster" in "".join(text for text, _ in draw_choice(choice, 80))
    long = Choice("2", "A subject that is longer than the line that it stands in", "draft · Ada")
    assert "".join(text for text, _ in draw_choice(long, 36)) == "A subject that is longe… draft · Ada"
