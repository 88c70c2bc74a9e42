"""Where the links of pages lead, without a screen."""

from __future__ import annotations

import pytest

from recto.contract.content import GitObject, Page
from recto.tui.screens.reading.destinations import (
    Destination,
    Nowhere,
    ToAddress,
    ToFile,
    ToPage,
    ToSpace,
    ToWeb,
    destination,
)
from recto.tui.screens.reading.page_index import PageIndex

GUIDE = Page(id="g1", title="Guide", path="using/guide", git=GitObject(path="docs/using/guide.md"))
INDEX = PageIndex.of(
    [
        Page(id="w1", title="Welcome", path="welcome", git=GitObject(path="docs/README.md")),
        Page(
            id="u1",
            title="Using",
            path="using",
            type="group",
            pages=(GUIDE, Page(id="m1", title="More", path="using/more")),
        ),
    ]
)


@pytest.mark.parametrize(
    ("href", "leads"),
    [
        ("#a-place", ToPage("g1", "a-place")),
        ("/pages/w1", ToPage("w1")),
        ("/pages/w1#top", ToPage("w1", "top")),
        ("/pages/using/more", ToPage("m1")),
        ("../README.md", ToPage("w1")),
        ("..", ToPage("w1")),
        ("more.md#end", ToPage("m1", "end")),
        ("more", ToPage("m1")),
        ("/welcome.md", ToPage("w1")),
        ("/files/f1", ToFile("f1")),
        ("/spaces/s2", ToSpace("s2")),
        ("/spaces/s2/pages/p9#x", ToSpace("s2", "p9", "x")),
        ("https://example.org/a", ToWeb("https://example.org/a")),
        (
            "https://app.example.org/s/Space12345",
            ToAddress("Space12345", "", "", "https://app.example.org/s/Space12345"),
        ),
        (
            "https://app.example.org/o/o1/s/Space12345/a/page#here",
            ToAddress("Space12345", "a/page", "here", "https://app.example.org/o/o1/s/Space12345/a/page#here"),
        ),
        ("mailto:ada@example.org", ToWeb("mailto:ada@example.org")),
    ],
)
def test_links_lead_to_pages_spaces_and_the_web(href: str, leads: Destination) -> None:
    assert destination(href, GUIDE, INDEX) == leads


@pytest.mark.parametrize(
    ("href", "why"),
    [
        ("/pages/none", "no longer in this space"),
        ("none.md", "no page at none.md"),
        ("../../../outside.md", "no page at"),
        ("/broken/pages/w1", "was deleted"),
        ("picture.png", "a file of this space"),
        ("javascript:alert(1)", "begin with javascript"),
        ("file:///etc/passwd", "begin with file"),
        ("https://[docs", "is not a web address"),
    ],
)
def test_what_cannot_be_followed_says_why(href: str, why: str) -> None:
    found = destination(href, GUIDE, INDEX)
    assert isinstance(found, Nowhere)
    assert why in found.why


def test_the_landing_page_is_the_first_that_is_not_hidden() -> None:
    hidden = Page(id="h", hidden=True)
    group = Page(id="g", type="group", pages=(hidden, Page(id="d")))
    assert PageIndex.of([group]).landing == "d"
    assert PageIndex.of([hidden]).landing == "h"
    assert PageIndex.of([]).landing is None


@pytest.mark.parametrize(
    ("href", "leads"),
    [
        ("docs/README.md", ToPage("w1")),
        ("docs/using/guide.md#end", ToPage("g1", "end")),
        ("more.md", ToPage("m1")),
    ],
)
def test_a_page_that_comes_from_no_file_points_from_the_top_of_the_repository_else_from_its_address(
    href: str, leads: Destination
) -> None:
    assert destination(href, Page(id="n1", path="using/new"), INDEX) == leads
