"""The page tree of a revision: immutable nodes named by their hash, and a draft in which to change them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from hashlib import blake2b
from typing import Any, Final

from recto.document.markdown.outline import slugify
from recto.frozen import frozen, record

ROOT = ""
"""The id of the node that holds the pages at the top."""

# Bookkeeping attributes; pages that differ only in these have the same content.
BOOKKEEPING = frozenset({"git"})


def digest(content: bytes) -> str:
    """Return the name under which content is stored: 40 hexadecimal digits."""
    return blake2b(content, digest_size=20).hexdigest()


_CANONICAL = json.JSONEncoder(ensure_ascii=False, separators=(",", ":"), sort_keys=True)


def canonical(value: object) -> str:
    """Return a value as canonical JSON, which is hashed."""
    return _CANONICAL.encode(value)


@record
class Node:
    """A page and the pages under it; ``text`` is the hash of its Markdown, ``created`` and ``updated`` are instants."""

    # Freezing it at run time, too, would make it four times slower to create, and trees have thousands.
    hash: Final[str]
    id: Final[str]
    type: Final[str]
    attributes: Final[Mapping[str, Any]]
    text: Final[str | None]
    created: Final[str]
    updated: Final[str]
    children: Final[tuple[Node, ...]]

    @property
    def title(self) -> str:
        """The page's title."""
        return str(self.attributes.get("title", ""))

    @property
    def link_title(self) -> str:
        """The page's name in the page tree: its title, unless the tree sets another."""
        return str(self.attributes.get("link_title") or self.title)

    @property
    def slug(self) -> str:
        """The page's part of its path."""
        return str(self.attributes.get("slug", ""))

    def walk(self) -> Iterator[Node]:
        """Yield the pages below, each before its children."""
        stack = list(reversed(self.children))
        while stack:
            node = stack.pop()
            yield node
            stack.extend(reversed(node.children))

    def has_same_content(self, other: Node) -> bool:
        """Whether the page itself, without those under it, is what a person would call the same as the other."""
        return self is other or (
            self.type == other.type
            and self.text == other.text
            and (
                self.attributes == other.attributes
                or set_attributes(self.attributes) == set_attributes(other.attributes)
            )
        )


def set_attributes(attributes: Mapping[str, Any]) -> dict[str, Any]:
    """Return the attributes that a person set, without bookkeeping."""
    return {name: value for name, value in attributes.items() if name not in BOOKKEEPING}


def node_body(node: Node) -> str:
    """Return the stored and hashed form of a node: itself and the hashes of its children."""
    return _body(node.id, node.type, node.attributes, node.text, node.created, node.updated, node.children)


def _body(
    page: str,
    kind: str,
    attributes: Mapping[str, Any],
    text: str | None,
    created: str,
    updated: str,
    children: tuple[Node, ...],
) -> str:
    head = canonical([page, kind, attributes, text, created, updated, []])
    if not children:
        return head
    # A hash is written as it is, and a page may have thousands of them.
    hashes = '","'.join([child.hash for child in children])
    return f'{head[:-2]}"{hashes}"]]'


def make_node(
    page: str,
    kind: str,
    attributes: Mapping[str, Any],
    text: str | None,
    created: str,
    updated: str,
    children: tuple[Node, ...] = (),
) -> Node:
    """Return a node with its hash."""
    body = _body(page, kind, attributes, text, created, updated, children)
    return Node(digest(body.encode()), page, kind, attributes, text, created, updated, children)


def root_node(children: tuple[Node, ...] = ()) -> Node:
    """Return the root over these pages."""
    return make_node(ROOT, "root", {}, None, "", "", children)


@frozen
class Place:
    """Where a page is: itself, the page above it (the root has the id ``""``), and its path of slugs."""

    node: Node
    parent: str
    path: str


