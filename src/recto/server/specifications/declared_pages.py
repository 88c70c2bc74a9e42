"""The pages that a version of a specification declares: for each tag, and for its schemas."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from html import escape
from typing import Any, Final

from recto.document.markdown.outline import operation_anchor
from recto.document.openapi.api_model import Entry
from recto.document.openapi.description import LONGEST_DESCRIPTION, Description
from recto.document.openapi.source import list_of, mapping_of, text_of, word_of
from recto.frozen import frozen
from recto.server.content import search
from recto.server.content.objects import Remembered
from recto.server.specifications.stored_specifications import (
    get_version,
    read_values,
    specification_of_space,
    version_at,
)
from recto.server.storage.database import Connection, Row

MOST_SECTIONS: Final = 500
"""The most tags that have a page each; the operations of later tags stand together on one more."""

_INTRODUCTION = "introduction"
_UNTAGGED = "Operations"
_LATER = "More operations"
_SCHEMAS = "Models"


@frozen
class Words:
    """Words of a page for the search: its text, and the names of its operations and fields."""

    text: str
    sections: Sequence[search.TextSection]


@frozen
class DeclaredPage:
    """A page to be made: ``name`` tells it from the others of its specification, whatever its title.

    ``listed`` is what the search finds beside the operations in ``entries``: the introduction, or names of schemas.
    """

    name: str
    title: str
    text: str
    listed: str = ""
    entries: Sequence[Entry] = ()

    def words(self, description: Description) -> Words:
        """Return the words of the page, and a section for each operation; their fields take long to gather."""
        text, sections = f"{self.listed}\n", search.cut(self.listed)
        parts, start = [text], len(text)
        for entry in self.entries:
            call = f"{entry.method.upper()} {entry.path}"
            fields = " ".join(description.field_names(entry))
            part = "\n".join(filter(None, (call, entry.id, entry.description, fields, " ")))
            anchor = operation_anchor(entry.method, entry.path)
            sections.append(
                search.TextSection(anchor, " ".join((entry.summary or call).split()), start, start + len(part))
            )
            parts.append(part)
            start += len(part)
        return Words("".join(parts), sections)


_read: Remembered[tuple[DeclaredPage, ...]] = Remembered(
    64 * 1024 * 1024, lambda sections: sum(2 * len(each.text) + len(each.listed) for each in sections)
)


@frozen
class DeclaredPages:
    """A version of a specification, whose sections are read when they are asked for.

    ``name`` is its slug or id as a page names it; ``version`` is the row that :func:`version_at` returns.
    """

    name: str
    specification: Row
    version: Row
    connection: Connection

    @property
    def slug(self) -> str:
        """The slug of the specification."""
        return str(self.specification["slug"])

    def read(self, *, with_schemas: bool) -> tuple[DeclaredPage, ...]:
        """Return the introduction, a section for each tag that has operations, and last the section of the schemas."""

        def make() -> tuple[DeclaredPage, ...]:
            return tuple(_sections(self._values(), self.slug, with_schemas=with_schemas))

        return _read.get_or_make((self.version["digest"], self.slug, with_schemas), make)

    def describe(self) -> Description:
        """Return the version as a description, which names the fields of operations."""
        return Description(self._values())

    def _values(self) -> Mapping[str, Any]:
        return mapping_of(read_values(get_version(self.connection, self.specification, self.version["id"])))


def find_sections(
    connection: Connection, space: str, names: Sequence[str], moment: str | None
) -> tuple[DeclaredPages, ...]:
    """Return the specifications of a space's organization that have these ids or slugs, and have a version.

    The version is the newest, or the version that was the newest at ``moment``.
    """
    found = []
    for name in names:
        specification = specification_of_space(connection, space, name)
        version = version_at(connection, specification["id"], moment) if specification is not None else None
        if specification is not None and version is not None:
            found.append(DeclaredPages(name, specification, version, connection))
    return tuple(found)


def _sections(values: Mapping[str, Any], slug: str, *, with_schemas: bool) -> Iterator[DeclaredPage]:
    introduction = text_of(mapping_of(values.get("info")).get("description"), LONGEST_DESCRIPTION)
    text = f"{introduction}\n" if introduction else ""
    yield DeclaredPage(_INTRODUCTION, "", text, introduction)
    description = Description(values)
    about = {word_of(tag.get("name")): tag for tag in map(mapping_of, list_of(values.get("tags")))}
    groups: dict[str, list[Entry]] = {}
    for entry in description.outline():
        groups.setdefault(entry.group, []).append(entry)
    names = list(groups)
    for name in names[:MOST_SECTIONS]:
        introduction = text_of(mapping_of(about.get(name)).get("description"), LONGEST_DESCRIPTION)
        title = " ".join(name.split()) or _UNTAGGED
        yield DeclaredPage(f"tag {name}", title, _text(introduction, groups[name], slug), introduction, groups[name])
    if later := [entry for name in names[MOST_SECTIONS:] for entry in groups[name]]:
        yield DeclaredPage("later tags", _LATER, _text("", later, slug), entries=later)
    schemas = description.schema_names() if with_schemas else ()
    if schemas:
        blocks = (_block("openapi-schemas", spec=slug, schemas=schema) for schema in schemas)
        yield DeclaredPage("schemas", _SCHEMAS, "\n".join(blocks), "\n".join(schemas))


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
