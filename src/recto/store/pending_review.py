"""Comments that are not sent, on disk; in a change request those that wait make up a review, which is sent at once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from recto.contract.addresses import InChangeRequest, Main
from recto.frozen import frozen
from recto.store.drafts import Draft, DraftKind, DraftPlace, text_hash

if TYPE_CHECKING:
    from recto.store.anchors import Anchors
    from recto.store.store import Store

_WAITS = "waits"
_PREVIEW = "preview"


@frozen
class PendingComment:
    """A comment that is not sent yet.

    A comment that ``waits`` is part of the review; others were left while they were typed. ``outdated`` says
    that its block is no longer on the page; the comment is then sent to the page.
    """

    draft: Draft
    text: str
    waits: bool
    outdated: bool = False

    @property
    def page(self) -> str | None:
        """The page it is on; ``None`` for the change request as a whole."""
        return self.draft.place.page

    @property
    def block(self) -> str | None:
        """The key of the block it is on."""
        return self.draft.place.block

    @property
    def preview(self) -> str:
        """How the block began when it was commented on."""
        return self.draft.facts.get(_PREVIEW, "")


class PendingReview:
    """The unsent comments of a person at an address; ``changed`` is called after each change of them."""

    def __init__(self, store: Store, at: Main | InChangeRequest, changed: Callable[[], None]) -> None:
        self._store = store
        request = at.change_request if isinstance(at, InChangeRequest) else None
        self.place = DraftPlace(space=at.space, change_request=request)
        self._changed = changed
        self._comments: dict[str, PendingComment] = {}
        self._summary: tuple[Draft, str] | None = None

    @property
    def comments(self) -> Sequence[PendingComment]:
        """The comments that wait for the review to be submitted, in the order in which they were begun."""
        return [each for each in self._comments.values() if each.waits]

    @property
    def left(self) -> Sequence[PendingComment]:
        """The unfinished comments."""
        return [each for each in self._comments.values() if not each.waits]

    @property
    def unsent(self) -> Sequence[PendingComment]:
        """All comments that are not sent, those that wait for the review first."""
        return [*self.comments, *self.left]

    def on_page(self, page: str) -> Sequence[PendingComment]:
        """Return the comments on a page that are not sent."""
        return [each for each in self.unsent if each.page == page]

    @property
    def summary(self) -> str:
        """The summary so far."""
        return self._summary[1] if self._summary is not None else ""

    @property
    def summary_draft(self) -> Draft | None:
        """The draft of the summary."""
        return self._summary[0] if self._summary is not None else None

    async def load(self, look_for: Callable[[Draft], Awaitable[Draft | None]]) -> None:
        """Read the drafts on disk; ``look_for`` returns a draft that is still to be sent."""
        drafts = self._store.drafts
        summary, gone = None, set(self._comments)
        for each in await self._store.keeper.do(drafts.find, self.place):
            if each.place.change_request != self.place.change_request:
                continue
            text = await self._store.keeper.text(each)
            if each.kind is DraftKind.REVIEW and text.strip():
                summary = (each, text)
            if each.kind is not DraftKind.COMMENT or each.place.comment is not None:
                continue
            if not text.strip() or is_untouched(each, text):
                continue
            draft = await look_for(each)
            if draft is not None:
                gone.discard(draft.id)
                known = self._comments.get(draft.id)
                if known is None or known.text != text:
                    self._comments[draft.id] = PendingComment(draft, text, draft.facts.get(_WAITS) == "yes")
        self._summary = summary
        for id in gone:  # sent, discarded or opened in another window
            self._comments.pop(id, None)
        self._changed()

    async def begin(self, page: str | None, block: str | None, preview: str, text: str = "") -> Draft:
        """Start the draft of a comment, or go on with the draft left at the same place."""
        for each in self.left:
            if (each.page, each.block) == (page, block):
                return each.draft
        place = replace(self.place, page=page, block=block)
        facts = {_PREVIEW: preview, _WAITS: "no"}
        return await self._store.keeper.do(
            self._store.drafts.start, DraftKind.COMMENT, place, text, name="comment", base_text=text, facts=facts
        )

    async def keep(self, draft: Draft, text: str, *, waits: bool) -> None:
        """Keep a comment: as part of the review where it ``waits``; an empty comment is removed."""
        if not text.strip() or is_untouched(draft, text):
            await self.discard(draft)
            return
        # What could not be saved is still offered, and is saved when there is room.
        self._comments[draft.id] = PendingComment(draft, text, waits)
        self._changed()
        await self._store.keeper.save(draft, text)
        noted = await self._store.keeper.do(self._store.drafts.note, draft, **{_WAITS: "yes" if waits else "no"})
        self._comments[draft.id] = PendingComment(noted, text, waits)
        self._changed()

    async def discard(self, draft: Draft) -> None:
        """Discard a comment."""
        await self._store.keeper.discard(draft)
        self._comments.pop(draft.id, None)
        self._changed()

    def forget(self, draft: Draft) -> None:
        """Forget a comment that is sent."""
        if self._comments.pop(draft.id, None) is not None:
            self._changed()

    async def summarise(self, text: str, verdict: str) -> Draft:
        """Save the summary, with the verdict."""
        keeper, drafts = self._store.keeper, self._store.drafts
        draft = self.summary_draft
        if draft is None:
            draft = await keeper.do(drafts.start, DraftKind.REVIEW, self.place, text, name="review")
        else:
            self._summary = (draft, text)
            draft = await keeper.save(draft, text)
        draft = await keeper.do(drafts.note, draft, verdict=verdict)
        self._summary = (draft, text)
        return draft

    async def forget_summary(self) -> None:
        """Discard the summary."""
        if (draft := self.summary_draft) is not None:
            await self._store.keeper.discard(draft)
        self._summary = None

    def clear_summary(self) -> None:
        """Forget the summary, which is sent."""
        self._summary = None
        self._changed()

    def anchor(self, page: str, anchors: Anchors) -> None:
        """Find the blocks of a page's comments as the page is now; those that are gone are outdated, never dropped.

        A block that lost its key but begins as it did is the same block.
        """
        changed = False
        for id, each in list(self._comments.items()):
            if each.page != page or each.block is None:
                continue
            block: str | None = each.block
            if anchors.lines_of(each.block) is None:
                block = anchors.key_of_source(each.preview) if each.preview else None
            found = each if block is None else replace(each, draft=_move(each.draft, block))
            found = replace(found, outdated=block is None)
            if found != each:
                self._comments[id] = found
                changed = True
        if changed:
            self._changed()


def is_untouched(draft: Draft, text: str) -> bool:
    """Whether a text is as its draft was started, such as a suggestion that proposes the present words."""
    return draft.base_hash == text_hash(text)


def _move(draft: Draft, block: str) -> Draft:
    return draft if draft.place.block == block else replace(draft, place=replace(draft.place, block=block))
