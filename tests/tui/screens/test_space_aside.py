"""What the side panel tells of a page, without a screen."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest

from recto.contract.common import Urls
from recto.contract.content import GitObject, Page, PageCover, PageLayout
from recto.document.openapi.api_model import Operation
from recto.tui.look import times
from recto.tui.render.contents import OutlineEntry
from recto.tui.render.rendered_page import read
from recto.tui.render.surroundings import Surroundings
from recto.tui.screens.reading.page_index import PageIndex
from recto.tui.screens.space.side import fact_lines, heading_at, outline_rows

NOW = datetime(2026, 3, 2, 12, tzinfo=UTC)
CREATED, EDITED = datetime(2026, 2, 27, 12, tzinfo=UTC), datetime(2026, 3, 2, 10, tzinfo=UTC)


def facts_of(author: str = "", around: Any = (), **fields: Any) -> list[tuple[str, str]]:
    """What is told of a page in a group, name by name."""
    page = Page(id="p1", title="The page", path="group/the-page", **fields)
    index = PageIndex.of([Page(id="g1", title="The group", type="group", path="group", pages=(page,))])
    lines = ["".join(text for text, _role in line) for line in fact_lines(page, index, NOW, author, around)]
    return [(line[:14].rstrip(), line[14:]) for line in lines]


def test_facts_about_a_page_are_its_path_kind_and_times() -> None:
    assert facts_of(created_at=CREATED, updated_at=EDITED) == [
        ("The page", ""),
        ("path", "/group/the-page"),
        ("in", "The group"),
        ("type", "document"),
        ("created", f"3 d ago · {times.exact(CREATED)}"),
        ("edited", f"2 h ago · {times.exact(EDITED)}"),
        ("id", "p1"),
    ]


def test_unknown_facts_are_named_as_unknown() -> None:
    assert {("created", "not known"), ("edited", "not known")} <= set(facts_of())


def test_a_page_at_the_top_is_named_as_such() -> None:
    page = Page(id="p1", title="The page", path="the-page")
    assert [("in            ", "muted"), ("the top level", "")] in fact_lines(page, PageIndex.of([page]), NOW)


@pytest.mark.parametrize(
    ("fields", "fact"),
    [
        ({"hidden": True}, ("type", "document, hidden")),
        ({"git": GitObject(path="docs/page.md")}, ("file", "docs/page.md")),
        ({"icon": "rocket"}, ("icon", "rocket")),
        ({"description": "What it is about"}, ("description", "What it is about")),
        ({"condition": "visitor.claims.beta"}, ("shown if", "visitor.claims.beta")),
        ({"no_index": True}, ("search", "kept out of search")),
        ({"no_robots_index": True}, ("search", "kept out of search engines")),
        ({"layout": PageLayout(width="wide")}, ("layout", "wide")),
        (
            {"layout": PageLayout(cover=False, title=False, description=False, outline=True)},
            ("layout", "without cover, title, description"),
        ),
        (
            {"layout": PageLayout(width="wide", outline=False, table_of_contents=False)},
            ("layout", "wide, without table of contents, outline"),
        ),
        ({"layout": PageLayout(pagination=False, metadata=False)}, ("layout", "without pagination, metadata")),
        ({"cover": PageCover()}, ("cover", "a picture at the top")),
        ({"urls": Urls(app="https://app.e.com/p", published="https://e.com/p")}, ("address", "https://e.com/p")),
        ({"urls": Urls(app="https://app.e.com/p")}, ("address", "https://app.e.com/p")),
        ({"author": "Ada, in #1 Say it"}, ("by", "Ada, in #1 Say it")),
        ({"around": [("links", "3, 1 broken")]}, ("links", "3, 1 broken")),
        ({"variables": {"version": "4.2"}}, ("version", "4.2")),
        (
            {"tags": [{"tag": {"kind": "tag", "tag": "new"}, "primary": True}, {"tag": "beta"}, {"tag": None}]},
            ("tags", "new, beta"),
        ),
    ],
)
def test_only_known_facts_about_a_page_are_listed(fields: dict[str, Any], fact: tuple[str, str]) -> None:
    assert fact in facts_of(**fields)
    assert fact[0] in ("type", *(name for name, _value in set(facts_of(**fields)) - set(facts_of())))


def test_a_layout_that_shows_everything_is_not_listed() -> None:
    assert "layout" not in dict(facts_of(layout=PageLayout(title=True, outline=True)))


def test_variables_stand_under_a_heading_with_their_number() -> None:
    assert facts_of(variables={"n": 3, "yes": True})[-2:] == [("n", "3"), ("yes", "true")]
    assert facts_of(variables={"b": "2", "a": "1"})[-4:] == [("", ""), ("Variables  2", ""), ("a", "1"), ("b", "2")]


def test_the_outline_is_indented_by_level_and_knows_under_which_heading_one_reads() -> None:
    headings = read("", "# Title\n\n## One\n\n### Within\n\ntext\n\n## Two\n").contents
    assert outline_drawn(headings) == ["Title", "One", "  Within", "Two"]
    assert [heading_at(headings, line) for line in (0, 2, 6, 8)] == [0, 2, 4, 8]


OPERATIONS = """\
{% openapi src="pets.yaml" path="/pets" method="get" %}{% endopenapi %}

## Cakes

{% tabs %}
{% tab title="Old" %}
{% swagger method="post" path="/cakes" baseUrl="https://e.com" summary="Bake one" %}
{% swagger-parameter in="path" name="id" %}{% endswagger-parameter %}
{% endswagger %}
{% endtab %}
{% endtabs %}

### More

{% openapi-webhook spec="pets" name="born" %}{% endopenapi-webhook %}

{% openapi-schemas spec="pets" schemas="Pet" %}{% endopenapi-schemas %}
"""


def outline_drawn(entries: Sequence[OutlineEntry], width: int = 40) -> list[str]:
    rows = outline_rows(entries)
    return ["".join(text for text, _role in rows.draw(index, width)[0]) for index in range(len(rows))]


def test_the_outline_lists_operations_under_their_headings_by_method_and_summary() -> None:
    entries = read("", OPERATIONS).contents
    assert outline_drawn(entries) == ["GET /pets", "Cakes", "  POST Bake one  /cakes", "  More", "    born"]
    assert [outline_drawn(entries, width)[2] for width in (17, 12)] == ["  POST Bake one", "  POST Bake…"]
    assert heading_at(entries, OPERATIONS.splitlines().index("### More") - 1) == 6


def test_what_is_known_of_an_operation_stands_in_the_outline() -> None:
    told = Operation("get", "/pets/{id}", "List\n all pets")
    around = Surroundings(described=lambda _block: told)
    assert outline_drawn(read("", OPERATIONS, surroundings=around).contents)[0] == "GET List all pets  /pets/{id}"
