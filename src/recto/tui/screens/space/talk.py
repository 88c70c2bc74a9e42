"""What a person says about the pages of a space: comments on blocks, and what is done with a thread."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import Callable, Coroutine
from functools import cached_property
from typing import TYPE_CHECKING, Any

from recto.contract.content import Page, SpaceContent
from recto.store.anchors import Anchors, find_anchors
from recto.store.drafts import Draft, DraftKind, DraftPlace
from recto.store.mutation import Mutation
from recto.store.page_edit import is_unsure
from recto.tui.dialogs.prompt import PromptText
from recto.tui.look import signs
from recto.tui.look.lines import Span
from recto.tui.screens.reacting import choose_reaction, confirm_removal
from recto.tui.screens.space.talk_rows import unmarked

if TYPE_CHECKING:
    from recto.contract.comments import Comment, CommentReply
    from recto.store.keeper import TypedText
    from recto.store.talk import Talk
    from recto.tui.screens.reading.reader import Reader
    from recto.tui.screens.space.base import SpaceBase
    from recto.tui.screens.space.edits import Edits
    from recto.tui.screens.space.talk_lists import Lists

Send = Callable[[str, Draft], Mutation[Any]]
"""Gives the change that sends a text, which is in a draft."""


class SpaceTalk:
    """Comments on the pages of one space, as the desk of their threads."""

    def __init__(self, view: SpaceBase, space: str, reader: Reader, lists: Lists, edits: Edits) -> None:
        self._view = view
        self._store = view.store
        self._space = space
        self._reader = reader
        self._lists = lists
        self._edits = edits
        self._anchors: dict[str, tuple[str, Anchors]] = {}
        self._drafts: list[Draft] = []
        self._sending: set[str] = set()
        self.typing = False
        """Whether a comment is being typed."""

    @cached_property
    def _talk(self) -> Talk:
        """Gives the changes; imported when something is said, for most starts are for reading."""
        from recto.store.talk import Talk

        return Talk(self._space)

    # Blocks

    async def anchors(self, page: Page) -> Anchors:
        """Return the blocks of a page with the keys by which comments name them; raises ``ClientError``."""
        text = page.markdown or ""
        known = self._anchors.get(page.id)
        if known is None or known[0] != text:
            rich = await self._store.fetch(SpaceContent.get_page, self._space, page.id, format="document")
            known = self._anchors[page.id] = (text, await asyncio.to_thread(find_anchors, text, rich.document))
        return known[1]

    async def mark(self, page: Page) -> None:
        """Put the open comments of a page's blocks into its margin, and those that are typed and not sent."""
        commented = [one.target.node.id for one in self._on(page) if one.status != "resolved" and one.target.node]
        typed = {one.place.block for one in self._drafts if one.place.page == page.id}
        signed: dict[int, Span] = {}
        if commented or typed:
            anchors = await self.anchors(page)
            counted = Counter(lines[0] - 1 for key in commented if (lines := anchors.lines_of(key)) is not None)
            comment = signs.COMMENT["open"]
            signed = {line: (f"{comment.sign}{min(number, 9)}", comment.role) for line, number in counted.items()}
            for block in typed:
                lines = anchors.lines_of(block) if block is not None else (1, 1)
                if lines is not None:
                    signed[lines[0] - 1] = signs.PENDING.span
        if self._reader.shown is page:
            self._view.panels.sheet.mark(signed)

    async def find_drafts(self) -> None:
        """Find the comments that were typed and not sent; what was on its way may have arrived."""
        place = DraftPlace(space=self._space)
        found = await self._store.keeper.do(self._store.drafts.find, place, DraftKind.COMMENT)
        left = [
            await self._settled(draft, lambda text, draft: self._talk.comment(text, draft=draft))
            for draft in found
            if draft.place.page and draft.place.change_request is None
        ]
        self._drafts = [draft for draft in left if draft is not None]
        self._view.comments_changed()

    async def _settled(self, draft: Draft, send: Send) -> Draft | None:
        """Return a draft that is still to be sent; of one whose answer was lost, look whether it has arrived."""
        if not is_unsure(draft) or draft.id in self._sending:
            return draft

        text = await self._store.keeper.text(draft)
        if (await self._store.look_for(send(text, draft))).ok:
            self._view.say("Your reply had arrived." if draft.kind is DraftKind.REPLY else "Your comment had arrived.")
            return None
        return await self._store.keeper.do(self._store.drafts.get, draft.id)

    def _on(self, page: Page) -> list[Comment]:
        return [one for one in self._lists.comments if one.target.page is not None and one.target.page.id == page.id]

    # Commenting

    async def comment(self, page: Page, line: int) -> None:
        """Let the person comment on the block at a line of the page's text, counted from 0."""
        anchors = await self.anchors(page)
        # The heading that gives the title is no block of the page: there the page as a whole is meant.
        block = anchors.key_at(line + 1)
        begins = unmarked(anchors.beginning_of(block)) if block is not None else ""
        await self._write(
            DraftKind.COMMENT,
            DraftPlace(space=self._space, page=page.id, block=block),
            "Comment",
            lambda text, draft: self._talk.comment(text, page=page.id, block=block, draft=draft),
            says=f"On “{begins}”" if begins else f"On the page “{page.title}”",
        )

    async def _write(
        self,
        kind: DraftKind,
        place: DraftPlace,
        title: str,
        send: Send,
        *,
        says: str = "",
        value: str = "",
    ) -> None:
        """Let a text be typed, on disk at each key, and send it; what was left there before goes on."""
        drafts = self._store.drafts
        left = await self._store.keeper.do(drafts.find, place, kind)
        draft = next((one for one in reversed(left) if one.place == place), None)
        draft = await self._settled(draft, send) if draft is not None else None
        if draft is None:
            draft = await self._store.keeper.do(drafts.start, kind, place, value)
        typed = await self._store.keeper.typed(draft)
        answer = await self._ask(title, typed, says)
        if answer is None:
            await self._leave(typed, value)
            await self.find_drafts()
            return
        mutation = send(answer, draft)
        self._sending.add(draft.id)
        outcome = await self._view.send(mutation)
        self._sending.discard(draft.id)
        if outcome.error is not None:
            self._view.say_failed(outcome.error)
            self._view.say("Your text is kept as a draft.")
        else:
            self._view.say(f"{mutation.done}.")
        await self.find_drafts()

    async def _ask(self, title: str, typed: TypedText, says: str) -> str | None:
        self.typing = True
        try:
            return await self._view.ask(PromptText(title, says=says, placeholder="Markdown", typed=typed))
        finally:
            self.typing = False

    async def _leave(self, typed: TypedText, value: str) -> None:
        """Keep what was typed; where nothing was, there is nothing to keep."""
        if typed.text.strip() in ("", value.strip()):
            await typed.discard()
        elif not typed.discarded:
            self._view.say("Kept as a draft: the same key at the same place goes on with it.")

    # Threads

    async def open(self, comment: Comment) -> None:
        """Show a thread."""
        comments = self._lists.comments_query
        if comments is None:
            return
        from recto.contract.comments import SpaceComments
        from recto.tui.dialogs.thread import Thread

        replies = self._store.query_list(SpaceComments.list_replies, self._space, comment.id, format="markdown")
        node = comment.target.node
        place = self._view.name_place(comment)
        if node is not None and node.preview:
            place = f"{place} · “{unmarked(node.preview)[:40]}”"
        await self._view.ask(Thread(self, comment, comments, replies, clock=self._store.clock, place=place))

    def reply(self, comment: Comment) -> None:
        """Write a reply."""
        place = DraftPlace(space=self._space, comment=comment.id)
        self._do(
            self._write(
                DraftKind.REPLY, place, "Reply", lambda text, draft: self._talk.reply(comment, text, draft=draft)
            )
        )

    def edit(self, comment: Comment, reply: CommentReply | None) -> None:
        """Change what is said."""
        one = reply or comment
        place = DraftPlace(space=self._space, comment=one.id)
        said = one.body.markdown or ""
        self._do(
            self._write(
                DraftKind.COMMENT,
                place,
                "Change the comment",
                lambda text, draft: self._talk.edit(comment, reply, text, draft=draft),
                value=said,
            )
        )

    def react(self, comment: Comment, reply: CommentReply | None) -> None:
        """Choose a reaction, or take one back."""
        self._do(self._react(comment, reply))

    async def _react(self, comment: Comment, reply: CommentReply | None) -> None:
        from recto.store.talk import caller

        me = await caller(self._store)
        chosen = await choose_reaction(self._view, reply or comment, me)
        if chosen is not None:
            emoji, given = chosen
            await self._view.carry_out(self._talk.react(comment, reply, emoji, me, given))

    def resolve(self, comment: Comment) -> None:
        """Resolve a thread, or open it again."""
        self._do(self._view.carry_out(self._talk.resolve(comment, comment.status != "resolved")))

    def delete(self, comment: Comment, reply: CommentReply | None) -> None:
        """Ask, and remove what is said."""
        self._do(self._delete(comment, reply))

    async def _delete(self, comment: Comment, reply: CommentReply | None) -> None:
        if await confirm_removal(self._view, comment, reply):
            await self._view.carry_out(self._talk.delete(comment, reply))

    def take(self, comment: Comment, text: str) -> None:
        """Write what is suggested into the page, by way of a change request."""
        page, node = comment.target.page, comment.target.node
        if page is not None and node is not None:
            self._do(self._edits.put(page.id, node.id, text))

    def why_not_take(self, comment: Comment) -> str | None:
        """Say why a suggestion cannot be taken."""
        page = comment.target.page
        if page is None or comment.target.node is None or page.outdated or page.id not in self._reader.index:
            return "what it is for is gone"
        return self._view.why_not("space.choose_request")

    def _do(self, work: Coroutine[Any, Any, object]) -> None:
        self._view.work(work, "talk")
