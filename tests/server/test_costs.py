"""What requests about many things do: it is counted in SQLite's steps, models and answers, never by the clock."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from recto.server import serializers
from recto.server.content import imported_tree, objects, semantic_changes
from recto.server.content.imported_tree import ImportedPage
from recto.server.content.link_reports import MOST_PLACES
from recto.server.content.tree import Node, Tree, TreeDraft, free_slug
from recto.server.people import invites
from recto.server.platform import Platform
from recto.server.sites import sites, visible_site
from recto.server.spaces.spaces import add_space
from recto.server.storage.database import Connection
from support.content import Desk, make_space, propose
from support.platform import Speaker, join, make_platform, own_organization

_STEPS_AT_ONCE = 50
RATIO = 2.3


class Counted:
    """What was done while something was counted."""

    def __init__(self) -> None:
        self.steps = 0
        self.statements = 0


@contextmanager
def count_calls(platform: Platform) -> Iterator[Counted]:
    """Count the steps of SQLite and the statements of whatever is written meanwhile."""
    counted = Counted()

    def step() -> None:
        counted.steps += _STEPS_AT_ONCE

    def statement(_: str) -> None:
        counted.statements += 1

    raw = platform.database._writer.raw
    raw.set_progress_handler(step, _STEPS_AT_ONCE)
    raw.set_trace_callback(statement)
    try:
        yield counted
    finally:
        raw.set_progress_handler(None, 0)
        raw.set_trace_callback(None)


class Ground:
    """A platform of its own, with a site that has so many sections."""

    def __init__(self, folder: Path, size: int) -> None:
        folder.mkdir()
        self.platform = make_platform(folder)
        self.ada = Speaker(self.platform)
        self.organization = own_organization(self.platform)
        self.size = size

    async def site(self) -> tuple[str, list[str]]:
        """Make a site with sections, and return its path and their ids."""

        def work(connection: Any) -> tuple[str, list[str]]:
            context = self.platform.context(connection)
            made = sites.add_site(context, self.organization, "Docs")
            return made, [add_space(context, self.organization, f"S{at}") for at in range(self.size)]

        site, made = self.platform.database.write_now(work)
        path = f"/orgs/{self.organization}/sites/{site}"
        send = self.ada.send
        return path, [
            str((await send("POST", f"{path}/sections", {"title": "A", "spaceId": space}, 201))["id"]) for space in made
        ]


@pytest.fixture
def grounds(tmp_path: Path) -> Iterator[Callable[[int], Ground]]:
    made: list[Ground] = []

    def make(size: int) -> Ground:
        made.append(Ground(tmp_path / str(size), size))
        return made[-1]

    yield make
    for each in made:
        each.platform.close()


async def test_one_section_of_many_is_answered_with_its_own_space_alone(
    grounds: Callable[[int], Ground], monkeypatch: pytest.MonkeyPatch
) -> None:
    ground = grounds(20)
    path, sections = await ground.site()
    answered: list[str] = []
    answer = serializers.serialize_space

    def count_all(context: Any, row: Any, role: Any) -> Any:
        answered.append(row["id"])
        return answer(context, row, role)

    monkeypatch.setattr(visible_site, "serialize_space", count_all)
    await ground.ada.send("PATCH", f"{path}/sections/{sections[3]}", {"title": "Another"})
    assert len(answered) == 1
    answered.clear()
    await ground.ada.get(f"{path}/structure")
    assert len(answered) == 20


async def test_a_group_of_twice_the_sections_takes_twice_the_steps(grounds: Callable[[int], Ground]) -> None:
    async def steps(size: int) -> int:
        ground = grounds(size)
        path, sections = await ground.site()
        with count_calls(ground.platform) as counted:
            await ground.ada.send("POST", f"{path}/section-groups", {"title": "G", "sections": sections}, 201)
        return counted.steps

    small, large = await steps(40), await steps(80)
    assert 0 < large <= RATIO * small


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """What is asked of the workspace's file."""
    asked: list[str] = []
    for name in ("one", "all"):
        ask = getattr(Connection, name)

        def counted(connection: Connection, sql: str, *given: Any, ask: Any = ask) -> Any:
            asked.append(sql)
            return ask(connection, sql, *given)

        monkeypatch.setattr(Connection, name, counted)
    return asked


@pytest.mark.parametrize("listed", ["change-requests", "change-requests/1/reviews", "comments"])
async def test_what_is_listed_is_not_asked_about_one_by_one(
    platform: Platform, ada: Speaker, organization: str, asked: list[str], listed: str
) -> None:
    space = make_space(platform, (ImportedPage("a", "A", "a"),))
    people = [Speaker(platform, join(platform, organization, f"P{at} P", "admin")) for at in range(12)]
    counts = []
    for some in (people[:2], people[2:]):
        for each in some:
            desk = await Desk.open(each, space)
            await each.send("PATCH", desk.path, {"status": "open"})
            comment = {"comment": {"markdown": "Good."}, "status": "approved"}
            await each.send("POST", f"/spaces/{space}/change-requests/1/reviews", comment, 201)
            await each.send("POST", f"/spaces/{space}/comments", {"body": {"markdown": "Said."}})
        asked.clear()
        found = await ada.get(f"/spaces/{space}/{listed}")
        counts.append((len(found["items"]), len(asked)))
    assert counts[0][0] < counts[1][0]
    assert counts[0][1] == counts[1][1]


