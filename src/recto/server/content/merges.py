"""Bringing a change request into the main content, and the main content into a change request."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from recto.checkpoints import checkpoint
from recto.server.content import conflicts, keys, rules
from recto.server.content.change_requests import advance, base_of, named, require_open
from recto.server.content.merging import Conflict, Labels, Merged, merge_contents
from recto.server.content.revisions import (
    Revision,
    content_of,
    create_revision,
    get_revision,
    main_revision,
    set_main,
    tree_of,
)
from recto.server.content.store import save_texts
from recto.server.context import Context
from recto.server.database import Row
from recto.server.problems import Conflict as Refusal


@dataclass(frozen=True, slots=True)
class Outcome:
    """The id of the revision that holds what came of it, and ``merge``, ``update`` or ``conflicts``."""

    revision: str
    result: str


def merge(context: Context, row: Row) -> Outcome:
    """Merge a change request into its space's main content.

    Raises a 409 where it is merged or archived, where a merge rule is not met, and where something would conflict or
    a conflict is not settled; it names the rule or the pages, and nothing is changed.
    """
    require_open(row, "merged")
    rules.check(context, row)
    connection = context.database
    unsettled = conflicts.open_conflicts(connection, row["revision"])
    if unsettled:
        raise _refused("conflicts from the last update are not settled", unsettled)
    ours, theirs = get_revision(connection, row["revision"]), main_revision(connection, row["space"])
    merged = _merged(context, row, ours, theirs)
    if merged.conflicts:
        raise _refused("the main content has changed the same parts; update the change request first", merged.conflicts)
    _keep(context, merged)
    checkpoint("merge.before-revision")
    revision = create_revision(
        context, row["space"], "merge", (theirs.id, ours.id), merged.content, merged_from=row["id"]
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
    return Outcome(revision.id, "merge")


def pull(context: Context, row: Row) -> Outcome:
    """Pull the main content into a change request.

    What conflicts in a text stands between markers afterwards; what else conflicts is kept beside the revision, whose
    content says what the change request says. Both keep it from being merged until they are settled.
    """
    require_open(row, "updated")
    connection = context.database
    ours, theirs = get_revision(connection, row["revision"]), main_revision(connection, row["space"])
    if theirs.id == base_of(row):
        return Outcome(ours.id, "update")
    merged = _merged(context, row, ours, theirs)
    _keep(context, merged)
    checkpoint("pull.before-revision")
    revision = advance(context, row, "update", (ours.id, theirs.id), merged.content)
    agreed = _agreed(context, ours, theirs)
    conflicts.carry(connection, ours.id, revision.id, agreed, merged.content.root)
    conflicts.record(connection, revision.id, merged.conflicts)
    connection.update("change_requests", row["id"], revision_merged_ancestor=theirs.id)
    checkpoint("pull.after-ancestor")
    return Outcome(revision.id, "conflicts" if merged.conflicts else "update")


def would_conflict(context: Context, row: Row) -> tuple[Conflict, ...]:
    """Return what keeps a change request from being merged or would conflict on an update."""
    connection = context.database
    ours, theirs = get_revision(connection, row["revision"]), main_revision(connection, row["space"])
    return (*conflicts.open_conflicts(connection, ours.id), *_merged(context, row, ours, theirs).conflicts)


def _agreed(context: Context, ours: Revision, theirs: Revision) -> set[tuple[str, str]]:
    """Return those of the conflicts left from an earlier update about which both sides say the same by now."""
    trees = tree_of(context.database, ours), tree_of(context.database, theirs)
    agreed = set()
    for each in conflicts.open_conflicts(context.database, ours.id):
        mine, main = (tree.places.get(each.page) for tree in trees)
        if mine is None or main is None:
            continue
        same = mine.node.attributes.get(each.field) == main.node.attributes.get(each.field)
        if mine.parent == main.parent if each.field == "parent" else same and each.field != "deleted":
            agreed.add((each.page, each.field))
    return agreed


def _merged(context: Context, row: Row, ours: Revision, theirs: Revision) -> Merged:
    connection = context.database
    return merge_contents(
        connection,
        content_of(connection, get_revision(connection, base_of(row))),
        content_of(connection, ours),
        content_of(connection, theirs),
        now=context.stamp(),
        labels=Labels(f"change request #{row['number']}", "main content"),
    )


def _keep(context: Context, merged: Merged) -> None:
    """Store the texts that the merge made, and let their blocks keep the keys they had."""
    save_texts(context.database, merged.texts)
    for page, (theirs, ours, text) in merged.rewritten.items():
        keys.carry_later(context.database, page, (theirs, ours), text)


def _refused(why: str, found: Iterable[Conflict]) -> Refusal:
    titles = named(each.title for each in found)
    return Refusal(f"The change request cannot be merged: {why}. It is about {titles}.")
