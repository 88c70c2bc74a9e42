"""Comments on pages, from the key to the platform, with a port for questions and messages on the screen.

A person comments on main or on a change request, replies, edits, reacts, resolves and deletes, and applies suggestions.
Each text is on disk before it is sent, and goes when the platform has confirmed it; a text on its way when the
program ended is looked for first.
"""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

from recto.client.call import all_pages
from recto.client.errors import NotFound, Unsupported
from recto.contract.addresses import InChangeRequest, Main
from recto.contract.change_requests import ChangeRequests
from recto.contract.comments import (
    Comment,
    CommentBody,
    CommentBodyInput,
    CommentReply,
    Comments,
    PostComment,
    PostReply,
    Reaction,
    Reactor,
    UpdateComment,
    UpdateReply,
)
from recto.contract.common import MAX_LIMIT
from recto.contract.spaces import Spaces
from recto.contract.users import Users
from recto.document.suggestion import find_suggestion
from recto.document.text import on_one_line, strip_marks
from recto.frozen import frozen
from recto.store.drafts import Draft, DraftKind, DraftState
from recto.store.mutation import Effect, Lookup, Matches, Mutation, changes_items, matches, new_among, unless_changed
from recto.store.pending_review import is_untouched
from recto.store.port import Port
from recto.store.query_keys import Chooser, calls

if TYPE_CHECKING:
    from recto.client.call import Call
    from recto.contract.common import ListPage, User
    from recto.store.editing import Editing
    from recto.store.keeper import TypedText
    from recto.store.pending_review import PendingComment, PendingReview
    from recto.store.store import Store

_SHORT = 40
"""Characters of a text that name what it is in."""

_QUOTED = 60
"""Characters of a block that are quoted where a comment on it is written."""

S = TypeVar("S", Comment, CommentReply)


class ReadyText(NamedTuple):
    """A finished text: to be sent, or to wait for the review."""

    text: str
    waits: bool = False


class TalkingPort(Port, Protocol):
    """The questions and messages of discussions, on the screen."""

    async def ask_text(self, title: str, says: str, typed: TypedText, *, waiting: int | None) -> ReadyText | None:
        """Ask for a text that is saved while it is typed; ``None`` where it is left.

        ``waiting`` is how many comments of a review wait with it; ``None`` where it cannot wait.
        """
        ...

    async def choose_reaction(self, one: Comment | CommentReply, me: User | None) -> tuple[str, bool] | None:
        """Ask for an emoji; also whether it is added or removed."""
        ...

    async def confirm_deletion(self, comment: Comment, reply: CommentReply | None) -> bool:
        """Ask whether a comment, or a reply to it, is to be deleted."""
        ...

    async def confirm_discard(self) -> bool:
        """Ask whether a comment that is not sent is to be discarded."""
        ...


