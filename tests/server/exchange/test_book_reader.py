from __future__ import annotations

from collections.abc import Callable
from io import BytesIO
from pathlib import Path

import pytest
from PIL import Image

from recto.server.exchange import book_reader as folder_module
from recto.server.exchange.book import (
    Book,
    BookPage,
    Dangling,
    Kind,
    MissingFile,
    NotUtf8,
    Repeated,
    Target,
    UnreadFile,
)
from recto.server.exchange.book_reader import read_book
from recto.server.exchange.folder import FolderError, LeftOut, Reason, list_folder

Write = Callable[..., None]

OCTETS = "application/octet-stream"


@pytest.fixture
def write(tmp_path: Path) -> Write:
    def write(files: dict[str, str | bytes]) -> None:
        for place, content in files.items():
            file = tmp_path / place
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content.encode() if isinstance(content, str) else content)

    return write


def read(path: Path, base: str = "") -> Book:
    return read_book(list_folder(path), base, "Book")


def outline(pages: tuple[BookPage, ...]) -> list[object]:
    return [(page.slug, outline(page.children)) if page.children else page.slug for page in pages]


def test_a_summary_is_the_tree(tmp_path: Path, write: Write) -> None:
    write(
        {
            "SUMMARY.md": "* [Home](README.md)\n\n## Guides\n\n* [One](one/README.md)\n  * [Two](one/two.md)\n"
            "* [Away](https://example.org)\n",
            "README.md": "---\nicon: house\n---\n\n# Welcome\n\nHello.\n",
            "one/README.md": "# One thing\n",
            "one/two.md": "Text without a heading.\n",
        }
    )
    book = read(tmp_path)
    assert outline(book.pages) == ["readme", ("guides", [("one", ["two"]), "away"])]
    home, guides = book.pages
    assert (home.kind, home.title, home.path, home.text) == (Kind.DOCUMENT, "Welcome", "README.md", "Hello.\n")
    assert home.front_matter == {"icon": "house"}
    assert (guides.kind, guides.path) == (Kind.GROUP, None)
    assert guides.children[0].children[0].title == "Two"
    assert guides.children[1].target == Target(url="https://example.org")


def test_pages_missing_from_the_summary_and_entries_without_a_file_are_reported(tmp_path: Path, write: Write) -> None:
    write(
        {
            "SUMMARY.md": "* [A](a.md)\n* [Gone](gone.md)\n* [Parent](nowhere/README.md)\n  * [B](b.md)\n"
            "* [A again](a.md)\n* [Part](b.md#part)\n",
            "a.md": "# A\n",
            "b.md": "# B\n",
            "left/out.md": "# Out\n",
            ".gitbook/includes/x.md": "Included.",
        }
    )
    book = read(tmp_path)
    assert book.report.unlisted == ("left/out.md",)
    assert book.report.dangling == (Dangling(2, "Gone", "gone.md"), Dangling(3, "Parent", "nowhere/README.md"))
    assert book.report.repeated == (Repeated(5, "A again", "a.md"),)
    kinds = [(page.kind, page.title) for page in book.walk()]
    assert kinds == [
        (Kind.DOCUMENT, "A"),
        (Kind.GROUP, "Parent"),
        (Kind.DOCUMENT, "B"),
        (Kind.LINK, "A again"),
        (Kind.LINK, "Part"),
    ]
    assert book.pages[-1].target == Target(path="b.md", anchor="part")


def test_an_entry_without_anchor_stands_for_the_file_even_when_it_comes_second(tmp_path: Path, write: Write) -> None:
    write({"SUMMARY.md": "* [Part](a.md#part)\n* [Whole](a.md)\n", "a.md": "Text"})
    part, whole = read(tmp_path).pages
    assert (part.kind, whole.kind, whole.title) == (Kind.LINK, Kind.DOCUMENT, "Whole")


def test_files_are_found_in_other_spellings(tmp_path: Path, write: Write) -> None:
    write(
        {
            "summary.md": "* [A](./Docs/../My%20Page.md)\n* [B](folder/)\n* [C](UPPER.md)\n* [D](</name (1).md>)\n",
            "My Page.md": "# A",
            "folder/readme.md": "# B",
            "upper.md": "# C",
            "name (1).md": "# D",
        }
    )
    book = read(tmp_path)
    assert [page.path for page in book.walk()] == ["My Page.md", "folder/readme.md", "upper.md", "name (1).md"]
    assert [page.slug for page in book.walk()] == ["My-Page", "folder", "upper", "name-1"]
    assert book.report.dangling == ()


