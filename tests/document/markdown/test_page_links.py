from __future__ import annotations

import pytest

from recto.document.markdown.blocks import Inline, plain_text
from recto.document.markdown.page import parse_inline, parse_page
from recto.document.markdown.page_links import (
    LinkKind,
    links,
    map_block_addresses,
    map_inline_addresses,
    read_link,
    references,
    resolve,
)


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
def test_targets_are_distinguished(target: str, kind: LinkKind, path: str, anchor: str) -> None:
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


@pytest.mark.parametrize(
    ("target", "kind", "path", "anchor"),
    [
        ("/pages/guide/a%20b?x=1#p%20q", LinkKind.PAGE_ID, "guide/a b", "p q"),
        ("/reusable-content/R1", LinkKind.REUSABLE_ID, "R1", ""),
        ("/spaces/S1/pages/P1#x", LinkKind.SPACE, "S1/pages/P1", "x"),
        ("/spaces/S1", LinkKind.SPACE, "S1", ""),
        ("/collections/C1/", LinkKind.COLLECTION, "C1", ""),
        ("/pages/", LinkKind.PAGE_ID, "", ""),
    ],
)
def test_targets_of_the_platform_are_distinguished(target: str, kind: LinkKind, path: str, anchor: str) -> None:
    link = read_link(target)
    assert (link.kind, link.path, link.anchor) == (kind, path, anchor)


def find(text: str) -> list[tuple[str, str]]:
    return [(link.kind.value, link.target) for link in references(text).links]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('<p align="center"><img src="a.png"> and <a href="b.md">b</a></p>\n', ["a.png", "b.md"]),
        ('<div>\n<iframe src="https://e.org/v"></iframe>\n</div>\n', ["https://e.org/v"]),
        (
            '<figure><picture><source srcset="dark.png" media="(x)"><img src="light.png" alt="A"></picture></figure>\n',
            ["light.png", "dark.png"],
        ),
        ('<a class="button primary" href="go.md">Go</a>\n', ["go.md"]),
        ('[![logo](logo.png)](home.md "title")\n', ["home.md", "logo.png"]),
        ("<https://e.org> and `[no](code.md)`\n\n```\n[no](fence.md)\n```\n", ["https://e.org"]),
        ("## See [this](x.md)\n\n> [quoted](q.md)\n\n1. [item](i.md)\n", ["x.md", "q.md", "i.md"]),
        ('{% file src="/files/F" %}\n\n{% embed url="https://v.org" %}\n', ["/files/F", "https://v.org"]),
        ('{% openapi src="spec.yaml" path="/a" method="get" %}\n{% endopenapi %}\n', ["spec.yaml"]),
        ('{% openapi-operation spec="pets" path="/a" method="get" %}\n', ["pets"]),
        ('<details><summary><a href="s.md">s</a></summary>\n\n[in](in.md)\n\n</details>\n', ["s.md", "in.md"]),
        ("Text[^1]\n\n[^1]: See [note](n.md).\n", ["n.md"]),
        ("| A | B |\n| --- | --- |\n| [a](a.md) | ![b](b.png) |\n", ["a.md", "b.png"]),
        (
            '<table data-view="cards"><thead><tr><th data-card-target data-type="content-ref"></th></tr></thead>'
            '<tbody><tr><td><a href="card.md">card</a></td><td><a href="cover.png">c</a></td></tr></tbody></table>\n',
            ["card.md", "cover.png"],
        ),
        ("{% stepper %}\n{% step %}\n[deep](d.md)\n{% endstep %}\n{% endstepper %}\n", ["d.md"]),
        ("\\[not](a.md) and <!-- <a href='b.md'> -->\n", []),
    ],
)
def test_links_are_found_however_they_are_written(text: str, expected: list[str]) -> None:
    assert [target for _, target in find(text)] == expected


def test_includes_are_distinguished_from_links() -> None:
    blocks = ('{% include "../a.md" %}', '{% include "/reusable-content/R" %}', '{% openapi-schemas spec="pets" %}')
    text = "\n\n".join((*blocks, "[a](b.md)"))
    links = references(text).links
    assert [(link.kind.value, link.target, link.needed) for link in links] == [
        ("include", "../a.md", True),
        ("reusable-content-id", "/reusable-content/R", True),
        ("openapi", "pets", True),
        ("page", "b.md", False),
    ]


def test_anchors_are_those_of_headings_and_those_that_are_written() -> None:
    text = (
        '## The end\n\n## The end\n\n### Own <a href="#x" id="own-one"></a>\n\nHere <a name=\'here\'></a>.\n\n'
        '<h2 id="html">H</h2>\n\n<details id="more">\n<summary>More</summary>\n\nx\n\n</details>\n\n'
        '```\n<a id="code"></a>\n```\n'
    )
    found = references(text)
    assert {anchor for anchor in found.anchors if found.has_anchor(anchor)} == found.anchors
    assert {"the-end", "the-end-1", "own-one", "here", "html", "more"} <= found.anchors
    assert not any(map(found.has_anchor, ("", "x", "code", "the-end-2")))
    assert found.has_anchor("The_End")


@pytest.mark.parametrize(
    ("text", "anchor"),
    [
        ("## 19.9.1. Query (string)\n", "19-9-1-query-string"),
        ("## value/0\n", "value-0"),
        ("<details>\n<summary><code>start_query</code></summary>\n\nx\n\n</details>\n", "start_query"),
        ('{% tabs %}\n{% tab title="On Linux" %}\nx\n{% endtab %}\n{% endtabs %}\n', "on-linux"),
        ("## 資料庫\n", "資料庫"),
        ("## ?\n\n## ?\n", "-1"),
    ],
)
def test_an_anchor_is_the_same_however_a_platform_spells_it(text: str, anchor: str) -> None:
    assert references(text).has_anchor(anchor)
    assert not references("## Else\n").has_anchor(anchor)


@pytest.mark.parametrize(
    "part", ["[", "](", "<a ", "<a id=", "<source srcset=", "{% ", "![](", "<a href='x'>", "`", "#"]
)
def test_hostile_texts_take_no_time(part: str) -> None:
    references(part * 5_000)


def targets_in(inlines: tuple[Inline, ...]) -> set[str]:
    ahead, found = list(inlines), set()
    while ahead:
        inline = ahead.pop()
        found.add(inline.target)
        ahead += inline.children
    return found - {""}


def test_addresses_are_changed_wherever_they_stand() -> None:
    text = (
        '**[a](b "mention") *![c](d)*** <a class="button" href="e">f</a>\n\n{% include "g" %}\n\n{% embed url="h" %}\n'
    )
    paragraph, include, embed = parse_page(text).blocks
    inlines = map_inline_addresses(parse_inline(paragraph.text), str.upper)
    assert targets_in(inlines) == {"B", "D", "E"}
    assert plain_text(inlines) == plain_text(parse_inline(paragraph.text))
    assert map_block_addresses(include, str.upper) == include
    assert map_block_addresses(embed, str.upper).attributes["url"] == "H"


def test_addresses_are_changed_however_deep_they_stand() -> None:
    deep = parse_inline("*a **b " * 3_000 + "[c](d)" + "** e*" * 3_000)
    assert targets_in(deep) == {"d"}
    assert targets_in(map_inline_addresses(deep, str.upper)) == {"D"}
