"""Pages that are computed from the newest version of an OpenAPI specification.

A page of the type ``computed`` declares them: it names a specification of the organization among its dependencies.
Below it stands a page for each tag, in the order of the specification, with a block for each operation. They are made
when content is read and stored with no revision, so that they follow the versions of the specification.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from html import escape
from typing import Any, Final

from recto.contract.content import specification_in
from recto.document.openapi.description import Description
from recto.document.openapi.model import Entry
from recto.document.openapi.source import list_of, mapping_of, text_of, word_of
from recto.frozen import frozen
from recto.server.content.objects import Remembered
from recto.server.content.revisions import Revision, tree_of
from recto.server.content.tree import Node, Tree, digest, free_slug, make_node, slug_for
from recto.server.context import Context
from recto.server.specifications.rows import get_version, read_values, specification_of_space
from recto.server.storage.database import Row

MOST_SECTIONS: Final = 500
"""The most tags that have a page each; the operations of later tags stand together on one more."""

_UNTAGGED = "Operations"
_LATER = "More operations"
_SCHEMAS = "Models"
_LONGEST_DESCRIPTION = 20_000
_ID_LENGTH = 20


@frozen
class Computed:
    """A page tree with its computed pages, and the Markdown of those by their ids."""

    tree: Tree
    texts: Mapping[str, str]


@frozen
class _Section:
    """A page to be made: ``name`` tells it from the others of its specification, whatever its title."""

    name: str
    title: str
    text: str


_declared: Remembered[tuple[str, ...]] = Remembered(1_000)
_computed: Remembered[Computed] = Remembered(
    64 * 1024 * 1024, lambda found: 1_000 * found.tree.size + sum(map(len, found.texts.values()))
)


def specification_of(node: Node) -> str:
    """Return the id or slug of the specification that pages are computed from; empty for other pages."""
    computed = node.attributes.get("computed") if node.type == "computed" else None
    return specification_in(computed.get("dependencies")) if isinstance(computed, Mapping) else ""


def compute_pages(context: Context, revision: Revision) -> Computed:
    """Return the page tree of a revision with the pages that its specifications have now."""
    tree = tree_of(context.database, revision)
    named = _declared.get_or_make(
        revision.root, lambda: tuple(dict.fromkeys(filter(None, map(specification_of, tree.root.walk()))))
    )
    found = {name: row for name in named if (row := specification_of_space(context, revision.space, name)) is not None}
    processed = {name: row for name, row in found.items() if row["last_version"] is not None}
    if not processed:
        return Computed(tree, {})
    versions = tuple((name, row["slug"], row["last_version"]) for name, row in processed.items())
    return _computed.get_or_make((revision.root, versions), lambda: _Computing(context, processed).tree(tree))


class _Computing:
    """Makes the pages of a tree from the specifications that it names."""

    def __init__(self, context: Context, specifications: Mapping[str, Row]) -> None:
        self._versions = {
            name: (row["slug"], get_version(context, row, row["last_version"])) for name, row in specifications.items()
        }
        self._values: dict[str, Mapping[str, Any]] = {}
        self._texts: dict[str, str] = {}

    def tree(self, tree: Tree) -> Computed:
        """Return the tree with all of them."""
        return Computed(Tree(self._node(tree.root)), self._texts)

    def _node(self, node: Node) -> Node:
        children = tuple(
            self._node(child) if child.children or child.type == "computed" else child for child in node.children
        )
        if (name := specification_of(node)) in self._versions:
            children = (*self._pages(node, name), *children)
        return replace(node, children=children)

    def _pages(self, node: Node, name: str) -> Iterator[Node]:
        slug, version = self._versions[name]
        values = self._values.setdefault(name, mapping_of(read_values(version)))
        if introduction := text_of(mapping_of(values.get("info")).get("description"), _LONGEST_DESCRIPTION):
            self._texts[node.id] = f"{introduction}\n"
        declared = node.attributes["computed"]
        taken = {child.slug for child in node.children}
        for section in _sections(values, slug, with_schemas=mapping_of(declared.get("props")).get("models") is True):
            page = digest(f"{node.id} {section.name}".encode())[:_ID_LENGTH]
            taken.add(page_slug := free_slug(slug_for(section.title), taken))
            attributes = {
                "title": section.title,
                "slug": page_slug,
                "computed": {part: declared[part] for part in ("type", "dependencies") if part in declared},
                "computed_seed": f"{version['id']} {section.name}",
            }
            self._texts[page] = section.text
            yield make_node(page, "computed", attributes, None, version["created_at"], version["created_at"])


def _sections(values: Mapping[str, Any], slug: str, *, with_schemas: bool) -> Iterator[_Section]:
    """Yield the pages of a specification: one for each tag that has operations, and the schemas last."""
    description = Description(values)
    about = {word_of(tag.get("name")): tag for tag in map(mapping_of, list_of(values.get("tags")))}
    groups: dict[str, list[Entry]] = {}
    for entry in description.outline():
        groups.setdefault(entry.group, []).append(entry)
    names = list(groups)
    for name in names[:MOST_SECTIONS]:
        introduction = text_of(mapping_of(about.get(name)).get("description"), _LONGEST_DESCRIPTION)
        yield _Section(f"tag {name}", " ".join(name.split()) or _UNTAGGED, _text(introduction, groups[name], slug))
    if later := [entry for name in names[MOST_SECTIONS:] for entry in groups[name]]:
        yield _Section("later tags", _LATER, _text("", later, slug))
    schemas = description.schema_names() if with_schemas else ()
    if schemas:
        blocks = (_block("openapi-schemas", spec=slug, schemas=schema) for schema in schemas)
        yield _Section("schemas", _SCHEMAS, "\n".join(blocks))


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