def test_without_a_summary_the_folders_are_the_tree(tmp_path: Path, write: Write) -> None:
    write(
        {
            "readme.md": "# Home",
            "10-last.md": "# Last",
            "2-first.md": "# First",
            "getting-started/setup.md": "# Set-up",
            "manual/README.md": "# The manual",
            "manual/a.md": "# A",
            ".github/x.md": "# Hidden",
            "node_modules/y.md": "# Not ours",
        }
    )
    book = read(tmp_path)
    assert outline(book.pages) == ["readme", "2-first", "10-last", ("getting-started", ["setup"]), ("manual", ["a"])]
    assert [(page.kind, page.title) for page in book.pages[3:]] == [
        (Kind.GROUP, "Getting started"),
        (Kind.DOCUMENT, "The manual"),
    ]
    assert book.report.unlisted == ()


def test_a_layout_names_root_summary_and_redirects(tmp_path: Path, write: Write) -> None:
    write(
        {
            ".gitbook.yaml": "root: ./docs/\nstructure:\n  readme: start.md\n  summary: toc.md\nredirects:\n"
            "  old/path: new.md\n  /other: ./new.md\n",
            "docs/toc.md": "* [Start](start.md)\n* [New](new.md)\n",
            "docs/start.md": "# Start",
            "docs/new.md": "# New",
            "ignored.md": "# Ignored",
        }
    )
    book = read(tmp_path)
    assert [page.path for page in book.walk()] == ["start.md", "new.md"]
    assert book.redirects == {"old/path": "new.md", "other": "./new.md"}


def test_a_layout_may_stand_in_the_folder_of_a_book(tmp_path: Path, write: Write) -> None:
    write(
        {
            "books/one/.gitbook.yaml": "root: ./src\n",
            "books/one/src/SUMMARY.md": "* [A](a.md)\n",
            "books/one/src/a.md": "# A",
        }
    )
    assert [page.path for page in read(tmp_path, "books/one").walk()] == ["a.md"]


def test_a_root_outside_the_folder_is_refused(tmp_path: Path, write: Write) -> None:
    write({".gitbook.yaml": "root: ../elsewhere\n", "a.md": "# A"})
    with pytest.raises(FolderError, match=r"names a root outside the folder"):
        read(tmp_path)


def test_what_lies_beside_the_pages(tmp_path: Path, write: Write) -> None:
    write(
        {
            "SUMMARY.md": "* [A](a.md)\n",
            "a.md": "# A",
            "images/x.png": b"\x89PNG",
            "data.bin": b"\0",
            ".gitbook/assets/manual.pdf": b"%PDF",
            ".gitbook/includes/warning.md": "---\ntitle: A warning\n---\n\nMind the gap.\n",
            ".gitbook/vars.yaml": "limit: 500\nname: '@x/y'\nnested: {a: 1}\nempty:\n",
            ".gitbook/tags.yaml": "- tag: a\n  label: A\n",
        }
    )
    book = read(tmp_path)
    assert [(file.path, file.content_type, file.size) for file in book.files] == [
        (".gitbook/assets/manual.pdf", "application/pdf", 4),
        ("images/x.png", "image/png", 4),
    ]
    (warning,) = book.reusables
    assert (warning.path, warning.title, warning.text) == (
        ".gitbook/includes/warning.md",
        "A warning",
        "Mind the gap.\n",
    )
    assert book.variables == {"limit": 500, "name": "@x/y", "empty": ""}
    assert book.tags == ({"tag": "a", "label": "A"},)


@pytest.mark.parametrize(
    ("written", "value"),
    [("500", 500), ("1.5", 1.5), ("1.10", "1.10"), ("true", True), ("yes", "yes"), ("'3'", "3"), ("0x10", "0x10")],
)
def test_a_variable_is_a_number_or_a_truth_value_where_it_is_shown_as_it_is_written(
    tmp_path: Path, write: Write, written: str, value: object
) -> None:
    write({"README.md": "# Home\n", ".gitbook/vars.yaml": f"v: {written}\nw: [1]\n"})
    book = read(tmp_path)
    assert book.variables == {"v": value}
    assert type(book.variables["v"]) is type(value)


