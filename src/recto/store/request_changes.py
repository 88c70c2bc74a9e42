"""Changes of a change request, as mutations."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Literal

from recto.client.call import all_pages
from recto.contract.addresses import InChangeRequest
from recto.contract.change_requests import ChangeRequest, ChangeRequests, MergeOutcome, UpdateChangeRequest
from recto.contract.changes import Change, ContentChanges, WriteContent
from recto.contract.comments import CommentBodyInput
from recto.contract.reviews import RequestReviewers, Review, Reviews, SubmitReview
from recto.contract.spaces import Spaces
from recto.document.rich_text.rich_pages import to_document
from recto.frozen import frozen
from recto.store.content_writes import look_for_write
from recto.store.mutation import Lookup, Matches, Mutation, Undecided, changes, matches, new_among, unless_changed
from recto.store.query_keys import about, calls
from recto.store.talking import caller_id

if TYPE_CHECKING:
    from recto.client.call import Call
    from recto.contract.reviews import Verdict
    from recto.store.drafts import Draft
    from recto.store.mutation import Known
    from recto.store.query_keys import Chooser
    from recto.store.store import Store

_WORDS = {"draft": "a draft again", "open": "open", "archived": "archived"}


def _without_name() -> str:
    return "the change request"


@frozen
class RequestChanges:
    """Changes of a change request; ``named`` returns its number and subject."""

    space: str
    id: str
    named: Callable[[], str] = _without_name

    @property
    def _all(self) -> tuple[Chooser, ...]:
        """The queries that depend on the content or the state of the change request."""
        return (
            about(change_request_id=self.id),
            calls(ChangeRequests.list_change_requests),
            calls(ChangeRequests.list_organization_change_requests),
        )

    # The change request

    async def load(self, store: Store) -> ChangeRequest:
        """Load the change request as it is now; raises :class:`ClientError`."""
        return await store.fetch(ChangeRequests.get_change_request, self.space, self.id)

    def rename(self, subject: str, before: str) -> Mutation[ChangeRequest]:
        """Change the subject."""

        def rename(request: ChangeRequest) -> ChangeRequest:
            return request.model_copy(update={"subject": subject})

        return self._update(
            UpdateChangeRequest(subject=subject),
            "Renaming the change request",
            f"Renamed {self.named()} to “{subject}”",
            rename,
            lambda _: self.rename(before, subject),
        )

    def describe(self, markdown: str, draft: Draft | None = None) -> Mutation[ChangeRequest]:
        """Change the description."""
        document = to_document(markdown)
        return self._update(
            UpdateChangeRequest(description=document),
            "Changing the description",
            f"Changed the description of {self.named()}",
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
            _sentence(f"{self.named()} is {_WORDS[status]} now"),
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
            call=lambda call: call(ChangeRequests.update_change_request, self.space, self.id, body),
            effects=(changes(ChangeRequests.get_change_request, change, **ours),),
            stale=(*self._all[1:], calls(ChangeRequests.get_change_request, **ours)),
            inverse=unless_changed(
                inverse,
                body.model_fields_set,
                lambda call: call(ChangeRequests.get_change_request, self.space, self.id),
            )
            if inverse is not None
            else None,
            once=inverse is not None,
            draft=draft,
            lane=("change-request", self.id),
        )

    def merge(self) -> Mutation[MergeOutcome]:
        """Merge it into main."""
        return Mutation(
            doing="Merging the change request",
            done=f"Merged {self.named()}",
            call=lambda call: call(ChangeRequests.merge, self.space, self.id),
            lookup=Lookup(self._revision, self._look_whether_merged),
            stale=(about(space_id=self.space), *self._all[1:], calls(Spaces.list_spaces)),
            lane=("change-request", self.id),
        )

    def pull(self) -> Mutation[MergeOutcome]:
        """Update from main."""
        return Mutation(
            doing="Updating from main",
            done=f"Updated {self.named()} from main",
            call=lambda call: call(ChangeRequests.pull, self.space, self.id),
            lookup=Lookup(self._revision, self._look_whether_updated),
            stale=self._all,
            lane=("change-request", self.id),
        )

    async def _revision(self, call: Call) -> Known:
        return ((await call(ChangeRequests.get_change_request, self.space, self.id)).revision,)

    async def _look_whether_merged(self, call: Call, known: Known) -> MergeOutcome | None:
        """Check whether it is merged; if not and its revision differs, others may have changed it."""
        now = await call(ChangeRequests.get_change_request, self.space, self.id)
        if now.status == "merged":
            return MergeOutcome(revision=now.revision_merged or now.revision, result="merge")
        if now.revision not in known:
            raise Undecided("The change request may have been merged.", "It has changed and is not merged.")
        return None

    async def _look_whether_updated(self, call: Call, known: Known) -> MergeOutcome | None:
        """Check whether it is up to date now; only its pages show whether that left conflicts."""
        now = await call(ChangeRequests.get_change_request, self.space, self.id)
        if now.revision in known:
            return None
        if now.outdated:
            raise Undecided("The change request may have been updated.", "It has changed and is still outdated.")
        return MergeOutcome(revision=now.revision, result="")

    def write(self, made: Sequence[Change], doing: str, done: str, draft: Draft | None = None) -> Mutation[object]:
        """Write pages, all changes or none; at most 50."""
        return Mutation(
            doing=doing,
            done=done,
            call=lambda call: call(
                ContentChanges.write_content,
                InChangeRequest(self.space, self.id),
                WriteContent(changes=tuple(made)),
                compat=False,
            ),
            lookup=look_for_write(self.space, lambda: self.id, made),
            stale=self._all,
            draft=draft,
            lane=("change-request", self.id),
        )

    def request_reviewers(self, users: Sequence[str], names: str) -> Mutation[object]:
        """Request reviews."""

        async def find(call: Call) -> Matches[object]:
            listed = await all_pages(call, Reviews.list_requested_reviewers, self.space, self.id)
            entries = [entry for page in listed for entry in page.items]
            return Matches({one.user.id: one for one in entries if one.user is not None and one.user.id in users})

        return Mutation(
            doing=f"Requesting a review from {names}",
            done=f"Requested a review of {self.named()} from {names}",
            call=lambda call: call(
                Reviews.request_reviewers, self.space, self.id, RequestReviewers(users=tuple(users))
            ),
            lookup=new_among(find),
            stale=self._all,
            inverse=lambda _: self.withdraw_reviewer(users[0], names) if len(users) == 1 else None,
        )

    def withdraw_reviewer(self, user: str, name: str) -> Mutation[None]:
        """Withdraw the request for a review from a member."""
        return Mutation(
            doing=f"Withdrawing the request to {name}",
            done=f"Withdrew the request to review {self.named()} from {name}",
            call=lambda call: call(Reviews.withdraw_reviewer, self.space, self.id, user),
            stale=self._all,
            inverse=lambda _: self.request_reviewers((user,), name),
        )

    def submit_review(self, verdict: Verdict, text: str, draft: Draft | None = None) -> Mutation[Review]:
        """Approve, or request changes."""
        given = {"comment": CommentBodyInput(markdown=text)} if text.strip() else {}

        async def find(call: Call) -> Matches[Review]:
            listed = all_pages(call, Reviews.list_reviews, self.space, self.id)
            me, found = await asyncio.gather(caller_id(call), listed)
            return matches(
                found,
                lambda one: one.status == verdict and (me is None or one.reviewer is None or one.reviewer.id == me),
            )

        return Mutation(
            doing="Submitting the review",
            done=f"{'Approved' if verdict == 'approved' else 'Requested changes in'} {self.named()}",
            call=lambda call: call(Reviews.submit_review, self.space, self.id, SubmitReview(status=verdict, **given)),
            lookup=new_among(find),
            stale=self._all,
            draft=draft,
            lane=("talk", InChangeRequest(self.space, self.id)),
        )


def _sentence(text: str) -> str:
    return text[:1].upper() + text[1:]
