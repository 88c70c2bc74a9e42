"""Replacing the whole main content of a space at once, as an import, a template or the guide does."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import field
from functools import cached_property
from typing import Any

from recto.checkpoints import checkpoint
from recto.contract.content import Variable
from recto.frozen import frozen
from recto.server.content import keys
from recto.server.content.attributes import Attributes, put, put_front_matter
from recto.server.content.main_content import set_main
from recto.server.content.objects import PendingObjects, load_manifest, save_texts, text_hash
from recto.server.content.revisions import (
    MAX_FILES,
    MAX_PAGES,
    Content,
    FileEntry,
    StoredRevision,
    content_of,
    create_revision,
    main_revision,
    tree_of,
)
from recto.server.content.tree import BOOKKEEPING, Node, Tree, differences, free_slug, make_node, root_node, slug_for
from recto.server.context import Context
from recto.server.http.problems import BadRequest, Conflict


@frozen
class ImportedPage:
    """A page to import. ``id`` is its present id, where it is the same page as before.

    ``type`` is ``document``, ``group``, ``link`` or ``computed``; ``text`` is the Markdown below the title and
    without front matter. ``front_matter`` is as it stands in a file: what names an attribute sets it, the rest is
    kept. ``attributes`` are set as they are, after it, by the names that pages have in the contract, in Python's
    spelling: ``cover``, ``target``, ``variables``, ``git`` and so on, with the values as on the wire. A page that
    ``is_unread`` keeps its old text and attributes; a page that ``is_as_before`` keeps all but its name in the tree.
    """

    id: str
    title: str
    slug: str = ""
    type: str = "document"
    text: str = ""
    front_matter: Mapping[str, Any] = field(default_factory=dict)
    attributes: Mapping[str, Any] = field(default_factory=dict)
    children: Sequence[ImportedPage] = ()
    is_unread: bool = False
    is_as_before: bool = False
    known_hash: str | None = None

    @property
    def text_hash(self) -> str | None:
        """The hash under which its text is stored; ``None`` where it has none."""
        return self.known_hash or (text_hash(self.text) if self.text else None)

    @cached_property
    def all_attributes(self) -> Attributes:
        """What the page sets, but for its slug."""
        found: Attributes = {"title": self.title}
        put_front_matter(found, {key: value for key, value in self.front_matter.items() if key != "title"})
        for name, value in self.attributes.items():
            put(found, name, value)
        return found

    def walk(self) -> Iterator[ImportedPage]:
        """Yield the page and all under it, each before those under it."""
        yield self
        for child in self.children:
            yield from child.walk()


@frozen
class ImportedTree:
    """The new content of a space. ``reusable_contents`` have ``id``, ``title``, ``text`` and perhaps ``path``.

    A file's bytes are stored beforehand with ``objects.save_blob``; see ``revisions.FileEntry``. ``others`` is kept as
    it is beside them, under names of its own.
    """

    pages: Sequence[ImportedPage]
    files: Sequence[FileEntry] = ()
    variables: Mapping[str, Variable] = field(default_factory=dict)
    reusable_contents: Sequence[Mapping[str, Any]] = ()
    others: Mapping[str, Any] = field(default_factory=dict)

    def walk(self) -> Iterator[ImportedPage]:
        """Yield all pages."""
        for page in self.pages:
            yield from page.walk()


def import_tree(context: Context, space: str, imported: ImportedTree) -> StoredRevision:
    """Make a tree of pages the main content of a space, as a new revision, and return it.

    Unchanged pages are shared with the revision before; where all are, that revision is returned.
    Raises :class:`Conflict` where the space is locked.
    """
    connection = context.database
    _refuse_locked(context, space)
    before = main_revision(connection, space)
    content = store_content(context, imported, before)
    if content is None:
        return before
    revision = create_revision(context, space, "edits", (before.id,), content)
    checkpoint("import.before-main")
    set_main(context, revision)
    checkpoint("import.after-main")
    return revision


def append_pages(context: Context, space: str, added: ImportedTree) -> StoredRevision:
    """Put pages, and what belongs to them, after those of the main content of a space, as a new revision.

    Raises :class:`Conflict` where the space is locked, :class:`BadRequest` where it would hold too much.
    """
    _refuse_locked(context, space)
    before = main_revision(context.database, space)
    content = append_content(context, before, added)
    revision = create_revision(context, space, "edits", (before.id,), content)
    set_main(context, revision)
    return revision


def append_content(context: Context, before: StoredRevision, added: ImportedTree) -> Content:
    """Return the content of a revision with pages after its own, their texts stored.

    A variable that is there keeps its value. Raises :class:`BadRequest` where it would hold too many pages or files.
    """
    connection = context.database
    known, there = tree_of(connection, before), content_of(connection, before)
    _refuse_crowd(len(known.places) + sum(1 for _ in added.walk()), MAX_PAGES, "pages")
    _refuse_crowd(len(there.files) + len(added.files), MAX_FILES, "files")
    texts: dict[str, str] = {}
    taken = {node.slug for node in known.root.children}
    new = _Builder(known, context.stamp(), texts).siblings(added.pages, taken)
    save_texts(connection, texts)
    extras = dict(there.extras)
    if added.variables:
        extras["variables"] = {**added.variables, **extras.get("variables", {})}
    return Content(root_node((*known.root.children, *new)), [*there.files, *added.files], extras)


def _refuse_crowd(count: int, most: int, kind: str) -> None:
    if count > most:
        raise BadRequest(
            f"The space would have {count:,} {kind}, and a space can have at most {most:,}. "
            "Add fewer, or add them to another space."
        )


def _refuse_locked(context: Context, space: str) -> None:
    if context.database.value("SELECT edit_mode FROM spaces WHERE id = ?", space) == "locked":
        raise Conflict("The space is locked: its main content changes through change requests alone.")


def store_content(context: Context, imported: ImportedTree, before: StoredRevision) -> Content | None:
    """Return a tree of pages as content that comes after a revision, its texts stored; ``None`` where all is as it was.

    Unchanged pages are shared with the revision.
    """
    connection = context.database
    known = tree_of(connection, before)
    texts: dict[str, str] = {}
    root = _Builder(known, context.stamp(), texts).root(imported.pages)
    content = Content(root, list(imported.files), _extras(imported, texts))
    if root is known.root and _same_beside(context, before, content):
        return None
    checkpoint("import.before-texts")
    save_texts(connection, texts)
    carry_keys(context, before.space, known.root, root)
    return content


def _same_beside(context: Context, before: StoredRevision, content: Content) -> bool:
    files: list[FileEntry] = load_manifest(context.database, before.files)
    extras: dict[str, Any] = load_manifest(context.database, before.extras)
    return files == [dict(entry) for entry in content.files] and extras == dict(content.extras)


def _extras(imported: ImportedTree, texts: dict[str, str]) -> dict[str, Any]:
    extras: dict[str, Any] = dict(imported.others)
    if imported.variables:
        extras["variables"] = dict(imported.variables)
    if imported.reusable_contents:
        extras["reusableContents"] = [_reusable(each, texts) for each in imported.reusable_contents]
    return extras


def _reusable(content: Mapping[str, Any], texts: dict[str, str]) -> dict[str, Any]:
    name = text_hash(str(content["text"]))
    texts[name] = str(content["text"])
    return {**content, "text": name}


def carry_keys(context: Context, space: str, before: Node, after: Node) -> None:
    """Keep the keys of blocks on pages with a new text; the indexer works them out."""
    pending, connection = PendingObjects(context.database), context.database
    pages = [
        (old, new) for old, new in differences(before, after).pages.values() if old and new and old.text != new.text
    ]
    for old, new in pages:
        keys.carry_later(pending, new.id, (old.text,), new.text)
    pending.store(connection)
    if pages:
        queue = [("keys", space, f"{new.id} {new.text}") for _, new in pages if new.text]
        connection.execute_many("INSERT OR IGNORE INTO index_queue VALUES (?, ?, ?)", queue)
        connection.left_over = True


class _Builder:
    """Builds nodes from imported pages; an unchanged page keeps its node, or at least its times."""

    def __init__(self, known: Tree, now: str, texts: dict[str, str]) -> None:
        self._known = known
        self._now = now
        self._texts = texts

    def root(self, pages: Sequence[ImportedPage]) -> Node:
        """Return the root over the pages; the very root there was where nothing differs."""
        built = root_node(self.siblings(pages))
        return self._known.root if built.hash == self._known.root.hash else built

    def siblings(self, pages: Sequence[ImportedPage], there: Collection[str] = ()) -> tuple[Node, ...]:
        """Return the nodes of pages that lie beside each other, and beside others with the slugs that are ``there``."""
        taken = set(there)
        tried: dict[str, int] = {}
        nodes = []
        for page in pages:
            slug = free_slug(page.slug or slug_for(page.title), taken, tried)
            taken.add(slug)
            nodes.append(self._node(page, slug))
        return tuple(nodes)

    def _node(self, page: ImportedPage, slug: str) -> Node:
        attributes: Attributes = {**page.all_attributes, "slug": slug}
        text = page.text_hash
        before = self._known.get(page.id)
        if page.is_unread and before is not None:
            attributes, text = {**before.attributes, "slug": slug}, before.text
        elif page.is_as_before and before is not None:
            named: Attributes = {
                name: attributes[name] for name in ("title", "link_title", "git") if name in attributes
            }
            kept = {name: value for name, value in before.attributes.items() if name != "link_title"}
            attributes, text = {**kept, **named, "slug": slug}, before.text
        elif text is not None and (before is None or before.text != text):
            self._texts[text] = page.text
        children = self.siblings(page.children)
        node = make_node(page.id, page.type, attributes, text, self._now, self._now, children)
        if before is None:
            return node
        if not before.has_same_content(node):
            return make_node(page.id, page.type, attributes, text, before.created, self._now, children)
        kept = {name: attributes[name] for name in BOOKKEEPING if name in attributes}
        if kept == {name: before.attributes[name] for name in BOOKKEEPING if name in before.attributes}:
            attributes = dict(before.attributes)
        return make_node(page.id, page.type, attributes, text, before.created, before.updated, children)
