"""Exports to branches: the commits that they make, and when they are refused."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from recto.contract.jobs import JobState
from recto.server.git.branch_import import Imported
from recto.server.git.remotes import GitError, MovedOnError
from recto.server.http.problems import Conflict
from recto.server.jobs import JobFailed
from recto.server.platform import Platform
from server.git.conftest import BOOK, MAIN, Importer
from support.content import Desk
from support.git_server import Clone, GitServer, SshServer, git
from support.platform import Speaker, join, own_organization

pytestmark = pytest.mark.slow  # a real Git server

TWO = "# Two\r\n\r\nThe *second*   page.\r\n"


async def test_each_merge_becomes_a_commit_of_who_merged(importer: Importer, clone: Clone, platform: Platform) -> None:
    first = clone.commit({"sub/two.md": TWO, ".gitignore": "*.tmp\n"}, "Windows")
    importer.run()
    grace = Speaker(platform, join(platform, own_organization(platform), "Grace <Hopper>", "review"))
    await importer.edit("One", "Better.", "Say it better", grace)
    await importer.edit("Home", "Welcome back.", "Greet")
    exported = importer.export(repoCommitURL="https://git.example/c")
    assert exported.commits == 2
    assert clone.log("%an|%s|%b") == [
        "Ada Lovelace|Greet|From Recto",
        "",
        "Grace Hopper|Say it better|From Recto",
        "",
        "Grace Hopper|Windows|",
        "Grace Hopper|Begin|",
    ]
    assert git(clone.bare, "diff", "--name-only", first, "main").split() == ["README.md", "one.md"]
    assert clone.show("README.md") == b"---\ndescription: The start\n---\n\n# Home\n\nWelcome back.\n"
    assert clone.show("sub/two.md") == TWO.encode()
    assert git(clone.bare, "fsck", "--strict") == ""
    revision = await importer.get("/content")
    assert revision["git"]["oid"] == exported.commit and revision["git"]["createdByService"] is True
    assert revision["git"]["url"] == f"https://git.example/c/{exported.commit}"
    before = await importer.pages()
    page = await importer.get(f"/content/page/{before['One']}")
    assert page["git"]["oid"] == git(clone.bare, "rev-parse", "main:one.md").strip()
    assert importer.run() == Imported(revision["id"], exported.commit, False)
    assert (await importer.get(""))["revision"] == revision["id"] and await importer.pages() == before
    assert importer.export().commits == 0


async def test_a_subject_is_one_line_of_the_message(importer: Importer, clone: Clone) -> None:
    importer.run()
    await importer.edit("One", "Better.", "Say\x1b[31m it\nSigned-off-by: Grace\n\nbetter")
    importer.export()
    assert git(clone.bare, "log", "-1", "--format=%B", "main").split("\n")[:3] == [
        "Say␛[31m it Signed-off-by: Grace better",
        "",
        "From Recto",
    ]


async def test_a_new_page_keeps_its_id_through_the_branch(importer: Importer, clone: Clone) -> None:
    importer.run()
    await importer.change({"operation": "insert_page", "document": {"markdown": "# New page\n\nHello.\n"}})
    importer.export()
    before = await importer.pages()
    assert "New page" in clone.show("SUMMARY.md").decode()
    clone.commit({"one.md": "# One\n\nFrom Git.\n"})
    importer.run()
    assert await importer.pages() == before and "From Git." in await importer.text("One")


async def test_a_new_page_replaces_nothing_that_was_not_imported(importer: Importer, clone: Clone) -> None:
    (clone.folder / "way.md").symlink_to("one.md")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n"
    before = clone.commit({"stored.md": pointer, "huge.md": "x" * 4_000_001})
    importer.run()
    for title in ("Way", "Stored", "Huge"):
        await importer.change({"operation": "insert_page", "document": {"markdown": f"# {title}\n\nHello.\n"}})
    importer.export()
    changed = git(clone.bare, "diff", "--name-status", before, "main").split()
    assert changed == ["M", "SUMMARY.md", *("A", "huge-2.md"), *("A", "stored-2.md"), *("A", "way-2.md")]


async def test_a_branch_that_moved_on_is_imported_first(importer: Importer, clone: Clone) -> None:
    importer.run()
    await importer.edit("One", "Ours.", "Ours")
    await importer.edit("Home", "Ours, too.", "Ours, too")
    there = clone.commit({"sub/two.md": "# Two\n\nTheirs.\n"}, "Theirs")
    body = {"url": importer.address, "ref": MAIN, "commitMessage": "From Recto"}
    with pytest.raises(MovedOnError):
        importer.export()
    await importer.ada.send("POST", f"/spaces/{importer.space}/git/export", body, 409)
    assert clone.log("%H")[0] == there
    importer.run()
    importer.export()
    assert clone.log("%s") == ["Ours, too", "Ours", "Theirs", "Begin"]
    assert b"Theirs." in clone.show("sub/two.md") and b"Ours." in clone.show("one.md")


RENAMED = {
    "one.md": None,
    "first.md": BOOK["one.md"],
    "README.md": BOOK["README.md"] + "\nSee [One](first.md).\n",
    "SUMMARY.md": BOOK["SUMMARY.md"].replace("one.md", "first.md"),
}
"""The page *One* in another file, as ``git mv`` and a careful writer leave it."""


async def edit_around_import(importer: Importer, titles: tuple[str, ...], *, is_merged_later: bool) -> None:
    """Edit pages in a change request each, import the branch, and merge them before or after that."""
    desks = []
    for title in titles:
        desk = await Desk.open(importer.ada, importer.space, f"Edit {title}")
        await desk.edit((await importer.pages())[title], f"# {title}\n\nOurs.\n")
        desks.append(desk)
    for desk in () if is_merged_later else desks:
        await desk.merge()
    importer.run()
    for desk in desks if is_merged_later else ():
        await desk.merge()


@pytest.mark.parametrize("is_merged_later", [False, True])
async def test_a_file_that_was_renamed_in_git_stays_renamed(
    importer: Importer, clone: Clone, is_merged_later: bool
) -> None:
    importer.run()
    clone.commit(RENAMED, "Rename")
    await edit_around_import(importer, ("One", "Two"), is_merged_later=is_merged_later)
    importer.export()
    assert clone.log("%s") == ["Edit Two", "Edit One", "Rename", "Begin"]
    changed = git(clone.bare, "diff", "--name-status", "main~2", "main").split()
    assert changed == ["M", "first.md", "M", "sub/two.md"]
    before = await importer.pages()
    clone.commit({"notes.txt": "Others.\n"})
    importer.run()
    assert await importer.pages() == before and "Ours." in await importer.text("One")


@pytest.mark.parametrize("is_merged_later", [False, True])
@pytest.mark.parametrize("has_summary", [False, True])
async def test_a_folder_that_was_renamed_in_git_stays_renamed(
    importer: Importer, clone: Clone, is_merged_later: bool, has_summary: bool
) -> None:
    summary = BOOK["SUMMARY.md"] if has_summary else None
    clone.commit({"SUMMARY.md": summary})
    importer.run()
    moved = {"sub/two.md": None, "parts/two.md": BOOK["sub/two.md"]}
    clone.commit({**moved, **({"SUMMARY.md": summary.replace("sub/", "parts/")} if summary else {})}, "Rename")
    await edit_around_import(importer, ("Home", "One"), is_merged_later=is_merged_later)
    importer.export()
    assert clone.log("%s")[:3] == ["Edit One", "Edit Home", "Rename"]
    assert git(clone.bare, "diff", "--name-status", "main~2", "main").split() == ["M", "README.md", "M", "one.md"]
    assert importer.run().is_new is False and importer.export().commits == 0


async def test_force_has_the_space_win(importer: Importer, clone: Clone) -> None:
    importer.run()
    await importer.edit("One", "Ours.")
    there = clone.commit({"one.md": "# One\n\nTheirs.\n", "extra.txt": "Kept.\n"})
    importer.export(force=True)
    assert b"Ours." in clone.show("one.md") and clone.show("extra.txt") == b"Kept.\n"
    assert clone.log("%H %P")[0].endswith(there)


async def test_an_import_that_waits_is_merged_or_archived_first(importer: Importer, clone: Clone) -> None:
    importer.run()
    await importer.edit("One", "Ours.")
    clone.commit({"one.md": "# One\n\nTheirs.\n"})
    waiting = importer.run().change_request
    for ref in (MAIN, "refs/heads/new"):
        with pytest.raises(Conflict, match="if you archive it, the export undoes those changes"):
            importer.export(ref=ref)
    await importer.ada.send("PATCH", f"/spaces/{importer.space}/change-requests/{waiting}", {"status": "archived"})
    (finding,) = importer.export().findings
    assert finding.message.startswith("The export undid changes of others in the branch: change request #2, where")
    assert b"Ours." in clone.show("one.md")
    await importer.edit("Two", "Ours.")
    assert importer.export().findings == ()


async def test_a_push_that_comes_second_changes_nothing(importer: Importer, clone: Clone, server: GitServer) -> None:
    importer.run()
    await importer.edit("One", "Ours.")
    raced: list[str] = []

    def race(path: str) -> int | None:
        if path.endswith("git-receive-pack") and "service" not in path and not raced:
            raced.append(clone.commit({"one.md": "# One\n\nFaster.\n"}))
        return None

    server.before = race
    with pytest.raises(MovedOnError):
        importer.export()
    assert clone.log("%H")[0] == raced[0]
    assert "git" not in await importer.get("/content")
    importer.run()


async def test_a_space_begins_a_repository(importer: Importer, server: GitServer, tmp_path: Path) -> None:
    bare = server.make("new.git")
    importer.run()
    importer.export(url=f"{server.address}/new.git", repoProjectDirectory="docs")
    assert git(bare, "log", "--format=%s", "main").split("\n")[0] == "From Recto"
    assert {f"docs/{path}" for path in BOOK} <= set(git(bare, "ls-tree", "-r", "--name-only", "main").split())


def test_a_branch_that_is_not_ours_is_refused(importer: Importer) -> None:
    with pytest.raises(MovedOnError):
        importer.export()


async def test_a_branch_that_is_gone_is_made_again_with_force_alone(importer: Importer, clone: Clone) -> None:
    importer.run()
    git(clone.bare, "branch", "-m", "main", "other")
    await importer.edit("One", "Ours.", "Ours")
    for step in (importer.export, importer.run):
        with pytest.raises(GitError, match=r"The branch main is gone from docs\..*with force"):
            step()
    assert importer.export(force=True).is_new_branch
    assert clone.log("%s") == ["Ours", "Begin"]


@pytest.mark.parametrize("way", ["http", "local", "fetched again"])
async def test_a_new_branch_begins_at_the_commit_that_was_imported(importer: Importer, clone: Clone, way: str) -> None:
    (clone.folder / "run.sh").write_text("#!/bin/sh\n")
    (clone.folder / "run.sh").chmod(0o755)
    (clone.folder / "same.md").symlink_to("one.md")
    begin = clone.commit({".hidden": "x\n"})
    importer.address = str(clone.bare) if way == "local" else importer.address
    importer.run()
    await importer.edit("One", "Ours.", "Ours")
    if way == "fetched again":
        shutil.rmtree(importer.platform.database.path.with_name("workspace.recto.git"))
    assert (exported := importer.export(ref="refs/heads/docs")).is_new_branch and exported.commits == 1
    assert clone.log("%s", "docs") == ["Ours", *clone.log("%s")]
    assert git(clone.bare, "diff", "--name-status", begin, "docs").split() == ["M", "one.md"]
    same = importer.export(ref="refs/heads/same")
    assert (same.is_new_branch, same.commits, same.commit) == (True, 0, exported.commit)
    assert importer.run(ref="refs/heads/same").is_new is False


async def test_a_new_branch_does_not_begin_at_a_commit_that_is_lost(importer: Importer, clone: Clone) -> None:
    importer.run()
    await importer.edit("One", "Ours.", "Ours")
    clone.commit({"one.md": "# One\n\nTheirs.\n"})
    shutil.rmtree(importer.platform.database.path.with_name("workspace.recto.git"))
    with pytest.raises(GitError, match="can no longer be found"):
        importer.export(ref="refs/heads/docs")
    assert "docs" not in git(clone.bare, "branch")


@pytest.mark.filterwarnings("ignore:unclosed Protocol")  # dulwich closes only then what was refused at once
async def test_a_real_ssh_server(
    importer: Importer, clone: Clone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = SshServer(tmp_path / "ssh", monkeypatch)
    importer.address = server.address(clone.bare)
    importer.run()
    await importer.edit("One", "Ours.", "Ours")
    importer.export()
    assert clone.log("%s") == ["Ours", "Begin"] and b"Ours." in clone.show("one.md")
    await importer.edit("One", "Ours again.")
    clone.commit({"one.md": "# One\n\nTheirs.\n"})
    with pytest.raises(MovedOnError):
        importer.export()
    with pytest.raises(GitError, match="no branch gone"):
        importer.run(ref="refs/heads/gone")
    server.allowed.write_text("")
    with pytest.raises(GitError, match=r"git\.example failed: .*Permission denied \(publickey\)\. Give a key"):
        importer.run()
    server.known.write_text("")
    with pytest.raises(GitError, match=r"Host key verification failed\. Connect to it once"):
        importer.run()


def test_the_branch_that_a_folder_has_checked_out_is_not_pushed_to(importer: Importer, clone: Clone) -> None:
    importer.run(url=str(clone.folder))
    with pytest.raises(GitError, match="checked out"):
        importer.export(url=str(clone.folder))


@pytest.mark.parametrize("is_linked_to_bare", [False, True])
def test_nor_is_that_of_a_linked_folder_nor_from_there(
    importer: Importer, clone: Clone, tmp_path: Path, is_linked_to_bare: bool
) -> None:
    top, linked = clone.bare if is_linked_to_bare else clone.folder, tmp_path / "linked"
    git(top, "worktree", "add", "-q", "-b", "docs", str(linked))
    folders = [(str(top), "docs"), (str(linked), "docs"), *([] if is_linked_to_bare else [(str(linked), "main")])]
    importer.run(url=str(top))
    for url, branch in folders:
        with pytest.raises(GitError, match=f"checked out in {linked if branch == 'docs' else top}, "):
            importer.export(url=url, ref=f"refs/heads/{branch}")
    shutil.rmtree(linked)
    assert importer.export(url=str(top), ref="refs/heads/docs").commits == 0


async def test_a_server_that_takes_no_push_is_quoted(importer: Importer, clone: Clone) -> None:
    importer.run()
    await importer.edit("One", "Ours.")
    hook = clone.bare / "hooks" / "pre-receive"
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\necho 'The main branch is protected.' >&2\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(GitError, match="refused the push"):
        importer.export()
    assert importer.run().is_new is False


def lose_answers(server: GitServer, *, and_the_server: bool = False) -> None:
    """Cut the answers to pushes off once they have been carried out, and, if asked, refuse everything from then on."""

    def cut(path: str) -> int | None:
        if not path.endswith("/git-receive-pack"):
            return None
        if and_the_server:
            server.credentials = ("nobody", "nothing")
        return 0

    server.before = cut


async def test_a_push_that_is_sent_is_no_longer_cancelled(importer: Importer, clone: Clone, server: GitServer) -> None:
    importer.run()
    await importer.edit("One", "Ours.", "Ours")
    jobs, database = importer.platform.jobs, importer.platform.database

    def cancel(path: str) -> None:
        if path.endswith("/git-receive-pack"):
            assert jobs.cancel(database.read_now(jobs.find)[0].id)

    server.before = cancel
    assert importer.export().commits == 1 and clone.log("%s") == ["Ours", "Begin"]
    assert database.read_now(jobs.find)[0].state is JobState.FINISHED


async def test_a_push_whose_answer_is_lost_is_looked_for(importer: Importer, clone: Clone, server: GitServer) -> None:
    importer.run()
    await importer.edit("One", "Ours.", "Ours")
    lose_answers(server)
    exported = importer.export()
    assert exported.commits == 1 and clone.log("%H")[0] == exported.commit
    assert (await importer.get("/content"))["git"]["oid"] == exported.commit
    assert importer.export().commits == 0


@pytest.mark.parametrize("step", ["export", "import"])
async def test_a_push_that_has_arrived_is_known_again(
    importer: Importer, clone: Clone, server: GitServer, step: str
) -> None:
    importer.run()
    await importer.change({"operation": "insert_page", "document": {"markdown": "# New page\n\nHello.\n"}})
    before = await importer.pages()
    lose_answers(server, and_the_server=True)
    with pytest.raises(JobFailed, match="broke"):
        importer.export()
    assert clone.log("%s") == ["A change", "Begin"]
    server.credentials, server.before = None, lambda path: None
    if step == "export":
        assert importer.export().commits == 0
    else:
        assert importer.run().is_new is False
    revision = await importer.get("/content")
    assert revision["git"]["oid"] == clone.log("%H")[0] and await importer.pages() == before
    await importer.edit("One", "Ours.", "Ours")
    importer.export()
    assert clone.log("%s") == ["Ours", "A change", "Begin"]


async def test_a_push_that_has_not_arrived_is_made_again(importer: Importer, clone: Clone) -> None:
    importer.run()
    await importer.edit("One", "Ours.", "Ours")
    hook = clone.bare / "hooks" / "pre-receive"
    hook.parent.mkdir()
    hook.write_text("#!/bin/sh\nexit 1\n")
    hook.chmod(0o755)
    with pytest.raises(GitError):
        importer.export()
    hook.unlink()
    assert importer.export().commits == 1 and clone.log("%s") == ["Ours", "Begin"]


async def test_a_repository_with_a_new_address_is_known_by_its_commit(importer: Importer, clone: Clone) -> None:
    importer.run()
    await importer.edit("One", "Ours.", "Ours")
    importer.export()
    await importer.edit("One", "Ours again.", "Ours again")
    importer.address = str(clone.bare)
    assert importer.run().is_new is False
    assert importer.export().commits == 1
    assert clone.log("%s") == ["Ours again", "Ours", "Begin"] and "Ours again." in await importer.text("One")


async def test_what_is_known_of_a_branch_is_kept_while_another_is_used(importer: Importer, clone: Clone) -> None:
    importer.run()
    git(clone.bare, "branch", "docs", "main")
    await importer.change({"operation": "insert_page", "document": {"markdown": "# New page\n\nHello.\n"}})
    before = await importer.pages()
    docs = "refs/heads/docs"
    assert importer.export(ref=docs).commits == 1 and importer.run(ref=docs).is_new is False
    assert importer.run().is_new is False
    git(clone.bare, "update-ref", MAIN, docs)
    assert importer.run().is_new is False and await importer.pages() == before
    await importer.edit("One", "Ours.", "Ours")
    assert importer.export().commits == 1 and importer.export(ref=docs).commits == 1
    clone.commit({"sub/two.md": "# Two\n\nTheirs.\n"})
    assert importer.run().change_request is None and "Theirs." in await importer.text("Two")


async def test_a_branch_that_was_taken_back_is_not_pushed_to(importer: Importer, clone: Clone) -> None:
    first = importer.run().commit
    git(clone.bare, "branch", "docs", first)
    importer.run(ref="refs/heads/docs")
    await importer.edit("One", "Ours.", "Ours")
    importer.export()
    git(clone.bare, "update-ref", MAIN, first)
    with pytest.raises(MovedOnError):
        importer.export()
