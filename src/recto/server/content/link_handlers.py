"""Answers about links and backlinks, of spaces and of change requests."""

from __future__ import annotations

from recto.contract.common import ListPage
from recto.contract.links import BrokenContext, ChangeRequestLinks, LinkList, LinkStatus, ReferencedContent, SpaceLinks
from recto.contract.operation import DECLARED
from recto.server.content.change_requests import base_of, find_change_request
from recto.server.content.files import find_file
from recto.server.content.link_reports import backlinks_of_file, backlinks_of_page, serialize_links
from recto.server.content.revisions import Revision, get_revision, main_revision, tree_of
from recto.server.content.views import View
from recto.server.context import Context
from recto.server.http.problems import NotFound
from recto.server.http.registry import handles
from recto.server.people.access import require


def _main(context: Context, space: str) -> View:
    require(context, space)
    return View(main_revision(context.database, space), f"/spaces/{space}/content")


def _proposed(context: Context, space: str, change_request: str) -> tuple[View, Revision]:
    """Return the content of a change request, and the revision of the main content that it is based on."""
    require(context, space)
    row = find_change_request(context.database, space, change_request)
    path = f"/spaces/{space}/change-requests/{row['id']}/content"
    view = View(get_revision(context.database, row["revision"]), path)
    return view, get_revision(context.database, base_of(row))


def _require_page(context: Context, view: View, page: str) -> str:
    if page not in tree_of(context.database, view.revision).places:
        raise NotFound(f"There is no page {page} here.")
    return page


def _require_file(context: Context, view: View, file: str) -> str:
    find_file(context, view.revision, file)
    return file


# The main content


@handles(SpaceLinks.list_links)
def list_links(
    context: Context,
    space_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    status: LinkStatus | None = DECLARED,
) -> LinkList:
    """Return the links of all pages of a space, by page."""
    return serialize_links(context, _main(context, space_id), status=status, page=page, limit=limit)


@handles(SpaceLinks.list_page_links)
def list_page_links(
    context: Context,
    space_id: str,
    page_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    status: LinkStatus | None = DECLARED,
) -> LinkList:
    """Return the links of a page of a space."""
    view = _main(context, space_id)
    of_page = _require_page(context, view, page_id)
    return serialize_links(context, view, of_page=of_page, status=status, page=page, limit=limit)


@handles(SpaceLinks.list_page_backlinks)
def list_page_backlinks(
    context: Context, space_id: str, page_id: str, page: str | None = DECLARED, limit: int | None = DECLARED
) -> ListPage[ReferencedContent]:
    """Return what points at a page of a space, in it and in other spaces that the caller may see."""
    view = _main(context, space_id)
    return backlinks_of_page(context, view, _require_page(context, view, page_id), page, limit)


@handles(SpaceLinks.list_file_backlinks)
def list_file_backlinks(
    context: Context, space_id: str, file_id: str, page: str | None = DECLARED, limit: int | None = DECLARED
) -> ListPage[ReferencedContent]:
    """Return what points at a file of a space."""
    view = _main(context, space_id)
    return backlinks_of_file(context, view, _require_file(context, view, file_id), page, limit)


# Change requests


@handles(ChangeRequestLinks.list_links)
def list_proposed_links(
    context: Context,
    space_id: str,
    change_request_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    status: LinkStatus | None = DECLARED,
    broken_context: BrokenContext | None = DECLARED,
) -> LinkList:
    """Return the links of all pages of a change request, by page."""
    view, base = _proposed(context, space_id, change_request_id)
    return serialize_links(
        context, view, base=base, status=status, broken_context=broken_context, page=page, limit=limit
    )


@handles(ChangeRequestLinks.list_page_links)
def list_proposed_page_links(
    context: Context,
    space_id: str,
    change_request_id: str,
    page_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
) -> LinkList:
    """Return the links of a page of a change request."""
    view, base = _proposed(context, space_id, change_request_id)
    of_page = _require_page(context, view, page_id)
    return serialize_links(context, view, of_page=of_page, base=base, page=page, limit=limit)


@handles(ChangeRequestLinks.list_page_backlinks)
def list_proposed_page_backlinks(
    context: Context,
    space_id: str,
    change_request_id: str,
    page_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
) -> ListPage[ReferencedContent]:
    """Return what points at a page of a change request, in it and in other spaces that the caller may see."""
    view, _ = _proposed(context, space_id, change_request_id)
    return backlinks_of_page(context, view, _require_page(context, view, page_id), page, limit)


@handles(ChangeRequestLinks.list_file_backlinks)
def list_proposed_file_backlinks(
    context: Context,
    space_id: str,
    change_request_id: str,
    file_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
) -> ListPage[ReferencedContent]:
    """Return what points at a file of a change request."""
    view, _ = _proposed(context, space_id, change_request_id)
    return backlinks_of_file(context, view, _require_file(context, view, file_id), page, limit)
