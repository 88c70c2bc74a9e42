"""Imports of branches: what becomes of them, and what is refused."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from concurrent.futures import wait
from pathlib import Path
from typing import Any

import pytest

from recto.contract.git import ImportGit
from recto.contract.jobs import JobRecord, JobState
from recto.document.markdown.page_links import References, references
from recto.server.git import commit_folder, repository
from recto.server.git.branch_import import Imported, import_branch
from recto.server.http.problems import Conflict
from recto.server.jobs import JobCancelled, JobFailed, Task
from server.git.conftest import BOOK, MAIN, Importer
from support.content import Desk
from support.git_server import Clone, GitServer, git, stand_in_for_ssh

pytestmark = pytest.mark.slow  # a real Git server

SAMPLES = Path(__file__).parents[4] / "shared" / "samples"


async def test_a_branch_becomes_the_content_of_a_space(importer: Importer, clone: Clone) -> None:
    commit = clone.log("%H")[0]
    imported = importer.run(
        repoCommitURL="https://git.example/docs/commit/", gitInfo={"provider": "gitlab", "url": "x"}
    )
    assert imported.commit == commit and imported.is_new
    assert list(await importer.pages()) == ["Home", "One", "Two"]
    assert "The second page." in await importer.text("Two")
    revision = await importer.get("/content")
    assert revision["git"] == {
        "oid": commit,
        "message": "Begin\n",
        "createdByService": False,
        "url": f"https://git.example/docs/commit/{commit}",
        "ref": MAIN,
    }
    assert "git" not in await importer.get("/content", metadata="false")
    page = (await importer.pages())["Two"]
    oid = git(clone.bare, "rev-parse", "main:sub/two.md").strip()
    assert (await importer.get(f"/content/page/{page}"))["git"] == {"oid": oid, "path": "sub/two.md"}
    assert "git" not in await importer.get(f"/content/page/{page}", metadata="false")
    info = await importer.get("/git/info")
    assert (info["repoName"], info["installationProvider"], info["url"]) == ("docs", "gitlab", "x")
    assert (await importer.get(""))["gitSync"] == info
    importer.run()
    again = await importer.get("/git/info")
    assert (again["installationProvider"], again["url"]) == ("gitlab", "x")


async def test_a_page_keeps_its_id_and_what_did_not_change_its_revision(importer: Importer, clone: Clone) -> None:
    text = '# {0}\n\nThe page.\n\nSee [Two]({1}sub/two.md), ![{0}]({1}x.png) and <img src="{1}x.png">.\n'
    clone.commit({"one.md": text.format("One", "")})
    first = importer.run()
    before = await importer.pages()
    assert importer.run() == Imported(first.revision, first.commit, False)
    moved = {"one.md": None, "new.md": text.format("New", ""), "a/b.md": text.format("One", "../")}
    listed = BOOK["SUMMARY.md"].replace("[One](one.md)", "[New](new.md)\n* [One](a/b.md)")
    clone.commit({**moved, "SUMMARY.md": listed})
    second = importer.run()
    after = await importer.pages()
    assert second.is_new and after.pop("New") not in before.values() and after == before


async def test_what_both_sides_changed_is_merged(importer: Importer, clone: Clone) -> None:
    importer.run()
    await importer.edit("One", "Ours.")
    clone.commit({"sub/two.md": "# Two\n\nTheirs.\n"})
    assert importer.run().change_request is None
    assert "Ours." in await importer.text("One") and "Theirs." in await importer.text("Two")
    clone.commit({"one.md": "# One\n\nTheirs, too.\n"})
    waiting = importer.run().change_request
    request = await importer.get(f"/change-requests/{waiting}")
    assert (request["status"], request["subject"]) == ("open", "Import of main from docs")
    assert "Ours." in await importer.text("One")
    importer.run(force=True)
    assert "Theirs, too." in await importer.text("One")


async def test_pages_that_do_not_come_from_the_branch_wait_in_a_change_request(importer: Importer) -> None:
    await importer.change({"operation": "insert_page", "document": {"markdown": "# Own\n\nOwn words.\n"}})
    waiting = importer.run().change_request
    assert waiting is not None and list(await importer.pages()) == ["Own"]


@pytest.mark.parametrize("decision", ["merged", "archived", "edited"])
async def test_a_waiting_import_is_reported_and_takes_later_commits(
    importer: Importer, clone: Clone, decision: str
) -> None:
    await importer.change({"operation": "insert_page", "document": {"markdown": "# Own\n\nOwn words.\n"}})
    waiting = importer.run().change_request
    again = importer.run()
    assert (again.is_new, again.change_request) == (False, waiting)
    (finding,) = jobs(importer)[0].findings
    assert finding.message == f"Commit {again.commit[:8]} waits in change request #2. Review and merge it:"
    (address,) = finding.lines
    assert address.startswith("recto:") and address.endswith(f"/s/{importer.space}/~/changes/{waiting}")
    if decision == "edited":
        await Desk(importer.ada, importer.space, 2).write(
            {"operation": "insert_page", "document": {"markdown": "# Edited\n"}}
        )
    clone.commit({"one.md": "# One\n\nNews.\n"})
    news = importer.run()
    requests = (await importer.get("/change-requests"))["items"]
    assert news.is_new and list(await importer.pages()) == ["Own"]
    assert (len(requests), news.change_request == waiting) == ((2, False) if decision == "edited" else (1, True))
    path = f"/spaces/{importer.space}/change-requests/{waiting}"
    if decision == "archived":
        await importer.ada.send("PATCH", path, {"status": "archived"})
        said = f"Commit {news.commit[:8]} is not in main: change request #2, where it waited, is archived. Reopen it"
        assert importer.run().findings[0].message.startswith(said)
        clone.commit({"one.md": "# One\n\nMore.\n"})
        assert importer.run().change_request not in (None, waiting)
    else:
        await importer.ada.send("POST", f"{path}/merge")
    if decision == "merged":
        assert "News." in await importer.text("One")
        assert importer.run() == Imported(news.revision, news.commit, False)
    if decision == "edited":
        with pytest.raises(Conflict, match="An import waits in change request #3"):
            importer.export()
        await importer.ada.send("POST", path.replace(str(waiting), str(news.change_request)) + "/merge")
        assert importer.run().findings == ()
        assert "News." in await importer.text("One") and "Edited" in await importer.pages()


async def test_only_new_texts_are_parsed_for_missing_pictures(
    importer: Importer, clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    parsed: list[str] = []

    def parse(text: str) -> References:
        parsed.append(text)
        return references(text)

    monkeypatch.setattr("recto.server.git.branch_import.references", parse)
    clone.commit({"one.md": "# One\n\n![](a.png)\n\n`![](b.png)`\n", "sub/two.md": "# Two\n\n![](c.png)\n"})
    importer.run()
    assert len(parsed) == 2
    clone.commit({"sub/two.md": "# Two\n\n![](d.png)\n"})
    importer.run()
    assert len(parsed) == 3 and "d.png" in parsed[-1]
    clone.commit({"c.png": b"", "README.md": "# Home\n"})
    importer.run()
    named = [line for finding in jobs(importer)[0].findings for line in finding.lines]
    assert len(parsed) == 3 and "one.md: a.png" in named and "sub/two.md: d.png" in named


async def test_a_standalone_import_leaves_main_as_it_is(importer: Importer, clone: Clone) -> None:
    importer.run()
    clone.commit({"one.md": "# One\n\nLater.\n"})
    alone = importer.run(standalone=True)
    assert "The first page." in await importer.text("One")
    page = (await importer.pages())["One"]
    then = await importer.get(f"/revisions/{alone.revision}/page/{page}", format="markdown")
    assert "Later." in then["markdown"]
    assert importer.run().is_new


async def test_only_the_project_directory_is_read(importer: Importer, clone: Clone) -> None:
    clone.commit({"docs/book/README.md": "# Inner\n", "docs/book/a.md": "# A\n"})
    importer.run(repoProjectDirectory="/docs/book/")
    assert set(await importer.pages()) == {"Inner", "A"}
    with pytest.raises(JobFailed, match="no pages in nowhere of docs"):
        importer.run(repoProjectDirectory="nowhere")


async def test_an_event_that_is_older_than_the_last_is_refused(importer: Importer) -> None:
    importer.run(timestamp="2026-05-02T10:00:00Z")
    body = {"url": importer.address, "ref": MAIN, "timestamp": "2026-05-02T09:59:59Z"}
    await importer.ada.send("POST", f"/spaces/{importer.space}/git/import", body, 409)
    body["timestamp"] = "9999-12-31T23:59:59-14:00"
    await importer.ada.send("POST", f"/spaces/{importer.space}/git/import", body, 400)
    importer.run(timestamp="2026-05-02T10:00:00Z")


async def test_links_other_repositories_and_large_storage_are_left_out(
    importer: Importer, clone: Clone, tmp_path: Path
) -> None:
    (clone.folder / "way.md").symlink_to("/etc/passwd")
    pointer = "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 12\n"
    clone.commit({".gitbook/assets/big.png": pointer, ".gitattributes": "*.md filter=evil\n"})
    importer.run()
    record = jobs(importer)[0]
    said = " ".join(line for finding in record.findings for line in finding.lines)
    assert "way.md: a link" in said and "big.png: it is in Git's large file storage" in said


async def test_names_that_lead_elsewhere_on_other_systems_are_left_out_and_stay(
    importer: Importer, clone: Clone
) -> None:
    before = clone.commit({"SUMMARY.md": None, "back\\slash.md": "# Back\n", "sub/c:on.md": "# Colon\n"})
    importer.run()
    said = {line for finding in jobs(importer)[0].findings for line in finding.lines}
    reason = "the name leads to another place on other systems"
    assert {f"back\\slash.md: {reason}", f"sub/c:on.md: {reason}"} <= said
    await importer.edit("One", "Ours.", "Ours")
    importer.export()
    assert git(clone.bare, "diff", "--name-status", before, "main").split() == ["M", "one.md"]


def jobs(importer: Importer) -> list[JobRecord]:
    return importer.platform.database.read_now(
        lambda connection: importer.platform.jobs.find(connection, importer.space)
    )


REFUSED: dict[str, Callable[[Importer], dict[str, Any]]] = {
    "There is no branch gone": lambda importer: {"ref": "refs/heads/gone"},
    "There is no Git repository at": lambda importer: {"url": importer.address.replace("docs", "none")},
    "cannot be reached": lambda importer: {"url": "http://127.0.0.1:9/docs.git"},
}


@pytest.mark.parametrize("words", REFUSED)
async def test_a_missing_repository_or_branch_is_reported(importer: Importer, words: str) -> None:
    with pytest.raises(JobFailed, match=words):
        importer.run(**REFUSED[words](importer))
    assert jobs(importer)[0].state is JobState.FAILED
    await importer.ada.send("GET", f"/spaces/{importer.space}/git/info", None, 404)


NOISE = random.Random(4).randbytes(100_000)
"""A file that cannot be packed, unless as the changes of another."""


@pytest.fixture
def edited(importer: Importer, clone: Clone) -> Importer:
    """An importer whose branch has ten commits since its import, each with a byte more of a file."""
    importer.run()
    for number in range(10):
        clone.commit({"noise.png": NOISE + b"x" * number})
    git(clone.bare, "repack", "-q", "-a", "-d", "-f")
    return importer


async def test_what_changes_unpack_to_counts(edited: Importer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repository, "MAX_EXPANDED_BYTES", 10 * len(NOISE))
    with pytest.raises(JobFailed, match="or unpacks to more than 1 MB"):
        edited.run()
    monkeypatch.setattr(repository, "MAX_EXPANDED_BYTES", 11 * len(NOISE))
    assert edited.run().is_new


async def test_a_file_counts_at_each_of_its_places(
    importer: Importer, clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone.commit({f"{number}.png": NOISE for number in range(20)})
    monkeypatch.setattr(commit_folder, "MAX_EXPANDED_BYTES", 20 * len(NOISE))
    with pytest.raises(JobFailed, match=r"take more than 2 MB\. Import a part"):
        importer.run()
    assert importer.run(repoProjectDirectory="sub").is_new


async def test_the_number_of_objects_is_bounded(edited: Importer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(repository, "MAX_OBJECTS", 29)
    with pytest.raises(JobFailed, match="more than 29 objects that are not here yet"):
        edited.run()
    monkeypatch.setattr(repository, "MAX_OBJECTS", 30)
    assert edited.run().is_new


async def test_an_object_may_begin_at_the_end_of_what_is_read(
    edited: Importer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(repository, "_PIECE", 5)
    assert edited.run().is_new


async def test_a_connection_that_is_cut_changes_nothing(importer: Importer, server: GitServer) -> None:
    server.before = lambda path: 700 if path.endswith("git-upload-pack") else None
    with pytest.raises(JobFailed):
        importer.run()
    assert await importer.pages() == {}
    server.before = lambda path: None
    importer.run()
    assert len(await importer.pages()) == 3


async def test_credentials_are_sent_and_never_shown(
    importer: Importer, server: GitServer, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    server.credentials = ("grace", "pässword/1")
    host = server.address.removeprefix("http://")
    wrong, right = (f"http://grace:{each}@{host}/docs.git" for each in ("wr0ng", "p%C3%A4ssword%2F1"))
    with pytest.raises(JobFailed, match="not accepted") as caught:
        importer.run(url=wrong)
    shown = "https://grace:p%C3%A4ssword%2F1@git.example"
    importer.run(
        url=right,
        repoTreeURL=shown,
        repoCommitURL=shown,
        gitInfo={"provider": "github", "url": f"http://grace:p%C3%A4ssword%2F1@{host}/docs.git"},
    )
    assert (await importer.get("/content"))["git"]["url"].startswith("https://git.example/")
    assert len(await importer.pages()) == 3
    info = await importer.get("/git/info")
    assert info["url"] == importer.address
    said = f"{caught.value} {info} {jobs(importer)} {caplog.text}"
    assert "wr0ng" not in said and "ssword" not in said
    for file in importer.platform.database.path.parent.rglob("*"):
        if file.is_file():
            content = file.read_bytes()
            assert b"wr0ng" not in content and b"ssword%2F1" not in content and "pässword/1".encode() not in content


def test_a_repository_of_this_machine_is_read_where_it_is(importer: Importer, clone: Clone) -> None:
    importer.run(url=str(clone.bare))
    importer.run(url=f"file://{clone.bare}")
    assert not list(importer.platform.database.path.parent.glob("*.git/*"))


async def test_what_is_fetched_is_kept_and_only_news_are_asked_for(
    importer: Importer, clone: Clone, server: GitServer
) -> None:
    importer.run()
    clone.commit({"one.md": "# One\n\nNews.\n"})
    importer.run()
    assert "News." in await importer.text("One")
    (kept,) = importer.platform.database.path.parent.glob("*.git/*")
    assert not list(kept.glob("hooks/*")) and git(kept, "fsck") == ""


def test_ssh_is_for_the_owner_alone_and_asks_nothing(
    importer: Importer, clone: Clone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = stand_in_for_ssh(tmp_path, monkeypatch)
    imported = importer.run(url=f"ssh://git@git.example{clone.bare}")
    assert imported.commit == clone.log("%H")[0]
    assert "-oBatchMode=yes" in given.read_text()
    request = ImportGit(url=f"git@git.example:{clone.bare}", ref=MAIN)
    task = Task("import", "docs", lambda job: import_branch(job, importer.space, request), importer.space)
    with pytest.raises(JobFailed, match="owner's own command line"):
        importer.platform.jobs.run(task, is_local=False)


def test_an_ssh_server_that_is_silent_is_left_when_the_job_is_cancelled(
    importer: Importer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    given = stand_in_for_ssh(tmp_path, monkeypatch)
    ssh = given.with_name("bin") / "ssh"
    ssh.write_text(f"#!/bin/sh\nprintf '000eversion 2\\n'\ntouch {given}\nexec sleep 600\n")
    request = ImportGit(url="git@git.example:docs.git", ref=MAIN)
    task = Task("import", "docs", lambda job: import_branch(job, importer.space, request), importer.space)
    jobs = importer.platform.jobs
    running = jobs.start(task)
    while not given.exists():
        assert not wait([running], 0.05).done
    assert jobs.cancel(importer.platform.database.read_now(jobs.find)[0].id)
    with pytest.raises(JobCancelled):
        running.result()


async def test_five_thousand_pages(importer: Importer, clone: Clone) -> None:
    importer.platform.indexer.close()  # nothing is searched here
    files = {f"part-{number // 100}/page-{number}.md": f"# Page {number}\n\nText {number}.\n" for number in range(5000)}
    summary = "".join(f"* [Page {number}]({path})\n" for number, path in enumerate(files))
    clone.commit({**dict.fromkeys(BOOK, None), **files, "SUMMARY.md": summary})
    assert importer.run().is_new
    before = await importer.pages()
    assert len(before) == 5000
    clone.commit({"part-7/page-712.md": "# Page 712\n\nOther.\n"})
    importer.run()
    assert await importer.pages() == before
    assert importer.export().commits == 0


@pytest.mark.skipif(not SAMPLES.exists(), reason="the samples are not here")
@pytest.mark.parametrize(("sample", "directory"), [("pgsql-tw", ""), ("nso", ""), ("payments-site", "")])
async def test_an_import_of_an_export_changes_nothing(
    importer: Importer, clone: Clone, sample: str, directory: str
) -> None:
    importer.platform.indexer.close()  # nothing is searched here
    folder = SAMPLES / sample
    files = {str(file.relative_to(folder)): file.read_bytes() for file in folder.rglob("*") if file.is_file()}
    commit = clone.commit({**dict.fromkeys(BOOK, None), **files})
    books = sorted({str(file.parent.relative_to(folder)) for file in folder.rglob("SUMMARY.md")})
    place = {"repoProjectDirectory": books[0]} if len(books) > 1 else {}
    first = importer.run(**place)
    assert importer.export(**place).commits == 0
    title = next(title for title in await importer.pages() if not set("[]*_`“”|&<>") & set(title))
    await importer.edit(title, "Edited.", "Edit one page")
    importer.export(**place)
    changed = git(clone.bare, "diff", "--name-only", commit, "main").split()
    assert len(changed) == 1 and clone.log("%s")[0] == "Edit one page", changed
    main = (await importer.get(""))["revision"]
    assert importer.run(**place).revision == main != first.revision


async def test_a_link_out_of_the_documentation_leads_to_the_file_on_the_web(importer: Importer, clone: Clone) -> None:
    text = "# Home\n\n[Code](../src/my%20app.py#L3), [out](../../x.py), [gone](gone.md)\n"
    clone.commit({"docs/README.md": text, "docs/SUMMARY.md": "* [Home](README.md)\n", "src/my app.py": "pass\n"})
    importer.run(repoProjectDirectory="docs")
    before = await importer.get("/links")
    assert before["stats"]["broken"]["total"] == 3
    for tree_url in ({"repoTreeURL": "https://git.example/tree/main/"}, {}):
        importer.run(repoProjectDirectory="docs", **tree_url)
        links = await importer.get("/links")
        assert links["stats"]["broken"]["total"] == 2
        (code,) = [each["targetReference"] for each in links["items"] if each["status"] == "ok"]
        assert (code["url"], code["anchor"]) == ("https://git.example/tree/main/src/my%20app.py", "L3")


async def test_the_address_of_commits_is_kept(importer: Importer, clone: Clone) -> None:
    importer.run(repoCommitURL="https://git.example/c/")
    await importer.edit("One", "Better.")
    importer.export()
    commit = clone.log("%H")[0]
    assert (await importer.get("/content"))["git"]["url"] == f"https://git.example/c/{commit}"


async def test_another_branch_waits_with_its_own_changes_alone(importer: Importer, clone: Clone) -> None:
    importer.run()
    await importer.edit("One", "Ours.", "Ours")
    git(clone.folder, "push", "-q", "origin", "main:docs")
    clone.commit({"sub/two.md": "# Two\n\nTheirs.\n"})
    git(clone.bare, "update-ref", "refs/heads/docs", "main")
    waiting = importer.run(ref="refs/heads/docs").change_request
    assert waiting is not None and "second" in await importer.text("Two")
    await importer.ada.send("POST", f"/spaces/{importer.space}/change-requests/{waiting}/merge")
    assert "Theirs." in await importer.text("Two") and "Ours." in await importer.text("One")


@pytest.mark.parametrize("way", ["http", "local"])
async def test_history_that_was_rewritten_waits_to_be_looked_at(importer: Importer, clone: Clone, way: str) -> None:
    importer.address = str(clone.bare) if way == "local" else importer.address
    clone.commit({"notes.txt": "More.\n"})
    first = importer.run().commit
    await importer.edit("One", "Ours.", "Ours")
    pushed = importer.export().commit
    git(clone.bare, "update-ref", MAIN, first)
    clone.commit({"sub/two.md": "# Two\n\nTheirs.\n"})
    imported = importer.run()
    assert imported.change_request is not None and "Ours." in await importer.text("One")
    assert imported.findings[0].message == f"The history of main was rewritten without commit {pushed[:8]}."
    assert jobs(importer)[0].findings[: len(imported.findings)] == imported.findings
    await importer.ada.send("POST", f"/spaces/{importer.space}/change-requests/{imported.change_request}/merge")
    assert "first" in await importer.text("One") and "Theirs." in await importer.text("Two")
    assert importer.export().commits == 0
    clone.commit({"one.md": "# One\n\nNews.\n"})
    assert importer.run().change_request is None and "News." in await importer.text("One")


async def test_what_is_not_known_of_history_is_not_taken_for_rewritten(importer: Importer, clone: Clone) -> None:
    importer.run()
    shutil.rmtree(importer.platform.database.path.with_name("workspace.recto.git"))
    for number in range(2):
        clone.commit({"one.md": f"# One\n\nNews {number}.\n"})
    assert importer.run().change_request is None and "News 1." in await importer.text("One")
