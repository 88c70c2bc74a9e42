"""Specifications as they are stored and as the contract has them."""

from __future__ import annotations

import json
import zlib
from datetime import datetime
from typing import Any, Final

from recto.contract.common import Urls
from recto.contract.jobs import JobState
from recto.contract.specifications import (
    Specification,
    SpecificationError,
    SpecificationPermissions,
    SpecificationVersion,
)
from recto.server.context import Context
from recto.server.fetching import show_address
from recto.server.http.problems import NotFound
from recto.server.people.access import allows, standing_of
from recto.server.serializers import known_fields
from recto.server.storage.database import Connection, Row
from recto.urls import Thing

SPECIFICATIONS: Final = """
    SELECT specifications.*, (SELECT id FROM specification_versions WHERE specification = specifications.id
        ORDER BY number DESC LIMIT 1) AS last_version FROM specifications WHERE organization = :organization
"""
"""Selects the specifications of an organization, each with its newest version."""

VERSIONS: Final = "SELECT id, number, created_at FROM specification_versions WHERE specification = :specification"
"""Selects the versions of a specification without what they hold."""

LATEST: Final = "latest"
"""Stands in a path for the id of the newest version."""


def find_specification(context: Context, organization: str, slug: str) -> Row | None:
    """Return the row of a specification by its slug; ``None`` where the organization has none such."""
    return context.database.one(f"{SPECIFICATIONS} AND slug = :slug", {"organization": organization, "slug": slug})


def specification_of_space(connection: Connection, space: str, name: str) -> Row | None:
    """Return the specification with this slug or id in the organization of a space; ``None`` where it has none such."""
    organization = connection.value("SELECT organization FROM spaces WHERE id = ?", space)
    values = {"organization": organization, "name": name}
    return connection.one(f"{SPECIFICATIONS} AND :name IN (slug, id) ORDER BY slug = :name DESC", values)


def version_at(connection: Connection, specification: str, moment: str | None = None) -> Row | None:
    """Return the newest version of a specification, by its id, or the version that was the newest at a moment.

    The row is one of :data:`VERSIONS` with its ``digest``; ``None`` where there was no version yet. The oldest version
    that is kept stands for those before it.
    """
    select = "SELECT id, number, digest, created_at FROM specification_versions WHERE specification = :id"
    values = {"id": specification, "moment": moment}
    found = connection.one(f"{select} AND (:moment IS NULL OR created_at <= :moment) ORDER BY number DESC", values)
    if found is not None or moment is None:
        return found
    since = connection.value("SELECT created_at FROM specifications WHERE id = :id", values)
    oldest = connection.one(f"{select} ORDER BY number", values)
    return oldest if oldest is not None and oldest["number"] > 1 and since <= moment else None


def get_specification(context: Context, organization: str, slug: str) -> Row:
    """Return the row of a specification by its slug; raises :class:`NotFound`."""
    row = find_specification(context, organization, slug)
    if row is None:
        raise NotFound(f"There is no specification “{slug[:100]}” in this organization.")
    return row


def get_version(connection: Connection, specification: Row, version: str) -> Row:
    """Return the row of a version, by its id or as the newest; raises :class:`NotFound`."""
    wanted = specification["last_version"] if version == LATEST else version
    row = connection.one(
        "SELECT * FROM specification_versions WHERE specification = ? AND id = ?", specification["id"], wanted
    )
    if row is None and version == LATEST:
        raise NotFound(f"The specification “{specification['slug']}” has no version yet.")
    if row is None:
        raise NotFound(f"The specification “{specification['slug']}” has no version {version[:100]}.")
    return row


def read_values(version: Row) -> Any:
    """Return what a version holds, as JSON has it."""
    packed = version["source"] if version["content"] is None else version["content"]
    return json.loads(zlib.decompress(packed).decode("utf-8-sig"))


def serialize_specification(context: Context, row: Row) -> Specification:
    """Return a row of :data:`SPECIFICATIONS` as the caller sees it.

    A job that ended with the program leaves the source unprocessed: that is an error.
    """
    can_edit = allows(standing_of(context, row["organization"]).role, "create")
    state, code, messages = row["state"], row["error_code"], list(json.loads(row["errors"]))
    if state != "complete" and not _is_processing(context, row["job"]):
        state, code = "complete", "FETCH_ERROR"
        messages = ["It was interrupted before it was processed. Update the specification to process it again."]
    if code is not None and row["failing_since"] is not None and row["last_version"] is not None:
        since = datetime.fromisoformat(row["failing_since"]).strftime("%Y-%m-%d %H:%M UTC")
        messages.append(f"The source has failed since {since}. The last good version is kept.")
    url = row["source_url"]
    return Specification(
        id=row["id"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        slug=row["slug"],
        processing_state=state,
        visibility=row["visibility"],
        last_processed_errors=tuple(
            SpecificationError(message=message, **known_fields(code=code)) for message in messages
        ),
        last_processed_error_count=len(messages),
        permissions=SpecificationPermissions(view=True, edit=can_edit),
        urls=Urls(
            app=context.app(Thing(organization=row["organization"])),
            location=context.location(_path(row)),
            **known_fields(published=_source(context, row, LATEST) if row["visibility"] == "public" else None),
        ),
        **known_fields(
            # What follows the path may be a secret.
            source_url=url if can_edit or url is None else show_address(url),
            last_version=row["last_version"],
            last_processed_at=row["processed_at"],
            last_process_error_code=code,
        ),
    )


def _is_processing(context: Context, job: int) -> bool:
    # The end of a job and what it has stored are read together: it may have ended after this was read.
    state = context.database.value("SELECT state FROM jobs WHERE id = ?", job)
    return state == JobState.RUNNING.value and context.is_job_running(str(job))


def serialize_version(context: Context, specification: Row, row: Row) -> SpecificationVersion:
    """Return a row of :data:`VERSIONS` as a version."""
    return SpecificationVersion(
        id=row["id"],
        created_at=row["created_at"],
        url=_source(context, specification, row["id"]),
        urls=Urls(location=context.location(f"{_path(specification)}/versions/{row['id']}")),
    )


def _path(specification: Row) -> str:
    return f"/orgs/{specification['organization']}/openapi/{specification['slug']}"


def _source(context: Context, specification: Row, version: str) -> str:
    return context.location(f"{_path(specification)}/versions/{version}/source")
