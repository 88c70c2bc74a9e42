"""Any space survives an export and an import of it, and any folder an import and an export."""

from __future__ import annotations

import posixpath
import shutil
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recto.contract.import_report import ImportReport
from recto.server.content.imported_tree import ImportedPage
from recto.server.content.main_content import set_main
from recto.server.content.objects import load_text, save_texts, text_hash
from recto.server.content.revisions import Content, content_of, create_revision, main_revision, tree_of
from recto.server.content.tree import Node, TreeDraft
from recto.server.exchange import export_folder, import_folder
from recto.server.exchange.imported_files import load_source
from recto.server.platform import Platform
from support.content import make_space
from support.folders import write_folder
from support.platform import make_platform

SAMPLES = Path(__file__).parents[4] / "shared" / "samples"
AWKWARD = (
    *("CON", "con", "nul.txt", "a/b", "..", ".", ".git", "a (1)", "A", "a", "A b", "a  b", "README", "readme"),
    *("Summary", "SUMMARY", "😀", "👨\u200d👩\u200d👧", "# x", "x #", "x {#y}", "[a](b)", "a [b", "a] b"),
    *("<b>bold</b>", "a < b", "&amp;", "&lt;", "*a*", "_a_", "`a`", "\\", "a\\*", "1. one", "- x", "* x", "***"),
    *("---", "```", "``` yaml", "éa", "e\u0301a", "ﬁ", "x" * 300, "🙂" * 300, "[" * 300, "a:b", "node_modules"),
    *("%20", "a%2Fb", "a#b", "a?b", '"a"', "'a'", "(a", "a)", "עברית", "a\u200bb", "| a | b |", "{% x %}", "a\tb"),
    *("~~a~~", "![a](b)", "http://a.b", "title:", "=", "$a$", "\u200b"),
)


def is_title(text: str) -> bool:
    return bool(" ".join(text.split()))


TITLES = st.one_of(
    st.sampled_from(AWKWARD),
    st.text(st.characters(codec="utf-8", exclude_categories=["Cc", "Cs"]), min_size=1, max_size=30).filter(is_title),
    st.sampled_from("ab"),
).map(lambda title: " ".join(title.split()))
TEXTS = st.one_of(
    st.sampled_from(
        [
            *("", "\n", "\n\nWords.", "# One\n\nx\n", "One\n===\n", "---\na: b\n---\n", "---\n", "Words.\n", " # x"),
            *("\ufeffx\n", "```\n# x\n", "\u200bx", "a\n\n\n"),
            "See [a](/pages/page-0#part), [b](<missing.md>) and ![c](/files/none).\n",
        ]
    ),
    st.text(st.sampled_from("ab# \n=-`*[]()<>"), max_size=40),
)
ATTRIBUTES = st.fixed_dictionaries(
    {},
    optional={
        "description": TITLES,
        "icon": st.sampled_from(["home", "yes", "1", "2024-01-01", "null"]),
        "emoji": st.just("1f600"),
        "hidden": st.just(True),
        "no_index": st.just(True),
        "condition": st.just("visitor.claims.x == true"),
        "link_title": TITLES,
        "layout": st.just({"width": "wide", "title": False, "cover": True, "coverSize": "full"}),
        "cover": st.just({"ref": {"kind": "url", "url": "https://example.org/a b.png"}, "yPos": 12}),
        "variables": st.just({"a": 1, "b": "two", "c": True}),
        "front": st.just({"x-own": ["a", {"b": None}], "d": "2024-01-01"}),
    },
)
URLS = st.sampled_from(["https://example.org/a?b=1&copy=2", "mailto:a@b.c", "https://e.org/(a", "//x/y z"])
KINDS = st.sampled_from(["document", "document", "document", "group", "link", "link-page", "computed"])


