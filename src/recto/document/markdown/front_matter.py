"""The YAML between ``---`` lines at the top of a page, which sets the page's attributes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from types import ModuleType
from typing import Any

from recto.frozen import frozen
from recto.pattern import pattern

LONGEST = 64 * 1024

_FENCED = pattern(r"\A---[ \t]*\n(?P<yaml>(?:.*\n)*?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")


@frozen
class FrontMatter:
    """The front matter of a page.

    ``source`` is all of it with its fences, empty where the page has none; ``problem`` says in a sentence why it could
    not be read, in which case ``values`` is empty.
    """

    source: str = ""
    values: Mapping[str, Any] = field(default_factory=dict)
    problem: str | None = None

    @property
    def lines(self) -> int:
        """How many lines of the page it takes."""
        return self.source.count("\n")


def split_front_matter(text: str) -> tuple[FrontMatter, str]:
    """Split a page into its front matter and the text below it; together they are the page again.

    Text between dividers that is not YAML of names and values is text.
    """
    match = _FENCED.match(text) if text.startswith("---") else None
    if match is None:
        return FrontMatter(), text
    values, problem = _read(match["yaml"])
    if values is None:
        return FrontMatter(), text
    return FrontMatter(match[0], values, problem), text[match.end() :]


def _read(source: str) -> tuple[dict[str, Any] | None, str | None]:
    if len(source) > LONGEST:
        return {}, f"The front matter is longer than {LONGEST // 1024} KB."
    if not source.strip():
        return {}, None
    yaml = _yaml()
    try:
        values = yaml.read_yaml(source, aliases=False)
    except yaml.YamlError as error:
        line = f" (line {error.line + 1})" if error.line else ""
        return {}, f"The front matter is not valid YAML: {error.problem}{line}."
    if values is None:
        return {}, None
    return (values, None) if isinstance(values, dict) else (None, None)


def _yaml() -> ModuleType:
    """Import the reader of YAML, which few pages need."""
    from recto.document import yaml_text

    return yaml_text
