"""The pages that a specification declares, in its newest version: for each tag, and for its schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from html import escape
from typing import Any, Final

from recto.document.openapi.description import Description
from recto.document.openapi.model import Entry
from recto.document.openapi.source import list_of, mapping_of, text_of, word_of
from recto.frozen import frozen
from recto.server.context import Context
from recto.server.specifications.rows import LATEST, get_version, read_values, specification_of_space
from recto.server.storage.database import Row

MOST_SECTIONS: Final = 500
"""The most tags that have a page each; the operations of later tags stand together on one more."""

_UNTAGGED = "Operations"
_LATER = "More operations"
_SCHEMAS = "Models"
_LONGEST_DESCRIPTION = 20_000


@frozen
class Section:
    """A page to be made: ``name`` tells it from the others of its specification, whatever its title."""

    name: str
    title: str
    text: str


@dataclass(frozen=True)
class Sections:
    """The sections of a specification, read when they are asked for; ``version`` is the id of its newest version."""

    slug: str
    version: str
    _context: Context
    _row: Row

    @cached_property
    def _stored(self) -> Row:
        return get_version(self._context, self._row, LATEST)

    @cached_property
    def _values(self) -> Mapping[str, Any]:
        return mapping_of(read_values(self._stored))

    @property
    def created_at(self) -> str:
        """The instant at which the version was stored."""
        return str(self._stored["created_at"])

    @property
    def introduction(self) -> str:
        """What the specification says of itself, as Markdown; empty where it says nothing."""
        return text_of(mapping_of(self._values.get("info")).get("description"), _LONGEST_DESCRIPTION)

    def read(self, *, with_schemas: bool) -> Iterator[Section]:
        """Yield a section for each tag that has operations, and one for the schemas last."""
        description = Description(self._values)
        about = {word_of(tag.get("name")): tag for tag in map(mapping_of, list_of(self._values.get("tags")))}
        groups: dict[str, list[Entry]] = {}
        for entry in description.outline():
            groups.setdefault(entry.group, []).append(entry)
        names = list(groups)
        for name in names[:MOST_SECTIONS]:
            introduction = text_of(mapping_of(about.get(name)).get("description"), _LONGEST_DESCRIPTION)
            title = " ".join(name.split()) or _UNTAGGED
            yield Section(f"tag {name}", title, _text(introduction, groups[name], self.slug))
        if later := [entry for name in names[MOST_SECTIONS:] for entry in groups[name]]:
            yield Section("later tags", _LATER, _text("", later, self.slug))
        schemas = description.schema_names() if with_schemas else ()
        if schemas:
            blocks = (_block("openapi-schemas", spec=self.slug, schemas=schema) for schema in schemas)
            yield Section("schemas", _SCHEMAS, "\n".join(blocks))


def find_sections(context: Context, space: str, names: Sequence[str]) -> Mapping[str, Sections]:
    """Return the sections by the id or slug of their specification; without those that have no version."""
    rows = {name: specification_of_space(context, space, name) for name in names}
    return {
        name: Sections(row["slug"], row["last_version"], context, row)
        for name, row in rows.items()
        if row is not None and row["last_version"] is not None
    }


def _text(introduction: str, entries: Sequence[Entry], slug: str) -> str:
    blocks = (
        _block("openapi-webhook", spec=slug, name=entry.path, method=entry.method)
        if entry.is_webhook
        else _block("openapi-operation", spec=slug, path=entry.path, method=entry.method)
        for entry in entries
    )
    return "\n".join((*((f"{introduction}\n",) if introduction else ()), *blocks))


def _block(tag: str, **attributes: str) -> str:
    written = " ".join(f'{name}="{_quote(value)}"' for name, value in attributes.items())
    return f"{{% {tag} {written} %}}\n{{% end{tag} %}}\n"


def _quote(value: str) -> str:
    return escape(" ".join(value.split()).replace("\\", "\\\\"))
