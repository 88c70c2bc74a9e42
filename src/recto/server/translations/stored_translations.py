"""Translations as they are stored and as the contract has them."""

from __future__ import annotations

import json
from typing import Any, Final

from recto.contract.common import Urls
from recto.contract.jobs import JobState
from recto.contract.rich_text import Document
from recto.contract.translations import (
    COMPLETED,
    PENDING,
    RUNNING,
    Translation,
    TranslationPermissions,
    TranslationResult,
    TranslationSource,
    TranslationStats,
)
from recto.server.context import Context
from recto.server.http.problems import NotFound
from recto.server.people.access import allows, standing_of
from recto.server.serializers import known_fields
from recto.server.storage.database import Row

TRANSLATIONS: Final = """
    SELECT *, rowid AS sequence FROM translations WHERE organization = :organization AND (
        source IN (SELECT value FROM json_each(:visible))
        OR source NOT IN (SELECT id FROM spaces WHERE organization = :organization)
        AND (:is_admin OR result IN (SELECT value FROM json_each(:visible))))
"""
"""Selects the translations of an organization whose source the caller may see, also while it can be restored.

Of those that have lost their source the caller sees those whose result they may see; an admin sees all.
"""


def parameters(context: Context, organization: str) -> dict[str, Any]:
    """Return the parameters of :data:`TRANSLATIONS`."""
    standing = standing_of(context, organization)
    spaces = context.database.all("SELECT id, parent, default_level FROM spaces WHERE organization = ?", organization)
    visible = [space["id"] for space in spaces if standing.on(space) is not None]
    return {"organization": organization, "visible": json.dumps(visible), "is_admin": allows(standing.role, "admin")}


def get_translation(context: Context, organization: str, translation: str) -> Row:
    """Return the row of a translation; raises :class:`NotFound`."""
    row = context.database.one(f"{TRANSLATIONS} AND id = :id", {**parameters(context, organization), "id": translation})
    if row is None:
        raise NotFound(f"There is no translation {translation[:100]} in this organization, or you may not see it.")
    return row


def is_running(context: Context, row: Row) -> bool:
    """Whether a translation is running, in this process or another."""
    if row["job"] is None:
        return False
    # The end of a job and what it has stored are read together: it may have ended after this was read.
    state = context.database.value("SELECT state FROM jobs WHERE id = ?", row["job"])
    return state == JobState.RUNNING.value and context.is_job_running(str(row["job"]))


def serialize_translation(context: Context, row: Row) -> Translation:
    """Return a row of :data:`TRANSLATIONS` as the caller sees it."""
    can_edit = allows(standing_of(context, row["organization"]).role, "create")
    finished = COMPLETED if row["is_complete"] else PENDING
    result = None
    if row["result"] is not None:
        result = TranslationResult(space=row["result"], revision=row["revision"], language=row["language"])
    return Translation(
        id=row["id"],
        status=RUNNING if is_running(context, row) else finished,
        source=TranslationSource(space=row["source"], language=row["source_language"]),
        language=row["language"],
        instructions=Document.model_validate_json(row["instructions"]),
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        stats=TranslationStats(**{name: row[name] for name in TranslationStats.model_fields}),
        permissions=TranslationPermissions(view=True, edit=can_edit),
        urls=Urls(location=context.location(f"/orgs/{row['organization']}/translations/{row['id']}")),
        **known_fields(result=result),
    )
