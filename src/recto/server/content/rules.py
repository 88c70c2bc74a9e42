"""The rules that a change request must meet before it may be merged."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from recto.contract.merge_rules import MergeRule, MergeRules
from recto.server.context import Context
from recto.server.database import Row
from recto.server.problems import Conflict


@dataclass(frozen=True, slots=True)
class Candidate:
    """A change request that someone wants to merge, with the verdict of each standing review by its reviewer."""

    context: Context
    row: Row
    verdicts: Mapping[str, str] = field(default_factory=dict)


Check = Callable[[Candidate, MergeRule], str | None]
"""Says why a rule is not met, or ``None``."""


def check(context: Context, row: Row) -> None:
    """Raise :class:`Conflict` with the first rule that is not met, unless the caller may pass over the rules."""
    rules = rules_of(context, row["space"])
    if any(rule.rule == "allow_bypass" and context.caller in rule.users for rule in rules):
        return
    candidate = Candidate(context, row, standing_verdicts(context, row["id"]))
    for rule in rules:
        why = unmet(candidate, rule)
        if why is not None:
            raise Conflict(f"The merge rule {rule.rule} is not met: {why}.")


def rules_of(context: Context, space: str) -> tuple[MergeRule, ...]:
    """Return the rules in force in a space: its own, or its organization's where it inherits them."""
    row = context.database.one(
        "SELECT spaces.merge_rules AS own, organizations.merge_rules AS inherited FROM spaces"
        " JOIN organizations ON organizations.id = spaces.organization WHERE spaces.id = ?",
        space,
    )
    assert row is not None
    rules = MergeRules.model_validate_json(row["own"])
    if rules.type == "inherit":
        rules = MergeRules.model_validate_json(row["inherited"])
    return rules.rules if rules.type == "rules" else ()


def standing_verdicts(context: Context, change_request: str) -> dict[str, str]:
    """Return what each reviewer said in the review of theirs that still stands."""
    rows = context.database.all(
        "SELECT reviewer, status FROM reviews WHERE change_request = ? AND NOT outdated ORDER BY created_at",
        change_request,
    )
    return {row["reviewer"]: row["status"] for row in rows}


def unmet(candidate: Candidate, rule: MergeRule) -> str | None:
    """Return why a rule is not met, or ``None`` where it is."""
    why = _CHECKS.get(rule.rule, _unknown)(candidate, rule)
    return f"{why} ({rule.message})" if why and rule.message else why


def _specific(candidate: Candidate, rule: MergeRule) -> str | None:
    missing = [user for user in rule.users if user not in candidate.verdicts]
    return f"a review by {_people(candidate, missing)} is missing" if missing else None


def _one_of_specific(candidate: Candidate, rule: MergeRule) -> str | None:
    if any(user in candidate.verdicts for user in rule.users):
        return None
    return f"a review by one of {_people(candidate, list(rule.users))} is missing"


def _people(candidate: Candidate, users: list[str]) -> str:
    rows = candidate.context.database.all(
        "SELECT id, display_name FROM users WHERE id IN (SELECT value FROM json_each(?))", json.dumps(users)
    )
    names = {row["id"]: row["display_name"] for row in rows}
    return ", ".join(names.get(user, user) for user in users)


def _reviewed(candidate: Candidate, rule: MergeRule) -> str | None:
    return None if candidate.verdicts else "nobody has reviewed the change request"


def _approved(candidate: Candidate, rule: MergeRule) -> str | None:
    return None if "approved" in candidate.verdicts.values() else "nobody has approved the change request"


def _all_approved(candidate: Candidate, rule: MergeRule) -> str | None:
    against = [user for user, status in candidate.verdicts.items() if status != "approved"]
    return f"changes are requested by {_people(candidate, against)}" if against else None


def _up_to_date(candidate: Candidate, rule: MergeRule) -> str | None:
    outdated = candidate.row["outdated"]
    return "the main content has moved on; update the change request first" if outdated else None


def _subject(candidate: Candidate, rule: MergeRule) -> str | None:
    return None if candidate.row["subject"].strip() else "the change request has no subject"


def _description(candidate: Candidate, rule: MergeRule) -> str | None:
    stored = candidate.row["description"]
    return None if stored and _says_something(json.loads(stored)) else "the change request has no description"


def _says_something(node: Any) -> bool:
    if isinstance(node, list):
        return any(map(_says_something, node))
    if not isinstance(node, dict):
        return False
    return bool(str(node.get("text", "")).strip()) or any(
        _says_something(node.get(name)) for name in ("nodes", "leaves")
    )


def _author(candidate: Candidate, rule: MergeRule) -> str | None:
    is_author = candidate.row["created_by"] == candidate.context.caller
    return None if is_author else "only the person who made the change request may merge it"


def _agent(candidate: Candidate, rule: MergeRule) -> str | None:
    return "it asks for a review by an agent, and there is no agent here"


def _custom(candidate: Candidate, rule: MergeRule) -> str | None:
    return f"this server does not evaluate the expression {rule.expression or ''}".rstrip()


def _unknown(candidate: Candidate, rule: MergeRule) -> str | None:
    return "this server does not know the rule"


def _met(candidate: Candidate, rule: MergeRule) -> str | None:
    return None


_CHECKS: Mapping[str, Check] = {
    "allow_bypass": _met,
    "require_specific_reviewers": _specific,
    "require_one_of_specific_reviewers": _one_of_specific,
    "require_at_least_one_review": _reviewed,
    "require_at_least_one_approved_review": _approved,
    "require_all_reviews_approved": _all_approved,
    "require_up_to_date_change_request": _up_to_date,
    "require_change_request_subject": _subject,
    "require_change_request_description": _description,
    "require_author_to_merge": _author,
    "require_agent_review": _agent,
    "custom": _custom,
}
