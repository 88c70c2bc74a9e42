"""The rows of a space's files, links and revisions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from recto.tui.lists.rows import ItemRows
from recto.tui.look import lines, signs, times
from recto.tui.look.lines import Line, Span, plain
from recto.tui.look.signs import size_text

if TYPE_CHECKING:
    from recto.contract.content import File
    from recto.contract.links import ReferencedContent
    from recto.contract.unread import Unread
    from recto.store.links import SpaceLink
    from recto.store.revisions import PastRevision

_WHEN = 12
"""The cells that how long ago takes."""

_MADE = {"edits": "edited", "merge": "merged", "update": "updated", "rollback": "rolled back", "computed": "computed"}
"""The kind of a revision in a word; unknown kinds are shown as they are."""

_KINDS = {"page": "page", "anchor": "place", "file": "file", "reusable-content": "text", "url": "web", "space": "space"}
"""What a link points at, in a word."""


def file_rows(files: Sequence[File], unread: Sequence[Unread]) -> ItemRows[File]:
    """Return files with what they are and how large."""
    return ItemRows(files, _file, text=lambda one: one.name, unread=unread)


def _file(one: File, width: int) -> Line:
    right: list[Span] = [(measures(one), "muted")]
    return lines.beside([(plain(one.name) or one.id, "")], right, width)


def measures(file: File) -> str:
    """Return what a file is, and how large."""
    size = ""
    if file.dimensions is not None:
        size = f"{file.dimensions.width:.0f} x {file.dimensions.height:.0f} · "
    return f"{plain(file.content_type)} · {size}{size_text(file.size)}"


def link_rows(links: Sequence[SpaceLink], unread: Sequence[Unread]) -> ItemRows[SpaceLink]:
    """Return links with their status, where they lead, and the page in which they are written."""
    return ItemRows(
        links,
        _link,
        key=lambda one: one.number,
        text=lambda one: f"{one.written} {one.text} {one.title}",
        unread=unread,
    )


def _link(one: SpaceLink, width: int) -> Line:
    # All links to the web look the same.
    sign = signs.sign(signs.LINK, "in-app" if (one.status, one.target.kind) == ("ok", "url") else one.status)
    kind = _KINDS.get(one.target.kind, one.target.kind)
    if one.target.kind == "page" and one.target.anchor:
        kind = _KINDS["anchor"]
    room = max(12, width // 3)
    where = plain(one.title) or "an included text"
    right: list[Span] = [*lines.fit([(f"in {where}", "muted")], room)]
    word = sign.word if one.status == "broken" else kind
    name, text = plain(target_name(one)), plain(one.text).strip()
    left: list[Span] = [(f"{sign.sign} {word:<8}", sign.role), (text or name, "")]
    if text and text != name:
        left.append((f"  {name}", "muted"))
    return lines.beside(left, right, width)


def target_name(link: SpaceLink) -> str:
    """Name what a link leads to: by its title where it is there, else as it is written."""
    title = _title(link.target) if link.status == "ok" else ""
    anchor = f" #{link.target.anchor}" if title and link.target.anchor else ""
    return f"{title}{anchor}" if title else link.written


def _title(target: ReferencedContent) -> str:
    if target.page is not None:
        return target.page.title
    if target.file is not None:
        return target.file.name
    if target.kind == "reusable-content":
        return str(getattr(target.reusable_content, "title", ""))
    return target.space.title if target.kind == "space" and target.space is not None else ""


def revision_rows(revisions: Sequence[PastRevision], now: datetime) -> ItemRows[PastRevision]:
    """Return revisions with when, how and by whom they came about."""

    def draw(one: PastRevision, width: int) -> Line:
        return _revision(one, now, width)

    return ItemRows(revisions, draw, text=lambda one: f"{origin_of(one)} {one.message}")


def _revision(one: PastRevision, now: datetime, width: int) -> Line:
    sign: Span = ("● ", "accent") if one.number == 0 else ("○ ", "muted")
    left: list[Span] = [sign, (f"{times.ago(one.created_at, now):<{_WHEN}} ", "muted"), (plain(origin_of(one)), "")]
    if one.number == 0:
        left.append(("  now", "accent"))
    right: list[Span] = []
    if one.commit:
        right.append((f"{plain(one.commit)}  ", "faint"))
    if people := describe_authors(one):
        right.append((", ".join(people), "muted"))
    return lines.beside(left, right, width)


def describe_authors(one: PastRevision) -> list[str]:
    """Name the author of a revision and, where that is another person, the person who merged it."""
    writers = ", ".join(signs.person(writer) for writer in one.writers)
    merged = one.merged_by
    alone = merged is not None and [writer.id for writer in one.writers] == [merged.id]
    return [
        *([f"by {writers}"] if writers else []),
        *([f"merged by {signs.person(merged)}"] if merged is not None and not alone else []),
    ]


def origin_of(one: PastRevision) -> str:
    """Describe how a revision came about: by which change request, by which commit, else in a word."""
    word, subject = _describe_cause(one)
    return f"{word}{' ' if one.request is not None else ': '}{subject}" if subject else word


def origin(one: PastRevision) -> str:
    """Describe how a revision came about and by whom; the names stand before the subject, which may be cut."""
    word, subject = _describe_cause(one)
    return " · ".join(part for part in (word, *describe_authors(one), subject) if part)


def _describe_cause(one: PastRevision) -> tuple[str, str]:
    word = _MADE.get(one.type, one.type)
    if one.request is not None:
        return f"{word} #{one.request.number}", one.request.subject or "without a subject"
    return word, one.message
