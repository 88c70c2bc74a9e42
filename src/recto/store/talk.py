"""What is said about pages, as mutations: comments and replies on a space or on a change request."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from recto.client.errors import Unsupported
from recto.contract.change_requests import ChangeRequests
from recto.contract.comments import (
    ChangeRequestComments,
    Comment,
    CommentBody,
    CommentBodyInput,
    CommentReply,
    PostComment,
    PostReply,
    Reaction,
    Reactor,
    SpaceComments,
    UpdateChangeRequestReply,
    UpdateComment,
    UpdateReply,
)
from recto.contract.spaces import Spaces
from recto.contract.users import Users
from recto.store.keys import Chooser, calls
from recto.store.mutation import Effect, Lookup, Matches, Mutation, changes_items, matches, new_among

if TYPE_CHECKING:
    from recto.client.call import Call
    from recto.contract.common import ListPage, User
    from recto.contract.operation import Operation
    from recto.store.drafts import Draft
    from recto.store.store import Store

_LOOKED_THROUGH = 100
"""How many of the newest comments are looked through for one whose answer was lost."""

_MOST_REPLIES = 1000
"""How many replies, from the oldest on, are looked through."""

S = TypeVar("S", Comment, CommentReply)


@dataclass(frozen=True, slots=True)
class Talk:
    """Gives the changes of what is said in one place: on a space, or on a change request of it."""

    space: str
    change_request: str | None = None

    @property
    def _where(self) -> tuple[str, ...]:
        return (self.space,) if self.change_request is None else (self.space, self.change_request)

    @property
    def _ours(self) -> dict[str, str]:
        return dict(zip(("space_id", "change_request_id"), self._where, strict=False))

    @property
    def _operations(self) -> Any:
        return SpaceComments if self.change_request is None else ChangeRequestComments

    def _operation(self, name: str) -> Operation[..., Any]:
        operation: Operation[..., Any] = getattr(self._operations, name)
        return operation

    @property
    def _stale(self) -> tuple[Chooser, ...]:
        counted = Spaces.get_space if self.change_request is None else ChangeRequests.get_change_request
        lists = (self._operations.list_comments, self._operations.list_replies)
        return (*(calls(one, **self._ours) for one in lists), calls(counted, **self._ours))

    def _mutation(self, doing: str, done: str, call: Callable[[Call], Awaitable[Any]], **more: Any) -> Mutation[Any]:
        lane = ("talk", *self._where)
        return Mutation(doing=doing, done=done, call=call, stale=self._stale, lane=lane, **more)

    def comment(
        self, text: str, *, page: str | None = None, block: str | None = None, draft: Draft | None = None
    ) -> Mutation[Comment]:
        """Comment on the whole, on a page, or on a block of a page by its key."""
        target: dict[str, Any] = {name: value for name, value in (("page", page), ("node", block)) if value is not None}
        body = PostComment(body=CommentBodyInput(markdown=text), **target)

        def newest(call: Call) -> Awaitable[ListPage[Comment]]:
            listed: Awaitable[ListPage[Comment]] = call(
                self._operation("list_comments"), *self._where, limit=_LOOKED_THROUGH, format="markdown"
            )
            return listed

        return self._mutation(
            "Sending the comment",
            "Commented",
            lambda call: call(self._operation("post_comment"), *self._where, body),
            lookup=_own(newest, text),
            draft=draft,
        )

    def reply(self, comment: Comment, text: str, draft: Draft | None = None) -> Mutation[CommentReply]:
        """Reply to a comment."""
        body = PostReply(body=CommentBodyInput(markdown=text))

        def listed(call: Call) -> Awaitable[ListPage[CommentReply]]:
            every: Awaitable[ListPage[CommentReply]] = call(
                self._operation("list_replies"), *self._where, comment.id, limit=_MOST_REPLIES, format="markdown"
            )
            return every

        return self._mutation(
            "Sending the reply",
            "Replied",
            lambda call: call(self._operation("post_reply"), *self._where, comment.id, body),
            lookup=_own(listed, text),
            draft=draft,
        )

    def edit(
        self, comment: Comment, reply: CommentReply | None, text: str, draft: Draft | None = None
    ) -> Mutation[Any]:
        """Change what a comment, or a reply to it, says."""
        before = (reply or comment).body.markdown or ""

        def said(one: Any) -> Any:
            return one.model_copy(update={"body": CommentBody(markdown=text)})

        return self._mutation(
            "Changing the comment",
            "Changed the comment",
            self._put(comment, reply, body=CommentBodyInput(markdown=text)),
            effects=self._on(comment, reply, said),
            inverse=lambda _: self.edit(comment, reply, before),
            draft=draft,
        )

    def resolve(self, comment: Comment, resolved: bool) -> Mutation[Any]:
        """Resolve a comment, or open it again."""
        status = "resolved" if resolved else "open"
        return self._mutation(
            "Resolving the comment" if resolved else "Opening the comment again",
            "Resolved" if resolved else "Open again",
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
            "Reacted" if on else "Took the reaction back",
            self._put(comment, reply, **{"added_reactions" if on else "removed_reactions": (emoji,)}),
            effects=self._on(comment, reply, lambda one: reacted(one, emoji, me, on)),
            inverse=lambda _: self.react(comment, reply, emoji, me, not on),
        )

    def delete(self, comment: Comment, reply: CommentReply | None) -> Mutation[Any]:
        """Remove a comment with its replies, or one reply."""

        async def work(call: Call) -> None:
            if reply is None:
                await call(self._operation("delete_comment"), *self._where, comment.id)
            else:
                await call(self._operation("delete_reply"), *self._where, comment.id, reply.id)

        what = "comment" if reply is None else "reply"
        effects = self._on(comment, reply, lambda _: None)
        return self._mutation(f"Deleting the {what}", f"Deleted the {what}", work, effects=effects)

    def _put(self, comment: Comment, reply: CommentReply | None, **given: Any) -> Callable[[Call], Awaitable[Any]]:
        async def work(call: Call) -> Any:
            if reply is None:
                return await call(self._operation("update_comment"), *self._where, comment.id, UpdateComment(**given))
            body = (UpdateReply if self.change_request is None else UpdateChangeRequestReply)(**given)
            return await call(self._operation("update_reply"), *self._where, comment.id, reply.id, body)

        return work

    def _on(self, comment: Comment, reply: CommentReply | None, change: Callable[[Any], Any]) -> tuple[Effect, ...]:
        wanted = (reply or comment).id

        def changed(one: Any) -> Any:
            return change(one) if one.id == wanted else one

        if reply is None:
            return (changes_items(self._operations.list_comments, changed, **self._ours),)
        return (changes_items(self._operations.list_replies, changed, comment_id=comment.id, **self._ours),)


async def caller(store: Store) -> User | None:
    """Return who speaks to the platform; ``None`` where it does not say. Raises :class:`ClientError`."""
    try:
        return await store.fetch(Users.get_user)
    except Unsupported:
        return None


def has_reacted(one: Comment | CommentReply, emoji: str, me: User | None) -> bool:
    """Say whether somebody has given this reaction; of nobody that is known it is not said."""
    return me is not None and any(
        reaction.emoji == emoji and any(reactor.user.id == me.id for reactor in reaction.users)
        for reaction in one.reactions
    )


def reacted(one: Any, emoji: str, me: User | None, on: bool) -> Any:
    """Return a comment or reply with or without somebody's reaction; twice gives the same as once."""
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


def _own(listed: Callable[[Call], Awaitable[ListPage[S]]], text: str) -> Lookup[S]:
    """Look for the caller's own comment, or reply, of this text."""

    async def find(call: Call) -> Matches[S]:
        me, page = await asyncio.gather(caller_id(call), listed(call))

        def is_own(one: S) -> bool:
            by_caller = me is None or (one.posted_by is not None and one.posted_by.id == me)
            return by_caller and (one.body.markdown or "").strip() == text.strip()

        return matches([page], is_own)

    return new_among(find)


async def caller_id(call: Call) -> str | None:
    """Return the id of the caller; ``None`` where the platform does not say. Raises :class:`ClientError`."""
    try:
        return (await call(Users.get_user)).id
    except Unsupported:
        return None