def test_what_blocks_name_comes_in_from_within_the_root(tmp_path: Path, write: Write) -> None:
    write(
        {
            "secret.yaml": "openapi: 3.1.0",
            "book/.gitbook.yaml": "root: ./docs/\n",
            "book/beside.yaml": "openapi: 3.1.0",
            "book/docs/guide/README.md": '{% openapi src="../openapi/x.yaml" path="/" %}\n{% endopenapi %}\n\n'
            '{% file src="/downloads/a%20form.pdf" %}\n\n{% file src="gone.pdf" %}\n\n'
            '{% openapi src="../../beside.yaml" %}\n\n{% openapi src="../../../secret.yaml" %}\n\n'
            '{% file src="other.md" %}\n\n```\n{% file src="shown.txt" %}\n```\n',
            "book/docs/guide/other.md": "# Other\n",
            "book/docs/guide/shown.txt": "not meant",
            "book/docs/.gitbook/includes/terms.md": '{% file src="../../downloads/terms.txt" %}\n',
            "book/docs/downloads/a form.pdf": "%PDF",
            "book/docs/downloads/terms.txt": "Terms",
            "book/docs/downloads/more.txt": "not named",
            "book/docs/openapi/x.yaml": "openapi: 3.1.0",
        }
    )
    files = read(tmp_path, "book").files
    assert [(file.path, file.size) for file in files] == [
        ("downloads/a form.pdf", 4),
        ("downloads/terms.txt", 5),
        ("openapi/x.yaml", 14),
    ]


def test_included_texts_are_found_from_the_file_that_includes_them(tmp_path: Path, write: Write) -> None:
    write(
        {
            "book/.gitbook.yaml": "root: ./docs/en/\n",
            "book/shared/outside.md": '{% include "deeper/inner.md" %}\n',
            "book/shared/deeper/inner.md": "# Inner\n\nInnermost words.\n",
            "book/docs/en/SUMMARY.md": "* [A](a/page.md)\n",
            "book/docs/en/a/page.md": '# A\n\n{% include "../parts/one.md" %}\n\n'
            '{% include "../../../shared/outside.md" %}\n\n{% include "gone.md" %}\n\n'
            '{% include "../../../../../etc/passwd.md" %}\n',
            "book/docs/en/parts/one.md": "One.\n",
            "book/docs/en/parts/not-included.md": "Alone.\n",
            "book/docs/en/a/.gitbook/includes/two.md": "Two.\n",
        }
    )
    book = read(tmp_path, "book")
    assert [(each.path, each.title, each.text) for each in book.reusables] == [
        ("../../shared/deeper/inner.md", "Inner", "Innermost words.\n"),
        ("../../shared/outside.md", "outside", '{% include "deeper/inner.md" %}\n'),
        ("a/.gitbook/includes/two.md", "two", "Two.\n"),
        ("parts/one.md", "one", "One.\n"),
    ]
    assert book.report.unlisted == ("parts/not-included.md",)


def test_files_of_an_included_text_lie_beside_it_or_beside_the_page(tmp_path: Path, write: Write) -> None:
    shown = '![A](a.png) ![B](b.png) ![C](c.png)\n\n{% file src="d.zip" %}\n\n{% file src="e.zip" %}\n'
    write({"guide/page.md": '# P\n\n{% include "../parts/note.md" %}\n', "parts/note.md": shown, "README.md": "# R\n"})
    write({"parts/a.png": "x", "guide/b.png": "x", "parts/d.zip": "x", "guide/e.zip": "x"})
    write({"SUMMARY.md": "* [R](README.md)\n* [P](guide/page.md)\n"})
    book = read(tmp_path)
    assert book.report.missing == (MissingFile("parts/note.md", "c.png"),)
    assert {file.path for file in book.files} >= {"parts/d.zip", "guide/e.zip"}


