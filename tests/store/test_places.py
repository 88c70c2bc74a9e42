from __future__ import annotations

import json
from pathlib import Path

import pytest

from recto.store.places import MOST_RECENT, Places, Spot

HERE = "https://api.example.com"


def spot(page: str, scroll: int = 0) -> Spot:
    return Spot("space", {"space": "s1", "page": page}, title=page.title(), view={"scroll": scroll})


def test_the_last_place_of_each_platform_is_remembered(tmp_path: Path) -> None:
    file = tmp_path / "state" / "places.json"
    places = Places(file)
    assert places.last(HERE) is None
    places.remember(HERE, spot("one"))
    places.remember("embedded", spot("other"))
    places.remember(HERE, spot("two", 30))
    again = Places(file)
    assert again.last(HERE) == spot("two", 30)
    assert again.last("embedded") == spot("other")
    assert again.recent(HERE) == (spot("two", 30), spot("one"))


def test_a_thing_is_remembered_once_with_its_newest_view(tmp_path: Path) -> None:
    places = Places(tmp_path / "places.json")
    for page, scroll in (("one", 1), ("two", 2), ("one", 3)):
        places.remember(HERE, spot(page, scroll))
    assert places.recent(HERE) == (spot("one", 3), spot("two", 2))
    places.forget(HERE, spot("one"))
    assert places.last(HERE) == spot("two", 2)


def test_a_place_that_is_noted_is_known_at_once_and_comes_into_the_file_with_the_next_write(tmp_path: Path) -> None:
    file = tmp_path / "places.json"
    places = Places(file)
    heard: list[Spot] = []
    places.remembered.subscribe(heard.append)
    places.note(HERE, spot("one"))
    assert (places.last(HERE), heard, file.exists()) == (spot("one"), [spot("one")], False)
    places.write()
    assert Places(file).last(HERE) == spot("one")


def test_only_so_many_are_remembered(tmp_path: Path) -> None:
    places = Places(tmp_path / "places.json")
    for number in range(MOST_RECENT + 5):
        places.remember(HERE, spot(str(number)))
    assert len(Places(tmp_path / "places.json").recent(HERE)) == MOST_RECENT


@pytest.mark.parametrize(
    "data", [b"", b"[]", b"{", b"[" * 100_000, b"\xff", b'{"https://api.example.com": 3}', b'{"x": [{"screen": 1}, 2]}']
)
def test_a_file_that_cannot_be_read_is_an_empty_memory(tmp_path: Path, data: bytes) -> None:
    file = tmp_path / "places.json"
    file.write_bytes(data)
    places = Places(file)
    assert places.last(HERE) is None
    places.remember(HERE, spot("one"))
    assert Places(file).last(HERE) == spot("one")


def test_what_can_be_read_of_a_place_is_read(tmp_path: Path) -> None:
    file = tmp_path / "places.json"
    file.write_text(
        json.dumps(
            {
                HERE: [
                    {
                        "screen": "space",
                        "view": {"scroll": "far", "line": 10**30, "top": -1},
                        "arguments": 1,
                        "more": True,
                    }
                ]
            }
        )
    )
    assert Places(file).last(HERE) == Spot("space")


def test_a_folder_that_cannot_be_written_to_is_no_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("in the way")
    places = Places(tmp_path / "file" / "places.json")
    places.remember(HERE, spot("one"))
    assert places.last(HERE) == spot("one")
