"""The base of all screens: a title, a body, and the bottom line with the keys."""

from __future__ import annotations

import asyncio
from abc import abstractmethod
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Protocol, cast

from textual import events
from textual.app import ComposeResult
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip
from typing_extensions import TypeVar

from recto.contract.users import Users
from recto.store.locations import Location, parent_of
from recto.tui.actions import bindings, get
from recto.tui.look.progress_text import under_way
from recto.tui.look.signs import person
from recto.tui.look.times import ago, clock_time
from recto.tui.navigation.messages import Arrival, AskingForm, GoForward, GoPrevious, GoUp
from recto.tui.screens.guarded_screen import GuardedScreen
from recto.tui.screens.interactive import Interactive
from recto.tui.widgets.bars import StatusBar, TitleBar, Whereabouts
from recto.tui.widgets.line_view import Ground, blank_lines
from recto.tui.widgets.tab_strip import TabStrip

if TYPE_CHECKING:
    from recto.contract.common import User
    from recto.store.mutation import Run
    from recto.store.query import Query
    from recto.store.signal import Subscription
    from recto.store.store import Store
    from recto.tui.look.lines import Span
    from recto.tui.navigation.location_history import History
    from recto.tui.page.page_view import PageView
    from recto.tui.screens.pane import Pane
    from recto.tui.widgets.line_field import FindLine

_STILL_UNDOING = "an undo or redo is still running"

T = TypeVar("T")
R = TypeVar("R")
Here = TypeVar("Here", bound=Location, default=Any)


class _Host(Protocol):
    history: History


