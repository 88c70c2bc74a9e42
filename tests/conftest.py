"""What holds for every test: nothing of the developer's own settings, and a home of its own."""

from __future__ import annotations

import atexit
import gc
import logging
import os
import shutil
import signal
import sys
from collections.abc import Generator, Iterator
from itertools import count
from pathlib import Path

import pytest
from hypothesis import settings

from recto.collector import collect_from_now_on
from recto.server.platform import Platform
from support.platform import FrozenClock, make_platform

# The scenarios assert for the tests that run them.
pytest.register_assert_rewrite("end_to_end.scenarios")

# Each worker, and each program that a test starts, would compile all modules again.
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
sys.dont_write_bytecode = False

# A shell has what it starts in the background ignore Ctrl+C, and so would each program that a test starts.
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# Where Python ends, it would go through all that the tests have left once more.
atexit.register(gc.freeze)

# Made-up cases are the same in every run: what they find is found by who changed something, and not a week later.
settings.register_profile("fixed", derandomize=True, deadline=None)
settings.load_profile("fixed")

_MOST_NAMED = 60
"""Characters of a parameter that stand in the name of its test."""

_HAS_FAILED = pytest.StashKey[bool]()
_FOLDERS = pytest.StashKey[list[Path]]()

CLEARED = ("NO_COLOR", "FORCE_COLOR", "TEXTUAL_THEME", "TEXTUAL_ANIMATIONS", "EDITOR", "VISUAL")


def pytest_addoption(parser: pytest.Parser) -> None:
    """Let the screens be tested against the second server, and a part of all tests be run."""
    servers = ("embedded", "reference")
    parser.addoption("--server", choices=servers, default=servers[0], help="the server that screens are tested against")
    parser.addoption("--every", type=int, default=1, metavar="N", help="run every Nth test alone")


def pytest_xdist_auto_num_workers() -> int:
    """Run one worker more than there are cores: many tests wait for a terminal or another process."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(wrapper=True)
def pytest_collection() -> Generator[None, object, object]:
    """Keep the garbage collector from going through all tests again and again, then let it begin as in the program."""
    gc.disable()
    try:
        return (yield)
    finally:
        collect_from_now_on()


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """With ``--every``, spread the tests that are run over all files."""
    every = config.getoption("--every")
    config.hook.pytest_deselected(items=[item for at, item in enumerate(items) if at % every])
    items[:] = items[::every]


def pytest_make_parametrize_id(val: object) -> str | None:
    """Name a test by the beginning of a long text: with every name, all of it would go from process to process."""
    return f"{val[:_MOST_NAMED]!r}, {len(val)}" if isinstance(val, str | bytes) and len(val) > _MOST_NAMED else None


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave files unread that have no slow test where only those are asked for, or no other where those are not."""
    asked_for = config.option.markexpr
    if asked_for not in ("slow", "not slow") or collection_path.suffix != ".py":
        return None
    text = collection_path.read_bytes()
    if asked_for == "not slow":
        return True if b"\npytestmark = pytest.mark.slow" in text else None
    return None if b"mark.slow" in text or b"with_slow" in text else True


@pytest.fixture(scope="session")
def homes(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Folders that are still to be made, apart from those of pytest, which reads all names there for each new one."""
    top = tmp_path_factory.mktemp("homes")
    return (top / str(number) for number in count())


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Note that a test has failed: its folders stay to be looked at."""
    report = yield
    item.stash[_HAS_FAILED] = report.failed or item.stash.get(_HAS_FAILED, False)
    return report


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    """Remove the folders of a test that has passed: those of a run together are gigabytes."""
    folders = item.stash[_FOLDERS] = []
    ended = yield
    if not item.stash[_HAS_FAILED]:
        for folder in folders:
            shutil.rmtree(folder, ignore_errors=True)
    return ended


def _new_folder(homes: Iterator[Path], test: pytest.Item) -> Path:
    folder = next(homes)
    folder.mkdir(mode=0o700)
    test.stash[_FOLDERS].append(folder)
    return folder


@pytest.fixture
def tmp_path(homes: Iterator[Path], request: pytest.FixtureRequest) -> Path:
    """A folder of a test's own."""
    return _new_folder(homes, request.node)


@pytest.fixture(autouse=True)
def own_world(monkeypatch: pytest.MonkeyPatch, homes: Iterator[Path], request: pytest.FixtureRequest) -> Iterator[Path]:
    """Give each test a home of its own, the same environment everywhere and a cursor that does not blink."""
    for name in [*CLEARED, *(name for name in os.environ if name.startswith("RECTO_"))]:
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("TERM", "xterm-256color")
    monkeypatch.setenv("COLORTERM", "truecolor")
    home = _new_folder(homes, request.node)
    monkeypatch.setenv("RECTO_HOME", str(home))
    yield home


@pytest.fixture(autouse=True)
def own_logger() -> Iterator[None]:
    """Give each test the log as it was, and leave it so."""
    loggers = [logging.getLogger(name) for name in ("recto", "asyncio")]
    kept = [(logger, logger.handlers[:], logger.propagate, logger.level) for logger in loggers]
    yield
    for logger, handlers, propagate, level in kept:
        for handler in logger.handlers:
            handler.close()
        logger.handlers[:], logger.propagate = handlers, propagate
        logger.setLevel(level)


@pytest.fixture
def clock() -> FrozenClock:
    """A clock that stands still until a test moves it."""
    return FrozenClock()


@pytest.fixture
def platform(tmp_path: Path, clock: FrozenClock) -> Iterator[Platform]:
    """A workspace on disk, with that clock."""
    platform = make_platform(tmp_path, clock=clock)
    yield platform
    platform.close()
