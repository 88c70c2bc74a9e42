"""One day at the keys: two people, each with a program in a real terminal, on one served workspace."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import httpx
import pytest

from support.shell import RECTO, Server, environment, free_port, recto, serving
from support.terminal import Terminal

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="there is no pseudo-terminal")]

ENTER, ESCAPE, SEND, QUIT = "\r", "\x1b", "\x13", "\x11"
TOKEN = "token-of-ada-for-this-day-4c1e"
PATIENCE = 60.0

STEPS = "# Steps\n\nFirst read the welcome.\n\nThen turn the crank slowly.\n"
WELCOME = "# Welcome\n\nThis is the handbook. Read the [steps](steps.md).\n"
ANSWERED = STEPS.replace("slowly", "ten times a minute")
ON_THE_TRAIN = f"{ANSWERED}\nWritten on the train.\n"


class Desk:
    """A person before the program, with an editor that writes what they mean to write."""

    def __init__(self, terminal: Terminal, folder: Path) -> None:
        self.terminal = terminal
        self._folder = folder

    def sees(self, *texts: str) -> None:
        self.terminal.wait_for(*texts, patience=PATIENCE)

    def does(self, keys: str, *then_sees: str) -> None:
        """Press keys, and wait for what they lead to."""
        self.terminal.press(keys)
        self.sees(*then_sees)

    def no_longer_sees(self, text: str) -> None:
        self.terminal.wait_until_gone(text, patience=PATIENCE)

    def will_write(self, text: str | None) -> None:
        """Have the editor write a text next, or leave the file as it is given to it."""
        new = self._folder / "new"
        if text is None:
            new.unlink()
        else:
            new.write_text(text, encoding="utf-8")

    @property
    def last_edited(self) -> str:
        """The file as the editor left it last."""
        return (self._folder / "edited").read_text(encoding="utf-8")

    def quits(self) -> None:
        self.terminal.press(QUIT)
        assert self.terminal.wait_for_end(PATIENCE) == 0
        assert b"Traceback" not in self.terminal.written


@contextmanager
def desk(folder: Path, server: Server, token: str) -> Iterator[Desk]:
    folder.mkdir()
    editor = folder / "editor"
    new, edited = folder / "new", folder / "edited"
    editor.write_text(f'#!/bin/sh\n[ -f "{new}" ] && cat "{new}" > "$1"\ncp "$1" "{edited}"\n')
    editor.chmod(0o755)
    variables = environment(folder / "home", RECTO_TOKEN=token, EDITOR=str(editor))
    with Terminal([*RECTO, "--base-url", server.address], environment=variables, columns=120, rows=40) as terminal:
        yield Desk(terminal, folder)


def pages_of(server: Server) -> list[str]:
    """Return the titles of the pages in main of the space “Handbook”, as the platform has them."""
    with httpx.Client(
        base_url=server.address, headers={"Authorization": f"Bearer {TOKEN}"}, timeout=PATIENCE
    ) as client:

        def ask(path: str, field: str) -> list[dict[str, str]]:
            found: list[dict[str, str]] = client.get(path).raise_for_status().json()[field]
            return found

        for organization in ask("/orgs", "items"):
            for space in ask(f"/orgs/{organization['id']}/spaces", "items"):
                if space["title"] == "Handbook":
                    return [page["title"] for page in ask(f"/spaces/{space['id']}/content/pages", "pages")]
    raise AssertionError("there is no such space")


def test_a_day_of_two_people_on_one_workspace(tmp_path: Path) -> None:
    served, port = tmp_path / "server", str(free_port())
    with ExitStack() as people:
        with serving(served, "--port", port, token=TOKEN) as server:
            made = recto(served, "token", "create", "grace@example.org", "--name", "Grace Hopper", "--role", "admin")
            assert made.code == 0, made
            ada = people.enter_context(desk(tmp_path / "ada", server, TOKEN))
            grace = people.enter_context(desk(tmp_path / "grace", server, made.out.strip()))
            write_in_a_new_space(ada, grace)
            review(ada, grace)
            merge_and_take_it_back(ada, server)
            assert server.stop(signal.SIGINT).code == 0
        write_offline(ada)
        with serving(served, "--port", port, token=TOKEN) as server:
            come_back(ada)
            assert pages_of(server) == []
            ada.quits()
            grace.quits()


def write_in_a_new_space(ada: Desk, grace: Desk) -> None:
    ada.sees("There is no documentation here yet.", "keys")
    grace.sees("There is no documentation here yet.", "keys")
    ada.does("a", "New space in")
    ada.does("Handbook" + SEND, "Handbook", "private")
    ada.does(ENTER, "No pages yet.", "writes the first one")

    ada.will_write(STEPS)
    ada.does("a", "New page", "the first page")
    ada.does("Steps" + ENTER, "New change request “Add Steps”")
    ada.does(ENTER, "“Steps” is in #1 “Add Steps”.", "Then turn the crank slowly.")

    ada.will_write(WELCOME)
    ada.does("a", "New page", "after “Steps”")
    # The choice of the change request holds: nothing more is asked.
    ada.does("Welcome" + ENTER, "“Welcome” is in #1 “Add Steps”.", "Read the steps.")

    # The link leads to the other page, in place.
    ada.sees("> links")
    ada.does(">" + ENTER, "╭─ Steps", "Then turn the crank slowly.")
    ada.sees("#1 “Add Steps”")


def review(ada: Desk, grace: Desk) -> None:
    ada.does("2", "◌ draft", "#1 Add Steps")
    ada.does(ENTER, "no reviewers requested", "Your role may merge")
    ada.does(":", "Actions")
    ada.does("request a review", "Request a review")
    ada.does(ENTER, "Request a review from", "Grace Hopper")
    ada.does(ENTER, "Grace Hopper review requested")

    # What Ada made has arrived by itself.
    grace.sees("Handbook")
    grace.does("jj", "Waiting for my review", "#1 Add Steps")
    grace.does("f", "Go to")
    grace.does("Add Steps", "change request")
    grace.does(ENTER, "Before it is merged")
    grace.does("2", "Changed pages", "+ Then turn the crank slowly.")
    go_to_diff(grace)
    grace.does("G", "keys")
    grace.does("c", "Comment on “Steps”", "“Then turn the crank slowly.”")
    grace.does("Say how slowly." + SEND, "Sent the comment “Say how slowly.”", "┃ Say how slowly.")
    grace.does("S", "Submit your review", "Request changes")
    grace.does("j" + ENTER, "Grace Hopper changes requested")

    # The remark arrives, and is answered from the diff.
    ada.sees("Grace Hopper changes requested")
    ada.does("2", "Changed pages", "┃ Say how slowly.")
    go_to_diff(ada)
    ada.does(">", "keys")
    ada.does(ENTER, "on “Steps”: Then turn the crank slowly.", "reply")
    ada.does("c", "Markdown")
    ada.does("Ten times a minute." + SEND, "Replied in the thread on", "Ten times a minute.")
    ada.terminal.press(ESCAPE)
    ada.no_longer_sees("on “Steps”: Then turn the crank slowly.")
    ada.will_write(ANSWERED)
    ada.does("k", "keys")
    ada.does("e", "+ Then turn the crank ten times a minute.")
    ada.does(">" + ENTER, "on “Steps”")
    ada.does("x", "Resolved the thread on")
    ada.terminal.press(ESCAPE)
    ada.no_longer_sees("on “Steps”:")

    # What is read stays as it is until the reader wants to see what has changed.
    grace.sees("resolved", "changed by others: r shows it", "+ Then turn the crank slowly.")
    grace.does("r", "+ Then turn the crank ten times a minute.")
    grace.does("S", "Submit your review")
    grace.does(ENTER, "Grace Hopper approved")


def go_to_diff(person: Desk) -> None:
    """Focus the diff, whose keys then stand in the bottom line."""
    person.terminal.wait_until_still(1.0)
    if "] changes" not in person.terminal.text:
        person.terminal.press("\t")
    person.sees("] changes")


def merge_and_take_it_back(ada: Desk, server: Server) -> None:
    ada.sees("Grace Hopper approved")
    ada.does("M", "Merge #1 Add Steps", "2 pages  +4 -0 lines", "merges it into main")
    ada.does("y", "● merged")
    assert pages_of(server) == ["Steps", "Welcome"]

    ada.does("R", "Revert #1 “Add Steps”", "Steps  is deleted", "Welcome  is deleted")
    ada.does("y", "#2 Revert #1: Add Steps", "◌ draft")
    ada.does("M", "Merge #2", "2 pages  +0 -4 lines")
    ada.does("y", "● merged")
    assert pages_of(server) == []

    ada.does("R", "Revert #2", "Steps  comes back", "Welcome  comes back")
    ada.does("y", "#3 Reapply #1: Add Steps", "◌ draft")
    ada.does("2", "+ Then turn the crank ten times a minute.")


def write_offline(ada: Desk) -> None:
    ada.sees("offline since")
    ada.sees("+ Then turn the crank ten times a minute.")
    ada.will_write(ON_THE_TRAIN)
    ada.does("e", "is kept as a draft")
    assert ada.last_edited == ON_THE_TRAIN


def come_back(ada: Desk) -> None:
    ada.no_longer_sees("offline since")
    ada.will_write(None)
    ada.does("e", "“Steps” is in #3", "+ Written on the train.")
    assert ada.last_edited == ON_THE_TRAIN, "the draft is gone on with: nothing is typed twice"
