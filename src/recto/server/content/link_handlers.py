"""Handlers of links and backlinks, of spaces and change requests."""

from __future__ import annotations

from recto.contract.addresses import InChangeRequest, Main
from recto.contract.common import ListPage
from recto.contract.links import BrokenContext, LinkList, Links, LinkStatus, ReferencedContent
from recto.contract.operation import DECLARED
from recto.server.content.change_requests import base_of, find_change_request
from recto.server.content.computed_pages import compute_pages
from recto.server.content.content_handlers import view_at
from recto.server.content.files import find_file
from recto.server.content.link_reports import backlinks_of_file, backlinks_of_page, serialize_links
from recto.server.content.page_serializers import RevisionView
from recto.server.content.revisions import StoredRevision, get_revision
from recto.server.context import Context
from recto.server.http.problems import NotFound
from recto.server.http.registry import handles


def _base(context: Context, at: Main | InChangeRequest) -> StoredRevision | None:
    """Return the revision of the main content that a change request is based on; ``None`` for the main content."""
    if isinstance(at, Main):
        return None
    return get_revision(context.database, base_of(find_change_request(context.database, at.space, at.change_request)))


def _require_page(context: Context, view: RevisionView, page: str) -> str:
    if page not in compute_pages(context.database, view.revision).tree.places:
        raise NotFound(f"There is no page {page} here.")
    return page


@handles(Links.list_links)
def list_links(
    context: Context,
    at: Main | InChangeRequest,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    status: LinkStatus | None = DECLARED,
    broken_context: BrokenContext | None = DECLARED,
) -> LinkList:
    """Return the links of all pages, by page."""
    view, base = view_at(context, at), _base(context, at)
    return serialize_links(
        context, view, base=base, status=status, broken_context=broken_context, page=page, limit=limit
    )


@handles(Links.list_page_links)
def list_page_links(
    context: Context,
    at: Main | InChangeRequest,
    page_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    status: LinkStatus | None = DECLARED,
) -> LinkList:
    """Return the links of a page."""
    view, base = view_at(context, at), _base(context, at)
    of_page = _require_page(context, view, page_id)
    return serialize_links(context, view, of_page=of_page, base=base, status=status, page=page, limit=limit)


@handles(Links.list_page_backlinks)
def list_page_backlinks(
    context: Context,
    at: Main | InChangeRequest,
    page_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
) -> ListPage[ReferencedContent]:
    """Return the backlinks of a page, from this and other spaces that the caller may see."""
    view = view_at(context, at)
    return backlinks_of_page(context, view, _require_page(context, view, page_id), page, limit)


@handles(Links.list_file_backlinks)
def list_file_backlinks(
    context: Context,
    at: Main | InChangeRequest,
    file_id: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
) -> ListPage[ReferencedContent]:
    """Return the backlinks of a file."""
    view = view_at(context, at)
    find_file(context, view.revision, file_id)
    return backlinks_of_file(context, view, file_id, page, limit)
