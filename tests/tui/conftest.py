"""A program around example views, with a store of its own."""

from __future__ import annotations

import logging
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Input, TextArea

from recto.settings import Settings
from recto.store.drafts import Drafts
from recto.store.store import Store
from recto.tui.app import RectoApp
from recto.tui.navigation import views as all_views
from recto.tui.screens.view import View
from support.idle import be_quick, paint_each_step
from support.notes import FakeTransport
from support.platform import FrozenClock
from support.reference_requests import hold_to_reference
from support.second_server import SecondServer
from support.spaces import Workspace
from support.styles import share_matched, share_parsed

Program = Callable[..., RectoApp]


@pytest.fixture(autouse=True, scope="session")
def quick_programs() -> Iterator[None]:
    """Have pilots wait no longer than it takes, and programs share what they read."""
    with pytest.MonkeyPatch.context() as patch:
        be_quick(patch)
        share_parsed(patch)
        share_matched(patch)
        yield


@pytest.fixture
def each_step_painted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Have each step painted, not only what can be seen at rest."""
    paint_each_step(monkeypatch)


@pytest.fixture(autouse=True)
def still_cursor(monkeypatch: pytest.MonkeyPatch) -> None:
    """Keep cursors from blinking, so that a screen is the same at each look."""
    for field in (Input, TextArea):
        monkeypatch.setattr(field, "cursor_blink", False)


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store whose platform refuses everything; tests give its transport an answer."""
    clock = FrozenClock()

    def refuse(*_: Any) -> Any:
        raise AssertionError("nothing was to be asked")

    return Store(FakeTransport(refuse), Drafts(tmp_path / "drafts", clock), clock=clock)


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    """A workspace with the handbook, on which a test opens programs."""
    opened = Workspace(tmp_path)
    yield opened
    opened.close()


_SCREENS = ("organizations", "space", "change-request", "site")


@pytest.fixture
def program(store: Store, monkeypatch: pytest.MonkeyPatch) -> Program:
    """Make a program of example views: the first is where it begins, others by the name of their screen."""

    def make(first: type[View], settings: Settings | None = None, **options: Any) -> RectoApp:
        views = dict.fromkeys(_SCREENS, first) | options.pop("views", {})
        monkeypatch.setattr(all_views, "view_class", lambda location: views[location.screen])

        async def open_store() -> Store:
            return store

        return RectoApp(options.pop("open_store", open_store), settings, **options)

    return make


_SECOND = pytest.StashKey[SecondServer]()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With ``--server reference``, leave out what it can say nothing about: views on a store that has no server."""
    if config.getoption("--server") == "embedded":
        return
    left = [item for item in items if "store" in getattr(item, "fixturenames", ())]
    config.hook.pytest_deselected(items=left)
    items[:] = [item for item in items if item not in left]


@pytest.fixture(autouse=True)
def second_server(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """With ``--server reference``, let each program speak to a server that has the reference alone."""
    if request.config.getoption("--server") == "embedded":
        yield
        return
    second = request.node.stash[_SECOND] = SecondServer()
    second.install(monkeypatch)
    logging.getLogger().addHandler(second)
    yield
    logging.getLogger().removeHandler(second)
    second.check()


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Generator[None, object, object]:
    """Give up a test that wants what the second server does not have, if the program has said so."""
    try:
        return (yield)
    except Exception as error:
        second = item.stash.get(_SECOND, None)
        why = (
            second.why_given_up(item.originalname, error)
            if second is not None and isinstance(item, pytest.Function)
            else None
        )
        if why is None:
            raise
    # Apart from the failure, which would be written out with the source of all that it came through.
    pytest.xfail(f"there is no {why}")


@pytest.fixture(autouse=True)
def asked_as_the_reference_says(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let no screen ask for what the reference does not have."""
    hold_to_reference(monkeypatch)
