from __future__ import annotations

import json
from pathlib import Path

import pytest

from recto.server.exchange.folder import FolderError
from recto.server.exchange.library import read_library


def write(top: Path, files: dict[str, str]) -> None:
    for place, content in files.items():
        file = top / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content, encoding="utf-8")


def book(place: str) -> dict[str, str]:
    return {f"{place}/SUMMARY.md": "* [Home](README.md)\n", f"{place}/README.md": f"# {place}\n"}


def link(name: str, title: str, default: bool = False) -> dict[str, object]:
    space = {"object": "space", "id": f"space-{name}", "title": f"Space {title}"}
    return {
        "object": "site-space", "id": name, "path": name.rpartition("-")[2], "title": title, "default": default,
        "space": space,
    }  # fmt: skip


def section(path: str, *links: dict[str, object]) -> dict[str, object]:
    return {"object": "site-section", "id": f"section-{path}", "path": path, "title": path.title(), "siteSpaces": links}


STRUCTURE = {
    "type": "sections",
    "structure": [
        section("home", link("home-docs", "English", default=True), link("home-fr", "Fran\u00e7ais")),
        {
            "object": "site-section-group",
            "id": "group",
            "title": "Products",
            "children": [section("developers", link("dev-v2", "Version 2", default=True), link("dev-v1", "Version 1"))],
        },
    ],
}


def test_one_book_below_a_folder_without_one_is_the_book(tmp_path: Path) -> None:
    write(tmp_path / "pg", {"README.md": "# Not a page", **book("tw")})
    library = read_library(tmp_path / "pg")
    assert [(found.folder, found.title) for found in library.books] == [("tw", "pg")]
    assert library.site is None


def test_a_folder_with_a_summary_is_one_book_whatever_lies_below(tmp_path: Path) -> None:
    write(tmp_path, {"SUMMARY.md": "* [A](a.md)\n", "a.md": "# A", **book("below")})
    assert [found.folder for found in read_library(tmp_path).books] == [""]


def test_several_books_without_a_structure_are_just_books(tmp_path: Path) -> None:
    write(tmp_path, {**book("one"), **book("deep/two")})
    library = read_library(tmp_path)
    assert [(found.folder, found.title) for found in library.books] == [("deep/two", "two"), ("one", "one")]
    assert library.site is None


def test_books_find_their_site_spaces(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "structure.json": json.dumps(STRUCTURE),
            "customization.json": json.dumps({"title": "The whole site"}),
            **book("home"),
            **book("extra"),
            **book("products/developers/v1"),
            **book("products/developers"),
        },
    )
    # A book within a book would be part of it: the section's own book stands beside its versions instead.
    (tmp_path / "products/developers/SUMMARY.md").unlink()
    library = read_library(tmp_path)
    site = library.site
    assert site is not None
    assert site.title == "The whole site"
    assert site.books == {"home-docs": "home", "dev-v1": "products/developers/v1"}
    assert [(missing.section, missing.title) for missing in site.missing] == [
        ("Home", "Fran\u00e7ais"),
        ("Developers", "Version 2"),
    ]
    assert site.unplaced == ("extra",)
    assert [(found.folder, found.title) for found in library.books] == [
        ("home", "Space English"),
        ("products/developers/v1", "Space Version 1"),
        ("extra", "extra"),
    ]


def test_a_section_path_alone_is_its_default(tmp_path: Path) -> None:
    write(tmp_path, {"structure.json": json.dumps(STRUCTURE), **book("home"), **book("products/developers")})
    site = read_library(tmp_path).site
    assert site is not None
    assert site.books == {"home-docs": "home", "dev-v2": "products/developers"}


def test_a_structure_that_is_none_is_refused(tmp_path: Path) -> None:
    write(tmp_path, {"structure.json": "[1]", **book("one"), **book("two")})
    with pytest.raises(FolderError, match=r"structure\.json is not the structure of a site"):
        read_library(tmp_path)


def test_a_book_is_refused_by_the_name_of_its_file(tmp_path: Path) -> None:
    write(tmp_path, {**book("one"), **book("two")})
    (tmp_path / "two/.gitbook.yaml").write_bytes(b"\xff")
    with pytest.raises(FolderError, match=r"two/\.gitbook\.yaml is not UTF-8"):
        read_library(tmp_path)


def test_entries_without_end_are_refused(tmp_path: Path) -> None:
    write(tmp_path, {"SUMMARY.md": "".join(f"{' ' * depth}* {depth}\n" for depth in range(2000))})
    with pytest.raises(FolderError, match=r"Line 52 of the summary, “51”, is nested more than 50 deep\."):
        read_library(tmp_path)
