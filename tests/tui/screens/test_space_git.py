"""Git, as a person uses it in a space."""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path

import pytest

from recto.server.jobs import JobResult, Task
from recto.server.platform import Platform
from support.git_server import Clone, GitServer, git
from support.guide_workspace import Person, person
from support.repositories import make_repository
from support.screens import PATIENCE, until, until_shown
from tui.screens.test_space_export import has_said

pytestmark = pytest.mark.slow  # a real Git server


def done_elsewhere(platform: Platform) -> Task[None]:
    """Return a job of another space, which is over at once."""
    spaces = "SELECT id FROM spaces WHERE title = 'Changelog'"
    space = platform.database.read_now(lambda connection: connection.value(spaces))
    return Task("import", "a folder", lambda job: job.finish(lambda _: (None, JobResult({}))), space)


async def test_an_address_that_is_refused_at_once_keeps_the_form(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        await ada.press("f")
        await ada.paste("Changelog")
        await ada.press("enter")
        await ada.press("I")
        await ada.paste("ext::cat main")
        await ada.press("ctrl+s")
        assert "ext::cat main" in ada.screen
        assert "url: addresses of that form would run a" in ada.screen


async def until_refused(ada: Person, text: str) -> None:
    """Wait for a refusal, which a person is told."""
    deadline = time.monotonic() + PATIENCE
    while not has_said(ada, text):
        assert time.monotonic() < deadline, ada.screen
        await ada.pilot.pause(0.01)


async def test_forms_remember_all_but_secrets_and_a_waiting_import_is_reported(tmp_path: Path) -> None:
    bare = make_repository(tmp_path / "docs.git", {"README.md": "# Home\n\nWelcome.\n"})
    async with person(tmp_path) as ada:
        await ada.press("f")
        await ada.paste("Changelog")
        await ada.press("enter", "I")
        await until_shown(ada.pilot, "Repository")
        await ada.paste(str(bare))
        for _ in range(2):
            await ada.pilot.press("ctrl+s")
            await until_shown(ada.pilot, "Import finished")
            assert "waits in change request #1. Review and merge it:" in " ".join(ada.screen.replace("│", " ").split())
            await ada.press("escape", "I")
            await until_shown(ada.pilot, "Repository")
        await ada.press("escape", "X")
        await until_shown(ada.pilot, "Overwrite the branch")
        await ada.press("tab", "tab", "tab")
        await ada.type(" once")
        await ada.pilot.press("ctrl+s")
        await until_refused(ada, "An import waits in change request #1")
        assert not has_said(ada, "Refresh, look at what changed")
    async with person(tmp_path) as ada:
        await ada.press("f")
        await ada.paste("Changelog")
        await ada.press("enter", "X")
        await until_shown(ada.pilot, "Update from Recto once")
        await ada.press("tab", "tab", "tab", "tab", "space")
        await ada.pilot.press("ctrl+s")
        await until(ada.pilot, lambda: has_said(ada, "Exported to main."))
        await ada.press("X")
        await until_shown(ada.pilot, "● on")
        await ada.press("tab", "tab", "tab", "tab", "space")
        await ada.pilot.press("ctrl+s")
        await until(ada.pilot, lambda: has_said(ada, "main has all of “Changelog” already."))
        await ada.press("I")
        await until_shown(ada.pilot, "Repository")
        await ada.press("ctrl+u")
        await ada.paste("ftp://ada:s3cret@example.org/docs.git")
        await ada.pilot.press("ctrl+s")
        await until_refused(ada, "url: ")
        assert ada.store.locations is not None
        ada.store.locations.flush()
    kept = (tmp_path / "places.json").read_text()
    assert "ftp://example.org/docs.git" in kept and "s3cret" not in kept


async def test_an_export_says_what_it_undoes(tmp_path: Path) -> None:
    bare = make_repository(tmp_path / "docs.git", {"README.md": "# Home\n\nWelcome.\n"})
    async with person(tmp_path) as ada:
        await ada.press("f")
        await ada.paste("Changelog")
        await ada.press("enter", "I")
        await until_shown(ada.pilot, "Repository")
        await ada.paste(str(bare))
        await ada.pilot.press("ctrl+s")
        await until_shown(ada.pilot, "Import finished")
        archived = "UPDATE change_requests SET status = 'archived' WHERE subject = 'Import of main from docs'"
        ada.platform.database.write_now(lambda connection: connection.execute(archived))
        await ada.press("escape", "X")
        await until_shown(ada.pilot, "Overwrite the branch")
        await ada.pilot.press("ctrl+s")
        await until_shown(ada.pilot, "Export finished")
        assert "The export undid changes of others in the branch" in ada.screen


async def test_an_import_from_git_is_put_aside_and_cancelled(tmp_path: Path) -> None:
    released = threading.Event()
    with GitServer(tmp_path).running() as server:
        clone = Clone(tmp_path / "clone", server.make("docs.git"))
        clone.commit({"README.md": "# Home\n\nWelcome.\n"})
        git(clone.folder, "remote", "set-url", "origin", f"{server.address}/docs.git")

        def hold(path: str) -> None:
            released.wait(60)

        server.before = hold
        async with person(tmp_path) as ada:
            await ada.press("b")
            await ada.paste(str(clone.folder))
            await ada.press("enter")
            (clone.folder / "README.md").write_text("# Edited\n")
            await ada.press("I")
            shown = " ".join(ada.screen.replace("│", " ").split())
            assert "1 file differs from the last commit: README.md." in shown
            assert "synchronized just now" in shown
            await ada.pilot.press("ctrl+s")
            try:
                await until_shown(ada.pilot, "It goes on when esc puts this aside")
                await ada.pilot.press("escape")
                await until(ada.pilot, lambda: "Jobs" not in ada.screen)
                assert "import" in ada.screen.splitlines()[0]
                await ada.pilot.press("ampersand")
                await until_shown(ada.pilot, "It goes on when esc puts this aside")
                await ada.pilot.press("c")
                await until_shown(ada.pilot, "Cancel the import from Git")
                await asyncio.to_thread(ada.platform.jobs.run, done_elsewhere(ada.platform))
                await ada.pilot.press("y")
                await until_shown(ada.pilot, "Nothing was changed. You cancelled it.")
            finally:
                released.set()
