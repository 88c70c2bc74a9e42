"""What a session remembers of pictures."""

from __future__ import annotations

from recto.tui.pictures.decoding import read_picture
from recto.tui.pictures.gallery import Gallery, State
from support.pictures import file_of, quarters

PICTURE = read_picture(file_of(quarters()))


def state(gallery: Gallery, address: str) -> State | None:
    entry = gallery.find(address)
    return entry.state if entry is not None else None


def test_a_picture_is_loaded_once_and_can_be_hidden_and_shown() -> None:
    gallery = Gallery()
    told: list[str] = []
    gallery.changed.subscribe(told.append)
    assert state(gallery, "a") is None
    assert gallery.begin("a")
    assert not gallery.begin("a")
    assert state(gallery, "a") is State.LOADING
    gallery.take("a", PICTURE)
    assert state(gallery, "a") is State.SHOWN
    gallery.hide("a")
    assert state(gallery, "a") is State.HIDDEN
    assert not gallery.begin("a")
    assert state(gallery, "a") is State.SHOWN
    assert told == ["a"] * 4


def test_what_was_hidden_while_it_was_loaded_stays_hidden() -> None:
    gallery = Gallery()
    gallery.begin("a")
    gallery.hide("a")
    gallery.take("a", PICTURE)
    assert state(gallery, "a") is State.HIDDEN
    assert not gallery.begin("a")


def test_what_failed_is_tried_again_when_it_is_asked_for() -> None:
    gallery = Gallery()
    gallery.begin("a")
    gallery.fail("a", "It is broken.")
    entry = gallery.find("a")
    assert entry is not None
    assert (entry.state, entry.why) == (State.FAILED, "It is broken.")
    assert gallery.begin("a")


def test_the_pictures_seen_longest_ago_are_let_go() -> None:
    gallery = Gallery(most_kept=PICTURE.size * 2)
    for address in ("a", "b"):
        gallery.begin(address)
        gallery.take(address, PICTURE)
    gallery.see("a")
    gallery.take("c", PICTURE)
    assert [state(gallery, one) for one in "abc"] == [State.SHOWN, None, State.SHOWN]
    assert gallery.begin("b")
