from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recto.server.content.objects import load_blob
from recto.server.content.revisions import content_of, main_revision, tree_of
from recto.server.exchange import FolderError, export_folder, folder_import, import_folder, storing
from recto.server.http.problems import Forbidden, NotFound
from recto.server.jobs import Job, JobCancelled
from recto.server.platform import Platform
from recto.server.spaces.removal import sweep_content
from support.content import Desk, titles
from support.folders import write_folder
from support.platform import FrozenClock, Speaker, join

BOOK = {
    "SUMMARY.md": "* [Home](README.md)\n\n## Group\n\n* [One](one.md)\n  * [Two](sub/two.md)\n"
    "* [Away](https://example.org)\n",
    "README.md": "---\ndescription: The start\ncover: .gitbook/assets/cover.png\nx-own: kept\n---\n\n"
    "# Home\n\nWelcome.\n",
    "one.md": "# One\n\nThe first page.\n",
    "sub/two.md": "# Two\n\nThe second page.\n",
    ".gitbook/assets/cover.png": "picture",
    ".gitbook/includes/note.md": "A note.\n",
    ".gitbook/vars.yaml": "product: Recto\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    top = tmp_path / "manual"
    write_folder(top, BOOK)
    return top


def count_all(platform: Platform, *tables: str) -> dict[str, int]:
    return platform.database.read_now(
        lambda connection: {table: connection.value(f"SELECT count(*) FROM {table}") for table in tables}
    )


def pages(platform: Platform, space: str) -> dict[str, tuple[str, str]]:
    """The id and the revised moment of each page, by its file or else its title."""

    def look(connection: Any) -> dict[str, tuple[str, str]]:
        nodes = tree_of(connection, main_revision(connection, space)).root.walk()
        return {node.attributes.get("git", {}).get("path", node.title): (node.id, node.updated) for node in nodes}

    return platform.database.read_now(look)


async def test_a_folder_becomes_a_space(platform: Platform, ada: Speaker, organization: str, folder: Path) -> None:
    brought = import_folder(platform, folder)
    (book,) = brought.spaces
    assert (brought.organization, brought.site, (*brought.findings, *book.findings)) == (organization, None, ())
    assert (book.title, book.pages, book.created, book.changed) == ("manual", 3, True, True)
    content = await ada.get(f"/spaces/{book.space}/content")
    assert titles(content["pages"]) == ["Home", ("Group", [("One", ["Two"]), "Away"])]
    home, group = content["pages"]
    assert (home["description"], home["path"], home["git"]) == ("The start", "readme", {"oid": "", "path": "README.md"})
    assert home["cover"]["ref"] == {"kind": "file", "file": content["files"][0]["id"]}
    assert (group["type"], group["pages"][0]["pages"][0]["path"]) == ("group", "group/one/two")
    assert group["pages"][1]["target"] == {"kind": "url", "url": "https://example.org"}
    assert content["variables"] == {"product": "Recto"}
    assert [each["title"] for each in content["reusableContents"]] == ["note"]
    page = await ada.get(f"/spaces/{book.space}/content/page/{home['id']}", format="markdown")
    assert page["markdown"] == "# Home\n\nWelcome.\n"
    found = await ada.get(f"/spaces/{book.space}/search", query="second")
    assert [hit["title"] for hit in found["items"]] == ["Two"]


def test_siblings_have_slugs_of_their_own(platform: Platform, tmp_path: Path) -> None:
    write_folder(tmp_path / "book", {f"{name}/page.md": f"# {name}\n" for name in "xyz"})
    write_folder(tmp_path / "book", {"SUMMARY.md": "* [X](x/page.md)\n* [Y](y/page.md)\n* [Z](z/page.md)\n"})
    space = import_folder(platform, tmp_path / "book").spaces[0].space
    paths = platform.database.read_now(lambda connection: tree_of(connection, main_revision(connection, space)).paths)
    assert list(paths) == ["page", "page-1", "page-2"]


NAMES = {
    "SUMMARY.md": '* [Set up `X`](x.md)\n* [Set up Y](y.md)\n* [Home](home.md)\n* [Long name](z.md "Short")\n',
    "x.md": "# Prerequisites\n\nOf x.\n\n# Steps\n\nOne.\n",
    "y.md": "# Prerequisites\n\nOf y.\n",
    "home.md": "# Home\n",
    "z.md": "# Long name\n",
}


async def named(ada: Speaker, space: str) -> list[tuple[str, str | None]]:
    return [(page["title"], page.get("linkTitle")) for page in (await ada.get(f"/spaces/{space}/content"))["pages"]]


async def test_the_tree_has_the_words_of_the_summary_and_a_page_its_own_heading(
    platform: Platform, ada: Speaker, tmp_path: Path
) -> None:
    folder = write_folder(tmp_path / "book", NAMES)
    space = import_folder(platform, folder).spaces[0].space
    names = [
        ("Prerequisites", "Set up X"),
        ("Prerequisites", "Set up Y"),
        ("Home", None),
        ("Long name", "Short"),
    ]
    assert await named(ada, space) == names
    page = (await ada.get(f"/spaces/{space}/content"))["pages"][0]["id"]
    text = await ada.get(f"/spaces/{space}/content/page/{page}", format="markdown")
    assert text["markdown"] == "# Prerequisites\n\nOf x.\n\n## Steps\n\nOne.\n"
    hits = (await ada.get(f"/spaces/{space}/search", query="Y Prerequisites"))["items"]
    assert [hit["title"] for hit in hits] == ["Set up Y"]

    desk = await Desk.open(ada, space)
    await desk.edit(page, "# Prerequisites\n\nOf x, edited.\n")
    await desk.merge()
    assert await named(ada, space) == names
    write_folder(folder, {"y.md": "# Prerequisites\n\nOf y, too.\n"})
    assert import_folder(platform, folder).spaces[0].changed
    assert await named(ada, space) == names
    write_folder(folder, {"SUMMARY.md": NAMES["SUMMARY.md"].replace("Set up Y", "Prepare Y")})
    import_folder(platform, folder)
    assert (await named(ada, space))[1] == ("Prerequisites", "Prepare Y")


async def test_a_page_that_is_renamed_has_its_new_title_in_the_tree(
    platform: Platform, ada: Speaker, tmp_path: Path
) -> None:
    folder = write_folder(tmp_path / "book", NAMES)
    space = import_folder(platform, folder).spaces[0].space
    page = (await ada.get(f"/spaces/{space}/content"))["pages"][0]["id"]
    desk = await Desk.open(ada, space)
    await desk.write({"operation": "update_page", "page": page, "title": "Set up X first"})
    await desk.merge()
    assert (await named(ada, space))[0] == ("Set up X first", None)
    write_folder(folder, {"home.md": "# Home\n\nMore.\n"})
    import_folder(platform, folder)
    assert (await named(ada, space))[0] == ("Set up X first", None)


def test_the_same_folder_again_changes_nothing(platform: Platform, folder: Path) -> None:
    first = import_folder(platform, folder)
    before = count_all(platform, "spaces", "revisions", "texts", "nodes")
    again = import_folder(platform, folder / ".." / "manual")
    assert again.spaces[0].space == first.spaces[0].space
    assert (again.spaces[0].created, again.spaces[0].changed) == (False, False)
    assert count_all(platform, "spaces", "revisions", "texts", "nodes") == before


def test_what_changed_comes_in_as_one_revision(platform: Platform, clock: FrozenClock, folder: Path) -> None:
    space = import_folder(platform, folder).spaces[0].space
    before = pages(platform, space)
    revisions = count_all(platform, "revisions")["revisions"]
    clock.advance(days=1)
    write_folder(folder, {"one.md": "# One\n\nThe first page, changed.\n"})
    again = import_folder(platform, folder).spaces[0]
    assert (again.space, again.created, again.changed, again.change_request) == (space, False, True, None)
    assert count_all(platform, "revisions")["revisions"] == revisions + 1
    after = pages(platform, space)
    assert {name for name in after if after[name] != before[name]} == {"one.md"}
    assert after["one.md"][0] == before["one.md"][0]


def test_a_page_is_the_same_by_path_else_by_text(platform: Platform, folder: Path) -> None:
    space = import_folder(platform, folder).spaces[0].space
    before = pages(platform, space)
    (folder / "one.md").rename(folder / "renamed.md")
    write_folder(
        folder,
        {
            "SUMMARY.md": "* [Home](README.md)\n* [Two](sub/two.md)\n* [One](renamed.md)\n",
            "sub/two.md": "# Two\n\nWholly other words.\n",
        },
    )
    import_folder(platform, folder)
    after = pages(platform, space)
    assert after["renamed.md"][0] == before["one.md"][0]
    assert after["sub/two.md"][0] == before["sub/two.md"][0]
    assert set(after) == {"README.md", "sub/two.md", "renamed.md"}


def test_a_page_in_its_place_is_the_same_with_the_text_of_one_that_is_gone(platform: Platform, folder: Path) -> None:
    space = import_folder(platform, folder).spaces[0].space
    before = pages(platform, space)
    (folder / "one.md").rename(folder / "sub/two.md")
    write_folder(folder, {"SUMMARY.md": "* [Home](README.md)\n* [Two](sub/two.md)\n"})
    import_folder(platform, folder)
    assert pages(platform, space)["sub/two.md"][0] == before["sub/two.md"][0]


async def test_a_page_that_may_not_be_read_keeps_its_text(
    platform: Platform, clock: FrozenClock, folder: Path, unreadable: Callable[[str], None]
) -> None:
    space = import_folder(platform, folder).spaces[0].space
    before = pages(platform, space)
    write_folder(folder, {"sub/two.md": "# Two\n\nThe second page, changed.\n"})
    unreadable("one.md")
    clock.advance(days=1)
    again = import_folder(platform, folder).spaces[0]
    (finding,) = again.findings
    assert finding.message == "1 page could not be read, so it has the text it had before, or none:"
    assert finding.lines == ("one.md: Permission denied",)
    after = pages(platform, space)
    assert {name for name in after if after[name] != before[name]} == {"sub/two.md"}
    assert after.keys() == before.keys()


def test_a_folder_that_may_not_be_read_any_more_deletes_no_pages(
    platform: Platform, folder: Path, unreadable: Callable[[str], None]
) -> None:
    space = import_folder(platform, folder).spaces[0].space
    before = pages(platform, space)
    unreadable("sub")
    with pytest.raises(FolderError, match=r"sub may not be read, and pages were imported from it before\."):
        import_folder(platform, folder)
    assert pages(platform, space) == before


async def test_changes_on_both_sides_are_merged(platform: Platform, ada: Speaker, folder: Path) -> None:
    space = import_folder(platform, folder).spaces[0].space
    ids = {path: page for path, (page, _) in pages(platform, space).items()}
    desk = await Desk.open(ada, space)
    await desk.edit(ids["one.md"], "Written here.\n")
    await desk.merge()
    assert not import_folder(platform, folder).spaces[0].changed
    write_folder(folder, {"sub/two.md": "# Two\n\nWritten in the folder.\n"})
    brought = import_folder(platform, folder).spaces[0]
    assert (brought.changed, brought.change_request) == (True, None)
    for page, text in (("one.md", "Written here."), ("sub/two.md", "Written in the folder.")):
        content = await ada.get(f"/spaces/{space}/content/page/{ids[page]}", format="markdown")
        assert text in content["markdown"]
    assert not import_folder(platform, folder).spaces[0].changed


async def test_an_edited_page_goes_with_its_file(
    platform: Platform, ada: Speaker, folder: Path, tmp_path: Path
) -> None:
    space = import_folder(platform, folder).spaces[0].space
    page = pages(platform, space)["one.md"][0]
    desk = await Desk.open(ada, space)
    await desk.edit(page, "# One\n\nWritten here.\n")
    await desk.merge()
    (folder / "one.md").rename(folder / "first.md")
    summary = BOOK["SUMMARY.md"].replace("one.md", "first.md")
    write_folder(folder, {"SUMMARY.md": summary})
    import_folder(platform, folder)
    export_folder(platform, space, folder, records=tmp_path / "records", force=True)
    assert not (folder / "one.md").exists() and "Written here." in (folder / "first.md").read_text()
    assert (folder / "SUMMARY.md").read_text() == summary
    import_folder(platform, folder)
    assert pages(platform, space)["first.md"][0] == page
    content = await ada.get(f"/spaces/{space}/content/page/{page}", format="markdown")
    assert "Written here." in content["markdown"]


async def test_changes_that_contradict_wait_in_a_change_request(platform: Platform, ada: Speaker, folder: Path) -> None:
    space = import_folder(platform, folder).spaces[0].space
    page = pages(platform, space)["one.md"][0]
    desk = await Desk.open(ada, space)
    await desk.edit(page, "Written here.\n")
    await desk.merge()
    write_folder(folder, {"one.md": "# One\n\nWritten in the folder.\n"})
    brought = import_folder(platform, folder).spaces[0]
    assert brought.change_request is not None
    main = await ada.get(f"/spaces/{space}/content/page/{page}", format="markdown")
    assert main["markdown"] == "# One\n\nWritten here.\n"
    waiting = await ada.get(f"/spaces/{space}/change-requests/{brought.change_request}")
    assert (waiting["status"], waiting["outdated"]) == ("open", True)
    desk = Desk(ada, space, waiting["number"])
    assert (await desk.update())["result"] == "conflicts"
    assert "Written in the folder." in await desk.text(page)
    assert "Written here." in await desk.text(page)
    again = import_folder(platform, folder).spaces[0]
    assert (again.changed, again.change_request) == (False, brought.change_request)
    assert len((await ada.get(f"/spaces/{space}/change-requests"))["items"]) == 1


async def test_comments_stay_on_their_block_over_an_import(platform: Platform, ada: Speaker, folder: Path) -> None:
    write_folder(folder, {"one.md": "# One\n\nFirst paragraph.\n\nSecond paragraph.\n"})
    space = import_folder(platform, folder).spaces[0].space
    page = pages(platform, space)["one.md"][0]
    document = (await ada.get(f"/spaces/{space}/content/page/{page}", format="document"))["document"]
    block = document["nodes"][1]["key"]
    body = {"page": page, "node": block, "body": {"markdown": "Well said."}}
    await ada.send("POST", f"/spaces/{space}/comments", body)
    write_folder(folder, {"one.md": "# One\n\nA new beginning.\n\nFirst paragraph.\n\nSecond paragraph, longer.\n"})
    import_folder(platform, folder)
    document = (await ada.get(f"/spaces/{space}/content/page/{page}", format="document"))["document"]
    assert [node["key"] for node in document["nodes"]].index(block) == 2


async def test_a_locked_space_refuses(platform: Platform, ada: Speaker, folder: Path) -> None:
    space = import_folder(platform, folder).spaces[0].space
    await ada.send("PATCH", f"/spaces/{space}", {"editMode": "locked"})
    write_folder(folder, {"one.md": "# Changed\n"})
    before = count_all(platform, "texts", "revisions")
    with pytest.raises(FolderError, match=r"The space “manual” is locked"):
        import_folder(platform, folder)
    assert count_all(platform, "texts", "revisions") == before


async def test_a_deleted_space_is_not_found_again(platform: Platform, ada: Speaker, folder: Path) -> None:
    space = import_folder(platform, folder).spaces[0].space
    platform.database.write_now(
        lambda connection: connection.update("spaces", space, deleted_at="2026-03-02T09:00:00.000Z")
    )
    again = import_folder(platform, folder).spaces[0]
    assert again.created
    assert again.space != space


def test_importing_takes_the_role_create(platform: Platform, organization: str, folder: Path) -> None:
    editor = join(platform, organization, "Eve Editor", "edit")
    with pytest.raises(Forbidden):
        import_folder(platform, folder, organization, caller=editor)
    with pytest.raises(FolderError, match="No organization lets you create spaces"):
        import_folder(platform, folder, caller=editor)
    with pytest.raises(NotFound):
        import_folder(platform, folder, "nowhere")
    assert count_all(platform, "spaces", "texts") == {"spaces": 0, "texts": 0}


def test_progress_is_reported_to_its_end(platform: Platform, folder: Path) -> None:
    told: list[tuple[str, int, int | None]] = []

    def watch(job: Job) -> None:
        told.append((job.record.step, job.record.done, job.record.total))

    import_folder(platform, folder, watch=watch)
    steps = {step: [(done, total) for name, done, total in told if name == step] for step, _, _ in told}
    assert list(steps) == ["", "Listing files", "Storing texts and files", "Writing the page tree"]
    stored = steps["Storing texts and files"]
    assert (stored[0], stored[-1], stored) == ((0, 11), (11, 11), sorted(stored))


def test_what_is_stored_already_is_not_written_again(
    platform: Platform, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import_folder(platform, folder)
    stored: list[object] = []
    monkeypatch.setattr(storing, "save_texts", lambda *given, **named: stored.append(given))
    monkeypatch.setattr(storing, "save_blobs", lambda *given: stored.append(given))
    import_folder(platform, folder)
    assert not stored


def test_files_are_stored_by_their_bytes(platform: Platform, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(storing, "_BYTES_AT_ONCE", 10)
    write_folder(folder, {f"images/{number}.png": f"picture number {number}" for number in range(5)})
    space = import_folder(platform, folder).spaces[0].space
    stored = platform.database.read_now(
        lambda connection: [
            (entry["name"], load_blob(connection, entry["blob"]))
            for entry in content_of(connection, main_revision(connection, space)).files
        ]
    )
    assert stored == [
        ("cover.png", b"picture"),
        *((f"{number}.png", f"picture number {number}".encode()) for number in range(5)),
    ]


def test_a_cancelled_import_leaves_nothing_to_see(platform: Platform, folder: Path) -> None:
    def watch(job: Job) -> None:
        if job.record.done:
            job.cancel()

    with pytest.raises(JobCancelled):
        import_folder(platform, folder, watch=watch)
    assert count_all(platform, "spaces", "imports", "nodes")["spaces"] == 0
    assert import_folder(platform, folder).spaces[0].created


def test_an_import_can_be_cancelled_until_its_last_step_is_written(
    platform: Platform, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    passed: list[str] = []
    jobs: list[Job] = []

    def cancel_at(name: str) -> None:
        passed.append(name)
        if name == "import.before-commit":
            jobs[-1].cancel()

    monkeypatch.setattr(folder_import, "checkpoint", cancel_at)
    with pytest.raises(JobCancelled):
        import_folder(platform, folder, watch=jobs.append)
    assert "import.after-commit" not in passed
    assert count_all(platform, "spaces", "imports", "nodes")["spaces"] == 0


def test_a_refused_folder_changes_nothing(platform: Platform, folder: Path) -> None:
    (folder / ".gitbook.yaml").write_bytes(b"\xff")
    with pytest.raises(FolderError, match=r"\.gitbook\.yaml is not UTF-8"):
        import_folder(platform, folder)
    assert count_all(platform, "spaces", "texts") == {"spaces": 0, "texts": 0}


def link(name: str, path: str, *, default: bool = False) -> dict[str, object]:
    return {"object": "site-space", "id": name, "path": path, "title": name.title(), "default": default}


STRUCTURE = {
    "type": "sections",
    "structure": [
        {
            "object": "site-section",
            "id": "s1",
            "title": "Home",
            "path": "home",
            "siteSpaces": [link("english", "en", default=True), link("french", "fr")],
        },
        {
            "object": "site-section-group",
            "id": "g1",
            "title": "Products",
            "children": [
                {
                    "object": "site-section",
                    "id": "s2",
                    "title": "Cards",
                    "path": "cards",
                    "description": "Of plastic",
                    "default": True,
                    "siteSpaces": [link("new", "v2"), link("old", "v1", default=True)],
                },
                {"object": "site-section", "id": "s3", "title": "Empty", "path": "empty", "siteSpaces": []},
            ],
        },
        {"object": "site-section-group", "id": "g2", "title": "Nothing", "children": []},
    ],
}


def several(top: Path) -> Path:
    for place in ("home", "products/cards/v1", "products/cards/v2"):
        write_folder(top / place, {"SUMMARY.md": "* [A](a.md)\n", "a.md": f"# {place}\n"})
    write_folder(top, {"structure.json": json.dumps(STRUCTURE)})
    return top


async def test_several_books_become_a_site(platform: Platform, ada: Speaker, organization: str, tmp_path: Path) -> None:
    brought = import_folder(platform, several(tmp_path / "docs"))
    assert [book.folder for book in brought.spaces] == ["home", "products/cards/v2", "products/cards/v1"]
    site = await ada.get(f"/orgs/{organization}/sites/{brought.site}")
    assert (site["title"], site["siteSpaces"]) == ("docs", 3)
    structure = (await ada.get(f"/orgs/{organization}/sites/{brought.site}/structure"))["structure"]
    home, products = structure
    assert [(each["path"], each["default"]) for each in home["siteSpaces"]] == [("en", True)]
    (cards,) = products["children"]
    assert (cards["title"], cards["path"], cards["description"], cards["default"]) == (
        "Cards",
        "cards",
        "Of plastic",
        True,
    )
    assert [(each["path"], each["title"], each["default"]) for each in cards["siteSpaces"]] == [
        ("v2", "New", False),
        ("v1", "Old", True),
    ]
    (finding,) = brought.findings
    assert finding.message == "1 site space of structure.json has no book here, so it was not made:"
    assert finding.lines == ("“French” in the section “Home”",)


def test_a_site_space_without_a_section_is_named_alone(platform: Platform, tmp_path: Path) -> None:
    top = several(tmp_path / "docs")
    structure = {"type": "siteSpaces", "structure": [link("home", "home"), link("gone", "gone")]}
    write_folder(top, {"structure.json": json.dumps(structure)})
    messages = {finding.message: finding.lines for finding in import_folder(platform, top).findings}
    assert messages["1 site space of structure.json has no book here, so it was not made:"] == ("“Gone”",)


def test_a_site_is_made_once(platform: Platform, tmp_path: Path) -> None:
    top = several(tmp_path / "docs")
    first = import_folder(platform, top)
    write_folder(top / "home", {"a.md": "# Changed\n"})
    again = import_folder(platform, top)
    assert again.site == first.site
    assert [book.changed for book in again.spaces] == [True, False, False]
    assert count_all(platform, "sites", "spaces", "site_spaces") == {"sites": 1, "spaces": 3, "site_spaces": 3}


def test_a_book_that_came_later_is_a_space_and_left_for_the_person_to_place(platform: Platform, tmp_path: Path) -> None:
    top = several(tmp_path / "docs")
    import_folder(platform, top)
    write_folder(top / "late", {"SUMMARY.md": "* [A](a.md)\n", "a.md": "# Late\n"})
    again = import_folder(platform, top)
    assert [book.folder for book in again.spaces if book.created] == ["late"]
    assert ("“late”",) in [finding.lines for finding in again.findings if "not on the site" in finding.message]
    assert count_all(platform, "site_spaces") == {"site_spaces": 3}


def test_a_book_opened_alone_is_the_same_space(platform: Platform, tmp_path: Path) -> None:
    top = several(tmp_path / "docs")
    spaces = {book.folder: book.space for book in import_folder(platform, top).spaces}
    assert import_folder(platform, top / "home").spaces[0].space == spaces["home"]


def test_one_bad_book_keeps_all_out(platform: Platform, tmp_path: Path) -> None:
    top = several(tmp_path / "docs")
    (top / "products/cards/v2/.gitbook.yaml").write_bytes(b"\xff")
    with pytest.raises(FolderError, match=r"products/cards/v2/\.gitbook\.yaml"):
        import_folder(platform, top)
    assert count_all(platform, "spaces", "sites") == {"spaces": 0, "sites": 0}


async def test_files_that_are_swept_away_on_the_way_in_are_stored_again(
    platform: Platform, folder: Path, ada: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    turns: list[Any] = []

    def swept_once(*arguments: Any) -> Any:
        names = storing.store_ahead(*arguments)
        if not turns:
            platform.database.write_now(sweep_content)
        turns.append(names)
        return names

    monkeypatch.setattr(folder_import, "store_ahead", swept_once)
    (space,) = import_folder(platform, folder).spaces
    assert len(turns) == 2
    (file,) = (await ada.get(f"/spaces/{space.space}/content/files"))["items"]
    assert (await ada.request("GET", file["downloadURL"])).content == b"picture"
    assert "The first page." in str(await ada.get(f"/spaces/{space.space}/search", query="first page"))
