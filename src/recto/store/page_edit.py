"""The edit of a page: its draft, the change request it goes to, and the sending of it."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from recto.client.errors import Unsupported
from recto.contract.change_requests import ChangeRequest, ChangeRequests
from recto.contract.content import ChangeRequestContent, Page, Revisions
from recto.contract.spaces import Spaces
from recto.store.content_writes import EDITABLE, look_for_write, make_request, stale_after_write, write
from recto.store.drafts import Draft, DraftKind, DraftPlace, DraftState, text_hash
from recto.store.mutation import Lookup, Mutation

if TYPE_CHECKING:
    from recto.client.call import Call
    from recto.contract.changes import UpdatePage
    from recto.store.mutation import Known
    from recto.store.store import Store

SUBJECT_LIMIT = 100
"""Characters of a change request's subject."""

TITLE = "title"
"""The fact of a draft that says how its page is called."""

_REQUEST, _SUBJECT, _NUMBER = "change_request", "subject", "number"
_KNOWN = "known_requests"
"""The fact of a draft that names the change requests there were before one was made for it."""


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
        revision, closed = found.revision, "" if found.status in EDITABLE else found.status
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
    title = draft.facts.get(TITLE, "the page")

    async def now() -> tuple[Draft, tuple[UpdatePage]]:
        """Read the draft and its text as they are on disk."""
        from recto.contract.changes import PageText, UpdatePage

        current = await asyncio.to_thread(store.drafts.get, draft.id) or draft
        text = await asyncio.to_thread(store.drafts.text, current)
        return current, (UpdatePage(page=str(current.place.page), document=PageText(markdown=text)),)

    async def work(call: Call) -> ChangeRequest:
        current, changes = await now()
        request = Target.of_draft(current).request or await _make_for(call, store, space, current)
        return await write(call, space, request, changes)

    async def lookup() -> Lookup[ChangeRequest]:
        current, changes = await now()
        return look_for_write(space, lambda: Target.of_draft(current).request, changes)

    async def before(call: Call) -> Known:
        return await (await lookup()).before(call)

    async def after(call: Call, known: Known) -> ChangeRequest | None:
        return await (await lookup()).after(call, known)

    return Mutation(
        doing=f"Sending “{title}”",
        done=f"Sent “{title}”",
        call=work,
        lookup=Lookup(before, after),
        draft=draft,
        stale=stale_after_write(space, target.request),
        lane=("write", space),
    )


async def _make_for(call: Call, store: Store, space: str, draft: Draft) -> str:
    """Make the change request that a draft is for, once: what is noted before and after is kept with the draft."""

    async def note(known: Known | None) -> None:
        await store.keeper.do(store.drafts.note, draft, **{_KNOWN: json.dumps(known)})

    known = json.loads(draft.facts.get(_KNOWN, "null"))
    making = make_request(space, draft.facts.get(_SUBJECT, ""), None if known is None else tuple(known))
    made = await making.make(call, note)
    await store.keeper.do(store.drafts.note, draft, **Target.of(made).facts)
    return made.id


def is_unsure(draft: Draft) -> bool:
    """Say whether a draft was on its way when it was last heard of."""
    return draft.state in (DraftState.SENDING, DraftState.UNSURE)
