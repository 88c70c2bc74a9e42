"""Pages that are computed from the newest version of an OpenAPI specification.

A page of the type ``computed`` declares them: it names a specification of the organization among its dependencies.
Below it stands a page for each tag, in the order of the specification, with a block for each operation. They are made
when content is read and stored with no revision, so that they follow the versions of the specification.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from recto.contract.content import specification_in
from recto.frozen import frozen
from recto.server.content.objects import Remembered
from recto.server.content.revisions import Revision, tree_of
from recto.server.content.tree import Node, Tree, digest, free_slug, make_node, slug_for
from recto.server.context import Context

if TYPE_CHECKING:
    from recto.server.specifications.sections import Sections

_ID_LENGTH = 20


@frozen
class Computed:
    """A page tree with its computed pages, and the Markdown of those by their ids."""

    tree: Tree
    texts: Mapping[str, str]


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
    if not named:
        return Computed(tree, {})
    from recto.server.specifications.sections import find_sections

    specifications = find_sections(context, revision.space, named)
    if not specifications:
        return Computed(tree, {})
    versions = tuple((name, found.slug, found.version) for name, found in specifications.items())
    return _computed.get_or_make((revision.root, versions), lambda: _Computing(specifications).tree(tree))


class _Computing:
    """Makes the pages of a tree from the specifications that it names."""

    def __init__(self, specifications: Mapping[str, Sections]) -> None:
        self._specifications = specifications
        self._texts: dict[str, str] = {}

    def tree(self, tree: Tree) -> Computed:
        """Return the tree with all of them."""
        return Computed(Tree(self._node(tree.root)), self._texts)

    def _node(self, node: Node) -> Node:
        children = tuple(
            self._node(child) if child.children or child.type == "computed" else child for child in node.children
        )
        if (name := specification_of(node)) in self._specifications:
            children = (*self._pages(node, name), *children)
        return replace(node, children=children)

    def _pages(self, node: Node, name: str) -> Iterator[Node]:
        specification = self._specifications[name]
        if introduction := specification.introduction:
            self._texts[node.id] = f"{introduction}\n"
        declared = node.attributes["computed"]
        props = declared.get("props")
        with_schemas = isinstance(props, Mapping) and props.get("models") is True
        taken = {child.slug for child in node.children}
        for section in specification.read(with_schemas=with_schemas):
            page = digest(f"{node.id} {section.name}".encode())[:_ID_LENGTH]
            taken.add(page_slug := free_slug(slug_for(section.title), taken))
            attributes = {
                "title": section.title,
                "slug": page_slug,
                "computed": {part: declared[part] for part in ("type", "dependencies") if part in declared},
                "computed_seed": f"{specification.version} {section.name}",
            }
            self._texts[page] = section.text
            yield make_node(page, "computed", attributes, None, specification.created_at, specification.created_at)
