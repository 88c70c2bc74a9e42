"""Answers about what a site's visitors may claim to be."""

from __future__ import annotations

from recto.contract.adaptive import (
    AdaptiveContents,
    AdaptiveSchema,
    TemplateConditions,
    UpdateAdaptiveSchema,
)
from recto.server.context import Context
from recto.server.http.registry import handles
from recto.server.sites.adaptive import schema_answer, set_schema, template_conditions
from recto.server.sites.sites import require_site


@handles(AdaptiveContents.get_adaptive_schema)
def get_adaptive_schema(context: Context, organization_id: str, site_id: str) -> AdaptiveSchema:
    """Return the schema of a site's visitors."""
    return schema_answer(require_site(context, organization_id, site_id))


@handles(AdaptiveContents.update_adaptive_schema)
def update_adaptive_schema(
    context: Context, organization_id: str, site_id: str, body: UpdateAdaptiveSchema
) -> AdaptiveSchema:
    """Set the schema of a site's visitors; takes the role admin."""
    set_schema(context, require_site(context, organization_id, site_id, "admin"), body.json_schema)
    return schema_answer(require_site(context, organization_id, site_id))


@handles(AdaptiveContents.list_template_conditions)
def list_template_conditions(context: Context, organization_id: str, site_id: str) -> TemplateConditions:
    """Return conditions on what the schema names."""
    return TemplateConditions(items=template_conditions(require_site(context, organization_id, site_id)))
