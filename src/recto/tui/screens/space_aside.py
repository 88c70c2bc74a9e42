"""What the side panel of a space shows of the page: its outline, its comments, or facts about it."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from recto.document.links import LinkKind, links
from recto.document.markdown import parse_page
from recto.tui import facts, lines, signs, times
from recto.tui.lines import Line, plain
from recto.tui.screens.space_links import Nowhere, ToPage, destination
from recto.tui.screens.space_tree import PageIndex, title_of
from recto.tui.widgets.rows import ItemRows

if TYPE_CHECKING:
    from recto.contract.content import Page
    from recto.document.outline import Heading

OUTLINE, COMMENTS, FACTS = "outline", "comments", "facts"
"""What the side panel can show."""

KINDS = (OUTLINE, COMMENTS, FACTS)

TITLES = {OUTLINE: "Outline", COMMENTS: "Comments on this page", FACTS: "About this page"}

_MOST_LINKS = 200


def outline_rows(headings: Sequence[Heading]) -> ItemRows[Heading]:
    """Return the headings, those below others indented."""
    top = min((heading.level for heading in headings[1:]), default=1)

    def draw(heading: Heading, width: int) -> Line:
        indent = "  " * max(0, heading.level - top)
        return lines.fit([(f"{indent}{plain(heading.text)}", "strong" if heading.level < top else "")], width)

    return ItemRows(headings, draw, key=lambda heading: heading.line, text=lambda heading: heading.text)


def heading_at(headings: Sequence[Heading], line: int) -> int | None:
    """Return the key of the heading under which a line of the source stands."""
    return next((heading.line for heading in reversed(headings) if heading.line <= line), None)


def fact_lines(page: Page, index: PageIndex, now: datetime) -> list[Line]:
    """Return what is known about a page, and where its links lead."""
    trail = index.trail(page.id)
    told = [
        facts.heading(title_of(page)),
        facts.fact("path", f"/{page.path}"),
        facts.fact("in", " › ".join(trail[:-1]) or "the top level"),
        facts.fact("type", page.type + (f", {signs.HIDDEN.word}" if page.hidden else "")),
        facts.fact("created", _moment(page.created_at, now)),
        facts.fact("edited", _moment(page.updated_at, now)),
    ]
    if page.git is not None and page.git.path:
        told.append(facts.fact("file", page.git.path))
    if page.description:
        told.append(facts.fact("description", page.description))
    if page.condition:
        told.append(facts.fact("shown if", page.condition))
    if page.urls.published or page.urls.app:
        told.append(facts.fact("address", page.urls.published or page.urls.app or ""))
    told.append(facts.fact("id", page.id))
    return [*told, *_link_lines(page, index)]


def _moment(moment: datetime | None, now: datetime) -> str:
    return f"{times.ago(moment, now)} · {times.exact(moment)}" if moment is not None else "not known"


def _link_lines(page: Page, index: PageIndex) -> list[Line]:
    """Tell each place that the page links to once, with what is wrong with it where something is."""
    found = [link for link in links(parse_page(page.markdown or "")) if link.kind is not LinkKind.INCLUDE]
    seen: dict[str, Line] = {}
    broken = 0
    for link in found:
        if link.target in seen:
            continue
        leads = destination(link.target, page, index)
        if isinstance(leads, ToPage):
            name = title_of(index.pages[leads.page]) + (f" #{leads.anchor}" if leads.anchor else "")
            seen[link.target] = [("→ ", "muted"), (plain(name), "")]
        elif isinstance(leads, Nowhere) and link.kind is not LinkKind.FILE and link.kind is not LinkKind.FILE_ID:
            broken += 1
            seen[link.target] = [("× ", "error"), (plain(link.target), ""), (f"  {plain(leads.why)}", "muted")]
        else:
            seen[link.target] = [("↗ " if link.kind is LinkKind.URL else "· ", "muted"), (plain(link.target), "muted")]
    beside = f"{len(seen)}" + (f", {signs.count(broken, 'broken link')}" if broken else "")
    if not seen:
        return [[], facts.heading("Links", "none")]
    return [[], facts.heading("Links", beside), *list(seen.values())[:_MOST_LINKS]]
