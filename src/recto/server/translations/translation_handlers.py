"""Handlers of translations. Members see those of spaces that they see; all else takes the create role."""

from __future__ import annotations

from contextlib import suppress

from recto.contract.common import ListPage
from recto.contract.operation import DECLARED
from recto.contract.translations import CreateTranslation, Translation, Translations, UpdateTranslation
from recto.server.context import Context
from recto.server.http.paging import list_rows
from recto.server.http.problems import BadRequest, NotFound
from recto.server.http.registry import JobKind, handles
from recto.server.jobs import Task
from recto.server.people.access import require, require_organization
from recto.server.storage.database import Row
from recto.server.translations.running import translation_task
from recto.server.translations.stored_translations import (
    TRANSLATIONS,
    get_translation,
    parameters,
    serialize_translation,
)


@handles(Translations.list_translations)
def list_translations(
    context: Context, organization_id: str, page: str | None = DECLARED, limit: int | None = DECLARED
) -> ListPage[Translation]:
    """Return the translations of an organization, the newest first."""
    require_organization(context, organization_id, "read")
    return list_rows(
        context.database,
        TRANSLATIONS,
        parameters(context, organization_id),
        keys=("sequence",),
        build=lambda row: serialize_translation(context, row),
        page=page,
        limit=limit,
        order="desc",
    )


@handles(Translations.create_translation)
def create_translation(context: Context, organization_id: str, body: CreateTranslation) -> Translation:
    """Add a translation of a space, in a language that is neither its own nor one it has a translation in."""
    require_organization(context, organization_id, "create")
    _check_source(context, organization_id, body)
    id, now = context.ids.fresh(), context.stamp()
    context.database.insert(
        "translations",
        id=id,
        organization=organization_id,
        source=body.source.space,
        source_language=body.source.language,
        language=body.language,
        instructions=body.instructions.to_json().decode(),
        created_at=now,
        updated_at=now,
    )
    return serialize_translation(context, get_translation(context, organization_id, id))


def _check_source(context: Context, organization: str, body: CreateTranslation) -> None:
    try:
        space = require(context, body.source.space)
    except NotFound as problem:
        raise BadRequest(f"source.space: {problem.message}") from problem
    if space["organization"] != organization:
        raise BadRequest(f"source.space: the space “{space['title']}” is in another organization")
    if body.language == body.source.language:
        raise BadRequest(f"language: the source is in {body.language} already")
    known = context.database.value(
        "SELECT 1 FROM translations WHERE organization = ? AND source = ? AND language = ?",
        organization,
        body.source.space,
        body.language,
    )
    if known:
        raise BadRequest(f"language: the space “{space['title']}” has a translation into {body.language} already")


@handles(Translations.get_translation)
def read_translation(context: Context, organization_id: str, translation_id: str) -> Translation:
    """Return a translation."""
    require_organization(context, organization_id, "read")
    return serialize_translation(context, get_translation(context, organization_id, translation_id))


@handles(Translations.update_translation)
def update_translation(
    context: Context, organization_id: str, translation_id: str, body: UpdateTranslation
) -> Translation:
    """Change the instructions of a translation."""
    row = _require(context, organization_id, translation_id)
    instructions = body.instructions.to_json().decode()
    context.database.update("translations", row["id"], instructions=instructions, updated_at=context.stamp())
    return serialize_translation(context, get_translation(context, organization_id, translation_id))


@handles(Translations.delete_translation)
def delete_translation(context: Context, organization_id: str, translation_id: str) -> None:
    """Delete a translation, if it is there; its space stays, and a run that is under way keeps nothing."""
    require_organization(context, organization_id, "create")
    with suppress(NotFound):
        row = get_translation(context, organization_id, translation_id)
        context.database.execute("DELETE FROM translations WHERE id = ?", row["id"])


@handles(Translations.run_translation, job=JobKind.BEGUN)
def run_translation(context: Context, organization_id: str, translation_id: str) -> Task[None]:
    """Begin to translate; refused without an engine, and while another run goes on."""
    return translation_task(context, _require(context, organization_id, translation_id))


def _require(context: Context, organization: str, translation: str) -> Row:
    require_organization(context, organization, "create")
    return get_translation(context, organization, translation)
