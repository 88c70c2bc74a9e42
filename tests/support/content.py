"""Spaces with content for tests, and short ways to write and read it over the whole stack."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from recto.server.content.change_requests import advance, create_change_request, find_change_request
from recto.server.content.imported_tree import ImportedPage, ImportedTree, import_tree, store_content
from recto.server.content.revisions import get_revision
from recto.server.platform import Platform
from recto.server.spaces.spaces import add_space
from support.platform import Speaker, own_organization


def make_space(platform: Platform, pages: Sequence[ImportedPage], **tree: Any) -> str:
    """Make a space in the owner's organization that holds these pages; return its id."""
    organization = own_organization(platform)

    def work(connection: Any) -> str:
        context = platform.context(connection)
        space = add_space(context, organization, "Guide")
        import_tree(context, space, ImportedTree(pages, **tree))
        return space

    return platform.database.write_now(work)


def imported_page(id: str, title: str, text: str = "Words.\n") -> ImportedPage:
    """Return a page that comes from a file named by its id."""
    return ImportedPage(id, title, slug=id, text=text, attributes={"git": {"oid": id, "path": f"{id}.md"}})


def notice(text: str) -> list[dict[str, object]]:
    """Return the one text that the pages of a space include, by ``includes/notice.md``."""
    return [{"id": "notice", "title": "Notice", "text": text, "git": {"oid": "1", "path": "includes/notice.md"}}]


def change_space(platform: Platform, space: str, pages: Sequence[ImportedPage], **tree: Any) -> None:
    """Make these pages the main content of a space, as a new revision."""

    def work(connection: Any) -> None:
        import_tree(platform.context(connection), space, ImportedTree(pages, **tree))

    platform.database.write_now(work)


def propose(platform: Platform, space: str, subject: str, pages: Sequence[ImportedPage], **tree: Any) -> str:
    """Make a change request that has these pages as its content; return its id."""

    def work(connection: Any) -> str:
        context = platform.context(connection)
        request = create_change_request(context, space, subject)
        row = find_change_request(connection, space, request)
        before = get_revision(connection, row["revision"])
        content = store_content(context, ImportedTree(pages, **tree), before)
        assert content is not None
        advance(context, row, "edits", (before.id,), content)
        return request

    return platform.database.write_now(work)


class Desk:
    """One change request of a space, as a person works on it."""

    def __init__(self, speaker: Speaker, space: str, number: int) -> None:
        self.speaker = speaker
        self.space = space
        self.number = number

    @classmethod
    async def open(cls, speaker: Speaker, space: str, subject: str = "A change") -> Desk:
        """Make a change request."""
        made = await speaker.send("POST", f"/spaces/{space}/change-requests", {"subject": subject}, 201)
        return cls(speaker, space, made["number"])

    @property
    def path(self) -> str:
        """The change request's path."""
        return f"/spaces/{self.space}/change-requests/{self.number}"

    async def write(self, *changes: Any) -> Any:
        """Write changes and return what they did."""
        return await self.speaker.send("POST", f"{self.path}/content?compat=false", {"changes": changes})

    async def edit(self, page: str, markdown: str) -> Any:
        """Give a page a new text."""
        return await self.write({"operation": "update_page", "page": page, "document": {"markdown": markdown}})

    async def refused(self, *changes: Any, status: int = 400) -> str:
        """Return why changes are refused."""
        return await self.speaker.refused("POST", f"{self.path}/content", status, {"changes": changes})

    async def text(self, page: str) -> str:
        """Return a page's Markdown in the change request."""
        return str((await self.speaker.get(f"{self.path}/content/page/{page}", format="markdown"))["markdown"])

    async def get(self) -> Any:
        """Return the change request."""
        return await self.speaker.get(self.path)

    async def merge(self) -> Any:
        """Merge."""
        return await self.speaker.send("POST", f"{self.path}/merge")

    async def update(self) -> Any:
        """Update it from main."""
        return await self.speaker.send("POST", f"{self.path}/update")


def titles(pages: Sequence[Any]) -> list[Any]:
    """Return the titles of a page tree; a page with pages below is a pair of its title and theirs."""
    return [(page["title"], titles(page["pages"])) if page.get("pages") else page["title"] for page in pages]