class Tree:
    """A page tree with a look-up by page id and by path.

    ``like`` is a tree from which this tree was made: its look-ups are reused where the pages stand as they did.
    """

    def __init__(self, root: Node, like: Tree | None = None) -> None:
        self.root = root
        if like is not None and "places" in vars(like) and (changed := _changed_in_place(like.root, root)) is not None:
            known = like.places
            self.places = known | {
                page: Place(node, known[page].parent, known[page].path) for page, node in changed.items()
            }
            self.size = like.size
            if "paths" in vars(like):
                self.paths = like.paths
            if all("computed" not in (known[page].node.type, node.type) for page, node in changed.items()):
                self.computed = like.computed

    @cached_property
    def size(self) -> int:
        """The number of pages."""
        count, above = 0, [self.root]
        while above:
            children = above.pop().children
            count += len(children)
            above += [child for child in children if child.children]
        return count

    @cached_property
    def places(self) -> dict[str, Place]:
        """Each page's place by its id, in the order of the tree."""
        found: dict[str, Place] = {}
        stack = [(child, ROOT, "") for child in reversed(self.root.children)]
        while stack:
            node, parent, above = stack.pop()
            path = f"{above}/{node.slug}" if above else node.slug
            found[node.id] = Place(node, parent, path)
            stack.extend((child, node.id, path) for child in reversed(node.children))
        return found

    @cached_property
    def paths(self) -> dict[str, str]:
        """Each page's id by its path; of pages with the same path the first counts."""
        found: dict[str, str] = {}
        for page, place in self.places.items():
            found.setdefault(place.path, page)
        return found

    @cached_property
    def computed(self) -> tuple[Node, ...]:
        """The computed pages, in the order of the tree."""
        return tuple(node for node in self.root.walk() if node.type == "computed")

    def get(self, page: str) -> Node | None:
        """Return a page, or ``None`` where the tree has none of that id."""
        place = self.places.get(page)
        return place.node if place else None

    def path(self, page: str) -> str:
        """Return the path of a page of the tree."""
        return self.places[page].path


def _changed_in_place(before: Node, after: Node) -> dict[str, Node] | None:
    """Return the pages that differ by id; ``None`` where not every page has its place and its path as before."""
    changed: dict[str, Node] = {}
    waiting = [(before, after)]
    while waiting:
        old, new = waiting.pop()
        differing = _differing_children(old, new)
        if differing is None or any(one.slug != other.slug for one, other in differing):
            return None
        changed.update((other.id, other) for _, other in differing)
        waiting.extend(differing)
    return changed


def changed_children(before: Node | None, after: Node) -> Sequence[tuple[Node | None, Node]]:
    """Return the pages directly under a node that are not the very ones from before, each with what it was."""
    differing = _differing_children(before, after) if before is not None else None
    if differing is not None:
        return differing
    known = {child.id: child for child in before.children} if before is not None else {}
    return [(old, child) for child in after.children if (old := known.get(child.id)) is not child]


def _differing_children(before: Node, after: Node) -> list[tuple[Node, Node]] | None:
    """Return the pages directly under two nodes that differ, in pairs; ``None`` where they are not the same pages."""
    if same_nodes(before.children, after.children):
        return []
    if len(before.children) != len(after.children):
        return None
    differing = [(old, new) for old, new in zip(before.children, after.children, strict=True) if old is not new]
    return differing if all(old.id == new.id for old, new in differing) else None


@record
class DraftNode:
    """A page in a draft, open to change; ``clean`` is the node it came from as long as it still says that."""

    id: str
    type: str
    attributes: dict[str, Any]
    text: str | None
    created: str
    updated: str
    parent: str
    children: list[str] = field(default_factory=list)
    clean: Node | None = None


