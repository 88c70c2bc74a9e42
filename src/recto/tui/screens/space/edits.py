"""What a person does to edit: choosing where it goes, the editor, sending, and coming back to what was left."""

from __future__ import annotations

import asyncio
from datetime import timedelta
from typing import TYPE_CHECKING

from recto.client.errors import ClientError
from recto.contract.content import Revisions
from recto.document.merge.text_merge import find_conflicts, merge_text
from recto.store.anchors import Anchors, find_anchors
from recto.store.content_writes import same_text
from recto.store.drafts import Draft, DraftKind, DraftPlace, text_hash
from recto.store.keeper import NotKept
from recto.store.page_edit import (
    TITLE,
    Base,
    Target,
    default_subject,
    earlier_text,
    find_base,
    is_unsure,
    start_draft,
    writing,
)
from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.dialogs.confirm import Confirm
from recto.tui.look import signs, times
from recto.tui.look.lines import plain
from recto.tui.terminal.editor import EditorError

if TYPE_CHECKING:
    from recto.contract.content import Page
    from recto.tui.screens.reading.reader import Reader
    from recto.tui.screens.space.base import SpaceBase
    from recto.tui.screens.space.targets import Targets

_FORGOTTEN = timedelta(days=1)
"""How long a draft lies in which nothing was typed."""

_SEND, _LOOK, _LATER = "send", "look", "later"


