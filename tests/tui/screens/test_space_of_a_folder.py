"""A space that came from a folder: the summary's names in the tree, and the index that is built behind it."""

from __future__ import annotations

import pytest

from recto.server.content import search
from recto.server.content.imported_tree import ImportedPage
from recto.server.content.indexing import Indexer
from recto.store.progress import Progress
from recto.tui.app import RectoApp
from support.content import change_space
from support.spaces import Workspace

MANY = search.AT_ONCE + 20


async def test_pages_of_one_title_are_distinguished_by_their_names_in_the_summary(workspace: Workspace) -> None:
    pages = [
        ImportedPage(name, "Prerequisites", text=f"About {name}.\n", attributes={"link_title": f"Set up {name}"})
        for name in ("alpha", "beta")
    ]
    change_space(workspace.platform, workspace.space, pages)
    async with workspace.reader() as reader:
        reader.shows("Set up alpha", "Set up beta", "About alpha.")
        assert reader.screen.count("Prerequisites") == 1, "the heading of the page that is read"
        await reader.press("f2")
        reader.shows("Rename the page", "Set up alpha")


async def test_a_search_says_that_the_index_is_being_built_and_finds_the_rest_when_it_is(
    workspace: Workspace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Indexer, "_aside", lambda _: None)
    pages = [ImportedPage(f"p{number}", f"Page {number}", text="A walrus.\n") for number in range(MANY)]
    change_space(workspace.platform, workspace.space, pages)
    async with workspace.reader(size=(110, 16)) as reader:
        reader.shows("A walrus.")
        await reader.press("s")
        await reader.type("walrus")
        reader.shows(f"No result yet; {MANY} pages still to be searched")
        workspace.platform.indexer.run()
        await reader.type("es")
        await reader.press("backspace", "backspace")
        reader.shows("50 results in 50 pages")


async def test_the_bottom_line_shows_how_far_the_index_is(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        app = reader.pilot.app
        assert isinstance(app, RectoApp)
        app._start._show_indexing(Progress("Indexing links", 1200, 5000))
        await reader.pilot.pause()
        reader.shows("Indexing links: 1,200 of 5,000")
        app._start._show_indexing(Progress("Indexing links", 5000, 5000))
        await reader.pilot.pause()
        reader.shows_not("Indexing links")
