from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from recto.contract.common import Role
from recto.server.platform import Platform
from recto.server.sites import sites
from recto.server.spaces.spaces import add_space
from support.platform import Speaker, join, own_organization, stranger


@pytest.fixture
def organization(platform: Platform) -> str:
    return own_organization(platform)


@pytest.fixture
def ada(platform: Platform) -> Speaker:
    """The owner, who is admin of their organization."""
    return Speaker(platform)


class SiteUnderTest:
    """A site and short ways to change it and to look at it."""

    def __init__(self, speaker: Speaker, organization: str, site: str) -> None:
        self.speaker = speaker
        self.id = site
        self.path = f"/orgs/{organization}/sites/{site}"

    async def section(self, title: str, space: str) -> str:
        made = await self.speaker.send("POST", f"{self.path}/sections", {"title": title, "spaceId": space}, 201)
        return str(made["id"])

    async def group(self, title: str, *sections: str, parent: str | None = None) -> str:
        body = {"title": title, "sections": sections} | ({"parent": parent} if parent else {})
        made = await self.speaker.send("POST", f"{self.path}/section-groups", body, 201)
        return str(made["id"])

    async def add(self, space: str, section: str | None = None) -> str:
        body = {"spaceId": space} | ({"sectionId": section} if section else {})
        made = await self.speaker.send("POST", f"{self.path}/site-spaces", body, 201)
        return str(made["id"])

    async def sort(self, kind: str, item: str, status: int = 200, **beside: tuple[str, str]) -> Any:
        position = {where: {"type": each[0], "id": each[1]} for where, each in beside.items()}
        body = {"item": {"type": kind, "id": item}, "position": position}
        return await self.speaker.send("PATCH", f"{self.path}/structure/sort", body, status)

    async def outline(self) -> list[Any]:
        """The titles of the structure: a section or site space as its title, a group as its title and its list."""
        return outline((await self.speaker.get(f"{self.path}/structure"))["structure"])

    async def variants(self, section: str) -> list[str]:
        """The titles of a section's site spaces, the default one in capitals."""
        listed = await self.speaker.get(f"{self.path}/sections")
        found = next(each for each in listed["items"] if each["id"] == section)
        return [each["title"].upper() if each["default"] else each["title"] for each in found["siteSpaces"]]


def outline(items: list[Any]) -> list[Any]:
    return [(item["title"], outline(item["children"])) if "children" in item else item["title"] for item in items]


@pytest.fixture
def make_space(platform: Platform, organization: str) -> Callable[[str], str]:
    def make(title: str) -> str:
        return platform.database.write_now(lambda c: add_space(platform.context(c), organization, title))

    return make


@pytest.fixture
def site(platform: Platform, ada: Speaker, organization: str) -> SiteUnderTest:
    """A site with nothing on it."""
    made = platform.database.write_now(lambda c: sites.add_site(platform.context(c), organization, "Docs"))
    return SiteUnderTest(ada, organization, made)


@pytest.fixture
def speak(platform: Platform, organization: str) -> Callable[[Role | str | None], Speaker]:
    """Makes a caller of the platform: a member with a role, a guest with ``None``, or a ``stranger``."""

    def make(role: Any) -> Speaker:
        user = stranger(platform) if role == "stranger" else join(platform, organization, f"Somebody {role}", role)
        return Speaker(platform, user)

    return make


@pytest.fixture
async def parts(site: Any, make_space: Callable[[str], str]) -> dict[str, str]:
    """Sections A to D, of which B and C lie in group G; A is the default one and has the variants a, a2, a3."""
    made = {letter: await site.section(letter, make_space(letter.lower())) for letter in "ABCD"}
    made["G"] = await site.group("G", made["B"], made["C"])
    for title in ("a2", "a3"):
        made[title] = await site.add(make_space(title), made["A"])
    listed = await site.speaker.get(f"{site.path}/site-spaces")
    made |= {each["title"]: each["id"] for each in listed["items"]}
    return made
