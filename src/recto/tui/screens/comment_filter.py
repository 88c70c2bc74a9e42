"""The filter of a list of comments: all, a status, or an author."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from recto.client.call import pages
from recto.client.errors import Unsupported
from recto.contract.comments import Comments
from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.look.signs import by_name, person

if TYPE_CHECKING:
    from recto.contract.addresses import InChangeRequest, Main
    from recto.contract.comments import Comment
    from recto.contract.members import Member
    from recto.store.query import Listing, Query
    from recto.tui.screens.interactive import Interactive

_GROUP = "comment-filter"
_STATUSES = ("open", "resolved")


class CommentFilter:
    """Asks which comments are shown, and follows them for a screen; ``shown`` is called when others are known."""

    def __init__(self, owner: Interactive, at: Main | InChangeRequest, shown: Callable[[], None]) -> None:
        self._owner = owner
        self._at = at
        self._shown = shown
        self.query: Query[Listing[Comment]] | None = None
        """The comments that are shown; ``None`` where it is all of them."""
        self.words = ""
        """What they have in common: "open", "resolved" or "by Ada Lovelace"."""

    @property
    def empty(self) -> str:
        """The sentence for an empty list."""
        return f"No {self.words} comments." if self.words in _STATUSES else f"No comments {self.words}."

    def ask(self) -> None:
        """Ask which comments to show."""
        self._owner.work_to_open(self._ask(), "comment filter")

    def reload(self) -> None:
        """Refresh the comments that are shown."""
        if self.query is not None:
            self.query.refresh()

    async def _ask(self) -> None:
        by_status = [Choice(status, f"{status} comments".capitalize()) for status in _STATUSES]
        by_author = await self._by_author()
        chosen = await self._owner.ask(Choose("Show comments", [Choice("", "All comments"), *by_status, *by_author]))
        if chosen == "":
            self._follow("")
        elif chosen in _STATUSES:
            self._follow(chosen, status=chosen)
        elif chosen is not None:
            name = next(choice.label for choice in by_author if choice.id == chosen)
            self._follow(name.replace("By", "by", 1), authors=(chosen,))

    async def _by_author(self) -> list[Choice]:
        listed: list[Member] = []
        try:
            async for page in pages(self._owner.store.call, Comments.list_commenters, self._at):
                listed += page.items
        except Unsupported:
            return [Choice("-", "By an author", reason="this server does not list commenters")]
        return [Choice(member.id, f"By {person(member.user)}") for member in by_name(listed)]

    def _follow(self, words: str, **narrowed: Any) -> None:
        self.words = words
        self.query = None
        if narrowed:
            self.query = self._owner.store.query_list(Comments.list_comments, self._at, format="markdown", **narrowed)
        self._owner.follow_instead(_GROUP, lambda _: self._shown(), *([self.query] if self.query is not None else ()))
        self._shown()
