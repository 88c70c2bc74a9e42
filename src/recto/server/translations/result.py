"""The space with a translation: creating it, and updating it from its source without losing edits.

Its pages have the ids of the source's pages, so that links between them lead to their translations. What a run has
written is kept as a revision, from which the next run and what people have written since are merged.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final

from recto.contract.import_report import Finding
from recto.contract.spaces import SPACE_TITLE_LENGTH
from recto.frozen import frozen
from recto.server.content import keys, open_conflicts
from recto.server.content.change_requests import advance, create_change_request, find_change_request
from recto.server.content.content_merge import Labels, MergeConflict, Merged, merge_contents
from recto.server.content.imported_tree import carry_keys
from recto.server.content.main_content import set_main
from recto.server.content.merges import pull
from recto.server.content.objects import PendingObjects, save_texts, text_hash
from recto.server.content.revisions import (
    SOURCE,
    Content,
    StoredRevision,
    content_of,
    create_revision,
    get_revision,
    main_revision,
)
from recto.server.content.tree import ROOT, DraftNode, Node, Tree, TreeDraft, canonical, digest, make_node, root_node
from recto.server.context import Context
from recto.server.spaces.spaces import UNTITLED, add_space
from recto.server.storage.database import Row

NAMES: Final = ("title", "link_title", "description")
"""The attributes of pages that are translated."""

_LIKE_SOURCE: Final = ("icon", "default_level", "visibility")
_LABELS: Final = Labels("new translation", "main content")
_SUBJECT: Final = 100


@frozen
class Text:
    """A page or a reusable content of the source: its attributes of :data:`NAMES`, and the hash of its Markdown."""

    id: str
    names: Mapping[str, str]
    markdown: str | None
    is_page: bool = True

    @property
    def title(self) -> str:
        """The title in the source, or the word for none."""
        return self.names.get("title", UNTITLED)

    @property
    def digest(self) -> str:
        """A digest that changes with the Markdown and the attributes."""
        return digest(canonical([self.markdown, *self.names.items()]).encode())


@frozen
class Translated:
    """What a page or a reusable content says in the other language: its attributes, and its Markdown."""

    names: Mapping[str, str]
    markdown: str


def find_texts(content: Content) -> Iterator[Text]:
    """Yield the pages and the reusable contents of a source."""
    for page in content.root.walk():
        yield Text(
            page.id, {name: str(page.attributes[name]) for name in NAMES if page.attributes.get(name)}, page.text
        )
    for each in _reusable(content).values():
        yield Text(each["id"], {"title": str(each["title"])}, each["text"], is_page=False)


def _reusable(content: Content) -> dict[str, Mapping[str, Any]]:
    """Return the reusable contents by their ids."""
    return {each["id"]: each for each in content.extras.get("reusableContents", ())}


def add_result(context: Context, source: Row, language: str) -> str:
    """Make the space for a translation, beside its source and for the same people, and return its id.

    It has no revision yet: :func:`begin_result` makes it.
    """
    ending = f" ({language})"
    title = f"{(source['title'] or UNTITLED)[: SPACE_TITLE_LENGTH - len(ending)]}{ending}"
    space = add_space(
        context,
        source["organization"],
        title,
        parent=source["parent"],
        emoji=source["emoji"],
        language=language,
        begin=False,
    )
    context.database.update("spaces", space, **{name: source[name] for name in _LIKE_SOURCE})
    return space


def begin_result(context: Context, space: str, content: Content) -> StoredRevision:
    """Return a space that was just made its first revision."""
    revision = create_revision(context, space, "edits", (), content)
    set_main(context, revision)
    return revision


def write_content(
    context: Context, source: StoredRevision, space: str, before: Content | None, translated: Mapping[str, Translated]
) -> Content:
    """Return the content of a translation, its texts stored.

    Pages are where they are in the source and look as they do there; their words are those ``translated`` now, or else
    those of the content ``before``. A page that neither has is left out, unless there are pages under it, and a
    reusable content that neither has, which pages include, is as in the source.
    """
    found = content_of(context.database, source)
    writer = _Writer(source.space, space, before, translated, context.stamp())
    root = root_node(writer.nodes(found.root))
    extras = {name: value for name, value in found.extras.items() if name != SOURCE}
    if "reusableContents" in extras:
        extras["reusableContents"] = [writer.content(each) for each in extras["reusableContents"]]
    save_texts(context.database, writer.texts)
    return Content(root, found.files, extras)


class _Writer:
    """Writes the pages of a translation from those of its source."""

    def __init__(
        self, source: str, space: str, before: Content | None, translated: Mapping[str, Translated], now: str
    ) -> None:
        self._source = source
        self._space = space
        before = before or Content(root_node())
        self._pages = Tree(before.root)
        self._contents = _reusable(before)
        self._translated = translated
        self._now = now
        self.texts: dict[str, str] = {}

    def nodes(self, above: Node) -> tuple[Node, ...]:
        """Return the translations of the pages under a page of the source."""
        return tuple(node for node in map(self._node, above.children) if node is not None)

    def _node(self, page: Node) -> Node | None:
        children = self.nodes(page)
        before, translated = self._pages.get(page.id), self._translated.get(page.id)
        if translated is not None:
            names, text = translated.names, self._put(translated.markdown) if translated.markdown else None
        elif before is not None:
            names, text = {name: before.attributes[name] for name in NAMES if name in before.attributes}, before.text
        elif children:
            names, text = {name: page.attributes[name] for name in NAMES if name in page.attributes}, None
        else:
            return None
        others = {name: self._lead_here(value) for name, value in page.attributes.items() if name not in NAMES}
        created = before.created if before is not None else self._now
        node = make_node(page.id, page.type, {**others, **names}, text, created, self._now, children)
        if before is None or translated is not None or not before.has_same_content(node):
            return node
        return make_node(page.id, page.type, node.attributes, text, created, before.updated, children)

    def content(self, content: Mapping[str, Any]) -> dict[str, Any]:
        """Return the translation of a reusable content of the source."""
        before, translated = self._contents.get(content["id"]), self._translated.get(content["id"])
        if translated is not None:
            return {**content, **translated.names, "text": self._put(translated.markdown)}
        return {**content, **({name: before[name] for name in ("title", "text")} if before is not None else {})}

    def _put(self, text: str) -> str:
        text = text.replace(f"/spaces/{self._source}", f"/spaces/{self._space}")
        name = text_hash(text)
        self.texts[name] = text
        return name

    def _lead_here(self, value: Any) -> Any:
        """Return an attribute in which references to the source's space lead to that of the translation."""
        if isinstance(value, dict):
            return {
                name: self._space if (name, each) == ("space", self._source) else self._lead_here(each)
                for name, each in value.items()
            }
        return [self._lead_here(each) for each in value] if isinstance(value, list) else value


