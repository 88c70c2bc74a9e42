"""The form of a call, made from the declaration of its operation."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from datetime import datetime
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

import pydantic
from pydantic import create_model
from pydantic.fields import FieldInfo

from recto.contract.model import Body, wire_name
from recto.contract.operation import Parameter, Place, Route
from recto.store.api_calls import ApiCall
from recto.tui.dialogs.choose import Choice
from recto.tui.forms.form import Field, FieldKind, Form

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
    names = {wire_name(name): name for name in type(filled).model_fields}
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
    label = wire_name(name)
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
