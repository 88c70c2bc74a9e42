"""A call to be filled in and sent, and its lines for a shell."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from recto.client.errors import ClientError, Unsendable
from recto.client.json_calls import how_to_look
from recto.contract.describe import path_of, strip_marks, summary_of
from recto.document.json_text import compact
from recto.store.api_calls import ApiAnswer, ApiCall, CallHistory
from recto.store.mutation import Mutation, Outcome
from recto.tui.actions import bindings, get, sentence
from recto.tui.dialogs.confirm import NO_UNDO, Confirm
from recto.tui.forms.form import Filling
from recto.tui.forms.form_dialog import FormDialog
from recto.tui.forms.form_view import FormView
from recto.tui.look.lines import plain
from recto.tui.screens.console.answer import Answer
from recto.tui.screens.console.console_actions import OF_CALLS
from recto.tui.screens.console.fields import call_of, form_of
from recto.tui.screens.console.shell_lines import Lines

if TYPE_CHECKING:
    from recto.contract.model import Body
    from recto.store.store import Store


class CallView(FormView):
    """The form of a call; the dialog around it sends it, since what only reads may be sent at any time."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave sending to the dialog."""
        return False if action == "form_send" else super().check_action(action, parameters)


class CallForm(FormDialog[None]):
    """Asks for the parameters and the body of an operation, sends it and shows the answer above; it stays as it was."""

    BINDINGS = bindings(*OF_CALLS)

    def __init__(self, store: Store, call: ApiCall, history: CallHistory) -> None:
        route = self._route = call.route
        self._history = history
        form, choices = form_of(route, call.values)
        filling: Filling[Body, None] = Filling(form, self._submit, choices=choices)
        super().__init__(store, f"{route.method} {path_of(route)}", filling)

    def compose_body(self) -> ComposeResult:
        """Put what the operation does, and the form."""
        route = self._route
        says = summary_of(route) if len(route.text) > 400 else strip_marks(route, " ".join(route.text.split()))
        yield Static(Content(plain(f"{says} Deprecated." if route.deprecated else says)), classes="says")
        yield CallView(self.store, self._title, self._filling, eager=True)

    @property
    def _view(self) -> CallView:
        return self.query_one(CallView)

    @property
    def call(self) -> ApiCall | None:
        """The call as it is filled in; ``None`` while something in it is wrong."""
        state = self._view.state
        body = state.body if state is not None else None
        return call_of(self._route, body) if body is not None else None

    def why_not(self, action: str) -> str | None:
        """Return the reason why the call cannot be sent, or written as a line."""
        if action == "console.send":
            reason = None if self._route.reads else getattr(self.app, "why_no_writes", None)
            return reason or self._view.why_not("form.send")
        if action in ("console.copy_command", "console.copy_curl"):
            return self._view.why_not("form.send") or Lines(self.app, self.store).why_not(action)
        return super().why_not(action)

    def action_console_send(self) -> None:
        """Send the call."""
        self._view.action_form_send()

    def action_console_copy_command(self) -> None:
        """Copy the call as a line of ``recto api``."""
        if (call := self.call) is not None:
            Lines(self.app, self.store).copy_command(call)

    def action_console_copy_curl(self) -> None:
        """Copy the call as a line of ``curl``."""
        if (call := self.call) is not None:
            Lines(self.app, self.store).copy_curl(call)

    # Sending

    async def _submit(self, body: Body) -> Outcome[None] | None:
        """Send the call and show its answer; the form stays, so that it can be sent again."""
        reason = self.why_not_send()
        if reason is not None:
            self.explain(sentence(get("console.send"), reason))
            return None
        call, typed = call_of(self._route, body), self._view.typed
        if not self._route.reads and not await self._confirm(call):
            return None
        try:
            answer = await send(self.store, call)
        except Unsendable as error:
            return Outcome(None, error)
        except ClientError as error:
            if error.may_have_arrived:
                error.next_step = how_to_look(self._route, call.arguments())
            return Outcome(None, error)
        finally:
            await asyncio.to_thread(self._history.add, call)
        self._view.ask_no_more(typed)
        await self.ask(Answer(self.store, answer))
        return None

    def why_not_send(self) -> str | None:
        """Return the reason why nothing that changes something can be sent now."""
        reason: str | None = None if self._route.reads else getattr(self.app, "why_no_writes", None)
        return reason

    async def _confirm(self, call: ApiCall) -> bool:
        points = [f"{name}: {compact(value)[:200]}" for name, value in (call.body or {}).items()]
        target = call.target.removeprefix("/v1")
        says = f"{self._route.method} {target}"
        question = Confirm(
            summary_of(self._route).rstrip("."),
            says,
            does="sends it",
            undo=NO_UNDO,
            points=points,
        )
        return await self.ask(question) is True


async def send(store: Store, call: ApiCall) -> ApiAnswer:
    """Send a call and return its answer; raises :class:`ClientError`. What changes something makes all else stale."""
    arguments = call.arguments()
    if call.route.reads:
        content = await store.ask(call.route, arguments)
    else:
        name = f"{call.route.method} {path_of(call.route)}"
        outcome = await store.run(
            Mutation(
                doing=name,
                done=f"{name} was answered",
                call=lambda _call: store.ask(call.route, arguments),
                stale=(lambda _key: True,),
            )
        )
        if outcome.error is not None:
            raise outcome.error
        content = outcome.value or b""
    return await asyncio.to_thread(ApiAnswer.read, call, content)
