"""The edit of a page: its draft, the change request it goes to, and the sending of it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recto.client.errors import Unsupported
from recto.contract.change_requests import ChangeRequest, ChangeRequests, CreateChangeRequest
from recto.contract.content import ChangeRequestContent, Page, Revisions
from recto.contract.spaces import Spaces
from recto.document.markdown.front_matter import split_front_matter
from recto.store.drafts import Draft, DraftKind, DraftPlace, DraftState, text_hash
from recto.store.keys import Chooser, about, calls
from recto.store.mutation import Mutation, hold_known

if TYPE_CHECKING:
    from collections.abc import Callable

    from recto.client.call import Call
    from recto.contract.changes import Change
    from recto.store.store import Store

SUBJECT_LIMIT = 100
"""Characters of a change request's subject."""

TITLE = "title"
"""The fact of a draft that says how its page is called."""

_REQUEST, _SUBJECT, _NUMBER = "change_request", "subject", "number"
_WRITTEN = ("draft", "open")


@dataclass(frozen=True, slots=True)
class Base:
    """A page as it stands where an edit is to go: its text, and the revision that holds it.

    ``closed`` is the status of a change request that takes no edits any more.
    """

    text: str
    revision: str
    closed: str = ""


@dataclass(frozen=True, slots=True)
class Target:
    """Where an edit goes: to a change request that is there, or to a new one with a subject."""

    request: str | None = None
    """The change request's id."""
    subject: str = ""
    number: int = 0

    @property
    def name(self) -> str:
        """How it is called in a sentence."""
        return f"#{self.number} “{self.subject}”" if self.number else f"a new change request “{self.subject}”"

    @classmethod
    def of(cls, request: ChangeRequest) -> Target:
        """Return the target that a change request is."""
        return cls(request.id, request.subject, request.number)

    @classmethod
    def of_draft(cls, draft: Draft) -> Target:
        """Return the target of a draft: where it was sent off to last, else where it was started for."""
        facts = draft.facts
        request = facts.get(_REQUEST, draft.place.change_request) or None
        return cls(request, facts.get(_SUBJECT, ""), int(facts.get(_NUMBER) or 0) if request else 0)

    @property
    def facts(self) -> dict[str, str]:
        """What a draft notes about it."""
        return {_REQUEST: self.request or "", _SUBJECT: self.subject, _NUMBER: str(self.number)}


def default_subject(title: str) -> str:
    """Return a subject for an edit of one page."""
    return f"Edit {' '.join(title.split())}"[:SUBJECT_LIMIT].rstrip()


async def find_base(store: Store, space: str, page: str, request: str | None) -> Base:
    """Ask for a page as it stands in a change request, else in the main content; raises ``ClientError``."""
    closed = ""
    if request is not None:
        found = await store.fetch(ChangeRequests.get_change_request, space, request)
        revision, closed = found.revision, "" if found.status in _WRITTEN else found.status
    else:
        revision = (await store.fetch(Spaces.get_space, space)).revision
    # By its revision, so that the text is that of the revision whatever is written at this moment.
    try:
        text = (await store.fetch(Revisions.get_past_page, space, revision, page, format="markdown")).markdown
    except Unsupported:
        if request is None:
            raise
        proposed = ChangeRequestContent.get_proposed_page
        text = (await store.fetch(proposed, space, request, page, format="markdown")).markdown
        if (await store.fetch(ChangeRequests.get_change_request, space, request)).revision != revision:
            raise
    return Base(text or "", revision, closed)


async def earlier_text(store: Store, space: str, page: str, draft: Draft) -> str | None:
    """Ask for the text from which a draft was started; ``None`` where it cannot be told any more."""
    if draft.base_revision is None or draft.base_hash is None:
        return None
    found = await store.fetch(Revisions.get_past_page, space, draft.base_revision, page, format="markdown")
    text = found.markdown or ""
    return text if text_hash(text) == draft.base_hash else None


async def start_draft(store: Store, space: str, page: Page, target: Target, base: Base) -> Draft:
    """Put the page's text on disk as a draft; raises ``NotKept``."""
    return await store.keeper.do(
        store.drafts.start,
        DraftKind.PAGE_EDIT,
        DraftPlace(space=space, change_request=target.request, page=page.id),
        base.text,
        name=page.slug or page.title,
        base_revision=base.revision,
        base_text=base.text,
        facts={TITLE: page.title, **target.facts},
    )