class Edits:
    """The edits of pages of one space, and the drafts of them."""

    def __init__(self, view: SpaceBase, space: str, reader: Reader, targets: Targets) -> None:
        self._view = view
        self._store = view.store
        self._space = space
        self._reader = reader
        self._targets = targets
        self.drafts: dict[str, Draft] = {}
        """What is typed and not sent, by page."""
        self._sending: set[str] = set()
        """The drafts that are on their way at the moment, by id."""
        self.typing: str | None = None
        """The title of the page whose text is open in the built-in editor."""

    # What was left

    async def find_drafts(self) -> None:
        """Find the drafts on disk; of those that were on their way, look whether they have arrived."""
        found = await asyncio.to_thread(self._typed_drafts)
        left = [await self._settled(draft) for draft in found]
        self.drafts = {str(draft.place.page): draft for draft in left if draft is not None and draft.place.page}
        self._view.drafts_changed()

    def _typed_drafts(self) -> list[Draft]:
        """Return the drafts in which something was typed; an editor that was killed leaves others, which go in time."""
        drafts = self._store.drafts
        found = drafts.find(DraftPlace(space=self._space), DraftKind.PAGE_EDIT)
        unsaved = {draft.id for draft in self._store.keeper.unsaved}
        untouched = [draft for draft in found if draft.id not in unsaved and not drafts.edited(draft)]
        for draft in untouched:
            # Another program may have it open at this moment.
            if self._store.clock() - draft.updated > _FORGOTTEN:
                drafts.discard(draft)
        return [draft for draft in found if draft not in untouched]

    async def offer_drafts(self) -> None:
        """Find the drafts that were left, and tell of them."""
        await self.find_drafts()
        titles = [f"“{draft.facts.get(TITLE, 'a page')}”" for draft in self.drafts.values()]
        if titles:
            more = f" and {signs.count(len(titles) - 3, 'more page')}" if len(titles) > 3 else ""
            self._view.say(
                f"Typed here and not sent yet: {', '.join(titles[:3])}{more}. e on the page goes on with it."
            )

    async def _settled(self, draft: Draft) -> Draft | None:
        """Return a draft that is still to be sent; one whose answer was lost may have arrived, which is told."""
        if not is_unsure(draft) or draft.id in self._sending:
            return draft
        outcome = await self._store.look_for(writing(self._store, self._space, draft))
        if outcome.value is not None:
            self._view.say(f"“{draft.facts.get(TITLE, 'A page')}” had arrived in #{outcome.value.number}.")
            return None
        return await self._store.keeper.do(self._store.drafts.get, draft.id)

    def told(self, page: str) -> str:
        """Say that there is a draft of a page, how old it is and where it goes; empty where there is none."""
        draft = self.drafts.get(page)
        if draft is None:
            return ""
        age = times.ago(draft.updated, self._store.clock())
        return f"A draft of yours from {age}, for {plain(Target.of_draft(draft).name)}"

    async def discard(self, draft: Draft) -> None:
        """Ask whether a draft is to go, and remove it."""
        title = draft.facts.get(TITLE, "the page")
        says = f"What you typed for “{title}” {times.ago(draft.updated, self._store.clock())} is removed for good."
        if await self._view.ask(Confirm("Discard the draft", says, does="discards it")):
            await self._store.keeper.discard(draft)
            await self.find_drafts()
            self._view.say("Discarded the draft.")

    # Editing

    async def edit(self, page: Page, *, built_in: bool) -> None:
        """Let a person edit a page, or go on with what they left, and send it."""
        draft = self.drafts.get(page.id)
        if draft is None:
            target = await self._targets.find(f"Edit “{page.title}” in", default_subject(page.title))
            if target is None:
                return
            base = await find_base(self._store, self._space, page.id, target.request)
            draft = await start_draft(self._store, self._space, page, target, base)
        if await self._type(draft, built_in):
            await self._send(draft)
        await self.find_drafts()

    async def put(self, page: str, block: str, text: str) -> None:
        """Put a text in place of one block of a page, as a suggestion asks for, and send the page."""
        if page in self.drafts:
            self._view.say("There is a draft of this page that is not sent: e goes on with it, D discards it.")
            return
        found = self._reader.index.pages[page]
        target = await self._targets.find(f"Take the suggestion for “{found.title}” in", default_subject(found.title))
        if target is None:
            return
        base = await find_base(self._store, self._space, page, target.request)
        anchors = await self._anchors(page, base)
        try:
            changed = anchors.replaced(block, text)
        except KeyError:
            self._view.say("The block that this is for is gone from the page.")
            return
        draft = await start_draft(self._store, self._space, found, target, base)
        await self._send(await self._store.keeper.save(draft, changed))
        await self.find_drafts()

    async def _anchors(self, page: str, base: Base) -> Anchors:
        rich = await self._store.fetch(Revisions.get_past_page, self._space, base.revision, page, format="document")
        return await asyncio.to_thread(find_anchors, base.text, rich.document)

    async def _type(self, draft: Draft, built_in: bool) -> bool:
        """Let the person change the draft; says whether it is to be sent."""
        send = True
        try:
            if built_in or not await self._type_elsewhere(draft):
                send = await self._type_here(draft)
        except EditorError as error:
            untouched = await self._drop_unedited(draft)
            self._view.say(str(error))
            self._view.say(
                "E edits the page in the built-in editor."
                if untouched
                else "What you typed is kept as a draft: e goes on with it."
            )
            return False
        if await self._drop_unedited(draft):
            self._view.say("Nothing was changed.")
            return False
        if not send:
            unsaved = self._store.keeper.error_of(draft) is not None
            self._view.say("Not on disk yet: e goes on with it." if unsaved else "Kept as a draft.")
        return send

    async def _type_elsewhere(self, draft: Draft) -> bool:
        """Let the person change the draft in their editor; says whether there is one and the disk took the text."""
        try:
            before = await self._store.keeper.text(draft)
            await self._store.keeper.save(draft, before)
        except NotKept as error:
            self._view.say_failed(error)
            return False
        if not await self._view.edit_file(draft.path):
            return False
        try:
            after = await asyncio.to_thread(self._store.drafts.text, draft)
        except OSError:
            after = before
        try:
            # An editor that finds the disk full may leave half a file, and say nothing.
            await self._store.keeper.save(draft, after)
        except NotKept as error:
            if not after.strip():
                self._store.type(draft, before)
            self._view.say_failed(error)
            self._view.say("Your editor may not have saved all of it: look at the text before you send it.")
            return False
        return True

    async def _type_here(self, draft: Draft) -> bool:
        from recto.tui.dialogs.page_editor import PageEditor

        typed = await self._store.keeper.typed(draft)
        self.typing = draft.facts.get(TITLE, "a page")
        where = f"for {Target.of_draft(draft).name}"
        try:
            answer = await self._view.ask(PageEditor(self.typing, typed, where=where))
        finally:
            self.typing = None
        return bool(answer)

    async def _drop_unedited(self, draft: Draft) -> bool:
        """Let go of a draft in which nothing was typed; says whether that was so."""
        if await self._store.keeper.edited(draft):
            return False
        await self._store.keeper.discard(draft)
        return True

    # Sending

    async def _send(self, draft: Draft) -> None:
        """Send a draft, unless the page has moved on and the person wants to look first."""
        text = await self._store.keeper.text(draft)
        if find_conflicts(text).conflicts:
            self._view.say("There are conflict markers in the text. It is kept as a draft: e goes on with it.")
            return
        try:
            settled = await self._settle_target(draft)
            if settled is None or not await self._is_still_on(*settled, text):
                return
        except ClientError as error:
            self._view.say_failed(error)
            self._view.say("Your text is kept as a draft.")
            return
        await self._write(settled[0])

    async def _write(self, draft: Draft) -> None:
        self._sending.add(draft.id)
        outcome = await self._view.send(writing(self._store, self._space, draft))
        self._sending.discard(draft.id)
        await self.find_drafts()
        if outcome.value is not None:
            await self._targets.arrived(f"“{draft.facts.get(TITLE, 'The page')}”", outcome.value)
        elif outcome.error is not None:
            self._view.say_failed(outcome.error)
            self._view.say("Your text is kept as a draft: e goes on with it.")

    async def _settle_target(self, draft: Draft) -> tuple[Draft, Base] | None:
        """Give the draft and the page as it stands where it goes; another target where that takes no edits any more."""
        page = str(draft.place.page)
        target = Target.of_draft(draft)
        base = await find_base(self._store, self._space, page, target.request)
        if not base.closed:
            return draft, base
        self._view.say(f"#{target.number} is {base.closed}, so that your text has to go elsewhere.")
        other = await self._targets.find(f"Send “{draft.facts.get(TITLE, 'the page')}” to", target.subject)
        if other is None:
            self._view.say("Kept as a draft.")
            return None
        draft = await self._store.keeper.do(self._store.drafts.note, draft, **other.facts)
        return draft, await find_base(self._store, self._space, page, other.request)

    async def _is_still_on(self, draft: Draft, base: Base, text: str) -> bool:
        """Say whether a draft may be sent as it is; where the page has moved on, offer to merge."""
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
        await self._store.keeper.save(draft, merged.text)
        draft = await self._store.keeper.do(self._store.drafts.rebase, draft, base.revision, base.text)
        if answer == _SEND:
            return True
        if await self._type(draft, built_in=False):
            await self._send(draft)
        return False
