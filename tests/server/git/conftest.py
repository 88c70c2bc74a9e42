from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from recto.contract.git import ExportGit, ImportGit
from recto.server.git.branch_export import Exported, export_branch
from recto.server.git.branch_import import Imported, import_branch
from recto.server.jobs import Task
from recto.server.platform import Platform
from support.content import Desk, make_space
from support.git_server import Clone, GitServer, make_bare, serve_git
from support.platform import Speaker

BOOK = {
    "SUMMARY.md": "# Table of contents\n\n* [Home](README.md)\n* [One](one.md)\n  * [Two](sub/two.md)\n",
    "README.md": "---\ndescription: The start\n---\n\n# Home\n\nWelcome.\n",
    "one.md": "# One\n\nThe first page.\n",
    "sub/two.md": "# Two\n\nThe second page.\n",
    "notes.txt": "Not read.\n",
}
"""A book with three pages."""


@pytest.fixture
def server(tmp_path: Path) -> Iterator[GitServer]:
    """A Git server without repositories."""
    yield from serve_git(tmp_path)


@pytest.fixture(scope="session")
def book(tmp_path_factory: pytest.TempPathFactory) -> Clone:
    """A clone of a repository that holds a book, to be copied."""
    folder = tmp_path_factory.mktemp("book")
    found = Clone(folder / "clone", make_bare(folder / "docs.git"))
    found.commit(BOOK, "Begin")
    return found


@pytest.fixture
def clone(server: GitServer, book: Clone, tmp_path: Path) -> Clone:
    """A clone of the repository ``docs.git``, which holds a book."""
    return book.copy(tmp_path / "clone", server.root / "docs.git")


MAIN = "refs/heads/main"


class Importer:
    """Imports and exports a space as the owner does in this process."""

    def __init__(self, platform: Platform, ada: Speaker, address: str) -> None:
        self.platform = platform
        self.ada = ada
        self.address = address
        self.space = make_space(platform, ())

    def export(self, **body: Any) -> Exported:
        """Export the space."""
        request = ExportGit.model_validate({"url": self.address, "ref": MAIN, "commitMessage": "From Recto", **body})
        task = Task("export", "docs", lambda job: export_branch(job, self.space, request), self.space)
        return self.platform.jobs.run(task)

    def run(self, **body: Any) -> Imported:
        """Import the branch."""
        request = ImportGit.model_validate({"url": self.address, "ref": MAIN, **body})
        task = Task("import", "docs", lambda job: import_branch(job, self.space, request), self.space)
        return self.platform.jobs.run(task)

    async def edit(self, title: str, text: str, subject: str = "A change", speaker: Speaker | None = None) -> None:
        """Give a page another text, through a change request that someone merges."""
        page = (await self.pages())[title]
        desk = await Desk.open(speaker or self.ada, self.space, subject)
        await desk.edit(page, f"# {title}\n\n{text}\n")
        await desk.merge()

    async def get(self, path: str, **query: Any) -> Any:
        return await self.ada.get(f"/spaces/{self.space}{path}", **query)

    async def change(self, *changes: Any) -> None:
        """Change main through a change request."""
        desk = await Desk.open(self.ada, self.space)
        await desk.write(*changes)
        await desk.merge()

    async def pages(self) -> dict[str, str]:
        """The ids of the pages by their titles."""
        found: dict[str, str] = {}

        def walk(pages: Any) -> None:
            for page in pages:
                found[page["title"]] = page["id"]
                walk(page["pages"])

        walk((await self.get("/content/pages"))["pages"])
        return found

    async def text(self, title: str) -> str:
        page = (await self.pages())[title]
        return str((await self.get(f"/content/page/{page}", format="markdown"))["markdown"])


@pytest.fixture
def importer(platform: Platform, ada: Speaker, server: GitServer, clone: Clone) -> Importer:
    return Importer(platform, ada, f"{server.address}/docs.git")