@st.composite
def trees(draw: st.DrawFn) -> list[ImportedPage]:
    """Page trees with any titles; the ids are numbered, and the first page has a file."""
    count = 0

    def pages(depth: int, most: int) -> list[ImportedPage]:
        return [page(depth) for _ in range(draw(st.integers(1 if depth == 0 else 0, most)))]

    def page(depth: int) -> ImportedPage:
        nonlocal count
        number, count = count, count + 1
        kind = draw(KINDS) if number else "document"
        name, title = f"page-{number}", draw(TITLES)
        if kind == "link":
            target: dict[str, Any] = {"kind": "url", "url": draw(URLS)}
            return ImportedPage(name, title, type="link", attributes={"target": target, "href": target["url"]})
        if kind == "link-page":
            anchor = draw(st.sampled_from(["", "part", "a(b"]))
            target = {"kind": "anchor", "anchor": anchor} if anchor else {"kind": "page"}
            return ImportedPage(name, title, type="link", attributes={"target": target | {"page": "page-0"}})
        children = tuple(pages(depth + 1, 3)) if depth < 3 else ()
        if kind == "group":
            return ImportedPage(name, title, type="group", children=children)
        if kind == "computed":
            said = {"type": "builtin:openapi", "props": {"models": True}, "dependencies": {"spec": {"ref": 1}}}
            return ImportedPage(name, title, type="computed", attributes={"computed": said}, children=children)
        return ImportedPage(name, title, text=draw(TEXTS), attributes=draw(ATTRIBUTES), children=children)

    return pages(0, 4)


@contextmanager
def workspace() -> Iterator[tuple[Platform, Path]]:
    with tempfile.TemporaryDirectory() as scratch:
        platform = make_platform(Path(scratch))
        platform.indexer.close()  # nothing is searched here, and reading all pages once more takes longest
        try:
            yield platform, Path(scratch)
        finally:
            platform.close()


def state(platform: Platform, space: str) -> Any:
    """All that a space holds, but for the paths of files and the record of them."""

    def page(node: Node) -> Any:
        attributes = {name: value for name, value in node.attributes.items() if name != "git"}
        return node.id, node.type, node.text, attributes, [page(child) for child in node.children]

    def look(connection: Any) -> Any:
        content = content_of(connection, main_revision(connection, space))
        extras = {name: value for name, value in content.extras.items() if name != "source"}
        return [page(node) for node in content.root.children], content.files, extras

    return platform.database.read_now(look)


def head(platform: Platform, space: str) -> str:
    return platform.database.read_now(lambda connection: main_revision(connection, space).id)


def files_in(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def check_round_trip(platform: Platform, space: str, scratch: Path) -> dict[str, bytes]:
    """Export a space and import the folder: nothing has changed. Return the files."""
    folder, records = scratch / "folder", scratch / "records"
    before, revision = state(platform, space), head(platform, space)
    report = export_folder(platform, space, folder, records=records)
    (imported,) = import_folder(platform, folder).spaces
    assert (imported.space, imported.changed, report.left_out) == (space, False, ())
    assert head(platform, space) == revision
    assert state(platform, space) == before
    return files_in(folder)


def retouch(folder: Path) -> None:
    """Edit a file that is no page, so that the next import reads all of the folder anew."""
    (folder / "LICENSE").write_text("changed\n")


@pytest.mark.slow
@settings(deadline=None, max_examples=40, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])
@given(trees())
def test_any_pages_survive_an_export_and_an_import(pages: Sequence[ImportedPage]) -> None:
    with workspace() as (platform, scratch):
        space = make_space(platform, pages)
        before = state(platform, space)
        files = check_round_trip(platform, space, scratch)
        assert len({path.casefold() for path in files}) == len(files)
        for path in files:
            for part in path.split("/"):
                assert len(part.encode()) <= 255
                assert part == part.strip(". ") and part.partition(".")[0].upper() != "CON"
        # The next import compares nothing with the export: every page is read.
        retouch(scratch / "folder")
        import_folder(platform, scratch / "folder")
        assert state(platform, space) == before


