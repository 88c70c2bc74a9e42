"""Writes of pages: the changes of a request, applied in order to a draft of the page tree."""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from recto.checkpoints import checkpoint
from recto.contract.changes import (
    MOST_FILE_BYTES,
    Change,
    DeletePage,
    InsertFiles,
    InsertPage,
    NewFile,
    RevertPage,
    UpdatePage,
)
from recto.contract.rich_text import Document
from recto.document.expressions.claims import condition_fault
from recto.document.markdown.front_matter import split_front_matter
from recto.document.merge.page_tree import MAX_LEVELS
from recto.document.rich_text.markdown_writer import to_markdown
from recto.document.rich_text.rewriting import rewrite
from recto.frozen import frozen
from recto.server.content import keys, open_conflicts
from recto.server.content.attributes import FLAGS, TEXTS, attributes_named, put, put_front_matter
from recto.server.content.change_requests import advance, base_of, require_open
from recto.server.content.objects import PendingObjects
from recto.server.content.page_text import (
    heading_title,
    is_readable,
    is_well_formed,
    lower_headings,
    part_title,
    raise_headings,
)
from recto.server.content.picture_dimensions import measures
from recto.server.content.revisions import (
    MAX_FILES,
    MAX_PAGES,
    Content,
    FileEntry,
    StoredRevision,
    content_of,
    find_revision,
    get_revision,
    tree_of,
)
from recto.server.content.tree import ROOT, DraftNode, Node, Tree, TreeDraft, free_slug, slug_for
from recto.server.context import Context
from recto.server.http.problems import BadRequest, NotFound
from recto.server.storage.database import Moved, Row
from recto.urls import scheme_of

_CONTENT_TYPE = re.compile(r"[\w.+-]+/[\w.+-]+(?:;[ -~]*)?", re.ASCII)
_REF = re.compile(r"""[^\s()<>"'#?]++""")
_REFERENCE = re.compile(rf"""(\]\(<?|=["']|\]:[ \t]*<?)\./({_REF.pattern})(?=[)#?"'>\s]|\Z)""")
_NO_SLUG = re.compile(r"[\s/?#\x00-\x1f\x7f]|\A\.{1,2}\Z")  # dots alone lead elsewhere in an address


@dataclass(slots=True)
class WrittenChanges:
    """The result of the changes: pages made, changed and removed in order, and inserted files.

    ``resolved`` names the pages and attributes that were written, by which open conflicts are resolved; ``pending``
    holds the rows to store.
    """

    pending: PendingObjects

    outcomes: list[tuple[str, str, str | None]] = field(default_factory=list)
    files: list[tuple[FileEntry, str | None]] = field(default_factory=list)
    resolved: set[tuple[str, str]] = field(default_factory=set)


