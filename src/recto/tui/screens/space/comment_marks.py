"""The marks of comments in a page's margin: those that are open, and those that are typed and not sent."""

from __future__ import annotations

import asyncio
from collections import Counter
from typing import TYPE_CHECKING

from recto.contract.content import Content, Page
from recto.store.anchors import Anchors, find_anchors
from recto.tui.look import signs

if TYPE_CHECKING:
    from collections.abc import Iterable

    from recto.contract.addresses import InChangeRequest, Main
    from recto.contract.comments import Comment
    from recto.store.pending_review import PendingReview
    from recto.store.store import Store
    from recto.tui.look.lines import Span


class CommentMarks:
    """Finds the lines of a page on which there are comments."""

    def __init__(self, store: Store, at: Main | InChangeRequest, pending: PendingReview) -> None:
        self._store = store
        self._at = at
        self._pending = pending
        self._anchors: dict[str, tuple[str, Anchors]] = {}

    async def anchors(self, page: Page) -> Anchors:
        """Return the blocks of a page with the keys by which comments name them; raises ``ClientError``."""
        text = page.markdown or ""
        known = self._anchors.get(page.id)
        if known is None or known[0] != text:
            rich = await self._store.fetch_or_kept(Content.get_page, self._at, page.id, format="document")
            known = self._anchors[page.id] = (text, await asyncio.to_thread(find_anchors, text, rich.document))
        return known[1]

    async def find(self, page: Page, comments: Iterable[Comment]) -> dict[int, Span]:
        """Return the marks by the line of the page's source, counted from 0; raises ``ClientError``."""
        here = [one for one in comments if one.target.page is not None and one.target.page.id == page.id]
        commented = [one.target.node.id for one in here if one.status != "resolved" and one.target.node]
        typed = {each.block for each in self._pending.left if each.page == page.id}
        if not commented and not typed:
            return {}
        anchors = await self.anchors(page)
        counted = Counter(lines[0] - 1 for key in commented if (lines := anchors.lines_of(key)) is not None)
        comment = signs.COMMENT["open"]
        marks: dict[int, Span] = {
            line: (f"{comment.sign}{min(number, 9)}", comment.role) for line, number in counted.items()
        }
        for block in typed:
            lines = anchors.lines_of(block) if block is not None else (1, 1)
            if lines is not None:
                marks[lines[0] - 1] = signs.PENDING.span
        return marks
