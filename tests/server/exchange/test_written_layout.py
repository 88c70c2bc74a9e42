from __future__ import annotations

from difflib import unified_diff
from pathlib import Path
from typing import Any

import pytest

from recto.server.content.main_content import set_main
from recto.server.content.revisions import (
    Content,
    content_of,
    create_revision,
    get_revision,
    main_revision,
    tree_of,
)
from recto.server.content.tree import TreeDraft
from recto.server.exchange import import_folder
from recto.server.exchange.imported_files import remember_paths
from recto.server.exchange.written_layout import WrittenLayout, layout_of, safe_place
from recto.server.platform import Platform
from recto.server.spaces.removal import sweep_content
from support.content import Desk
from support.folders import write_folder
from support.platform import Speaker

BOOK: dict[str, str | bytes] = {
    "SUMMARY.md": "# Contents\n\n* [Home](README.md)\n- [One](one.md 'First')\n    + [Two](sub/two.md)\n\n"
    '## Group <a id="g"></a>\n\n* [Away](https://example.org)\n* [Windows](windows.md)\n\n'
    "<!-- not yet: * [Later](later.md) -->\n* [Nothing](nowhere.md)\n",
    "README.md": b"\xef\xbb\xbf---\ncover: .gitbook/assets/cover.png\ndescription: >-\n  The start\n  of all\n"
    b"x-own: kept # so\nicon: 'home'\n---\n\n# Home\n\nWelcome. See [two](sub/two.md).\n",
    "one.md": "One\n===\n\n\nThe first page, without a last line end",
    "sub/two.md": "---\ntitle: Two\nhidden: true\n---\nThe second page.\n",
    "windows.md": b"# Windows\r\n\r\nLine one.\r\nLine two.\nLine three.\r\n",
    "unlisted.md": "# Unlisted\n",
    ".gitbook.yaml": "root: ./\n\nredirects:\n  old: one.md # for long\n",
    ".gitbook/assets/cover.png": b"picture",
    ".gitbook/includes/note.md": "A note.\n",
    ".gitbook/vars.yaml": "# ours\nproduct: 'Recto'\nversion: 1.10\n",
    ".gitbook/tags.yaml": "- tag: a\n  label: A\n",
    "LICENSE": "Do.\n",
    "tools/build.sh": "#!/bin/sh\n",
    ".github/workflows/a.yml": "on: push\n",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return write_folder(tmp_path / "manual", BOOK)


def export(platform: Platform, space: str, revision: str | None = None) -> WrittenLayout:
    return platform.database.read_now(
        lambda connection: layout_of(
            connection, get_revision(connection, revision) if revision else main_revision(connection, space)
        )
    )


def files_of(platform: Platform, layout: WrittenLayout) -> dict[str, bytes]:
    return platform.database.read_now(
        lambda connection: {path: file.read(connection) for path, file in layout.files.items()}
    )


def rewrite(platform: Platform, space: str, folder: Path) -> dict[str, bytes]:
    """Write a space over a folder, as an export does, and return the files."""
    layout = export(platform, space)
    files = files_of(platform, layout)
    for path in folder.rglob("*"):
        if path.is_file():
            path.unlink()
    write_folder(folder, files)
    platform.database.write_now(lambda connection: remember_paths(connection, space, layout.new_paths))
    return files


def state(platform: Platform, space: str) -> Any:
    """All that a space holds, but for where its pages come from."""

    def look(connection: Any) -> Any:
        tree = tree_of(connection, main_revision(connection, space))
        return [
            (place.parent, node.id, node.type, node.text, {k: v for k, v in node.attributes.items() if k != "git"})
            for node, place in ((place.node, place) for place in tree.places.values())
        ]

    return platform.database.read_now(look)


def changed(files: dict[str, bytes]) -> set[str]:
    before = {path: text.encode() if isinstance(text, str) else text for path, text in BOOK.items()}
    return {path for path in before.keys() | files.keys() if before.get(path) != files.get(path)}


async def pages(ada: Speaker, space: str) -> dict[str, Any]:
    found: dict[str, Any] = {}
    waiting = list((await ada.get(f"/spaces/{space}/content"))["pages"])
    while waiting:
        page = waiting.pop()
        found[page["title"]] = page
        waiting += page.get("pages", ())
    return found


def test_an_export_of_an_import_is_the_folder_byte_for_byte(platform: Platform, folder: Path) -> None:
    (space,) = import_folder(platform, folder).spaces
    layout = export(platform, space.space)
    assert changed(files_of(platform, layout)) == set()
    assert (layout.left_out, layout.new_paths, layout.folder) == ((), {}, "")
    assert not import_folder(platform, folder).spaces[0].changed


@pytest.mark.parametrize(
    ("title", "markdown", "path", "written"),
    [
        ("One", "# One\n\nOther.\n", "one.md", b"One\n===\n\nOther.\n"),
        ("One", "# Uno\n\nOther.\n", "one.md", b"Uno\n===\n\nOther.\n"),
        ("Two", "# Two\n\nOther.\n", "sub/two.md", b"---\ntitle: Two\nhidden: true\n---\nOther.\n"),
        (
            "Windows",
            "# Windows\n\nLine one.\nA new line.\nLine two.\nLine three.\n",
            "windows.md",
            b"# Windows\r\n\r\nLine one.\r\nA new line.\r\nLine two.\nLine three.\r\n",
        ),
        (
            "Home",
            "---\nicon: star\nhidden: true\n---\n# Home\n\nWelcome. See [two](sub/two.md).\n",
            "README.md",
            BOOK["README.md"].replace(b"icon: 'home'\n", b"icon: star\nhidden: true\n"),  # type: ignore[arg-type]
        ),
    ],
)
async def test_an_edited_page_differs_in_what_was_edited(
    platform: Platform, ada: Speaker, folder: Path, title: str, markdown: str, path: str, written: bytes
) -> None:
    (space,) = import_folder(platform, folder).spaces
    page = (await pages(ada, space.space))[title]
    desk = await Desk.open(ada, space.space)
    await desk.edit(page["id"], markdown)
    await desk.merge()
    before = state(platform, space.space)
    files = rewrite(platform, space.space, folder)
    assert files[path] == written
    assert changed(files) <= {path, "SUMMARY.md"}
    import_folder(platform, folder)
    assert state(platform, space.space) == before


@pytest.mark.parametrize(
    ("place", "safe"),
    [
        ("a/b.md", "a/b.md"),
        ("../b.md", None),
        ("/b.md", None),
        ("a/../../b.md", None),
        ("C:/b.md", None),
        (".git/config", None),
        ("a/.GIT/hooks/post-checkout", None),
        ("a/.g\u200dit/x", None),
        ("a\\b.md", None),
        ("", None),
    ],
)
def test_no_path_leads_out_of_the_folder_or_into_git(place: str, safe: str | None) -> None:
    assert safe_place(place) == safe


@pytest.mark.parametrize(
    ("change", "lines"),
    [
        (
            {"operation": "update_page", "page": "Two", "into": None, "at": 1},
            ["-    + [Two](sub/two.md)", "+* [Two](sub/two.md)"],
        ),
        (
            {"operation": "update_page", "page": "Two", "title": "Zwei [2]"},
            ["-    + [Two](sub/two.md)", "+    * [Zwei [2]](sub/two.md)"],
        ),
        ({"operation": "delete_page", "page": "Two"}, ["-    + [Two](sub/two.md)"]),
        (
            {
                "operation": "insert_page",
                "into": "One",
                "at": 0,
                "title": "New: a/b",
                "document": {"markdown": "Text.\n"},
            },
            ["+    * [New: a/b](one/new-ab.md)"],
        ),
        (
            {"operation": "insert_page", "into": "Group", "title": "Last", "document": {"markdown": "Text.\n"}},
            ["+* [Last](g/last.md)"],
        ),
        (
            {"operation": "insert_page", "at": 0, "title": "Top", "document": {"markdown": "Text.\n"}},
            ["+* [Top](top.md)"],
        ),
        (
            {"operation": "insert_page", "title": "Below", "document": {"markdown": "Text.\n"}},
            ["+", "+***", "+", "+* [Below](below.md)"],
        ),
    ],
    ids=["moved", "renamed", "deleted", "added", "added to a group", "added at the top", "added after a group"],
)
async def test_only_lines_of_pages_that_changed_differ_in_the_summary(
    platform: Platform, ada: Speaker, folder: Path, change: dict[str, Any], lines: list[str]
) -> None:
    (space,) = import_folder(platform, folder).spaces
    named = await pages(ada, space.space)
    given = {
        name: named[value]["id"] if name in ("page", "into") and value else value for name, value in change.items()
    }
    desk = await Desk.open(ada, space.space)
    await desk.write(given)
    await desk.merge()
    before = state(platform, space.space)
    files = rewrite(platform, space.space, folder)
    old, new = (str(text).splitlines() for text in (BOOK["SUMMARY.md"], files["SUMMARY.md"].decode()))
    differing = [line for line in unified_diff(old, new, n=0, lineterm="") if not line.startswith(("---", "+++", "@@"))]
    assert sorted(differing) == sorted(lines) and new[0] == old[0]
    import_folder(platform, folder)
    assert state(platform, space.space) == before
    (folder / "LICENSE").write_text("Other.\n")
    import_folder(platform, folder)
    assert state(platform, space.space) == before


def test_the_summary_leads_to_a_page_whose_file_has_another_path(platform: Platform, folder: Path) -> None:
    (space,) = import_folder(platform, folder).spaces

    def move(connection: Any) -> None:
        context, before = platform.context(connection), main_revision(connection, space.space)
        content, draft = content_of(connection, before), TreeDraft(tree_of(connection, before))
        page = next(node.id for node in content.root.walk() if node.title == "One")
        draft[page].attributes["git"] = {"path": "first.md"}
        draft.touch(page, context.stamp())
        moved = Content(draft.freeze(), content.files, content.extras)
        set_main(context, create_revision(context, space.space, "edits", (before.id,), moved))

    platform.database.write_now(move)
    files = files_of(platform, export(platform, space.space))
    assert "one.md" not in files and b"[One](first.md " in files["SUMMARY.md"]


async def test_a_page_below_an_entry_stands_before_remarks_and_rules_that_follow(
    platform: Platform, ada: Speaker, tmp_path: Path
) -> None:
    text = "# Contents\n\n## Group\n\n* [One](one.md)\n\n<!-- so -->\n\n***\n\n* [Two](two.md)\n"
    book = {"SUMMARY.md": text, "one.md": "# One\n", "two.md": "# Two\n"}
    (space,) = import_folder(platform, write_folder(tmp_path / "manual", book)).spaces
    named = await pages(ada, space.space)
    desk = await Desk.open(ada, space.space)
    await desk.write(
        {"operation": "update_page", "page": named["Two"]["id"], "title": "Zwei"},
        {"operation": "insert_page", "into": named["One"]["id"], "title": "New", "document": {"markdown": "Text.\n"}},
    )
    await desk.merge()
    written = rewrite(platform, space.space, tmp_path / "manual")["SUMMARY.md"].decode()
    below = "* [One](one.md)\n  * [New](one/new.md)\n"
    assert written == text.replace("* [One](one.md)\n", below).replace("[Two]", "[Zwei]")


async def test_the_first_line_of_a_summary_is_not_indented_and_the_last_stays_without_an_end(
    platform: Platform, ada: Speaker, tmp_path: Path
) -> None:
    book = {"SUMMARY.md": "* [Home](README.md)\n* [One](one.md)", "README.md": "# Home\n", "one.md": "# One\n"}
    (space,) = import_folder(platform, write_folder(tmp_path / "manual", book)).spaces
    desk = await Desk.open(ada, space.space)
    await desk.write(
        {"operation": "update_page", "page": (await pages(ada, space.space))["Home"]["id"], "title": "Start"}
    )
    await desk.merge()
    files = rewrite(platform, space.space, tmp_path / "manual")
    assert files["SUMMARY.md"] == b"* [Start](README.md)\n* [One](one.md)"


def test_the_files_of_an_import_outlive_a_sweep(platform: Platform, folder: Path) -> None:
    (space,) = import_folder(platform, folder).spaces
    platform.database.write_now(sweep_content)
    assert changed(files_of(platform, export(platform, space.space))) == set()


async def test_a_merge_keeps_the_files_of_an_import_that_came_between(
    platform: Platform, ada: Speaker, folder: Path
) -> None:
    (space,) = import_folder(platform, folder).spaces
    desk = await Desk.open(ada, space.space)
    await desk.edit((await pages(ada, space.space))["One"]["id"], "# One\n\nOther.\n")
    (folder / "LICENSE").write_text("Do not.\n")
    (folder / "sub" / "two.md").write_text("---\ntitle:   Two\n---\nThe second page, anew.\n")
    assert import_folder(platform, folder).spaces[0].changed
    await desk.merge()
    files = files_of(platform, export(platform, space.space))
    assert files["LICENSE"] == b"Do not.\n"
    assert files["sub/two.md"] == b"---\ntitle:   Two\n---\nThe second page, anew.\n"
    assert files["one.md"] == b"One\n===\n\nOther.\n"
