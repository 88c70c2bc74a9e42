"""The filter of a list of comments: all, or those of one status, author or page, and their order."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
_ORDERS = {"desc": "newest first", "asc": "oldest first"}


class CommentFilter:
    """Asks which comments are shown, and follows them for a screen; ``shown`` is called when others are known.

    ``titles`` returns the titles of the pages that have comments, by their ids.
    """

    def __init__(
        self,
        owner: Interactive,
        at: Main | InChangeRequest,
        shown: Callable[[], None],
        titles: Callable[[], Mapping[str, str]],
    ) -> None:
        self._owner = owner
        self._at = at
        self._shown = shown
        self._titles = titles
        self._narrowed: Mapping[str, Any] = {}
        self._order: Mapping[str, Any] = {}
        self._whose = ""
        self.query: Query[Listing[Comment]] | None = None
        """The comments that are shown; ``None`` where it is all of them."""

    @property
    def words(self) -> str:
        """The words for the title of the list: "open", "by Ada Lovelace", "on Welcome, oldest first"."""
        return ", ".join(filter(None, (self._whose, *(_ORDERS[order] for order in self._order.values()))))

    @property
    def empty(self) -> str:
        """The sentence for an empty list."""
        if self._whose in _STATUSES:
            return f"No {self._whose} comments."
        return f"No comments {self._whose}." if self._whose else "No comments yet."

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
        by_page = [Choice(f"page:{page}", f"On {title}") for page, title in self._titles().items()]
        orders = [Choice(f"order:{order}", words.capitalize()) for order, words in _ORDERS.items()]
        choices = [Choice("", "All comments"), *by_status, *by_author, *by_page, *orders]
        chosen = await self._owner.ask(Choose("Show comments", choices))
        if chosen is None:
            return
        kind, _, value = chosen.partition(":")
        label = next(choice.label for choice in choices if choice.id == chosen)
        if not chosen:
            self._narrowed, self._order, self._whose = {}, {}, ""
        elif kind == "order":
            self._order = {"order": value}
        elif kind == "page":
            self._narrowed, self._whose = {"target_page": value}, label.replace("On", "on", 1)
        elif chosen in _STATUSES:
            self._narrowed, self._whose = {"status": chosen}, chosen
        else:
            self._narrowed, self._whose = {"authors": (value,)}, label.replace("By", "by", 1)
        self._follow()

    async def _by_author(self) -> list[Choice]:
        listed: list[Member] = []
        try:
            async for page in pages(self._owner.store.call, Comments.list_commenters, self._at):
                listed += page.items
        except Unsupported:
            return [Choice("author:", "By an author", reason="this server does not list commenters")]
        return [Choice(f"author:{member.id}", f"By {person(member.user)}") for member in by_name(listed)]

    def _follow(self) -> None:
        self.query = None
        if arguments := {**self._narrowed, **self._order}:
            self.query = self._owner.store.query_list(Comments.list_comments, self._at, format="markdown", **arguments)
        self._owner.follow_instead(_GROUP, lambda _: self._shown(), *([self.query] if self.query is not None else ()))
        self._shown()
