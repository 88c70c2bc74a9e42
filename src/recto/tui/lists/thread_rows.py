"""Drawing comments: author, time, state, text, suggestion and reactions."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Mapping
from datetime import datetime
from typing import TYPE_CHECKING
from urllib.parse import unquote

from rich.style import Style
from textual.strip import Strip

from recto.contract.unread import all_unread
from recto.document.markdown.page import parse_page
from recto.document.merge.diff import LineKind, Marks
from recto.document.suggestion import find_suggestion
from recto.document.text import count
from recto.store.drafts import DraftState
from recto.store.page_diff import PageDiff
from recto.tui.lists.rows import unread_lines
from recto.tui.look import signs
from recto.tui.look.lines import Span, fit, plain, wrap
from recto.tui.look.text_roles import Roles
from recto.tui.look.times import ago
from recto.tui.render.block_leaves import leaves_of
from recto.tui.render.brush import Brush
from recto.tui.render.leaf import Row

if TYPE_CHECKING:
    from recto.contract.comments import Comment, CommentReply
    from recto.store.pending_review import PendingComment

_ROWS = 5_000
"""The most rows of a text that is drawn whole; longer texts are pages and have a view of their own."""


def render_rows(text: str, width: int) -> list[Row]:
    """Lay a text out at a width in cells, all of it."""
    page = parse_page(text)
    rows: list[Row] = []
    for leaf in leaves_of(page.blocks, page.inline, whole=True):
        rows += [Row(leaf.gap_frame.rest, ())] * leaf.gap
        rows += leaf.rows(width)
        if len(rows) > _ROWS:
            break
    return rows[:_ROWS]


def render_lines(text: str, width: int) -> list[list[Span]]:
    """Draw a text as lines in roles, for the rows of a list; the list cuts lines wider than ``width``."""
    return [
        [*row.before, *((part.text, f"{row.ground} {part.role}".strip()) for part in row.parts)]
        for row in render_rows(text, width)
    ]


def render_markdown(text: str, width: int, roles: Roles, base: Style | None = None) -> list[Strip]:
    """Draw a text as strips of exactly ``width`` cells, in the styles of a theme over ``base``."""
    brush = Brush(roles, base or Style.null())
    return [Strip(brush.row(row, width), width) for row in render_rows(text, width)]


SIGNS = {LineKind.ADDED: ("+", "added"), LineKind.REMOVED: ("-", "removed"), LineKind.CONTEXT: (" ", "")}
"""What stands in the margin of a line of a diff, and its role."""

Titles = Mapping[str, str]
"""Titles to show in place of addresses: of pages by id and by path, of another space by its id, and of a page in it by
both ids, joined by a slash."""

NO_TITLES: Titles = {}

_PAGE_LINK = re.compile(
    r"""(?:(?<=\]\()|(?<=\]\(<)|(?<==["'])|(?<=\]:\ ))"""
    r"""/(?:(broken/)?pages/([^\s)"'>#]+)|spaces/([^\s)"'>#/]+)(?:/pages/([^\s)"'>#]+))?)"""
)
_MISSING = "a missing page"

BAR: Span = ("┃ ", "accent")
QUIET_BAR: Span = ("┃ ", "faint")
WAITING_BAR: Span = ("┃ ", "warning")


def thread_lines(
    comment: Comment,
    now: datetime,
    width: int,
    *,
    source: str | None = None,
    place: str = "",
    titles: Titles = NO_TITLES,
) -> list[list[Span]]:
    """Draw a comment with its replies as far as they are known; ``source`` is the block that a suggestion is for."""
    state = signs.sign(signs.COMMENT, str(comment.status))
    is_open = comment.status == "open"
    bar = BAR if is_open else QUIET_BAR
    head: list[Span] = [state.span, (f" {signs.person(comment.posted_by)}", "strong")]
    head.append((f"  {ago(comment.posted_at, now)}", "muted"))
    if comment.edited_at is not None:
        head.append(("  edited", "muted"))
    if not is_open:
        head.append((f"  {state.word}", state.role))
    target = comment.target
    if target.page is not None and target.page.outdated:
        head.append((f"  {signs.OUTDATED.sign} outdated", signs.OUTDATED.role))
    if place:
        head.append((f"  {plain(place)}", "muted"))
    lines = [head, *body_lines(comment.body.markdown or "", width - 2, source=source, titles=titles)]
    lines += reaction_lines(comment, width - 2)
    lines += [list(line) for line in unread_lines(all_unread(comment))]
    if comment.replies:
        lines.append([(count(comment.replies, "reply", "replies"), "muted"), ("  in the thread", "faint")])
    return [[bar, *fit(line, width - 2)] for line in lines]


def reply_lines(
    one: Comment | CommentReply, now: datetime, width: int, *, source: str | None = None, titles: Titles = NO_TITLES
) -> list[list[Span]]:
    """Draw a comment or a reply as a thread shows it when it is open."""
    head: list[Span] = [(signs.person(one.posted_by), "strong"), (f"  {ago(one.posted_at, now)}", "muted")]
    if one.edited_at is not None:
        head.append(("  edited", "muted"))
    unread = [list(line) for line in unread_lines(all_unread(one))]
    body = body_lines(one.body.markdown or "", width, source=source, titles=titles)
    return [head, *body, *reaction_lines(one, width), *unread, []]


def pending_lines(pending: PendingComment, width: int, place: str = "", titles: Titles = NO_TITLES) -> list[list[Span]]:
    """Draw a comment that is not sent yet."""
    word = "pending in your review" if pending.waits else "draft"
    if pending.draft.state is DraftState.UNSURE:
        word += ", may have arrived"
    head: list[Span] = [signs.PENDING.span, (" You", "strong"), (f"  {word}", signs.PENDING.role)]
    if pending.outdated:
        head.append((f"  {signs.OUTDATED.sign} its block was removed", signs.OUTDATED.role))
    if place:
        head.append((f"  {plain(place)}", "muted"))
    body = body_lines(pending.text, width - 2, titles=titles)
    return [[WAITING_BAR, *fit(line, width - 2)] for line in (head, *body)]


def body_lines(markdown: str, width: int, *, source: str | None = None, titles: Titles = NO_TITLES) -> list[list[Span]]:
    """Draw what a comment says; a suggestion as the change it proposes to ``source``."""
    width = max(10, width)
    suggestion = find_suggestion(markdown)
    if suggestion is None:
        return [list(fit(line, width)) for line in render_lines(markdown, width)]
    lines = [list(fit(line, width)) for line in render_lines(suggestion.comment, width)] if suggestion.comment else []
    lines.append([("proposes", "muted")])
    return lines + _proposal(source, suggestion.text, width, titles)


def _proposal(source: str | None, text: str, width: int, titles: Titles) -> list[list[Span]]:
    if source is None or source == text:
        return [line for part in text.split("\n") for line in mark_lines("+", "added", part, (), width, titles)]
    return [
        drawn
        for line in PageDiff(f"{source}\n", f"{text}\n").lines
        for drawn in mark_lines(*SIGNS[line.kind], line.text, line.marks, width, titles)
    ]


def mark_lines(
    sign: str, role: str, text: str, marks: Marks, width: int, titles: Titles = NO_TITLES
) -> list[list[Span]]:
    """Draw a line of a diff, wrapped: the sign in the margin, ground under the text, the changed words marked."""
    if titles:
        text, marks = _name_pages(text, marks, titles)
    ground = f"{role}-line" if role else ""
    spans: list[Span] = []
    start = 0
    for begin, end in marks:
        spans += [(plain(text[start:begin]), ground), (plain(text[begin:end]), f"{role}-word")]
        start = end
    spans.append((plain(text[start:]), ground))
    rows = wrap([span for span in spans if span[0]], width - 2)
    margin: Span = (f"{sign} ", f"{role} strong" if role else "faint")
    return [[margin if index == 0 else ("  ", ""), *row] for index, row in enumerate(rows)]


def links_elsewhere(text: str) -> set[str]:
    """Return the spaces, and the pages of other spaces, that links in a text lead to, by which titles name them."""
    return {f"{found[3]}/{found[4]}" if found[4] else found[3] for found in _PAGE_LINK.finditer(text) if found[3]}


def _title(link: re.Match[str], titles: Titles) -> str:
    broken, page, space, page_there = link.groups()
    if space:
        name = titles.get(f"{space}/{page_there}" if page_there else space)
        return name or ("a page of another space" if page_there else "another space")
    return _MISSING if broken else titles.get(unquote(page).strip("/"), _MISSING)


def _name_pages(text: str, marks: Marks, titles: Titles) -> tuple[str, Marks]:
    """Replace the addresses of pages by titles; a mark within an address marks the whole title."""
    parts: list[str] = []
    places: list[tuple[int, int, int, int]] = []
    end = named = 0
    for found in _PAGE_LINK.finditer(text):
        title = _title(found, titles)
        begin = named + found.start() - end
        parts += [text[end : found.start()], title]
        named, end = begin + len(title), found.end()
        places.append((found.start(), end, begin, named))

    def move(at: int, *, is_end: bool) -> int:
        """Return where a place in the text is now: in an address, at either end of the title."""
        index = bisect_left(places, (at,)) - 1
        if index < 0:
            return at
        _, stop, title_start, title_end = places[index]
        if at < stop:
            return title_end if is_end else title_start
        return at + title_end - stop

    moved = ((move(start, is_end=False), move(stop, is_end=True)) for start, stop in marks)
    return "".join([*parts, text[end:]]), tuple(moved)


def reaction_lines(one: Comment | CommentReply, width: int) -> list[list[Span]]:
    """Draw the reactions, if there are any."""
    if not one.reactions:
        return []
    counts = [(f"{signs.emoji(reaction.emoji) or '·'} {reaction.count}   ", "muted") for reaction in one.reactions]
    return wrap(counts, width)
