"""Settling conflicts: what would conflict, pulling in, choosing hunk by hunk, and the one write at the end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from recto.client.errors import ClientError
from recto.contract.change_requests import ChangeRequest, ChangeRequests
from recto.contract.changes import MAX_CHANGES
from recto.store.conflicts import Examination, examine, left_in_texts, on_what_is_there
from recto.store.drafts import Draft, DraftKind, DraftPlace, text_hash
from recto.store.settlement import Choice, Dispute, Matter, Settlement, load_settlement
from recto.tui.dialogs.merge import Weigh
from recto.tui.dialogs.prompt import PromptText
from recto.tui.look import signs
from recto.tui.look.lines import Line, Span, plain

if TYPE_CHECKING:
    from recto.store.request_changes import RequestChanges
    from recto.tui.screens.change_request.facts import RequestFacts
    from recto.tui.screens.view import View


class Settling:
    """One settlement in progress, on disk with each choice; ``changed`` is called after each change of it."""

    def __init__(self, view: View, changes: RequestChanges, facts: RequestFacts, changed: Callable[[], None]) -> None:
        self._view = view
        self._store = view.store
        self._changes = changes
        self._facts = facts
        self._changed = changed
        self._draft: Draft | None = None
        self._place = DraftPlace(space=changes.space, change_request=changes.id)
        self._loaded = asyncio.Event()
        self.settlement: Settlement | None = None

    # Knowing

    async def load(self) -> None:
        """Go on with what is on disk."""
        keeper, drafts = self._store.keeper, self._store.drafts
        try:
            for draft in await keeper.do(drafts.find, self._place, DraftKind.SETTLEMENT):
                settlement = load_settlement(await keeper.text(draft))
                if settlement is not None and settlement.pages:
                    self._draft = draft
                    self._take(settlement)
        finally:
            self._loaded.set()

    def _take(self, settlement: Settlement | None) -> None:
        self.settlement = settlement
        self._facts.settling = settlement is not None
        self._facts.conflicts = settlement.left if settlement is not None else None
        self._changed()

    async def look_ahead(self) -> None:
        """Find out, where nothing is being settled, what would conflict or what an update left in conflict."""
        await self._loaded.wait()
        request = self._facts.request.value
        if request is None or self.settlement is not None or request.status not in ("draft", "open"):
            return
        if not request.outdated:
            await self.find_left()
            return
        examination = await self._examine(request)
        if self.settlement is None:
            self._facts.conflicts = len(examination.settlement.disputes)
            self._changed()

    async def _examine(self, request: ChangeRequest) -> Examination:
        changed = [page.id for page in self._facts.pages or () if page.has_new_text]
        return await examine(self._store, request, self._changes.id, changed)

    async def _read_again(self) -> ChangeRequest:
        return await self._store.fetch(ChangeRequests.get_change_request, self._changes.space, self._changes.id)

    # Pulling

    async def pull(self) -> bool:
        """Show what will happen, pull the main content in; says whether there is something to settle."""
        request = await self._read_again()
        if not request.outdated:
            self._view.say("The main content has not moved on: there is nothing to pull in.")
            return False
        examination = await self._examine(request)
        told = _forecast(examination)
        does = "pulls it in; what conflicts is settled afterwards" if examination.settlement.pages else "pulls it in"
        if not await self._view.ask(Weigh(f"Pull the main content into #{request.number}", told, does=does)):
            return False
        expected = examination.settlement
        if expected.pages:
            # Once it is pulled in the three sides can no longer be told apart: they are kept before.
            await self._keep(expected)
        outcome = await self._view.send(self._changes.pull())
        if outcome.error is not None:
            await self.let_go()
            self._view.say_failed(outcome.error)
            return False
        now = await self._read_again()
        # The result is unknown where the answer was lost: then what was expected tells.
        conflicts = outcome.value is None or outcome.value.result == "conflicts"
        if not (conflicts or (outcome.value is not None and outcome.value.result == "" and expected.pages)):
            await self.let_go()
            self._view.say("Pulled in. Nothing conflicts.")
            return False
        return await self._begin(now, expected)

    async def _begin(self, request: ChangeRequest, expected: Settlement) -> bool:
        settlement = await on_what_is_there(self._store, request, self._changes.id, expected)
        if not settlement.disputes:
            return await self.find_left()
        await self._keep(settlement)
        applied = (
            ""
            if not request.outdated
            else " This platform has not applied it; what you settle is written all the same."
        )
        left = signs.count(settlement.left, "conflict")
        self._view.say(f"Pulled in. {left} to settle: ← ours, → theirs, b both, e edit.{applied}")
        return True

    async def find_left(self) -> bool:
        """Look for conflict markers that an update left in the pages; says whether there are any."""
        request = await self._read_again()
        pages = [page.id for page in self._facts.pages or () if page.has_new_text and "deleted" not in page.kinds]
        found = await left_in_texts(self._store, request, self._changes.id, pages)
        if found.disputes:
            await self._keep(found)
        return bool(found.disputes)

    # Choosing

    async def _keep(self, settlement: Settlement) -> None:
        """Put a settlement on disk, and show it."""
        keeper, drafts = self._store.keeper, self._store.drafts
        if self._draft is None:
            self._draft = await keeper.do(
                drafts.start, DraftKind.SETTLEMENT, self._place, settlement.dump(), name="settlement", suffix=".json"
            )
        else:
            self._draft = await keeper.save(self._draft, settlement.dump())
        self._take(settlement)

    async def let_go(self) -> None:
        """Settle nothing any more."""
        if self._draft is not None:
            await self._store.keeper.discard(self._draft)
        self._draft = None
        self._take(None)

    def choose(self, dispute: Dispute, choice: Choice) -> None:
        """Settle a dispute."""
        if self.settlement is not None:
            self._put(self.settlement.choose(dispute.id, choice))

    def undo(self) -> bool:
        """Take the last choice back; says whether there was one."""
        if self.settlement is None or not self.settlement.steps:
            return False
        self._put(self.settlement.undo())
        return True

    def _put(self, settlement: Settlement) -> None:
        if self._draft is not None:
            self._store.type(self._draft, settlement.dump())
        self._take(settlement)

    async def edit(self, dispute: Dispute, *, here: bool) -> None:
        """Let the person write what a dispute comes to, in their editor or here."""
        if dispute.matter not in (Matter.TEXT, Matter.ATTRIBUTE) or self.settlement is None:
            return
        choice = self.settlement.choices.get(dispute.id)
        both = f"{dispute.ours}{dispute.theirs}" if dispute.matter is Matter.TEXT else str(dispute.ours or "")
        text = str(choice.of(dispute) or "") if choice is not None else both
        end = "\n" if text.endswith("\n") else ""
        draft = await self._draft_of(dispute, text)
        answer = await self._edited(draft, here=here)
        answer = None if answer is None else answer.removesuffix("\n") + end
        if answer is not None and (here or answer != text):
            self.choose(dispute, Choice(None, answer))
        keeper = self._store.keeper
        if answer is not None or not await keeper.edited(draft):
            await keeper.flush(self._draft)  # what was typed leaves the disk only once the choice is there
            await keeper.discard(draft)
        else:
            self._view.say("Kept as a draft: the same key at the same place goes on with it.")

    async def _draft_of(self, dispute: Dispute, text: str) -> Draft:
        """Return the draft of what a person types for a dispute: the one left there before, else a new one."""
        keeper, drafts = self._store.keeper, self._store.drafts
        place = replace(self._place, page=dispute.page, block=text_hash(dispute.subject))
        for draft in await keeper.do(drafts.find, place, DraftKind.RESOLUTION):
            if await keeper.edited(draft):
                return draft
            await keeper.discard(draft)
        text = text.removesuffix("\n")
        return await keeper.do(drafts.start, DraftKind.RESOLUTION, place, text, name="conflict", base_text=text)

    async def _edited(self, draft: Draft, *, here: bool) -> str | None:
        keeper = self._store.keeper
        if not here and await self._view.edit_file(draft.path):
            return await keeper.text(draft)
        return await self._view.ask(PromptText("Resolve the conflict", typed=await keeper.typed(draft)))

    # Writing

    async def apply(self) -> bool:
        """Show what will be written and write it; says whether the conflicts are settled now."""
        settlement, draft = self.settlement, self._draft
        if settlement is None or draft is None or settlement.left:
            return False
        request = await self._read_again()
        if request.revision != settlement.revision:
            settlement = await self._start_again(request, settlement)
            if settlement is None:
                return False
        told: list[Line] = [
            [("· ", "faint"), (plain(page.title), ""), (f"  {_settled(page.disputes)}", "muted")]
            for page in settlement.pages
        ]
        title = f"Write {signs.count(len(settlement.disputes), 'settled conflict')}"
        if not await self._view.ask(Weigh(title, told, does="writes them into the change request, all at once")):
            return False
        made = settlement.changes()
        for start in range(0, len(made), MAX_CHANGES):
            last = start + MAX_CHANGES >= len(made)
            mutation = self._changes.write(
                made[start : start + MAX_CHANGES],
                "Writing what you settled",
                "Wrote what you settled",
                draft if last else None,
            )
            outcome = await self._view.send(mutation)
            if outcome.error is not None:
                self._view.say_failed(outcome.error)
                return False
        self._draft = None
        self._take(None)
        keeper = self._store.keeper
        for typed in await keeper.do(self._store.drafts.find, self._place, DraftKind.RESOLUTION):
            await keeper.discard(typed)
        await self._tell_what_is_next()
        return True

    async def _start_again(self, request: ChangeRequest, settlement: Settlement) -> Settlement | None:
        """Take what was settled over to what the change request is now; ``None`` where that is not all there is."""
        if all(page.marked or page.text is None for page in settlement.pages):
            fresh = await on_what_is_there(self._store, request, self._changes.id, settlement)
        else:
            fresh = (await self._examine(request)).settlement
        settlement = settlement.onto(fresh)
        if not settlement.disputes:
            await self.let_go()
            self._view.say("Somebody else has settled it meanwhile: nothing is left to write.")
            return None
        await self._keep(settlement)
        if settlement.left:
            left = signs.count(settlement.left, "conflict")
            self._view.say(f"The change request has changed meanwhile. What you settled is kept; {left} left.")
            return None
        return settlement

    async def _tell_what_is_next(self) -> None:
        try:
            now = await self._read_again()
        except ClientError as error:
            self._view.say_failed(error)
            return
        if now.outdated:
            self._view.say("Settled. The main content has moved on meanwhile: P pulls it in again.")
            await self.look_ahead()
        else:
            self._view.say("Settled. Nothing conflicts any more: M merges.")


def _settled(disputes: tuple[Dispute, ...]) -> str:
    return signs.count(len(disputes), "conflict")


def _forecast(examination: Examination) -> list[Line]:
    """Tell what a pull will do."""
    told: list[Line] = [
        [(f"The main content has changed {signs.count(examination.moved_on, 'page')} since.", "")],
    ]
    both = len(examination.both)
    if both:
        told.append([(f"{signs.count(both, 'page')} changed on both sides.", "")])
    if not examination.settlement.pages:
        told.append([(f"{signs.MET.sign} ", signs.MET.role), ("Nothing conflicts.", "")])
        return told
    told.append([])
    sign: Span = (f"{signs.CONFLICTING.sign} ", signs.CONFLICTING.role)
    return told + [
        [sign, (plain(page.title), "strong"), (f"  {_settled(page.disputes)}", "muted")]
        for page in examination.settlement.pages
    ]