class Writer:
    """Applies changes to a draft of a revision; ``base`` is the revision to which pages are reverted unasked.

    It only reads: nothing is stored before :attr:`WrittenChanges.pending` is.
    """

    def __init__(self, context: Context, revision: StoredRevision, base: str) -> None:
        self._context = context
        self._space = revision.space
        self._content = content_of(context.database, revision)
        self._base = base
        self._draft = TreeDraft(tree_of(context.database, revision))
        self._files = list(self._content.files)
        self._now = context.stamp()
        self._pages: dict[str, str] = {}
        self._links: dict[str, str] = {}
        self._field = ""
        self.written = WrittenChanges(PendingObjects(context.database))

    def apply(self, changes: Sequence[Change]) -> Content:
        """Apply all changes and return the content that they make.

        Raises :class:`BadRequest` for a change that cannot be applied, naming its index and field.
        """
        self._name_references(changes)
        for index, change in enumerate(changes):
            self._field = f"changes[{index}]"
            self._apply(change)
        return Content(self._draft.freeze(), self._files, self._content.extras)

    def _apply(self, change: Change) -> None:
        match change:
            case InsertPage():
                self._insert(change)
            case UpdatePage():
                self._update(change)
            case DeletePage():
                self._delete(change)
            case RevertPage():
                self._revert(change)
            case InsertFiles():
                for at, file in enumerate(change.files):
                    self._insert_file(file, f"files[{at}].")

    def _name_references(self, changes: Sequence[Change]) -> None:
        """Give each page and file that the batch refers to its id, so that texts may point ahead."""
        for index, change in enumerate(changes):
            self._field = f"changes[{index}]"
            if isinstance(change, InsertPage) and "ref" in change.model_fields_set:
                page = self._context.ids.fresh()
                self._claim(change.ref, f"/pages/{page}", "ref")
                self._pages[change.ref] = page
            elif isinstance(change, InsertFiles):
                for at, file in enumerate(change.files):
                    if "ref" in file.model_fields_set:
                        self._claim(file.ref, f"/files/{self._context.ids.fresh()}", f"files[{at}].ref")

    def _claim(self, ref: str, link: str, where: str) -> None:
        if not _REF.fullmatch(ref):
            raise self._bad_request(where, "a name without spaces, brackets, quotes, # and ?")
        if ref in self._links:
            raise self._bad_request(where, f"“{ref}” is the name of another page or file of this request")
        self._links[ref] = link

    # Pages

    def _insert(self, change: InsertPage) -> None:
        self._refuse_crowd()
        page = self._pages.get(change.ref) or self._context.ids.fresh()
        parent = self._parent(change.into)
        self._refuse_depth(self._draft.level(parent) + 1)
        entry = DraftNode(page, "document", {"title": ""}, None, self._now, self._now, parent)
        self._write_text(entry, change)
        self._set_attributes(entry, change)
        entry.attributes["title"] = entry.attributes["title"] or "Untitled"
        taken = self._draft.slugs(parent)
        slug = entry.attributes.get("slug")
        if "slug" in change.model_fields_set and slug in taken:
            raise self._bad_request("slug", f"“{slug}” is the slug of another page in the same place")
        entry.attributes["slug"] = free_slug(slug or slug_for(entry.attributes["title"]), taken)
        self._draft.insert(entry, change.at)
        self.written.outcomes.append(("created_page", page, change.ref))

    def _update(self, change: UpdatePage) -> None:
        entry = self._entry(change.page)
        if entry.type != "document":
            raise self._bad_request(
                "page", f"“{entry.attributes.get('title')}” is a {entry.type} page, which is not written"
            )
        moved = self._place(entry, change)
        if "document" in change.model_fields_set:
            self._write_text(entry, change)
        slug = entry.attributes["slug"]
        self._set_attributes(entry, change)
        named = entry.attributes["slug"] != slug
        taken = self._draft.slugs(entry.parent, but=entry.id) if moved or named else set()
        if entry.attributes["slug"] in taken:
            if named:
                raise self._bad_request(
                    "slug", f"“{entry.attributes['slug']}” is the slug of another page in the same place"
                )
            entry.attributes["slug"] = free_slug(slug, taken)
        self._draft.touch(entry.id, self._now)
        self.written.outcomes.append(("updated_page", entry.id, None))

    def _place(self, entry: DraftNode, change: UpdatePage) -> bool:
        """Move a page, if it is to be; ``into`` or ``at`` left out leaves that as it is."""
        moves = "into" in change.model_fields_set
        if not moves and "at" not in change.model_fields_set:
            return False
        parent = self._parent(change.into) if moves else entry.parent
        if parent != ROOT and self._draft.is_under(parent, entry.id):
            raise self._bad_request("into", "a page cannot move under itself or a page below it")
        self._refuse_depth(self._draft.level(parent) + self._draft.height(entry.id))
        if "at" in change.model_fields_set or parent != entry.parent:
            self._draft.move(entry.id, parent, change.at)
        self.written.resolved.add((entry.id, "parent"))
        return True

    def _delete(self, change: DeletePage) -> None:
        entry = self._entry(change.page)
        for page in self._draft.remove(entry.id):
            self.written.resolved.add((page, "*"))
        self.written.outcomes.append(("deleted_page", entry.id, None))

    def _set_attributes(self, entry: DraftNode, change: InsertPage | UpdatePage) -> None:
        given = change.model_fields_set
        if "title" in given:
            entry.attributes["title"] = self._title(change.title)
            # A title of its own in the page tree would hide the new one.
            put(entry.attributes, "link_title", None)
            self.written.resolved.update({(entry.id, "title"), (entry.id, "link_title")})
        if "slug" in given:
            if not change.slug or _NO_SLUG.search(change.slug):
                raise self._bad_request("slug", "at least one character, no space, slash, ? or #, and not . or ..")
            entry.attributes["slug"] = change.slug
            self.written.resolved.add((entry.id, "slug"))
        # A condition that came in by an import stays until another is written.
        is_new = "condition" in given and change.condition != entry.attributes.get("condition")
        if is_new and (wrong := condition_fault(change.condition)) is not None:
            raise self._bad_request("condition", wrong.removesuffix("."))
        for name in (*TEXTS, *FLAGS):
            if name in given:
                put(entry.attributes, name, getattr(change, name))
                self.written.resolved.add((entry.id, name))

    def _title(self, title: str) -> str:
        plain = " ".join(title.split())
        if not plain:
            raise self._bad_request("title", "at least one character that is not a space")
        return plain

    def _write_text(self, entry: DraftNode, change: InsertPage | UpdatePage) -> None:
        """Write a whole new text; in Markdown, front matter and the first heading set the page's attributes."""
        document = change.document
        given = document.model_fields_set & {"markdown", "document"}
        if len(given) > 1:
            raise self._bad_request("document", "either markdown or document, not both")
        if "document" in given:
            if not is_well_formed(document.document.nodes):
                raise self._bad_request("document.document", "a block, inline or text in it is malformed")
            text = _in_place_of(self.written.pending.text(entry.text), document.document)
        else:
            title = self._title(change.title) if "title" in change.model_fields_set else None
            before = self.written.pending.text(entry.text)
            text = raise_headings(self._take_markdown(entry, document.markdown or "", title), before)
        self._put_text(entry, self._resolve(text), document.document if "document" in given else None)

    def _take_markdown(self, entry: DraftNode, markdown: str, title: str | None) -> str:
        """Set the attributes of front matter and the first heading, and return the text below them.

        Where the title is given in another way, a heading that is neither that title nor the former title is text.
        """
        before = entry.attributes["title"]
        front, body = split_front_matter(markdown.removeprefix("\ufeff"))
        if front.problem:
            raise self._bad_request("document.markdown", front.problem)
        put_front_matter(entry.attributes, self._point(front.values))
        self.written.resolved.update((entry.id, name) for name in attributes_named(front.values))
        heading, text = part_title(body)
        if heading is None:
            return text
        named = title if title is not None else entry.attributes["title"] if "title" in front.values else None
        if named is not None:
            return text if {heading, heading_title(heading)} & {before, named} else body
        if heading != before and heading_title(heading):
            entry.attributes["title"] = heading_title(heading)
            self.written.resolved.add((entry.id, "title"))
        return text

    def _put_text(self, entry: DraftNode, text: str, source: Document | None = None) -> None:
        pending = self.written.pending
        name = pending.put_text(text) if text else None
        if name != entry.text:
            if source is None:
                keys.carry_later(pending, entry.id, (entry.text,), name)
            else:
                keys.carry_sent(pending, entry.id, entry.text, name, source)
            entry.text = name
        self.written.resolved.add((entry.id, "text"))

    def _resolve(self, text: str) -> str:
        """Return the text with ``./<ref>`` pointing at the page or file of this request that has that name."""
        if not self._links:
            return text

        def lead(found: re.Match[str]) -> str:
            link = self._links.get(found[2])
            return found[0] if link is None else found[1] + link

        return _REFERENCE.sub(lead, text)

    def _point(self, front: Mapping[str, Any]) -> dict[str, Any]:
        """Return front matter with ``./<ref>`` as the value of a key pointing where it does in the text."""
        return {
            key: self._links.get(value[2:], value) if isinstance(value, str) and value.startswith("./") else value
            for key, value in front.items()
        }

    # Reverting

    def _revert(self, change: RevertPage) -> None:
        page = self._name_of(change.page)
        try:
            revision = find_revision(self._context.database, self._space, change.revision or self._base)
        except NotFound as problem:
            raise self._bad_request("revision", problem.message) from problem
        tree = tree_of(self._context.database, revision)
        was = tree.get(page)
        if was is None:
            raise self._bad_request("page", f"revision {revision.id} has no page {page}")
        if page not in self._draft:
            if change.block:
                raise self._bad_request("block", "the page is gone, so that only the whole of it can come back")
            self._bring_back(tree, was)
        elif change.block:
            self._revert_blocks(self._draft[page], was, change.block)
        else:
            self._revert_whole(self._draft[page], was)
        self.written.outcomes.append(("updated_page", page, None))

    def _bring_back(self, tree: Tree, was: Node) -> None:
        """Restore a removed page: in its place, or else under the nearest existing page above it."""
        home = parent = tree.places[was.id].parent
        while parent != ROOT and parent not in self._draft:
            parent = tree.places[parent].parent
        self._refuse_crowd()
        self._refuse_depth(self._draft.level(parent) + 1, "page")
        entry = DraftNode(was.id, was.type, dict(was.attributes), was.text, was.created, self._now, parent)
        entry.attributes["slug"] = free_slug(was.slug, self._draft.slugs(parent))
        at = None
        if parent == home:
            above = tree.places[home].node if home != ROOT else tree.root
            before = {child.id for child in above.children[: [child.id for child in above.children].index(was.id)]}
            at = max(
                (place + 1 for place, each in enumerate(self._draft.children(parent)) if each in before), default=0
            )
        self._draft.insert(entry, at)
        self.written.resolved.add((was.id, "*"))

    def _revert_whole(self, entry: DraftNode, was: Node) -> None:
        taken = self._draft.slugs(entry.parent, but=entry.id)
        entry.type, entry.text = was.type, was.text
        entry.attributes = {**was.attributes, "slug": free_slug(was.slug, taken)}
        self._draft.touch(entry.id, self._now)
        self.written.resolved.add((entry.id, "*"))

    def _revert_blocks(self, entry: DraftNode, was: Node, blocks: Sequence[str]) -> None:
        pending = self.written.pending
        try:
            text = keys.revert_blocks(
                pending.text(entry.text),
                keys.block_keys(pending, entry.id, entry.text),
                pending.text(was.text),
                keys.block_keys(pending, was.id, was.text),
                blocks,
            )
        except LookupError as error:
            raise self._bad_request(
                "block", f"neither the page nor the revision has a block {error.args[0]}"
            ) from error
        self._put_text(entry, text)
        self._draft.touch(entry.id, self._now)

    # Files

    def _insert_file(self, file: NewFile, where: str) -> None:
        if len(self._files) >= MAX_FILES:
            raise self._bad_request("operation", f"a space can have at most {MAX_FILES} files")
        given = file.model_fields_set
        link = self._links.get(file.ref)
        entry: dict[str, Any] = {
            "id": link.removeprefix("/files/") if link else self._context.ids.fresh(),
            "name": file.name,
            "contentType": file.content_type or "application/octet-stream",
        }
        if not _CONTENT_TYPE.fullmatch(entry["contentType"]):
            raise self._bad_request(where + "contentType", "a type such as image/png")
        if ("url" in given) == ("base64" in given):
            raise self._bad_request(where + "url", "either url or base64 is needed, not both")
        if "url" in given:
            if not re.match(r"https?://[^/\s]+", file.url) or not scheme_of(file.url):
                raise self._bad_request(where + "url", "an address that begins with http:// or https://")
            entry.update(url=file.url, size=0)
        else:
            content = self._decode(file, where)
            entry.update(blob=self.written.pending.put_blob(content), size=len(content))
            if dimensions := measures(entry["contentType"], content):
                entry["dimensions"] = dimensions
        self._files.append(entry)
        self.written.files.append((entry, file.ref))

    def _decode(self, file: NewFile, where: str) -> bytes:
        if "content_type" not in file.model_fields_set:
            raise self._bad_request(where + "contentType", "needed where the file is given in base64")
        try:
            content = base64.b64decode(file.base64, validate=True)
        except (binascii.Error, ValueError) as error:
            raise self._bad_request(where + "base64", "not base64") from error
        if len(content) > MOST_FILE_BYTES:
            raise self._bad_request(where + "base64", f"a file may have at most {MOST_FILE_BYTES} bytes")
        return content

    # Names

    def _name_of(self, page: str) -> str:
        return self._pages.get(page.removeprefix("./"), page) if page.startswith("./") else page

    def _entry(self, page: str) -> DraftNode:
        name = self._name_of(page)
        if name not in self._draft:
            raise self._bad_request("page", f"there is no page {page}")
        return self._draft[name]

    def _parent(self, into: str | None) -> str:
        if into is None:
            return ROOT
        name = self._name_of(into)
        if name not in self._draft:
            raise self._bad_request("into", f"there is no page {into}")
        if self._draft[name].type == "link":
            raise self._bad_request("into", "a link page contains no pages")
        return name

    def _refuse_crowd(self) -> None:
        if len(self._draft) >= MAX_PAGES:
            raise self._bad_request("operation", f"a space can have at most {MAX_PAGES} pages")

    def _refuse_depth(self, levels: int, where: str = "into") -> None:
        if levels > MAX_LEVELS:
            raise self._bad_request(where, f"pages lie at most {MAX_LEVELS} levels deep")

    def _bad_request(self, where: str, why: str) -> BadRequest:
        return BadRequest(f"{self._field}.{where}: {why}")


