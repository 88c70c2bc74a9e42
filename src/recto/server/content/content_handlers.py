"""Handlers of content: of spaces, change requests and past revisions."""

from __future__ import annotations

import json

from recto.contract.addresses import Address, AtRevision, InChangeRequest, Main
from recto.contract.common import ListPage
from recto.contract.content import (
    Content,
    Evaluated,
    File,
    Page,
    PageFormat,
    PageTree,
    Revision,
)
from recto.contract.operation import DECLARED
from recto.server.content.change_requests import find_change_request, serialize_change_request
from recto.server.content.files import find_file, serialize_file
from recto.server.content.objects import load_manifest
from recto.server.content.page_serializers import (
    RevisionView,
    page_by_path,
    serialize_page,
    serialize_revision,
    serialize_tree,
)
from recto.server.content.revisions import find_revision, get_revision, main_revision
from recto.server.context import Context
from recto.server.http.paging import list_items
from recto.server.http.registry import handles
from recto.server.people.access import require
from recto.server.storage.database import Connection


def view_at(context: Context, at: Address, metadata: bool = True, computed: bool = True) -> RevisionView:
    """Return the content at an address that the caller may see."""
    require(context, at.space)
    database = context.database
    oids = _oids(database, at.space) if metadata else {}
    match at:
        case Main(space):
            return RevisionView(main_revision(database, space), f"/spaces/{space}/content", metadata, computed, oids)
        case AtRevision(space, revision):
            found = find_revision(database, space, revision)
            path = f"/spaces/{space}/revisions/{found.id}"
            return RevisionView(found, path, metadata, computed, oids, found.created_at)
        case InChangeRequest(space, change_request):
            row = find_change_request(database, space, change_request)
            path = f"/spaces/{space}/change-requests/{row['id']}/content"
            return RevisionView(get_revision(database, row["revision"]), path, metadata, computed, oids)


def _oids(database: Connection, space: str) -> dict[str, str]:
    """Return the ids that the files of pages have in the space's repository."""
    stored: str | None = database.value("SELECT blobs FROM git_syncs WHERE space = ?", space)
    found: dict[str, str] = json.loads(stored) if stored else {}
    return found


@handles(Content.get_revision)
def get_content_revision(
    context: Context, at: Address, metadata: bool = DECLARED, computed: bool = DECLARED
) -> Revision:
    """Return the current revision."""
    view = view_at(context, at, metadata, computed)
    merged = view.revision.merged_from
    row = find_change_request(context.database, view.revision.space, merged) if merged else None
    return serialize_revision(context, view, serialize_change_request(context, row) if row else None)


@handles(Content.list_pages)
def list_pages(context: Context, at: Address, metadata: bool = DECLARED, computed: bool = DECLARED) -> PageTree:
    """Return the page tree."""
    return serialize_tree(context, view_at(context, at, metadata, computed))


@handles(Content.get_page)
def get_page(
    context: Context,
    at: Address,
    page_id: str,
    format: PageFormat | None = DECLARED,
    evaluated: Evaluated = DECLARED,
    metadata: bool = DECLARED,
    computed: bool = DECLARED,
) -> Page:
    """Return a page."""
    return serialize_page(context, view_at(context, at, metadata, computed), page_id, format, evaluated)


@handles(Content.get_page_by_path)
def get_page_by_path(
    context: Context,
    at: Address,
    page_path: str,
    format: PageFormat | None = DECLARED,
    evaluated: Evaluated = DECLARED,
    metadata: bool = DECLARED,
    computed: bool = DECLARED,
) -> Page:
    """Return a page by its path."""
    return page_by_path(context, view_at(context, at, metadata, computed), page_path, format, evaluated)


@handles(Content.list_files)
def list_files(
    context: Context,
    at: Address,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    metadata: bool = DECLARED,
    computed: bool = DECLARED,
) -> ListPage[File]:
    """Return the files, by name."""
    view = view_at(context, at, metadata, computed)
    return list_items(
        load_manifest(context.database, view.revision.files),
        name=f"files {view.path}",
        key=lambda entry: (entry["name"], entry["id"]),
        build=lambda entry: serialize_file(context, view.revision.space, entry, git=view.metadata, oids=view.oids),
        page=page,
        limit=limit,
    )


@handles(Content.get_file)
def get_file(context: Context, at: Address, file_id: str, metadata: bool = DECLARED, computed: bool = DECLARED) -> File:
    """Return a file."""
    view = view_at(context, at, metadata, computed)
    entry = find_file(context, view.revision, file_id)
    return serialize_file(context, view.revision.space, entry, git=view.metadata, oids=view.oids)
