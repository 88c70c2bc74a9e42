from __future__ import annotations

import json
import os
import stat
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from recto.store.locations import Locations, SpaceLocation
from recto.tui.snapshot.files import Snapshot, Snapshots

HERE = "https://api.example.com"
AT = SpaceLocation("s1", page="p1", title="Intro", position=(3, 0, 0))
SIGHT = Snapshot(AT, "dark truecolor", ("bold", "#ffffff on #000000"), ((("Intro ", 0), ("▌", 1)), (), (("日本", 1),)))


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return tmp_path / "state" / "sight.json"


def snapshots(file: Path, address: str = HERE, account: str = "", at: SpaceLocation = AT) -> Snapshots:
    locations = Locations(file.parent / "places.json")
    locations.remember(address, at)
    return Snapshots(file, locations, address, account)


def test_what_was_kept_is_there_again(file: Path) -> None:
    assert snapshots(file).last() is None
    snapshots(file).save(SIGHT)
    assert snapshots(file).last() == SIGHT


@pytest.mark.skipif(os.name == "nt", reason="there are no such modes")
def test_only_its_owner_may_read_it(file: Path) -> None:
    before = os.umask(0)
    try:
        snapshots(file).save(SIGHT)
        snapshots(file).save(SIGHT)
    finally:
        os.umask(before)
    assert stat.S_IMODE(file.stat().st_mode) == 0o600


def test_it_is_for_the_same_platform_person_and_place_alone(file: Path) -> None:
    snapshots(file, account="ada").save(SIGHT)
    assert snapshots(file, account="grace").last() is None
    assert snapshots(file, "https://other.example.com", "ada").last() is None
    assert snapshots(file, account="ada", at=SpaceLocation("s1", page="p2")).last() is None
    # Further down on the same page it is the same page.
    assert snapshots(file, account="ada", at=SpaceLocation("s1", page="p1", position=(9, 0, 0))).last() == SIGHT


def change(**entries: object) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda data: data | entries


@pytest.mark.parametrize(
    "damage",
    [
        change(form=0),
        change(version="0.0.1"),
        change(lines=[[["x", 2]]]),
        change(lines=[[["x", -1]]]),
        change(lines=[[["x", "bold"]]]),
        change(lines=[[[1, 1]]]),
        change(lines=[["xyz"]]),
        change(lines=7),
        change(styles=[1, 2]),
        change(styles=None),
        change(location=None),
        change(look=1),
        lambda data: {key: value for key, value in data.items() if key != "styles"},
        lambda data: [data],
    ],
)
def test_what_is_not_as_it_was_written_is_ignored(file: Path, damage: Callable[[dict[str, Any]], object]) -> None:
    snapshots(file).save(SIGHT)
    file.write_text(json.dumps(damage(json.loads(file.read_text()))))
    assert snapshots(file).last() is None


@pytest.mark.parametrize("data", [b"", b"[]", b"{", b"[" * 100_000, b"\xff", b" " * 5_000_000])
def test_a_file_that_is_none_is_ignored_and_written_anew(file: Path, data: bytes) -> None:
    file.parent.mkdir()
    file.write_bytes(data)
    assert snapshots(file).last() is None
    snapshots(file).save(SIGHT)
    assert snapshots(file).last() == SIGHT


def test_it_can_be_dropped(file: Path) -> None:
    snapshots(file).save(SIGHT)
    snapshots(file).delete()
    snapshots(file).delete()
    assert snapshots(file).last() is None


def test_a_folder_that_cannot_be_written_to_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "in the way").write_text("")
    snapshots(tmp_path / "in the way" / "sight.json").save(SIGHT)
