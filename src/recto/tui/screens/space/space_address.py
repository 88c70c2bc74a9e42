"""The address at which a screen shows a space: its name, the choice of another, and going there."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING

from recto.client.errors import NotFound
from recto.contract.addresses import Address, AtRevision, InChangeRequest, Main
from recto.contract.change_requests import ChangeRequest, ChangeRequests
from recto.store.content_writes import EDITABLE, create_request, request_name
from recto.store.locations import ChosenRequest, SpaceLocation
from recto.store.revisions import past_revision, with_writers
from recto.tui.look import signs, times
from recto.tui.navigation.messages import Arrival, Block
from recto.tui.screens.space.inventory_rows import origin
from recto.tui.screens.space.panels import PAGE

if TYPE_CHECKING:
    from recto.store.editing import Editing
    from recto.store.line_drafts import LineDraft
    from recto.store.query import Query
    from recto.store.revisions import PastRevision
    from recto.tui.look.lines import Span
    from recto.tui.screens.reading.reading_pane import ReadingPane
    from recto.tui.screens.view import View

_MAIN = "\0main"


class SpaceAddress:
    """Names the address, and leads to another; a change request that was merged or archived leads to main.

    The choice of a space is remembered: the change request in which it is seen, or to which edits in main go.
    """

    def __init__(self, view: View[SpaceLocation], reading: ReadingPane, changed: Callable[[], None]) -> None:
        self._view = view
        self._reading = reading
        self._changed = changed
        self.at: Address = view.opened_at.address
        self._query: Query[ChangeRequest] | None = None
        self.revision: PastRevision | None = None
        """The past revision that is seen, once it is known."""
        self._is_left = False

    def begin(self) -> None:
        """Remember the address as the choice, and follow the change request."""
        if isinstance(self.at, InChangeRequest):
            self._choose(ChosenRequest(self.at.change_request))
            self._query = self._view.store.query(
                ChangeRequests.get_change_request, self.at.space, self.at.change_request
            )
            self._view.follow(self._query, self._show)
        elif isinstance(self.at, AtRevision):
            self._view.work(self._find_revision(self.at), "revision")
        elif (chosen := self.chosen_request) is not None:
            self._choose(ChosenRequest(chosen, at_main=True))

    async def _find_revision(self, at: AtRevision) -> None:
        self.revision = await past_revision(self._view.store, at.space, at.revision)
        self._changed()
        self.revision = await with_writers(self._view.store, self.revision)
        self._changed()

    @property
    def request(self) -> ChangeRequest | None:
        """The change request in which the space is seen, once it is known."""
        return self._query.value if self._query is not None else None

    @property
    def base(self) -> str | None:
        """The revision from which the change request began, or the revision before, once it is known."""
        if self.revision is not None:
            return self.revision.parent
        return self.request.base if self.request is not None else None

    # Its name

    @property
    def words(self) -> Span:
        """The address in a few words, in its colour."""
        match self.at:
            case InChangeRequest():
                sign = signs.ADDRESS["change request"]
                return f"{sign.sign} {request_name(self.request) if self.request else 'a change request'}", sign.role
            case AtRevision():
                sign = signs.ADDRESS["revision"]
                return f"{sign.sign} {self.short}", sign.role
            case _:
                sign = signs.ADDRESS["main"]
                return f"{sign.sign} {sign.word}", sign.role

    @property
    def short(self) -> str:
        """The address beside a page's title; empty in main."""
        if isinstance(self.at, InChangeRequest):
            return f"in #{self.request.number}" if self.request is not None else "in a change request"
        if isinstance(self.at, Main):
            return ""
        moment = self.revision.created_at if self.revision is not None else None
        return f"as of {times.exact(moment)}" if moment is not None else "a past revision"

    @property
    def origin(self) -> str:
        """How a past revision came about, and by whom."""
        return origin(self.revision) if self.revision is not None else ""

    @property
    def lacks_page(self) -> str:
        """Message that the page wanted is not there."""
        match self.at:
            case InChangeRequest():
                return "The page you were on is not in this change request."
            case AtRevision():
                return "The page you were on was not in the space then."
            case _:
                return "The page you were on is no longer in this space."

    # The choice

    @property
    def chosen_request(self) -> str | None:
        """The id of the change request to which edits go."""
        if isinstance(self.at, InChangeRequest):
            return self.at.change_request
        store = self._view.store
        choice = store.locations.choice(store.address, self.at.space) if store.locations is not None else None
        return choice.change_request if choice is not None else None

    def choose_for_edits(self, request: ChangeRequest) -> None:
        """Send edits in main to a change request from now on."""
        self._choose(ChosenRequest(request.id, at_main=True))

    def _choose(self, choice: ChosenRequest | None) -> None:
        store = self._view.store
        if store.locations is not None:
            store.locations.choose(store.address, self.at.space, choice)

    def ask(self, editing: Editing) -> None:
        """Ask for an address, and go there."""
        self._view.work(self._ask(editing), "address", unless_running="edit")

    async def _ask(self, editing: Editing) -> None:
        from recto.tui.dialogs.choose import Choice
        from recto.tui.dialogs.choose_request import NEW, ChooseRequest, request_choice

        requests, now = await editing.open_requests(), self._view.store.clock()
        here = self.at.change_request if isinstance(self.at, InChangeRequest) else None
        main = Choice(_MAIN, "Main", "you are here" if isinstance(self.at, Main) else "what readers see")
        dialog = ChooseRequest(
            "See this space in",
            [*(request_choice(one, now, here=one.id == here) for one in requests), main],
            draft=self._subject_draft,
        )
        chosen = await self._view.ask(dialog)
        if chosen == NEW:
            # Keys pressed from now on are meant for the change request.
            self._view.work_to_open(self._create(dialog.subject), "new change request")
        elif chosen == _MAIN:
            # The choice is main now: the next edit asks where it goes.
            self._choose(None)
            self.move(None)
        elif chosen is not None:
            self.move(chosen)

    async def _create(self, subject: str) -> None:
        outcome = await self._view.carry_out(create_request(self.at.space, subject))
        if outcome.value is not None:
            self._subject_draft.discard()
            self.move(outcome.value.id)

    @property
    def _subject_draft(self) -> LineDraft:
        return self._view.store.line_drafts.of("new change request", self.at.space)

    # Going

    def move(self, request: str | None, action: str = "", *, page: str | None = None, reason: str = "") -> bool:
        """Show the same block of the same page in a change request, or in main; run an action there, say the reason.

        With ``page``, show that page. Returns whether the address is another.
        """
        location = replace(self._view.here, revision=None, change_request=request)
        if location.address == self.at:
            return False
        if isinstance(self.at, AtRevision):
            location = replace(location, tab=0)  # a revision has tabs of its own
        shown = self._reading.shown
        block = Block(self._reading.cursor_line, shown.markdown or "") if shown is not None else None
        if page is not None:
            location, block = replace(location, page=page, anchor="", position=None, panel=PAGE), None
        if self._view.is_on_top:
            self._view.go(location, instead=True, arrival=Arrival(action, block), reason=reason)
        return True

    def lead(self, request: str | None, action: str, otherwise: Callable[[], object]) -> None:
        """Do an action of main in a change request, where it takes edits; ``otherwise`` does it here."""
        if not isinstance(self.at, Main) or request is None:
            otherwise()
        else:
            self._view.work(self._lead(request, action, otherwise), "lead", unless_running="edit")

    async def _lead(self, id: str, action: str, otherwise: Callable[[], object]) -> None:
        store = self._view.store
        try:
            request = await store.fetch_or_kept(ChangeRequests.get_change_request, self.at.space, id)
        except NotFound:
            self._choose(None)
            self._view.call_later(otherwise)
            return
        if request.status in EDITABLE:
            self._view.say(
                f"Edits go to {request_name(request)}, so that is what you see now."
                " ‹space.choose_address› leads back to main."
            )
            self.move(request.id, action)
        else:
            self._view.say(f"{request_name(request)} was {request.status}, so edits no longer go there.")
            self._choose(None)
            self._view.call_later(otherwise)

    def _show(self, query: Query[ChangeRequest]) -> None:
        self._changed()
        self.look()

    def reload(self) -> None:
        """Load the change request again."""
        if self._query is not None:
            self._query.refresh()

    def on_covered(self) -> None:
        """Forget that main was asked for: a covered view is not left."""
        self._is_left = False

    def look(self) -> None:
        """Go to main where the change request takes no edits any more."""
        query = self._query
        if query is None or self._is_left or not self._view.is_on_top:
            return
        if query.value is None:
            closed = "The change request no longer exists" if isinstance(query.error, NotFound) else ""
        else:
            closed = "" if query.value.status in EDITABLE else f"{request_name(query.value)} was {query.value.status}"
        if closed:
            self._is_left = True
            self._choose(None)
            arrival = self._view.arrival
            self.move(None, arrival.action if arrival is not None else "", reason=f"{closed}, so this is main.")
