from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from threading import Event, current_thread, main_thread
from typing import Any

import pytest

from recto import disk
from recto.store.locations import (
    MOST_RECENT,
    ChangeRequestLocation,
    ChosenRequest,
    DeletedSpace,
    Location,
    Locations,
    OrganizationsLocation,
    SiteLocation,
    SpaceLocation,
    location_data,
    parent_of,
    read_location,
)

HERE = "https://api.example.com"


def location(page: str, leaf: int = 0) -> SpaceLocation:
    return SpaceLocation("s1", page=page, title=page.title(), position=(leaf, 0, 0))


EACH: tuple[Location, ...] = (
    OrganizationsLocation(),
    OrganizationsLocation("space:s1", ("organization:o1",), "Docs"),
    SpaceLocation("s1"),
    SpaceLocation("s1", revision="r1", page="p1", anchor="end", title="Intro", position=(3, 0, 7), tab=1),
    SpaceLocation(
        "s1", panel="reader", side="links", tree_width=30, side_width=40, change_request="c1", opened=("p1", "p2")
    ),
    SpaceLocation("s1", opened=()),
    SpaceLocation("s1", closed=("p1",)),
    ChangeRequestLocation("s1", "c1"),
    ChangeRequestLocation("s1", "c1", page="p1", title="#1 Change", tab=2),
    SiteLocation("o1", "w1"),
    SiteLocation("o1", "w1", item="i1", row=4, title="Docs"),
)


@pytest.mark.parametrize("each", EACH, ids=str)
def test_each_location_comes_back_from_its_data_as_it_was(each: Location) -> None:
    assert read_location(json.loads(json.dumps(location_data(each)))) == each


def test_the_last_location_on_each_platform_is_remembered(tmp_path: Path) -> None:
    file = tmp_path / "state" / "places.json"
    locations = Locations(file)
    assert locations.last(HERE) is None
    locations.remember(HERE, location("one"))
    locations.remember("embedded", location("other"))
    locations.remember(HERE, location("two", 30))
    locations.flush()
    again = Locations(file)
    assert again.last(HERE) == location("two", 30)
    assert again.last("embedded") == location("other")
    assert again.recent(HERE) == (location("two", 30), location("one"))


def test_a_target_is_remembered_once_with_its_newest_position(tmp_path: Path) -> None:
    locations = Locations(tmp_path / "places.json")
    for page, leaf in (("one", 1), ("two", 2), ("one", 3)):
        locations.remember(HERE, location(page, leaf))
    assert locations.recent(HERE) == (location("one", 3), location("two", 2))


def test_the_file_is_written_in_a_thread_and_flushing_waits_for_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    file = tmp_path / "places.json"
    locations = Locations(file)
    emitted: list[Location] = []
    locations.remembered.subscribe(emitted.append)
    go, writers = Event(), []
    write = disk.write

    def write_later(path: Path, *args: Any, **options: Any) -> None:
        if path == file:
            go.wait(60)
            writers.append(current_thread())
        write(path, *args, **options)

    monkeypatch.setattr(disk, "write", write_later)
    for page in ("one", "two", "three"):
        locations.remember(HERE, location(page))
    assert (locations.last(HERE), emitted[-1], file.exists()) == (location("three"), location("three"), False)
    go.set()
    locations.flush()
    assert Locations(file).last(HERE) == location("three")
    assert len(writers) <= 2  # what was out of date before its turn is not written
    assert main_thread() not in writers


def test_windows_take_nothing_from_one_another(tmp_path: Path) -> None:
    file = tmp_path / "places.json"
    one, other = Locations(file), Locations(file)
    for window in (one, other):
        window.load()
    deleted = DeletedSpace("s1", "o1", "Guide", 1.0)
    one.remember_deleted(HERE, deleted)
    one.choose(HERE, "s2", ChosenRequest("c1"))
    one.remember(HERE, location("one"))
    other.remember(HERE, location("two"))
    other.choose(HERE, "s3", ChosenRequest("c2"))
    other.flush()
    again = Locations(file)
    assert again.deleted_spaces(HERE) == (deleted,)
    assert again.recent(HERE) == (location("two"), location("one"))
    assert (again.choice(HERE, "s2"), again.choice(HERE, "s3")) == (ChosenRequest("c1"), ChosenRequest("c2"))
    assert other.choice(HERE, "s2") is None, "a choice does not act in another window"
    one.forget_deleted(HERE, "s1")
    other.remember(HERE, location("three"))
    other.flush()
    assert Locations(file).deleted_spaces(HERE) == ()


