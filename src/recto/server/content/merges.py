"""Merges of change requests into main, and updates from main."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from recto.checkpoints import checkpoint
from recto.contract.merge_rules import MergeRule, MergeRules
from recto.contract.model import Model
from recto.document.merge.rules import Situation, evaluate_rules, may_pass_over, rules_in_force
from recto.frozen import frozen
from recto.server.content import keys, open_conflicts
from recto.server.content.change_requests import advance, base_of, name_titles, require_open
from recto.server.content.content_merge import Labels, MergeConflict, Merged, merge_contents
from recto.server.content.main_content import set_main
from recto.server.content.objects import PendingObjects
from recto.server.content.revisions import (
    StoredRevision,
    content_of,
    create_revision,
    get_revision,
    main_revision,
    tree_of,
)
from recto.server.context import Context
from recto.server.http.problems import Conflict
from recto.server.people.access import space_role
from recto.server.serializers import SPACES, serialize_space, users_by_id
from recto.server.storage.database import Moved, Row


def check_rules(context: Context, row: Row) -> None:
    """Raise a problem with the first rule that is not met, unless the caller may pass over the rules."""
    rules = rules_of(context, row["space"])
    if not rules or may_pass_over(rules, context.caller):
        return
    for verdict in evaluate_rules(rules, situation_of(context, row, rules)):
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
    """Return the input of merge rules: the change request, its reviews, its space and the caller, as on the wire."""
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
        space=_plain(serialize_space(context, space, space_role(context, space))),
        names={id: user.display_name for id, user in users.items()},
    )


def _plain(response: Model) -> dict[str, Any]:
    return response.model_dump(mode="json", by_alias=True, exclude_unset=True)


@frozen
class MergedRevision:
    """The id of the resulting revision, and ``merge``, ``update`` or ``conflicts``."""

    revision: str
    result: str


@frozen
class MergePlan:
    """The merge of a change request and the main content, and the texts and keys to store for it."""

    ours: StoredRevision
    theirs: StoredRevision
    base: str
    merged: Merged
    pending: PendingObjects


def plan_merge(context: Context, row: Row, doing: str) -> MergePlan:
    """Work out the merge of a change request and the main content; only reads.

    Raises a 409 where the change request is merged or archived; ``doing`` is what cannot be done then.
    """
    require_open(row, doing)
    connection = context.database
    ours, theirs = get_revision(connection, row["revision"]), main_revision(connection, row["space"])
    merged = _merge(context, row, ours, theirs)
    pending = PendingObjects(connection)
    for text in merged.texts.values():
        pending.put_text(text)
    for page, (before, other, text_name) in merged.rewritten.items():
        keys.carry_later(pending, page, (before, other), text_name)
    return MergePlan(ours, theirs, base_of(row), merged, pending)


def merge(context: Context, row: Row, plan: MergePlan | None = None) -> MergedRevision:
    """Merge a change request into its space's main content, as planned, or as is worked out here.

    Raises a 409 where it is merged or archived, where a merge rule is not met, and where something would conflict or
    a conflict is not resolved; it names the rule or the pages, and nothing is changed. Raises :class:`Moved` where the
    plan was made for other revisions.
    """
    require_open(row, "merged")
    check_rules(context, row)
    connection = context.database
    unresolved = open_conflicts.find_open_conflicts(connection, row["revision"])
    if unresolved:
        raise _refusal("conflicts from the last update are not resolved", unresolved)
    plan = _check_fit(context, row, plan)
    merged = plan.merged
    if merged.conflicts:
        raise _refusal("the main content has changed the same parts; update the change request first", merged.conflicts)
    plan.pending.store(connection)
    checkpoint("merge.before-revision")
    revision = create_revision(
        context, row["space"], "merge", (plan.theirs.id, plan.ours.id), merged.content, merged_from=row["id"]
    )
    checkpoint("merge.before-main")
    set_main(context, revision)
    checkpoint("merge.before-status")
    connection.update(
        "change_requests",
        row["id"],
        status="merged",
        revision_merged=revision.id,
        updated_at=revision.created_at,
    )
    checkpoint("merge.after-status")
    return MergedRevision(revision.id, "merge")


def pull(context: Context, row: Row, plan: MergePlan | None = None) -> MergedRevision:
    """Update a change request from main, as planned, or as is worked out here.

    What conflicts in a text stands between markers afterwards; what else conflicts is kept beside the revision, whose
    content says what the change request says. Both keep it from being merged until they are resolved. Raises
    :class:`Moved` where the plan was made for other revisions.
    """
    require_open(row, "updated")
    plan = _check_fit(context, row, plan)
    connection = context.database
    ours, theirs, merged = plan.ours, plan.theirs, plan.merged
    if theirs.id == plan.base:
        return MergedRevision(ours.id, "update")
    plan.pending.store(connection)
    checkpoint("pull.before-revision")
    revision = advance(context, row, "update", (ours.id, theirs.id), merged.content)
    agreed = _find_agreed(context, ours, theirs)
    open_conflicts.carry(connection, ours.id, revision.id, agreed, merged.content.root)
    open_conflicts.record(connection, revision.id, merged.conflicts)
    connection.update("change_requests", row["id"], revision_merged_ancestor=theirs.id)
    checkpoint("pull.after-ancestor")
    return MergedRevision(revision.id, "conflicts" if merged.conflicts else "update")


def _check_fit(context: Context, row: Row, plan: MergePlan | None) -> MergePlan:
    """Return the plan; raises :class:`Moved` where it was made for another state."""
    if plan is None:
        return plan_merge(context, row, "merged")
    if (plan.ours.id, plan.theirs.id, plan.base) != (
        row["revision"],
        main_revision(context.database, row["space"]).id,
        base_of(row),
    ):
        raise Moved
    return plan


def _find_agreed(context: Context, ours: StoredRevision, theirs: StoredRevision) -> set[tuple[str, str]]:
    """Return those of the conflicts left from an earlier update about which both sides say the same by now."""
    trees = tree_of(context.database, ours), tree_of(context.database, theirs)
    agreed = set()
    for each in open_conflicts.find_open_conflicts(context.database, ours.id):
        mine, main = (tree.places.get(each.page) for tree in trees)
        if mine is None or main is None:
            continue
        same = mine.node.attributes.get(each.field) == main.node.attributes.get(each.field)
        if mine.parent == main.parent if each.field == "parent" else same and each.field != "deleted":
            agreed.add((each.page, each.field))
    return agreed


def _merge(context: Context, row: Row, ours: StoredRevision, theirs: StoredRevision) -> Merged:
    connection = context.database
    return merge_contents(
        connection,
        content_of(connection, get_revision(connection, base_of(row))),
        content_of(connection, ours),
        content_of(connection, theirs),
        now=context.stamp(),
        labels=Labels(f"change request #{row['number']}", "main content"),
    )


def _refusal(why: str, found: Iterable[MergeConflict]) -> Conflict:
    titles = name_titles(each.title for each in found)
    return Conflict(f"The change request cannot be merged: {why}. Pages: {titles}.")
