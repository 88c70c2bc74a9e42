"""The server answers the contract: one handler for each operation, with the operation's own parameters and defaults."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
from collections.abc import Callable
from typing import Any

import pytest

from recto import server
from recto.contract.api import operations
from recto.contract.operation import DECLARED, Operation
from recto.server.http import registry


@pytest.fixture(scope="module")
def handlers_by_operation() -> dict[Operation[Any, Any], Callable[..., Any]]:
    """All handlers there are, in whichever module; a second one for the same operation fails its import."""
    for module in pkgutil.walk_packages(server.__path__, f"{server.__name__}."):
        importlib.import_module(module.name)
    return {operation: found.handler for operation, found in registry._entries.items()}


def _name_of(operation: Operation[Any, Any]) -> str:
    return f"{operation.resource.__name__}.{operation.name}"


each_operation = pytest.mark.parametrize("operation", [pytest.param(each, id=_name_of(each)) for each in operations()])


def test_each_operation_has_a_handler_of_its_own(
    handlers_by_operation: dict[Operation[Any, Any], Callable[..., Any]],
) -> None:
    declared, answered = set(map(_name_of, operations())), set(map(_name_of, handlers_by_operation))
    assert declared - answered == set(), "operations without a handler"
    assert answered - declared == set(), "handlers without an operation"
    assert len(set(handlers_by_operation.values())) == len(answered), "one handler answers several operations"


@each_operation
def test_the_handler_is_found_where_it_is_looked_for(operation: Operation[Any, Any]) -> None:
    found = registry.entry(operation)
    assert found is not None
    declared_in = operation.resource.__module__.rpartition(".")[2]
    assert found.handler.__module__.removeprefix("recto.server.") in registry.SUBJECTS[declared_in]


@each_operation
def test_its_parameters_and_defaults_are_those_of_the_contract(
    operation: Operation[Any, Any], handlers_by_operation: dict[Operation[Any, Any], Callable[..., Any]]
) -> None:
    context, *taken = inspect.signature(handlers_by_operation[operation]).parameters.values()
    assert (context.name, context.default) == ("context", inspect.Parameter.empty)
    assert [(each.name, each.default) for each in taken] == [
        (each.name, _expected_default(each)) for each in operation.signature.parameters.values()
    ]


def _expected_default(parameter: inspect.Parameter) -> Any:
    return inspect.Parameter.empty if parameter.default is inspect.Parameter.empty else DECLARED
