"""Where copied text goes."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from recto.tui.terminal.clipboard import commands, send, takes_none


@pytest.mark.parametrize(
    ("environment", "platform", "found"),
    [
        ({}, "linux", []),
        ({"TMUX": "/tmp/tmux-0/default,1,0"}, "linux", ["tmux"]),
        ({"TMUX": "x", "SSH_CONNECTION": "a", "DISPLAY": ":10"}, "linux", ["tmux"]),
        ({"DISPLAY": ":0"}, "linux", ["xclip"]),
        ({"DISPLAY": ":0", "WAYLAND_DISPLAY": "wayland-0", "TMUX": "x"}, "linux", ["tmux", "wl-copy"]),
        ({"WSL_DISTRO_NAME": "Debian"}, "linux", ["clip.exe"]),
        ({}, "darwin", ["pbcopy"]),
        ({"SSH_TTY": "/dev/ttys1"}, "darwin", []),
        ({}, "win32", ["clip.exe"]),
    ],
)
def test_copied_text_goes_where_the_person_is(environment: dict[str, str], platform: str, found: list[str]) -> None:
    assert [command[0] for command in commands(environment, which=str, platform=platform)] == found


def test_only_commands_that_are_there_are_run() -> None:
    there = {"xsel"}
    assert commands({"DISPLAY": ":0"}, which=lambda name: name if name in there else None, platform="linux") == [
        ("xsel", "--clipboard", "--input")
    ]


def test_a_command_gets_the_text_as_it_is_and_one_that_fails_is_passed_over(tmp_path: Path) -> None:
    taken = tmp_path / "taken"
    write = (sys.executable, "-c", f"import sys; open({str(taken)!r}, 'wb').write(sys.stdin.buffer.read())")
    fail = (sys.executable, "-c", "raise SystemExit(1)")
    assert send("字 — 🚀\n", [("/no/such/command",), fail, write])
    assert taken.read_text() == "字 — 🚀\n"
    assert not send("x", [fail])


def test_the_console_of_linux_is_known_to_have_no_clipboard() -> None:
    assert takes_none({"TERM": "linux"})
    assert not takes_none({"TERM": "xterm-256color"})