def test_byte_order_marks_and_line_ends_are_taken_as_they_come(tmp_path: Path, write: Write) -> None:
    write(
        {
            "SUMMARY.md": b"\xef\xbb\xbf* [A](a.md)\r\n  * [B](b.md)\r\n",
            "a.md": b"\xef\xbb\xbf---\r\nicon: x\r\n---\r\n\r\n# A\r\n\r\nOne.\r\nTwo.\r\n",
            "b.md": b"# B\rOld Mac.\r",
        }
    )
    (page,) = read(tmp_path).pages
    assert (page.title, page.text, page.front_matter) == ("A", "One.\nTwo.\n", {"icon": "x"})
    assert page.children[0].text == "Old Mac.\n"


def test_links_out_of_the_folder_are_not_followed(tmp_path: Path, write: Write) -> None:
    write(
        {"outside/secret.md": "# Secret", "book/SUMMARY.md": "* [A](a.md)\n* [S](secret.md)\n", "book/real.md": "# A"}
    )
    book_folder = tmp_path / "book"
    (book_folder / "secret.md").symlink_to(tmp_path / "outside/secret.md")
    (book_folder / "a.md").symlink_to(book_folder / "real.md")
    (book_folder / "loop").symlink_to(book_folder)
    book = read(book_folder)
    assert [page.path for page in book.walk()] == ["a.md"]
    assert list_folder(book_folder).left_out == (
        LeftOut("loop", Reason.FOLDER_LINK),
        LeftOut("secret.md", Reason.OUTSIDE),
    )
    assert [entry.title for entry in book.report.dangling] == ["S"]


def test_a_page_that_is_not_utf8_comes_in_as_it_stands(tmp_path: Path, write: Write) -> None:
    latin = '# A\n\nna\u00efve\n\n{% include "part.md" %}\n'.encode("latin-1")
    write(
        {"SUMMARY.md": b"* [A](a.md)\n* [\xc9t\xe9](b.md)\n", "a.md": latin, "b.md": "# B\n", "part.md": b"\xe9t\xe9\n"}
    )
    book = read(tmp_path)
    assert [(page.title, page.link_title) for page in book.walk()] == [("A", None), ("B", "\ufffdt\ufffd")]
    assert book.pages[0].text.startswith("na\ufffdve\n")
    assert [each.text for each in book.reusables] == ["\ufffdt\ufffd\n"]
    assert book.report.not_utf8 == (NotUtf8("SUMMARY.md", 2), NotUtf8("a.md", 3), NotUtf8("part.md", 1))


def test_settings_that_are_not_utf8_are_refused_by_name(tmp_path: Path, write: Write) -> None:
    write({"a.md": "# A\n", ".gitbook.yaml": b"root: ./caf\xe9\n"})
    with pytest.raises(FolderError, match=r"\.gitbook\.yaml is not UTF-8 text \(line 1\)\. Save it as UTF-8"):
        read(tmp_path)


def test_a_page_in_utf16_with_its_mark_is_text(tmp_path: Path, write: Write) -> None:
    write({"a.md": "\ufeff# Caf\u00e9\r\n\r\nOpen.\r\n".encode("utf-16-le")})
    (page,) = read(tmp_path).pages
    assert (page.title, page.text) == ("Caf\u00e9", "Open.\n")


def test_a_file_that_is_not_utf8_and_not_listed_does_no_harm(tmp_path: Path, write: Write) -> None:
    write({"SUMMARY.md": "* [A](a.md)\n", "a.md": "# A\n", "b.md": b"\xff\xfe"})
    assert read(tmp_path).report.unlisted == ("b.md",)


def test_files_that_may_not_be_read_are_named_and_the_rest_comes_in(
    tmp_path: Path, write: Write, unreadable: Callable[[str], None]
) -> None:
    write({"SUMMARY.md": "* [Part](part/README.md)\n  * [B](part/b.md)\n", "part/README.md": "# Not seen\n"})
    write({"part/b.md": '# B\n\n{% include "../c.md" %}\n', "c.md": "C", "d.png": b"x", "closed/e.md": "# E\n"})
    for name in ("README.md", "c.md", "d.png", "closed"):
        unreadable(name)
    book = read(tmp_path)
    (part,) = book.pages
    assert (part.title, part.text, part.is_unread, [page.title for page in part.children]) == ("Part", "", True, ["B"])
    denied = "Permission denied"
    assert book.report.unread_pages == (UnreadFile("part/README.md", denied),)
    assert book.report.unread_files == (UnreadFile("c.md", denied), UnreadFile("d.png", denied))
    assert (book.files, book.reusables, book.report.unlisted) == ((), (), ())
    assert list_folder(tmp_path).left_out == (LeftOut("closed", Reason.UNREADABLE),)


