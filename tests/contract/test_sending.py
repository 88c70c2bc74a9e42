"""What may be sent: nothing that the reference, or a service that it describes, has no place for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_args

import pytest
from pydantic import BaseModel, ValidationError

from contract.reference.further import NULLABLE
from contract.reference.rows import DECLARED, ROWS, Key
from recto.client.outgoing import make_outgoing
from recto.contract.adaptive import VisitorSchema
from recto.contract.change_requests import ChangeRequests
from recto.contract.comments import CommentBodyInput
from recto.contract.describe import full_path
from recto.contract.members import Members
from recto.contract.model import Body, json_name
from recto.contract.operation import Operation, Place
from recto.contract.positions import SiblingPosition
from recto.contract.spaces import CreateSpace, Spaces, UpdateSpace
from recto.contract.structure import MoveItem, MovePointer, MovePosition, SortPosition
from support.reference_requests import beyond_reference


def _bodies(annotation: Any, path: str, found: dict[tuple[str, type[Body]], None]) -> None:
    """Note the bodies in a type with where they stand, such as ``position.before.`` or ``changes.update_page.``."""
    if isinstance(annotation, type) and issubclass(annotation, Body):
        if "operation" in annotation.model_fields:
            path += f"{annotation.model_fields['operation'].default}."
        if annotation in [body for _, body in found] and path.count(".") > 2:
            return
        found[(path, annotation)] = None
        for name, field in annotation.model_fields.items():
            _bodies(field.annotation, f"{path}{field.serialization_alias or json_name(name)}.", found)
    for part in get_args(annotation):
        if not isinstance(part, str):
            _bodies(part, path, found)


def _sent() -> Iterator[Any]:
    for key in ROWS:
        operation = DECLARED[key]
        found: dict[tuple[str, type[Body]], None] = {}
        for parameter in operation.parameters:
            if parameter.place is Place.BODY:
                _bodies(parameter.annotation, "", found)
        for path, body in found:
            for name, field in body.model_fields.items():
                wire = field.serialization_alias or json_name(name)
                yield pytest.param(key, body, f"{path}{wire}", wire, id=f"{' '.join(key)} {path}{wire}")


def _may_be_null(key: Key, place: str) -> bool:
    said: dict[str, Any] = {"fields": ROWS[key]["body"]}
    for step in place.split("."):
        said = said.get("fields", {}).get(step, {})
    return bool(said.get("nullable")) or place in NULLABLE.get(key, set())


def _is_refused(body: type[BaseModel], wire: str, value: Any) -> bool:
    try:
        body.model_validate({wire: value})
    except ValidationError as error:
        return any(each["loc"][:1] == (wire,) for each in error.errors() if each["type"] != "missing")
    return False


@pytest.mark.parametrize(("key", "body", "place", "wire"), _sent())
def test_null_goes_out_only_where_it_means_something(key: Key, body: type[Body], place: str, wire: str) -> None:
    assert _is_refused(body, wire, None) is not _may_be_null(key, place)


def test_what_may_be_null_is_a_field_of_a_body() -> None:
    known = {(param.values[0], param.values[2]) for param in _sent()}
    assert {(key, place) for key, places in NULLABLE.items() for place in places} - known == set()


@pytest.mark.parametrize("language", ["en", "de", "pt-br", "zh-tw", "yue"])
@pytest.mark.parametrize("body", [CreateSpace, UpdateSpace])
def test_languages_are_codes(body: type[CreateSpace | UpdateSpace], language: str) -> None:
    assert body(language=language).language == language


@pytest.mark.parametrize("language", ["", "German", "EN", "pt-BR", "deu", "en-us", "e", "en\n", " en"])
@pytest.mark.parametrize("body", [CreateSpace, UpdateSpace])
def test_free_text_is_no_language(body: type[CreateSpace | UpdateSpace], language: str) -> None:
    with pytest.raises(ValidationError, match="two letters"):
        body(language=language)


@pytest.mark.parametrize("position", [SiblingPosition, SortPosition, MovePosition])
def test_a_position_is_somewhere(position: type[Body]) -> None:
    with pytest.raises(ValidationError, match="needs before or after"):
        position()


@pytest.mark.parametrize("ids", [{}, {"id": "a", "siteSection": "b"}])
def test_a_move_names_one_item(ids: dict[str, str]) -> None:
    with pytest.raises(ValidationError, match="needs the id of one item"):
        MoveItem.model_validate({"position": {"before": {"type": "site-section", **ids}}})
    assert MovePointer(type="site-section", site_section="b").target == "b"


def test_a_comment_has_one_form() -> None:
    for body in ({}, {"markdown": "a", "document": {"object": "document"}}):
        with pytest.raises(ValidationError, match="either markdown or document"):
            CommentBodyInput.model_validate(body)


def test_a_schema_of_visitors_is_closed() -> None:
    with pytest.raises(ValidationError):
        VisitorSchema.model_validate({"type": "object", "additionalProperties": True})


@pytest.mark.parametrize(
    ("operation", "arguments", "wrong"),
    [
        (Members.list_members, {"organization_id": "o", "sort": "displayName"}, ["sort=displayName"]),
        (Members.list_members, {"organization_id": "o", "sort": "name"}, ["sort=name"]),
        (Members.list_members, {"organization_id": "o"}, []),
        (ChangeRequests.list_change_requests, {"space_id": "s", "order_by": "updatedAt"}, ["orderBy=updatedAt"]),
        (ChangeRequests.list_change_requests, {"space_id": "s", "creator": "u"}, []),
        (Spaces.update_space, {"space_id": "s", "body": UpdateSpace(title="Guide")}, []),
    ],
)
def test_what_is_asked_is_held_to_the_reference(
    operation: Operation[Any, Any], arguments: dict[str, Any], wrong: list[str]
) -> None:
    """The tests of the store and of the screens hold all their calls to this."""
    (route,) = operation.routes
    request = make_outgoing(route, operation.arguments(**arguments), "")
    assert beyond_reference((route.method, full_path(route)), request) == wrong
