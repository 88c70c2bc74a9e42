from __future__ import annotations

import pytest

from recto.document.links import LinkKind, links, read_link, resolve
from recto.document.markdown import parse_page


@pytest.mark.parametrize(
    ("target", "kind", "path", "anchor"),
    [
        ("../a%20b.md#part", LinkKind.PAGE, "../a b.md", "part"),
        ("folder/", LinkKind.PAGE, "folder/", ""),
        ("#here", LinkKind.ANCHOR, "", "here"),
        ("https://example.com/a.md#x", LinkKind.URL, "https://example.com/a.md#x", ""),
        ("mailto:a@example.com", LinkKind.URL, "mailto:a@example.com", ""),
        ("//example.com", LinkKind.URL, "//example.com", ""),
        (".gitbook/assets/a.png", LinkKind.FILE, ".gitbook/assets/a.png", ""),
        ("/pages/AbC123#x", LinkKind.PAGE_ID, "AbC123", "x"),
        ("/files/F1", LinkKind.FILE_ID, "F1", ""),
        ("/broken/pages/AbC123", LinkKind.BROKEN, "AbC123", ""),
    ],
)
def test_targets_are_told_apart(target: str, kind: LinkKind, path: str, anchor: str) -> None:
    link = read_link(target)
    assert (link.kind, link.path, link.anchor) == (kind, path, anchor)


@pytest.mark.parametrize(
    ("target", "path"),
    [
        ("b.md", "guide/b.md"),
        ("../c/d.md#x", "c/d.md"),
        ("./", "guide/README.md"),
        ("..", "README.md"),
        ("../..", None),
        ("/top.md", "top.md"),
        ("#here", "guide/a.md"),
        ("https://example.com", None),
        ("/pages/x", None),
        ("../img/a.png", "img/a.png"),
    ],
)
def test_paths_are_those_of_the_repository(target: str, path: str | None) -> None:
    assert resolve(read_link(target), "guide/a.md") == path


def test_links_of_every_block_are_found() -> None:
    page = parse_page(
        'See [a **b**](a.md), ![pic](p.png) and [m](m.md "mention").\n\n'
        '{% content-ref url="c.md" %}\n[c.md](c.md)\n{% endcontent-ref %}\n\n{% embed url="https://e.org" %}\n\n'
        '{% include "../inc.md" %}\n\n<figure><img src="f.png" alt="F"><figcaption></figcaption></figure>\n\n'
        '<table><tr><td><a href="t.md">t</a></td></tr></table>\n\n- [ref]\n\n[ref]: r.md\n'
    )
    found = [(link.kind.value, link.target, link.text, link.line) for link in links(page)]
    assert found == [
        ("page", "a.md", "a b", 0),
        ("file", "p.png", "pic", 0),
        ("page", "m.md", "m", 0),
        ("page", "c.md", "", 2),
        ("page", "c.md", "c.md", 3),
        ("url", "https://e.org", "", 6),
        ("include", "../inc.md", "", 8),
        ("file", "f.png", "F", 10),
        ("page", "t.md", "t", 12),
        ("page", "r.md", "ref", 14),
    ]