@frozen
class Followed:
    """Result of a run in a space: its main content, the written content, and the change request, if any."""

    main: StoredRevision
    translated: StoredRevision
    change_request: str | None
    waiting: frozenset[str] = frozenset()
    """The ids of the pages and reusable contents in conflict, which the change request holds."""
    findings: tuple[Finding, ...] = ()


def follow(
    context: Context,
    base: StoredRevision,
    content: Content,
    subject: str,
    change_request: str | None,
    rejected: Iterable[tuple[Text, str]],
) -> Followed:
    """Merge a new translation into its space; ``base`` is the revision with what the last run wrote.

    What a person has changed since stays. Where both changed the same, the main content keeps the person's words, and a
    change request holds the conflict: the given one while it is open, or else a new one. Texts whose change request was
    ``rejected`` come with the id of a revision of their own as their base.
    """
    connection = context.database
    before = main_revision(connection, base.space)
    written, present = content_of(connection, base), content_of(connection, before)
    for text, revision in rejected:
        earlier = content_of(connection, get_revision(connection, revision))
        written = _revert(written, earlier, [(text.id, "text" if text.is_page else "reusableContents")])

    def merge(ours: Content) -> Merged:
        return merge_contents(connection, written, ours, present, now=context.stamp(), labels=_LABELS)

    merged = kept = merge(content)
    if merged.conflicts:
        kept = merge(_revert(content, written, _places(merged.conflicts)))
    main = before
    if not kept.conflicts:
        main = _set_main(context, before, kept)
    translated = main
    if not _is_same(content, content_of(connection, main)):
        translated = base
        if not _is_same(content, written):
            translated = create_revision(context, base.space, "computed", (base.id,), content)
    if not merged.conflicts:
        return Followed(main, translated, change_request)
    row = _open_change_request(context, main, subject, change_request)
    _store(context, merged)
    _add_contradictions(context, row, main, merged)
    pages = list(dict.fromkeys(each.title for each in merged.conflicts))
    finding = Finding(
        f"Change request #{row['number']} holds the new translation of what was edited here since the last run:",
        tuple(pages),
    )
    return Followed(main, translated, row["id"], frozenset(each.page for each in merged.conflicts), (finding,))


