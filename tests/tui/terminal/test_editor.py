from __future__ import annotations

from contextlib import nullcontext
from pathlib import Path

import pytest

from recto.tui.terminal.editor import EditorError, command_at, find_editor, in_terminal


def no_program(_name: str) -> None:
    return None


def test_what_a_person_named_comes_first() -> None:
    environment = {"EDITOR": "nano -w", "VISUAL": "gvim"}

    assert find_editor(environment, chosen="hx") == ["hx"]
    assert find_editor(environment) == ["nano", "-w"]
    assert find_editor({"EDITOR": " ", "VISUAL": "'/opt/my editor/ed' --wait"}) == ["/opt/my editor/ed", "--wait"]


def test_else_a_common_one_that_is_there() -> None:
    assert find_editor({}, which=lambda name: "/usr/bin/nano" if name == "nano" else None) == ["nano"]
    assert find_editor({}, which=no_program) is None


def test_a_command_that_cannot_be_read_is_reported() -> None:
    with pytest.raises(EditorError, match="“vim 'x” cannot be started: its quotes are not closed"):
        find_editor({"EDITOR": "vim 'x"})


async def test_an_editor_is_not_given_the_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from textual.app import App

    monkeypatch.setenv("RECTO_TOKEN", "s3cret-value")
    monkeypatch.setattr(App, "suspend", lambda _: nullcontext())
    app: App[None] = App()
    in_terminal(app, ["sh", "-c", 'env > "$0"'])(tmp_path / "seen", 1)

    seen = (tmp_path / "seen").read_text()
    assert "RECTO_HOME" in seen
    assert "s3cret" not in seen


async def test_an_editor_that_cannot_have_the_terminal_says_so(tmp_path: Path) -> None:
    from textual.app import App

    app: App[None] = App()
    async with app.run_test():
        with pytest.raises(EditorError, match="cannot be handed to an editor"):
            in_terminal(app, ["true"])(tmp_path / "page.md", 1)


@pytest.mark.parametrize(
    ("command", "arguments"),
    [
        (["vi"], ["+7", "page.md"]),
        (["/usr/bin/nvim", "-n"], ["-n", "+7", "page.md"]),
        (["emacs", "-nw"], ["-nw", "+7", "page.md"]),
        (["nano"], ["+7", "page.md"]),
        (["kak"], ["+7", "page.md"]),
        (["hx"], ["page.md:7"]),
        (["code", "--wait"], ["--wait", "--goto", "page.md:7"]),
        (["ed"], ["page.md"]),
    ],
)
def test_an_editor_opens_at_a_line_where_it_is_known_how(command: list[str], arguments: list[str]) -> None:
    assert command_at(command, Path("page.md"), 7) == [command[0], *arguments]
    assert command_at(command, Path("page.md"), 1) == [*command, "page.md"]
