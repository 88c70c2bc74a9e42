"""Changes of a change request and of the talk about it, as mutations."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from recto.contract.change_requests import ChangeRequest, ChangeRequests, MergeOutcome, UpdateChangeRequest
from recto.contract.changes import Change, WriteContent
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
    UpdateChangeRequestReply,
    UpdateComment,
)
from recto.contract.reviews import RequestReviewers, Review, SubmitReview
from recto.contract.spaces import Spaces
from recto.document.rich_text import to_document
from recto.store.keys import about, calls
from recto.store.mutation import Effect, Mutation, changes, changes_items

if TYPE_CHECKING:
    from recto.client.api import Api
    from recto.contract.common import User
    from recto.contract.reviews import Verdict
    from recto.store.drafts import Draft
    from recto.store.keys import Chooser

_WORDS = {"draft": "a draft again", "open": "open", "archived": "archived"}


@dataclass(frozen=True, slots=True)
class RequestChanges:
    """Gives the changes that can be made on one change request."""

    space: str
    id: str

    @property
    def _all(self) -> tuple[Chooser, ...]:
        """All that depends on the content of the change request or on how it stands."""
        return (
            about(change_request_id=self.id),
            calls(ChangeRequests.list_change_requests),
            calls(ChangeRequests.list_organization_change_requests),
        )

    @property
    def _talk(self) -> tuple[Chooser, ...]:
        ours = {"space_id": self.space, "change_request_id": self.id}
        return (
            calls(ChangeRequestComments.list_comments, **ours),
            calls(ChangeRequestComments.list_replies, **ours),
            calls(ChangeRequests.get_change_request, **ours),
            calls(ChangeRequests.list_contributors, **ours),
        )

    # The change request

    def rename(self, subject: str, before: str) -> Mutation[ChangeRequest]:
        """Give it another subject."""

        def renamed(request: ChangeRequest) -> ChangeRequest:
            return request.model_copy(update={"subject": subject})

        return self._update(
            UpdateChangeRequest(subject=subject),
            "Renaming the change request",
            f"Renamed the change request to “{subject}”",
            renamed,
            lambda _: self.rename(before, subject),
        )

    def describe(self, markdown: str, draft: Draft | None = None) -> Mutation[ChangeRequest]:
        """Give it another description."""
        document = to_document(markdown)
        return self._update(
            UpdateChangeRequest(description=document),
            "Changing the description",
            "Changed the description",
            lambda request: request.model_copy(update={"description": document}),
            draft=draft,
        )

    def set_status(self, status: Literal["draft", "open", "archived"], before: str) -> Mutation[ChangeRequest]:
        """Make it a draft, open or archived."""

        def inverse(_: Any) -> Mutation[Any] | None:
            return self.set_status(before, status) if before in ("draft", "open", "archived") else None  # type: ignore[arg-type]

        return self._update(
            UpdateChangeRequest(status=status),
            "Changing the status",
            f"The change request is {_WORDS[status]} now",
            lambda request: request.model_copy(update={"status": status}),
            inverse,
        )

    def _update(
        self,
        body: UpdateChangeRequest,
        doing: str,
        done: str,
        change: Callable[[ChangeRequest], ChangeRequest],
        inverse: Callable[[Any], Mutation[Any] | None] | None = None,
        draft: Draft | None = None,
    ) -> Mutation[ChangeRequest]:
        ours = {"space_id": self.space, "change_request_id": self.id}
        return Mutation(
            doing=doing,
            done=done,
            call=lambda api: api.change_requests.update_change_request(self.space, self.id, body),
            effects=(changes(ChangeRequests.get_change_request, change, **ours),),
            stale=(*self._all[1:], calls(ChangeRequests.get_change_request, **ours)),
            inverse=inverse,
            draft=draft,
            lane=("change-request", self.id),
        )

    def merge(self) -> Mutation[MergeOutcome]:
        """Merge it into the main content."""
        return Mutation(
            doing="Merging the change request",
            done="Merged the change request",
            call=lambda api: api.change_requests.merge(self.space, self.id),
            stale=(about(space_id=self.space), *self._all[1:], calls(Spaces.list_spaces)),
            lane=("change-request", self.id),
        )

    def pull(self) -> Mutation[MergeOutcome]:
        """Pull the main content in."""
        return Mutation(
            doing="Pulling the main content in",
            done="Pulled the main content in",
            call=lambda api: api.change_requests.pull(self.space, self.id),
            stale=self._all,
            lane=("change-request", self.id),
        )

    def write(self, made: Sequence[Change], doing: str, done: str, draft: Draft | None = None) -> Mutation[object]:
        """Write pages, all changes or none; at most 50."""
        return Mutation(
            doing=doing,
            done=done,
            call=lambda api: api.content_changes.write_content(
                self.space, self.id, WriteContent(changes=tuple(made)), compat=False
            ),
            stale=self._all,
            draft=draft,
            lane=("change-request", self.id),
        )

    def request_reviewers(self, users: Sequence[str], names: str) -> Mutation[object]:
        """Ask people to review."""
        return Mutation(
            doing=f"Asking {names} to review",
            done=f"Asked {names} to review",
            call=lambda api: api.reviews.request_reviewers(self.space, self.id, RequestReviewers(users=tuple(users))),
            stale=self._all,
        )

    def submit_review(self, verdict: Verdict, said: str, draft: Draft | None = None) -> Mutation[Review]:
        """Approve or ask for changes."""
        given = {"comment": CommentBodyInput(markdown=said)} if said.strip() else {}
        return Mutation(
            doing="Submitting the review",
            done="Approved" if verdict == "approved" else "Asked for changes",
            call=lambda api: api.reviews.submit_review(self.space, self.id, SubmitReview(status=verdict, **given)),
            stale=self._all,
            draft=draft,
            lane=("talk", self.id),
        )

    # Comments

    def comment(
        self, text: str, *, page: str | None = None, block: str | None = None, draft: Draft | None = None
    ) -> Mutation[Comment]:
        """Comment on the whole, on a page or on a block of it."""
        target: dict[str, Any] = {name: value for name, value in (("page", page), ("node", block)) if value is not None}
        body = PostComment(body=CommentBodyInput(markdown=text), **target)

        async def look(api: Api) -> Comment | None:
            me = (await api.users.get_user()).id
            listed = await api.change_request_comments.list_comments(
                self.space, self.id, order="desc", format="markdown", limit=50
            )
            return next(
                (
                    comment
                    for comment in listed.items
                    if comment.posted_by is not None
                    and comment.posted_by.id == me
                    and (comment.body.markdown or "").strip() == text.strip()
                ),
                None,
            )

        return Mutation(
            doing="Sending the comment",
            done="Commented",
            call=lambda api: api.change_request_comments.post_comment(self.space, self.id, body),
            stale=self._talk,
            look=look,
            draft=draft,
            lane=("talk", self.id),
        )

    def reply(self, comment: str, text: str, draft: Draft | None = None) -> Mutation[CommentReply]:
        """Reply to a comment."""
        body = PostReply(body=CommentBodyInput(markdown=text))

        async def look(api: Api) -> CommentReply | None:
            me = (await api.users.get_user()).id
            listed = await api.change_request_comments.list_replies(
                self.space, self.id, comment, format="markdown", limit=1000
            )
            return next(
                (
                    reply
                    for reply in reversed(listed.items)
                    if reply.posted_by is not None
                    and reply.posted_by.id == me
                    and (reply.body.markdown or "").strip() == text.strip()
                ),
                None,
            )

        return Mutation(
            doing="Sending the reply",
            done="Replied",
            call=lambda api: api.change_request_comments.post_reply(self.space, self.id, comment, body),
            stale=self._talk,
            look=look,
            draft=draft,
            lane=("talk", self.id),
        )

    def edit(
        self, comment: Comment, reply: CommentReply | None, text: str, draft: Draft | None = None
    ) -> Mutation[Any]:
        """Change what a comment, or a reply to it, says."""
        body = CommentBodyInput(markdown=text)
        before = ((reply or comment).body.markdown) or ""

        def said(one: Any) -> Any:
            return one.model_copy(update={"body": CommentBody(markdown=text)})

        return Mutation(
            doing="Changing the comment",
            done="Changed the comment",
            call=self._put(comment.id, reply.id if reply is not None else None, body=body),
            effects=self._on(comment, reply, said),
            stale=self._talk,
            inverse=lambda _: self.edit(comment, reply, before),
            draft=draft,
            lane=("talk", self.id),
        )

    def resolve(self, comment: Comment, resolved: bool) -> Mutation[Any]:
        """Resolve a comment, or open it again."""
        status = "resolved" if resolved else "open"
        return Mutation(
            doing="Resolving the comment" if resolved else "Opening the comment again",
            done="Resolved" if resolved else "Open again",
            call=self._put(comment.id, None, resolved=resolved),
            effects=self._on(comment, None, lambda one: one.model_copy(update={"status": status})),
            stale=self._talk,
            inverse=lambda _: self.resolve(comment, not resolved),
            lane=("talk", self.id),
        )

    def react(self, comment: Comment, reply: CommentReply | None, emoji: str, me: User, on: bool) -> Mutation[Any]:
        """React to a comment or reply, or take the reaction back."""
        given = {"added_reactions" if on else "removed_reactions": (emoji,)}
        return Mutation(
            doing="Reacting" if on else "Taking the reaction back",
            done=f"Reacted with {emoji}" if on else f"Took {emoji} back",
            call=self._put(comment.id, reply.id if reply is not None else None, **given),
            effects=self._on(comment, reply, lambda one: _reacted(one, emoji, me, on)),
            stale=self._talk,
            inverse=lambda _: self.react(comment, reply, emoji, me, not on),
            lane=("talk", self.id),
        )

    def delete(self, comment: Comment, reply: CommentReply | None) -> Mutation[None]:
        """Remove a comment with its replies, or one reply."""

        async def call(api: Api) -> None:
            if reply is None:
                await api.change_request_comments.delete_comment(self.space, self.id, comment.id)
            else:
                await api.change_request_comments.delete_reply(self.space, self.id, comment.id, reply.id)

        return Mutation(
            doing="Deleting the comment" if reply is None else "Deleting the reply",
            done="Deleted the comment" if reply is None else "Deleted the reply",
            call=call,
            effects=self._on(comment, reply, lambda _: None),
            stale=self._talk,
            lane=("talk", self.id),
        )

    def _put(self, comment: str, reply: str | None, **given: Any) -> Callable[[Api], Any]:
        async def call(api: Api) -> object:
            talk = api.change_request_comments
            if reply is None:
                return await talk.update_comment(self.space, self.id, comment, UpdateComment(**given))
            return await talk.update_reply(self.space, self.id, comment, reply, UpdateChangeRequestReply(**given))

        return call

    def _on(self, comment: Comment, reply: CommentReply | None, change: Callable[[Any], Any]) -> tuple[Effect, ...]:
        ours = {"space_id": self.space, "change_request_id": self.id}
        if reply is not None:
            return (
                changes_items(
                    ChangeRequestComments.list_replies,
                    lambda one: change(one) if one.id == reply.id else one,
                    comment_id=comment.id,
                    **ours,
                ),
            )
        return (
            changes_items(
                ChangeRequestComments.list_comments, lambda one: change(one) if one.id == comment.id else one, **ours
            ),
        )


def _reacted(one: Any, emoji: str, me: User, on: bool) -> Any:
    """Return a comment or reply with or without one's own reaction; twice gives the same as once."""
    reactions: list[Reaction] = []
    found = False
    for reaction in one.reactions:
        if reaction.emoji != emoji:
            reactions.append(reaction)
            continue
        found = True
        others = tuple(reactor for reactor in reaction.users if reactor.user.id != me.id)
        was_mine = len(others) < len(reaction.users)
        users = (*others, Reactor(user=me)) if on else others
        count = reaction.count + (1 if on and not was_mine else 0) - (1 if not on and was_mine else 0)
        if count > 0:
            reactions.append(Reaction(emoji=emoji, count=count, users=users))
    if on and not found:
        reactions.append(Reaction(emoji=emoji, count=1, users=(Reactor(user=me),)))
    return one.model_copy(update={"reactions": tuple(reactions)})
