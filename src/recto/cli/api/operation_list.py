"""Lists operations for people: by resource, each with its path and what it does."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable, Iterator

from recto.contract.describe import path_of, summary_of
from recto.contract.operation import Route

DEPRECATED = "deprecated"

_METHOD = 8
_WORD = re.compile(r"(?<=[a-z])(?=[A-Z])")


def list_lines(routes: Iterable[Route], width: int | None = None) -> Iterator[str]:
    """Yield the lines of a list, wrapped at ``width`` columns (``None``: never)."""
    resource: type | None = None
    for route in routes:
        if route.resource is not resource:
            if resource is not None:
                yield ""
            resource = route.resource
            yield _WORD.sub(" ", resource.__name__).capitalize()
        method = f"  {route.method:<{_METHOD - 1}} "
        indent = " " * len(method)
        for at, part in enumerate(_break_path(path_of(route), width and width - len(method))):
            yield f"{indent if at else method}{part}"
        does = summary_of(route) + _mark(route)
        yield from (f"{indent}{part}" for part in wrap(does, width and width - len(method)))


def find_operations(routes: Iterable[Route], word: str) -> list[Route]:
    """Return the operations that have a word in their method, path, summary or mark."""
    wanted = word.casefold()
    return [
        each
        for each in routes
        if wanted == each.method.casefold() or wanted in f"{path_of(each)} {summary_of(each)}{_mark(each)}".casefold()
    ]


def _mark(route: Route) -> str:
    return f" ({DEPRECATED})" if route.deprecated else ""


def wrap(text: str, width: int | None) -> list[str]:
    """Wrap a text at ``width`` columns (``None``: never)."""
    return textwrap.wrap(text, max(20, width)) if width is not None else [text]


def _break_path(path: str, width: int | None) -> Iterator[str]:
    """Yield a path in pieces of at most so many columns, each but the first beginning with a slash."""
    piece = ""
    for segment in path.split("/")[1:]:
        if piece and width is not None and len(piece) + 1 + len(segment) > width:
            yield piece
            piece = ""
        piece += f"/{segment}"
    yield piece
