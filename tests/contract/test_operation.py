from __future__ import annotations

import re
from typing import Any, TypeVar

import pytest

from recto.contract.api import RESOURCES, operations
from recto.contract.content import SpaceContent
from recto.contract.operation import Operation, Place

R = TypeVar("R")
ALL = tuple(operations())


def test_a_call_fills_in_what_the_declaration_gives() -> None:
    assert SpaceContent.get_page.arguments("s", "p", format="markdown") == {
        "space_id": "s",
        "page_id": "p",
        "format": "markdown",
        "evaluated": "false",
        "metadata": True,
        "computed": True,
    }


def test_a_call_with_a_parameter_too_few_is_refused() -> None:
    with pytest.raises(TypeError, match="page_id"):
        SpaceContent.get_page.arguments("s")  # type: ignore[call-arg]


@pytest.mark.parametrize("operation", ALL, ids=repr)
def test_each_operation_is_wholly_declared(operation: Operation[Any, Any]) -> None:
    named = re.findall(r"{(\w+)(?::path)?}", operation.path)
    in_path = [parameter.name for parameter in operation.parameters if parameter.place is Place.PATH]
    assert sorted(in_path) == sorted(named)
    assert sum(parameter.place is Place.BODY for parameter in operation.parameters) <= 1
    assert operation.method != "GET" or all(p.place is not Place.BODY for p in operation.parameters)
    assert operation.summary.endswith((".", "`"))
    assert (operation.answer is type(None)) == (operation.status == 204)


def test_no_two_operations_share_a_method_and_a_path() -> None:
    places = [(operation.method, re.sub(r"{\w+", "{", operation.path)) for operation in ALL]
    assert len(places) == len(set(places))
    assert {operation.resource for operation in ALL} == set(RESOURCES)
