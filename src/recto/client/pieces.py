"""Parsing a large answer item by item: the parser holds the interpreter, and the screen is drawn by another thread."""

from __future__ import annotations

import typing
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import TypeAdapter

_LONG = 20


class Pieces:
    """The lists of a model, each by the name it has on the wire, with the parser of its items."""

    def __init__(self, lists: dict[str, TypeAdapter[Any]]) -> None:
        self._lists = lists

    def validate(self, adapter: TypeAdapter[Any], content: bytes) -> Any:
        """Return the answer that ``content`` holds; raises :class:`pydantic.ValidationError` as the adapter does."""
        from pydantic_core import from_json

        try:
            read = from_json(content)
            if isinstance(read, dict):
                read |= {name: [one.validate_python(item) for item in read[name]] for name, one in self._long(read)}
            return adapter.validate_python(read)
        except ValueError:
            # Of whatever is wrong, broken JSON or a value, it is said in terms of the whole.
            return adapter.validate_json(content)

    def _long(self, read: dict[str, Any]) -> list[tuple[str, TypeAdapter[Any]]]:
        lists = ((name, read.get(name), one) for name, one in self._lists.items())
        return [(name, one) for name, items, one in lists if isinstance(items, list) and len(items) > _LONG]


def pieces_of(answer: Any) -> Pieces | None:
    """Return how an answer of this type is parsed in pieces; ``None`` where it is no model that has lists."""
    from pydantic import BaseModel, TypeAdapter

    if not (isinstance(answer, type) and issubclass(answer, BaseModel)):
        return None
    answer.model_rebuild()  # its types may be named before they are made
    lists = {
        field.alias or name: TypeAdapter(typing.get_args(field.annotation)[0])
        for name, field in answer.model_fields.items()
        if typing.get_origin(field.annotation) is tuple and typing.get_args(field.annotation)[1:] == (...,)
    }
    return Pieces(lists) if lists else None
