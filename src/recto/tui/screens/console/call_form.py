"""The form of a call, made from the declaration of its operation, and its lines for a shell."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Literal, Union, get_args, get_origin

import pydantic
from pydantic import create_model
from pydantic.fields import FieldInfo
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from recto.client.errors import ClientError, Unsendable
from recto.client.json_calls import how_to_look
from recto.contract.describe import path_of, strip_marks, summary_of
from recto.contract.model import Body, json_name
from recto.contract.operation import Parameter, Place, Route
from recto.document.json_text import compact
from recto.store.api_calls import ApiCall, ApiResponse, CallHistory
from recto.store.mutation import Mutation, Outcome
from recto.tui.actions import bindings, get, sentence
from recto.tui.dialogs.choose import Choice
from recto.tui.dialogs.confirm import NO_UNDO, Confirm
from recto.tui.forms.form import Field, FieldKind, Filling, Form
from recto.tui.forms.form_dialog import FormDialog
from recto.tui.forms.form_view import FormView
from recto.tui.look.lines import plain
from recto.tui.screens.console.response import OF_CALLS, Lines, ResponseDialog

if TYPE_CHECKING:
    from recto.store.store import Store


class CallView(FormView):
    """The form of a call; the dialog around it sends it, since reads may be sent at any time."""

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave sending to the dialog."""
        return False if action == "form_send" else super().check_action(action, parameters)


class CallForm(FormDialog[None]):
    """Asks for the parameters and the body of an operation, sends it, and shows the response above it."""

    BINDINGS = bindings(*OF_CALLS)

    def __init__(self, store: Store, call: ApiCall, history: CallHistory) -> None:
        route = self._route = call.route
        self._history = history
        form, choices = form_of(route, call.values)
        filling: Filling[Body, None] = Filling(form, self._submit, choices=choices)
        super().__init__(store, f"{route.method} {path_of(route)}", filling)

    def compose_body(self) -> ComposeResult:
        """Compose what the operation does, and the form."""
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
        """Send the call and show its response; the form stays, so that it can be sent again."""
        reason = self.why_not_send()
        if reason is not None:
            self.explain(sentence(get("console.send"), reason))
            return None
        call, typed = call_of(self._route, body), self._view.typed
        if not self._route.reads and not await self._confirm(call):
            return None
        try:
            response = await send(self.store, call)
        except Unsendable as error:
            return Outcome(None, error)
        except ClientError as error:
            if error.may_have_arrived:
                error.next_step = how_to_look(self._route, call.arguments())
            return Outcome(None, error)
        finally:
            self._history.add(call)
        self._view.ask_no_more(typed)
        await self.ask(ResponseDialog(self.store, response))
        return None

    def why_not_send(self) -> str | None:
        """Return the reason why no write can be sent now."""
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


async def send(store: Store, call: ApiCall) -> ApiResponse:
    """Send a call and return its response; raises :class:`ClientError`. A write makes all queries stale."""
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
    return await asyncio.to_thread(ApiResponse.read, call, content)


_NULL = "null"
_DEEPEST = 100
"""Levels of arrays and objects in a value: much deeper ones cannot be written as the body of a request."""
_TOO_DEEP = "is nested too deeply"
_HEADINGS = {Place.PATH: "Path", Place.QUERY: "Query", Place.BODY: "Body"}


def model_of(route: Route) -> type[Body]:
    """Return a model with all that a call takes: path, query, and the fields of the body with their rules."""
    base: type[Body] = Body
    more: dict[str, Any] = {}
    for each in route.parameters:
        if each.place is Place.BODY:
            base = each.annotation
        elif each.place is Place.PATH:
            more[each.name] = (Annotated[str, pydantic.Field(min_length=1)], ...)
        else:
            more[each.name] = (each.annotation, ... if each.required else each.default)
    return create_model(f"Call of {route.name}", __base__=base, **more)