class Talking:
    """Comments at an address, and their drafts."""

    def __init__(
        self, store: Store, at: Main | InChangeRequest, port: TalkingPort, pending: PendingReview, editing: Editing
    ) -> None:
        self._store = store
        self._at = at
        self._port = port
        self._pending = pending
        self._editing = editing
        self.changes = CommentChanges(at)
        self.typing = False
        """Whether a comment is being typed."""

    # Commenting

    async def load(self) -> None:
        """Read the comments on disk; those that were on their way are looked for on the platform."""
        await self._pending.load(self._look_for)

    async def comment(self, page: str | None, block: str | None, beginning: str, place: str, text: str = "") -> None:
        """Write a comment on a page, on a block of it or on the whole, or go on with the draft left there.

        ``beginning`` is how the block begins, ``place`` names what the comment is on.
        """
        draft = await self._pending.begin(page, block, beginning, text)
        await self._write(draft, f"Comment on {place}", beginning, place)

    async def continue_comment(self, pending: PendingComment, place: str) -> None:
        """Continue a comment that is not sent."""
        await self._write(pending.draft, f"Your comment on {place}", pending.preview, place)

    async def _write(self, draft: Draft, title: str, beginning: str, place: str) -> None:
        part = any(each.draft.id == draft.id for each in self._pending.comments)
        others = sum(each.draft.id != draft.id for each in self._pending.comments)
        waiting = None if isinstance(self._at, Main) else others + part
        async with self._store.keeper.open_text(draft) as typed:
            about = _name_subject(draft.place.page, draft.place.block, beginning)
            answer = await self._ask(title, about, typed, waiting)
            if answer is None:
                await self._pending.keep(draft, "" if typed.discarded else typed.text, waits=part)
                if typed.text.strip() and not typed.discarded and not is_untouched(draft, typed.text):
                    self._port.say(_name_left(f"Your comment on {place}"))
            elif is_untouched(draft, answer.text):
                await self._pending.discard(draft)
                self._port.say(f"The suggestion for {place} changes nothing, so it is not sent.")
            elif answer.waits:
                await self._pending.keep(draft, answer.text, waits=True)
                self._port.say(f"Your comment on {place} waits for your review: ‹review.submit› submits it.")
            else:
                await self._pending.keep(draft, answer.text, waits=False)
                page, block = draft.place.page, draft.place.block
                comment = self.changes.comment(answer.text, page=page, block=block, draft=draft)
                if await self.send(comment):
                    self._pending.forget(draft)

    async def discard(self, pending: PendingComment) -> None:
        """Ask whether a comment that is not sent is to be discarded, and discard it."""
        if await self._port.confirm_discard():
            await self._pending.discard(pending.draft)

    # Replying and editing

    async def reply(self, comment: Comment, title: str) -> None:
        """Write a reply to a comment."""
        await self._answer(
            DraftKind.REPLY,
            comment,
            comment.id,
            title,
            _subject_of(comment),
            f"Your reply in {thread_name(comment)}",
            "",
            lambda text, draft: self.changes.reply(comment, text, draft),
        )

    async def edit(self, comment: Comment, reply: CommentReply | None) -> None:
        """Edit a comment, or a reply to it."""
        one = reply or comment
        await self._answer(
            DraftKind.COMMENT,
            comment,
            one.id,
            "Edit what you wrote",
            _subject_of(comment),
            f"Your {'comment' if reply is None else 'reply'} in {thread_name(comment)}",
            one.body.markdown or "",
            lambda text, draft: self.changes.edit(comment, reply, text, draft),
        )

    async def _answer(
        self,
        kind: DraftKind,
        thread: Comment,
        comment: str,
        title: str,
        about: str,
        name: str,
        text: str,
        change: Callable[[str, Draft], Mutation[Any]],
    ) -> None:
        """Edit a new or kept text, and send it; ``about`` is its subject, ``name`` its name in messages."""
        keeper, drafts = self._store.keeper, self._store.drafts
        place = replace(self._pending.place, comment=comment)
        left = [each for each in await keeper.do(drafts.find, place, kind) if each.place == place]
        draft = await self._look_for(left[-1], change) if left else None
        says = about if draft is None else f"{about} You typed this before; it is not sent yet."
        if draft is None:
            if await keeper.do(drafts.find, place, kind, held_elsewhere=True):
                says = f"{about} Another window has one open, too: this is a draft of its own."
            draft = await keeper.do(drafts.start, kind, place, text, name="reply", base_text=text)
        async with keeper.open_text(draft) as typed:
            answer = await self._ask(title, says, typed, None)
            if answer is not None:
                await self.send(change(answer.text, draft), lambda: self._keep_as_comment(thread, answer.text, draft))
            elif typed.text.strip() in ("", text.strip()):
                await typed.discard()
            elif not typed.discarded:
                self._port.say(_name_left(name))

    async def _keep_as_comment(self, thread: Comment, text: str, draft: Draft) -> None:
        """Keep what was written in a thread that is deleted as a comment in its place, that can still be sent."""
        page, node = thread.target.page, thread.target.node
        block = (node.id, node.preview or "") if node is not None else (None, "")
        kept = await self._pending.begin(page.id if page is not None else None, *block)
        before = (await self._store.keeper.text(kept)).strip()
        await self._pending.keep(kept, f"{before}\n\n{text}" if before else text, waits=False)
        await self._store.keeper.discard(draft)
        name = thread_name(thread)
        self._port.say(
            f"{name[0].upper()}{name[1:]} was deleted. Your text is now a comment there, not sent:"
            " another comment there continues it."
        )

    async def _ask(self, title: str, says: str, typed: TypedText, waiting: int | None) -> ReadyText | None:
        self.typing = True
        try:
            return await self._port.ask_text(title, says, typed, waiting=waiting)
        finally:
            self.typing = False

    async def _look_for(
        self, draft: Draft, change: Callable[[str, Draft], Mutation[Any]] | None = None
    ) -> Draft | None:
        """Return a draft that is still to be sent; report an arrived draft."""
        if draft.state is DraftState.TYPED or self._store.is_sending(draft):
            return draft
        text = await self._store.keeper.text(draft)
        sending = change(text, draft) if change is not None else self.changes.comment(text, draft=draft)
        if (await self._store.look_for(sending)).ok:
            self._port.say(
                f"Your {'reply' if draft.kind is DraftKind.REPLY else 'comment'} “{short(text)}” had arrived."
            )
            return None
        return await self._store.keeper.do(self._store.drafts.get, draft.id)

    # Reacting, resolving, deleting

    async def react(self, comment: Comment, reply: CommentReply | None) -> None:
        """React to a comment or a reply, or take the reaction back."""
        me = await caller(self._store)
        chosen = await self._port.choose_reaction(reply or comment, me)
        if chosen is not None:
            await self.send(self.changes.react(comment, reply, chosen[0], me, chosen[1]))

    async def resolve(self, comment: Comment) -> None:
        """Resolve a comment, or open it again."""
        await self.send(self.changes.resolve(comment, comment.status != "resolved"))

    async def delete(self, comment: Comment, reply: CommentReply | None) -> None:
        """Ask whether a comment, or a reply to it, is to be deleted, and delete it."""
        if await self._port.confirm_deletion(comment, reply):
            await self.send(self.changes.delete(comment, reply))

    async def send(self, mutation: Mutation[Any], on_gone: Callable[[], Awaitable[None]] | None = None) -> bool:
        """Send a change and say how it ended; whether it was made. ``on_gone`` is called where its thread is gone."""
        outcome = await self._port.send(mutation)
        if outcome.error is None:
            self._port.say(f"{mutation.done}.")
            return True
        if on_gone is not None and isinstance(outcome.error, NotFound):
            await on_gone()
            return False
        self._port.say_failed(outcome.error)
        if mutation.draft is not None:
            text = await self._store.keeper.text(mutation.draft)
            self._port.say(f"Your text “{short(text)}” is kept as a draft.")
        return False

    # Suggesting

    async def apply_suggestion(self, comment: Comment, text: str) -> None:
        """Put a suggestion in place of the block it is for; in a change request the comment is then resolved."""
        page, node = comment.target.page, comment.target.node
        if page is None or node is None:
            return
        applied = await self._editing.apply_suggestion(page.id, page.title, node.id, text)
        if applied and isinstance(self._at, InChangeRequest) and comment.status == "open":
            outcome = await self._port.send(self.changes.resolve(comment, True))
            if outcome.error is not None:
                self._port.say_failed(outcome.error)

    async def source_of(self, comment: Comment) -> str | None:
        """Read the source of the block that a comment is on; raises :class:`ClientError`."""
        page, node = comment.target.page, comment.target.node
        return await self._editing.source_of(page.id, node.id) if page is not None and node is not None else None


