"""Editing pages, from the key to the platform, with a port for questions and messages on the screen.

A person edits a page (:meth:`Editing.edit`): the change request that the edit goes to is chosen, a draft is begun on
disk, the text is typed, merged where the page has moved on meanwhile, and sent. A new page (:meth:`Editing.add`) is
typed first; where it goes is asked when it is sent. A draft goes when the platform has confirmed it; a draft on
its way when the program ended is looked for first. A suggestion is applied (:meth:`Editing.apply_suggestion`) to a
block of the page as it is at that moment.
"""

from __future__ import annotations

import asyncio
import json
from dataclasses import replace
from datetime import timedelta
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from recto.client.errors import CUT_OFF, ClientError, NotFound, Unsupported
from recto.contract.addresses import AtRevision, InChangeRequest
from recto.contract.change_requests import ChangeRequest, ChangeRequests
from recto.contract.content import Content, Page
from recto.contract.spaces import Spaces
from recto.document.merge.text_merge import find_conflicts, merge_text
from recto.frozen import frozen
from recto.store.anchors import Anchors, find_anchors
from recto.store.content_writes import (
    EDITABLE,
    Written,
    change_pages,
    insert_page,
    look_for_write,
    make_request,
    place_page,
    request_name,
    require_writes,
    same_text,
    stale_after_write,
    update_text,
    with_undo,
    write,
    write_first,
)
from recto.store.drafts import Draft, DraftKind, DraftPlace, DraftState, text_hash
from recto.store.keeper import NotKept, TypedText
from recto.store.mutation import Lookup, Mutation
from recto.store.port import Port
from recto.store.titled_text import split_title, whole

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence, Set

    from recto.client.call import Call
    from recto.contract.changes import Change
    from recto.contract.rich_text import Document
    from recto.store.mutation import Attempt, Known
    from recto.store.store import Store

SUBJECT_LIMIT = 100
"""Characters of a change request's subject."""

_BELOW_TITLE = 3
"""The line, counted from 1, at which the text of a new page begins."""

_FORGOTTEN = timedelta(days=1)
"""How long a draft is kept in which nothing was typed."""

_TITLE, _REQUEST, _SUBJECT, _NUMBER = "title", "change_request", "subject", "number"
_AFTER, _INTO = "after", "into"
_KNOWN = "known_requests"
"""The fact of a draft that names the change requests before its own was made."""


class MergeChoice(Enum):
    """What to do where a page was changed while it was edited."""

    LOOK = "look"
    """Merge both, and review the text in the editor."""
    SEND = "send"
    """Merge both, and send the text."""
    LATER = "later"
    """Leave it as a draft."""


class EditorFailed(Exception):
    """The person's editor could not be run, or failed; says why."""


class EditingPort(Port, Protocol):
    """The questions and messages of editing, on the screen."""

    async def choose_target(self, title: str, subject: str, requests: Sequence[ChangeRequest]) -> Target | None:
        """Ask for a change request, or for a new subject; ``subject`` is the proposal."""
        ...

    async def edit_file(self, file: Path, line: int) -> bool:
        """Open a file in the person's editor, at a line counted from 1; false without an editor.

        Raises :class:`EditorFailed`.
        """
        ...

    async def edit_text(self, title: str, where: str, typed: TypedText, line: int) -> bool:
        """Open a text in the built-in editor, at a line counted from 1; whether it is to be sent."""
        ...

    async def choose_merge(self, conflicts: int) -> MergeChoice:
        """Ask what to do where a page was changed while it was edited."""
        ...

    async def confirm_discard(self, draft: Draft) -> bool:
        """Ask whether a draft is to be discarded."""
        ...

    def show_sent(self, what: str, request: ChangeRequest, page: str | None) -> None:
        """Show where something was sent, and the page that was written, where it is known."""

    def drafts_changed(self) -> None:
        """Called when other drafts are on disk."""

    def request_chosen(self, request: ChangeRequest) -> None:
        """Called when edits in main go to a change request from now on."""


