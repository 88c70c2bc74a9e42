from __future__ import annotations

from pathlib import Path

import pytest

from recto.contract.import_report import Finding
from recto.server.exchange import findings
from recto.server.exchange.findings import findings_around, findings_in
from recto.server.exchange.library import read_library
from support.folders import write_folder


def find_in(top: Path) -> list[Finding]:
    (book,) = read_library(top).books
    return list(findings_in(book))


def test_unlisted_pages_are_folded_by_folder(tmp_path: Path) -> None:
    write_folder(tmp_path, {"SUMMARY.md": "* [A](guide/a.md)\n", "guide/a.md": "# A\n", "guide/b.md": "# B\n"})
    write_folder(tmp_path, {f"admin/old/{number}/{name}.md": "" for number in range(7) for name in "xy"})
    write_folder(tmp_path, {f"guide/{number}.md": "" for number in range(3)})
    write_folder(tmp_path, {"new/one.md": "", "new/two.md": ""})
    (finding,) = find_in(tmp_path)
    assert finding == Finding(
        "20 files are not listed in SUMMARY.md, so they are not among the pages:",
        ("admin/ (14 pages)", "guide/ (4 pages)", "new/one.md", "new/two.md"),
    )


def test_missing_pictures_and_files_are_named_with_their_page(tmp_path: Path) -> None:
    text = (
        "# A\n\n![there](x.png) ![no](images/no.png)\n\n<img src='gone.svg'>\n\n[paper](</my paper.pdf>)\n\n"
        '{% file src="../x.zip" %}\n\n{% include "../.gitbook/includes/none.md" %}\n\n'
        "```\n![in code](code.png)\n```\n\n[web](https://example.org/a.png) [page](nowhere.md)\n"
    )
    write_folder(tmp_path, {"SUMMARY.md": "* [A](a/a.md)\n* [B](b.md)\n", "a/a.md": text, "a/x.png": "x"})
    write_folder(tmp_path, {"b.md": "# B\n\n```\n![in code](code.png)\n```\n"})
    (finding,) = find_in(tmp_path)
    assert finding.message == "5 pictures and files are named by pages and not there:"
    (line,) = finding.lines
    page, _, targets = line.partition(": ")
    assert page == "a/a.md"
    assert sorted(targets.split(", ")) == [
        "../.gitbook/includes/none.md",
        "../x.zip",
        "/my paper.pdf",
        "gone.svg",
        "images/no.png",
    ]


def test_missing_covers_and_pictures_of_cards_are_named(tmp_path: Path) -> None:
    covers = "---\ncover: .gitbook/assets/no.png\ncoverDark: there.png\ncoverY: 0\n---\n\n# A\n"
    card = '<table data-view="cards"><tbody><tr><td>One</td><td><a href="{}">x</a></td></tr></tbody></table>\n'
    write_folder(tmp_path, {"a.md": covers, "there.png": "x", "SUMMARY.md": "* [A](a.md)\n* [B](b.md)\n* [C](c.md)\n"})
    write_folder(
        tmp_path, {"b.md": "# B\n\n" + card.format("card.jpg"), "c.md": "---\ncover: https://x.y/z.png\n---\n"}
    )
    assert find_in(tmp_path) == [
        Finding(
            "2 pictures and files are named by pages and not there:", ("a.md: .gitbook/assets/no.png", "b.md: card.jpg")
        )
    ]


def test_what_is_outside_the_root_is_not_said_to_be_missing(tmp_path: Path) -> None:
    text = "# A\n\n![x](../../images/x.png) ![no](../../images/no.png) [top](../../../up.pdf)\n"
    write_folder(tmp_path, {".gitbook.yaml": "root: ./docs/en/\n", "docs/en/SUMMARY.md": "* [A](a/a.md)\n"})
    write_folder(
        tmp_path, {"docs/en/a/a.md": f'{text}\n{{% include "../../shared/b.md" %}}\n', "docs/images/x.png": "x"}
    )
    write_folder(tmp_path, {"docs/shared/b.md": "![y](y.png) ![no](z.png)\n", "docs/shared/y.png": "y", "up.pdf": "u"})
    assert find_in(tmp_path) == [
        Finding(
            "2 pictures and files are named by pages and not there:",
            ("docs/en/a/a.md: ../../images/no.png", "docs/shared/b.md: z.png"),
        ),
        Finding(
            "3 pictures and files are outside the root of the book, docs/en/, so they were left out:",
            ("docs/en/a/a.md: ../../images/x.png, ../../../up.pdf", "docs/shared/b.md: y.png"),
        ),
    ]


def test_a_condition_that_cannot_be_read_is_named(tmp_path: Path) -> None:
    write_folder(
        tmp_path, {"a.md": '---\nif: "visitor.claims."\n---\n\n# A\n', "b.md": "---\nif: visitor.claims.b\n---\n"}
    )
    assert find_in(tmp_path) == [
        Finding(
            "1 page has a condition that cannot be read, so no reader is shown it:",
            ("a.md: A name is missing before the end (character 16)",),
        )
    ]


def test_a_remark_that_is_repeated_stands_once_with_a_count_and_the_first_places(tmp_path: Path) -> None:
    entries = "".join(f"* [X{number}](gone.md)\n" for number in range(8))
    write_folder(tmp_path, {"SUMMARY.md": f"* [A](a.md)\n{entries}* [Y](y.md)\n", "a.md": "# A\n"})
    places = ", ".join(f"line {number + 2}, “X{number}”" for number in range(5))
    assert find_in(tmp_path) == [
        Finding(
            "9 entries of SUMMARY.md lead nowhere:",
            (f"gone.md (8 times): {places} and 3 more", "line 10, “Y”: y.md"),
        )
    ]


def test_a_finding_has_so_many_lines_and_counts_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(findings, "MOST_LINES", 2)
    write_folder(
        tmp_path, {"SUMMARY.md": "* [A](a.md)\n" + "".join(f"* [X](x{n}.md)\n" for n in range(5)), "a.md": "# A\n"}
    )
    assert find_in(tmp_path) == [
        Finding("5 entries of SUMMARY.md lead nowhere:", ("line 2, “X”: x0.md", "line 3, “X”: x1.md", "and 3 more"))
    ]


def test_what_is_left_out_of_the_folder_is_named_once(tmp_path: Path) -> None:
    write_folder(tmp_path, {"a.md": "# A\n"})
    (tmp_path / "away").symlink_to(tmp_path.parent)
    library = read_library(tmp_path)
    assert findings_around(library) == (
        Finding("1 thing was left out:", ("away: a link to something outside the folder",)),
    )
