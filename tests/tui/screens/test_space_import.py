"""The import of content into a space, as a person asks for it."""

from __future__ import annotations

import asyncio
import sys
import threading
from asyncio.subprocess import PIPE
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot

from recto.contract.import_report import Finding
from recto.server.jobs import Job, JobFailed, JobResult, SpaceReport, Task
from recto.tui.dialogs.confirm import Confirm
from support.folders import write_folder
from support.guide_workspace import Person, guided_app, open_guided, person
from support.screens import all_messages, screen_text, settled, shows, until, until_shown
from support.shell import PATIENCE
from support.web_server import serving
from tui.screens.test_space_export import hosted_program

pytestmark = pytest.mark.slow  # imports run to their end


async def open_form(ada: Person) -> None:
    """Open the guide in English, and in it the form."""
    await ada.find("Guide (F")
    await ada.press("k", "enter", "B")
    assert "The pages are added after those of main" in ada.screen


@pytest.mark.parametrize(
    ("typed", "kept"),
    [
        ("https://ada:s3cret@docs.example.org/wiki", "https://docs.example.org/wiki"),
        ("https://s3cret@docs.example.org/a@b", "https://docs.example.org/a@b"),
        ("https://ada:s3cret", "https://"),
        ("https://docs.example.org:8443", "https://docs.example.org:8443"),
    ],
)
async def test_the_draft_of_the_form_keeps_no_credentials(tmp_path: Path, typed: str, kept: str) -> None:
    async with person(tmp_path) as ada:
        await open_form(ada)
        await ada.type(typed)
        [draft] = ada.store.drafts.find()
        assert "s3cret" not in ada.store.drafts.text(draft)
        await ada.press("escape", "k", "B")
        assert f" {kept} " in ada.screen


async def test_what_is_no_address_after_all_is_refused_and_the_form_stays(tmp_path: Path) -> None:
    async with person(tmp_path) as ada:
        await open_form(ada)
        await ada.type("https://[docs.example.org/guide")
        await ada.press("ctrl+s")
        assert "Import content" in ada.screen
        assert any("Only addresses that begin with" in text for text in all_messages(ada.pilot.app))


async def test_an_import_that_the_person_cancels_is_no_failure(tmp_path: Path) -> None:
    held = threading.Event()
    with serving() as server:
        server.answers["/guide/"] = lambda handler: handler.send(200, b"") if held.wait(PATIENCE) else None
        async with person(tmp_path) as ada:
            await open_form(ada)
            await ada.type(f"{server.address}/guide/")
            await ada.pilot.press("ctrl+s")
            await until(ada.pilot, lambda: bool(server.asked))
            await until_shown(ada.pilot, "It goes on when esc puts this aside")
            await ada.pilot.press("c", "y")
            await until_shown(ada.pilot, "Nothing was changed. You cancelled it.")
            held.set()
            await settled(ada.pilot)
            assert not shows(ada.pilot.app, "Import content") and not shows(ada.pilot.app, "Could not import")


async def test_a_job_of_another_program_is_listed(tmp_path: Path) -> None:
    code = (
        "import sys; from pathlib import Path\n"
        "from recto.server.jobs import Task; from recto.server.platform import Platform\n"
        "def do(job): print('begun', flush=True); sys.stdin.read()\n"
        "Platform.open(Path(sys.argv[1])).jobs.run(Task('import of a website', 'https://docs.example.org/', do))"
    )
    async with person(tmp_path) as ada:
        command = [sys.executable, "-c", code, str(ada.platform.database.path)]
        process = await asyncio.create_subprocess_exec(*command, stdin=PIPE, stdout=PIPE)
        try:
            assert process.stdout is not None and await process.stdout.readline() == b"begun\n"
            await ada.press("ampersand")
            await until_shown(ada.pilot, ": https://docs.example.org/")
            await ada.press("c")
            await until_shown(ada.pilot, "another program runs it")
        finally:
            process.kill()
            await process.communicate()


async def import_typed(pilot: Pilot[None], typed: str) -> None:
    await pilot.press("B")
    await settled(pilot)
    await pilot.press(*typed, "ctrl+s")


def words_of(pilot: Pilot[None]) -> str:
    """Return the words on the screen, however they are wrapped."""
    return " ".join("\n".join(screen_text(pilot.app)).replace("│", " ").split())