def test_only_so_many_are_remembered(tmp_path: Path) -> None:
    locations = Locations(tmp_path / "places.json")
    for number in range(MOST_RECENT + 5):
        locations.remember(HERE, location(str(number)))
    locations.flush()
    assert len(Locations(tmp_path / "places.json").recent(HERE)) == MOST_RECENT


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{",
        b"[" * 100_000,
        b"\xff",
        b'{"https://api.example.com": 3}',
        b'{"https://api.example.com": [{"screen": 1}, {"screen": []}, {"screen": "attic"}, {"screen": "space"}, 2]}',
        b'{"https://api.example.com": [{"screen": "space", "space": 7}, {"screen": "site", "site": "w1"}]}',
    ],
)
def test_a_file_that_cannot_be_read_is_an_empty_one(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "places.json"
    file.write_bytes(data)
    locations = Locations(file)
    assert locations.last(HERE) is None
    locations.remember(HERE, location("one"))
    locations.flush()
    assert Locations(file).last(HERE) == location("one")


@pytest.mark.parametrize(
    "damage",
    [
        {"position": "far"},
        {"position": [1, 2]},
        {"position": [1, 2, -3]},
        {"tab": 10**30},
        {"tab": -1},
        {"tab": "2"},
        {"opened": "p1"},
        {"opened": [1, None]},
        {"page": 7},
        {"panel": {}},
        {"from": "a later version"},
    ],
    ids=str,
)
def test_what_can_be_read_of_a_location_is_read(damage: dict[str, object]) -> None:
    found = read_location({"screen": "space", "space": "s1", "title": "Intro", **damage})
    assert isinstance(found, SpaceLocation)
    assert replace(found, opened=None) == SpaceLocation("s1", title="Intro")


@pytest.mark.parametrize(
    ("screen", "arguments", "expected"),
    [
        ("organizations", {"item": "space:s1"}, OrganizationsLocation("space:s1", title="Intro")),
        ("space", {"space": "s1", "page": "p1"}, SpaceLocation("s1", page="p1", title="Intro")),
        ("revision", {"space": "s1", "revision": "r1"}, SpaceLocation("s1", revision="r1", title="Intro")),
        ("change-request", {"space": "s1", "change_request": "c1"}, ChangeRequestLocation("s1", "c1", title="Intro")),
        ("site", {"organization": "o1", "site": "w1"}, SiteLocation("o1", "w1", title="Intro")),
    ],
)
def test_the_file_of_the_version_before_is_read(screen: str, arguments: dict[str, str], expected: Location) -> None:
    view = {"leaf": 3, "part": 1, "open p1": 1}
    assert read_location({"screen": screen, "arguments": arguments, "title": "Intro", "view": view}) == expected


def test_locations_with_the_same_subject_are_on_the_same_screen() -> None:
    assert location("one").subject == location("two").subject
    assert len({each.subject for each in EACH}) == 6
    assert location("one").target != location("two").target
    assert location("one", 1).target == location("one", 2).target


def test_above_a_screen_is_the_space_that_it_belongs_to_and_else_the_organizations() -> None:
    assert parent_of(ChangeRequestLocation("s1", "c1", page="p1")) == SpaceLocation("s1")
    assert parent_of(SpaceLocation("s1", revision="r1", page="p1")) == SpaceLocation("s1")
    assert parent_of(SpaceLocation("s1", page="p1")) == OrganizationsLocation("space:s1")
    assert parent_of(SiteLocation("o1", "w1")) == OrganizationsLocation("site:w1")
    assert parent_of(OrganizationsLocation()) is None


def test_a_folder_that_cannot_be_written_to_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    locations = Locations(tmp_path / "file" / "places.json")
    locations.remember(HERE, location("one"))
    locations.flush()
    assert locations.last(HERE) == location("one")
