"""Comments and replies as models of the contract."""

from __future__ import annotations

import json
from collections.abc import Hashable, Iterable, Sequence
from functools import cached_property
from typing import Any

from recto.contract.change_requests import Contributor
from recto.contract.comments import (
    Comment,
    CommentBody,
    CommentFormat,
    CommentPermissions,
    CommentReply,
    CommentTarget,
    NodeTarget,
    PageTarget,
    Reaction,
    Reactor,
    TableCell,
)
from recto.contract.common import Urls, User
from recto.server.content import keys
from recto.server.content.comments import Scope, page_of
from recto.server.content.revisions import tree_of
from recto.server.content.tree import Node, Tree
from recto.server.context import Context
from recto.server.json_responses import item_json
from recto.server.people.access import allows, space_role
from recto.server.serializers import known_fields, users_by_id
from recto.server.storage.database import Row


class CommentSerializer:
    """Serializes comments and replies of a scope, looking up shared rows once."""

    def __init__(self, context: Context, scope: Scope, rows: Sequence[Row], form: CommentFormat | None = None) -> None:
        self._context = context
        self._scope = scope
        self._rows = rows
        self._form = form
        self._role = space_role(context, scope.space)

    @cached_property
    def _tree(self) -> Tree:
        return tree_of(self._context.database, self._scope.revision(self._context))

    @cached_property
    def _permissions(self) -> dict[bool, CommentPermissions]:
        """The permissions on comments of others, and under ``True`` on your own."""
        may_comment = allows(self._role, "comment")
        return {
            own: CommentPermissions(
                view=allows(self._role, "read"),
                edit=own and may_comment,
                reply=may_comment,
                delete=(own and may_comment) or allows(self._role, "admin"),
            )
            for own in (False, True)
        }

    @cached_property
    def _reactions(self) -> dict[str, list[Row]]:
        found: dict[str, list[Row]] = {}
        for row in self._context.database.all(
            "SELECT * FROM reactions WHERE subject IN (SELECT value FROM json_each(?)) ORDER BY reacted_at, user",
            json.dumps([row["id"] for row in self._rows]),
        ):
            found.setdefault(row["subject"], []).append(row)
        return found

    @cached_property
    def _people(self) -> dict[str, User]:
        concerned: Iterable[str | None] = [
            *(row["posted_by"] for row in self._rows),
            *(row.get("resolved_by") for row in self._rows),
            *(row["user"] for rows in self._reactions.values() for row in rows),
            *(row["posted_by"] for rows in self._replies.values() for row in rows),
        ]
        return users_by_id(self._context, concerned)

    @cached_property
    def _people_json(self) -> dict[str | None, bytes]:
        return {user: person.to_json() for user, person in self._people.items()}

    @cached_property
    def _replies(self) -> dict[str, list[Row]]:
        """The people who replied to each comment, and how many times, in the order of their first replies."""
        found: dict[str, list[Row]] = {}
        for row in self._context.database.all(
            "SELECT comment, posted_by, count(*) AS n, max(posted_at) AS latest FROM replies"
            " WHERE comment IN (SELECT value FROM json_each(?))"
            " GROUP BY comment, posted_by ORDER BY min(posted_at), posted_by",
            json.dumps([row["id"] for row in self._rows]),
        ):
            found.setdefault(row["comment"], []).append(row)
        return found

    def comments(self) -> list[Comment]:
        """Return the rows as comments."""
        return [self.comment(row) for row in self._rows]

    def comments_json(self) -> list[bytes]:
        """Return the rows as comments in JSON."""
        return [self._comment_json(row) for row in self._rows]

    def _comment_json(self, row: Row) -> bytes:
        reactions, replies = self._reactions.get(row["id"], ()), self._replies.get(row["id"], ())
        node, path, is_outdated = self._page_of(row)
        made_of: tuple[Hashable, ...] = (
            *(Comment, self._context.base_url, self._form, self._role, row["posted_by"] == self._context.caller),
            *(node and node.hash, path, is_outdated, len(reactions)),
            *(self._people_json.get(row["posted_by"]), self._people_json.get(row["resolved_by"]), *row.values()),
        )
        for each in reactions:
            made_of += (self._people_json.get(each["user"]), *each.values())
        for each in replies:
            made_of += (self._people_json.get(each["posted_by"]), *each.values())
        return item_json(made_of, lambda: self.comment(row))

    def comment(self, row: Row) -> Comment:
        """Return a row of ``comments`` as a comment."""
        return Comment(
            **self._common(row, f"{self._scope.path}/comments/{row['id']}"),
            replies=sum(each["n"] for each in self._replies.get(row["id"], ())),
            repliers=self._repliers(row["id"]),
            target=self._target(row),
            status="resolved" if row["resolved_at"] else "open",
            **known_fields(resolved_at=row["resolved_at"], resolved_by=self._people.get(row["resolved_by"])),
        )

    def reply(self, row: Row) -> CommentReply:
        """Return a row of ``replies`` as a reply."""
        return CommentReply(**self._common(row, f"{self._scope.path}/comments/{row['comment']}/replies/{row['id']}"))

    def _repliers(self, comment: str) -> tuple[Contributor, ...]:
        return tuple(
            Contributor(
                user=self._people[each["posted_by"]],
                count=each["n"],
                updated_at=each["latest"],
                action_type="comment",
            )
            for each in self._replies.get(comment, ())
            if each["posted_by"] in self._people
        )

    def _common(self, row: Row, path: str) -> dict[str, Any]:
        return {
            "id": row["id"],
            "posted_at": row["posted_at"],
            "reactions": self._reactions_to(row["id"]),
            "body": self._body(row["body"]),
            "urls": Urls(location=self._context.location(path)),
            "permissions": self._permissions[row["posted_by"] == self._context.caller],
            **known_fields(posted_by=self._people.get(row["posted_by"]), edited_at=row["edited_at"]),
        }

    def _body(self, markdown: str) -> CommentBody:
        if self._form == "document":
            return CommentBody(document=keys.plain_document(markdown))
        return CommentBody(markdown=markdown)

    def _reactions_to(self, subject: str) -> tuple[Reaction, ...]:
        by_emoji: dict[str, list[Reactor]] = {}
        for row in self._reactions.get(subject, ()):
            if row["user"] in self._people:
                reactor = Reactor(user=self._people[row["user"]], reacted_at=row["reacted_at"])
                by_emoji.setdefault(row["emoji"], []).append(reactor)
        return tuple(Reaction(emoji=emoji, count=len(users), users=tuple(users)) for emoji, users in by_emoji.items())

    def _target(self, row: Row) -> CommentTarget:
        return CommentTarget(
            space=row["space"],
            revision=row["revision"],
            **known_fields(
                change_request=row["change_request"],
                review=row["review"],
                page=self._page(row) if row["page"] else None,
                node=NodeTarget(id=row["node"], **known_fields(preview=row["preview"])) if row["node"] else None,
                table_cell=TableCell.model_validate_json(row["cell"]) if row["cell"] else None,
            ),
        )

    def _page_of(self, row: Row) -> tuple[Node | None, str, bool]:
        return page_of(self._context, row, self._tree) if row["page"] else (None, "", False)

    def _page(self, row: Row) -> PageTarget:
        node, path, outdated = self._page_of(row)
        if node is None:
            return PageTarget(id=row["page"], outdated=True)
        return PageTarget(
            id=node.id,
            title=node.title,
            path=path,
            outdated=outdated,
            **known_fields(
                emoji=node.attributes.get("emoji"),
                icon=node.attributes.get("icon"),
                created_at=node.created,
                updated_at=node.updated,
            ),
        )
