"""How pictures are shown in which terminal."""

from __future__ import annotations

import subprocess
import sys

import pytest
from textual.app import App

from recto.tui.pictures.means import Means, means_of

KITTY = {"TERM": "xterm-kitty"}


@pytest.mark.parametrize(
    ("colours", "environment", "expected"),
    [
        ("truecolor", {"TERM": "xterm-256color"}, Means.BLOCKS),
        ("256", {"TERM": "xterm-256color"}, Means.BLOCKS),
        ("standard", {"TERM": "xterm"}, Means.NOTHING),
        (None, {"TERM": "dumb"}, Means.NOTHING),
        ("truecolor", KITTY, Means.KITTY),
        ("truecolor", {"TERM": "xterm-ghostty"}, Means.KITTY),
        ("256", KITTY, Means.BLOCKS),
        ("truecolor", {"TERM": "tmux-256color", "KITTY_WINDOW_ID": "1"}, Means.BLOCKS),
        ("truecolor", {"TERM": "xterm-256color", "KITTY_WINDOW_ID": "1"}, Means.BLOCKS),
        ("truecolor", KITTY | {"TMUX": "/tmp/tmux-0/default,1,0"}, Means.BLOCKS),
        ("truecolor", KITTY | {"STY": "1.pts"}, Means.BLOCKS),
        ("truecolor", KITTY | {"ZELLIJ": "0"}, Means.BLOCKS),
    ],
)
def test_the_terminal_decides(colours: str | None, environment: dict[str, str], expected: Means) -> None:
    app: App[None] = App()
    app.console._color_system = None
    if colours is not None:
        from rich.console import COLOR_SYSTEMS

        app.console._color_system = COLOR_SYSTEMS[colours]
    assert means_of(app, environment) is expected


def test_who_wants_no_colours_gets_no_pictures(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app: App[None] = App()
    assert means_of(app, KITTY) is Means.NOTHING


def test_what_reads_pictures_is_loaded_when_one_is_read_and_not_before() -> None:
    asked = (
        "import sys; from recto.tui.navigation import views; views.import_views();"
        "from recto.tui.pictures import gallery, kitty; from recto.tui.render import rendered_page;"
        "print('PIL' in sys.modules)"
    )
    told = subprocess.run([sys.executable, "-c", asked], capture_output=True, check=True, text=True).stdout
    assert told.strip() == "False"