@frozen
class Target:
    """The target of an edit: an existing change request, or the subject of a new one."""

    request: str | None = None
    """The change request's id."""
    subject: str = ""
    number: int = 0

    @property
    def name(self) -> str:
        """Its name in a sentence."""
        return request_name(self) if self.number else f"a new change request “{self.subject}”"

    @classmethod
    def of(cls, request: ChangeRequest) -> Target:
        """Return a change request as a target."""
        return cls(request.id, request.subject, request.number)

    @classmethod
    def of_draft(cls, draft: Draft) -> Target:
        """Return the target of a draft: where it was sent last, else where it was started for."""
        facts = draft.facts
        request = facts.get(_REQUEST, draft.place.change_request) or None
        return cls(request, facts.get(_SUBJECT, ""), int(facts.get(_NUMBER) or 0) if request else 0)

    @property
    def facts(self) -> dict[str, str]:
        """The facts that a draft keeps of it."""
        return {_REQUEST: self.request or "", _SUBJECT: self.subject, _NUMBER: str(self.number)}


@frozen
class Base:
    """A page as it is where an edit goes: its text, and the revision that holds it."""

    text: str
    revision: str


@frozen
class PagePlace:
    """The place of a new page: after a page, or last in a page; without either, last at the top level."""

    after: str | None = None
    into: str | None = None

    @property
    def facts(self) -> dict[str, str]:
        """The facts that a draft keeps of it."""
        return {_AFTER: self.after or "", _INTO: self.into or ""}

    @classmethod
    def of_draft(cls, draft: Draft) -> PagePlace:
        """Return the place of a new page's draft."""
        return cls(draft.facts.get(_AFTER) or None, draft.facts.get(_INTO) or None)


@frozen
class NewPage:
    """A new page that is not sent: its draft, and its text as it was found on disk."""

    draft: Draft
    text: str

    @property
    def title(self) -> str:
        """Its title."""
        return split_title(self.text)[0] or title_of(self.draft)

    @property
    def place(self) -> PagePlace:
        """Where it will stand."""
        return PagePlace.of_draft(self.draft)


def default_subject(title: str) -> str:
    """Return the subject proposed for an edit of a page."""
    return f"Edit {' '.join(title.split())}"[:SUBJECT_LIMIT].rstrip()


def title_of(draft: Draft) -> str:
    """Return the title of a draft's page."""
    return draft.facts.get(_TITLE, "a page")


