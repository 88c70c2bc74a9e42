"""What the side panel of a space shows of the page: its outline, its comments, its links, or facts about it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from recto.contract.unread import all_unread
from recto.tui.lists.rows import ItemRows, unread_lines
from recto.tui.look import fact_rows, lines, signs, times
from recto.tui.look.lines import Line, plain
from recto.tui.navigation.url_locations import for_browser
from recto.tui.screens.reading.page_index import UNREAD, PageIndex, title_of

if TYPE_CHECKING:
    from recto.contract.content import Page, PageLayout
    from recto.tui.render.contents import Entry

OUTLINE, COMMENTS, FACTS, LINKS = "outline", "comments", "facts", "links"
"""What the side panel can show."""

KINDS = (OUTLINE, COMMENTS, FACTS, LINKS)

TITLES = {
    OUTLINE: "Outline",
    COMMENTS: "Comments on this page",
    FACTS: "About this page",
    LINKS: "Links of this page",
}


def outline_rows(entries: Sequence[Entry]) -> ItemRows[Entry]:
    """Return the rows of an outline, those below a heading indented."""
    top = min((entry.level for entry in entries[1:]), default=1)

    def draw(entry: Entry, width: int) -> Line:
        indent = "  " * max(0, entry.level - top)
        if not entry.method:
            return lines.fit([(f"{indent}{plain(entry.text)}", "strong" if entry.level < top else "")], width)
        from recto.tui.render.operation_parts import method_role

        words = [(f"{indent}{plain(entry.method)} ", method_role(entry.method)), (plain(entry.text), "")]
        path = (f"  {plain(entry.path)}" if entry.path else "", "muted")
        # The beginning of a path, shared by those of a page, adds nothing.
        return lines.fit([*words, path] if lines.width_of([*words, path]) <= width else words, width)

    return ItemRows(entries, draw, key=lambda entry: entry.line, text=_words)


def _words(entry: Entry) -> str:
    return " ".join(filter(None, (entry.method, entry.text, entry.path)))


def heading_at(entries: Sequence[Entry], line: int) -> int | None:
    """Return the key of the heading or operation under which a line of the source stands."""
    return next((entry.line for entry in reversed(entries) if entry.line <= line), None)


def fact_lines(
    page: Page, index: PageIndex, now: datetime, author: str = "", around: Sequence[tuple[str, str]] = ()
) -> list[Line]:
    """Return the facts about a page; ``around`` are further ones, as pairs of name and value."""
    if page.type == UNREAD:
        return [
            fact_rows.heading(title_of(page)),
            [("The response for this page could not be read.", "muted")],
        ]
    trail = index.trail(page.id)
    listed = [
        fact_rows.heading(title_of(page)),
        fact_rows.fact("path", f"/{page.path}"),
        fact_rows.fact("in", " › ".join(trail[:-1]) or "the top level"),
        fact_rows.fact("type", page.type + (f", {signs.HIDDEN.word}" if page.hidden else "")),
        fact_rows.fact("created", _moment(page.created_at, now)),
        fact_rows.fact("edited", _moment(page.updated_at, now)),
        *([fact_rows.fact("by", author)] if author else []),
    ]
    listed += [fact_rows.fact(name, value) for name, value in _attributes(page)]
    listed += [fact_rows.fact(name, value) for name, value in around]
    listed.append(fact_rows.fact("id", page.id))
    listed += unread_lines(all_unread(page.model_copy(update={"pages": ()})))
    if page.variables:
        from recto.document.expressions.values import text_of

        listed += [[], fact_rows.heading("Variables", str(len(page.variables)))]
        listed += [fact_rows.fact(name, text_of(value)) for name, value in sorted(page.variables.items())]
    return listed


def _attributes(page: Page) -> Iterator[tuple[str, str]]:
    """Yield the further attributes that a page has, by name."""
    if page.git is not None and page.git.path:
        yield "file", page.git.path
    if page.icon:
        yield "icon", page.icon
    if page.tags:
        yield "tags", ", ".join(tag.name for tag in page.tags if tag.name)
    if page.description:
        yield "description", page.description
    if page.condition:
        yield "shown if", page.condition
    if page.no_index or page.no_robots_index:
        yield "search", "kept out of search" + ("" if page.no_index else " engines")
    if page.layout is not None:
        yield from _layout(page.layout)
    if page.cover is not None:
        yield "cover", "a picture at the top"
    if address := for_browser(page.urls.published) or for_browser(page.urls.app):
        yield "address", address


def _layout(layout: PageLayout | str) -> Iterator[tuple[str, str]]:
    """Yield its name, or the width and the parts that are not shown: all of them are by default."""
    if isinstance(layout, str):
        yield "layout", layout
        return
    parts = {
        "cover": layout.cover,
        "title": layout.title,
        "description": layout.description,
        "table of contents": layout.table_of_contents,
        "outline": layout.outline,
        "pagination": layout.pagination,
        "metadata": layout.metadata,
    }
    left_out = [name for name, shown in parts.items() if shown is False]
    width = layout.width if layout.width != "default" else None
    summary = [width or "", f"without {', '.join(left_out)}" if left_out else ""]
    if any(summary):
        yield "layout", ", ".join(part for part in summary if part)


def _moment(moment: datetime | None, now: datetime) -> str:
    return times.both(moment, now) or "not known"
