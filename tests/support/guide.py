"""A small documentation space with a change request on it, for the tests of reviewing."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

from recto.client.sender import embed
from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Platform
from recto.store.drafts import Drafts
from recto.store.store import Store
from support.content import Desk, make_space
from support.platform import FrozenClock, Speaker, join, own_organization
from support.sites import Refusing

START = """\
Welcome to the guide.

It takes five minutes to install.

{% hint style="info" %}
You need an account.
{% endhint %}

## Next

Read on.
"""
LONG = "".join(f"Line {number} of the reference.\n\n" for number in range(1, 31))
PAGES = (
    ImportedPage("start", "Getting started", "getting-started", text=START),
    ImportedPage(
        "reference", "Reference", "reference", text=LONG, children=(ImportedPage("api", "API", "api", text="Calls.\n"),)
    ),
    ImportedPage("old", "Old page", "old", text="Nobody reads this.\n"),
)


@dataclass
class Guide:
    """The space, who works on it, and the change request under review, which Grace made."""

    platform: Platform
    clock: FrozenClock
    space: str
    ada: Speaker
    grace: Speaker
    desk: Desk

    @property
    def path(self) -> str:
        """The change request's path."""
        return self.desk.path

    async def comments(self) -> list[Any]:
        """Return the comments on the change request, oldest first."""
        listed = await self.ada.get(f"{self.path}/comments", order="asc", format="markdown")
        return list(listed["items"])

    async def main_text(self, page: str) -> str:
        """Return a page's Markdown in the main content."""
        found = await self.ada.get(f"/spaces/{self.space}/content/page/{page}", format="markdown")
        return str(found["markdown"])

    async def block(self, page: str, begins: str) -> str:
        """Return the key of the block of a page in the change request whose text begins so."""
        found = await self.ada.get(f"{self.path}/content/page/{page}", format="document")
        return next(str(node["key"]) for node in found["document"]["nodes"] if _text(node).startswith(begins))


def _text(node: Any) -> str:
    if node.get("object") == "text":
        return "".join(leaf["text"] for leaf in node["leaves"])
    return "".join(_text(child) for child in node.get("nodes", ()))


async def make_guide(platform: Platform, clock: FrozenClock) -> Guide:
    """Make the space and a change request with an edited, a new, a renamed and a deleted page."""
    organization = own_organization(platform)
    space = make_space(platform, PAGES)
    ada, grace = Speaker(platform), Speaker(platform, join(platform, organization, "Grace Hopper", "review"))
    desk = await Desk.open(grace, space, "Say how long it takes")
    await desk.write(
        _update("start", START.replace("five minutes to install", "ten minutes to install and to sign in")),
        _update("reference", LONG.replace("Line 20 of", "Line twenty of")),
        {"operation": "update_page", "page": "api", "title": "The API"},
        {"operation": "insert_page", "title": "Signing in", "document": {"markdown": "Enter your name.\n"}},
        {"operation": "delete_page", "page": "old"},
    )
    await grace.send("PATCH", desk.path, {"status": "open"})
    return Guide(platform, clock, space, ada, grace, desk)


def _update(page: str, text: str) -> dict[str, Any]:
    return {"operation": "update_page", "page": page, "document": {"markdown": text}}


def open_store(platform: Platform, folder: Path) -> tuple[Store, Refusing]:
    """Open a store as Ada, with the transport that tests make refuse."""
    transport = Refusing(embed(platform.application, platform.token))
    return Store(transport, Drafts(folder / "drafts", platform.clock), clock=platform.clock), transport
