"""Words, signs and roles of states, short forms of names, counts and sizes."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Protocol

from rich.cells import cell_len, set_cell_size

from recto.frozen import frozen
from recto.pattern import pattern
from recto.tui.look.lines import Span, plain

if TYPE_CHECKING:
    from recto.contract.members import Member


@frozen
class Sign:
    """The look of a state: its word, its sign (a single cell, in every font) and the role of both."""

    word: str
    sign: str
    role: str

    @property
    def span(self) -> Span:
        """The sign alone."""
        return (self.sign, self.role)

    @property
    def spans(self) -> list[Span]:
        """The sign and the word."""
        return [(f"{self.sign} {self.word}", self.role)]


CHANGE_REQUEST = {
    "draft": Sign("draft", "◌", "muted"),
    "open": Sign("open", "○", "accent"),
    "merged": Sign("merged", "●", "changed"),
    "archived": Sign("archived", "×", "faint"),
}
REVIEW = {
    "approved": Sign("approved", "✓", "success"),
    "changes-requested": Sign("changes requested", "!", "warning"),
    "requested": Sign("review requested", "?", "muted"),
    "commented": Sign("commented", "·", "muted"),
}
COMMENT = {
    "open": Sign("open", "○", "accent"),
    "resolved": Sign("resolved", "✓", "success"),
}
CHANGE = {
    "new": Sign("new", "+", "added"),
    "edited": Sign("edited", "~", "changed"),
    "moved": Sign("moved", "→", "changed"),
    "renamed": Sign("renamed", "=", "changed"),
    "deleted": Sign("deleted", "-", "removed"),
}
ADDRESS = {
    "main": Sign("main", "●", "success"),
    "change request": Sign("change request", "◌", "changed"),
    "revision": Sign("past revision", "◷", "warning"),
}
"""Where a space is seen: each has a colour of its own, wherever it is named."""

VISIBILITY = {
    "public": Sign("public", "○", "text"),
    "unlisted": Sign("unlisted", "◌", "muted"),
    "share-link": Sign("share link", "∞", "muted"),
    "visitor-auth": Sign("signed-in visitors", "◇", "muted"),
    "in-collection": Sign("as its collection", "·", "muted"),
    "private": Sign("private", "×", "muted"),
}
LINK = {
    "ok": Sign("ok", "→", "muted"),
    "broken": Sign("broken", "×", "error"),
    "in-app": Sign("in the web app", "↗", "muted"),
}
TRANSLATED = {
    "current": Sign("current", "✓", "success"),
    "stale": Sign("stale", "↓", "warning"),
    "waiting": Sign("waiting", "…", "warning"),
    "missing": Sign("missing", "×", "error"),
    "extra": Sign("extra", "+", "muted"),
}
NEWS_SIGN = "•"
"""Marks what others added or changed."""
LINK_SIGN = "↗"
"""Stands before links: a page that is a link, an external link of a site."""

OUTDATED = Sign("outdated", "↓", "warning")
CONFLICTING = Sign("conflicting", "≠", "error")
HIDDEN = Sign("hidden", "◌", "faint")
BROKEN = Sign("broken", "×", "error")
LOCKED = Sign("locked", "■", "muted")
VIEWED = Sign("viewed", "✓", "success")
MET = Sign("met", "✓", "success")
NOT_MET = Sign("not met", "×", "warning")
PENDING = Sign("not sent yet", "…", "warning")


def sign(signs: dict[str, Sign], state: str | None) -> Sign:
    """Return the sign of a state; an unknown state shows its own word."""
    name = str(state) if state else "unknown"
    return signs.get(name) or Sign(plain(name), "·", "muted")


class Person(Protocol):
    """The attributes of a user that name them."""

    @property
    def id(self) -> str:
        """The user's id."""
        ...


def person(user: Person | None) -> str:
    """Return a person's short form: the display name, else the part of the e-mail before ``@``, else the id."""
    if user is None:
        return "unknown member"
    name = getattr(user, "display_name", None)
    if name and str(name).strip():
        return plain(str(name).strip())
    email = getattr(user, "email", None)
    return plain(str(email).partition("@")[0] if email else user.id)


def by_name(members: Iterable[Member]) -> list[Member]:
    """Return members sorted by name, as the API does not."""
    return sorted(members, key=lambda member: (person(member.user).casefold(), member.id))


_CODE = pattern(r"[0-9A-Fa-f]{2,6}(-[0-9A-Fa-f]{2,6})*")
_LONGEST_EMOJI = 16
"""The code points of an emoji made of several."""
_WIDEST_EMOJI = 2
"""The cells of an emoji."""


def emoji(code: str | None) -> str:
    """Return an emoji whose code points come in hexadecimal joined by ``-``, or as the character itself.

    Of longer text only as much is returned as an emoji is wide: signs stand in a column.
    """
    if not code:
        return ""
    try:
        text = "".join(chr(int(part, 16)) for part in code.split("-"))
    except (ValueError, OverflowError):
        text = code
    shown = plain(text)
    return set_cell_size(shown, _WIDEST_EMOJI) if cell_len(shown) > _WIDEST_EMOJI else shown


def why_no_emoji(typed: str) -> str | None:
    """Return the fault of a text that should be one emoji, itself or its code points; ``None`` if it is."""
    # Unicode counts ℹ among the letters.
    has_words = any(letter.isspace() or (letter.isalpha() and letter != "ℹ") for letter in typed)
    is_one = len(typed) <= _LONGEST_EMOJI and not has_words
    return None if is_one or _CODE.fullmatch(typed) else "type one emoji, such as 📖"


def size_text(count: int) -> str:
    """Return a size in bytes as text: ``812 B``, ``4.2 KB``, ``1.0 MB``."""
    if count < 1000:
        return f"{count} B"
    return f"{count / 1000:.1f} KB" if count < 1_000_000 else f"{count / 1_000_000:.1f} MB"
