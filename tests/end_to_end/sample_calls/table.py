"""What is said of each operation: how it is called validly, and who may."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final, Literal

from end_to_end.sample_calls.world import PEOPLE
from recto.contract.common import Role
from recto.contract.operation import Operation, Place, Resource, Route
from recto.server.people.access import ROLES

ANYONE: Final = "anyone"
MEMBER: Final = "member"

Least = Role | Literal["anyone", "member"]
"""The least role, or anyone who is signed in, or any member of the organization."""


@dataclass(frozen=True, slots=True)
class SampleCall:
    """A valid call of an operation on the workspace of ``world``, and what is answered to others like it.

    Path parameters are what is known by their names, or by the names in ``path``; ``"{name}"`` in ``body`` and
    ``query`` is what is known by that name. Unknown ids answer 404, except where ``unknown`` says otherwise; for what
    a DELETE removes 204. ``again`` is what the same call answers a second time, the same as at first by default.
    ``who`` says what people get for whom it is otherwise than by their role; those in ``in_vain`` do not see what they
    delete, and are answered as if it had been gone.
    """

    least: Least
    body: Any = None
    query: Mapping[str, Any] = field(default_factory=dict)
    path: Mapping[str, str] = field(default_factory=dict)
    unknown: Mapping[str, int] = field(default_factory=dict)
    again: int | None = None
    who: Mapping[str, int] = field(default_factory=dict)
    in_vain: tuple[str, ...] = ()

    def expected(self, operation: Route, person: str) -> int:
        """Return the status that answers a person."""
        if person in self.who:
            return self.who[person]
        if person in self.in_vain:
            return 204
        if self.least == ANYONE or (self.least == MEMBER and person != "stranger"):
            return operation.status
        if person == "stranger":
            return 404
        if person == "guest":
            return 403 if _is_of_organization(operation) else 404
        return operation.status if ROLES.index(person) <= ROLES.index(self.least) else 403

    def unknown_status(self, operation: Route, parameter: str) -> int:
        """Return the status that answers an unknown id."""
        if parameter in self.unknown:
            return self.unknown[parameter]
        last = operation.path.rpartition("/")[2] == f"{{{parameter}}}"
        return 204 if operation.method == "DELETE" and last else 404

    def doers(self, operation: Route) -> list[str]:
        """Return the people who may do it."""
        return [
            person
            for person in PEOPLE
            if person not in self.in_vain and self.expected(operation, person) == operation.status
        ]


def reading(*resources: type[Resource]) -> dict[Operation[Any, Any] | Route, SampleCall]:
    """Return the sample calls of the operations that need nothing but to be read with the role that sees them."""
    every = (each for resource in resources for each in vars(resource).values() if isinstance(each, Operation))
    return {each: SampleCall("read") for each in every if each.reads}


def path_parameters(operation: Route) -> list[str]:
    """Return the names of an operation's path parameters."""
    return [each.name for each in operation.parameters if each.place is Place.PATH]


def _is_of_organization(operation: Route) -> bool:
    """Whether what is seen at all is the organization, which a guest sees; a guest sees no space, site or team."""
    return operation.path.startswith("/orgs/") and not {"{site_id}", "{team_id}"} & set(operation.path.split("/"))