@frozen
class CommentChanges:
    """The changes of comments at an address."""

    at: Main | InChangeRequest

    @property
    def _stale(self) -> tuple[Chooser, ...]:
        counted = Spaces.get_space if isinstance(self.at, Main) else ChangeRequests.get_change_request
        lists = (Comments.list_comments, Comments.list_replies)
        return (*(calls(one, at=self.at) for one in lists), calls(counted, **self.at.arguments))

    def _mutation(self, doing: str, done: str, call: Callable[[Call], Awaitable[Any]], **more: Any) -> Mutation[Any]:
        lane = ("talk", self.at)
        return Mutation(doing=doing, done=done, call=call, stale=self._stale, lane=lane, **more)

    def comment(
        self, text: str, *, page: str | None = None, block: str | None = None, draft: Draft | None = None
    ) -> Mutation[Comment]:
        """Comment on the whole, on a page, or on a block of a page by its key."""
        target: dict[str, Any] = {name: value for name, value in (("page", page), ("node", block)) if value is not None}
        body = PostComment(body=CommentBodyInput(markdown=text), **target)

        def list_comments(call: Call) -> Awaitable[list[ListPage[Comment]]]:
            return all_pages(call, Comments.list_comments, self.at, limit=MAX_LIMIT, format="markdown")

        return self._mutation(
            "Sending the comment",
            f"Sent {_comment_name(text)}",
            lambda call: call(Comments.post_comment, self.at, body),
            lookup=_look_for_own(list_comments, text),
            draft=draft,
        )

    def send_pending(self, pending: PendingComment) -> Mutation[Comment]:
        """Send a comment that waited; where its block is gone, it goes to the page."""
        block = None if pending.outdated else pending.block
        return self.comment(pending.text, page=pending.page, block=block, draft=pending.draft)

    def reply(self, comment: Comment, text: str, draft: Draft | None = None) -> Mutation[CommentReply]:
        """Reply to a comment."""
        body = PostReply(body=CommentBodyInput(markdown=text))

        def list_replies(call: Call) -> Awaitable[list[ListPage[CommentReply]]]:
            return all_pages(call, Comments.list_replies, self.at, comment.id, limit=MAX_LIMIT, format="markdown")

        return self._mutation(
            "Sending the reply",
            f"Replied in {thread_name(comment)}",
            lambda call: call(Comments.post_reply, self.at, comment.id, body),
            lookup=_look_for_own(list_replies, text),
            draft=draft,
        )

    def edit(
        self, comment: Comment, reply: CommentReply | None, text: str, draft: Draft | None = None
    ) -> Mutation[Any]:
        """Change what a comment, or a reply to it, says."""
        return self._edit(comment, reply, text, (reply or comment).body.markdown or "", draft)

    def _edit(
        self, comment: Comment, reply: CommentReply | None, text: str, before: str, draft: Draft | None = None
    ) -> Mutation[Any]:

        def replace_body(one: Any) -> Any:
            return one.model_copy(update={"body": CommentBody(markdown=text)})

        async def read(call: Call) -> _Body:
            if reply is None:
                return _Body((await call(Comments.get_comment, self.at, comment.id)).body)
            return _Body((await call(Comments.get_reply, self.at, comment.id, reply.id)).body)

        return self._mutation(
            "Saving the comment",
            f"Saved the {'comment' if reply is None else 'reply'} in {thread_name(comment)}",
            self._put(comment, reply, body=CommentBodyInput(markdown=text)),
            effects=self._on(comment, reply, replace_body),
            inverse=lambda response: unless_changed(
                lambda _: self._edit(comment, reply, before, text), ("text",), read
            )(_Body(response.body)),
            once=True,
            draft=draft,
        )

    def resolve(self, comment: Comment, resolved: bool) -> Mutation[Any]:
        """Resolve a comment, or open it again."""
        status = "resolved" if resolved else "open"
        return self._mutation(
            "Resolving the thread" if resolved else "Reopening the thread",
            f"{'Resolved' if resolved else 'Reopened'} {thread_name(comment)}",
            self._put(comment, None, resolved=resolved),
            effects=self._on(comment, None, lambda one: one.model_copy(update={"status": status})),
            inverse=lambda _: self.resolve(comment, not resolved),
        )

    def react(
        self, comment: Comment, reply: CommentReply | None, emoji: str, me: User | None, on: bool
    ) -> Mutation[Any]:
        """React to a comment or a reply, or take the reaction back."""
        return self._mutation(
            "Reacting" if on else "Taking the reaction back",
            f"{'Reacted' if on else 'Took the reaction back'} in {thread_name(comment)}",
            self._put(comment, reply, **{"added_reactions" if on else "removed_reactions": (emoji,)}),
            effects=self._on(comment, reply, lambda one: toggle_reaction(one, emoji, me, on)),
            inverse=lambda _: self.react(comment, reply, emoji, me, not on),
        )

    def delete(self, comment: Comment, reply: CommentReply | None) -> Mutation[Any]:
        """Remove a comment with its replies, or a single reply."""

        async def work(call: Call) -> None:
            if reply is None:
                await call(Comments.delete_comment, self.at, comment.id)
            else:
                await call(Comments.delete_reply, self.at, comment.id, reply.id)

        what = "comment" if reply is None else "reply"
        effects = self._on(comment, reply, lambda _: None)
        return self._mutation(
            f"Deleting the {what}", f"Deleted the {what} in {thread_name(comment)}", work, effects=effects
        )

    def _put(self, comment: Comment, reply: CommentReply | None, **given: Any) -> Callable[[Call], Awaitable[Any]]:
        async def work(call: Call) -> Any:
            if reply is None:
                return await call(Comments.update_comment, self.at, comment.id, UpdateComment(**given))
            return await call(Comments.update_reply, self.at, comment.id, reply.id, UpdateReply(**given))

        return work

    def _on(self, comment: Comment, reply: CommentReply | None, change: Callable[[Any], Any]) -> tuple[Effect, ...]:
        wanted = (reply or comment).id

        def change_item(one: Any) -> Any:
            return change(one) if one.id == wanted else one

        if reply is None:
            return (changes_items(Comments.list_comments, change_item, at=self.at),)
        return (changes_items(Comments.list_replies, change_item, comment_id=comment.id, at=self.at),)


