"""Keeps what the visitors of a site may claim to be, and says which conditions can be asked of it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any, Final

from recto.contract.adaptive import AdaptiveSchema, Claim, TemplateCondition, UnsignedClaims, VisitorSchema
from recto.server.answers import known
from recto.server.context import Context
from recto.server.database import Row

_EMPTY: Final[dict[str, Any]] = {"type": "object", "properties": {}, "additionalProperties": False}

# A name that stands after a point; any other one stands in brackets.
_NAME = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*")


def set_schema(context: Context, site: Row, schema: VisitorSchema) -> None:
    """Set the schema of a site's visitors; setting the one that it has changes nothing."""
    stored = json.dumps(_written_out(schema), ensure_ascii=False)
    if stored != site["visitor_schema"]:
        context.database.update("sites", site["id"], visitor_schema=stored, visitor_schema_set_at=context.stamp())


def schema_answer(site: Row) -> AdaptiveSchema:
    """Return the schema of a site's visitors; where none was set, one without claims, as old as the site."""
    return AdaptiveSchema(json_schema=_schema(site), updated_at=site["visitor_schema_set_at"] or site["created_at"])


def template_conditions(site: Row) -> tuple[TemplateCondition, ...]:
    """Return two conditions for each claim of a site's schema: that it is true of the visitor, and that it is not."""
    return tuple(
        TemplateCondition(description=description, condition=condition)
        for claim, told in _claims(_schema(site))
        for description, condition in ((told, claim), (f"Not: {told}", f"!{claim}"))
    )


def _schema(site: Row) -> dict[str, Any]:
    stored: str | None = site["visitor_schema"]
    return _EMPTY if stored is None else json.loads(stored)


def _claims(schema: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield each claim of a schema as an expression, and what it says."""
    for name, claim in schema["properties"].items():
        if name == "unsigned":
            for inner, unsigned in claim["properties"].items():
                told = unsigned.get("description") or f"The visitor says “{inner}” of themselves, without proof"
                yield f"visitor.claims.unsigned{_member(inner)}", told
        else:
            yield f"visitor.claims{_member(name)}", claim.get("description") or f"The visitor has the claim “{name}”"


def _member(name: str) -> str:
    return f".{name}" if _NAME.fullmatch(name) else f"[{json.dumps(name)}]"


def _written_out(schema: VisitorSchema) -> dict[str, Any]:
    """Return a schema with its properties and that there are no others, also where that was left out."""
    claims = {name: _plain(claim) for name, claim in (schema.properties.model_extra or {}).items()}
    unsigned = schema.properties.unsigned
    return {
        **known(**{"$schema": schema.draft}),
        "type": "object",
        **known(description=schema.description),
        "properties": known(unsigned=_unsigned(unsigned)) | claims,
        "additionalProperties": False,
    }


def _unsigned(claims: UnsignedClaims | None) -> dict[str, Any] | None:
    if claims is None:
        return None
    return {
        "type": "object",
        **known(description=claims.description),
        "properties": {name: _plain(claim) for name, claim in claims.properties.items()},
        "additionalProperties": False,
    }


def _plain(claim: Claim) -> dict[str, Any]:
    return {"type": "boolean", **known(description=claim.description)}
