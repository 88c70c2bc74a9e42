"""What a revision changes against another one, as a person would put it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

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
from recto.contract.model import wire_name
from recto.document.tree import moved_among
from recto.server.content.files import file_answer
from recto.server.content.revisions import Content, FileEntry, Revision, content_of, tree_of
from recto.server.content.tree import Node, Tree, differences, root_node, written
from recto.server.context import Context


def changes_between(context: Context, before: Revision | None, after: Revision, limit: int) -> Changes:
    """Return what changed, up to ``limit`` changes, in the order of the pages, removed pages last.

    Where there is no revision before, everything is new.
    """
    connection = context.database
    old_tree = tree_of(connection, before) if before else Tree(root_node())
    old = content_of(connection, before) if before else Content(old_tree.root)
    new = content_of(connection, after)
    found = [
        *_pages(old_tree, tree_of(connection, after)),
        *_files(context, after.space, old, new),
        *_extras(old.extras, new.extras),
    ]
    left_out = len(found) - limit
    shown = tuple(found[:limit])
    return Changes(changes=shown, more=left_out) if left_out > 0 else Changes(changes=shown)


def _pages(before: Tree, after: Tree) -> Iterator[SemanticChange]:
    """Yield what happened to pages; where only the order of siblings changed, the parent of a move is the same."""
    compared = differences(before.root, after.root)
    reordered = {page for old, new in compared.orders for page in moved_among(old, new)}
    concerned = compared.pages.keys() | reordered
    for page in (page for page in after.places if page in concerned):
        place = after.places[page]
        shown = _changed(place.node, place.path)
        was = before.places.get(page)
        if was is None:
            yield PageCreatedOrDeleted(type="page_created", page=shown)
            continue
        attributes = _attributes(was.node, place.node)
        if attributes:
            yield PageEdited(page=shown, attributes=attributes)
        if was.parent != place.parent or page in reordered:
            yield PageMoved(page=shown, parent=BeforeAfter(before=was.parent or None, after=place.parent or None))
    for page, (old, new) in compared.pages.items():
        if old is not None and new is None:
            yield PageCreatedOrDeleted(type="page_deleted", page=_changed(old, before.path(page)))


def _changed(node: Node, path: str) -> ChangedPage:
    return ChangedPage(id=node.id, type=node.type, title=node.title, path=path)


def _attributes(before: Node, after: Node) -> dict[str, BeforeAfter]:
    found: dict[str, BeforeAfter] = {}
    if before.text != after.text:
        found["document"] = BeforeAfter(before=before.text, after=after.text)
    old, new = written(before.attributes), written(after.attributes)
    for name in dict.fromkeys([*new, *old]):
        if old.get(name) != new.get(name):
            found[wire_name(name)] = BeforeAfter(before=old.get(name), after=new.get(name))
    if before.type != after.type:
        found["type"] = BeforeAfter(before=before.type, after=after.type)
    return found


def _files(context: Context, space: str, before: Content, after: Content) -> Iterator[SemanticChange]:
    old, new = ({str(entry["id"]): entry for entry in side.files} for side in (before, after))
    for file, entry in new.items():
        if file not in old:
            yield FileChanged(type="file_created", file=_changed_file(context, space, entry))
        elif attributes := _edited(old[file], entry):
            yield FileChanged(type="file_edited", file=_changed_file(context, space, entry), attributes=attributes)
    for file, entry in old.items():
        if file not in new:
            yield FileChanged(type="file_deleted", file=_changed_file(context, space, entry))


def _changed_file(context: Context, space: str, entry: FileEntry) -> ChangedFile:
    file = file_answer(context, space, entry, git=False)
    return ChangedFile(id=file.id, name=file.name, content_type=file.content_type, download_url=file.download_url)


def _edited(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, BeforeAfter]:
    """Return what differs of a file or a reusable content; whether it came anew from a repository does not count."""
    names = dict.fromkeys([*after, *before])
    return {
        name: BeforeAfter(before=before.get(name), after=after.get(name))
        for name in names
        if name != "git" and before.get(name) != after.get(name)
    }


def _extras(before: Mapping[str, Any], after: Mapping[str, Any]) -> Iterator[SemanticChange]:
    variables = before.get("variables", {}), after.get("variables", {})
    if variables[0] != variables[1]:
        yield VariablesEdited(variables=BeforeAfter(before=variables[0], after=variables[1]))
    old, new = ({str(each["id"]): each for each in side.get("reusableContents", ())} for side in (before, after))
    for content, each in new.items():
        shown = ChangedReusableContent(id=content, title=each["title"])
        if content not in old:
            yield ReusableContentChanged(type="reusable_content_created", reusable_content=shown)
        elif attributes := _edited(old[content], each):
            yield ReusableContentChanged(type="reusable_content_edited", reusable_content=shown, attributes=attributes)
    for content, each in old.items():
        if content not in new:
            gone = ChangedReusableContent(id=content, title=each["title"])
            yield ReusableContentChanged(type="reusable_content_deleted", reusable_content=gone)