def writing(store: Store, space: str, draft: Draft) -> Mutation[ChangeRequest]:
    """Return the change that sends a draft's text: makes the change request where it is to be new, writes the page."""
    target = Target.of_draft(draft)
    page = str(draft.place.page)
    title = draft.facts.get(TITLE, "the page")

    async def work(call: Call) -> ChangeRequest:
        from recto.contract.changes import ContentChanges, PageText, UpdatePage, WriteContent

        request = target.request or await _make_for(call, store, space, draft)
        text = await asyncio.to_thread(store.drafts.text, draft)
        body = WriteContent(changes=(UpdatePage(page=page, document=PageText(markdown=text)),))
        await call(ContentChanges.write_content, space, request, body)
        return await call(ChangeRequests.get_change_request, space, request)

    async def look(call: Call) -> ChangeRequest | None:
        return await arrived(call, store, space, draft)

    return Mutation(
        doing=f"Sending “{title}”",
        done=f"Sent “{title}”",
        call=work,
        look=look,
        draft=draft,
        stale=doubtful_after_writing(space, target.request),
        lane=("write", space),
    )


async def _make_for(call: Call, store: Store, space: str, draft: Draft) -> str:
    """Make the change request that a draft is for, and remember it: should writing fail, the next try goes there."""
    made = await make_request(call, space, draft.facts.get(_SUBJECT, ""))
    await store.keeper.do(store.drafts.note, draft, **Target.of(made).facts)
    return made.id


async def make_request(call: Call, space: str, subject: str) -> ChangeRequest:
    """Make a change request with a subject, or without one where it is empty."""
    body = CreateChangeRequest(subject=subject) if subject else CreateChangeRequest()
    return await call(ChangeRequests.create_change_request, space, body)


async def arrived(call: Call, store: Store, space: str, draft: Draft) -> ChangeRequest | None:
    """Look whether a draft's text is on the platform, and give the change request that holds it."""
    current = await asyncio.to_thread(store.drafts.get, draft.id) or draft
    target = Target.of_draft(current)
    request = (
        await call(ChangeRequests.get_change_request, space, target.request)
        if target.request is not None
        else await _made_for(call, space, current)
    )
    if request is None:
        return None
    if target.request is None:
        await store.keeper.do(store.drafts.note, current, **Target.of(request).facts)
    page = await call(
        ChangeRequestContent.get_proposed_page, space, request.id, str(current.place.page), format="markdown"
    )
    text = await asyncio.to_thread(store.drafts.text, current)
    return request if same_text(page.markdown or "", text) else None


async def _made_for(call: Call, space: str, draft: Draft) -> ChangeRequest | None:
    """Find a change request that was made for a draft while the answer got lost."""
    for status in ("draft", "open"):
        found = await call(ChangeRequests.list_change_requests, space, status=status, limit=100)
        for request in found.items:
            since = request.created_at is not None and request.created_at >= draft.created
            if since and request.subject == draft.facts.get(_SUBJECT, ""):
                return request
        hold_known(found)
    return None


def same_text(given: str, sent: str) -> bool:
    """Say whether a page as the platform gives it out is the text that was sent.

    Front matter becomes attributes and is not given out with the text; empty lines at the ends do not count.
    """

    def bare(text: str) -> str:
        return split_front_matter(text.removeprefix("\ufeff").replace("\r\n", "\n"))[1].strip()

    return bare(given) == bare(sent)


def is_unsure(draft: Draft) -> bool:
    """Say whether a draft was on its way when it was last heard of."""
    return draft.state in (DraftState.SENDING, DraftState.UNSURE)


def shaping(
    space: str, target: Target, change: Change, doing: str, done: str, made: Callable[[ChangeRequest], None]
) -> Mutation[ChangeRequest]:
    """Return a change of the page tree, sent to a change request; ``made`` hears of one that is made for it."""

    async def work(call: Call) -> ChangeRequest:
        from recto.contract.changes import ContentChanges, WriteContent

        request = target.request
        if request is None:
            new = await make_request(call, space, target.subject)
            made(new)
            request = new.id
        await call(ContentChanges.write_content, space, request, WriteContent(changes=(change,)))
        return await call(ChangeRequests.get_change_request, space, request)

    return Mutation(
        doing=doing,
        done=done,
        call=work,
        stale=doubtful_after_writing(space, target.request),
        lane=("write", space),
    )


def doubtful_after_writing(space: str, request: str | None) -> tuple[Chooser, ...]:
    """Choose what a write to a change request makes doubtful."""
    from recto.contract.changes import ContentChanges

    return (
        calls(ChangeRequests.list_change_requests, space_id=space),
        calls(ContentChanges.list_changes, space_id=space),
        calls(Spaces.get_space, space_id=space),
        *((about(change_request_id=request),) if request else ()),
    )
