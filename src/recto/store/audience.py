"""The audience of a site: its adaptive schema, and what a visitor with some claims is shown."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from pydantic import ValidationError

from recto.contract.adaptive import AdaptiveContents, AdaptiveSchema, UpdateAdaptiveSchema, VisitorSchema
from recto.contract.misfit import locate
from recto.document.expressions.claims import Claim, Verdicts, claims
from recto.document.json_text import line_at, lines_of
from recto.frozen import frozen
from recto.store.arrangement import Arrangement, Kind
from recto.store.mutation import Mutation, unless_changed
from recto.store.query_keys import about

if TYPE_CHECKING:
    from recto.contract.content import Page
    from recto.store.rearranging import SiteAddress

Schema = dict[str, Any]


@frozen
class Fault:
    """A fault in the text of a schema, and its line, counted from 1."""

    line: int
    sentence: str


def read_schema(text: str) -> VisitorSchema | Fault:
    """Parse a schema from JSON; return it, or the first fault."""
    try:
        data = json.loads(text)
    except json.JSONDecodeError as error:
        return Fault(error.lineno, f"{error.msg} (column {error.colno})")
    except RecursionError:
        return Fault(1, "nested too deeply")
    try:
        return VisitorSchema.model_validate(data)
    except ValidationError as error:
        lines = lines_of(text)
        steps, what = min(locate(error), key=lambda fault: line_at(lines, fault[0]))
        if what.startswith("'type'"):  # an unknown kind is reported at its parent
            steps = (*steps, "type")
        named = [str(step) for step in steps if isinstance(step, str)]
        return Fault(line_at(lines, steps), f"{named[-1]}: {what}" if named else what)


def format_schema(schema: Mapping[str, Any]) -> str:
    """Return a schema as JSON for people."""
    return json.dumps(schema, ensure_ascii=False, indent=2)


def set_schema(site: SiteAddress, before: Mapping[str, Any], schema: VisitorSchema) -> Mutation[AdaptiveSchema]:
    """Set the claims of a site's visitors; undoing sets those before."""
    address = (site.organization, site.id)

    def inverse(_: AdaptiveSchema) -> Mutation[AdaptiveSchema] | None:
        try:
            return set_schema(site, json.loads(schema.to_json()), VisitorSchema.model_validate(before))
        except ValidationError:
            return None  # a newer service: this version cannot write it

    return Mutation(
        doing="Changing the adaptive schema",
        done="Changed the adaptive schema",
        call=lambda call: call(
            AdaptiveContents.update_adaptive_schema, *address, UpdateAdaptiveSchema(json_schema=schema)
        ),
        stale=(about(site_id=site.id),),
        inverse=unless_changed(
            inverse, ("json_schema",), lambda call: call(AdaptiveContents.get_adaptive_schema, *address)
        ),
        once=True,
        lane=site.lane,
    )


# Single claims


def with_claim(schema: Mapping[str, Any], claim: Claim, before: Claim | None = None) -> Schema:
    """Return a schema with a claim in place of another, or added last; missing parent objects are created.

    Raises ``ValueError`` where another claim has its name, or where ``before`` is gone.
    """
    changed = deepcopy(dict(schema)) or {"type": "object"}
    if before is not None and before.path[-1] not in _members(changed, before.path[2:-1]):
        raise ValueError(f"The claim {before.expression} was deleted meanwhile.")
    members = _members(changed, claim.path[2:-1])
    if before is None or before.path != claim.path:
        if claim.path[-1] in members:
            raise ValueError(f"There is already a claim {claim.expression}.")
        if before is not None:
            _members(changed, before.path[2:-1]).pop(before.path[-1])
    members[claim.path[-1]] = _as_schema(claim)
    return changed


def without_claim(schema: Mapping[str, Any], claim: Claim) -> Schema:
    """Return a schema without a claim."""
    changed = deepcopy(dict(schema))
    _members(changed, claim.path[2:-1]).pop(claim.path[-1], None)
    return changed


def _members(schema: Schema, path: tuple[str, ...]) -> Schema:
    here: Schema = schema.setdefault("properties", {})
    for name in path:
        here = here.setdefault(name, {"type": "object", "additionalProperties": False}).setdefault("properties", {})
    return here


def _as_schema(claim: Claim) -> Schema:
    plain: Schema = {"type": claim.kind.removesuffix("[]")}
    if claim.values:
        plain["enum"] = list(claim.values)
    described = {"description": claim.description} if claim.description else {}
    return {"type": "array", "items": plain, **described} if claim.kind.endswith("[]") else {**plain, **described}


def differences(before: Mapping[str, Any], after: Mapping[str, Any]) -> list[str]:
    """Return how the claims of two schemas differ, a line each."""
    old, new = ({claim.expression: claim for claim in claims(schema)} for schema in (before, after))
    found = [f"{name} is new" for name in new if name not in old]
    found += [f"{name} is gone" for name in old if name not in new]
    return found + [f"{name} has changed" for name in new if name in old and new[name] != old[name]]


# What a visitor is shown

Visitor = Mapping[str, Any]
"""The claims of a visitor by name; those in ``unsigned`` below that."""


def claim_of(visitor: Visitor, claim: Claim) -> Any:
    """Return what a visitor claims; ``None`` where nothing."""
    here: Any = visitor
    for name in claim.path[2:]:
        here = here.get(name) if isinstance(here, Mapping) else None
    return here


def with_claimed(visitor: Visitor, claim: Claim, value: Any) -> dict[str, Any]:
    """Return a visitor who claims something else; ``None`` takes the claim away."""
    return _with_value(visitor, claim.path[2:], value)


def _with_value(values: Mapping[str, Any], path: Sequence[str], value: Any) -> dict[str, Any]:
    """Return values with a new value at a path, without empty objects, which would count as true."""
    name, *below = path
    inside = values.get(name)
    new = _with_value(inside if isinstance(inside, Mapping) else {}, below, value) or None if below else value
    others = {key: each for key, each in values.items() if key != name}
    return others if new is None else {**others, name: new}


DEPENDS: Final = "depends on variables"
UNREADABLE: Final = "condition cannot be read"


def find_hidden(arrangement: Arrangement, verdicts: Verdicts) -> dict[str, str]:
    """Return why items of a site are not shown to a visitor, by their ids.

    What holds nothing that is shown is not shown either, as long as it holds something.
    """
    found: dict[str, str] = {}
    for _, item in arrangement.walk():
        above = arrangement.parents[item.id]
        if above is not None and above in found:
            found[item.id] = found[above]
        elif reason := _why_not_met(item.condition, verdicts):
            found[item.id] = reason
    for _, item in reversed([*arrangement.walk()]):
        inside = arrangement.under(item.id)
        if item.kind in (Kind.SECTION, Kind.GROUP) and inside and all(id in found for id in inside):
            found.setdefault(item.id, "nothing in it is shown")
    return found


def page_verdict(page: Page, verdicts: Verdicts) -> str:
    """Return why a page is hidden from a visitor, or that it is unknown; empty where it is shown."""
    reason = _why_not_met(page.condition, verdicts)
    if page.condition is None or reason == UNREADABLE or verdicts.is_of_claims(page.condition):
        return reason
    return DEPENDS


def _why_not_met(condition: str | None, verdicts: Verdicts) -> str:
    if condition is None or verdicts.is_met(condition):
        return ""
    return "condition not met" if verdicts.is_readable(condition) else UNREADABLE


Edit = Callable[[Schema], Schema]
"""Returns the new schema, given the present one; raises ``ValueError`` if that is not possible."""