class View(GuardedScreen[None], Interactive, Generic[Here], inherit_bindings=False):
    """A screen at a location of its kind. Subclasses give ``compose_body``, ``location`` and ``arrive``."""

    BINDINGS = bindings(
        "view.escape",
        "view.up",
        "view.previous",
        "view.forward",
        "view.next_panel",
        "view.previous_panel",
        *(f"view.tab_{digit}" for digit in range(1, 10)),
        "view.quit",
        "view.jobs",
        "change.undo",
        "change.redo",
    )
    ESCAPE_TO_MINIMIZE: ClassVar[bool | None] = False

    def __init__(self, store: Store, location: Here) -> None:
        super().__init__()
        self.store = store
        self.opened_at = location
        """The location asked for."""
        self.arrival: Arrival | None = None
        """The action to do here on arrival, until it is done."""
        self._acts_on_arrival = False
        self._lasting: list[Subscription] = []
        """Subscriptions that hold until the view is left, whatever page it shows."""
        self._put_off: list[Callable[[], None]] | None = None
        """Tasks to begin when the start has shown the screen; ``None`` after that."""
        self._seen = asyncio.Event()
        """Set once the view has been painted, or would have been."""
        self._toasts = 0
        self.tab_strip: TabStrip | None = None
        """The names of the tabs, on a view that has tabs."""
        self._me: Query[User] | None = None
        self._role = ""

    @classmethod
    @abstractmethod
    def first_queries(cls, store: Store, location: Here) -> Sequence[Query[Any]]:
        """What a location is first shown with; a start waits for it a moment, so that the first sight is whole."""

    # Drawing

    def compose(self) -> ComposeResult:
        """Compose the title, the body and the bottom line."""
        yield TitleBar()
        with Ground(classes="body"):
            yield from self.compose_body()
        yield StatusBar()

    @abstractmethod
    def compose_body(self) -> ComposeResult:
        """Yield what stands between the title and the bottom line."""

    def put_off(self, begin: Callable[[], None]) -> None:
        """Begin something that can wait: when all is painted, and after what was typed before the view was there."""
        if self._put_off is None:
            self.work(self._begin_painted(begin), "put off")
        else:
            self._put_off.append(begin)

    def after_start(self, begin: Callable[[], None]) -> None:
        """Begin something at once; where the program starts with this view, when that is shown."""
        if self._put_off is None:
            begin()
        else:
            self._put_off.append(begin)

    async def _begin_painted(self, begin: Callable[[], None]) -> None:
        await self.until_painted()
        begin()

    def take_up(self) -> None:
        """Begin what was put off, once the view is shown or has been left."""
        put_off, self._put_off = self._put_off, None
        if put_off and self.is_attached:
            for begin in put_off:
                self.put_off(begin)

    def render_lines(self, crop: Region) -> list[Strip]:
        """Draw empty lines: all that is seen stands on the view."""
        return blank_lines(self, crop)

    def show_where(self, *trail: str, address: Span | None = None, aside: str = "", role: str = "") -> None:
        """Show in the title the location, from the organization down, its address, a word, and the person's role."""
        bar = self.query_one(TitleBar)
        bar.trail = tuple(title or "Untitled" for title in trail)
        bar.address = address
        bar.aside = aside
        self._role = role
        self._show_whereabouts()

    def show_news(self, text: str) -> None:
        """Show a state at the right of the bottom line, until it is replaced."""
        self.query_one(StatusBar).news = text

    @property
    def location(self) -> Here:
        """The current location; screens add their pages, tabs and cursors."""
        return self.opened_at

    @property
    def here(self) -> Here:
        """The current location, or the requested location until the widgets are there."""
        return self.location if self.is_whole else self.opened_at

    @abstractmethod
    def arrive(self, location: Here) -> None:
        """Go to another location on this same screen."""

    @property
    def is_arriving(self) -> bool:
        """Whether something is still to be done here on arrival."""
        return self._acts_on_arrival or (self.arrival is not None and bool(self.arrival.action))

    def act_on_arrival(self, action: str) -> None:
        """Do the action for which the view was gone to, when all that came before has been handled."""
        self._acts_on_arrival = True
        self.call_later(self._act_on_arrival, get(action).method)

    async def _act_on_arrival(self, method: str) -> None:
        try:
            await self.app.run_action(method, self)
        finally:
            self._acts_on_arrival = False

    # Painting

    async def until_first_painted(self) -> None:
        """Wait until the view has been painted for the first time, or is known not to be painted now."""
        self.call_after_refresh(self._seen.set)
        await self._seen.wait()

    async def until_painted(self) -> None:
        """Wait until what has changed until now is painted."""
        painted = asyncio.Event()
        self.call_after_refresh(painted.set)
        await painted.wait()

    def hold_back(self) -> None:
        """Put off what can wait until ``take_up``: the program starts with this view."""
        self._put_off = []

    def _paint_over_toasts(self, _screen: Screen[Any]) -> None:
        # Textual lays everything out again when a place is first asked for after scrolling, and forgets what stood
        # there before: a passing message would stay on the screen when its time is over.
        before, self._toasts = self._toasts, sum(len(rack.children) for rack in self.query_children("ToastRack"))
        if self._toasts < before:
            self.refresh()

    # The store

    def on_mount(self) -> None:
        """Show when the platform asks to wait, and how old what comes from the cache is."""
        self._lasting = [
            self.store.waits.subscribe(lambda _: cast(None, self.call_later(self._show_waits))),
            self.store.freshness.subscribe(lambda _: cast(None, self.call_later(self._show_age))),
            self.store.reach.subscribe(lambda _: cast(None, self.call_later(self._show_reach))),
            self.store.jobs.changed.subscribe(lambda _: cast(None, self.call_later(self._show_under_way))),
            self.store.runs.subscribe(self._on_run),
        ]
        self.screen_layout_refresh_signal.subscribe(self, self._paint_over_toasts)
        self._show_waits()
        self._show_reach()
        self._show_under_way()
        self._show_whereabouts()
        self.put_off(self._ask_who)

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Show the age: the view on top may have been older, or newer."""
        if not self._seen.is_set():
            event.refresh_styles = False  # the widgets were styled a moment ago, when they were made
        self._show_age()
        self.put_off(self._catch_up)

    def _catch_up(self) -> None:
        """Refresh the queries that became stale below another view, unless this view is only passed on the way."""
        if self.is_uncovered():
            self.store.catch_up()
            self.store.wake_polling()

    def _show_age(self) -> None:
        stored = self.store.cached_at
        refreshing = ", refreshing" if self.store.is_refreshing else ""
        age = "" if stored is None else f"as of {ago(stored, self.store.clock())}{refreshing}"
        for bar in self.query(TitleBar):
            if age != bar.age:
                bar.age = age
                self.refresh_bindings()

    def _show_reach(self) -> None:
        offline = self.store.offline
        for bar in self.query(TitleBar):
            if offline is not None:
                bar.offline = (f"offline since {clock_time(offline.since)}", offline.reason)
            elif self.store.refused_since is not None:
                bar.offline = (
                    f"token not valid since {clock_time(self.store.refused_since)}",
                    "set another RECTO_TOKEN",
                )
            elif any(bar.offline):
                bar.offline = ("", "")
                if getattr(self.app, "view", None) is self:  # whatever dialog lies over it
                    self.say("The platform can be reached again.")
        self.refresh_bindings()

    # On which platform, as whom, with which role

    def _ask_who(self) -> None:
        self._me = self.store.query(Users.get_user)
        self._lasting.append(
            self._me.watch(lambda _: cast(None, self.call_later(self._show_whereabouts)), self.is_uncovered)
        )
        self._show_whereabouts()

    def _show_whereabouts(self) -> None:
        me = self._me.value if self._me is not None else self.store.known_response(Users.get_user)
        for bar in self.query(TitleBar):
            bar.whereabouts = Whereabouts(self.store.platform_name, person(me) if me is not None else "", self._role)

    def _on_run(self, run: Run[Any]) -> None:
        if run.is_long:
            self.call_later(self._show_under_way)

    def _show_under_way(self) -> None:
        for bar in self.query(TitleBar):
            bar.under_way = under_way(self.store.jobs.running, self.store.long_runs)

    def action_view_jobs(self) -> None:
        """Show the jobs that run and those that ended."""
        self.work(self._ask_jobs(), "jobs")

    async def _ask_jobs(self) -> None:
        from recto.tui.dialogs.jobs import JobsDialog

        await self.ask(JobsDialog(self.store))

    def _show_waits(self) -> None:
        seconds = max((wait.seconds for wait in self.store.waiting), default=0)
        for bar in self.query(StatusBar):
            bar.waiting = f"The platform asks to wait {seconds:.0f} s" if seconds else ""

    def on_unmount(self) -> None:
        """Stop showing waits and the age."""
        for subscription in self._lasting:
            subscription.close()

    # Going

    def asks_to_leave(self, go: Callable[[], object], stay: Callable[[], object] | None = None) -> bool:
        """Ask about the changes of a form, then ``go``, or ``stay``; return whether there was anything to ask about."""
        forms = self.changed_forms
        if forms:
            self.work(self._ask_to_leave(forms, go, stay), "leave", unless_running="leave")
        return bool(forms)

    async def _ask_to_leave(
        self, forms: Sequence[AskingForm], go: Callable[[], object], stay: Callable[[], object] | None
    ) -> None:
        for form in forms:
            if not await form.ask_to_leave():
                if stay is not None:
                    stay()
                return
        go()

    def escape(self) -> bool:
        """Close or undo the innermost that is open; return whether there was anything. Views add to it."""
        for line in cast("Iterable[FindLine]", self.query("FindLine")):
            line.action_dialog_close()
            return True
        return False

    def action_view_escape(self) -> None:
        """Cancel waiting, else close the innermost; never leave the screen."""
        if not self.store.give_up_waiting() and not self.escape():
            self.explain("Nothing to cancel or close here.")

    def action_view_up(self) -> None:
        """Go to the parent in the breadcrumb."""
        self.go_to_parent()

    def action_view_previous(self) -> None:
        """Go to the location visited before."""
        self.post_message(GoPrevious())

    def action_view_forward(self) -> None:
        """Go to the location from which the person came back."""
        self.post_message(GoForward())

    def action_view_quit(self) -> None:
        """Go to the parent in the breadcrumb; on the first screen leave the program."""
        self.go_to_parent(quit=True)

    def go_to_parent(self, *, quit: bool = False) -> None:
        """Go to the parent in the breadcrumb; views in which a part has the whole screen leave that first."""
        self.post_message(GoUp(quit=quit))

    def go_up(self, steps: int) -> None:
        """Go to the part of the breadcrumb that many steps before the last, where it is a location."""
        location: Location | None = self.here
        for _ in range(steps):
            location = parent_of(location) if location is not None else None
        if location is not None:
            self.go(location)

    def on_title_bar_chosen(self, event: TitleBar.Chosen) -> None:
        """Go to the breadcrumb that was clicked."""
        event.stop()
        if event.steps:
            self.go_up(event.steps)

    def action_view_next_panel(self) -> None:
        """Put the focus on the next panel."""
        self.go_to_panel(self.focus_next, get("view.next_panel"))

    def action_view_previous_panel(self) -> None:
        """Put the focus on the panel before."""
        self.go_to_panel(self.focus_previous, get("view.previous_panel"))

    def on_pane_news(self, event: Pane.News) -> None:
        """Show what a pane has to say."""
        self.show_news(event.text)

    # Tabs

    @property
    def tab_names(self) -> Sequence[str]:
        """The names of the tabs."""
        return self.tab_strip.names if self.tab_strip is not None else ()

    @property
    def tab_name(self) -> str:
        """The name of the tab that is shown; empty without tabs."""
        return self.tab_strip.names[self.tab_strip.active] if self.tab_strip is not None else ""

    def action_view_tab(self, digit: int) -> None:
        """Show a tab."""
        if (strip := self.tab_strip) is not None and not self.asks_to_leave(lambda: self.action_view_tab(digit)):
            strip.active = digit - 1

    def on_tab_strip_clicked(self, event: TabStrip.Clicked) -> None:
        """Show the tab that was clicked."""
        event.stop()
        self.action_view_tab(event.index + 1)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer only the tabs there are, and going up where there is something above."""
        if action == "view_up":
            return parent_of(self.here) is not None
        if action == "view_tab":
            return isinstance(parameters[0], int) and parameters[0] <= len(self.tab_names)
        return super().check_action(action, parameters)

    # Undo

    def why_not(self, action: str) -> str | None:
        """Return the reason why an action cannot be done now; ``None`` where it can."""
        strip = self.tab_strip if action.startswith("view.tab_") else None
        if strip is not None and strip.active == int(action[-1]) - 1:
            return "it is shown already"
        if action == "view.up" and parent_of(self.here) is None:
            return "this is the first screen"
        if action == "view.previous" and not cast("_Host", self.app).history.can_go_back:
            return "no view before this one"
        if action == "view.forward" and not cast("_Host", self.app).history.can_go_forward:
            return "no view to go forward to"
        if action == "change.undo" and self.store.history.undoable is None:
            return _STILL_UNDOING if self.store.is_undoing else "nothing to undo"
        if action == "change.redo" and self.store.history.redoable is None:
            return _STILL_UNDOING if self.store.is_undoing else "nothing to redo"
        return None

    def action_change_undo(self) -> None:
        """Undo the last change."""
        self.work(self._undo(), "undo")

    def action_change_redo(self) -> None:
        """Redo the change that was undone last."""
        self.work(self._redo(), "redo")

    async def _undo(self) -> None:
        from recto.tui.screens.undo_dialogs import UndoDialogs

        await UndoDialogs(self).undo()

    async def _redo(self) -> None:
        while (run := await self.store.redo()) is not None and await self.wants_again(run.error):
            pass
        if run is not None:
            self.say_failed(run.error) if run.error else self.say(f"{run.mutation.done} (redo).")

    # Marking with the mouse

    def on_text_selected(self) -> None:
        """Copy what was marked with the mouse."""
        if text := self.get_selected_text():
            self.app.copy_to_clipboard(text)
            self.say("Copied the selected text.")

    # Pictures

    def on_page_view_pictures_requested(self, event: PageView.PicturesRequested) -> None:
        """Load the pictures that the person wants to see."""
        from recto.tui.pictures.gallery import load_pictures

        self.work(load_pictures(self.store, event.gallery, event.wanted, sharp=event.sharp), "pictures")

    # Descriptions of APIs

    def on_page_view_description_requested(self, event: PageView.DescriptionRequested) -> None:
        """Fetch a description that a person wants to see."""
        self.store.descriptions.ask(event.address)
