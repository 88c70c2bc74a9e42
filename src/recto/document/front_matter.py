"""The YAML between ``---`` lines at the top of a page, which sets the page's attributes."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from typing import Any

LONGEST = 64 * 1024

_FENCED = re.compile(r"\A---[ \t]*\n(?P<yaml>(?:.*\n)*?)(?:---|\.\.\.)[ \t]*(?:\n|\Z)")


@dataclass(frozen=True, slots=True)
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


def write_front_matter(values: Mapping[str, Any]) -> str:
    """Return front matter that holds these values, in their order; nothing for none."""
    import yaml

    if not values:
        return ""
    dumped: str = yaml.safe_dump(dict(values), sort_keys=False, allow_unicode=True, width=2**31)
    return f"---\n{dumped}---\n"


def _read(source: str) -> tuple[dict[str, Any] | None, str | None]:
    import yaml

    if len(source) > LONGEST:
        return {}, f"The front matter is longer than {LONGEST // 1024} KB."
    if not source.strip():
        return {}, None
    try:
        values = yaml.load(source, _loader())
    except yaml.MarkedYAMLError as error:
        line = f" (line {error.problem_mark.line + 2})" if error.problem_mark else ""
        return {}, f"The front matter is not valid YAML: {error.problem or 'it cannot be read'}{line}."
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        return (
            {},
            f"The front matter is not valid YAML: {str(error).partition(chr(10))[0] or 'it is nested too deeply'}.",
        )
    if values is None:
        return {}, None
    return ({str(name): value for name, value in values.items()}, None) if isinstance(values, dict) else (None, None)


@cache
def _loader() -> Any:
    """Return a safe YAML loader that leaves dates as they are written and refuses aliases.

    A few aliases of aliases can stand for more text than any machine holds.
    """
    import yaml

    class Loader(yaml.SafeLoader):
        def compose_node(self, parent: Any, index: Any) -> Any:
            if self.check_event(yaml.AliasEvent):
                raise yaml.composer.ComposerError(None, None, "aliases are not allowed", None)
            return super().compose_node(parent, index)

    Loader.yaml_implicit_resolvers = {
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }
    return Loader
