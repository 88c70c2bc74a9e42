"""A tree of collections and spaces for tests that arrange it, and people of every role."""

from __future__ import annotations

from typing import Any

from recto.contract.common import Role
from recto.server.people import directory
from recto.server.platform import Platform
from support.platform import Speaker, join, stranger

PEOPLE: tuple[Role | str | None, ...] = ("admin", "create", "review", "edit", "comment", "read", None, "stranger")
"""Every role in an organization, a guest, and a stranger."""


def person(platform: Platform, organization: str, role: Any) -> Speaker:
    """Return a person with this role in an organization, a guest with ``None``, or a stranger."""
    user = stranger(platform) if role == "stranger" else join(platform, organization, "Pat Person", role)
    return Speaker(platform, user)


def second_organization(platform: Platform, role: Role | None = "admin", title: str = "Second") -> str:
    """Make another organization in which the owner has this role, and return its id."""

    def work(connection: Any) -> str:
        context = platform.context(connection)
        made = directory.create_organization(context, title)
        directory.add_member(context, made, platform.owner, role)
        return made

    return platform.database.write_now(work)


class OrganizationTree:
    """The collections and spaces of an organization, by short names."""

    def __init__(self, platform: Platform, speaker: Speaker, organization: str) -> None:
        self.platform = platform
        self.speaker = speaker
        self.organization = organization
        self.ids: dict[str, str] = {}

    async def space(self, name: str, parent: str | None = None, **settings: Any) -> str:
        """Make a space, last in the collection with this name or at the top."""
        return await self._made("spaces", name, parent, settings)

    async def collection(self, name: str, parent: str | None = None, **settings: Any) -> str:
        """Make a collection, last in the collection with this name or at the top."""
        return await self._made("collections", name, parent, settings)

    async def _made(self, kind: str, name: str, parent: str | None, settings: dict[str, Any]) -> str:
        within = {} if parent is None else {"parent": self.ids[parent]}
        made = await self.speaker.send("POST", f"/orgs/{self.organization}/{kind}", {"title": name, **within}, 201)
        self.ids[name] = made["id"]
        if settings:
            await self.speaker.send("PATCH", f"/{kind}/{made['id']}", settings)
        return str(made["id"])

    async def order(self, organization: str | None = None) -> dict[str | None, list[str]]:
        """Return the titles of what lies in each collection, and at the top under ``None``, in order."""

        def rows(connection: Any) -> list[Any]:
            return list(
                connection.all(
                    "SELECT title, parent, position FROM spaces WHERE organization = :o AND deleted_at IS NULL"
                    " UNION ALL SELECT title, parent, position FROM collections WHERE organization = :o"
                    " ORDER BY position",
                    {"o": organization or self.organization},
                )
            )

        names = {made: name for name, made in self.ids.items()}
        found: dict[str | None, list[str]] = {}
        for row in self.platform.database.read_now(rows):
            found.setdefault(names.get(row["parent"]) if row["parent"] else None, []).append(row["title"])
        return found

    def pointer(self, name: str) -> dict[str, str]:
        """Return a pointer at something; the names of collections begin with a capital."""
        kind = "collection" if name[0].isupper() else "space"
        return {"type": kind, kind: self.ids[name]}

    def path(self, name: str) -> str:
        """Return the path of something."""
        return f"/{self.pointer(name)['type']}s/{self.ids[name]}"

    async def move(self, name: str, status: int = 200, **body: Any) -> Any:
        """Move something; ``before``, ``after`` and ``parent`` are names."""
        sent: dict[str, Any] = {}
        if "parent" in body:
            sent["parent"] = None if body["parent"] is None else self.ids.get(body["parent"], body["parent"])
        position = {side: self.pointer(body[side]) for side in ("before", "after") if side in body}
        if position:
            sent["position"] = position
        if status == 200:
            return await self.speaker.send("POST", f"{self.path(name)}/move", sent)
        return await self.speaker.refused("POST", f"{self.path(name)}/move", status, sent)
