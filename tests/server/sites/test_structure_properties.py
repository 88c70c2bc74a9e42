"""Whatever is done to a structure, and in whatever order, it stays one."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from recto.contract.structure import SiteSpace, SiteStructure, UpdateGroup, UpdateSection
from recto.server.context import Context
from recto.server.http.problems import Problem
from recto.server.platform import Platform
from recto.server.sites import sections, site_spaces, sites, structure
from recto.server.sites.structure import Item
from recto.server.sites.visible_site import VisibleSite
from recto.server.spaces import retention, spaces
from support.platform import make_platform, own_organization

STEPS = (
    "section", "group", "space", "sort", "into", "nest", "drop section", "drop group", "drop space", "default",
    "delete", "restore",
)  # fmt: skip
Step = tuple[str, int, int, bool]
GROUNDWORK: tuple[Step, ...] = (
    ("space", 0, 0, False),
    ("section", 0, 0, False),
    ("section", 1, 0, False),
    ("group", 1, 0, False),
    ("space", 1, 0, False),
    ("space", 1, 1, False),
)


class Undone(Exception):
    """Ends the transaction of an example."""


class Site:
    """A site to which random things are done by number."""

    def __init__(self, context: Context, organization: str) -> None:
        self.context = context
        self.organization = organization
        self.database = context.database
        self.id = sites.add_site(context, organization, "Docs")
        self.spaces = [spaces.add_space(context, organization, f"Space {at}") for at in range(4)]

    def pick(self, table: str, number: int) -> str | None:
        found = self.database.column(f"SELECT id FROM {table} WHERE site = ? ORDER BY rowid", self.id)
        return str(found[number % len(found)]) if found else None

    def do(self, step: Step) -> None:
        name, one, two, flag = step
        self.database.raw.execute("SAVEPOINT step")
        try:
            self.act(name, one, two, flag)
        except Problem:
            self.database.raw.execute("ROLLBACK TO step")
        self.database.raw.execute("RELEASE step")

    def act(self, name: str, one: int, two: int, flag: bool) -> None:
        section, group, link = (
            self.pick(table, one) or "none" for table in ("sections", "section_groups", "site_spaces")
        )
        other = self.pick("section_groups", two) if flag else None
        doing: dict[str, Callable[[], Any]] = {
            "section": lambda: sections.create_section(self.context, self.id, f"Section {one}", parent=other),
            "group": lambda: sections.create_group(
                self.context, self.id, "Group", parent=other, sections=[section] if section != "none" else []
            ),
            "space": lambda: site_spaces.add_site_space(
                self.context,
                self.id,
                self.spaces[one % len(self.spaces)],
                section=self.pick("sections", two) or site_spaces.default_section(self.database, self.id),
            ),
            "sort": lambda: self.sort(one, two, flag),
            "into": lambda: sections.update_section(
                self.context, self.id, section, UpdateSection(site_section_group_id=other)
            ),
            "nest": lambda: sections.update_group(
                self.context, self.id, group, UpdateGroup(parent_section_group_id=other)
            ),
            "drop section": lambda: sections.remove_section(self.database, self.id, section),
            "drop group": lambda: sections.remove_group(self.database, self.id, group),
            "drop space": lambda: site_spaces.remove_site_space(self.database, self.id, link),
            "default": lambda: sections.update_section(
                self.context, self.id, section, UpdateSection(default_site_space=link)
            ),
            "delete": lambda: retention.delete_space(self.context, self.spaces[one % len(self.spaces)]),
            "restore": lambda: retention.restore_space(self.context, self.spaces[one % len(self.spaces)]),
        }
        doing[name]()

    def sort(self, one: int, two: int, flag: bool) -> None:
        kinds = list(structure.TABLES)
        kind = kinds[one % 3]
        item = Item(kind, self.pick(structure.TABLES[kind], one) or "none")
        beside = structure.siblings(self.database, self.id, item, structure.find_item(self.database, self.id, item))
        target = beside[two % len(beside)]
        before, after = (target, None) if flag else (None, target)
        structure.sort(self.database, self.id, item, before, after)
        ordered = structure.siblings(self.database, self.id, item, structure.find_item(self.database, self.id, item))
        assert ordered.index(item) - ordered.index(target) == (-1 if flag else 1)

    def check(self) -> None:
        row = self.database.one(f"{sites.SITES} WHERE id = ?", self.id)
        assert row is not None
        whole = VisibleSite(self.context, row).structure()
        for table, kind in (("sections", "site-section"), ("section_groups", "site-section-group")):
            kept = self.database.column(f"SELECT id FROM {table} WHERE site = ?", self.id)
            assert sorted(ids_of(whole, kind)) == sorted(kept)
        links = self.database.column(
            "SELECT site_spaces.id FROM site_spaces JOIN spaces ON spaces.id = site_spaces.space"
            " WHERE site = ? AND deleted_at IS NULL",
            self.id,
        )
        assert sorted(ids_of(whole, "site-space")) == sorted(links)
        check_defaults(whole)
        self.check_defaults()

    def check_defaults(self) -> None:
        count = self.database.value("SELECT count(*) FROM sections WHERE site = ?", self.id)
        defaults = self.database.value("SELECT count(*) FROM sections WHERE site = ? AND is_default", self.id)
        assert defaults == min(count, 1)
        places = self.database.all(
            "SELECT section, sum(is_default) AS defaults FROM site_spaces WHERE site = ? GROUP BY section", self.id
        )
        assert all(place["defaults"] == 1 for place in places)
        assert not (count and any(place["section"] is None for place in places))


def check_defaults(whole: SiteStructure) -> None:
    """Check that of what is shown, one section is the default one, and one site space in each."""
    items = list(items_of(whole))
    found = [item for item in items if item.object == "site-section"]
    assert sum(section.default for section in found) == min(len(found), 1)
    places = [section.site_spaces for section in found]
    places.append(tuple(item for item in whole.structure if isinstance(item, SiteSpace)))
    assert all(sum(link.default for link in place) == min(len(place), 1) for place in places)


def ids_of(whole: SiteStructure, kind: str) -> list[str]:
    return [item.id for item in items_of(whole) if item.object == kind]


def items_of(whole: SiteStructure) -> Iterator[Any]:
    waiting: list[Any] = list(whole.structure)
    while waiting:
        item = waiting.pop()
        yield item
        waiting += [*getattr(item, "children", ()), *getattr(item, "site_spaces", ())]


@pytest.fixture(scope="module")
def shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Platform]:
    folder: Path = tmp_path_factory.mktemp("structure")
    platform = make_platform(folder)
    yield platform
    platform.close()


@pytest.mark.slow
@given(st.lists(st.tuples(st.sampled_from(STEPS), st.integers(0, 9), st.integers(0, 9), st.booleans()), max_size=25))
@settings(max_examples=120, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_every_item_stays_in_one_place_and_every_default_is_one(shared: Platform, steps: list[Step]) -> None:
    organization = own_organization(shared)

    def work(context: Context) -> None:
        site = Site(context, organization)
        for step in GROUNDWORK:
            site.do(step)
        for step in steps:
            site.do(step)
            site.check()
        raise Undone

    with pytest.raises(Undone):
        shared.database.write_now(lambda connection: work(shared.context(connection)))