BOOKS: list[dict[str, str | bytes]] = [
    {"README.md": "# Home\n", "b/README.md": "# B\n", "b/10.md": "# Ten\n", "b/2.md": "Two.\n", "c.markdown": "x"},
    {
        ".gitbook.yaml": "root: ./docs/\nstructure:\n  summary: toc.md\n",
        "docs/toc.md": '* [A](a.md)\n\n## Group <a href="#g" id="g"></a>\n\n* [B](b%20c.md)\n* [A again](a.md)\n',
        "docs/a.md": "# A\n",
        "docs/b c.md": "---\r\ntitle: B\r\n---\r\nText.\r\n",
        "docs/.gitbook/includes/x.md": "---\ntitle: X\n---\n\nText.\n",
        "other/file.txt": "Not read.\n",
        ".gitignore": "site\n",
    },
    {
        "SUMMARY.md": b"\xff\xfe" + "* [A](a.md)\r\n".encode("utf-16-le"),
        "a.md": b"\xff\xfe" + "# A\r\n\r\nText.\r\n".encode("utf-16-le"),
    },
    {
        "SUMMARY.md": "* [A](a.md)\n* [B](b.md)",
        "a.md": b"# A\n\n\xff\xfe Latin\r\nold\rend",
        "b.md": b"---\n: [\n---\n# B",
    },
]


@pytest.mark.parametrize("book", BOOKS)
def test_a_folder_survives_an_import_and_an_export(tmp_path: Path, book: dict[str, str | bytes]) -> None:
    with workspace() as (platform, scratch):
        check_folder(platform, write_folder(tmp_path / "book", book), scratch)


def begins(report: ImportReport, pages: list[int], findings: list[str]) -> bool:
    messages = [finding.message for space in report.spaces for finding in space.findings]
    assert [message[: len(start)] for message, start in zip(messages, findings, strict=True)] == findings
    return [space.pages for space in report.spaces] == pages


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "check"),
    [
        ("nso", lambda report: begins(report, [183], ["1 file is not listed", "198 pictures and files"])),
        ("pgsql-tw", lambda report: begins(report, [824], ["243 files are not listed"])),
        ("payments-site", lambda report: len(report.spaces) == 10 and report.site and len(report.findings) == 1),
    ],
)
def test_real_documentation_comes_in_and_survives_an_export(
    tmp_path: Path, name: str, check: Callable[[ImportReport], bool]
) -> None:
    if not (SAMPLES / name).is_dir():
        pytest.skip(f"the sample {name} is not beside this checkout")
    with workspace() as (platform, scratch):
        assert check(import_folder(platform, SAMPLES / name))
        copy = tmp_path / name
        shutil.copytree(SAMPLES / name, copy)
        assert check(import_folder(platform, copy))
        assert not any(book.changed for book in import_folder(platform, SAMPLES / name).spaces)
        check_folder(platform, copy, scratch)


def check_folder(platform: Platform, folder: Path, scratch: Path) -> None:
    """Import a folder and export it elsewhere: the same bytes; with a page edited, that file alone differs."""
    for number, book in enumerate(import_folder(platform, folder).spaces):
        place, before = folder / book.folder, state(platform, book.space)
        source = files_in(place)
        out = scratch / f"out-{number}"
        report = export_folder(platform, book.space, out, records=scratch / "records")
        assert (files_in(out), report.left_out) == (source, ())
        assert not import_folder(platform, out).spaces[0].changed
        assert state(platform, book.space) == before
        path = edit_last(platform, book.space)
        report = export_folder(platform, book.space, out, records=scratch / "records")
        assert (report.written, report.deleted) == (1, 0)
        written = files_in(out)
        assert {each for each in source if written[each] != source[each]} == {path}
        edited = state(platform, book.space)
        assert edited != before
        assert not import_folder(platform, out).spaces[0].changed
        assert state(platform, book.space) == edited


def edit_last(platform: Platform, space: str) -> str:
    """Put a word behind the text of the last page of a space; return the path of its file."""

    def edit(connection: Any) -> str:
        content = content_of(connection, main_revision(connection, space))
        context = platform.context(connection)
        *_, last = (node for node in content.root.walk() if node.type == "document")
        draft = TreeDraft(tree_of(connection, main_revision(connection, space)))
        entry = draft[last.id]
        text = load_text(connection, entry.text) + "\nA new word.\n"
        entry.text = text_hash(text)
        save_texts(connection, {entry.text: text})
        draft.touch(last.id, context.stamp())
        changed = Content(draft.freeze(), content.files, content.extras)
        before = main_revision(connection, space)
        set_main(context, create_revision(context, space, "edits", (before.id,), changed))
        source = load_source(connection, content.extras)
        assert source is not None
        return posixpath.join(source.root, last.attributes["git"]["path"])

    return platform.database.write_now(edit)
