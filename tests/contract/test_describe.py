from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import pytest
import schemathesis

from contract.reference.guaranteed_fields import BY_MODEL, ROWS
from recto.contract.api import routes
from recto.contract.change_requests import ChangeRequests
from recto.contract.content import Content
from recto.contract.describe import describe, operation_id
from recto.contract.model import Model
from recto.contract.publishing import PublishedSite
from recto.contract.spaces import GitSync
from recto.contract.structure import SiteSpace, SiteSpaces

NOT_FOR_ALL: dict[type[Model], set[str]] = {
    # What is in its customizations has no model.
    PublishedSite: {"site", "siteSpaces"},
    # It comes without its space to whoever may not see that.
    SiteSpace: {"space"},
    # A space need not be synchronized, nor a repository be that of a hosting service.
    GitSync: {"installationId", "installationProvider", "installationStatus"},
}
"""What the list has of a model and this server's description does not promise."""

METHODS = ("get", "post", "put", "patch", "delete")


@pytest.fixture(scope="module")
def description() -> dict[str, Any]:
    return describe(routes(), set(ChangeRequests.create_change_request.routes))


@pytest.fixture(scope="module")
def described(description: dict[str, Any]) -> dict[str, dict[str, Any]]:
    """The operations by their ids."""
    found = [item[method] for item in description["paths"].values() for method in METHODS if method in item]
    return {each["operationId"]: each for each in found}


def inside(value: Any) -> Iterator[dict[str, Any]]:
    """Yield all objects in a value."""
    if isinstance(value, dict):
        yield value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from inside(each)


def test_it_is_openapi(description: dict[str, Any]) -> None:
    schemathesis.openapi.from_dict(description).validate()


def test_its_schemas_are_json_schemas(description: dict[str, Any]) -> None:
    for schema in description["components"]["schemas"].values():
        jsonschema_rs.meta.validate(schema | {"$schema": "https://json-schema.org/draft/2020-12/schema"})


def test_what_it_refers_to_is_there(description: dict[str, Any]) -> None:
    for each in inside(description):
        if isinstance(each.get("$ref"), str):
            assert each["$ref"].removeprefix("#/components/schemas/") in description["components"]["schemas"]


def test_everything_in_it_is_referred_to(description: dict[str, Any]) -> None:
    referred = {each["$ref"].rpartition("/")[2] for each in inside(description) if "$ref" in each}
    assert set(description["components"]["schemas"]) == referred


def test_each_operation_is_in_it_under_a_name_of_its_own(described: dict[str, dict[str, Any]]) -> None:
    assert len(described) == len(list(routes()))
    assert set(described) == {operation_id(each) for each in routes()}


def test_each_path_names_its_parameters(description: dict[str, Any]) -> None:
    for path, item in description["paths"].items():
        for method in item:
            named = [each["name"] for each in item[method].get("parameters", []) if each["in"] == "path"]
            assert named == re.findall(r"\{(\w+)\}", path)


def test_each_link_gives_all_that_the_path_it_leads_to_takes(described: dict[str, dict[str, Any]]) -> None:
    taken = {
        name: {each["name"] for each in operation.get("parameters", []) if each["in"] == "path"}
        for name, operation in described.items()
    }
    links = [(name, each) for name in described for each in inside(described[name]) if "operationId" in each]
    linked = [(name, each) for name, each in links if each["operationId"] != name]
    for name, link in linked:
        assert set(link["parameters"]) == taken[link["operationId"]]
        for expression in link["parameters"].values():
            _, _, asked = expression.partition("$request.path.")
            assert expression == "$response.body#/id" or asked in taken[name]
    assert linked


def test_what_is_made_leads_to_all_that_can_be_done_with_it(described: dict[str, dict[str, Any]]) -> None:
    made = described["changeRequests.createChangeRequest"]["responses"]["201"]
    assert made["headers"]["Location"]["required"]
    assert made["links"]["changeRequests.merge"]["parameters"] == {
        "spaceId": "$request.path.spaceId",
        "changeRequestId": "$response.body#/id",
    }
    assert "content.listPagesInChangeRequest" in made["links"]
    assert "comments.getCommentInChangeRequest" not in made["links"], "no comment is known yet"
    posted = described["comments.postCommentInChangeRequest"]["responses"]["200"]
    assert "comments.postReplyInChangeRequest" in posted["links"]
    assert "comments.getComment" not in posted["links"], "a comment on a change request is not one on the space"
    assert "links" not in described["spaces.getSpace"]["responses"]["200"]


def test_what_is_deprecated_is_marked(described: dict[str, dict[str, Any]]) -> None:
    marked = {name for name, operation in described.items() if operation.get("deprecated")}
    assert marked == {operation_id(each) for each in routes() if each.deprecated}
    assert operation_id(SiteSpaces.move_site_space.routes[0]) in marked


