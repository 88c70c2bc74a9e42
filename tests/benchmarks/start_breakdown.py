"""What a start on the page that was left is spent on, by CPU time.

    uv run python tests/benchmarks/start_breakdown.py [RUNS]

Prints the medians in milliseconds until keys act on the view, and when each step was reached by the clock. CPU time
is that of all threads; what a part calls that is a part of its own is not counted twice.
"""

from __future__ import annotations

import atexit
import json
import os
import statistics
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable
from functools import wraps
from importlib import import_module
from importlib.machinery import ExtensionFileLoader, SourceFileLoader
from pathlib import Path
from typing import Any

_PARTS = {
    "pydantic._internal._model_construction": ("ModelMetaclass.__new__", "building models"),
    "pydantic.type_adapter": ("TypeAdapter.__init__ TypeAdapter.rebuild", "building models"),
    "textual.css.stylesheet": ("Stylesheet.read_all Stylesheet.parse Stylesheet.reparse", "style sheets, read"),
    "textual.app": ("App._register", "mounting"),
    "textual.screen": ("Screen._refresh_layout", "layout"),
    "textual._compositor": ("Compositor.render_update Compositor.render_full_update", "painting"),
    "recto.server.platform": ("Platform.open", "opening the workspace"),
    "recto.client.responses": ("Responses._validate", "parsing responses"),
}
"""By module: the functions that are a part of the start, and the name of that part."""


class Clock:
    """Adds up the CPU time of parts; the time of a part within another is its own."""

    def __init__(self) -> None:
        self.spent: Counter[str] = Counter()
        self.modules: Counter[str] = Counter()
        self._local = threading.local()

    def run(self, part: str, work: Callable[[], Any], detail: str = "") -> Any:
        """Do something whose time belongs to a part."""
        stack = self._local.__dict__.setdefault("stack", [])
        begun = time.thread_time()
        stack.append(0.0)
        try:
            return work()
        finally:
            taken = time.thread_time() - begun
            own = taken - stack.pop()
            self.spent[part] += own
            self.modules[detail or part] += own
            if stack:
                stack[-1] += taken


CLOCK = Clock()
MARKS: dict[str, float] = {}


SPENT: dict[str, float] = {}
MODULES: dict[str, float] = {}


def mark(name: str) -> None:
    """Note when a step is reached for the first time, since the process began, and the CPU time until then."""
    if name not in MARKS:
        MARKS[name] = time.time() - float(os.environ["START_BEGAN"])
        CPU_MARKS[name] = time.process_time()
        if name == "keys act":
            SPENT.update(CLOCK.spent)
            MODULES.update(CLOCK.modules)


CPU_MARKS: dict[str, float] = {}


def whose(module: str) -> str:
    """Name the part that importing a module belongs to."""
    top = module.partition(".")[0]
    if top == "recto":
        return "imports: recto." + [*module.split("."), ""][1]
    if top in ("textual", "rich", "pydantic", "httpx"):
        return f"imports: {top}"
    return "imports: other libraries" if top not in sys.stdlib_module_names else "imports: standard library"


def time_calls(function: Any, part: str) -> Any:
    """Return a function whose time belongs to a part."""

    @wraps(function)
    def run(*args: Any, **kwargs: Any) -> Any:
        return CLOCK.run(part, lambda: function(*args, **kwargs), f"{part}: {function.__qualname__}")

    return run


def watch_imports() -> None:
    """Have the time of imports and of the named functions added up."""
    for loader in (SourceFileLoader, ExtensionFileLoader):
        inner = loader.exec_module

        def execute(self: Any, module: Any, inner: Any = inner) -> None:
            name = module.__name__
            CLOCK.run(whose(name), lambda: inner(self, module), name)
            names, part = _PARTS.get(name, ("", ""))
            for each in names.split():
                owner, _, attribute = each.partition(".")
                kind = getattr(module, owner)
                found = kind.__dict__[attribute]
                wrapped = time_calls(getattr(found, "__func__", found), part)
                setattr(kind, attribute, type(found)(wrapped) if hasattr(found, "__func__") else wrapped)
            watch_steps(name, module)

        loader.exec_module = execute  # type: ignore[method-assign]


def watch_steps(name: str, module: Any) -> None:
    """Note when the steps of the start are reached."""
    if name == "recto.tui.starting":
        opens = module.Start._open

        async def open_view(self: Any) -> None:
            mark("the first frame is there")
            await opens(self)

        module.Start._open = open_view
    if name == "recto.tui.navigation.key_queue":
        lets_go = module.KeyQueue.let_go

        async def letting_go(self: Any) -> None:
            mark("the view is painted")
            await lets_go(self)
            mark("keys act")

        module.KeyQueue.let_go = letting_go


def child(report: str) -> None:
    """Run the program, and write down what its start was spent on when it ends."""
    watch_imports()

    def write() -> None:
        Path(report).write_text(json.dumps({"spent": SPENT, "modules": MODULES, "marks": MARKS, "cpu": CPU_MARKS}))

    atexit.register(write)
    from recto.cli.main import run

    sys.exit(run([]))


def main() -> None:
    """Measure and print."""
    start_up = import_module("start_up")
    runs = int(sys.argv[1]) if len(sys.argv) > 1 else 5
    reports = []
    with tempfile.TemporaryDirectory() as home:
        start_up.leave_on_page(Path(home))
        for _ in range(runs):
            report = Path(home) / "report.json"
            began = time.time()
            with start_up.Terminal(
                (sys.executable, __file__, "--child", str(report)),
                environment={"RECTO_HOME": home, "START_BEGAN": str(began)},
            ) as terminal:
                terminal.wait_for(start_up.PAGE)
                terminal.wait_until_still()
                terminal.press(start_up.QUIT)
                terminal.wait_for_end()
            reports.append(json.loads(report.read_text()))
    for kind in ("spent", "marks", "cpu", *(["modules"] if "-v" in sys.argv else [])):
        print(kind)
        names = {name for report in reports for name in report[kind]}
        values = {name: statistics.median(report[kind].get(name, 0) for report in reports) * 1000 for name in names}
        for name, value in sorted(values.items(), key=lambda one: -one[1] if kind == "spent" else one[1]):
            if value >= 1:
                print(f"  {name:40} {value:7.0f} ms")


if __name__ == "__main__":
    child(sys.argv[2]) if sys.argv[1:2] == ["--child"] else main()