def _in_place_of(text: str, document: Document) -> str:
    """Return the Markdown of a rich text; what says the same as a page's present ``text`` stays as it is written there.

    If either of the two is too large to be read as blocks, all of it is written again.
    """

    fresh = to_markdown(document)
    return rewrite(text, document, lower_headings) if is_readable(text) and is_readable(fresh) else fresh


@frozen
class WritePlan:
    """The revision that a write will make of ``current``; nothing of it is stored yet."""

    current: str
    base: str
    content: Content
    written: WrittenChanges


def plan_write(context: Context, row: Row, changes: Sequence[Change]) -> WritePlan:
    """Work out the result of changes, in order, all or none; only reads.

    Raises :class:`Conflict` where it is merged or archived, and :class:`BadRequest` for a change that cannot be made.
    """
    require_open(row, "edited")
    writer = Writer(context, get_revision(context.database, row["revision"]), base_of(row))
    content = writer.apply(changes)
    return WritePlan(row["revision"], base_of(row), content, writer.written)


def apply_plan(context: Context, row: Row, plan: WritePlan) -> StoredRevision:
    """Write a plan as a new revision.

    Raises :class:`Conflict` where the change request is merged or archived, and :class:`Moved` where the plan was made
    for another revision.
    """
    require_open(row, "edited")
    if (plan.current, plan.base) != (row["revision"], base_of(row)):
        raise Moved
    connection = context.database
    checkpoint("edit.before-texts")
    plan.written.pending.store(connection)
    checkpoint("edit.before-revision")
    revision = advance(context, row, "edits", (plan.current,), plan.content)
    open_conflicts.carry(connection, plan.current, revision.id, plan.written.resolved, plan.content.root)
    checkpoint("edit.after-write")
    return revision
