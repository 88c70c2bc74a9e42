"""Reverting a merge, from the key to the change request that reverts it; with a port for the screen.

The change request is named after what it reverts, by which it is found again: left half-way, because the
program ended or the platform refused, it is continued; the changes in it stay.
"""

from __future__ import annotations

import asyncio
import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Protocol

from recto.client.errors import BadRequest, ClientError, NotFound, Unsupported
from recto.contract.addresses import AtRevision, InChangeRequest, Main
from recto.contract.change_requests import ChangeRequest, ChangeRequests
from recto.contract.changes import MAX_CHANGES, Change, InsertPage, PageText, RevertPage, UpdatePage
from recto.contract.content import Content, Page, walk_pages, walk_with_parents
from recto.contract.links import Links
from recto.contract.spaces import Spaces
from recto.contract.users import Users
from recto.document.text import count
from recto.store.conflicts import ATTRIBUTES, rebase_resolution
from recto.store.content_writes import EDITABLE, change_pages, request_name, require_writes
from recto.store.drafts import DraftKind, DraftPlace
from recto.store.editing import SUBJECT_LIMIT
from recto.store.port import Port
from recto.store.resolution import Resolution
from recto.store.revert_plan import RevertPlan, Step, format_attribute, plan_revert
from recto.store.revisions import past_revision
from recto.store.titled_text import body_of, whole

if TYPE_CHECKING:
    from recto.store.store import Store

_TAKEN_BACK = re.compile(r"(?P<verb>Revert|Reapply) (?P<what>(?:#\d+: |revision ).*)")

_MOST = 1000
"""How many change requests of a status, and how many broken links, are looked through."""


class RevertingPort(Port, Protocol):
    """The questions and messages of reverting, on the screen."""

    async def confirm_revert(self, name: str, plan: RevertPlan, unfinished: ChangeRequest | None) -> bool:
        """Show what will be reverted and what will not, and ask; an ``unfinished`` change request is continued."""
        ...

    def open_request(self, request: ChangeRequest) -> None:
        """Go to a change request."""
        ...