async def test_invites_are_held_against_those_to_the_same_alone(
    platform: Platform, ada: Speaker, organization: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    held = 0
    given = invites._role_given

    def counted(invite: Any, places: Any) -> Any:
        nonlocal held
        held += 1
        return given(invite, places)

    monkeypatch.setattr(invites, "_role_given", counted)

    def make(connection: Any) -> None:
        context = platform.context(connection)
        for at in range(100):
            space = add_space(context, organization, f"S{at}")
            for _ in range(3):
                invites.add_invite(context, organization, "read", space=space)

    platform.database.write_now(make)
    found = await ada.get(f"/orgs/{organization}/link-invites", limit=1000)
    assert [each["redundant"] for each in found["items"]].count(True) == 200
    assert 0 < held < 5 * 300


async def test_links_to_one_thing_from_very_many_places_are_answered_up_to_a_number(
    platform: Platform, ada: Speaker
) -> None:
    pages = (
        ImportedPage("a", "A", "a", text="[x](/pages/b)\n" * (MOST_PLACES + 10) + "[y](/pages/c) [y](/pages/c)\n"),
        ImportedPage("b", "B", "b"),
        ImportedPage("c", "C", "c"),
    )
    space = make_space(platform, pages)
    found = (await ada.get(f"/spaces/{space}/links"))["items"]
    assert [len(link["locationReferences"]) for link in found] == [MOST_PLACES, 1]


async def test_pages_with_one_title_take_slugs_in_time(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    looked = 0

    class Looking(set[str]):
        def __contains__(self, slug: object) -> bool:
            nonlocal looked
            looked += 1
            return super().__contains__(slug)

    def counted(slug: str, taken: set[str], tried: dict[str, int] | None = None) -> str:
        return free_slug(slug, Looking(taken), tried)

    monkeypatch.setattr(imported_tree, "free_slug", counted)
    make_space(platform, [ImportedPage(f"p{at}", "Same") for at in range(200)])
    assert 200 <= looked < 5 * 200


async def test_a_write_looks_at_the_pages_that_it_changes_alone(
    platform: Platform, ada: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    names = [f"page{at:03}" for at in range(300)]
    space = make_space(platform, [ImportedPage(name, name, name, text="Old.\n") for name in names])
    desk = await Desk.open(ada, space)
    await desk.edit(names[0], "New.\n")
    opened: list[str] = []
    walked: list[Node] = []
    entry, cached = TreeDraft._entry, vars(Tree)["places"]
    places = cached.func

    def counted(node: Node, parent: str) -> Any:
        opened.append(node.id)
        return entry(node, parent)

    def walk(tree: Tree) -> Any:
        walked.append(tree.root)
        return places(tree)

    monkeypatch.setattr(TreeDraft, "_entry", staticmethod(counted))
    monkeypatch.setattr(cached, "func", walk)
    asked: list[str] = []
    present = objects.stored_hashes

    def asking(connection: Connection, table: str, hashes: Iterable[str]) -> set[str]:
        asked.extend(hashes)
        return present(connection, table, hashes)

    monkeypatch.setattr(objects, "stored_hashes", asking)
    await desk.edit(names[1], "New.\n")
    await desk.edit(names[2], "New.\n")
    await desk.merge()
    assert sorted(opened) == ["", "", names[1], names[2]]
    assert len(asked) <= 12
    assert not walked, "the places of a tree are taken on from the one it was made from"


async def test_of_many_changes_those_are_answered_that_are_asked_for(
    platform: Platform, ada: Speaker, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = make_space(platform, [ImportedPage(f"p{at}", f"P{at}", f"p{at}", text="Old.\n") for at in range(200)])
    changed = [ImportedPage(f"p{at}", f"P{at}", f"p{at}", text="New.\n") for at in range(50, 250)]
    request = propose(platform, space, "All", changed)
    made: list[str] = []

    def count_models(name: str) -> Callable[..., Any]:
        model = getattr(semantic_changes, name)

        def make(**given: Any) -> Any:
            made.append(name)
            return model(**given)

        return make

    for name in ("ChangedPage", "PageEdited", "BeforeAfter"):
        monkeypatch.setattr(semantic_changes, name, count_models(name))
    answer = await ada.get(f"/spaces/{space}/change-requests/{request}/changes", limit=5)
    assert (len(answer["changes"]), answer["more"]) == (5, 245)
    assert len(made) == 15
