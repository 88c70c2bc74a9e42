"""`recto git`, and opened working trees: what is known of them, named and pushed."""

from __future__ import annotations

import asyncio
import os
import signal
import threading
from dataclasses import replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from recto.cli.main import run
from recto.cli.own_workspace import OwnWorkspace
from recto.client.sender import Sender
from recto.contract.git import ImportGit
from recto.contract.import_report import ImportReport
from recto.server.content.imported_tree import ImportedPage, ImportedTree, append_pages
from recto.server.git.branch_import import import_branch
from recto.server.git.state import find_sync
from recto.server.git.working_tree import read_working_tree
from recto.server.jobs import Task
from recto.server.platform import Platform
from recto.urls import EMBEDDED_ADDRESS
from support.content import make_space
from support.git_server import Clone, GitServer, git, make_bare

BOOK = {"docs/README.md": "# Home\n\nWelcome.\n", "docs/one.md": "# One\n\nFirst.\n", "LICENSE": "MIT\n"}


@pytest.fixture(scope="module")
def handbook(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A working tree whose remote lies on this machine, to be copied."""
    folder = tmp_path_factory.mktemp("handbook")
    found = Clone(folder / "clone", make_bare(folder / "handbook.git"))
    found.commit(BOOK, "Begin")
    git(found.folder, "branch", "-q", "--set-upstream-to", "origin/main")
    return found


@pytest.fixture
def clone(handbook: Clone, tmp_path: Path) -> Clone:
    return handbook.copy(tmp_path / "clone", tmp_path / "handbook.git")


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    return tmp_path / "workspace.recto"


def open_folder(workspace: Path, folder: Path) -> ImportReport:
    platform = Platform.open(workspace)
    try:
        return asyncio.run(OwnWorkspace(platform).import_folder(folder))
    finally:
        platform.close()


def recto(workspace: Path, *arguments: str) -> int:
    return run(["git", *arguments, "--workspace", str(workspace)])


def merge(workspace: Path, space: str, text: str) -> None:
    """Add a page to main."""

    def write(connection: Any) -> None:
        append_pages(platform.context(connection), space, ImportedTree([ImportedPage("new", "New", "new", text=text)]))

    platform = Platform.open(workspace)
    try:
        platform.database.write_now(write)
    finally:
        platform.close()


def test_a_working_tree_is_pulled_and_pushed(clone: Clone, workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    report = open_folder(workspace, clone.folder / "docs")
    assert report.findings == ()
    (space,) = report.spaces
    assert recto(workspace, "push", space.title) == 0
    assert "nothing to push to main" in capsys.readouterr().out
    merge(workspace, space.space, "Written here.\n")
    assert recto(workspace, "push", space.space, "-m", "New page") == 0
    assert clone.log("%s")[0] == "New page" and b"Written here." in clone.show("docs/new.md")
    assert git(clone.folder, "status", "--porcelain") == "" and not (clone.folder / "docs" / "new.md").exists()
    clone.commit({"docs/one.md": "# One\n\nThere.\n"})
    merge(workspace, space.space, "And more.\n")
    assert recto(workspace, "push", space.title) == 1
    assert "Import first, then export again. That is: recto git pull docs" in capsys.readouterr().err
    assert recto(workspace, "pull", space.title) == 0
    assert recto(workspace, "push", space.title) == 0
    assert b"There." in clone.show("docs/one.md")


def test_ctrl_c_cancels_an_import_whose_server_is_silent(
    clone: Clone, workspace: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (space,) = open_folder(workspace, clone.folder / "docs").spaces
    released = threading.Event()

    def interrupt(path: str) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        released.wait(60)

    with GitServer(tmp_path).running() as server:
        server.before = interrupt
        try:
            assert recto(workspace, "pull", space.title, "--url", f"{server.address}/handbook.git") == 130
        finally:
            released.set()
    assert "Cancelled; nothing was changed." in capsys.readouterr().err


@pytest.mark.parametrize("arrives", [True, False])
def test_a_push_of_a_hosted_platform_whose_answer_is_lost_is_looked_for(
    clone: Clone, workspace: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, arrives: bool
) -> None:
    (space,) = open_folder(workspace, clone.folder / "docs").spaces
    merge(workspace, space.space, "Written here.\n")
    platform, ended = Platform.open(workspace), threading.Event()
    platform.jobs.on_change = lambda job: ended.set() if job.ended_at is not None else None

    class Line(httpx.AsyncBaseTransport):
        async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
            is_push = request.url.path.endswith("/git/export")
            if is_push and not arrives:
                raise httpx.ReadError("cut")
            response = await httpx.ASGITransport(platform.application).handle_async_request(request)
            if is_push:
                await asyncio.to_thread(ended.wait, 60)
                raise httpx.ReadError("cut")
            return response

    def connect(*_: object) -> Sender:
        return Sender(EMBEDDED_ADDRESS, platform.token, transport=Line)

    monkeypatch.setattr("recto.cli.git.connect_to", connect)
    place = ("--url", str(clone.bare), "--folder", "docs", "--base-url", "https://docs.example")
    try:
        code = run(["git", "push", "docs", *place])
    finally:
        platform.close()
    said = capsys.readouterr()
    if arrives:
        assert (code, b"Written here." in clone.show("docs/new.md")) == (0, True)
        assert "exports “docs” now" in said.out
    else:
        assert (code, len(clone.log("%H"))) == (1, 1)
        assert "the job has not begun, or still runs. Look whether it is there before you send it again." in said.err


def test_uncommitted_changes_are_named(clone: Clone, workspace: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (clone.folder / "docs" / "one.md").write_text("# One\n\nNot committed.\n")
    (clone.folder / "LICENSE").write_text("Not below docs.\n")
    (clone.folder / ".git" / "info").mkdir()
    (clone.folder / ".git" / "info" / "exclude").write_text("*.log\n")
    for name in ("new.md", "build.log"):
        (clone.folder / "docs" / name).write_text("Not added.\n")
    report = open_folder(workspace, clone.folder / "docs")
    finding = report.findings[-1]
    assert finding.lines == ("docs/one.md", "docs/new.md")
    assert recto(workspace, "push", report.spaces[0].title) == 1
    assert "docs/one.md" in capsys.readouterr().err


def test_a_waiting_import_and_skipped_files_are_reported(
    clone: Clone, workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    platform = Platform.open(workspace)
    space = make_space(platform, [ImportedPage("here", "Here", "here")])
    platform.close()
    (clone.folder / "docs" / "same.md").symlink_to("one.md")
    clone.commit({})
    assert recto(workspace, "pull", space, "--url", str(clone.bare)) == 0
    said = capsys.readouterr().out
    assert "waits in change request #1. Review and merge it:\n  recto:" in said and "docs/same.md: a link" in said
    assert recto(workspace, "pull", space, "--url", str(clone.bare)) == 0
    again = capsys.readouterr().out
    assert again.startswith(f"Commit {clone.log('%H')[0][:8]} waits in change request #1.") and "date" not in again


def test_a_folder_opened_again_keeps_what_is_known_of_its_branch(clone: Clone, workspace: Path) -> None:
    (space,) = open_folder(workspace, clone.folder / "docs").spaces
    known = {"timestamp": "2026-05-02T10:00:00Z", "repoTreeURL": "https://git.example/t/"}
    place = {"url": str(clone.bare), "ref": "refs/heads/main", "repoProjectDirectory": "docs", **known}
    body = ImportGit.model_validate({**place, "repoCommitURL": "https://git.example/c/", "force": True})
    platform = Platform.open(workspace)
    task = Task("import", "docs", lambda job: import_branch(job, space.space, body), space.space)
    platform.jobs.run(task)
    before = platform.database.read_now(lambda connection: find_sync(connection, space.space))
    platform.close()
    assert before is not None and before.blobs
    commit = clone.commit({"docs/one.md": "# One\n\nNews.\n"})
    assert open_folder(workspace, clone.folder / "docs").spaces[0].changed
    platform = Platform.open(workspace)
    after = platform.database.read_now(lambda connection: find_sync(connection, space.space))
    platform.close()
    assert after is not None and after.revision != before.revision
    assert after == replace(before, oid=commit, revision=after.revision, blobs={})


def test_commits_that_are_not_pushed_are_reported(clone: Clone, workspace: Path) -> None:
    git(clone.folder, "commit", "-q", "--allow-empty", "-m", "Here alone")
    report = open_folder(workspace, clone.folder)
    assert [finding.message for finding in report.findings] == [
        "main and its remote branch differ: pull or push it with Git before you import it."
    ]


@pytest.mark.parametrize("directory", ["", ".docs", "docs/.more"])
def test_the_directory_of_a_working_tree_keeps_its_dots(clone: Clone, directory: str) -> None:
    clone.commit({".docs/a.md": "# A\n", "docs/.more/a.md": "# A\n"})
    tree = read_working_tree(clone.folder / directory)
    assert tree is not None and tree.directory == directory


def test_nothing_of_a_repository_is_run(clone: Clone, tmp_path: Path) -> None:
    witness = tmp_path / "ran"
    program = f"touch {witness}"
    for name, value in (
        ("core.fsmonitor", program),
        ("core.sshCommand", program),
        ("filter.evil.clean", program),
        ("filter.evil.smudge", program),
        ("credential.helper", f"!{program}"),
    ):
        git(clone.folder, "config", name, value)
    (clone.folder / ".gitattributes").write_text("* filter=evil\n")
    (clone.folder / "docs" / "one.md").write_text("# Changed\n")
    tree = read_working_tree(clone.folder)
    assert tree is not None and tree.uncommitted == ("docs/one.md", ".gitattributes")
    assert not witness.exists()


def test_a_token_is_not_taken_from_a_command_line(
    clone: Clone, workspace: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    Platform.open(workspace).close()
    assert recto(workspace, "pull", "My", "--url", "https://u:secret@example.org/docs.git") in (1, 2)
    assert "secret" not in capsys.readouterr().err


@pytest.mark.parametrize(
    ("credentials", "given", "said"),
    [
        ("u:s3cret", ("pull", "--branch", "a b"), "ref: must be the full name of a branch, such as refs/heads/main."),
        ("u:s3cret", ("pull", "--url", f"https://example.org/{'x' * 2000}"), "url: must be the address of a"),
        ("u:s3cret", ("pull", "--url", ""), "url: must be the address of a"),
        ("u:s3cret", ("push", "-m", ""), "commit_message: at least 1 character."),
        ("s3cret", ("pull",), "RECTO_GIT_CREDENTIALS needs a user name, a colon and a token."),
    ],
)
def test_what_does_not_fit_is_named_without_credentials(
    clone: Clone,
    workspace: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    credentials: str,
    given: tuple[str, ...],
    said: str,
) -> None:
    open_folder(workspace, clone.folder / "docs")
    monkeypatch.setenv("RECTO_GIT_CREDENTIALS", credentials)
    assert recto(workspace, given[0], "docs", *given[1:]) == 2
    error = capsys.readouterr().err
    assert said in error and "s3cret" not in error


@pytest.mark.parametrize("folder", ["none", "no-remote", "detached"])
def test_what_has_no_remote_branch_is_only_a_folder(tmp_path: Path, clone: Clone, folder: str) -> None:
    if folder == "none":
        assert read_working_tree(tmp_path) is None
    elif folder == "no-remote":
        git(clone.folder, "remote", "remove", "origin")
        assert read_working_tree(clone.folder) is None
    else:
        git(clone.folder, "checkout", "-q", "--detach")
        assert read_working_tree(clone.folder) is None
