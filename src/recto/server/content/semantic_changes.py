"""Changes between two revisions, as people describe them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from itertools import chain, islice
from typing import Any, Literal

from recto.contract.changes import (
    BeforeAfter,
    ChangedFile,
    ChangedPage,
    ChangedReusableContent,
    Changes,
    FileChanged,
    PageCreatedOrDeleted,
    PageEdited,
    PageMoved,
    ReusableContentChanged,
    SemanticChange,
    VariablesEdited,
)
from recto.contract.model import json_name
from recto.document.merge.page_tree import find_moved
from recto.server.content.files import serialize_file
from recto.server.content.revisions import Content, FileEntry, StoredRevision, content_of, tree_of
from recto.server.content.tree import Node, Place, Tree, differences, root_node, set_attributes
from recto.server.context import Context
from recto.server.serializers import known_fields

_Build = Callable[[], SemanticChange]
"""Serializes a change; few of thousands are asked for."""


def changes_between(context: Context, before: StoredRevision | None, after: StoredRevision, limit: int) -> Changes:
    """Return what changed, up to ``limit`` changes, in the order of the pages, removed pages last.

    Where there is no revision before, everything is new.
    """
    connection = context.database
    old_tree = tree_of(connection, before) if before else Tree(root_node())
    old = content_of(connection, before) if before else Content(old_tree.root)
    new = content_of(connection, after)
    found = chain(
        _pages(old_tree, tree_of(connection, after)),
        _files(context, after.space, old, new),
        _extras(old.extras, new.extras),
    )
    shown = tuple(build() for build in islice(found, limit))
    left_out = sum(1 for _ in found)
    return Changes(changes=shown, more=left_out) if left_out else Changes(changes=shown)


def _pages(before: Tree, after: Tree) -> Iterator[_Build]:
    """Yield what happened to pages; where only the order of siblings changed, the parent of a move is the same."""
    compared = differences(before.root, after.root)
    reordered = {page for old, new in compared.orders for page in find_moved(old, new)}
    concerned = compared.pages.keys() | reordered
    for page, place in after.places.items():
        if page not in concerned:
            continue
        was = before.places.get(page)
        if was is None:
            yield partial(_serialize_presence, "page_created", place.node, place.path)
            continue
        if not was.node.has_same_content(place.node):
            yield partial(_page_edited, was.node, place)
        if was.parent != place.parent or page in reordered:
            yield partial(_page_moved, was, place)
    for page, (old, new) in compared.pages.items():
        if old is not None and new is None:
            yield partial(_serialize_presence, "page_deleted", old, before.path(page))


def _serialize_presence(kind: Literal["page_created", "page_deleted"], node: Node, path: str) -> SemanticChange:
    return PageCreatedOrDeleted(type=kind, page=_serialize_page(node, path))


def _page_edited(before: Node, after: Place) -> SemanticChange:
    return PageEdited(page=_serialize_page(after.node, after.path), attributes=_attributes(before, after.node))


def _page_moved(before: Place, after: Place) -> SemanticChange:
    parent = BeforeAfter(before=before.parent or None, after=after.parent or None)
    return PageMoved(page=_serialize_page(after.node, after.path), parent=parent)


def _serialize_page(node: Node, path: str) -> ChangedPage:
    return ChangedPage(id=node.id, type=node.type, title=node.title, path=path)


def _attributes(before: Node, after: Node) -> dict[str, BeforeAfter]:
    found: dict[str, BeforeAfter] = {}
    if before.text != after.text:
        found["document"] = BeforeAfter(before=before.text, after=after.text)
    old, new = set_attributes(before.attributes), set_attributes(after.attributes)
    for name in dict.fromkeys([*new, *old]):
        if old.get(name) != new.get(name):
            found[json_name(name)] = BeforeAfter(before=old.get(name), after=new.get(name))
    if before.type != after.type:
        found["type"] = BeforeAfter(before=before.type, after=after.type)
    return found


def _files(context: Context, space: str, before: Content, after: Content) -> Iterator[_Build]:
    old, new = ({str(entry["id"]): entry for entry in side.files} for side in (before, after))
    for file, entry in new.items():
        if file not in old:
            yield partial(_file_changed, context, space, "file_created", entry)
        elif _differs(old[file], entry):
            yield partial(_file_changed, context, space, "file_edited", entry, old[file])
    for file, entry in old.items():
        if file not in new:
            yield partial(_file_changed, context, space, "file_deleted", entry)


def _file_changed(
    context: Context, space: str, kind: Any, entry: FileEntry, before: FileEntry | None = None
) -> SemanticChange:
    attributes = known_fields(attributes=_compare_attributes(before, entry) if before is not None else None)
    return FileChanged(type=kind, file=_serialize_file(context, space, entry), **attributes)


def _serialize_file(context: Context, space: str, entry: FileEntry) -> ChangedFile:
    file = serialize_file(context, space, entry, git=False)
    return ChangedFile(id=file.id, name=file.name, content_type=file.content_type, download_url=file.download_url)


def _differs(before: Mapping[str, Any], after: Mapping[str, Any]) -> bool:
    """Whether a file or a reusable content changed; an import of the same content is no change."""
    return before is not after and any(
        name != "git" and before.get(name) != after.get(name) for name in before.keys() | after.keys()
    )


def _compare_attributes(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, BeforeAfter]:
    """Return what differs of a file or a reusable content."""
    names = dict.fromkeys([*after, *before])
    return {
        name: BeforeAfter(before=before.get(name), after=after.get(name))
        for name in names
        if name != "git" and before.get(name) != after.get(name)
    }


def _extras(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[_Build]:
    variables = before.get("variables", {}), after.get("variables", {})
    if variables[0] != variables[1]:
        yield lambda: VariablesEdited(variables=BeforeAfter(before=variables[0], after=variables[1]))
    old, new = ({str(each["id"]): each for each in side.get("reusableContents", ())} for side in (before, after))
    for content, each in new.items():
        if content not in old:
            yield partial(_content_changed, "reusable_content_created", each)
        elif _differs(old[content], each):
            yield partial(_content_changed, "reusable_content_edited", each, old[content])
    for content, each in old.items():
        if content not in new:
            yield partial(_content_changed, "reusable_content_deleted", each)


def _content_changed(kind: Any, entry: Mapping[str, Any], before: Mapping[str, Any] | None = None) -> SemanticChange:
    attributes = known_fields(attributes=_compare_attributes(before, entry) if before is not None else None)
    shown = ChangedReusableContent(id=str(entry["id"]), title=entry["title"])
    return ReusableContentChanged(type=kind, reusable_content=shown, **attributes)
