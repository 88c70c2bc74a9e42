"""Pages that are computed from a version of an OpenAPI specification.

A page of the type ``computed`` declares them: it names a specification of the organization among its dependencies.
Below it stands a page for each tag, in the order of the specification, with a block for each operation. They are made
when content is read and stored with no revision: main content and change requests follow the newest version, and a past
revision has the version that was the newest when it was made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from recto.contract.content import specification_in
from recto.frozen import frozen
from recto.server.content.objects import Remembered
from recto.server.content.revisions import StoredRevision, tree_of
from recto.server.content.tree import Node, Tree, digest, free_slug, make_node, slug_for
from recto.server.storage.database import Connection

if TYPE_CHECKING:
    from recto.server.specifications.declared_pages import DeclaredPage, DeclaredPages, Words

_ID_LENGTH = 20

Versions = tuple[tuple[str, str, str, str], ...]
"""Specifications that pages are computed from: as the tree names them, their slugs, ids and digests of versions."""


@frozen
class Computed:
    """A page tree with its computed pages, and the Markdown of those by their ids.

    ``declared`` are the specification by which the tree declares each of them, and what it says there.
    """

    tree: Tree
    texts: Mapping[str, str]
    declared: Mapping[str, tuple[str, DeclaredPage]]


_computed: Remembered[Computed] = Remembered(
    64 * 1024 * 1024, lambda found: 1_000 * found.tree.size + sum(map(len, found.texts.values()))
)


def specification_of(node: Node) -> str:
    """Return the id or slug of the specification that pages are computed from; empty for other pages."""
    computed = node.attributes.get("computed") if node.type == "computed" else None
    return specification_in(computed.get("dependencies")) if isinstance(computed, Mapping) else ""


def declared_specifications(connection: Connection, revision: StoredRevision) -> tuple[str, ...]:
    """Return the ids and slugs of the specifications from which a revision has pages computed, in order."""
    return tuple(dict.fromkeys(filter(None, map(specification_of, tree_of(connection, revision).computed))))


def versions_of(connection: Connection, revision: StoredRevision) -> Versions:
    """Return the versions that the pages of a revision are computed from now."""
    return _name(_find_specifications(connection, revision, None))


def compute_pages(connection: Connection, revision: StoredRevision, moment: str | None = None) -> Computed:
    """Return the page tree of a revision with the pages that its specifications have now, or had at a moment."""
    tree = tree_of(connection, revision)
    found = _find_specifications(connection, revision, moment)
    if not found:
        return Computed(tree, {}, {})
    return _computed.get_or_make((revision.root, _name(found)), lambda: _Computing(found).tree(tree))


def words_of(
    connection: Connection, revision: StoredRevision, computed: Computed, pages: Iterable[str]
) -> dict[str, Words]:
    """Return the words by which the search finds those of some pages that are computed now."""
    declared = {page: computed.declared[page] for page in pages if page in computed.declared}
    if not declared:
        return {}
    names = {name for name, _ in declared.values()}
    descriptions = {
        found.name: found.describe()
        for found in _find_specifications(connection, revision, None)
        if found.name in names
    }
    return {page: section.words(descriptions[name]) for page, (name, section) in declared.items()}


def _find_specifications(
    connection: Connection, revision: StoredRevision, moment: str | None
) -> Sequence[DeclaredPages]:
    named = declared_specifications(connection, revision)
    if not named:
        return ()
    from recto.server.specifications.declared_pages import find_sections

    return find_sections(connection, revision.space, named, moment)


def _name(specifications: Sequence[DeclaredPages]) -> Versions:
    return tuple((found.name, found.slug, found.version["id"], found.version["digest"]) for found in specifications)


class _Computing:
    """Makes the pages of a tree from the specifications that it names."""

    def __init__(self, specifications: Sequence[DeclaredPages]) -> None:
        self._specifications = {found.name: found for found in specifications}
        self._texts: dict[str, str] = {}
        self._declared: dict[str, tuple[str, DeclaredPage]] = {}

    def tree(self, tree: Tree) -> Computed:
        """Return the tree with all of them."""
        return Computed(Tree(self._node(tree.root)), self._texts, self._declared)

    def _node(self, node: Node) -> Node:
        children = tuple(
            self._node(child) if child.children or child.type == "computed" else child for child in node.children
        )
        if (name := specification_of(node)) in self._specifications:
            children = (*self._pages(node, name), *children)
        return replace(node, children=children)

    def _pages(self, node: Node, name: str) -> Iterator[Node]:
        specification = self._specifications[name]
        version = specification.version
        declared = node.attributes["computed"]
        props = declared.get("props")
        with_schemas = isinstance(props, Mapping) and props.get("models") is True
        introduction, *sections = specification.read(with_schemas=with_schemas)
        if introduction.text:
            self._texts[node.id], self._declared[node.id] = introduction.text, (name, introduction)
        taken = {child.slug for child in node.children}
        for section in sections:
            page = digest(f"{node.id} {section.name}".encode())[:_ID_LENGTH]
            taken.add(page_slug := free_slug(slug_for(section.title), taken))
            attributes = {
                "title": section.title,
                "slug": page_slug,
                "computed": {part: declared[part] for part in ("type", "dependencies") if part in declared},
                "computed_seed": f"{version['id']} {section.name}",
            }
            self._texts[page], self._declared[page] = section.text, (name, section)
            yield make_node(page, "computed", attributes, None, version["created_at"], version["created_at"])
