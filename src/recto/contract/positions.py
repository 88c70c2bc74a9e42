"""Places among the spaces and collections of a collection, or of the top of an organization."""

from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from recto.contract.model import LEFT_OUT, Body


class SpacePointer(Body):
    """A space among its siblings."""

    type: Literal["space"] = "space"
    space: str


class CollectionPointer(Body):
    """A collection among its siblings."""

    type: Literal["collection"] = "collection"
    collection: str


Pointer = Annotated[SpacePointer | CollectionPointer, Field(discriminator="type")]
"""A sibling that names a place."""


class Position(Body):
    """A place among siblings: ``before`` or ``after`` one of them, or both."""

    @model_validator(mode="after")
    def _has_place(self) -> Self:
        if not self.model_fields_set:
            raise PydanticCustomError("no_place", "needs before or after")
        return self


class SiblingPosition(Position):
    """A place before a sibling, after a sibling, or between two neighbours."""

    before: Pointer = LEFT_OUT
    after: Pointer = LEFT_OUT