class Reverting:
    """Reverts merges into the main content of a space."""

    def __init__(self, store: Store, space: str, port: RevertingPort) -> None:
        self._store = store
        self._space = space
        self._port = port
        self._request: ChangeRequest | None = None
        """The change request that takes it back, once it is there."""

    async def revert(self, revision: str) -> None:
        """Ask, and make a change request that reverts a revision of main; raises :class:`ClientError`."""
        await require_writes(self._store, self._space)
        entry = await past_revision(self._store, self._space, revision)
        merged = entry.request
        name = request_name(merged) if merged is not None else f"revision {revision}"
        subject = revert_subject(revision, merged)
        unfinished = await self._find_unfinished(subject)
        main = unfinished.base if unfinished is not None else await self._main()
        plan = await plan_revert(self._store, self._space, revision, main)
        self._request = None
        if unfinished is not None:
            touched = await self._find_changed_pages(unfinished)
            plan = replace(plan, steps=tuple(step for step in plan.steps if step.page not in touched))
            if not plan.steps:
                self._port.say(f"{request_name(unfinished)} reverts it already.")
                self._port.open_request(unfinished)
                return
        if not plan.steps and not plan.kept and not plan.lost:
            self._port.say(f"Nothing of {name} is left to revert.")
            return
        if not await self._port.confirm_revert(name, plan, unfinished):
            return
        self._request = unfinished
        if not await self._write(subject, plan) or (request := self._request) is None:
            return
        await self._keep_conflicts(request, plan)
        left = f" {count(len(plan.conflicts), 'page')} to resolve." if plan.conflicts else ""
        self._port.say(f"{request_name(request)} reverts it once it is merged.{left}")
        self._port.open_request(request)

    async def _main(self) -> str:
        return (await self._store.fetch(Spaces.get_space, self._space)).revision

    # Going on

    async def _find_unfinished(self, subject: str) -> ChangeRequest | None:
        """Return the change request of this subject that the person made and that still takes edits."""
        listed = await asyncio.gather(
            *(
                self._store.fetch(ChangeRequests.list_change_requests, self._space, status=status, limit=_MOST)
                for status in EDITABLE
            )
        )
        try:
            me: str | None = (await self._store.fetch(Users.get_user)).id
        except Unsupported:
            me = None
        found = [
            one
            for page in listed
            for one in page.items
            if one.subject == subject and (me is None or one.created_by is None or one.created_by.id == me)
        ]
        return found[0] if found else None

    async def _find_changed_pages(self, request: ChangeRequest) -> set[str]:
        """Return the pages that a change request changes already."""
        old, new = await asyncio.gather(
            self._store.fetch(Content.list_pages, AtRevision(self._space, request.base)),
            self._store.fetch(Content.list_pages, InChangeRequest(self._space, request.id)),
        )
        before, after = _places(old.pages), _places(new.pages)
        return {id for id in before.keys() | after.keys() if before.get(id) != after.get(id)}

    # Writing

    async def _write(self, subject: str, plan: RevertPlan) -> bool:
        """Write the steps in parts of at most ``MAX_CHANGES``; return whether all are written."""
        parts = _parts(plan.steps)
        for number, part in enumerate(parts):
            of = f", part {number + 1} of {len(parts)}" if len(parts) > 1 else ""
            error = await self._send(subject, [change for step in part for change in step.changes], of)
            left = [step for later in parts[number:] for step in later]
            if isinstance(error, BadRequest) and any(_reverts(step) for step in left):
                return await self._write_with_new_ids(subject, plan, left)
            if error is not None:
                return self._is_stopped(error)
        return True

    async def _send(self, subject: str, changes: Sequence[Change], of: str = "") -> ClientError | None:
        """Write changes, to the change request that is made for them where there is none; returns what failed."""
        request = self._request.id if self._request is not None else None
        mutation = change_pages(
            self._space, request, subject, changes, f"Reverting it{of}", f"Reverted it{of}", self._take
        )
        outcome = await self._port.send(mutation)
        if outcome.value is not None:
            self._take(outcome.value.request)
        return outcome.error

    def _take(self, request: ChangeRequest) -> None:
        self._request = request

    def _is_stopped(self, error: ClientError) -> bool:
        self._port.say_failed(error)
        if self._request is not None:
            self._port.say(f"#{self._request.number} contains what was written; the same key continues.")
        return False

    # On a platform that brings no page back under its id

    async def _write_with_new_ids(self, subject: str, plan: RevertPlan, steps: Sequence[Step]) -> bool:
        """Write steps without reverting pages: those that come back are new pages, and links to them are mended."""
        ids: dict[str, str] = {}
        waiting = [step for step in steps if step.page in plan.returning]
        while waiting:
            ready = [step for step in waiting if _parent_of(step) not in {other.page for other in waiting}]
            for part in _parts([await self._insertion(step, plan, ids) for step in ready]):
                error = await self._send(subject, [change for step in part for change in step.changes])
                if error is not None:
                    return self._is_stopped(error)
            ids.update(await self._new_ids(plan, ready, set(ids.values())))
            waiting = [step for step in waiting if step not in ready]
        others = [await self._update(step, plan, ids) for step in steps if step.page not in plan.returning]
        for part in _parts([step for step in others if step.changes]):
            error = await self._send(subject, [change for step in part for change in step.changes])
            if error is not None:
                return self._is_stopped(error)
        return await self._update_links(subject, ids)

    async def _insertion(self, step: Step, plan: RevertPlan, ids: Mapping[str, str]) -> Step:
        """Return what makes a page again that was deleted."""
        page = await self._page_before(plan, step.page)
        given: dict[str, Any] = {name: value for name in ATTRIBUTES if (value := getattr(page, name))}
        place = step.changes[-1]
        if isinstance(place, UpdatePage):
            given["at"] = place.at
            if place.into is not None:
                given["into"] = ids.get(place.into, place.into)
        text = PageText(markdown=whole(page.title, _with_links(body_of(page), ids)))
        return Step(step.page, (InsertPage(document=text, **given),))

    async def _update(self, step: Step, plan: RevertPlan, ids: Mapping[str, str]) -> Step:
        """Return a step in which a page that is there is written as it was, and links lead to the new pages."""
        changes: list[Change] = []
        for change in step.changes:
            if isinstance(change, RevertPage):
                page = await self._page_before(plan, change.page)
                values: dict[str, Any] = {
                    name: format_attribute(name, getattr(page, name)) for name in ATTRIBUTES if name != "slug"
                }
                text = PageText(markdown=whole(page.title, _with_links(body_of(page), ids)))
                changes.append(UpdatePage(page=page.id, document=text, **values))
            elif isinstance(change, UpdatePage):
                given = change.model_fields_set
                new: dict[str, Any] = {}
                if "document" in given:
                    new["document"] = PageText(markdown=_with_links(change.document.markdown, ids))
                if "into" in given and change.into is not None:
                    new["into"] = ids.get(change.into, change.into)
                changes.append(change.model_copy(update=new))
            else:
                changes.append(change)
        return Step(step.page, tuple(changes))

    async def _page_before(self, plan: RevertPlan, page: str) -> Page:
        return await self._store.fetch(Content.get_page, AtRevision(self._space, plan.before), page, format="markdown")

    async def _new_ids(self, plan: RevertPlan, made: Sequence[Step], known: Collection[str]) -> dict[str, str]:
        """Return the ids of the pages that were made, by their former ids: known by their titles, in order."""
        assert self._request is not None
        at = AtRevision(self._space, self._request.base)
        old = _places((await self._store.fetch(Content.list_pages, at)).pages)
        now = (await self._store.fetch(Content.list_pages, InChangeRequest(self._space, self._request.id))).pages
        new = [(page.id, page.title) for page in walk_pages(now) if page.id not in old and page.id not in known]
        ids: dict[str, str] = {}
        for step in made:
            found = next((one for one in new if one[1] == plan.returning[step.page]), None)
            if found is not None:
                new.remove(found)
                ids[step.page] = found[0]
        return ids

    async def _update_links(self, subject: str, ids: Mapping[str, str]) -> bool:
        """Write links to former pages as links to their new ids; return whether all are written."""
        assert self._request is not None
        at = InChangeRequest(self._space, self._request.id)
        concerned = dict.fromkeys(ids.values())
        try:
            broken = await self._store.fetch(Links.list_links, Main(self._space), limit=_MOST, status="broken")
            for link in broken.items:
                concerned.update((place.page.id, None) for place in link.location_references if place.page is not None)
        except (Unsupported, NotFound):
            pass  # links from pages that it does not change stay broken, and are listed as such
        mended: list[Step] = []
        for id in concerned:
            try:
                page = await self._store.fetch(Content.get_page, at, id, format="markdown")
            except NotFound:
                continue
            text = body_of(page)
            if (better := _with_links(text, ids)) != text:
                change = UpdatePage(page=id, document=PageText(markdown=whole(page.title, better)))
                mended.append(Step(id, (change,)))
        for part in _parts(mended):
            error = await self._send(subject, [change for step in part for change in step.changes])
            if error is not None:
                return self._is_stopped(error)
        return True

    # Conflicts

    async def _keep_conflicts(self, request: ChangeRequest, plan: RevertPlan) -> None:
        """Put the conflicts on disk, to be resolved in the change request."""
        if not plan.conflicts:
            return
        now = await self._store.fetch(ChangeRequests.get_change_request, self._space, request.id)
        found = Resolution(plan.conflicts, now.revision, now.base)
        resolution = await rebase_resolution(self._store, now, request.id, found)
        if resolution.conflicts:
            place = DraftPlace(space=self._space, change_request=request.id)
            start, text = self._store.drafts.start, resolution.dump()
            await self._store.keeper.do(start, DraftKind.RESOLUTION, place, text, name="resolution", suffix=".json")