def _set_main(context: Context, before: StoredRevision, merged: Merged) -> StoredRevision:
    """Make merged content the main content; the revision before stays where it holds the same."""
    was = content_of(context.database, before)
    if _is_same(merged.content, was):
        return before
    _store(context, merged)
    carry_keys(context, before.space, was.root, merged.content.root)
    revision = create_revision(context, before.space, "edits", (before.id,), merged.content)
    set_main(context, revision)
    return revision


def _store(context: Context, merged: Merged) -> None:
    """Store the texts that were merged, and what their blocks are known by."""
    pending = PendingObjects(context.database)
    for text in merged.texts.values():
        pending.put_text(text)
    for page, (before, other, name) in merged.rewritten.items():
        keys.carry_later(pending, page, (before, other), name)
    pending.store(context.database)


def _open_change_request(context: Context, main: StoredRevision, subject: str, known: str | None) -> Row:
    """Return the row of the change request for contradictions, brought up to the main content."""
    connection = context.database
    row = connection.one("SELECT id, status FROM change_requests WHERE id = ? AND space = ?", known, main.space)
    if row is not None and row["status"] in ("draft", "open"):
        pull(context, find_change_request(connection, main.space, row["id"]))
        return find_change_request(connection, main.space, row["id"])
    made = create_change_request(context, main.space, subject[:_SUBJECT])
    connection.update("change_requests", made, status="open")
    return find_change_request(connection, main.space, made)


def _add_contradictions(context: Context, row: Row, main: StoredRevision, merged: Merged) -> None:
    """Add what could not be merged to a change request that is up to the main content; it replaces what was in it."""
    connection = context.database
    ours = get_revision(connection, row["revision"])
    present = content_of(connection, main)
    again = _places(merged.conflicts)
    cleared = _revert(content_of(connection, ours), present, again)
    added = merge_contents(connection, present, merged.content, cleared, now=context.stamp(), labels=_LABELS)
    _store(context, added)
    revision = advance(context, row, "update", list(dict.fromkeys((ours.id, main.id))), added.content)
    left = [
        each for each in open_conflicts.find_open_conflicts(connection, ours.id) if (each.page, each.field) not in again
    ]
    new = [each for each in (*added.conflicts, *merged.conflicts) if each.field not in open_conflicts.BESIDE_PAGES]
    open_conflicts.record(connection, revision.id, (*left, *new))


def _places(found: Iterable[MergeConflict]) -> frozenset[tuple[str, str]]:
    """Return the pages and fields in conflict."""
    return frozenset((each.page, each.field) for each in found)


def _revert(content: Content, to: Content, places: Iterable[tuple[str, str]]) -> Content:
    """Return content with these pages, and what these fields hold beside pages, as in the content it was made from."""
    draft, was = TreeDraft(Tree(content.root)), Tree(to.root)
    files = {entry["id"]: entry for entry in content.files}
    extras = dict(content.extras)
    variables = dict(extras.get("variables", {}))
    reusable = _reusable(content)
    others = {
        "file": (files, {entry["id"]: entry for entry in to.files}),
        "variables": (variables, to.extras.get("variables", {})),
        "reusableContents": (reusable, _reusable(to)),
    }
    for id, field in places:
        if field in others:
            items, before = others[field]
            items.pop(id, None)
            if id in before:
                items[id] = before[id]
        else:
            _revert_page(draft, was, id)
    if variables:
        extras["variables"] = variables
    if reusable:
        extras["reusableContents"] = list(reusable.values())
    return Content(draft.freeze(), list(files.values()), extras)


def _revert_page(draft: TreeDraft, was: Tree, page: str) -> None:
    """Restore a page and its place; a page that was not there is removed, and a deleted page returns."""
    place = was.places.get(page)
    if place is None:
        if page in draft and not draft.children(page):
            draft.remove(page)
        return
    node, parent = place.node, place.parent
    if parent != ROOT and parent not in draft:
        _revert_page(draft, was, parent)
    if page not in draft:
        entry = DraftNode(page, node.type, dict(node.attributes), node.text, node.created, node.updated, parent)
        draft.insert(entry)
        return
    entry = draft[page]
    entry.type, entry.attributes, entry.text = node.type, dict(node.attributes), node.text
    entry.created, entry.updated, entry.clean = node.created, node.updated, node
    if entry.parent != parent and not draft.is_under(parent, page):
        draft.move(page, parent)


def _is_same(some: Content, other: Content) -> bool:
    return (some.root.hash, list(some.files), dict(some.extras)) == (
        other.root.hash,
        list(other.files),
        dict(other.extras),
    )