def form_of(route: Route, values: Mapping[str, Any]) -> tuple[Form[Body], dict[str, list[Choice]]]:
    """Return the form of a call with first values, and the choices of its fields."""
    model = model_of(route)
    entries: list[Field | str] = []
    choices: dict[str, list[Choice]] = {}
    heading = ""
    for name, place in _places_of(route):
        if _HEADINGS[place] != heading:
            heading = _HEADINGS[place]
            entries.append(heading)
        entry, offered = _field(name, model.model_fields[name], place, values)
        entries.append(entry)
        if offered:
            choices[name] = offered
    return Form(f"call {route.name}", model, *entries, sends="Send the call"), choices


def call_of(route: Route, filled: Body) -> ApiCall:
    """Return the call that a filled form stands for."""
    given = filled.model_dump(mode="json", by_alias=True, exclude_unset=True)
    names = {json_name(name): name for name in type(filled).model_fields}
    return ApiCall(route, {names.get(name, name): value for name, value in given.items()})


def _places_of(route: Route) -> list[tuple[str, Place]]:
    """Return the names of all fields with their places: path, query, body."""
    found: list[tuple[str, Place]] = []
    for place in (Place.PATH, Place.QUERY, Place.BODY):
        for each in route.parameters:
            if each.place is place:
                found += [(name, place) for name in _names(each)]
    return found


def _names(parameter: Parameter) -> list[str]:
    if parameter.place is Place.BODY:
        return list(parameter.annotation.model_fields)
    return [parameter.name]


def _field(name: str, info: FieldInfo, place: Place, values: Mapping[str, Any]) -> tuple[Field, list[Choice]]:
    annotation = info.annotation
    takes_null = place is Place.BODY and NoneType in get_args(annotation)
    plain = _value_type(annotation)
    label = json_name(name)
    given = values.get(name)
    says = f"{_NULL} clears it" if takes_null else ""
    literals = [str(one) for one in get_args(plain)] if get_origin(plain) is Literal else []
    if plain is bool:
        literals = ["true", "false"]
    if literals:
        offered = [Choice("", "not set"), *(Choice(one, one) for one in literals)]
        offered += [Choice(_NULL, _NULL, "clears it")] if takes_null else []
        chosen = "" if name not in values else _text(given)
        read = _read_flag if plain is bool else _read_text
        return Field(name, label, kind=FieldKind.CHOICE, default=chosen, write=read), offered
    if plain in (str, int, float, datetime):
        line = _text(given) if name in values else ""
        return Field(name, label, says, FieldKind.LINE, default=line, write=_read_text if takes_null else None), []
    if get_origin(plain) is tuple and _value_type(get_args(plain)[0]) is str:
        return Field(name, label, "separated by commas or spaces", FieldKind.WORDS, default=given), []
    text = json.dumps(given, indent=2, ensure_ascii=False) if name in values else ""
    return Field(name, label, f"JSON; {says}" if says else "JSON", FieldKind.TEXT, default=text, write=_read_json), []


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _read_text(text: str) -> str | None:
    return None if text == _NULL else text


def _read_flag(text: str) -> bool | None:
    return None if text == _NULL else text == "true"


def _read_json(text: str) -> Any:
    try:
        value = json.loads(text)
    except RecursionError:
        raise ValueError(_TOO_DEEP) from None
    except json.JSONDecodeError as error:
        raise ValueError(f"is not JSON: {error.msg}, line {error.lineno}, column {error.colno}") from None
    level = [value]
    for _ in range(_DEEPEST):
        level = [inner for each in level for inner in _inside(each)]
    if level:
        raise ValueError(_TOO_DEEP)
    return value


def _inside(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _value_type(annotation: Any) -> Any:
    """Return the type of an annotation without ``None`` and marks; a choice of several stays as it is."""
    while True:
        if hasattr(annotation, "__metadata__"):
            annotation = get_args(annotation)[0]
            continue
        if get_origin(annotation) not in (Union, UnionType):
            return annotation
        kinds = [part for part in get_args(annotation) if part is not NoneType]
        if len(kinds) > 1:
            return annotation
        annotation = kinds[0]