def test_names_and_values_in_its_texts_are_those_of_the_wire(description: dict[str, Any]) -> None:
    texts = [each[name] for each in inside(description) for name in ("description", "summary") if name in each]
    told = [text for text in texts if isinstance(text, str)]
    for text in told:
        assert "``" not in text
        assert "`None`" not in text
        assert "change_request_id" not in text
    assert any("`null`" in text for text in told)


def test_a_parameter_tells_its_limits_its_values_and_its_default(described: dict[str, dict[str, Any]]) -> None:
    searched = {each["name"]: each for each in described["search.searchSpace"]["parameters"]}
    assert searched["query"]["required"]
    assert searched["query"]["schema"] == {"type": "string", "minLength": 1, "maxLength": 512}
    assert not searched["limit"]["required"]
    assert searched["limit"]["schema"] == {"type": "integer", "minimum": 1, "maximum": 1000}
    listed = {each["name"]: each["schema"] for each in described["comments.listComments"]["parameters"]}
    assert listed["status"] == {"type": "string", "enum": ["open", "resolved", "all"], "default": "all"}
    assert listed["authors"] == {"type": "array", "items": {"type": "string"}}
    by_path = described[operation_id(Content.get_page_by_path.routes[0])]["parameters"]
    assert [each["schema"] for each in by_path if each["name"] == "pagePath"] == [{"type": "string"}]


def test_a_parameter_of_a_path_tells_its_form_and_that_another_is_refused(
    described: dict[str, dict[str, Any]],
) -> None:
    of_domain = described["organizations.listOrganizationsOfDomain"]
    (domain,) = of_domain["parameters"]
    assert domain["schema"]["maxLength"] == 253
    assert re.fullmatch(domain["schema"]["pattern"], "example.org")
    assert not re.fullmatch(domain["schema"]["pattern"], "localhost")
    assert "400" in of_domain["responses"]
    assert "400" not in described["organizations.getOrganization"]["responses"]


def test_a_body_tells_what_it_takes_and_that_it_takes_nothing_else(
    described: dict[str, dict[str, Any]], description: dict[str, Any]
) -> None:
    schemas = description["components"]["schemas"]
    body = described["contentChanges.writeContent"]["requestBody"]
    assert body["required"]
    assert body["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/WriteContent"}
    assert not described["spaces.updateSpace"]["requestBody"]["required"]
    update = schemas["UpdatePage"]
    assert update["additionalProperties"] is False
    assert set(update["required"]) == {"operation", "page"}, "its tag tells it from the other changes"
    assert {"type": "null"} in update["properties"]["into"]["anyOf"]
    assert update["properties"]["hidden"] == {"type": "boolean"}, "it may be left out, but not null"


def test_an_answer_tells_its_shape_and_may_hold_more(description: dict[str, Any]) -> None:
    space = description["components"]["schemas"]["Space"]
    assert {"id", "title", "createdAt", "permissions"} <= set(space["required"])
    assert "parent" not in space["required"]
    assert space["additionalProperties"] is True
    assert {"type": "string", "format": "date-time"} in space["properties"]["createdAt"]["anyOf"]


def test_errors_are_described_with_their_operations(described: dict[str, dict[str, Any]]) -> None:
    everywhere = {"401", "405", "408", "413", "503"}
    assert set(described["users.getUser"]["responses"]) == {"200", *everywhere}
    assert set(described["spaces.getSpace"]["responses"]) == {"200", "400", "403", "404", *everywhere}
    merging = set(described["changeRequests.merge"]["responses"])
    assert merging == {"200", "400", "403", "404", "409", "412", *everywhere}
    for operation in described.values():
        for status, answer in operation["responses"].items():
            if status >= "400":
                assert answer["content"]["application/json"]["schema"] == {"$ref": "#/components/schemas/Error"}


@pytest.mark.parametrize("model", [pytest.param(each, id=each.__name__) for each in BY_MODEL])
def test_the_description_says_what_answers_always_carry(description: dict[str, Any], model: type[Model]) -> None:
    schemas = description["components"]["schemas"]
    form = ROWS[BY_MODEL[model]]["newer"]
    always = set(form.get("always", ())) - NOT_FOR_ALL.get(model, set())
    assert always <= set(schemas[model.__name__].get("required", ()))
    for field, inside in form.get("inside", {}).items():
        schema = schemas[model.__name__]["properties"][field]
        held = schemas.get(str(schema.get("$ref")).rpartition("/")[2], {})
        assert set(inside["always"]) - NOT_FOR_ALL.get(model, set()) <= {
            *schema.get("required", ()),
            *held.get("required", ()),
        }