async def test_a_folder_is_sent_to_a_change_request_of_a_hosted_platform(tmp_path: Path) -> None:
    files = {
        "SUMMARY.md": "# S\n\n## Part\n\n* [One](one.md)\n* [Two](two.md)\n",
        "one.md": f"# One\n\n![]({'x' * 60}.png)\n",
        "two.md": "# Two\n",
    }
    folder = write_folder(tmp_path / "docs", files)
    async with hosted_program(tmp_path) as (pilot, _):
        await import_typed(pilot, str(folder))
        await until_shown(pilot, "Groups are not sent")
        await pilot.press("n")
        await settled(pilot)
        assert shows(pilot.app, "Import content")
        await pilot.press("ctrl+s")
        await until_shown(pilot, "Groups are not sent")
        assert f"one.md: {'x' * 31}… " in words_of(pilot)
        await pilot.press("y")
        await until_shown(pilot, "Imported 2 pages into change request #1.")
        await pilot.press("ampersand")
        await until_shown(pilot, "2 pages, ")


async def test_a_folder_that_is_sent_is_put_aside_and_cancelled(tmp_path: Path) -> None:
    names = ("README.md", "two/README.md", "two/three/README.md", "two/three/four.md")
    folder = write_folder(tmp_path / "docs", {name: f"# {name}\n" for name in names})
    async with hosted_program(tmp_path) as (pilot, hosted):
        writes: list[str] = []

        def hold_the_second(target: str) -> None:
            writes.extend([target] if target.partition("?")[0].endswith("/content") else [])
            if len(writes) == 2:
                hosted.line.gate.clear()

        hosted.line.before = hold_the_second
        view = pilot.app.screen
        await import_typed(pilot, str(folder))
        await until_shown(pilot, "Sending: 2 of 4")
        await pilot.press("escape")
        await until(pilot, lambda: pilot.app.screen is view)
        await until_shown(pilot, "import 2 of 4")
        await pilot.press("ampersand")
        await until_shown(pilot, "Jobs")
        await until_shown(pilot, "Sending: 2 of 4")
        await pilot.press("c")
        await until(pilot, lambda: isinstance(pilot.app.screen, Confirm))
        await until(pilot, lambda: "2 of 4 pages and files are in change request #1." in words_of(pilot))
        await pilot.press("y")
        await until_shown(pilot, "cancelling")
        # The job and the change that it sends: only then may the write that is under way end.
        await until(pilot, lambda: sum(task.cancelling() > 0 for task in asyncio.all_tasks()) >= 2)
        hosted.line.gate.set()
        await until_shown(pilot, "The import was cancelled. 3 of 4 pages and files are in change request #1.")


async def test_a_file_that_cannot_be_converted_leaves_the_form_as_it_was(tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(b"no document")
    async with hosted_program(tmp_path) as (pilot, _):
        await import_typed(pilot, str(tmp_path / "a.docx"))
        await until_shown(pilot, "a.docx is not a Word document")
        await settled(pilot)
        assert shows(pilot.app, "Import content")


@pytest.mark.parametrize("size", [(80, 24), (160, 48)], ids=["80x24", "160x48"])
def test_the_dialog_of_imports_looks_as_it_did(snap_compare: Any, tmp_path: Path, size: tuple[int, int]) -> None:
    platform = open_guided(tmp_path)
    space = platform.database.read_now(lambda connection: str(connection.value("SELECT min(id) FROM spaces")))
    release = threading.Event()

    def finish(job: Job) -> None:
        left_out = Finding("1 picture or file is named by a page and not there:", ("plan.md: plan.png",))
        report = SpaceReport(space, "https://docs.example.org/guide/", (left_out,))
        job.finish(lambda _: ((), JobResult({"pages": 48, "files": 12, "left out": 1}, [report])))

    def fail(job: Job) -> None:
        raise JobFailed("manual.docx is not a Word document (.docx) that can be read, or is damaged.")

    def go_on(job: Job) -> None:
        job.progress("Converting pages", 40, 120)
        release.wait()

    async def show(pilot: Pilot[None]) -> None:
        await settled(pilot)
        platform.jobs.run(Task("import of a website", "https://docs.example.org/guide/", finish, space))
        with suppress(JobFailed):
            platform.jobs.run(Task("import of a Word document", "/home/ada/manual.docx", fail, space))
        platform.jobs.start(Task("import of an archive", "/home/ada/export.zip", go_on, space))
        await until_shown(pilot, "40 of 120")
        await pilot.press("ampersand")
        await settled(pilot)

    try:
        assert snap_compare(guided_app(platform, tmp_path), terminal_size=size, run_before=show)
    finally:
        release.set()
        platform.close()