class TreeDraft:
    """A page tree being changed, at the cost of what changes. Nothing of it is seen until ``freeze``.

    ``entries`` holds the pages that were looked at, the root among them.
    """

    def __init__(self, tree: Tree) -> None:
        self._tree = tree
        self._gone: set[str] = set()
        self._count = len(tree.places)
        self.entries: dict[str, DraftNode] = {ROOT: self._entry(tree.root, ROOT)}

    @staticmethod
    def _entry(node: Node, parent: str) -> DraftNode:
        children = [child.id for child in node.children]
        return DraftNode(
            node.id, node.type, dict(node.attributes), node.text, node.created, node.updated, parent, children, node
        )

    def __contains__(self, page: str) -> bool:
        return page != ROOT and (page in self.entries or (page in self._tree.places and page not in self._gone))

    def __getitem__(self, page: str) -> DraftNode:
        entry = self.entries.get(page)
        if entry is None:
            place = self._tree.places[page]
            entry = self.entries[page] = self._entry(place.node, place.parent)
        return entry

    def __len__(self) -> int:
        return self._count

    def children(self, parent: str) -> list[str]:
        """Return the ids of a page's children, or those at the root."""
        return self[parent].children

    def siblings(self, parent: str) -> list[DraftNode]:
        """Return a page's children, or those at the root."""
        return [self[child] for child in self.children(parent)]

    def slugs(self, parent: str, but: str = "") -> set[str]:
        """Return the slugs of a page's children, or those at the root, without that of the page ``but``."""
        return {self._slug(child) for child in self.children(parent) if child != but}

    def _slug(self, page: str) -> str:
        entry = self.entries.get(page)
        return self._tree.places[page].node.slug if entry is None else str(entry.attributes.get("slug", ""))

    def insert(self, entry: DraftNode, at: int | None = None) -> None:
        """Insert a page under its ``parent``, at an index among its siblings or last."""
        self.entries[entry.id] = entry
        self._count += 1
        self._attach(entry, at)

    def move(self, page: str, parent: str, at: int | None = None) -> None:
        """Move a page under another, or to the root; ``at`` counts the siblings it will have."""
        entry = self[page]
        self.children(entry.parent).remove(page)
        entry.parent = parent
        self._attach(entry, at)

    def _attach(self, entry: DraftNode, at: int | None) -> None:
        children = self.children(entry.parent)
        children.insert(len(children) if at is None else min(at, len(children)), entry.id)

    def remove(self, page: str) -> list[str]:
        """Remove a page with all pages under it; return their ids."""
        self.children(self[page].parent).remove(page)
        gone, waiting = [], [page]
        while waiting:
            entry = self[waiting.pop()]
            del self.entries[entry.id]
            gone.append(entry.id)
            waiting.extend(entry.children)
        self._gone.update(gone)
        self._count -= len(gone)
        return gone

    def is_under(self, page: str, above: str) -> bool:
        """Whether a page is another one or lies somewhere under it."""
        while page != ROOT:
            if page == above:
                return True
            page = self[page].parent
        return above == ROOT

    def level(self, page: str) -> int:
        """Return how deep a page lies: 1 at the top, 0 for the root itself."""
        level = 0
        while page != ROOT:
            level += 1
            page = self[page].parent
        return level

    def height(self, page: str) -> int:
        """Return how many levels a page has with those under it, itself included."""
        levels, under = 0, [page]
        while under:
            levels += 1
            under = [child for each in under for child in self.children(each)]
        return levels

    def path(self, page: str) -> str:
        """Return the path of a page of the draft."""
        slugs = []
        while page != ROOT:
            entry = self[page]
            slugs.append(str(entry.attributes.get("slug", "")))
            page = entry.parent
        return "/".join(reversed(slugs))

    def touch(self, page: str, at: str) -> None:
        """Update the time of the page's last change if it has changed."""
        entry = self[page]
        clean = entry.clean
        if clean and (clean.type, clean.text, clean.attributes) == (entry.type, entry.text, entry.attributes):
            return
        entry.clean = None
        entry.updated = at

    def freeze(self) -> Node:
        """Return the draft as a root node; what did not change is the very node it was."""
        concerned: set[str] = set()
        for page in self.entries:
            while page not in concerned:
                concerned.add(page)
                page = self._parent(page)
        return self._freeze(ROOT, concerned)

    def _parent(self, page: str) -> str:
        entry = self.entries.get(page)
        return self._tree.places[page].parent if entry is None else entry.parent

    def _freeze(self, page: str, concerned: set[str]) -> Node:
        """Return a page that was looked at or has such a page under it."""
        places = self._tree.places
        entry = self[page]
        children = tuple(
            [self._freeze(child, concerned) if child in concerned else places[child].node for child in entry.children]
        )
        clean = entry.clean
        if clean is not None and same_nodes(children, clean.children):
            return clean
        return make_node(entry.id, entry.type, entry.attributes, entry.text, entry.created, entry.updated, children)