@frozen
class _Body:
    """The body of a comment or a reply, as a field that undoing compares."""

    text: CommentBody


def thread_name(comment: Comment) -> str:
    """Name a thread by what it is on: the beginning of a block, a page, or the whole."""
    node, page = comment.target.node, comment.target.page
    if node is not None and (preview := short(strip_marks(node.preview or ""))):
        return f"the thread on “{preview}”"
    if page is not None and page.title:
        return f"the thread on “{short(page.title)}”"
    return f"the thread on the whole {'change request' if comment.target.change_request else 'space'}"


def _comment_name(text: str) -> str:
    """Name a comment by its beginning, or by what it proposes."""
    suggestion = find_suggestion(text)
    return f"the suggestion “{short(suggestion.text)}”" if suggestion is not None else f"the comment “{short(text)}”"


def _name_left(name: str) -> str:
    return f"{name} is kept as a draft: the same key at the same place continues it."


def short(text: str, most: int = _SHORT) -> str:
    """Return the beginning of a text, on a line of at most so many characters."""
    line = on_one_line(text)
    return line if len(line) <= most else f"{line[: most - 1].rstrip()}…"


async def caller(store: Store) -> User | None:
    """Return the signed-in user, ``None`` where the platform does not say; raises :class:`ClientError`."""
    try:
        return await store.fetch(Users.get_user)
    except Unsupported:
        return None


