"""Checks the merge rules that a space or an organization is given."""

from __future__ import annotations

import json

from recto.contract.merge_rules import MergeRulesBody
from recto.document.expressions.language import ExpressionError, parse
from recto.document.merge.rules import RULES_WITH_USERS
from recto.server.http.problems import BadRequest


def check_rules(body: MergeRulesBody) -> str:
    """Return merge rules as they are stored; raises :class:`BadRequest` for a rule that lacks what it goes by."""
    rules = body.rules or ()
    if rules and body.type != "rules":
        raise BadRequest(f"mergeRules.rules: go with the type rules, not with {body.type}")
    for at, rule in enumerate(rules):
        if rule.rule in RULES_WITH_USERS and not rule.users:
            raise BadRequest(f"mergeRules.rules[{at}].users: the rule {rule.rule} needs at least one user")
        if rule.rule == "custom" and not rule.expression:
            raise BadRequest(f"mergeRules.rules[{at}].expression: is required for the rule custom")
        if rule.expression:
            _refuse_unreadable(rule.expression, f"mergeRules.rules[{at}].expression")
    stored = body.model_dump(mode="json", by_alias=True, exclude_unset=True)
    if body.type == "rules":
        stored.setdefault("rules", [])
    return json.dumps(stored)


def _refuse_unreadable(expression: str, field: str) -> None:
    try:
        parse(expression)
    except ExpressionError as error:
        raise BadRequest(f"{field}: cannot be read: {error}") from error
