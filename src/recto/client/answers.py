"""Turning the bytes of an answer into what the operation says it answers."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable, Iterator, Mapping
from types import NoneType
from typing import TYPE_CHECKING, Any, Protocol, TypeVar, cast, runtime_checkable

from recto.client.errors import BadAnswer
from recto.client.outside import one_line
from recto.client.pieces import Pieces, pieces_of
from recto.collector import collector_paused

if TYPE_CHECKING:
    from pydantic import TypeAdapter, ValidationError

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
        steps = self._steps(operation, what, content, begins=tell is not None)

        def step() -> tuple[R, bool]:
            with collector_paused(kept=True):
                return cast("tuple[R, bool]", _checked(operation, what, content, lambda: next(steps)))

        while True:
            answer, is_whole = await asyncio.to_thread(step)
            if is_whole:
                return answer
            if tell is not None:
                tell(answer)

    def _steps(
        self, operation: Operation[Any, R], what: str, content: bytes, *, begins: bool
    ) -> Iterator[tuple[R, bool]]:
        adapter = self._adapter(operation)
        with _building:
            if operation not in self._pieces:
                self._pieces[operation] = pieces_of(operation.answer)
        pieces = self._pieces[operation]
        if pieces is None:
            yield self._validated(operation, what, content), True
        elif begins:
            yield from pieces.read(adapter, content)
        else:
            yield pieces.validate(adapter, content), True

    def _validated(self, operation: Operation[Any, R], what: str, content: bytes) -> R:
        adapter = self._adapter(operation)
        return cast("R", _checked(operation, what, content, lambda: adapter.validate_json(content or b"null")))

    def _adapter(self, operation: Operation[Any, Any]) -> TypeAdapter[Any]:
        from pydantic import TypeAdapter

        with _building:
            adapter = self._adapters.get(operation)
            if adapter is None:
                adapter = TypeAdapter(operation.answer)
                adapter.rebuild()
                self._adapters[operation] = adapter
        return adapter


def _checked(operation: Operation[Any, Any], what: str, content: bytes, validate: Callable[[], Any]) -> Any:
    from pydantic import ValidationError

    try:
        return validate()
    except ValidationError as error:
        # The cause is left out: its text quotes the answer.
        raise BadAnswer(what, _misfit(error, content), may_have_arrived=not operation.reads) from None


def _misfit(error: ValidationError, content: bytes) -> str:
    """Say in a sentence how an answer misses what was declared."""
    if not content.strip():
        return "The server's answer is empty."
    first = error.errors(include_url=False, include_context=False, include_input=False)[0]
    if first["type"] == "json_invalid":
        if content.lstrip()[:1] == b"<":
            return "The server answered with a web page, not with data."
        return "The server's answer is not JSON, or was cut short."
    from recto.contract.model import ELSE

    place = one_line(".".join(str(part) for part in first["loc"] if part != ELSE), 80)
    return f"The server's answer is not what the API describes: {one_line(first['msg'], 120)}" + (
        f" (at {place})." if place else "."
    )
