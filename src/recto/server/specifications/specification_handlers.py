"""Handlers of OpenAPI specifications. Members see them; to add, replace, delete and publish takes the create role."""

from __future__ import annotations

import zlib
from contextlib import suppress
from typing import Final

from recto.contract.common import ListPage
from recto.contract.operation import DECLARED
from recto.contract.specifications import (
    LONGEST_TEXT,
    CreateSpecification,
    ReplaceSpecification,
    Specification,
    Specifications,
    SpecificationVersion,
    UpdateSpecification,
    VersionContent,
    VersionUrls,
)
from recto.server.content.search import queue_pages_from
from recto.server.context import Context
from recto.server.http.bodies import BodyLimit
from recto.server.http.paging import list_rows
from recto.server.http.problems import BadRequest, NotFound
from recto.server.http.registry import JobKind, handles
from recto.server.jobs import Task
from recto.server.people.access import require_organization
from recto.server.specifications.processing import processing_task
from recto.server.specifications.stored_specifications import (
    LATEST,
    SPECIFICATIONS,
    VERSIONS,
    get_specification,
    get_version,
    read_values,
    serialize_specification,
    serialize_version,
)
from recto.server.storage.database import Row

_LIMIT: Final = BodyLimit(bytes=LONGEST_TEXT)


@handles(Specifications.list_specifications)
def list_specifications(
    context: Context, organization_id: str, page: str | None = DECLARED, limit: int | None = DECLARED
) -> ListPage[Specification]:
    """Return the specifications of an organization by slug."""
    require_organization(context, organization_id, "read")
    return list_rows(
        context.database,
        SPECIFICATIONS,
        {"organization": organization_id},
        keys=("slug",),
        build=lambda row: serialize_specification(context, row),
        page=page,
        limit=limit,
    )


@handles(Specifications.create_specification, job=JobKind.BEGUN, limit=_LIMIT)
def create_specification(context: Context, organization_id: str, body: CreateSpecification) -> Task[Specification]:
    """Add a specification; a slug that is taken is a bad request."""
    require_organization(context, organization_id, "create")

    def check(context: Context, row: Row | None) -> None:
        require_organization(context, organization_id, "create")
        if row is not None:
            raise BadRequest(f"slug: there is a specification “{body.slug}” already; PUT replaces its source")

    return processing_task(organization_id, body.slug, body.source, check)


@handles(Specifications.replace_specification, job=JobKind.BEGUN, limit=_LIMIT)
def replace_specification(
    context: Context, organization_id: str, spec_slug: str, body: ReplaceSpecification
) -> Task[Specification]:
    """Process the source of a specification, which is added where there is none."""
    require_organization(context, organization_id, "create")

    def check(context: Context, row: Row | None) -> None:
        require_organization(context, organization_id, "create")

    return processing_task(organization_id, spec_slug, body.source, check)


@handles(Specifications.get_specification)
def read_specification(context: Context, organization_id: str, spec_slug: str) -> Specification:
    """Return a specification."""
    return serialize_specification(context, _require(context, organization_id, spec_slug))


@handles(Specifications.update_specification)
def update_specification(
    context: Context, organization_id: str, spec_slug: str, body: UpdateSpecification
) -> Specification:
    """Make a specification public or private."""
    require_organization(context, organization_id, "create")
    row = get_specification(context, organization_id, spec_slug)
    context.database.update("specifications", row["id"], visibility=body.visibility, updated_at=context.stamp())
    return serialize_specification(context, get_specification(context, organization_id, spec_slug))


@handles(Specifications.delete_specification)
def delete_specification(context: Context, organization_id: str, spec_slug: str) -> None:
    """Delete a specification with its versions, if it is there."""
    require_organization(context, organization_id, "create")
    with suppress(NotFound):
        row = get_specification(context, organization_id, spec_slug)
        context.database.execute("DELETE FROM specifications WHERE id = ?", row["id"])
        queue_pages_from(context.database, organization_id, (spec_slug, row["id"]))


@handles(Specifications.list_versions)
def list_versions(
    context: Context,
    organization_id: str,
    spec_slug: str,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
) -> ListPage[SpecificationVersion]:
    """Return the versions of a specification, the newest first."""
    specification = _require(context, organization_id, spec_slug)
    return list_rows(
        context.database,
        VERSIONS,
        {"specification": specification["id"]},
        keys=("number",),
        build=lambda row: serialize_version(context, specification, row),
        page=page,
        limit=limit,
        order="desc",
    )


@handles(Specifications.get_latest_version)
def read_latest_version(context: Context, organization_id: str, spec_slug: str) -> SpecificationVersion:
    """Return the newest version."""
    return read_version(context, organization_id, spec_slug, LATEST)


@handles(Specifications.get_version)
def read_version(context: Context, organization_id: str, spec_slug: str, version_id: str) -> SpecificationVersion:
    """Return a version."""
    specification = _require(context, organization_id, spec_slug)
    return serialize_version(context, specification, get_version(context.database, specification, version_id))


@handles(Specifications.get_latest_content)
def read_latest_content(context: Context, organization_id: str, spec_slug: str) -> VersionContent:
    """Return the content of the newest version."""
    return read_content(context, organization_id, spec_slug, LATEST)


@handles(Specifications.get_content)
def read_content(context: Context, organization_id: str, spec_slug: str, version_id: str) -> VersionContent:
    """Return the content of a version: one file, named after its format."""
    specification = _require(context, organization_id, spec_slug)
    row = get_version(context.database, specification, version_id)
    url = serialize_version(context, specification, row).url
    name = "openapi.json" if row["content"] is None else "openapi.yaml"
    return VersionContent(filesystem={name: read_values(row)}, url=url, urls=VersionUrls(source=url, public=url))


def _require(context: Context, organization: str, slug: str) -> Row:
    require_organization(context, organization, "read")
    return get_specification(context, organization, slug)


def find_source(context: Context, organization: str, slug: str, version: str, *, is_known: bool) -> bytes | None:
    """Return the source of a version as it was read; ``None`` where the caller may not see it, or there is none.

    ``is_known`` says whether the caller of the context gave a token; without a token, only public sources are returned.
    """
    try:
        specification = get_specification(context, organization, slug)
        if specification["visibility"] != "public":
            if not is_known:
                return None
            require_organization(context, organization, "read")
        return zlib.decompress(get_version(context.database, specification, version)["source"])
    except NotFound:
        return None
