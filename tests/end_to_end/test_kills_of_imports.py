"""The process is killed in the middle of an import and of the first start: all of it is there afterwards, or nothing.

What an import stores ahead of its end is content by its hash, at which nothing points yet.
"""

from __future__ import annotations

import asyncio
import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from recto.server.exchange import import_folder
from recto.server.guide.installation import install_guide
from recto.server.platform import Owner, Platform
from support import killable_tasks
from support.content import Desk
from support.killable_tasks import FOLDER, PASSED_IN, WORKSPACE
from support.kills import Story, do
from support.platform import Speaker, make_platform
from support.states import Rows, State, state_of

pytestmark = pytest.mark.slow

MANY = 120  # pages, so that their texts are stored in more than one transaction
STATEMENTS = tuple(f"database.statement:{number}" for number in (1, 3, 8, 21, 34))
TRANSACTIONS = ("database.begin:3", "database.before-commit:3", *(f"database.after-commit:{at}" for at in (1, 2, 3)))
FIRST_START = ("database.before-migration-commit", "database.statement:128", *STATEMENTS[:3], *TRANSACTIONS)

PIECES = ("index.before-piece", "index.after-piece")
INDEX = frozenset({"index_queue", "search", "search_sections", "text_references", "block_keys"})
"""The tables that are filled behind what was committed."""

STRUCTURE = {
    "type": "sections",
    "structure": [
        {
            "object": "site-section",
            "id": "sitesc_1",
            "title": "Home",
            "path": "home",
            "siteSpaces": [
                {"object": "site-space", "id": "sitesp_1", "path": "docs", "title": "Home", "default": True}
            ],
        }
    ],
}


def kills() -> Iterator[tuple[str, str]]:
    """Yield the points at which an import is killed, the first of a folder and a later one."""
    named = [checkpoint for checkpoint, task in PASSED_IN.items() if task == "import" or checkpoint in PIECES]
    second: tuple[str, ...] = ("import.after-texts:2", "import.after-space:2", "content.before-revision:2")
    second += ("content.after-index:2", *(f"{at}:{number}" for at in PIECES for number in (2, 4)))
    yield from (("first", at) for at in (*named, *second, *STATEMENTS, *TRANSACTIONS))
    yield from (("again", at) for at in (*named, *second, "database.statement:8"))


def write_books(top: Path) -> None:
    """Write a folder of two books, with files and the structure of a site."""
    for name, pages in (("home", MANY), ("other", 2)):
        book = top / name
        (book / ".gitbook/assets").mkdir(parents=True)
        (book / ".gitbook/assets/a.png").write_bytes(b"\x89PNG " + name.encode())
        for number in range(pages):
            (book / f"{number}.md").write_text(f"# {name} {number}\n\nText of {name} {number}.\n\nAnd more.\n", "utf-8")
        listed = "".join(f"* [{name} {number}]({number}.md)\n" for number in range(pages))
        (book / "SUMMARY.md").write_text(f"# Summary\n\n{listed}", "utf-8")
    (top / "structure.json").write_text(json.dumps(STRUCTURE), "utf-8")


def change_books(top: Path) -> None:
    """Change, add and remove pages, in texts for more than one transaction."""
    for number in range(MANY):
        (top / f"home/{number}.md").write_text(f"# home {number}\n\nOther text of {number}.\n\nAnd more.\n", "utf-8")
    (top / "home/new.md").write_text("# New\n", "utf-8")
    (top / "home/.gitbook/assets/b.png").write_bytes(b"\x89PNG new")
    summary = top / "home/SUMMARY.md"
    summary.write_text(summary.read_text("utf-8").replace("* [home 7](7.md)\n", "* [New](new.md)\n"), "utf-8")
    (top / "other/1.md").write_text("# other 1\n\nAnother text.\n\nAnd more.\n", "utf-8")


async def change_space(platform: Platform) -> None:
    """Change what came of the second book, elsewhere in the text that its folder changes."""
    ada = Speaker(platform)
    space = platform.database.read_now(
        lambda connection: connection.value("SELECT id FROM spaces WHERE title = 'other'")
    )
    desk = await Desk.open(ada, space)
    page = (await ada.get(f"/spaces/{space}/content/path/1"))["id"]
    await desk.edit(page, "# other 1\n\nText of other 1.\n\nAnd more, as I see it.\n")
    await desk.merge()


@pytest.fixture(scope="module")
def stories(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Story]:
    told = {}
    for name in ("first", "again"):
        books, start = tmp_path_factory.mktemp("books"), tmp_path_factory.mktemp(name)
        write_books(books)
        (start / FOLDER).symlink_to(books)
        platform = make_platform(start)
        if name == "again":
            import_folder(platform, books)
            platform.indexer.run()
            asyncio.run(change_space(platform))
            change_books(books)
        platform.close()
        told[name] = Story.tell("import", start, tmp_path_factory.mktemp("undisturbed") / name)
    return told


def facts(state: State) -> dict[str, Rows]:
    """Return the rows that are committed together."""
    return {name: rows for name, rows in state.facts.items() if name not in INDEX}


@pytest.mark.parametrize(("name", "at"), list(kills()))
async def test_all_of_an_import_is_there_or_nothing(
    stories: dict[str, Story], tmp_path: Path, name: str, at: str
) -> None:
    story, folder = stories[name], tmp_path / "folder"
    ended = story.kill(folder, at)
    found = state_of(folder / WORKSPACE)
    assert facts(found) in (facts(story.before), facts(story.after))
    assert found.lies_between(story.before, story.after)
    if "imported" in ended.acknowledged:
        assert facts(found) == facts(story.after)
    if "done" in ended.acknowledged:
        assert found == story.after
    if facts(found) == facts(story.before):
        assert found.facts == story.before.facts
    await killable_tasks.do("import", folder)
    assert state_of(folder / WORKSPACE) == story.after


@pytest.fixture(scope="module")
def furnished(tmp_path_factory: pytest.TempPathFactory) -> dict[str, int]:
    """How many rows each table has after a first start that nothing disturbs."""
    folder = tmp_path_factory.mktemp("furnished")
    assert do("begin", folder).acknowledged == ["done"]
    return state_of(folder / WORKSPACE).counts()


@pytest.mark.parametrize("at", FIRST_START)
def test_a_first_start_is_taken_up_where_it_ended(furnished: dict[str, int], tmp_path: Path, at: str) -> None:
    assert do("begin", tmp_path, at).killed
    Platform.open(tmp_path / WORKSPACE, owner=Owner("Ada Lovelace"), fill=install_guide).close()
    assert state_of(tmp_path / WORKSPACE).counts() == furnished
