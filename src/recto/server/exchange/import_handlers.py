"""Handlers of imports of content."""

from __future__ import annotations

from recto.contract.addresses import InChangeRequest, Main
from recto.contract.imports import SOURCES, ImportContent, ImportedContent, Imports
from recto.server.content.change_requests import find_change_request, require_open
from recto.server.context import Context
from recto.server.exchange.content_import import content_import
from recto.server.http.problems import BadRequest
from recto.server.http.registry import JobKind, handles
from recto.server.jobs import Task
from recto.server.people.access import require

_SCHEMES = ("http://", "https://", "file:/")
_REFUSED = {
    "google-docs": "Google's service would have to be asked. Download the document as .docx, and import that",
}


@handles(Imports.import_content, job=JobKind.WAITED_FOR, location="/spaces/{at.space}/revisions/{answer.revision}")
def import_content(context: Context, at: Main | InChangeRequest, body: ImportContent) -> Task[ImportedContent]:
    """Import content after the pages at an address; takes the create role."""
    require(context, at.space, "create")
    if isinstance(at, InChangeRequest):
        require_open(find_change_request(context.database, at.space, at.change_request), "imported into")
    if body.source not in SOURCES:
        raise BadRequest(f"source: {body.source}: {_REFUSED[body.source]}")
    if not body.url.lower().startswith(_SCHEMES):
        raise BadRequest("url: an address that begins with http:// or https://")
    return content_import(at, body)
