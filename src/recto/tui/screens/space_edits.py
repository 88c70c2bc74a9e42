"""What a person does to edit: choosing where it goes, the editor, sending, and coming back to what was left."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from recto.client.errors import ClientError
from recto.contract.change_requests import ChangeRequest
from recto.document.merge import find_conflicts, merge_text
from recto.store.drafts import Draft, DraftKind, DraftPlace
from recto.store.page_edit import (
    SUBJECT_LIMIT,
    Base,
    Target,
    arrived,
    default_subject,
    earlier_text,
    find_base,
    is_unsure,
    same_text,
    start_draft,
    writing,
)
from recto.tui import signs, times
from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.dialogs.confirm import Confirm
from recto.tui.dialogs.page_editor import PageEditor
from recto.tui.dialogs.prompt import PromptLine
from recto.tui.dialogs.sent import Sent
from recto.tui.editor import EditorError
from recto.tui.lines import plain
from recto.tui.navigation import at_change_request

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recto.contract.content import Page
    from recto.tui.screens.space import SpaceView

_NEW, _SEND, _LOOK, _LATER = "new", "send", "look", "later"


class Edits:
    """The edits of one space: its drafts, and the change request that edits go to."""

    def __init__(self, view: SpaceView, space: str, target: int | None) -> None:
        self._view = view
        self._store = view.store
        self._space = space
        self.target = target
        """The number of the change request that edits go to without asking; ``None`` asks."""
        self.drafts: dict[str, Draft] = {}
        """What is typed and not sent, by page."""
        self._sending: set[str] = set()
        """The drafts that are on their way at the moment, by id."""
        self.typing: str | None = None
        """The title of the page whose text is open in the built-in editor."""

    # What was left

    async def find_drafts(self) -> None:
        """Find the drafts on disk; of those that were on their way, look whether they have arrived."""
        found = await asyncio.to_thread(self._store.drafts.find, DraftPlace(space=self._space), DraftKind.PAGE_EDIT)
        left: list[Draft | None] = [
            await self._store.drafts.settle(draft, self._has_arrived)
            if is_unsure(draft) and draft.id not in self._sending
            else draft
            for draft in found
        ]
        self.drafts = {str(draft.place.page): draft for draft in left if draft is not None and draft.place.page}
        self._view.drafts_changed()

    async def _has_arrived(self, draft: Draft, _text: str) -> bool:
        return await arrived(self._store.api, self._store, self._space, draft) is not None

    def told(self, page: str) -> str:
        """Say that there is a draft of a page, how old it is and where it goes; empty where there is none."""
        draft = self.drafts.get(page)
        if draft is None:
            return ""
        age = times.ago(draft.updated, self._store.clock())
        return f"A draft of yours from {age}, for {plain(Target.of_draft(draft).name)}"

    async def discard(self, draft: Draft) -> None:
        """Ask whether a draft is to go, and remove it."""
        title = draft.facts.get("title", "the page")
        says = f"What you typed for “{title}” {times.ago(draft.updated, self._store.clock())} is removed for good."
        if await self._view.ask(Confirm("Discard the draft", says, does="discards it")):
            await self._store.keeper.do(self._store.drafts.discard, draft)
            await self.find_drafts()
            self._view.say("Discarded the draft.")

    # Editing

    async def edit(self, page: Page, *, built_in: bool) -> None:
        """Let a person edit a page, or go on with what they left, and send it."""
        draft = self.drafts.get(page.id)
        if draft is None:
            target = await self._choose_target(page)
            if target is None:
                return
            base = await find_base(self._store, self._space, page.id, target.request)
            draft = await start_draft(self._store, self._space, page, target, base)
        if await self._type(draft, built_in):
            await self._send(draft)
        await self.find_drafts()

    async def _choose_target(self, page: Page) -> Target | None:
        requests = await self._view.open_requests()
        known = next((one for one in requests if one.number == self.target), None)
        if known is not None:
            self._view.say(f"Editing in #{known.number} “{known.subject}”.")
            return Target.of(known)
        return await self.choose_target(f"Edit “{page.title}” in", default_subject(page.title), requests)

    async def choose_target(self, title: str, subject: str, requests: Sequence[ChangeRequest]) -> Target | None:
        """Ask which change request a change goes to; a new one gets its subject here, and is made when it is sent."""
        answer = _NEW
        if requests:
            choices = [Choice(_NEW, "A new change request"), *(self._choice(one) for one in requests)]
            chosen = await self._view.ask(Choose(title, choices))
            if chosen is None:
                return None
            answer = chosen
        if answer != _NEW:
            return Target.of(next(one for one in requests if one.id == answer))
        named = await self._view.ask(
            PromptLine("New change request", subject, limit=SUBJECT_LIMIT, says="What it is about, for its reviewers.")
        )
        return None if named is None else Target(subject=named.strip())

    def _choice(self, request: ChangeRequest) -> Choice:
        status = signs.sign(signs.CHANGE_REQUEST, request.status).word
        age = times.ago(request.updated_at or request.created_at, self._store.clock())
        detail = f"{status} · {signs.person(request.created_by)} · {age}"
        return Choice(request.id, f"#{request.number} {request.subject or 'Without a subject'}", detail)

    async def choose(self) -> None:
        """Ask which change request edits go to from now on."""
        requests = await self._view.open_requests()
        ask = Choice("", "Ask each time", "" if self.target else "as it is")
        answer = await self._view.ask(Choose("Edits go to", [ask, *(self._choice(one) for one in requests)]))
        if answer is not None:
            chosen = next((one for one in requests if one.id == answer), None)
            self.target = chosen.number if chosen is not None else None
            self._view.requests_changed()

    async def _type(self, draft: Draft, built_in: bool) -> bool:
        """Let the person change the draft; says whether it is to be sent."""
        send = True
        try:
            if built_in or not await self._view.edit_file(draft.path):
                send = await self._type_here(draft)
        except EditorError as error:
            await self._drop_unedited(draft)
            self._view.say(str(error))
            return False
        if await self._drop_unedited(draft):
            self._view.say("Nothing was changed.")
            return False
        if not send:
            self._view.say("Kept as a draft.")
        return send

    async def _type_here(self, draft: Draft) -> bool:
        text = await asyncio.to_thread(self._store.drafts.text, draft)
        self.typing = draft.facts.get("title", "a page")
        where = f"for {Target.of_draft(draft).name}"
        typed = lambda changed: self._store.type(draft, changed)  # noqa: E731
        try:
            answer = await self._view.ask(PageEditor(self.typing, text, where=where, typed=typed))
        finally:
            self.typing = None
        await self._store.keeper.flush()
        return bool(answer)

    async def _drop_unedited(self, draft: Draft) -> bool:
        """Let go of a draft in which nothing was typed; says whether that was so."""
        if await asyncio.to_thread(self._store.drafts.edited, draft):
            return False
        await self._store.keeper.do(self._store.drafts.discard, draft)
        return True

    # Sending

    async def _send(self, draft: Draft) -> None:
        """Send a draft, unless the page has moved on and the person wants to look first."""
        text = await asyncio.to_thread(self._store.drafts.text, draft)
        if find_conflicts(text).conflicts:
            self._view.say("There are conflict markers in the text. It is kept as a draft: e goes on with it.")
            return
        try:
            base = await find_base(self._store, self._space, str(draft.place.page), Target.of_draft(draft).request)
            if not await self._is_still_on(draft, base, text):
                return
        except ClientError as error:
            self._view.say_failed(error)
            self._view.say("Your text is kept as a draft.")
            return
        self._sending.add(draft.id)
        outcome = await self._store.run(writing(self._store, self._space, draft))
        self._sending.discard(draft.id)
        if outcome.error is not None:
            self._view.say_failed(outcome.error)
            self._view.say("Your text is kept as a draft: e goes on with it.")
        elif outcome.value is not None:
            await self._offer(outcome.value, draft.facts.get("title", ""))

    async def _is_still_on(self, draft: Draft, base: Base, text: str) -> bool:
        """Say whether a draft may be sent as it is; where the page has moved on, offer to merge."""
        from recto.store.drafts import text_hash

        if draft.base_hash in (None, text_hash(base.text)) or same_text(base.text, text):
            return True
        before = await earlier_text(self._store, self._space, str(draft.place.page), draft)
        merged = merge_text(before or "", text, base.text, ours_label="yours", theirs_label="theirs")
        left = len(merged.conflicts)
        choices = [
            Choice(_LOOK, "Merge both, and look at it in the editor", signs.count(left, "conflict") if left else ""),
            *([] if left else [Choice(_SEND, "Merge both, and send it", "no conflict")]),
            Choice(_LATER, "Leave it as a draft"),
        ]
        answer = await self._view.ask(Choose("The page was changed while you edited it", choices))
        if answer not in (_SEND, _LOOK):
            self._view.say("Kept as a draft.")
            return False
        await self._store.keeper.do(self._store.drafts.save, draft, merged.text)
        draft = await self._store.keeper.do(self._store.drafts.rebase, draft, base.revision, base.text)
        if answer == _SEND:
            return True
        if await self._type(draft, built_in=False):
            await self._send(draft)
        return False

    async def _offer(self, request: ChangeRequest, title: str) -> None:
        """Say where the text went, and offer to go there."""
        self.target = request.number
        self._view.requests_changed()
        await self.find_drafts()
        if await self._view.ask(Sent(title, request)):
            self._view.go(at_change_request(self._space, request.id))
