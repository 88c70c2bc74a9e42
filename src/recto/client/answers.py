"""Turning the bytes of an answer into what the operation says it answers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from types import NoneType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast, runtime_checkable

from pydantic import TypeAdapter, ValidationError

from recto.client.errors import BadAnswer
from recto.client.outside import one_line
from recto.client.pieces import Pieces, pieces_of
from recto.client.unreadable import read_without
from recto.collector import collector_paused
from recto.contract.model import ELSE, READING

if TYPE_CHECKING:
    from recto.contract.operation import Operation

R = TypeVar("R")


@runtime_checkable
class Telling(Protocol):
    """A transport that tells how large answers begin, too."""

    async def send_telling(
        self, operation: Operation[Any, R], arguments: Mapping[str, Any], tell: Callable[[R], None]
    ) -> R:
        """Send the operation, and tell the beginning of its answer where that is there before the rest."""
        ...


LARGE = 128 * 1024
"""From this many bytes on an answer is parsed in a thread, piece by piece and with the garbage collector paused."""

_building = threading.Lock()


class Answers:
    """Parses answers; keeps one validator for each operation, built when its first answer comes."""

    def __init__(self) -> None:
        self._adapters: dict[Operation[Any, Any], TypeAdapter[Any]] = {}
        self._pieces: dict[Operation[Any, Any], Pieces | None] = {}

    async def parse(
        self, operation: Operation[Any, R], what: str, content: bytes, tell: Callable[[R], None] | None = None
    ) -> R:
        """Return the answer that ``content`` holds, or raise :class:`BadAnswer`.

        The beginning of a large one is told as soon as it is parsed, where it makes sense by itself.
        """
        if operation.answer is NoneType:
            return cast("R", None)
        if len(content) >= LARGE:
            return await self._parse_large(operation, what, content, tell)
        if operation not in self._adapters:
            # Building a validator takes far longer than using it.
            await asyncio.to_thread(self._adapter, operation)
        return self._validated(operation, what, content)

    async def _parse_large(
        self, operation: Operation[Any, R], what: str, content: bytes, tell: Callable[[R], None] | None
    ) -> R:
        steps = self._steps(operation, content, begins=tell is not None)

        def step() -> tuple[R, bool]:
            with collector_paused(kept=True):
                try:
                    return next(steps)
                except ValidationError as error:
                    return self._without_unreadable(operation, what, content, error), True

        while True:
            answer, is_whole = await asyncio.to_thread(step)
            if is_whole:
                return answer
            if tell is not None:
                tell(answer)

    def _steps(self, operation: Operation[Any, R], content: bytes, *, begins: bool) -> Iterator[tuple[R, bool]]:
        adapter = self._adapter(operation)
        with _building:
            if operation not in self._pieces:
                self._pieces[operation] = pieces_of(operation.answer)
        pieces = self._pieces[operation]
        if pieces is None:
            yield adapter.validate_json(content, context=READING), True
        elif begins:
            yield from pieces.read(adapter, content)
        else:
            yield pieces.validate(adapter, content), True

    def _validated(self, operation: Operation[Any, R], what: str, content: bytes) -> R:
        try:
            return cast("R", self._adapter(operation).validate_json(content or b"null", context=READING))
        except ValidationError as error:
            return self._without_unreadable(operation, what, content, error)

    def _without_unreadable(self, operation: Operation[Any, R], what: str, content: bytes, error: ValidationError) -> R:
        """Read the answer without the list items that cannot be read; :class:`BadAnswer` where that does not help."""
        try:
            return cast("R", read_without(self._adapter(operation), content, error))
        except ValidationError:
            # The cause is left out: its text quotes the answer.
            raise BadAnswer(what, _misfit(error, content), may_have_arrived=not operation.reads) from None

    def _adapter(self, operation: Operation[Any, Any]) -> TypeAdapter[Any]:
        with _building:
            adapter = self._adapters.get(operation)
            if adapter is None:
                adapter = TypeAdapter(operation.answer)
                adapter.rebuild()
                self._adapters[operation] = adapter
        return adapter


def _misfit(error: ValidationError, content: bytes) -> str:
    """Say in a sentence how an answer misses what was declared."""
    if not content.strip():
        return "The server's answer is empty."
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        if content.lstrip()[:1] == b"<":
            return "The server answered with a web page, not with data."
        return "The server's answer is not JSON, or was cut short."
    place = one_line(".".join(str(part) for part in first["loc"] if part != ELSE), 80)
    return f"The server's answer is not what the API describes: {one_line(first['msg'], 120)}" + (
        f" (at {place})." if place else "."
    )
