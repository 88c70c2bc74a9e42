"""The mechanism by which each operation is declared once and used at both ends.

An operation is a typed stub on a :class:`Resource` that its decorator turns into an :class:`Operation`: the value
that is called, against which the server registers its handler, and by which the store names what it remembers.
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Awaitable, Callable, Iterator, Mapping
from enum import Enum
from functools import cached_property, lru_cache
from types import SimpleNamespace
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

from recto.contract.addresses import Address
from recto.contract.model import json_name
from recto.frozen import frozen

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)
S = TypeVar("S", bound="Resource")

DECLARED: Final[Any] = ...
"""The default of a handler's parameter: that of the declaration."""


class Place(Enum):
    """Where in a request a parameter is sent."""

    PATH = "path"
    QUERY = "query"
    BODY = "body"


@frozen
class Parameter:
    """A parameter of an operation."""

    name: str
    json_name: str
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


@lru_cache(maxsize=256)
def _holds_several(annotation: Any) -> bool:
    if get_origin(annotation) in (list, tuple, set, frozenset):
        return True
    return any(_holds_several(part) for part in get_args(annotation) if not isinstance(part, str))


class Transport(Protocol):
    """Sends a call to a platform and returns its response."""

    async def send(self, operation: Operation[Any, R], arguments: Mapping[str, Any]) -> R:
        """Send the operation with these arguments by parameter name; raise a ``client`` error where it fails."""
        ...


class Resource:
    """A family of operations."""


class Operation(Generic[P, R_co]):
    """An operation of the contract: its method, parameters and response.

    It has a single path, or a path for each address that its parameter ``at`` may be.
    """

    def __init__(
        self,
        stub: Callable[..., Awaitable[R_co]],
        method: str,
        template: str,
        status: int,
        *,
        deprecated: bool = False,
        created: int | None = None,
    ) -> None:
        self._stub = stub
        self.method = method
        self.template = template
        """The path after ``/v1``, in which ``{at}`` or ``{content}`` stands for that of the address."""
        self.status = status
        self.created = created
        """The status instead where a call makes what it would otherwise have changed."""
        self.deprecated = deprecated
        self.name = stub.__name__
        self.resource: type[Resource] = Resource
        self.__doc__ = stub.__doc__

    def __set_name__(self, owner: type[Resource], name: str) -> None:
        self.resource = owner

    def __repr__(self) -> str:
        return f"<{self.resource.__name__}.{self.name}: {self.method} {self.template}>"

    @property
    def reads(self) -> bool:
        """Whether the operation changes nothing."""
        return self.method == "GET"

    @cached_property
    def hints(self) -> dict[str, Any]:
        """The types of the parameters by name, and of the response as ``return``."""
        return get_type_hints(self._stub, include_extras=True)

    @cached_property
    def signature(self) -> inspect.Signature:
        """The signature of a call."""
        signature = inspect.signature(self._stub)
        return signature.replace(parameters=list(signature.parameters.values())[1:])

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """The defaults of the parameters that may be left out, by name."""
        parameters = self.signature.parameters.values()
        return {each.name: each.default for each in parameters if each.default is not inspect.Parameter.empty}

    @cached_property
    def response(self) -> Any:
        """The type of the response; ``NoneType`` where it has no content."""
        return self.hints["return"]

    @cached_property
    def routes(self) -> tuple[Route, ...]:
        """The paths of the operation, by address."""
        at = self._stub.__annotations__.get("at")
        if at is None:
            return (Route(self, None),)
        # The other types need not be resolved to find a path.
        hints = get_type_hints(SimpleNamespace(__annotations__={"at": at}), self._stub.__globals__)
        addresses = get_args(hints["at"]) or (hints["at"],)
        return tuple(Route(self, address, is_first=address is addresses[0]) for address in addresses)

    def at(self, address: type[Address] | None) -> Route:
        """Return the path at an address; raises ``TypeError`` where the operation does not exist there."""
        for route in self.routes:
            if route.address is address:
                return route
        raise TypeError(f"{self!r} has no path at {address}")

    def route(self, arguments: Mapping[str, Any]) -> Route:
        """Return the path that a call with these arguments takes."""
        at = arguments.get("at")
        return self.at(None if at is None else type(at))

    def arguments(self, *args: P.args, **kwargs: P.kwargs) -> dict[str, Any]:
        """Return the arguments of a call by parameter name, with the declared defaults filled in."""
        bound = self.signature.bind(*args, **kwargs)
        bound.apply_defaults()
        return bound.arguments


