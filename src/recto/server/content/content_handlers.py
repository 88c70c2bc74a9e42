"""Answers about content: of a space, of a change request, and at a past revision."""

from __future__ import annotations

from recto.contract.common import ListPage
from recto.contract.content import (
    ChangeRequestContent,
    Evaluated,
    File,
    Page,
    PageFormat,
    PageTree,
    Revision,
    Revisions,
    SearchHits,
    SpaceContent,
)
from recto.contract.operation import DECLARED
from recto.server.content.change_requests import find_change_request, serialize_change_request
from recto.server.content.files import find_file, serialize_file
from recto.server.content.objects import load_manifest
from recto.server.content.revisions import find_revision, get_revision, main_revision
from recto.server.content.views import (
    View,
    page_by_path,
    serialize_page,
    serialize_revision,
    serialize_tree,
)
from recto.server.context import Context
from recto.server.http.paging import list_items
from recto.server.http.registry import handles
from recto.server.people.access import require


def main_view(context: Context, space: str, metadata: bool, computed: bool) -> View:
    """Return the main content of a space that the caller may see."""
    require(context, space)
    return View(main_revision(context.database, space), f"/spaces/{space}/content", metadata, computed)


def past_view(context: Context, space: str, revision: str, metadata: bool, computed: bool) -> View:
    """Return a revision of a space that the caller may see."""
    require(context, space)
    found = find_revision(context.database, space, revision)
    return View(found, f"/spaces/{space}/revisions/{found.id}", metadata, computed)


def proposed_view(context: Context, space: str, change_request: str, metadata: bool, computed: bool) -> View:
    """Return the content of a change request that the caller may see."""
    require(context, space)
    row = find_change_request(context.database, space, change_request)
    path = f"/spaces/{space}/change-requests/{row['id']}/content"
    return View(get_revision(context.database, row["revision"]), path, metadata, computed)


def _revision(context: Context, view: View) -> Revision:
    merged = view.revision.merged_from
    row = find_change_request(context.database, view.revision.space, merged) if merged else None
    return serialize_revision(context, view, serialize_change_request(context, row) if row else None)


def _files(context: Context, view: View, page: str | None, limit: int | None) -> ListPage[File]:
    return list_items(
        load_manifest(context.database, view.revision.files),
        name=f"files {view.path}",
        key=lambda entry: (entry["name"], entry["id"]),
        build=lambda entry: serialize_file(context, view.revision.space, entry, git=view.metadata),
        page=page,
        limit=limit,
    )


def _file(context: Context, view: View, file: str) -> File:
    return serialize_file(context, view.revision.space, find_file(context, view.revision, file), git=view.metadata)


# The main content


@handles(SpaceContent.search_space)
def search_space(
    context: Context, space_id: str, query: str, page: str | None = DECLARED, limit: int | None = DECLARED
) -> SearchHits:
    """Return the pages in which all words are found, best first."""
    from recto.server.content.search_handlers import search_in_space

    return search_in_space(context, main_view(context, space_id, metadata=False, computed=True), query, page, limit)


@handles(SpaceContent.get_revision)
def get_main_revision(
    context: Context, space_id: str, metadata: bool = DECLARED, computed: bool = DECLARED
) -> Revision:
    """Return the current revision of a space."""
    return _revision(context, main_view(context, space_id, metadata, computed))


@handles(SpaceContent.list_pages)
def list_pages(context: Context, space_id: str, metadata: bool = DECLARED, computed: bool = DECLARED) -> PageTree:
    """Return the page tree of a space."""
    return serialize_tree(context, main_view(context, space_id, metadata, computed))


@handles(SpaceContent.get_page)
def get_page(
    context: Context,
    space_id: str,
    page_id: str,
    format: PageFormat | None = DECLARED,
    evaluated: Evaluated = DECLARED,
    metadata: bool = DECLARED,
    computed: bool = DECLARED,
) -> Page:
    """Return a page of a space."""
    return serialize_page(context, main_view(context, space_id, metadata, computed), page_id, format, evaluated)


@handles(SpaceContent.get_page_by_path)
def get_page_by_path(
    context: Context,
    space_id: str,
    page_path: str,
    format: PageFormat | None = DECLARED,
    evaluated: Evaluated = DECLARED,
    metadata: bool = DECLARED,
    computed: bool = DECLARED,
) -> Page:
    """Return a page of a space by its path."""
    return page_by_path(context, main_view(context, space_id, metadata, computed), page_path, format, evaluated)


@handles(SpaceContent.list_files)
def list_files(
    context: Context,
    space_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    metadata: bool = DECLARED,
    computed: bool = DECLARED,
) -> ListPage[File]:
    """Return the files of a space, by name."""
    return _files(context, main_view(context, space_id, metadata, computed), page, limit)


@handles(SpaceContent.get_file)
def get_file(
    context: Context, space_id: str, file_id: str, metadata: bool = DECLARED, computed: bool = DECLARED
) -> File:
    """Return a file of a space."""
    return _file(context, main_view(context, space_id, metadata, computed), file_id)


