"""Every operation of the contract is within reach of the keys: the table in ``reach/``, held to the program."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recto.contract.api import routes
from recto.contract.operation import Route
from recto.tui import actions
from recto.tui.navigation import views
from support.screens import all_messages
from support.web import web  # noqa: F401  each address leads to a page
from tui.reach.row import CONSOLE, EVERYONE, Act, Asked, Driver, Place, Row, driving, fields_of, name_of
from tui.reach.table import CONSOLE_ONLY, FOR_EVERYONE, FOR_THE_CONSOLE, ROWS


def rows_of(route: Route) -> list[Row]:
    return [row for row in ROWS if row.route is route]


def unreached() -> list[str]:
    return [name_of(route) for route in routes() if not rows_of(route) and name_of(route) not in CONSOLE_ONLY]


def without_control() -> Iterator[str]:
    for route in routes():
        if name_of(route) not in CONSOLE_ONLY:
            named = {name for row in rows_of(route) for name in row.fields}
            yield from (f"{name_of(route)} {name}" for name in sorted(fields_of(route) - named))


def test_every_operation_and_field_is_within_reach() -> None:
    assert unreached() == []
    assert list(without_control()) == []


def test_rows_name_what_there_is() -> None:
    views.import_views()
    known = {action.name for action in actions.all_actions()}
    for row in ROWS:
        assert not row.action or row.action in known, row
        assert row.fields.keys() <= fields_of(row.route), row
        assert row.route.reads or row.action, f"{row} changes something, so an action does"
        assert not row.action or row.act is not None, f"{row} has an action, so something presses its key"


def test_only_what_a_list_serves_is_left_to_the_console() -> None:
    named = {name_of(route): route for route in routes()}
    reached = {name_of(row.route) for row in ROWS}
    for name, why in CONSOLE_ONLY.items():
        assert named[name].reads
        assert name not in reached, f"{name} is within reach of a screen: take it out of CONSOLE_ONLY"
        assert why.removeprefix("served by ") in named


def test_what_is_left_to_the_console_says_why() -> None:
    controls: dict[str, set[str]] = {}
    for row in ROWS:
        operation = row.route.name.removesuffix("_in_change_request").removesuffix("_at_revision")
        for name, control in row.fields.items():
            key = name if name in FOR_THE_CONSOLE else f"{operation} {name}"
            controls.setdefault(key, set()).add(control)
    assert {key for key, given in controls.items() if given == {CONSOLE}} == FOR_THE_CONSOLE.keys()


def test_each_change_names_the_role_that_may_not() -> None:
    assert [str(row) for row in ROWS if not row.route.reads and not row.needs] == []
    assert {name_of(row.route) for row in ROWS if row.needs == EVERYONE} == FOR_EVERYONE.keys()


ACTS = list(dict.fromkeys((row.at, row.act) for row in ROWS if row.act is not None))
"""What is driven, each once, whatever number of rows it drives."""
PLACES = list(dict.fromkeys(row.at for row in ROWS if not row.action and all(row.at is not at for at, _ in ACTS)))
"""Where nothing is driven: at the others an action begins with what the place asks for."""
REFUSED = list(dict.fromkeys((row.at, row.seen) for row in ROWS if row.needs not in ("", EVERYONE)))
"""Where a reader is refused, each once, with what brings the reader before it."""


@pytest.mark.slow
@pytest.mark.parametrize("place", PLACES, ids=lambda place: place.name)
async def test_a_place_asks_for_what_it_shows(tmp_path: Path, place: Place) -> None:
    async with driving(tmp_path, place) as ada:
        assert_shown(ada, place)


@pytest.mark.slow
@pytest.mark.parametrize(("place", "act"), ACTS, ids=lambda one: getattr(one, "name", getattr(one, "__name__", "")))
async def test_an_action_calls_its_operation(tmp_path: Path, place: Place, act: Act) -> None:
    async with driving(tmp_path, place) as ada:
        assert_shown(ada, place)
        ada.asked.clear()
        await act(ada)
        for row in ROWS:
            if row.at is place and row.act is act:
                assert_asked(ada.asked, row)


@pytest.mark.slow
@pytest.mark.parametrize(("place", "seen"), REFUSED, ids=lambda one: getattr(one, "name", getattr(one, "__name__", "")))
async def test_the_reason_is_shown_where_a_role_does_not_suffice(
    tmp_path: Path, place: Place, seen: Act | None
) -> None:
    refused = [row for row in ROWS if row.at is place and row.seen is seen and row.needs not in ("", EVERYONE)]
    async with driving(tmp_path, place, "read") as rita:
        if seen is not None:
            await seen(rita)
        rita.asked.clear()
        for needs, action in dict.fromkeys((row.needs, row.action) for row in refused):
            await assert_refused(rita, action, needs)
        assert all(asked.route.reads for asked in rita.asked)


async def assert_refused(rita: Driver, name: str, needs: str) -> None:
    """Hold that an action is dimmed, and that its key gives the reason and opens nothing."""
    before = rita.pilot.app.screen
    offer = next((one for one in actions.offers(before) if one.action.name == name), None)
    assert offer is not None, f"{name} is not there:\n{rita.screen}"
    assert offer.reason is not None and needs in offer.reason, f"{name}: {offer.reason}"
    if offer.action.keys:
        await rita.press(offer.action.keys[0])
        assert rita.pilot.app.screen is before, f"{name} opens something:\n{rita.screen}"
        assert any(needs in text for text in all_messages(rita.pilot.app)), all_messages(rita.pilot.app)


def assert_shown(ada: Driver, place: Place) -> None:
    """Hold that a place has asked for what it shows."""
    for row in ROWS:
        if row.at is place and not row.action:
            assert_asked(ada.asked, row)


def assert_asked(asked: list[Asked], row: Row) -> None:
    """Hold that the operation was called, with all that the row gives a control to."""
    calls = [one for one in asked if one.route is row.route]
    assert calls, f"{row} was not called; there were {sorted({name_of(one.route) for one in asked})}"
    given = {name for one in calls for name in one.fields}
    wanted = {name for name, control in row.fields.items() if control != CONSOLE}
    assert wanted <= given, f"{row}: {sorted(wanted - given)} did not go out"
