"""Holds a change request to the rules of its space before it is merged."""

from __future__ import annotations

import json
from typing import Any

from recto.contract.merge_rules import MergeRule, MergeRules
from recto.contract.model import Model
from recto.document.merge.merge_rules import Situation, judge, may_pass_over, rules_in_force
from recto.server.context import Context
from recto.server.http.problems import Conflict
from recto.server.people.access import space_role
from recto.server.people.answers import SPACES, space_answer, users_by_id
from recto.server.storage.database import Row


def check(context: Context, row: Row) -> None:
    """Raise :class:`Conflict` with the first rule that is not met, unless the caller may pass over the rules."""
    rules = rules_of(context, row["space"])
    if not rules or may_pass_over(rules, context.caller):
        return
    for verdict in judge(rules, situation_of(context, row, rules)):
        if not verdict.met:
            raise Conflict(f"The merge rule {verdict.rule.rule} is not met. {verdict.says}.")


def rules_of(context: Context, space: str) -> tuple[MergeRule, ...]:
    """Return the rules in force in a space: its own, or its organization's where it inherits them."""
    row = context.database.one(
        "SELECT spaces.merge_rules AS own, organizations.merge_rules AS inherited FROM spaces"
        " JOIN organizations ON organizations.id = spaces.organization WHERE spaces.id = ?",
        space,
    )
    assert row is not None
    own, inherited = (MergeRules.model_validate_json(row[name]) for name in ("own", "inherited"))
    return rules_in_force(own, inherited) or ()


def situation_of(context: Context, row: Row, rules: tuple[MergeRule, ...]) -> Situation:
    """Return what the rules go by: the change request, its reviews, its space and the caller, as on the wire."""
    reviews = context.database.all("SELECT * FROM reviews WHERE change_request = ? ORDER BY created_at, id", row["id"])
    named = [user for rule in rules for user in rule.users]
    users = users_by_id(
        context, [context.caller, row["created_by"], *(review["reviewer"] for review in reviews), *named]
    )
    people = {id: _plain(user) for id, user in users.items()}
    space = context.database.one(f"{SPACES} WHERE id = ?", row["space"])
    assert space is not None
    return Situation(
        request={
            "object": "change-request",
            **{name: row[name] for name in ("id", "number", "status", "subject", "space", "revision")},
            "createdBy": people.get(row["created_by"]),
            "createdAt": row["created_at"],
            "updatedAt": row["updated_at"],
            "comments": row["open_comments"],
            "outdated": bool(row["outdated"]),
            **({"description": json.loads(row["description"])} if row["description"] else {}),
        },
        reviews=[
            {
                "object": "change-request-review",
                **{name: review[name] for name in ("id", "revision", "status")},
                "outdated": bool(review["outdated"]),
                "reviewer": people.get(review["reviewer"]),
                "createdAt": review["created_at"],
                "updatedAt": review["updated_at"],
            }
            for review in reviews
        ],
        actor=people[context.caller],
        space=_plain(space_answer(context, space, space_role(context, space))),
        names={id: user.display_name for id, user in users.items()},
    )


def _plain(answer: Model) -> dict[str, Any]:
    return answer.model_dump(mode="json", by_alias=True, exclude_unset=True)
