"""The base of views and dialogs: handlers that may rely on their widgets, and the search line."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from functools import wraps
from inspect import iscoroutinefunction, isfunction
from typing import TYPE_CHECKING, Any, ClassVar, Self, TypeVar, cast

from textual import events
from textual.await_complete import AwaitComplete
from textual.geometry import Region, Size
from textual.reactive import Reactive
from textual.screen import Screen
from textual.worker import Worker

from recto.tui.actions import Action, Passing, sentence, why_not
from recto.tui.failed_work import report_failed_work
from recto.tui.look.lines import plain
from recto.tui.look.themes import read_later
from recto.tui.private_names import paint_once
from recto.tui.widgets.bars import StatusBar

if TYPE_CHECKING:
    from textual.dom import DOMNode
    from textual.widget import Widget

    from recto.tui.lists.virtual_list import VirtualList
    from recto.tui.navigation.messages import AskingForm
    from recto.tui.page.page_view import PageView
    from recto.tui.widgets.line_field import Findable, FindLine

Result = TypeVar("Result")

_ALWAYS = ("on_event", "on_unmount")
"""Methods that are called at any time: all events pass through the first, the others stop following."""


class GuardedScreen(Screen[Result], inherit_bindings=False):
    """A screen whose own handlers and actions are called only while its widgets are there.

    Keys, answers and messages come whenever they come. Textual dispatches those that are queued also to a screen that
    was dismissed before it was composed, or whose widgets are being removed. A list or page in it that is to be looked
    through gets a line for the text, above the keys.
    """

    def __init_subclass__(cls, **options: Any) -> None:
        """Guard the handlers of a class: they are called only while its widgets are there."""
        super().__init_subclass__(**options)
        for name, handler in list(vars(cls).items()):
            if name.startswith("on_") and name not in _ALWAYS and isfunction(handler):
                setattr(cls, name, while_whole(handler))

    IS_FIRST: ClassVar[bool] = False
    """Whether a start may begin with it: the first style sheets are enough for it."""

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
    """The widget with the focus; those that it is seen on paint themselves, where Textual would paint the screen."""

    virtual_size = Reactive(Size(0, 0), repaint=False)  # a layout gives it, and needs no other layout for it

    _is_composed = False
    _is_shown = False
    """Whether it has been on top, and so laid out."""
    _fits = Size()
    """The size of the terminal whose classes it has."""
    _is_left = False
    _explains = False
    _awaited: tuple[DOMNode, Action, asyncio.Event] | None = None
    """An action that was refused for a reason that passes by itself, who does it, and what is set when that is over."""
    _leaves_with: tuple[Result | None] | None = None
    """What the screen was left with while another lay over it."""

    @property
    def is_whole(self) -> bool:
        """Whether the widgets exist and are not being removed."""
        # A screen that is being removed, with its view or with the program, displays nothing; what it had still to
        # compose is left out.
        stays = self.display and self.is_attached and not self._is_left
        return self._is_composed and stays and bool(self.children)

    @property
    def is_on_top(self) -> bool:
        """Whether no other screen lies on top."""
        return self.app.screen_stack[-1:] == [self]

    def dismiss(self, result: Result | None = None) -> AwaitComplete:
        """Dismiss the screen once; if another covers it, wait until that is dismissed, as Textual would not."""
        if self._is_left:
            return AwaitComplete()
        if not self.is_on_top:
            self._leaves_with = (result,)
            return AwaitComplete()
        self._is_left = True
        left: AwaitComplete = super().dismiss(result)
        return left

    async def on_event(self, event: events.Event) -> None:
        """Track the state of the screen."""
        if isinstance(event, events.Compose):
            self._take_size()
            paint_once(self)
        elif isinstance(event, events.Mount):
            self._is_composed = True  # Textual waits for all widgets before: the outermost are there sooner
        await super().on_event(event)
        if isinstance(event, events.ScreenResume):
            self._is_shown = True

    def refresh(self, *regions: Region, repaint: bool = True, layout: bool = False, recompose: bool = False) -> Self:
        """Refresh; a layout paints what it changes, and a screen shown for the first time is painted by its layout.

        Textual would paint all of it once more after each of the two.
        """
        if self.is_mounted:
            paints = repaint and not layout and self._is_shown
            super().refresh(*regions, repaint=paints, layout=layout, recompose=recompose)
        return self

    def _take_size(self) -> None:
        """Set the classes for the terminal's size at once, so that the first frame is laid out and drawn once."""
        self._fits = self.app.size
        for cells, steps in zip(
            self._fits, (self.app.HORIZONTAL_BREAKPOINTS, self.app.VERTICAL_BREAKPOINTS), strict=True
        ):
            fitting = [step for step in steps or () if step[0] <= cells]
            if fitting:
                self.add_class(max(fitting)[1], update=False)

    def on_resize(self, event: events.Resize) -> None:
        """Lay out for another size than that of the last layout."""
        if event.size == self._fits == self.app.size:
            event.prevent_default()
        else:
            # What Textual asks for once more may have taken the place of a size that came meanwhile.
            self._fits = event.size = self.app.size

    def on_screen_resume(self, event: events.ScreenResume) -> None:
        """Dismiss the screen, if that was deferred."""
        if self._leaves_with is not None:
            self.dismiss(*self._leaves_with)

    def explain(self, reason: str) -> None:
        """Show in the bottom line why a key did nothing, until the next key; an empty text clears it."""
        if self._awaited is not None:
            self._awaited[-1].set()
            self._awaited = None
        if reason or self._explains:
            self._explains = bool(reason)
            for bar in self.query(StatusBar):
                bar.reason = plain(reason)
                for rack in () if self.is_modal else self.query_children("ToastRack"):
                    # Passing messages stay above the reason; those over a dialog stand below its box.
                    rack.styles.margin = (0, 0, bar.lines, 0)

    def explain_until(self, reason: str, node: DOMNode, action: Action) -> asyncio.Event:
        """Show why an action cannot be done yet, and do it when that has passed, unless another key comes before.

        Returns what is set when it is done, or given up.
        """
        self.explain(reason)
        over = asyncio.Event()
        self._awaited = node, action, over
        return over

    def refresh_bindings(self) -> None:
        """Check the actions again, and run an action that waits."""
        super().refresh_bindings()
        if self._awaited is not None:
            self.call_later(self._act_when_possible)

    async def _act_when_possible(self) -> None:
        if self._awaited is None:
            return
        node, action, over = self._awaited
        is_left = not (self.is_on_top and node.is_attached)
        if not is_left and isinstance(why_not(node, action), Passing):
            return
        self._awaited = None
        try:
            self.explain("")
            if not is_left:
                await self.app.run_action(action.method, node)
        finally:
            over.set()

    def go_to_panel(self, go: Callable[[], object], action: Action) -> None:
        """Focus another panel, or show that there is none."""
        before = self.focused
        go()
        if self.focused is before:
            self.explain(sentence(action, action.elsewhere))

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report work that failed."""
        report_failed_work(self, event)

    @property
    def changed_forms(self) -> list[AskingForm]:
        """The forms on the screen with changes that are not saved."""
        return [form for form in cast("Iterable[AskingForm]", self.query("FormView")) if form.asks]

    # Finding

    async def on_virtual_list_find_requested(self, event: VirtualList.FindRequested) -> None:
        """Open the search line for the list."""
        event.stop()
        await self._ask_what_to_find(event.list)

    async def on_page_view_find_requested(self, event: PageView.FindRequested) -> None:
        """Open the search line for the page."""
        event.stop()
        await self._ask_what_to_find(event.view)

    async def _ask_what_to_find(self, target: Findable) -> None:
        from recto.tui.widgets.line_field import FindLine

        await self.query("FindLine").remove()
        read_later(self.app.stylesheet)
        line = FindLine(target)
        await self.mount(line, before=self.query_one(StatusBar))
        line.focus()

    def on_virtual_list_selection_changed(self, event: VirtualList.SelectionChanged) -> None:
        """Show how many items are selected."""
        selected = len(event.list.selected)
        self.query_one(StatusBar).news = f"{selected:,} selected" if selected else ""

    def on_find_line_counted(self, event: FindLine.Counted) -> None:
        """Show the number of matches."""
        self.query_one(StatusBar).news = f"{event.count:,} found" if event.text else ""

    async def on_find_line_done(self, event: FindLine.Done) -> None:
        """Close the search line and focus the list."""
        event.stop()
        self.query_one(StatusBar).news = ""
        await self.query("FindLine").remove()
        event.target.focus()


def while_whole(handler: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a method of a screen so that it does nothing while its widgets do not exist."""
    if iscoroutinefunction(handler):

        @wraps(handler)
        async def handle(screen: GuardedScreen[Any], *given: Any) -> Any:
            return await handler(screen, *given) if screen.is_whole else None
    else:

        @wraps(handler)
        def handle(screen: GuardedScreen[Any], *given: Any) -> Any:
            return handler(screen, *given) if screen.is_whole else None

    return handle