def revert_subject(revision: str, merged: ChangeRequest | None) -> str:
    """Return the subject of the change request that takes back a revision, or what ``merged`` brought into main.

    Reverting a revert applies the original again: then the original is named, and no quotes nest.
    """
    if merged is None:
        subject = f"Revert revision {revision}"
    elif again := _TAKEN_BACK.fullmatch(merged.subject):
        subject = f"{'Reapply' if again['verb'] == 'Revert' else 'Revert'} {again['what']}"
    else:
        subject = f"Revert #{merged.number}: {merged.subject}"
    return subject[:SUBJECT_LIMIT].rstrip()


def _parts(steps: Sequence[Step]) -> list[list[Step]]:
    """Return steps in parts of at most ``MAX_CHANGES`` changes; those of a page stay together."""
    parts: list[list[Step]] = []
    room = 0
    for step in steps:
        if len(step.changes) > room:
            parts.append([])
            room = MAX_CHANGES
        parts[-1].append(step)
        room -= len(step.changes)
    return parts


def _reverts(step: Step) -> bool:
    return any(isinstance(change, RevertPage) for change in step.changes)


def _parent_of(step: Step) -> str | None:
    place = step.changes[-1]
    return place.into if isinstance(place, UpdatePage) else None


def _with_links(text: str, ids: Mapping[str, str]) -> str:
    """Return a text in which links to pages that have new ids lead there."""
    for old, new in ids.items():
        text = re.sub(rf"/pages/{re.escape(old)}(?![\w-])", f"/pages/{new}", text)
    return text


def _places(pages: Iterable[Page]) -> dict[str, object]:
    """Return the parent and the node of each page, which show whether it changed."""
    return {
        page.id: (parent, page.model_copy(update={"pages": (), "path": "", "urls": None}))
        for page, parent in walk_with_parents(pages)
    }
