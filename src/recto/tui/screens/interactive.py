"""The base of screens and panes: they follow the store, run tasks, ask and report."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Coroutine
from functools import cached_property
from inspect import CORO_CREATED, getcoroutinestate
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast

from textual.screen import ModalScreen
from textual.widget import Widget
from textual.worker import Worker

from recto.store.mutation import Undecided
from recto.store.store import again
from recto.tui.failed_work import report_failed_work
from recto.tui.look.lines import plain
from recto.tui.navigation.messages import Arrival, Go
from recto.tui.screens.guarded_screen import GuardedScreen

if TYPE_CHECKING:
    from pathlib import Path

    from recto.store.locations import Location
    from recto.store.mutation import Mutation, Outcome
    from recto.store.query import Query
    from recto.store.signal import Signal, Subscription
    from recto.store.store import Store
    from recto.tui.dialogs.dialog import Dialog
    from recto.tui.navigation.typed_ahead import TypedAhead

T = TypeVar("T")
R = TypeVar("R")


class _Host(Protocol):
    typed_ahead: TypedAhead

    async def edit_file(self, file: Path, line: int = 1) -> bool: ...


class Interactive(Widget):
    """A widget that follows the store until it is removed, runs tasks, asks and reports."""

    store: Store

    @cached_property
    def _called_soon(self) -> set[Callable[[], None]]:
        """The callbacks of the next round of the event loop."""
        return set()

    def call_once(self, callback: Callable[[], None]) -> None:
        """Call ``callback`` once in the next round of the event loop, however often this is called until then."""
        if callback not in self._called_soon and self.call_later(self._call, callback):
            self._called_soon.add(callback)

    def _call(self, callback: Callable[[], None]) -> None:
        self._called_soon.discard(callback)
        if self.is_attached:
            callback()

    # The store

    @cached_property
    def _subscriptions(self) -> dict[str, list[Subscription]]:
        """The subscriptions, by group."""
        return {}

    def is_uncovered(self) -> bool:
        """Whether no other screen covers that of the widget; a dialog does not cover it."""
        stack = self.app.screen_stack
        if not self.is_attached or self.screen not in stack:
            return False
        return all(isinstance(above, ModalScreen) for above in stack[stack.index(self.screen) + 1 :])

    def follow(self, query: Query[T], callback: Callable[[Query[T]], None], *, group: str = "") -> Query[T]:
        """Call ``callback`` now and after each change of a query."""

        def call() -> None:
            callback(query)

        # A load publishes often; drawing once for all that came since the last time is enough.
        subscription = query.watch(lambda _: self.call_once(call), self.is_uncovered)
        self._subscriptions.setdefault(group, []).append(subscription)
        call()
        return query

    def follow_instead(self, group: str, callback: Callable[[Query[Any]], None], *queries: Query[Any]) -> None:
        """Follow queries in place of the former ones of a group."""
        for subscription in self._subscriptions.pop(group, ()):
            subscription.close()
        for query in queries:
            self.follow(query, callback, group=group)

    def listen(self, signal: Signal[T], callback: Callable[[T], None]) -> None:
        """Call ``callback`` with each value that a signal emits."""
        subscription = signal.subscribe(lambda value: cast(None, self.call_later(callback, value)))
        self._subscriptions.setdefault("", []).append(subscription)

    def unfollow(self) -> None:
        """Stop following everything."""
        for group in self._subscriptions.values():
            for subscription in group:
                subscription.close()
        self._subscriptions.clear()

    def on_unmount(self) -> None:
        """Stop following; reading tasks end with the widget, writes go on in the store."""
        self.unfollow()

    # Tasks

    @cached_property
    def _newest(self) -> dict[str, Coroutine[Any, Any, Any]]:
        """The newest task of each name, which the next one replaces."""
        return {}

    def work(
        self, coroutine: Coroutine[Any, Any, R], name: str = "", *, instead_of: str = "", unless_running: str = ""
    ) -> Worker[Any]:
        """Run a task, ``instead_of`` the task that runs under that word, or ``unless_running`` under it; return it.

        Reads are cancelled by the next of their kind; writes are never cancelled: the next one is refused.
        """
        if unless_running and (running := self._running_task(unless_running)) is not None:
            coroutine.close()
            self._refuse("The action before is not finished yet: try again in a moment.")
            return running
        group = instead_of or unless_running or f"work-{id(coroutine)}"
        if instead_of:
            replaced, self._newest[group] = self._newest.get(group), coroutine
            if replaced is not None and getcoroutinestate(replaced) == CORO_CREATED:
                replaced.close()  # it will not begin: Python would warn that nothing waits for it
        return self.run_worker(coroutine, name=name, group=group, exclusive=bool(instead_of), exit_on_error=False)

    def _running_task(self, group: str) -> Worker[Any] | None:
        own = (worker for worker in self.workers if worker.node is self and worker.group == group)
        return next((worker for worker in own if not worker.is_finished), None)

    def _refuse(self, reason: str) -> None:
        """Show why nothing was started; text typed for it is dropped."""
        screen = self.screen
        if isinstance(screen, GuardedScreen):
            screen.explain(reason)
            cast("_Host", self.app).typed_ahead.follow_refusal(screen)

    def work_to_open(self, coroutine: Coroutine[Any, Any, R], name: str) -> Worker[R]:
        """Run a task that opens a dialog; keys pressed from now on go to that."""
        worker = self.work(coroutine, name)
        cast("_Host", self.app).typed_ahead.follow(self.screen, [worker])
        return worker

    def hold_keys_until(self, has_moved: Callable[[], bool]) -> None:
        """Hold keys until the focus has moved; they act there."""
        cast("_Host", self.app).typed_ahead.follow_focus(has_moved)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Report a task that failed."""
        report_failed_work(self, event)

    # Asking, telling, going

    async def ask(self, dialog: Dialog[R]) -> R | None:
        """Show a dialog and wait for its answer; only inside ``work``."""
        # Textual's own way also waits here for screens that are being removed. This one may be among them: its work is
        # given up with it, and the awaited end of the screen would be given up with the work.
        return await asyncio.shield(self.app.push_screen(dialog, wait_for_dismiss=True))

    async def edit_file(self, file: Path, line: int = 1) -> bool:
        """Open a file in the person's editor at a line; false without an editor. Raises ``EditorError``."""
        return await cast("_Host", self.app).edit_file(file, line)

    def say(self, text: str) -> None:
        """Show a passing message."""
        self.notify(plain(text), markup=False)

    def say_failed(self, error: Exception) -> None:
        """Show what failed, why, and what to do next."""
        self.notify(plain(str(error)), severity="error", timeout=10, markup=False)

    # Changing

    async def send(self, mutation: Mutation[R]) -> Outcome[R]:
        """Run a change; while it cannot be decided whether it has arrived, ask whether to send it again."""
        outcome = await self.store.run(mutation)
        while await self.wants_again(outcome.error, has_draft=mutation.draft is not None):
            mutation = again(mutation, outcome)
            outcome = await self.store.run(mutation)
        return outcome

    async def wants_again(self, error: Exception | None, *, has_draft: bool = False) -> bool:
        """Where a change may have arrived, ask whether to send it again."""
        if not isinstance(error, Undecided):
            return False
        from recto.tui.dialogs.confirm import NOTHING_CHANGES, Confirm

        does = "sends it again; if it has arrived, it is there twice"
        keeps = "does not send it; your text is kept as a draft" if has_draft else "leaves it"
        says = (error.what, error.why, error.next_step)
        return (
            await self.ask(Confirm("It may have arrived", *says, does=does, keeps=keeps, undo=NOTHING_CHANGES)) is True
        )

    async def carry_out(self, mutation: Mutation[R]) -> Outcome[R]:
        """Run a change, and report success or why it failed."""
        outcome = await self.send(mutation)
        if outcome.error is not None:
            self.say_failed(outcome.error)
        else:
            self.say(f"{mutation.done}.")
        return outcome

    def go(
        self, location: Location, *, instead: bool = False, arrival: Arrival | None = None, reason: str = ""
    ) -> None:
        """Go to a location, on top of this screen or ``instead`` of it, and say the ``reason``.

        Where an action is to run on arrival, keys pressed from now on belong to what that opens.
        """
        if arrival is not None and arrival.action:
            cast("_Host", self.app).typed_ahead.follow_arrival(self.screen)
        here = self.screen if instead else None
        self.screen.post_message(Go(location, instead=here, arrival=arrival, reason=reason))
