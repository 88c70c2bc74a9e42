from __future__ import annotations

import re
from typing import Any

import pytest

from recto.contract.addresses import AtRevision, InChangeRequest, Main
from recto.contract.api import RESOURCES, operations, routes
from recto.contract.comments import Comments, UpdateChangeRequestReply, UpdateReply
from recto.contract.content import Content
from recto.contract.links import Links
from recto.contract.operation import Operation, Place, Route
from recto.contract.templates import Templates

ALL = tuple(routes())


def test_a_call_fills_in_what_the_declaration_gives() -> None:
    assert Content.get_page.arguments(Main("s"), "p", format="markdown") == {
        "at": Main("s"),
        "page_id": "p",
        "format": "markdown",
        "evaluated": "false",
        "metadata": True,
        "computed": True,
    }


def test_a_call_with_a_parameter_too_few_is_refused() -> None:
    with pytest.raises(TypeError, match="page_id"):
        Content.get_page.arguments(Main("s"))  # type: ignore[call-arg]


def test_an_address_chooses_the_path_and_fills_it() -> None:
    at = InChangeRequest("s", "c")
    arguments = Links.list_links.arguments(at, broken_context="space")
    route = Links.list_links.route(arguments)
    assert route.path == "/spaces/{space_id}/change-requests/{change_request_id}/links"
    flat = route.flat(arguments)
    assert (flat["space_id"], flat["change_request_id"], flat["broken_context"]) == ("s", "c", "space")
    assert route.arguments(flat)["at"] == at


def test_an_operation_does_not_exist_at_every_address() -> None:
    arguments = Links.list_links.arguments(AtRevision("s", "r"))  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="AtRevision"):
        Links.list_links.route(arguments)


def test_a_parameter_that_an_address_lacks_is_not_given_there() -> None:
    arguments = Links.list_links.arguments(Main("s"), broken_context="space")
    with pytest.raises(TypeError, match="broken_context"):
        Links.list_links.route(arguments).flat(arguments)


def test_a_body_has_more_fields_at_one_address() -> None:
    bodies = [each.annotation for route in Comments.update_reply.routes for each in route.parameters[-1:]]
    assert bodies == [UpdateReply, UpdateChangeRequestReply]


@pytest.mark.parametrize("operation", [each for each in operations() if "at" in each.signature.parameters], ids=repr)
def test_an_address_comes_first_and_stands_in_the_path(operation: Operation[Any, Any]) -> None:
    assert next(iter(operation.signature.parameters)) == "at"
    assert operation.template.startswith(("{at}", "{content}"))
    addresses = [route.address for route in operation.routes]
    assert all(addresses)
    assert len(addresses) == len(set(addresses))


@pytest.mark.parametrize("route", ALL, ids=repr)
def test_each_operation_is_wholly_declared(route: Route) -> None:
    named = re.findall(r"{(\w+)(?::path)?}", route.path)
    in_path = [parameter.name for parameter in route.parameters if parameter.place is Place.PATH]
    assert sorted(in_path) == sorted(named)
    assert sum(parameter.place is Place.BODY for parameter in route.parameters) <= 1
    assert route.method != "GET" or all(p.place is not Place.BODY for p in route.parameters)
    assert route.summary.endswith((".", "`"))
    assert "{" not in route.summary
    is_empty = route.status == 204 or route.operation is Templates.apply_template  # which answers 201 with nothing
    assert (route.response is type(None)) == is_empty


def test_no_two_operations_share_a_method_and_a_path() -> None:
    places = [(route.method, re.sub(r"{\w+", "{", route.path)) for route in ALL]
    assert len(places) == len(set(places))
    assert {route.resource for route in ALL} == set(RESOURCES)
    names = [f"{route.resource.__name__}.{route.name}" for route in ALL]
    assert len(names) == len(set(names))