def with_pages(node: Node, changed: Mapping[str, DraftNode]) -> Node:
    """Return a node in which the pages that are in ``changed`` say what stands there, each in its place."""
    children = tuple(
        [with_pages(child, changed) if child.children or child.id in changed else child for child in node.children]
    )
    entry = changed.get(node.id)
    kept = node if entry is None else entry.clean or entry
    if isinstance(kept, Node) and same_nodes(children, kept.children):
        return kept
    return make_node(kept.id, kept.type, kept.attributes, kept.text, kept.created, kept.updated, children)


def same_nodes(some: tuple[Node, ...], others: tuple[Node, ...]) -> bool:
    """Whether two lists of nodes are the very same nodes in the same order."""
    return some == others  # nodes are equal to themselves alone


@frozen
class Differences:
    """What differs between two trees.

    ``pages`` holds by page id the page before and after, ``None`` where it is not there: pages that say something
    else, that were made or removed, and that stand under another page, even where they say the same. ``orders`` holds
    the ids of a page's children before and after, where they differ.
    """

    pages: dict[str, tuple[Node | None, Node | None]]
    orders: list[tuple[list[str], list[str]]]


def differences(before: Node, after: Node, *, with_bookkeeping: bool = False) -> Differences:
    """Compare two trees. Equal subtrees are passed over unseen, so that the cost is that of what changed.

    ``with_bookkeeping`` counts pages as different, too, that differ in nothing else.
    """
    gone: dict[str, Node] = {}
    come: dict[str, Node] = {}
    pages: dict[str, tuple[Node | None, Node | None]] = {}
    orders: list[tuple[list[str], list[str]]] = []
    waiting = [(before, after)]
    while waiting:
        old, new = waiting.pop()
        if old.hash == new.hash:
            continue
        if not old.has_same_content(new) or (with_bookkeeping and old.attributes != new.attributes):
            pages[old.id] = (old, new)
        differing = _differing_children(old, new)
        if differing is not None:
            waiting.extend(differing)
            continue
        left, right = {child.id: child for child in old.children}, {child.id: child for child in new.children}
        if list(left) != list(right):
            orders.append((list(left), list(right)))
        for page, child in left.items():
            if page in right:
                if child is not right[page]:
                    waiting.append((child, right[page]))
            else:
                gone.update({each.id: each for each in (child, *child.walk())})
        for page, child in right.items():
            if page not in left:
                come.update({each.id: each for each in (child, *child.walk())})
    for page, child in gone.items():
        pages[page] = (child, come.get(page))
    for page, child in come.items():
        pages.setdefault(page, (None, child))
    return Differences(pages, orders)


def slug_for(title: str) -> str:
    """Return a title as a part of a path of at most 100 characters."""
    return slugify(title)[:100].strip("-") or "page"


def free_slug(slug: str, taken: set[str], tried: dict[str, int] | None = None) -> str:
    """Return the slug, with a number after it where a sibling already has it.

    ``tried`` holds the next number to try, for callers that need many slugs.
    """
    if slug not in taken:
        return slug
    tried = {} if tried is None else tried
    for number in range(tried.get(slug, 1), len(taken) + 2):
        free = f"{slug[:95]}-{number}"
        if free not in taken:
            break
    tried[slug] = number
    return free
