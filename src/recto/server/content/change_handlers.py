"""Handlers of changes: writing pages, and the changes of change requests and revisions."""

from __future__ import annotations

from recto.contract.addresses import AtRevision, InChangeRequest
from recto.contract.change_requests import ChangeRequest
from recto.contract.changes import (
    Changes,
    ContentChanges,
    CreatedPage,
    DeletedPage,
    InsertedFile,
    UpdatedPage,
    WriteContent,
    WrittenContent,
    WrittenPage,
)
from recto.contract.common import Urls
from recto.contract.content import File
from recto.contract.operation import DECLARED
from recto.server.content.change_requests import base_of, find_change_request, serialize_again
from recto.server.content.files import serialize_file
from recto.server.content.revisions import StoredRevision, find_revision, get_revision
from recto.server.content.semantic_changes import changes_between
from recto.server.content.write_plan import WritePlan, apply_plan, plan_write
from recto.server.context import Context
from recto.server.http.bodies import MB, BodyLimit
from recto.server.http.registry import handles
from recto.server.people.access import require
from recto.server.serializers import known_fields
from recto.server.storage.database import Row


def _plan_write(context: Context, at: InChangeRequest, body: WriteContent, compat: bool = DECLARED) -> WritePlan:
    require(context, at.space, "edit")
    return plan_write(context, find_change_request(context.database, at.space, at.change_request), body.changes)


@handles(ContentChanges.write_content, prepare=_plan_write, limit=BodyLimit(bytes=16 * MB, tokens=300_000))
def write_content(
    context: Context, at: InChangeRequest, body: WriteContent, compat: bool = DECLARED
) -> WrittenContent | ChangeRequest:
    """Write pages and files of a change request; takes the edit role."""
    require(context, at.space, "edit")
    row = find_change_request(context.database, at.space, at.change_request)
    plan: WritePlan = context.prepared
    apply_plan(context, row, plan)
    change_request = serialize_again(context, row)
    if compat:
        return change_request
    written = plan.written
    return WrittenContent(
        change_request=change_request,
        changes=tuple(_outcome(context, row, *outcome) for outcome in written.outcomes),
        inserted_files=tuple(
            _serialize_inserted(serialize_file(context, at.space, entry), ref) for entry, ref in written.files
        ),
    )


def _serialize_inserted(file: File, ref: str | None) -> InsertedFile:
    """Return a file that was put in, with its id as older clients look for it, too."""
    values = {name: getattr(file, name) for name in file.model_fields_set}
    return InsertedFile(**values, file=file.id, **known_fields(ref=ref))


def _outcome(
    context: Context, row: Row, kind: str, page: str, ref: str | None
) -> CreatedPage | UpdatedPage | DeletedPage:
    if kind == "deleted_page":
        return DeletedPage(page=page)
    path = f"/spaces/{row['space']}/change-requests/{row['id']}/content/page/{page}"
    written = WrittenPage(id=page, urls=Urls(location=context.location(path)))
    return CreatedPage(page=written, **known_fields(ref=ref)) if kind == "created_page" else UpdatedPage(page=written)


@handles(ContentChanges.list_changes)
def list_changes(context: Context, at: InChangeRequest | AtRevision, limit: int = DECLARED) -> Changes:
    """Return what a change request changes of the main content that it was last updated from, or a revision.

    A revision is compared with its first parent; the first revision of a space has none.
    """
    require(context, at.space)
    before: StoredRevision | None
    if isinstance(at, InChangeRequest):
        row = find_change_request(context.database, at.space, at.change_request)
        before, after = (get_revision(context.database, revision) for revision in (base_of(row), row["revision"]))
    else:
        after = find_revision(context.database, at.space, at.revision)
        before = get_revision(context.database, after.parents[0]) if after.parents else None
    return changes_between(context, before, after, limit)
