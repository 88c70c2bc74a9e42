"""What answers may hold instead of what the contract writes, and how it is read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from types import NoneType
from typing import Any, Literal, get_args, get_origin

import pytest
from pydantic import BaseModel, TypeAdapter, ValidationError

from recto.contract.api import routes
from recto.contract.change_requests import ChangeRequest
from recto.contract.changes import WrittenContent
from recto.contract.comments import Comment
from recto.contract.common import ListPage
from recto.contract.content import File, Page, Revision
from recto.contract.invites import Invite
from recto.contract.model import Body, Model
from recto.contract.rich_text import Document
from recto.contract.sites import Site
from recto.contract.spaces import Space
from recto.contract.structure import SiteSection, SiteStructure


def _models_in(annotation: Any, found: dict[type[Model], None]) -> None:
    """Note the models that an annotation names, with those that they hold."""
    if isinstance(annotation, type) and issubclass(annotation, Model) and annotation not in found:
        found[annotation] = None
        annotation.model_rebuild()
        for field in annotation.model_fields.values():
            _models_in(field.annotation, found)
    for part in get_args(annotation):
        if not isinstance(part, str):
            _models_in(part, found)


def _read() -> list[type[Model]]:
    found: dict[type[Model], None] = {}
    for operation in routes():
        if operation.response is not NoneType:
            _models_in(operation.response, found)
    return [model for model in found if not issubclass(model, Body)]


MODELS = _read()
each_model = pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)


def _accepts(annotation: Any, value: Any) -> bool:
    try:
        TypeAdapter(annotation).validate_python(value)
    except ValidationError:
        return False
    return True


def _least_of(model: type[Model]) -> dict[str, Any]:
    """Return the least that a model takes."""
    least: dict[str, Any] = {}
    for name, field in model.model_fields.items():
        if field.is_required():
            values: Iterator[Any] = iter(("x", 1, {"id": "x"}, {"type": "x"}, "page_created", "file_created"))
            parts = [part for part in get_args(field.annotation) if isinstance(part, str)]
            least[field.serialization_alias or name] = next(
                value for value in (*parts, *values) if _accepts(field.annotation, value)
            )
    return least


@each_model
def test_null_stands_for_every_default(model: type[Model]) -> None:
    least = _least_of(model)
    optional = {
        field.serialization_alias or name: name
        for name, field in model.model_fields.items()
        if not field.is_required() and get_origin(field.annotation) is not Literal
    }
    nothing = model.model_validate_json(json.dumps(least))
    read = model.model_validate_json(json.dumps(dict.fromkeys(optional) | least))
    for name in optional.values():
        assert getattr(read, name) == getattr(nothing, name), name


@each_model
def test_a_model_is_made_generous_once(model: type[Model]) -> None:
    sizes = {len(_parts(TypeAdapter(tuple[model, int]).core_schema)) for _ in range(3)}  # type: ignore[valid-type]
    assert len(sizes) == 1


def _parts(whole: object) -> dict[int, object]:
    """Return the parts of a schema, each once; some lead back to themselves."""
    found: dict[int, object] = {}
    left = [whole]
    while left:
        part = left.pop()
        if id(part) not in found and isinstance(part, dict | list | tuple):
            found[id(part)] = part
            left += part.values() if isinstance(part, dict) else part
    return found


def test_null_means_something_where_the_contract_says_so() -> None:
    assert Space.model_validate_json('{"id":"s","defaultLevel":null}').to_json() == (
        b'{"object":"space","id":"s","defaultLevel":null}'
    )


def test_null_does_not_turn_what_is_known_into_something_else() -> None:
    section = {"object": "site-section", "id": "a", "siteSpaces": None, "default": None, "urls": None}
    (read,) = SiteStructure.model_validate({"structure": [section]}).structure
    assert isinstance(read, SiteSection)


def test_what_is_read_instead_is_not_what_may_be_sent() -> None:
    class Sent(Body):
        name: str = ""
        size: int = 0

    for wrong in ({"name": None}, {"size": None}, {"size": 1.5}):
        with pytest.raises(ValidationError):
            Sent.model_validate(wrong)


@pytest.mark.parametrize(("told", "shown"), [(3, 3), (3.0, 3), (2.6, 3), (2.4, 2), (1e12, 10**12)])
def test_a_fraction_where_a_number_is_meant_is_rounded(told: float, shown: int) -> None:
    page = ListPage[File].model_validate_json(json.dumps({"count": told, "items": [{"id": "f", "size": told}]}))
    assert (page.count, page.items[0].size) == (shown, shown)
    assert isinstance(page.items[0].size, int)


NO_FURTHER_PAGE: list[object] = [None, {}, {"page": None}, {"page": ""}, {"limit": 50}, [], ""]


@pytest.mark.parametrize("told", NO_FURTHER_PAGE)
def test_a_list_ends_where_no_further_page_is_named(told: object) -> None:
    listed = {"next": told, "items": [{"id": "s"}]}
    for page in (ListPage[Space].model_validate_json(json.dumps(listed)), ListPage[Space].model_validate(listed)):
        assert page.next is None
        assert [space.id for space in page.items] == ["s"]


def test_a_further_page_is_a_text() -> None:
    page = ListPage[Space].model_validate({"next": {"page": "0", "limit": 50}})
    assert page.next is not None and page.next.page == "0"
    for wrong in ({"page": ["2"]}, "2", ["2"]):
        with pytest.raises(ValidationError):
            ListPage[Space].model_validate({"next": wrong})


@pytest.mark.parametrize("told", ["many", "NaN", [], {}])
def test_what_is_no_number_is_still_refused(told: object) -> None:
    with pytest.raises(ValidationError):
        Space.model_validate({"id": "s", "comments": told})


@pytest.mark.parametrize("value", ["text", "", 3, 3.5, True, False, 0])
@pytest.mark.parametrize("model", [Page, Revision])
def test_a_variable_is_a_text_a_number_or_a_truth_value(model: type[Page | Revision], value: object) -> None:
    told = json.dumps({"id": "x", "variables": {"v": value}})
    read = model.model_validate_json(told)
    assert type(read.variables["v"]) is type(value)
    assert json.loads(read.to_json())["variables"] == {"v": value}


def test_a_merge_names_the_change_request_or_its_id() -> None:
    told = {"id": "r", "type": "merge", "mergedFrom": {"object": "change-request", "id": "c", "number": 4}}
    merged = Revision.model_validate(told).merged_from
    assert isinstance(merged, ChangeRequest)
    assert (merged.id, merged.number) == ("c", 4)
    assert Revision.model_validate(told | {"mergedFrom": "c"}).merged_from == "c"


@pytest.mark.parametrize(
    "icon",
    [{"icon": {"light": "https://a.example/l", "dark": None}}, {"emoji": "1f600"}, {}, {"icon": "rocket"}, "x", None],
)
def test_the_icon_of_a_site_comes_in_six_forms(icon: object) -> None:
    told = json.dumps({"items": [{"object": "site", "id": "s", "icon": icon}]})
    (site,) = ListPage[Site].model_validate_json(told).items
    assert json.loads(site.to_json())["icon"] == icon


@pytest.mark.parametrize("layout", ["wide", {"width": "wide", "cover": False}])
def test_a_layout_has_a_name_or_parts(layout: object) -> None:
    told = {"id": "p", "layout": layout}
    assert json.loads(Page.model_validate(told).to_json())["layout"] == layout


WHOLE = {"id": "f", "name": "a.png", "contentType": "image/png", "downloadURL": "https://a.example/f", "size": 3}


@pytest.mark.parametrize("file", [WHOLE, WHOLE | {"ref": "r"}, {"file": "f"}, {"file": "f", "ref": "r"}])
def test_the_files_of_a_write_come_whole_or_as_their_ids(file: dict[str, Any]) -> None:
    written = WrittenContent.model_validate({"changeRequest": {"id": "c"}, "insertedFiles": [file]})
    assert json.loads(written.inserted_files[0].to_json()).items() >= file.items()


@pytest.mark.parametrize("place", ["x", {"object": "space", "id": "x", "title": "X"}])
def test_an_invite_names_its_place_by_id_or_whole(place: Any) -> None:
    for name in ("space", "collection"):
        told = {"object": "invite", "id": "i", "level": "read", name: place}
        read = json.loads(Invite.model_validate(told).to_json())
        assert read[name] == place or read[name].items() >= {"id": "x", "title": "X"}.items()


def test_rich_text_reads_null_too() -> None:
    told = {"object": "document", "nodes": [{"object": "block", "type": "paragraph", "nodes": None, "isVoid": None}]}
    assert Document.model_validate(told).nodes[0].to_json().startswith(b'{"object":"block","type":"paragraph"')


def test_every_model_of_an_answer_is_tried() -> None:
    assert len(MODELS) > 100
    assert all(issubclass(model, BaseModel) for model in MODELS)


def test_those_who_replied_come_with_how_often_and_when() -> None:
    replier = {"user": {"object": "user", "id": "u"}, "count": 2, "updatedAt": "2026-03-02T09:00:00.000Z"}
    (read,) = Comment.model_validate({"id": "c", "repliers": [replier]}).repliers
    assert (read.user.id, read.count) == ("u", 2)