class Route:
    """A path of an operation, with its address (``None`` where the operation has none)."""

    def __init__(self, operation: Operation[Any, Any], address: type[Address] | None, *, is_first: bool = True) -> None:
        self.operation = operation
        self.address = address
        self.resource = operation.resource
        self.method = operation.method
        self.status = operation.status
        self.created = operation.created
        self.deprecated = operation.deprecated
        self.reads = operation.reads
        self.name = operation.name
        """The name, which ends in the address but for the first: ``list_pages``, ``list_pages_in_change_request``."""
        self.path = operation.template
        """What follows ``/v1``, with ``{snake_case}`` parameters."""
        self.text = inspect.cleandoc(operation.__doc__ or "")
        """What the operation does."""
        if address is not None:
            self.path = self.path.replace("{at}", address.path).replace("{content}", address.content)
            self.text = self.text.replace("{at}", address.words)
            if not is_first:
                self.name += re.sub("([A-Z])", r"_\1", address.__name__).lower()

    def __repr__(self) -> str:
        return f"<{self.resource.__name__}.{self.name}: {self.method} {self.path}>"

    @property
    def response(self) -> Any:
        """The type of the response; ``NoneType`` where it has no content."""
        return self.operation.response

    @property
    def summary(self) -> str:
        """The first line of what the operation does."""
        return self.text.partition("\n")[0]

    @cached_property
    def parameters(self) -> tuple[Parameter, ...]:
        """The parameters in order; those that name the address stand in its place.

        Names in the path are path parameters, a model is the body, the rest are query parameters.
        """
        return tuple(
            each for declared in self.operation.signature.parameters.values() for each in self._parameters(declared)
        )

    def _parameters(self, declared: inspect.Parameter) -> Iterator[Parameter]:
        if declared.name == "at" and self.address is not None:
            for name in self.address.parameters():
                yield Parameter(name, json_name(name), Place.PATH, str)
            return
        annotation = self.operation.hints[declared.name]
        for mark in get_args(annotation)[1:]:
            if isinstance(mark, OnlyAt) and self.address is not mark.address:
                return
            if isinstance(mark, WiderAt):
                annotation = mark.model if self.address is mark.address else get_args(annotation)[0]
        if f"{{{declared.name}}}" in self.path or f"{{{declared.name}:path}}" in self.path:
            place = Place.PATH
        elif isinstance(annotation, type) and issubclass(annotation, BaseModel):
            place = Place.BODY
        else:
            place = Place.QUERY
        yield Parameter(declared.name, json_name(declared.name), place, annotation, declared.default)

    def flat(self, arguments: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call with those that name the address in place of it.

        Raises ``TypeError`` for an argument that does not exist at this address.
        """
        given = {**arguments}
        address = given.pop("at", None)
        if address is not None:
            given |= address.arguments
        known = {each.name for each in self.parameters}
        for name in given.keys() - known:
            if given[name] != self.operation.signature.parameters[name].default:
                raise TypeError(f"{self!r} has no parameter {name}")
        return {name: value for name, value in given.items() if name in known}

    def arguments(self, flat: Mapping[str, Any]) -> dict[str, Any]:
        """Return the arguments of a call by parameter name, with the address in place of those that name it."""
        if self.address is None:
            return dict(flat)
        names = self.address.parameters()
        given = {name: value for name, value in flat.items() if name not in names}
        return {"at": self.address.of(flat), **given}


@frozen
class OnlyAt:
    """Marks a parameter that exists only at one of the addresses."""

    address: type[Address]


@frozen
class WiderAt:
    """Marks a body whose model has more fields at one of the addresses."""

    address: type[Address]
    model: type[BaseModel]


Stub = Callable[Concatenate[S, P], Awaitable[R]]


def _declare(
    method: str, template: str, status: int, deprecated: bool, created: int | None = None
) -> Callable[[Stub[S, P, R]], Operation[P, R]]:
    def declare(stub: Stub[S, P, R]) -> Operation[P, R]:
        return Operation(stub, method, template, status, deprecated=deprecated, created=created)

    return declare


def get(path: str, status: int = 200) -> Callable[[Stub[S, P, R]], Operation[P, R]]:
    """Declare an operation that reads.

    ``path`` is what follows ``/v1``, with ``{snake_case}`` parameters. Where the first parameter is an address, named
    ``at``, ``{at}`` stands for its path and ``{content}`` for that of its content, in the docstring for its words.
    """
    return _declare("GET", path, status, deprecated=False)


def post(path: str, status: int = 200, *, deprecated: bool = False) -> Callable[[Stub[S, P, R]], Operation[P, R]]:
    """Declare an operation that makes or does something."""
    return _declare("POST", path, status, deprecated)


def put(path: str, status: int = 200, *, created: int | None = None) -> Callable[[Stub[S, P, R]], Operation[P, R]]:
    """Declare an operation that sets something; ``created`` is the status where it makes it."""
    return _declare("PUT", path, status, deprecated=False, created=created)


def patch(path: str, status: int = 200) -> Callable[[Stub[S, P, R]], Operation[P, R]]:
    """Declare an operation that changes the fields it is given and leaves the others."""
    return _declare("PATCH", path, status, deprecated=False)


def delete(path: str) -> Callable[[Stub[S, P, R]], Operation[P, R]]:
    """Declare an operation that removes something; 204, also where there was nothing."""
    return _declare("DELETE", path, 204, deprecated=False)
