from __future__ import annotations

import sys
from datetime import UTC, datetime
from types import ModuleType

import pytest
from pydantic import ValidationError

from recto.contract.api import RESOURCES
from recto.contract.content import Page, RevisionGit
from recto.contract.model import Body, Model, json_name
from recto.contract.organizations import Ping
from recto.contract.spaces import CreateSpace, Space, UpdateSpace


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("display_name", "displayName"),
        ("photo_url", "photoURL"),
        ("download_url", "downloadURL"),
        ("entity_id", "entityID"),
        ("space_id", "spaceId"),
        ("urls", "urls"),
        ("plus_2024", "plus_2024"),
    ],
)
def test_names_are_spelled_on_the_wire_as_the_reference_spells_them(name: str, expected: str) -> None:
    assert json_name(name) == expected


def test_annotations_beside_models_are_no_strings_which_pydantic_would_compile_at_a_start() -> None:
    modules = {kind.__module__ for resource in RESOURCES for kind in _models(sys.modules[resource.__module__])}
    assert len(modules) > 20
    assert [name for name in modules if hasattr(sys.modules[name], "annotations")] == ["recto.contract.templates"]


def _models(module: ModuleType) -> list[type[Model]]:
    return [
        kind
        for kind in vars(module).values()
        if isinstance(kind, type) and Model in kind.__mro__[1:] and kind is not Body
    ]


def test_an_answer_keeps_unknown_fields_and_lets_unknown_values_through() -> None:
    space = Space.model_validate_json(b'{"object":"space","id":"s","editMode":"frozen","internal_x":{"deep":[1]}}')
    assert space.edit_mode == "frozen"
    assert space.to_json() == b'{"object":"space","id":"s","editMode":"frozen","internal_x":{"deep":[1]}}'


def test_an_answer_says_what_it_is_even_where_that_was_left_out() -> None:
    assert Space(id="s").to_json() == b'{"object":"space","id":"s"}'


def test_an_answer_does_not_say_that_it_is_of_no_kind() -> None:
    assert Page.model_validate({"id": "p"}).to_json() == b'{"id":"p","type":"document"}'


def test_null_a_value_and_left_out_are_three_things() -> None:
    assert UpdateSpace().to_json() == b"{}"
    assert UpdateSpace(default_level=None).to_json() == b'{"defaultLevel":null}'
    assert UpdateSpace(default_level="read").to_json() == b'{"defaultLevel":"read"}'


def test_a_field_that_may_be_left_out_may_not_be_null() -> None:
    with pytest.raises(ValidationError, match="title"):
        UpdateSpace.model_validate_json(b'{"title":null}')


def test_a_body_refuses_a_field_that_the_contract_does_not_name() -> None:
    with pytest.raises(ValidationError, match="tilte"):
        CreateSpace.model_validate_json(b'{"tilte":"Handbook"}')


def test_a_moment_goes_out_in_milliseconds_with_its_offset() -> None:
    space = Space(id="s", created_at=datetime(2026, 4, 30, 9, 25, 9, 782123, tzinfo=UTC))
    assert b'"createdAt":"2026-04-30T09:25:09.782Z"' in space.to_json()


@pytest.mark.parametrize("spelling", ["createdByService", "createdByGitBook"])
def test_the_spelling_of_some_services_is_read_too(spelling: str) -> None:
    git = RevisionGit.model_validate({spelling: True})
    assert git.created_by_service
    assert git.to_json() == b'{"createdByService":true}'


@pytest.mark.parametrize("spelling", ["serviceVisitorClaims", "gitbookVisitorClaims"])
def test_claims_are_read_in_either_spelling_and_go_out_in_one(spelling: str) -> None:
    ping = Ping.model_validate_json(f'{{"{spelling}":"a.b.c"}}')
    assert ping.service_visitor_claims == "a.b.c"
    assert ping.to_json() == b'{"serviceVisitorClaims":"a.b.c"}'
