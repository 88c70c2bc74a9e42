"""Resolving conflicts with main: update, a choice for each conflict, a single write; with a port for the screen.

A resolution is on disk with each choice. What would conflict is found ahead, and conflict markers that an update from
elsewhere left in the pages are conflicts, too.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Protocol

from recto.client.errors import ClientError
from recto.contract.changes import MAX_CHANGES
from recto.document.merge.text_merge import Side
from recto.document.text import count
from recto.store.conflicts import Examination, examine, find_left_in_texts, rebase_resolution
from recto.store.content_writes import EDITABLE
from recto.store.drafts import Draft, DraftKind, DraftPlace, text_hash
from recto.store.port import Port
from recto.store.resolution import Choice, Conflict, Matter, Resolution, load_resolution

if TYPE_CHECKING:
    from pathlib import Path

    from recto.contract.change_requests import ChangeRequest
    from recto.store.keeper import TypedText
    from recto.store.request_changes import RequestChanges
    from recto.store.review_pages import ReviewPage
    from recto.store.store import Store


class ResolvingPort(Port, Protocol):
    """The questions and messages of resolving conflicts, on the screen."""

    async def confirm_update(self, request: ChangeRequest, examination: Examination) -> bool:
        """Show what an update from main will do, and ask whether to update."""
        ...

    async def confirm_resolution(self, resolution: Resolution) -> bool:
        """Show what will be written, and ask whether to apply it."""
        ...

    async def edit_file(self, file: Path, line: int) -> bool:
        """Open a file in the person's editor, at a line counted from 1; false without an editor."""
        ...

    async def ask_text(self, typed: TypedText) -> str | None:
        """Ask for the text that resolves a conflict; ``None`` where it is left."""
        ...

    def conflicts_changed(self) -> None:
        """Called after each change of ``resolution`` and ``conflicts``."""