def has_reacted(one: Comment | CommentReply, emoji: str, me: User | None) -> bool:
    """Whether a user has reacted with this emoji; false where the user is not known."""
    return me is not None and any(
        reaction.emoji == emoji and any(reactor.user.id == me.id for reactor in reaction.users)
        for reaction in one.reactions
    )


def toggle_reaction(one: Any, emoji: str, me: User | None, on: bool) -> Any:
    """Return a comment or reply with or without a user's reaction; applying it twice changes nothing more."""
    if me is None or has_reacted(one, emoji, me) == on:
        return one
    reactions: list[Reaction] = []
    for reaction in one.reactions:
        if reaction.emoji != emoji:
            reactions.append(reaction)
            continue
        others = tuple(reactor for reactor in reaction.users if reactor.user.id != me.id)
        users = (*others, Reactor(user=me)) if on else others
        if (number := reaction.count + (1 if on else -1)) > 0:
            reactions.append(Reaction(emoji=emoji, count=number, users=users))
    if on and not any(reaction.emoji == emoji for reaction in reactions):
        reactions.append(Reaction(emoji=emoji, count=1, users=(Reactor(user=me),)))
    return one.model_copy(update={"reactions": tuple(reactions)})


def _look_for_own(list_all: Callable[[Call], Awaitable[list[ListPage[S]]]], text: str) -> Lookup[S]:
    """Look for the caller's own comment, or reply, of this text."""

    async def find(call: Call) -> Matches[S]:
        me, listed = await asyncio.gather(caller_id(call), list_all(call))

        def is_own(one: S) -> bool:
            return me is None or one.posted_by is None or one.posted_by.id == me

        def is_same(one: S) -> bool:
            return is_own(one) and (one.body.markdown or "").strip() == text.strip()

        # A platform may give a text back as it writes it itself, such as with other marks of a list.
        return matches(listed, is_same, is_own)

    return new_among(find)


async def caller_id(call: Call) -> str | None:
    """Return the id of the caller; ``None`` where the platform does not say. Raises :class:`ClientError`."""
    try:
        return (await call(Users.get_user)).id
    except Unsupported:
        return None


def _subject_of(comment: Comment) -> str:
    """Return what a thread is about."""
    target = comment.target
    if target.page is None and not target.change_request:
        return "On the space as a whole."
    page = target.page.id if target.page is not None else None
    block, beginning = (target.node.id, target.node.preview or "") if target.node is not None else (None, "")
    return _name_subject(page, block, beginning)


def _name_subject(page: str | None, block: str | None, beginning: str) -> str:
    """Return what a comment is about: the block, quoted, the whole page, or the change request."""
    if beginning:
        return f"On the block “{short(beginning, _QUOTED)}”."
    if block is not None:
        return "On a block without text."
    return "On the whole page." if page is not None else "On the change request as a whole."