def test_a_book_of_which_no_page_may_be_read_is_refused(
    tmp_path: Path, write: Write, unreadable: Callable[[str], None]
) -> None:
    write({"a.md": "# A\n", "b.md": "# B\n"})
    unreadable("a.md")
    unreadable("b.md")
    with pytest.raises(FolderError, match=r"a\.md cannot be read \(Permission denied\), nor can 1 more\. Make them"):
        read(tmp_path)


def test_a_folder_with_the_name_of_a_page_is_no_page(tmp_path: Path, write: Write) -> None:
    write({"SUMMARY.md": "* [A](a.md)\n* [B](b.md)\n* [C](c.md)\n", "a.md/inside.md": "# Inside\n", "b.md": "# B\n"})
    (tmp_path / "c.md").symlink_to("nowhere.md")
    book = read(tmp_path)
    assert [page.path for page in book.walk()] == ["b.md"]
    assert [entry.title for entry in book.report.dangling] == ["A", "C"]
    assert book.report.unlisted == ("a.md/inside.md",)
    assert list_folder(tmp_path).left_out == (LeftOut("c.md", Reason.NOWHERE),)


@pytest.mark.parametrize(
    ("files", "sentence"),
    [
        ({"code.py": "x"}, r"has no pages: there is no Markdown file"),
        ({"SUMMARY.md": "* [A](a.md)\n"}, r"has no pages: no entry of SUMMARY\.md points at a file"),
        ({".gitbook.yaml": "root: [", "a.md": "# A"}, r"\.gitbook\.yaml is not valid YAML"),
        ({".gitbook/vars.yaml": "a: [", "a.md": "# A"}, r"vars\.yaml is not valid YAML"),
    ],
)
def test_a_folder_that_cannot_be_imported_is_refused(
    tmp_path: Path, write: Write, files: dict[str, str], sentence: str
) -> None:
    write(files)
    with pytest.raises(FolderError, match=sentence):
        read(tmp_path)


def test_no_folder_and_a_file_in_its_place_are_refused(tmp_path: Path, write: Write) -> None:
    write({"a.md": "# A"})
    with pytest.raises(FolderError, match="There is no folder"):
        list_folder(tmp_path / "missing")
    with pytest.raises(FolderError, match="is a file, not a folder"):
        list_folder(tmp_path / "a.md")


def test_more_pages_than_a_space_holds_are_refused(
    tmp_path: Path, write: Write, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(folder_module, "MAX_PAGES", 2)
    write({"a.md": "# A", "b.md": "# B", "c.md": "# C"})
    with pytest.raises(FolderError, match=r"has 3 pages, and a space can have at most 2"):
        read(tmp_path)


def test_pages_that_lie_too_deep_are_refused(tmp_path: Path, write: Write) -> None:
    write({"SUMMARY.md": "".join(f"{' ' * depth}* [{depth}](a{depth}.md)\n" for depth in range(60))})
    write({f"a{depth}.md": "" for depth in range(60)})
    with pytest.raises(FolderError, match="more than 50 deep"):
        read(tmp_path)


def test_a_picture_comes_with_its_measures(tmp_path: Path, write: Write) -> None:
    drawing = BytesIO()
    Image.new("RGB", (30, 20)).save(drawing, "PNG")
    write({"README.md": "# A\n", "a.png": drawing.getvalue(), "b.png": b"not one", ".gitbook/assets/c.txt": b"30 x 20"})
    found = {file.name: file.dimensions for file in read(tmp_path).files}
    assert found == {"a.png": {"width": 30, "height": 20}, "b.png": None, "c.txt": None}


def test_a_file_is_what_its_name_says_on_any_machine(tmp_path: Path, write: Write) -> None:
    names = {"a.yaml": "application/yaml", "b.webp": "image/webp", "c.pdf": "application/pdf", "d.unheard": OCTETS}
    write({"README.md": "# A\n", **{f".gitbook/assets/{name}": b"x" for name in names}})
    assert {file.name: file.content_type for file in read(tmp_path).files} == names
