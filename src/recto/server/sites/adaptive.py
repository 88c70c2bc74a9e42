"""Claims that the visitors of a site may make, and the conditions on them."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any, Final

from recto.contract.adaptive import (
    AdaptiveContents,
    AdaptiveSchema,
    Claim,
    ObjectClaim,
    TemplateCondition,
    TemplateConditions,
    UpdateAdaptiveSchema,
    VisitorSchema,
)
from recto.document.expressions import claims
from recto.server.context import Context
from recto.server.http.registry import handles
from recto.server.serializers import known_fields
from recto.server.sites.sites import require_site
from recto.server.storage.database import Row

_EMPTY: Final[dict[str, Any]] = {"type": "object", "properties": {}, "additionalProperties": False}


def set_schema(context: Context, site: Row, schema: VisitorSchema) -> None:
    """Set the schema of a site's visitors; setting the same schema changes nothing."""
    stored = json.dumps(_write_out(schema), ensure_ascii=False)
    if stored != site["visitor_schema"]:
        context.database.update("sites", site["id"], visitor_schema=stored, visitor_schema_set_at=context.stamp())


def serialize_schema(site: Row) -> AdaptiveSchema:
    """Return the schema of a site's visitors; by default an empty schema as old as the site."""
    updated = site["visitor_schema_set_at"] or site["created_at"]
    return AdaptiveSchema(json_schema=_describe(_schema(site)), updated_at=updated)


def template_conditions(site: Row) -> tuple[TemplateCondition, ...]:
    """Return the conditions that the claims of a site's schema allow, each with what it says.

    For a claim with listed values, each value; for any other claim, that the visitor has it or has it not.
    """
    return tuple(
        TemplateCondition(description=description, condition=condition)
        for claim in claims.claims(_schema(site))
        for description, condition in _conditions(claim)
    )


def _conditions(claim: claims.Claim) -> Iterator[tuple[str, str]]:
    own = claim.path[-1]
    description = claim.description or (
        f"The visitor says “{own}” of themselves, without proof"
        if claim.is_unsigned
        else f"The visitor has the claim “{own}”"
    )
    for value in claim.values:
        listed = json.dumps(value)
        condition = f".includes({listed})" if claim.kind.endswith("[]") else f" == {listed}"
        yield f"{description}: {value}", f"{claim.expression}{condition}"
    if not claim.values:
        yield description, claim.expression
        yield f"Not: {description}", f"!{claim.expression}"


def _schema(site: Row) -> dict[str, Any]:
    stored: str | None = site["visitor_schema"]
    return _EMPTY if stored is None else json.loads(stored)


def _describe(schema: dict[str, Any]) -> dict[str, Any]:
    """Return a schema in which each claim has a description: readers expect it, so it may be empty."""
    claims = {name: {"description": ""} | _describe(claim) for name, claim in schema.get("properties", {}).items()}
    items = {"items": {"description": ""} | schema["items"]} if "items" in schema else {}
    return schema | ({"properties": claims} if "properties" in schema else {}) | items


def _write_out(schema: VisitorSchema) -> dict[str, Any]:
    """Return a schema with its properties and that there are no others, also where that was left out."""
    claims = schema.properties.model_extra or {}
    unsigned = known_fields(unsigned=schema.properties.unsigned)
    return known_fields(**{"$schema": schema.draft}) | _object(schema, {**unsigned, **claims})


def _object(schema: VisitorSchema | ObjectClaim, claims: Mapping[str, Claim]) -> dict[str, Any]:
    return {
        "type": "object",
        **known_fields(description=schema.description),
        "properties": {name: _plain(claim) for name, claim in claims.items()},
        "additionalProperties": False,
    }


def _plain(claim: Claim) -> dict[str, Any]:
    if isinstance(claim, ObjectClaim):
        return _object(claim, claim.properties)
    plain: dict[str, Any] = claim.model_dump(mode="json", exclude_unset=True)
    return plain


@handles(AdaptiveContents.get_adaptive_schema)
def get_adaptive_schema(context: Context, organization_id: str, site_id: str) -> AdaptiveSchema:
    """Return the schema of a site's visitors."""
    return serialize_schema(require_site(context, organization_id, site_id))


@handles(AdaptiveContents.update_adaptive_schema)
def update_adaptive_schema(
    context: Context, organization_id: str, site_id: str, body: UpdateAdaptiveSchema
) -> AdaptiveSchema:
    """Set the schema of a site's visitors; takes the admin role."""
    set_schema(context, require_site(context, organization_id, site_id, "admin"), body.json_schema)
    return serialize_schema(require_site(context, organization_id, site_id))


@handles(AdaptiveContents.list_template_conditions)
def list_template_conditions(context: Context, organization_id: str, site_id: str) -> TemplateConditions:
    """Return conditions on what the schema names."""
    return TemplateConditions(items=template_conditions(require_site(context, organization_id, site_id)))