# Past revisions


@handles(Revisions.get_past_revision)
def get_past_revision(
    context: Context, space_id: str, revision_id: str, metadata: bool = DECLARED, computed: bool = DECLARED
) -> Revision:
    """Return a revision."""
    return _revision(context, past_view(context, space_id, revision_id, metadata, computed))


@handles(Revisions.list_past_pages)
def list_past_pages(
    context: Context, space_id: str, revision_id: str, metadata: bool = DECLARED, computed: bool = DECLARED
) -> PageTree:
    """Return the page tree of a revision."""
    return serialize_tree(context, past_view(context, space_id, revision_id, metadata, computed))


@handles(Revisions.get_past_page)
def get_past_page(
    context: Context,
    space_id: str,
    revision_id: str,
    page_id: str,
    format: PageFormat | None = DECLARED,
    evaluated: Evaluated = DECLARED,
    metadata: bool = DECLARED,
    computed: bool = DECLARED,
) -> Page:
    """Return a page as it was in a revision."""
    return serialize_page(
        context, past_view(context, space_id, revision_id, metadata, computed), page_id, format, evaluated
    )


@handles(Revisions.get_past_page_by_path)
def get_past_page_by_path(
    context: Context,
    space_id: str,
    revision_id: str,
    page_path: str,
    format: PageFormat | None = DECLARED,
    evaluated: Evaluated = DECLARED,
    metadata: bool = DECLARED,
    computed: bool = DECLARED,
) -> Page:
    """Return a page by its path as it was in a revision."""
    return page_by_path(
        context, past_view(context, space_id, revision_id, metadata, computed), page_path, format, evaluated
    )


@handles(Revisions.list_past_files)
def list_past_files(
    context: Context,
    space_id: str,
    revision_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    metadata: bool = DECLARED,
    computed: bool = DECLARED,
) -> ListPage[File]:
    """Return the files of a revision, by name."""
    return _files(context, past_view(context, space_id, revision_id, metadata, computed), page, limit)


@handles(Revisions.get_past_file)
def get_past_file(
    context: Context,
    space_id: str,
    revision_id: str,
    file_id: str,
    metadata: bool = DECLARED,
    computed: bool = DECLARED,
) -> File:
    """Return a file of a revision."""
    return _file(context, past_view(context, space_id, revision_id, metadata, computed), file_id)


# Change requests


@handles(ChangeRequestContent.get_proposed_revision)
def get_proposed_revision(
    context: Context, space_id: str, change_request_id: str, metadata: bool = DECLARED, computed: bool = DECLARED
) -> Revision:
    """Return the latest revision of a change request."""
    return _revision(context, proposed_view(context, space_id, change_request_id, metadata, computed))


@handles(ChangeRequestContent.list_proposed_pages)
def list_proposed_pages(
    context: Context, space_id: str, change_request_id: str, metadata: bool = DECLARED, computed: bool = DECLARED
) -> PageTree:
    """Return the page tree of a change request."""
    return serialize_tree(context, proposed_view(context, space_id, change_request_id, metadata, computed))


@handles(ChangeRequestContent.get_proposed_page)
def get_proposed_page(
    context: Context,
    space_id: str,
    change_request_id: str,
    page_id: str,
    format: PageFormat | None = DECLARED,
    evaluated: Evaluated = DECLARED,
    metadata: bool = DECLARED,
    computed: bool = DECLARED,
) -> Page:
    """Return a page of a change request."""
    return serialize_page(
        context, proposed_view(context, space_id, change_request_id, metadata, computed), page_id, format, evaluated
    )


@handles(ChangeRequestContent.get_proposed_page_by_path)
def get_proposed_page_by_path(
    context: Context,
    space_id: str,
    change_request_id: str,
    page_path: str,
    format: PageFormat | None = DECLARED,
    evaluated: Evaluated = DECLARED,
    metadata: bool = DECLARED,
    computed: bool = DECLARED,
) -> Page:
    """Return a page of a change request by its path."""
    view = proposed_view(context, space_id, change_request_id, metadata, computed)
    return page_by_path(context, view, page_path, format, evaluated)


@handles(ChangeRequestContent.list_proposed_files)
def list_proposed_files(
    context: Context,
    space_id: str,
    change_request_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    metadata: bool = DECLARED,
    computed: bool = DECLARED,
) -> ListPage[File]:
    """Return the files of a change request, by name."""
    return _files(context, proposed_view(context, space_id, change_request_id, metadata, computed), page, limit)


@handles(ChangeRequestContent.get_proposed_file)
def get_proposed_file(
    context: Context,
    space_id: str,
    change_request_id: str,
    file_id: str,
    metadata: bool = DECLARED,
    computed: bool = DECLARED,
) -> File:
    """Return a file of a change request."""
    return _file(context, proposed_view(context, space_id, change_request_id, metadata, computed), file_id)