class Editing:
    """Edits of the pages of a space; in a change request, all edits go to it.

    In main they go to the change request whose id ``choice`` returns, where it still takes edits; else it is asked for.
    """

    def __init__(
        self,
        store: Store,
        space: str,
        port: EditingPort,
        *,
        request: str | None = None,
        choice: Callable[[], str | None] = lambda: None,
    ) -> None:
        self._store = store
        self._space = space
        self._port = port
        self._request = request
        self._choice = choice
        self.drafts: dict[str, Draft] = {}
        """The drafts that are not sent, by page; that of a new page by its own id."""
        self.new_pages: tuple[NewPage, ...] = ()
        """The new pages that are not sent."""
        self.typing: str | None = None
        """The title of the page that is open in the built-in editor."""

    # Editing a page

    async def edit(self, page: Page, *, built_in: bool, line: int = 1, text: str | None = None) -> None:
        """Edit a page, or go on with its draft, and send it.

        The editor opens at ``line``, counted from 1; with ``text``, such as a former text, on that in place of the
        page's.
        """
        await self.find_drafts()  # another window may have left one, or sent one, since
        draft = (self.drafts.get(page.id) if text is None else None) or await self._begin(page, text)
        if draft is not None:
            await self._write(draft, built_in=built_in, line=line)

    async def add(self, title: str, place: PagePlace, *, built_in: bool) -> None:
        """Write a new page and send it; raises :class:`ClientError`."""
        await self.require_writes()
        draft = await self._store.keeper.do(
            self._store.drafts.start,
            DraftKind.NEW_PAGE,
            DraftPlace(space=self._space, change_request=self._request),
            whole(title, ""),
            name=title,
            facts={_TITLE: title, **place.facts},
        )
        await self.find_drafts()
        await self._write(draft, built_in=built_in, line=_BELOW_TITLE)

    async def _write(self, draft: Draft, *, built_in: bool, line: int) -> None:
        """Open a draft in an editor, and send it."""
        current: Draft | None = draft
        async with self._store.keeper.holding(draft):
            while current is not None and await self._type(current, built_in=built_in, line=line):
                current, look = await self._prepare(current)
                if current is not None and not look:
                    await self._send(current)
                    break
        await self.find_drafts()

    async def _begin(self, page: Page, text: str | None) -> Draft | None:
        """Choose where an edit goes, and save the page's text to disk; ``None`` if the person cancels."""
        target = await self.choose_target(f"Edit “{page.title}” in", default_subject(page.title))
        if target is None:
            return None
        try:
            base = await self._base(page.id, target.request)
        except CUT_OFF:
            base = await self._base_at_hand(page, target.request)
        keeper, drafts = self._store.keeper, self._store.drafts
        place = DraftPlace(space=self._space, page=page.id)
        if await keeper.do(drafts.find, place, DraftKind.PAGE_EDIT, held_elsewhere=True):
            self._port.say(f"“{page.title}” is open in another window, too: this is a draft of its own.")
        return await keeper.do(
            drafts.start,
            DraftKind.PAGE_EDIT,
            replace(place, change_request=target.request),
            base.text if text is None else text,
            name=page.slug or page.title,
            base_revision=base.revision,
            base_text=base.text,
            facts={_TITLE: page.title, **target.facts},
        )

    async def _base(self, page: str, request: str | None) -> Base:
        """Read a page as it is in a change request, else in main; raises :class:`ClientError`."""
        if request is not None:
            revision = (await self._fetch_request(request)).revision
        else:
            revision = (await self._store.fetch(Spaces.get_space, self._space)).revision
        # By its revision, so that the text is that of the revision whatever is written at this moment.
        fetch = self._store.fetch
        try:
            read = await fetch(Content.get_page, AtRevision(self._space, revision), page, format="markdown")
        except Unsupported:
            if request is None:
                raise
            read = await fetch(Content.get_page, InChangeRequest(self._space, request), page, format="markdown")
            if (await fetch(ChangeRequests.get_change_request, self._space, request)).revision != revision:
                raise
        return Base(read.markdown or "", revision)

    async def _base_at_hand(self, page: Page, request: str | None) -> Base:
        """Take the page as it is shown if the platform cannot be reached; raises :class:`ClientError`."""
        if request is not None:
            revision = (await self._fetch_request(request)).revision
        else:
            revision = (await self._store.fetch_or_kept(Spaces.get_space, self._space)).revision
        self._port.say(f"The platform cannot be reached: this is “{page.title}” as it was last loaded.")
        return Base(page.markdown or "", revision)

    # Typing

    async def _type(self, draft: Draft, *, built_in: bool, line: int) -> bool:
        """Open the text in an editor; whether it is to be sent."""
        try:
            send = None if built_in else await self._type_in_editor(draft, line)
            if send is None:
                send = await self._type_here(draft, line)
        except EditorFailed as error:
            untouched = await self._drop_unedited(draft)
            self._port.say(str(error))
            self._port.say(
                "‹page.edit_here› edits the page in the built-in editor."
                if untouched
                else f"{_name_kept(draft)}: ‹page.edit› continues it."
            )
            return False
        if draft.kind is DraftKind.NEW_PAGE and not send and await self._is_without_text(draft):
            await self._store.keeper.discard(draft)
            self._port.say(f"Nothing was written, so “{title_of(draft)}” is not added.")
            return False
        if await self._drop_unedited(draft):
            self._port.say(f"“{title_of(draft)}” was not changed.")
            return False
        if not send:
            unsaved = self._store.keeper.error_of(draft) is not None
            kept = f"Your text for “{title_of(draft)}” is not on disk yet" if unsaved else _name_kept(draft)
            self._port.say(f"{kept}: ‹page.edit› continues it.")
        return send

    async def _type_in_editor(self, draft: Draft, line: int) -> bool | None:
        """Open the text in the person's editor; whether it is to be sent.

        ``None`` where there is no editor, or the disk does not take the text. An edit is sent when the editor is
        closed, a new page only where the editor saved it.
        """
        keeper = self._store.keeper
        try:
            before = await keeper.text(draft)
            await keeper.save(draft, before)
        except NotKept as error:
            self._port.say_failed(error)
            return None
        written = await asyncio.to_thread(_time_of, draft.path)
        if not await self._port.edit_file(draft.path, line):
            return None
        saved = await asyncio.to_thread(_time_of, draft.path)
        try:
            after = await asyncio.to_thread(self._store.drafts.text, draft)
        except OSError:
            after = before
        try:
            # An editor that finds the disk full may leave half a file, and say nothing.
            await keeper.save(draft, after)
        except NotKept as error:
            if not after.strip():
                self._store.type(draft, before)
            self._port.say_failed(error)
            self._port.say("Your editor may not have saved all of it: look at the text before you send it.")
            return None
        return draft.kind is not DraftKind.NEW_PAGE or after != before or saved != written

    async def _type_here(self, draft: Draft, line: int) -> bool:
        where = f"for {Target.of_draft(draft).name}" if _REQUEST in draft.facts else "a new page"
        async with self._store.keeper.open_text(draft) as typed:
            self.typing = title_of(draft)
            try:
                return await self._port.edit_text(self.typing, where, typed, line)
            finally:
                self.typing = None

    async def _is_without_text(self, draft: Draft) -> bool:
        """Whether nothing but its title is in a new page."""
        return not split_title(await self._store.keeper.text(draft))[1].strip()

    async def _drop_unedited(self, draft: Draft) -> bool:
        """Discard a draft in which nothing was typed; whether that was so."""
        if await self._store.keeper.is_edited(draft):
            return False
        await self._store.keeper.discard(draft)
        return True

    # Choosing where it goes

    async def require_writes(self) -> None:
        """Raise :class:`Unsupported` where the platform takes no edits, before anything is asked."""
        await require_writes(self._store, self._space, self._request or self._choice())

    @property
    def has_target(self) -> bool:
        """Whether edits go to a change request that was chosen before."""
        return self._request is not None or self._choice() is not None

    async def choose_target(self, title: str, subject: str) -> Target | None:
        """Return the change request that edits go to, or ask for it; ``None`` where the person cancels.

        ``title`` stands over the question; ``subject`` is proposed for a new change request, which is made only when
        something is sent to it. Raises :class:`ClientError`.
        """
        await self.require_writes()
        if self._request is not None:
            return Target.of(await self._fetch_request(self._request))
        chosen = self._choice()
        if chosen is not None and (known := await self._fetch_request(chosen)).status in EDITABLE:
            self._port.say(f"This goes to {Target.of(known).name}.")
            return Target.of(known)
        return await self._port.choose_target(title, subject, await self.open_requests())

    async def _fetch_request(self, id: str) -> ChangeRequest:
        return await self._store.fetch_or_kept(ChangeRequests.get_change_request, self._space, id)

    async def open_requests(self) -> list[ChangeRequest]:
        """Return the change requests that take edits, the newest first; raises :class:`ClientError`."""
        queries = [
            self._store.query_list(ChangeRequests.list_change_requests, self._space, status=status)
            for status in EDITABLE
        ]
        found: list[ChangeRequest] = []
        for query in queries if self._store.offline is None else ():
            query.refresh()
        for query in queries:
            await query.wait()
            if query.value is None and query.error is not None and not query.is_cut_off:
                raise query.error
            found += query.value.items if query.value is not None else ()
        return sorted(found, key=lambda one: one.updated_at or one.created_at or self._store.clock(), reverse=True)

    # Merging

    async def _prepare(self, draft: Draft) -> tuple[Draft | None, bool]:
        """Return a draft that can be sent, and whether to review it first; ``None`` if it stays a draft."""
        text = await self._store.keeper.text(draft)
        if find_conflicts(text).conflicts:
            self._port.say(f"Your text has conflict markers. {_name_kept(draft)}: ‹page.edit› continues it.")
            return None, False
        try:
            target = await self._find_target(draft)
            if target is None:
                return self._leave(draft)
            draft = await self._store.keeper.do(self._store.drafts.note, draft, **target.facts)
            if draft.kind is DraftKind.NEW_PAGE:
                return draft, False
            base = await self._base(str(draft.place.page), target.request)
            if draft.base_hash in (None, text_hash(base.text)) or same_text(base.text, text):
                return draft, False
            return await self._merge_with(draft, base, text)
        except ClientError as error:
            self._port.say_failed(error)
            self._port.say(f"{_name_kept(draft)}: ‹page.edit› continues it.")
            return None, False

    async def _find_target(self, draft: Draft) -> Target | None:
        """Return where a draft goes; ask where that is not chosen yet, or takes no edits any more."""
        target, title = Target.of_draft(draft), f"Send “{title_of(draft)}” to"
        if _REQUEST not in draft.facts:
            return await self.choose_target(title, f"Add {title_of(draft)}"[:SUBJECT_LIMIT])
        if target.request is None:
            return target
        found = await self._fetch_request(target.request)
        if found.status in EDITABLE:
            return target
        self._port.say(f"#{target.number} is {found.status}, so your text has to go elsewhere.")
        return await self.choose_target(title, target.subject)

    async def _merge_with(self, draft: Draft, base: Base, text: str) -> tuple[Draft | None, bool]:
        """Merge a text with the changes made to the page since, as the person chooses."""
        before = await self._text_before(draft)
        if before is None:
            began = f"The text from which you began “{title_of(draft)}” is not known any more"
            self._port.say(f"{began}: each difference is a conflict.")
        merged = merge_text(before or "", text, base.text, ours_label="yours", theirs_label="theirs")
        choice = await self._port.choose_merge(len(merged.conflicts))
        if choice is MergeChoice.LATER:
            return self._leave(draft)
        await self._store.keeper.save(draft, merged.text)
        draft = await self._store.keeper.do(self._store.drafts.rebase, draft, base.revision, base.text)
        return draft, choice is MergeChoice.LOOK

    async def _text_before(self, draft: Draft) -> str | None:
        """Read the text from which a draft was begun; ``None`` where it is not known any more."""
        if draft.base_revision is None or draft.base_hash is None:
            return None
        at, page = AtRevision(self._space, draft.base_revision), str(draft.place.page)
        try:
            found = await self._store.fetch(Content.get_page, at, page, format="markdown")
        except (NotFound, Unsupported):
            return None
        text = found.markdown or ""
        return text if text_hash(text) == draft.base_hash else None

    def _leave(self, draft: Draft) -> tuple[None, bool]:
        self._port.say(f"{_name_kept(draft)}: ‹page.edit› continues it.")
        return None, False

    # Sending, and looking whether it has arrived

    async def _send(self, draft: Draft) -> None:
        outcome = await self._port.send(self.send_draft(draft))
        await self.find_drafts()
        if outcome.value is not None:
            self._show_sent(f"“{title_of(draft)}”", outcome.value, draft.place.page)
            if draft.place.page in self.drafts:
                self._port.say(f"Another draft of “{title_of(draft)}” is not sent: ‹page.edit› continues it.")
        elif outcome.error is not None:
            self._port.say_failed(outcome.error)
            self._port.say(f"{_name_kept(draft)}: ‹page.edit› continues it.")

    def _show_sent(self, what: str, written: Written, page: str | None) -> None:
        if self._request is None:
            self._port.request_chosen(written.request)
        self._port.show_sent(what, written.request, page or written.page)

    def send_draft(self, draft: Draft) -> Mutation[Written]:
        """Return the change that sends a draft: makes the change request where it is to be new, writes the page."""

        async def now() -> tuple[Draft, Change]:
            """Read the draft and its text as they are on disk."""
            current = await asyncio.to_thread(self._store.drafts.get, draft.id) or draft
            text = await asyncio.to_thread(self._store.drafts.text, current)
            if current.kind is DraftKind.NEW_PAGE:
                return current, insert_page(split_title(text)[0] or title_of(current), text)
            return current, update_text(str(current.place.page), text)

        async def work(call: Call) -> Written:
            current, change = await now()
            target = Target.of_draft(current).request
            request = target or await self._make_request(call, current)
            if change.operation == "insert_page":
                place = PagePlace.of_draft(current)
                change = await place_page(call, self._space, request, change, place.after, place.into)
            return await (write if target else write_first)(call, self._space, request, (change,))

        async def lookup() -> Lookup[Written]:
            current, change = await now()
            return look_for_write(self._space, lambda: Target.of_draft(current).request, (change,))

        async def before(call: Call) -> Known:
            return await (await lookup()).before(call)

        async def after(call: Call, known: Known) -> Written | None:
            current = await asyncio.to_thread(self._store.drafts.get, draft.id)
            await self._find_request(call, current or draft)
            return await (await lookup()).after(call, known)

        what = "the new page" if draft.kind is DraftKind.NEW_PAGE else "the edit of"
        sending = Mutation(
            doing=f"Sending “{title_of(draft)}”",
            done=f"Sent “{title_of(draft)}”",
            call=work,
            lookup=Lookup(before, after),
            draft=draft,
            stale=stale_after_write(self._space, Target.of_draft(draft).request),
            lane=("write", self._space),
        )
        return with_undo(self._store, self._space, sending, f"{what} “{title_of(draft)}”", draft.place.page)

    async def _make_request(self, call: Call, draft: Draft) -> str:
        """Make the change request that a draft is for, once; the state before and after is kept with the draft."""
        keeper, drafts = self._store.keeper, self._store.drafts

        async def note(known: Known | None) -> None:
            await keeper.do(drafts.note, draft, **{_KNOWN: json.dumps(known)})

        made = await self._attempt_request(draft).make(call, note)
        await keeper.do(drafts.note, draft, **Target.of(made).facts)
        return made.id

    async def _find_request(self, call: Call, draft: Draft) -> None:
        """Note the change request that was made for a draft before the program ended; raises :class:`Undecided`."""
        if _KNOWN not in draft.facts or Target.of_draft(draft).request is not None:
            return
        made = await self._attempt_request(draft).look(call)
        if made is not None:
            await self._store.keeper.do(self._store.drafts.note, draft, **Target.of(made).facts)

    def _attempt_request(self, draft: Draft) -> Attempt[ChangeRequest]:
        known = json.loads(draft.facts.get(_KNOWN, "null"))
        return make_request(self._space, draft.facts.get(_SUBJECT, ""), None if known is None else tuple(known))

    # Drafts that were left

    async def find_drafts(self) -> None:
        """Find the drafts on disk; those that were on their way are looked for on the platform."""
        unsaved = {draft.id for draft in self._store.keeper.unsaved}
        found = await asyncio.to_thread(self._find_typed_drafts, unsaved)
        left = [draft for each in found if (draft := await self._look_for(each)) is not None]
        self.drafts = {draft.place.page or draft.id: draft for draft in left}
        new = [draft for draft in left if draft.kind is DraftKind.NEW_PAGE]
        self.new_pages = tuple([NewPage(draft, await self._store.keeper.text(draft)) for draft in new])
        self._port.drafts_changed()

    async def offer_drafts(self) -> None:
        """Find the drafts that were left, and say which."""
        await self.find_drafts()
        titles = [f"“{title_of(draft)}”" for draft in self.drafts.values()]
        if titles:
            rest = len(titles) - 3
            more = f" and {rest} more {'page' if rest == 1 else 'pages'}" if rest > 0 else ""
            self._port.say(
                f"Typed here and not sent yet: {', '.join(titles[:3])}{more}. ‹page.edit› on the page continues it."
            )

    def _find_typed_drafts(self, unsaved: Set[str]) -> list[Draft]:
        """Return the drafts in which something was typed, be it ``unsaved``; main knows those of change requests, too.

        An editor that was killed leaves others, which go in time.
        """
        drafts = self._store.drafts
        place = DraftPlace(space=self._space)
        found = [*drafts.find(place, DraftKind.PAGE_EDIT), *drafts.find(place, DraftKind.NEW_PAGE)]
        if self._request is not None:
            found = [draft for draft in found if Target.of_draft(draft).request == self._request]
        untouched = [draft for draft in found if draft.id not in unsaved and not drafts.is_edited(draft)]
        for draft in untouched:
            # Another program may have it open at this moment.
            if self._store.clock() - draft.updated > _FORGOTTEN:
                drafts.discard(draft)
        return [draft for draft in found if draft not in untouched]

    async def _look_for(self, draft: Draft) -> Draft | None:
        """Return a draft that is still to be sent; report an arrived draft."""
        if draft.state is DraftState.TYPED or self._store.is_sending(draft):
            return draft
        outcome = await self._store.look_for(self.send_draft(draft))
        if outcome.value is not None:
            self._port.say(f"“{title_of(draft)}” had arrived in #{outcome.value.request.number}.")
            return None
        return await self._store.keeper.do(self._store.drafts.get, draft.id)

    async def discard(self, draft: Draft) -> None:
        """Ask whether a draft is to be discarded, and discard it."""
        if await self._port.confirm_discard(draft):
            await self._store.keeper.discard(draft)
            await self.find_drafts()
            self._port.say(f"Discarded the draft of “{title_of(draft)}”.")

    # Suggestions, and the page tree

    async def apply_suggestion(self, page: str, title: str, block: str, text: str) -> bool:
        """Put a text in place of a block of a page, and send the page; whether it was sent."""
        if page in self.drafts:
            self._port.say(f"Your draft of “{title}” is not sent: ‹page.edit› continues it, ‹item.delete› discards it.")
            return False
        target = await self.choose_target(f"Apply the suggestion for “{title}” in", default_subject(title))
        if target is None:
            return False
        # As the page is at this moment, so that nothing is overwritten.
        base = await self._base(page, target.request)
        try:
            changed = (await self._anchors(page, base)).replace_block(block, text)
        except KeyError:
            self._port.say(f"The block of the suggestion is no longer in “{title}”.")
            return False
        if changed == base.text:
            self._port.say(f"“{title}” has this text already.")
            return False
        change = update_text(page, changed)
        return await self.change(
            target, (change,), "Applying the suggestion", f"Applied the suggestion to “{title}”", f"“{title}”"
        )

    async def source_of(self, page: str, block: str) -> str | None:
        """Read the source of a block as it is now; raises :class:`ClientError`."""
        return (await self._anchors(page, await self._base(page, self._request))).source_of(block)

    async def _anchors(self, page: str, base: Base) -> Anchors:
        """Return the blocks of a page, with the keys by which comments name them."""
        document: Document | None
        try:
            at = AtRevision(self._space, base.revision)
            rich = await self._store.fetch(Content.get_page, at, page, format="document")
        except Unsupported:
            if self._request is None:
                raise
            proposed = InChangeRequest(self._space, self._request)
            rich = await self._store.fetch(Content.get_page, proposed, page, format="document")
        document = rich.document
        return await asyncio.to_thread(find_anchors, base.text, document)

    async def change(self, target: Target, changes: Sequence[Change], doing: str, done: str, what: str) -> bool:
        """Send changes of pages and files in one write; whether they were sent. ``what`` names them."""
        mutation = change_pages(
            self._space, target.request, target.subject, changes, doing, done, self._port.request_chosen
        )
        page = getattr(changes[0], "page", None) if len(changes) == 1 else None
        # No operation removes a file.
        if all(change.operation != "insert_files" for change in changes):
            mutation = with_undo(self._store, self._space, mutation, f"{what[0].lower()}{what[1:]}", page)
        outcome = await self._port.send(mutation)
        if outcome.value is None:
            if outcome.error is not None:
                self._port.say_failed(outcome.error)
            return False
        if self._request is None:
            self._show_sent(what, outcome.value, page)
        else:
            self._port.say(f"{done}.")
        return True


def _time_of(file: Path) -> int:
    """Return when a file was written, 0 where it is not there."""
    try:
        return file.stat().st_mtime_ns
    except OSError:
        return 0


def _name_kept(draft: Draft) -> str:
    return f"Your text for “{title_of(draft)}” is kept as a draft"
