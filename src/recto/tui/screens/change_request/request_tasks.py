"""Changes of a change request as a whole: subject, description, status, reviewers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from recto.store.drafts import DraftKind, DraftPlace
from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.dialogs.choose_members import find_members
from recto.tui.dialogs.prompt import PromptLine, PromptText
from recto.tui.forms.form import Latest
from recto.tui.look import signs
from recto.tui.screens.change_request.overview import description_of

if TYPE_CHECKING:
    from recto.contract.members import Member
    from recto.store.drafts import Draft
    from recto.store.request_changes import RequestChanges
    from recto.tui.screens.change_request.facts import RequestFacts
    from recto.tui.screens.view import View

MOST_SUBJECT = 100

_STATUSES: dict[str, tuple[Literal["draft", "open", "archived"], str]] = {
    "draft": ("draft", "not ready for a review"),
    "open": ("open", "ready to be reviewed and merged"),
    "archived": ("archived", "closed; it can be opened again"),
}


class RequestTasks:
    """Asks for the values of a change to the change request, and makes it."""

    def __init__(self, view: View, changes: RequestChanges, facts: RequestFacts) -> None:
        self._view = view
        self._store = view.store
        self._changes = changes
        self._facts = facts

    @property
    def _place(self) -> DraftPlace:
        return DraftPlace(space=self._changes.space, change_request=self._changes.id)

    # The change request itself

    async def rename(self) -> None:
        """Ask for another subject."""
        request = self._facts.request.value
        if request is None:
            return
        title, draft = "Rename the change request", self._store.line_drafts.of("subject", request.id)
        latest = Latest(request, lambda: self._changes.load(self._store))

        async def reread() -> str:
            return (await latest()).subject

        subject = await self._view.ask(
            PromptLine(title, request.subject, label="Subject", limit=MOST_SUBJECT, draft=draft, reread=reread)
        )
        before = latest.value.subject
        if subject is not None and subject != before:
            outcome = await self._view.carry_out(self._changes.rename(subject, before))
            if outcome.error is None:
                draft.discard()

    async def describe(self) -> None:
        """Ask for another description, saved while it is typed."""
        request = self._facts.request.value
        if request is None:
            return
        keeper, drafts = self._store.keeper, self._store.drafts
        before = description_of(request)
        draft = known = await self._find_description()
        if draft is None:
            place = self._place
            if await keeper.do(drafts.find, place, DraftKind.DESCRIPTION, held_elsewhere=True):
                self._view.say("The description is open in another window, too: this is a draft of its own.")
            draft = await keeper.do(
                drafts.start, DraftKind.DESCRIPTION, place, before, name="description", base_text=before
            )
        async with keeper.open_text(draft) as typed:
            says = "You typed this before; it is not sent yet." if known is not None else ""
            text = await self._view.ask(PromptText("Description", says=says, typed=typed))
            if text is not None:
                await self._view.carry_out(self._changes.describe(text, draft))
            elif await keeper.is_edited(draft):
                self._say_left()
            else:
                await keeper.discard(draft)

    async def offer_description(self) -> None:
        """Show that a description was typed and is not sent."""
        if await self._find_description() is not None:
            self._say_left()

    async def _find_description(self) -> Draft | None:
        keeper = self._store.keeper
        for draft in await keeper.do(self._store.drafts.find, self._place, DraftKind.DESCRIPTION):
            if await keeper.is_edited(draft):
                return draft
            await keeper.discard(draft)
        return None

    def _say_left(self) -> None:
        self._view.say("Your description is not sent: “Change the description” continues it.")

    async def choose_status(self) -> None:
        """Ask for another status."""
        request = self._facts.request.value
        if request is None:
            return
        choices = [
            Choice(
                name,
                signs.sign(signs.CHANGE_REQUEST, name).word,
                means,
                "it is so now" if name == request.status else "",
            )
            for name, (_, means) in _STATUSES.items()
        ]
        chosen = await self._view.ask(Choose("Status", choices))
        if chosen is not None:
            await self._view.carry_out(self._changes.set_status(_STATUSES[chosen][0], str(request.status)))

    async def request_reviewers(self) -> None:
        """Ask for reviewers, and request their reviews."""
        space, request = self._facts.space.value, self._facts.request.value
        if space is None or request is None:
            return
        asked = {user.id for user in self._facts.asked_users}
        author = request.created_by.id if request.created_by is not None else None

        def why_not(member: Member) -> str:
            names[member.id] = signs.person(member.user)
            return "requested already" if member.id in asked else "the author" if member.id == author else ""

        names: dict[str, str] = {}
        find = find_members(self._store, space.organization, why_not)
        chosen = await self._view.ask(Choose("Request a review from", find=find))
        if chosen is not None:
            await self._view.carry_out(self._changes.request_reviewers((chosen,), names[chosen]))

    async def withdraw_reviewer(self) -> None:
        """Ask whose request for a review to withdraw."""
        names = {user.id: signs.person(user) for user in self._facts.asked_users}
        choices = [Choice(id, name) for id, name in names.items()]
        chosen = await self._view.ask(Choose("Withdraw the request for a review from", choices))
        if chosen is not None:
            await self._view.carry_out(self._changes.withdraw_reviewer(chosen, names[chosen]))
