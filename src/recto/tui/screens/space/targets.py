"""Where the changes of a space go: the change request that a person works in, or a new one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recto.store.locations import ChangeRequestLocation
from recto.store.page_edit import SUBJECT_LIMIT, Target
from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.dialogs.prompt import PromptLine
from recto.tui.dialogs.sent import Sent
from recto.tui.look import signs, times

if TYPE_CHECKING:
    from recto.contract.change_requests import ChangeRequest
    from recto.tui.screens.space.base import SpaceBase
    from recto.tui.screens.space.talk_lists import Lists

_NEW = "new"


class Targets:
    """Remembers the change request that was written to last; ``number`` is its number, ``None`` asks each time."""

    def __init__(self, view: SpaceBase, space: str, lists: Lists, number: int | None) -> None:
        self._view = view
        self._space = space
        self._lists = lists
        self.number = number

    async def find(self, title: str, subject: str) -> Target | None:
        """Return the change request that is worked in, else ask for one; ``None`` where the person thinks better of it.

        ``title`` stands over the question, ``subject`` is proposed for a new change request, which is made only when
        something is sent to it.
        """
        requests = await self._lists.fresh_open_requests()
        known = next((one for one in requests if one.number == self.number), None)
        if known is not None:
            self._view.say(f"This goes to #{known.number} “{known.subject}”.")
            return Target.of(known)
        answer: str | None = _NEW
        if requests:
            choices = [Choice(_NEW, "A new change request"), *(self._choice(one) for one in requests)]
            answer = await self._view.ask(Choose(title, choices))
        if answer is None:
            return None
        if answer == _NEW:
            return await self._ask_subject(subject)
        return Target.of(next(one for one in requests if one.id == answer))

    async def _ask_subject(self, subject: str) -> Target | None:
        says = "It is made when you send your text. What is it about, for its reviewers?"
        named = await self._view.ask(PromptLine("New change request", subject, limit=SUBJECT_LIMIT, says=says))
        return None if named is None else Target(subject=named.strip())

    async def choose(self) -> None:
        """Ask which change request changes go to from now on."""
        requests = await self._lists.fresh_open_requests()
        choices = [Choice("", "Ask each time"), *(self._choice(one) for one in requests)]
        answer = await self._view.ask(Choose("Changes go to", choices))
        if answer is not None:
            self.work_in(next((one for one in requests if one.id == answer), None))

    def _choice(self, request: ChangeRequest) -> Choice:
        status = signs.sign(signs.CHANGE_REQUEST, request.status).word
        age = times.ago(request.updated_at or request.created_at, self._view.store.clock())
        detail = f"{status} · {signs.person(request.created_by)} · {age}"
        return Choice(request.id, f"#{request.number} {request.subject or 'Without a subject'}", detail)

    def work_in(self, request: ChangeRequest | None) -> None:
        """Send changes to a change request from now on; ``None`` asks each time."""
        self.number = request.number if request is not None else None
        self._view.requests_changed()
        self._view.place_changed()

    async def arrived(self, what: str, request: ChangeRequest) -> None:
        """Say where something went, work there from now on, and offer to go there."""
        self.work_in(request)
        if await self._view.ask(Sent(what, request)):
            self._view.go(ChangeRequestLocation(self._space, request.id))
