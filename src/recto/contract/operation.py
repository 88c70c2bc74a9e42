"""The mechanism by which each operation is declared once and used at both ends.

An operation is a typed stub on a :class:`Resource` that its decorator turns into an :class:`Operation`: the value
that is called, against which the server registers its handler, and by which the store names what it remembers.
"""

from __future__ import annotations

import inspect
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import (
    Any,
    Concatenate,
    Final,
    Generic,
    ParamSpec,
    Protocol,
    TypeVar,
    get_args,
    get_origin,
    get_type_hints,
)

from pydantic import BaseModel

from recto.contract.model import wire_name

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
S = TypeVar("S", bound="Resource")

DECLARED: Final[Any] = ...
"""The default of a handler's parameter: the one that the operation declares."""


class Place(Enum):
    """Where in a request a parameter travels."""

    PATH = "path"
    QUERY = "query"
    BODY = "body"


@dataclass(frozen=True, slots=True)
class Parameter:
    """One parameter of an operation."""

    name: str
    wire_name: str
    place: Place
    annotation: Any
    default: Any = inspect.Parameter.empty

    @property
    def required(self) -> bool:
        """Whether a call must give it."""
        return self.default is inspect.Parameter.empty

    @property
    def holds_several(self) -> bool:
        """Whether it holds a list of values, for which a query repeats its name."""
        return _holds_several(self.annotation)


def _holds_several(annotation: Any) -> bool:
    if get_origin(annotation) in (list, tuple, set, frozenset):
        return True
    return any(_holds_several(part) for part in get_args(annotation) if not isinstance(part, str))


class Transport(Protocol):
    """Brings a call to a platform and its answer back."""

    async def send(self, operation: Operation[Any, R], arguments: Mapping[str, Any]) -> R:
        """Send the operation with these arguments by parameter name; raise a ``client`` error where it fails."""
        ...


class Resource:
    """A family of operations."""


class Operation(Generic[P, R_co]):
    """One operation of the contract: its method, path, parameters and what it answers."""

    def __init__(
        self, stub: Callable[..., Awaitable[R_co]], method: str, path: str, status: int, *, deprecated: bool = False
    ) -> None:
        self._stub = stub
        self.method = method
        self.path = path
        self.status = status
        self.deprecated = deprecated
        self.name = stub.__name__
        self.resource: type[Resource] = Resource
        self.__doc__ = stub.__doc__

    def __set_name__(self, owner: type[Resource], name: str) -> None:
        self.resource = owner

    def __repr__(self) -> str:
        return f"<{self.resource.__name__}.{self.name}: {self.method} {self.path}>"

    @property
    def reads(self) -> bool:
        """Whether the operation changes nothing."""
        return self.method == "GET"

    @property
    def summary(self) -> str:
        """The first line of what the operation does."""
        return (self.__doc__ or "").strip().partition("\n")[0]

    @cached_property
    def _hints(self) -> dict[str, Any]:
        return get_type_hints(self._stub, include_extras=True)

    @cached_property
    def _signature(self) -> inspect.Signature:
        signature = inspect.signature(self._stub)
        return signature.replace(parameters=list(signature.parameters.values())[1:])

    @cached_property
    def answer(self) -> Any:
        """The type of the answer; ``NoneType`` where it has no content."""
        return self._hints["return"]

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters, in order.

        One that the path names is a path parameter, one that is a model is the body, the rest are query parameters.
        """
        return tuple(self._parameter(parameter) for parameter in self._signature.parameters.values())

    def _parameter(self, parameter: inspect.Parameter) -> Parameter:
        annotation = self._hints[parameter.name]
        if f"{{{parameter.name}}}" in self.path or f"{{{parameter.name}:path}}" in self.path:
            place = Place.PATH
        elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
            place = Place.BODY
        else:
            place = Place.QUERY
        return Parameter(parameter.name, wire_name(parameter.name), place, annotation, parameter.default)

    def arguments(self, *args: P.args, **kwargs: P.kwargs) -> dict[str, Any]:
        """Return the arguments of a call by parameter name, with the declared defaults filled in."""
        bound = self._signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.arguments


Stub = Callable[Concatenate[S, P], Awaitable[R]]


def _declare(method: str, path: str, status: int, deprecated: bool) -> Callable[[Stub[S, P, R]], Operation[P, R]]:
    def declare(stub: Stub[S, P, R]) -> Operation[P, R]:
        return Operation(stub, method, path, status, deprecated=deprecated)

    return declare


def get(path: str, status: int = 200) -> Callable[[Stub[S, P, R]], Operation[P, R]]:
    """Declare an operation that reads. ``path`` is what follows ``/v1``, with ``{snake_case}`` parameters."""
    return _declare("GET", path, status, deprecated=False)


def post(path: str, status: int = 200, *, deprecated: bool = False) -> Callable[[Stub[S, P, R]], Operation[P, R]]:
    """Declare an operation that makes or does something."""
    return _declare("POST", path, status, deprecated)


def put(path: str, status: int = 200) -> Callable[[Stub[S, P, R]], Operation[P, R]]:
    """Declare an operation that sets something."""
    return _declare("PUT", path, status, deprecated=False)


def patch(path: str, status: int = 200) -> Callable[[Stub[S, P, R]], Operation[P, R]]:
    """Declare an operation that changes the fields it is given and leaves the others."""
    return _declare("PATCH", path, status, deprecated=False)


def delete(path: str) -> Callable[[Stub[S, P, R]], Operation[P, R]]:
    """Declare an operation that removes something; 204, also where there was nothing."""
    return _declare("DELETE", path, 204, deprecated=False)