class Resolving:
    """The conflicts of a change request; ``pages`` returns the pages that it changes, as far as they are known."""

    def __init__(
        self, store: Store, changes: RequestChanges, port: ResolvingPort, pages: Callable[[], Sequence[ReviewPage]]
    ) -> None:
        self._store = store
        self._changes = changes
        self._port = port
        self._pages = pages
        self._draft: Draft | None = None
        self._place = DraftPlace(space=changes.space, change_request=changes.id)
        self._loaded = asyncio.Event()
        self.resolution: Resolution | None = None
        """The resolution in progress."""
        self.conflicts: int | None = None
        """How many conflicts there are, or are left to resolve, where that is known."""

    # Knowing

    async def load(self) -> None:
        """Read the resolution on disk."""
        keeper, drafts = self._store.keeper, self._store.drafts
        try:
            for draft in await keeper.do(drafts.find, self._place, DraftKind.RESOLUTION):
                resolution = load_resolution(await keeper.text(draft))
                if resolution is not None and resolution.pages:
                    self.close()
                    await keeper.hold(draft)
                    self._draft = draft
                    self._take(resolution)
        finally:
            self._loaded.set()

    def _take(self, resolution: Resolution | None) -> None:
        self.resolution = resolution
        self.conflicts = resolution.left if resolution is not None else None
        self._port.conflicts_changed()

    async def look_ahead(self, request: ChangeRequest) -> None:
        """Find what would conflict or, after an update, what still conflicts."""
        await self._loaded.wait()
        if self.resolution is not None or request.status not in EDITABLE:
            return
        if not request.outdated:
            await self.find_left()
            return
        examination = await self._examine(request)
        if self.resolution is None:
            self.conflicts = len(examination.resolution.conflicts)
            self._port.conflicts_changed()

    async def _examine(self, request: ChangeRequest) -> Examination:
        changed = [page.id for page in self._pages() if page.has_new_text]
        return await examine(self._store, request, self._changes.id, changed)

    # Updating from main

    async def update(self) -> bool:
        """Show what will happen and update from main; return whether there are conflicts to resolve."""
        request = await self._changes.load(self._store)
        if not request.outdated:
            self._port.say(f"Main has not changed, so {self._changes.named()} is up to date.")
            return False
        examination = await self._examine(request)
        if not await self._port.confirm_update(request, examination):
            return False
        expected = examination.resolution
        if expected.pages:
            # After the update the three sides can no longer be distinguished: they are saved before.
            await self._keep(expected)
        outcome = await self._port.send(self._changes.pull())
        if outcome.error is not None:
            if not outcome.error.may_have_arrived:
                await self.discard()
            elif expected.pages:
                outcome.error.next_step = "Your side and main's are kept under Conflicts: look there, or update again."
            self._port.say_failed(outcome.error)
            return False
        # The result is unknown where the response was lost: then what was expected tells.
        conflicts = outcome.value is None or outcome.value.result == "conflicts"
        if not (conflicts or (outcome.value is not None and outcome.value.result == "" and expected.pages)):
            await self.discard()
            self._port.say(f"Updated {self._changes.named()} from main. Nothing conflicts.")
            return False
        try:
            return await self._begin(await self._changes.load(self._store), expected)
        except ClientError:
            updated = f"Updated {self._changes.named()} from main, which conflicts."
            self._port.say(f"{updated} It could not be loaded again: ‹view.refresh› tries again.")
            return bool(expected.pages)

    async def _begin(self, request: ChangeRequest, expected: Resolution) -> bool:
        resolution = await rebase_resolution(self._store, request, self._changes.id, expected)
        if not resolution.conflicts:
            return await self.find_left()
        await self._keep(resolution)
        applied = (
            ""
            if not request.outdated
            else " This platform has not applied the update; your resolution is written all the same."
        )
        left = count(resolution.left, "conflict")
        updated = f"Updated {self._changes.named()} from main."
        self._port.say(
            f"{updated} {left} to resolve: ‹conflict.ours› ours, ‹conflict.theirs› theirs,"
            f" ‹conflict.both› both, ‹page.edit› edit.{applied}"
        )
        return True

    async def find_left(self) -> bool:
        """Look for conflict markers that an update left in the pages; return whether there are any."""
        request = await self._changes.load(self._store)
        pages = [page.id for page in self._pages() if page.has_new_text and "deleted" not in page.kinds]
        found = await find_left_in_texts(self._store, request, self._changes.id, pages)
        if found.conflicts:
            await self._keep(found)
        return bool(found.conflicts)

    # Choosing

    async def _keep(self, resolution: Resolution) -> None:
        """Put a resolution on disk, and show it."""
        keeper, drafts = self._store.keeper, self._store.drafts
        if self._draft is None:
            self._draft = await keeper.do(
                drafts.start, DraftKind.RESOLUTION, self._place, resolution.dump(), name="resolution", suffix=".json"
            )
            await keeper.hold(self._draft)
        else:
            self._draft = await keeper.save(self._draft, resolution.dump())
        self._take(resolution)

    async def discard(self) -> None:
        """Discard the resolution."""
        if self._draft is not None:
            await self._store.keeper.discard(self._draft)
        self.close()
        self._take(None)

    def close(self) -> None:
        """Leave the resolution on disk for the next screen or window."""
        if self._draft is not None:
            self._store.keeper.release(self._draft)
            self._draft = None

    def choose(self, conflict: Conflict, choice: Choice) -> None:
        """Resolve a conflict."""
        if self.resolution is not None:
            self._put(self.resolution.choose(conflict.id, choice))

    def undo(self) -> bool:
        """Undo the last choice; false without a choice."""
        if self.resolution is None or not self.resolution.steps:
            return False
        self._put(self.resolution.undo())
        return True

    def _put(self, resolution: Resolution) -> None:
        if self._draft is not None:
            self._store.type(self._draft, resolution.dump())
        self._take(resolution)

    async def edit(self, conflict: Conflict, *, here: bool) -> None:
        """Open the text that resolves a conflict in the person's editor, or here."""
        if conflict.matter not in (Matter.TEXT, Matter.ATTRIBUTE) or self.resolution is None:
            return
        choice = self.resolution.choices.get(conflict.id)
        both = str(conflict.version(Side.BOTH if conflict.matter is Matter.TEXT else Side.OURS) or "")
        text = str(choice.of(conflict) or "") if choice is not None else both
        end = "\n" if text.endswith("\n") else ""
        draft = await self._draft_of(conflict, text)
        async with self._store.keeper.holding(draft):
            answer = await self._edit(draft, _find_changed_line(conflict.base, text), here=here)
            answer = None if answer is None else answer.removesuffix("\n") + end
            if answer is not None and (here or answer != text):
                self.choose(conflict, Choice(None, answer))
            elif answer is not None and choice is None:
                self._port.say(
                    f"The text is as offered, so the conflict in “{conflict.title}” is still open:"
                    " ‹conflict.both› takes both."
                )
            keeper = self._store.keeper
            if answer is not None or not await keeper.is_edited(draft):
                await keeper.flush(self._draft)  # what was typed leaves the disk only once the choice is there
                await keeper.discard(draft)
            else:
                self._port.say(
                    f"Your text for the conflict in “{conflict.title}” is kept as a draft: "
                    "the same key at the same place continues it."
                )

    async def _draft_of(self, conflict: Conflict, text: str) -> Draft:
        """Return the draft of a text typed for a conflict: the draft left there, else a new draft."""
        keeper, drafts = self._store.keeper, self._store.drafts
        place = replace(self._place, page=conflict.page, block=text_hash(conflict.subject))
        for draft in await keeper.do(drafts.find, place, DraftKind.CONFLICT_TEXT):
            if await keeper.is_edited(draft):
                return draft
            await keeper.discard(draft)
        text = text.removesuffix("\n")
        return await keeper.do(drafts.start, DraftKind.CONFLICT_TEXT, place, text, name="conflict", base_text=text)

    async def _edit(self, draft: Draft, line: int, *, here: bool) -> str | None:
        keeper = self._store.keeper
        if not here and await self._port.edit_file(draft.path, line):
            return await keeper.text(draft)
        async with keeper.open_text(draft) as typed:
            return await self._port.ask_text(typed)

    # Writing

    async def apply(self) -> bool:
        """Show what will be written, and apply the resolution; whether it is applied."""
        resolution, draft = self.resolution, self._draft
        if resolution is None or draft is None or resolution.left:
            return False
        request = await self._changes.load(self._store)
        if request.revision != resolution.revision:
            resolution = await self._start_again(request, resolution)
            if resolution is None:
                return False
        if not await self._port.confirm_resolution(resolution):
            return False
        made = resolution.changes()
        for start in range(0, len(made), MAX_CHANGES):
            last = start + MAX_CHANGES >= len(made)
            mutation = self._changes.write(
                made[start : start + MAX_CHANGES],
                "Applying the resolution",
                "Applied the resolution",
                draft if last else None,
            )
            outcome = await self._port.send(mutation)
            if outcome.error is not None:
                self._port.say_failed(outcome.error)
                return False
        self.close()
        self._take(None)
        keeper = self._store.keeper
        for typed in await keeper.do(self._store.drafts.find, self._place, DraftKind.CONFLICT_TEXT):
            await keeper.discard(typed)
        await self._say_next_step()
        return True

    async def _start_again(self, request: ChangeRequest, resolution: Resolution) -> Resolution | None:
        """Carry the choices over to the change request as it is now; ``None`` where more is left."""
        if not request.outdated:
            # An update has arrived, whatever was known of it: the texts hold what of it still conflicts.
            marked = tuple(replace(page, marked=page.text is not None) for page in resolution.pages)
            fresh = await rebase_resolution(self._store, request, self._changes.id, replace(resolution, pages=marked))
        elif all(page.marked or page.text is None for page in resolution.pages):
            fresh = await rebase_resolution(self._store, request, self._changes.id, resolution)
        else:
            fresh = (await self._examine(request)).resolution
        resolution = resolution.onto(fresh)
        if not resolution.conflicts:
            await self.discard()
            self._port.say(
                f"The conflicts of {self._changes.named()} were resolved elsewhere: nothing is left to apply."
            )
            return None
        await self._keep(resolution)
        if resolution.left:
            left = count(resolution.left, "conflict")
            self._port.say(f"{self._changes.named()} has changed meanwhile. Your choices are kept; {left} left.")
            return None
        return resolution

    async def _say_next_step(self) -> None:
        try:
            now = await self._changes.load(self._store)
        except ClientError as error:
            self._port.say_failed(error)
            return
        applied = f"Applied the resolution to {self._changes.named()}."
        if now.outdated:
            self._port.say(f"{applied} Main has changed meanwhile: ‹request.update› updates from it again.")
            await self.look_ahead(now)
        else:
            self._port.say(f"{applied} Nothing conflicts any more: ‹request.merge› merges.")


def _find_changed_line(base: Any, text: str) -> int:
    """Return the first line of a text that is not as in the base, counted from 1."""
    pairs = zip_longest(str(base or "").splitlines(), text.splitlines())
    return next((number for number, (was, now) in enumerate(pairs, 1) if was != now), 1)
