"""Pictures of the pages of a space: asked for by a person, fetched once, drawn in cells, and copied as words."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from PIL import Image
from rich.color import Color
from textual.geometry import Offset
from textual.pilot import Pilot
from textual.screen import Screen
from textual.selection import Selection

from recto.client.errors import Unreachable
from recto.server.content.imported_tree import ImportedPage
from recto.settings import Settings
from recto.store.locations import ChangeRequestLocation, Location, SpaceLocation
from recto.tui.navigation.messages import Go
from recto.tui.page.page_view import PageView
from recto.tui.pictures.cells import PLACEHOLDER
from support.content import Desk, make_space
from support.files import store_file
from support.guide_workspace import guided_app
from support.pictures import BLUE, GREEN, RED, WHITE, file_of, file_that_claims, quarters
from support.screens import settled
from support.sites import Refusing
from support.spaces import Reader, Workspace

PAGE = """\
First some words.

<figure><img src=".gitbook/assets/quarters.png" alt="Four quarters"><figcaption>Each in a colour</figcaption></figure>

Words between.

![](.gitbook/assets/ring.png)

![Broken](.gitbook/assets/broken.png)

![Vast](.gitbook/assets/vast.png)

![Drawing](.gitbook/assets/drawing.svg)

![Nowhere](.gitbook/assets/nowhere.png)

{% columns %}
{% column %}
Words beside it.
{% endcolumn %}

{% column %}
![Beside](.gitbook/assets/beside.png)
{% endcolumn %}
{% endcolumns %}

Last words.
"""
FILES = {
    "quarters.png": file_of(quarters()),
    "ring.png": file_of(Image.new("RGBA", (40, 40), (0, 0, 0, 0))),
    "beside.png": file_of(quarters(400, 100)),
    "broken.png": file_of(quarters())[:60],
    "film.mp4": b"no picture",
    "plain.bmp": file_of(quarters(400, 100), "BMP"),
    "vast.png": file_that_claims(60_000, 60_000),
    "drawing.svg": b"<svg xmlns='http://www.w3.org/2000/svg'/>",
}
OTHER = "Another page.\n"
SEEN = """\
First some words.

![Wide](.gitbook/assets/plain.bmp "In four colours")

{% columns %}
{% column %}
Words beside it, which go on for a while.
{% endcolumn %}

{% column %}
![Beside](.gitbook/assets/plain.bmp)
{% endcolumn %}
{% endcolumns %}
"""


class Pictured(Workspace):
    """A workspace with a page of pictures, and another page."""

    def __init__(self, folder: Path, text: str = PAGE) -> None:
        super().__init__(folder)
        pages = [
            ImportedPage("pictures", "Pictures", slug="pictures", text=text, attributes={"git": {"path": "README.md"}}),
            ImportedPage("other", "Other", slug="other", text=OTHER),
        ]
        files = [store_file(self.platform, name, content) for name, content in FILES.items()]
        self.space = make_space(self.platform, pages, files=files)

    @asynccontextmanager
    async def at_picture(self, name: str = "Four quarters", **options: Any) -> AsyncIterator[Reader]:
        """Open the page with the cursor on a picture."""
        async with self.reader(location=SpaceLocation(self.space, page="pictures"), **options) as reader:
            await go_to(reader, name)
            yield reader


@pytest.fixture
def space(tmp_path: Path) -> Iterator[Pictured]:
    workspace = Pictured(tmp_path)
    yield workspace
    workspace.close()


async def go_to(reader: Reader, name: str) -> None:
    """Put the cursor on a picture, by its words."""
    page = view(reader)
    page.focus()
    page.find(name)
    page.find("")
    await settled(reader.pilot)


def view(reader: Reader) -> PageView:
    return reader.pilot.app.screen.query_one("#page", PageView)


def cells(
    reader: Reader, sign: str = "▀", screen: Screen[Any] | None = None
) -> list[list[tuple[tuple[int, ...], tuple[int, ...]]]]:
    """Return the colours of the cells of pictures, above and below, for each line of the screen that has some."""
    found = []
    for strip in (screen or reader.pilot.app.screen)._compositor.render_strips(reader.pilot.app.size):
        row: list[tuple[tuple[int, ...], tuple[int, ...]]] = []
        for segment in strip:
            if sign in segment.text and segment.style is not None:
                above, below = segment.style.color, segment.style.bgcolor
                row += [(_rgb(above), _rgb(below))] * segment.text.count(sign)
        if row:
            found.append(row)
    return found


def _rgb(colour: Color | None) -> tuple[int, ...]:
    return tuple(colour.triplet) if colour is not None and colour.triplet is not None else ()


async def test_a_picture_is_fetched_and_drawn_when_its_key_is_pressed_and_not_before(space: Pictured) -> None:
    async with space.at_picture(size=(100, 60)) as reader:
        assert reader.transport.downloads == []
        assert cells(reader) == []
        reader.shows("▨ Four quarters · quarters.png · ", "p picture")
        await reader.press("p")
        assert len(reader.transport.downloads) == 1
        rows = cells(reader)
        assert {len(row) for row in rows} == {24}
        assert len(rows) == 12
        assert (rows[0][0], rows[0][-1]) == ((RED, RED), (GREEN, GREEN))
        assert (rows[-1][0], rows[-1][-1]) == ((BLUE, BLUE), (WHITE, WHITE))
        reader.shows("▨ Four quarters · quarters.png · ", "Each in a colour")
        await reader.press("p")
        assert cells(reader) == []
        await reader.press("p")
        assert cells(reader) == rows
        assert len(reader.transport.downloads) == 1


async def test_a_picture_that_was_shown_is_shown_when_one_comes_back(space: Pictured) -> None:
    async with space.at_picture(size=(100, 60)) as reader:
        await reader.press("p")
        rows = cells(reader)
        await reader.press("tab", "j", "j")
        reader.shows("Another page.")
        assert cells(reader) == []
        await reader.press("k", "k")
        assert cells(reader) == rows
        assert len(reader.transport.downloads) == 1


async def test_all_pictures_of_a_page_are_shown_by_name_each_fetched_once(space: Pictured) -> None:
    async with space.at_picture(size=(140, 60)) as reader:
        await reader.press("tab", "colon")
        await reader.type("Show all pictures")
        await reader.press("enter")
        names = [address.rpartition("/")[2] for address in reader.transport.downloads]
        assert len(names) == len(set(names)) == 5
        assert cells(reader)
        reader.shows(
            "broken.png cannot be shown. The file is broken or cut short.",
            "vast.png cannot be shown. It has 60,000 x 60,000 pixels, which is too many to show here.",
        )


@pytest.mark.parametrize(
    ("name", "why"), [("Drawing", "SVG drawings open only in a browser"), ("Nowhere", "its file is unknown")]
)
async def test_what_cannot_be_shown_says_why_and_is_not_fetched(space: Pictured, name: str, why: str) -> None:
    async with space.at_picture(name) as reader:
        await reader.press("p")
        assert reader.says(why)
        assert reader.transport.downloads == []


async def test_a_failure_is_shown_in_its_place_and_the_key_tries_again(space: Pictured) -> None:
    async with space.at_picture() as reader:
        bring = reader.transport.inner.download  # type: ignore[attr-defined]
        begun, let_go = asyncio.Event(), asyncio.Event()

        async def fail(url: str, most: int) -> bytes:
            begun.set()
            await let_go.wait()
            raise Unreachable("Could not load quarters.png.", "The workspace cannot be reached.", "")

        reader.transport.inner.download = fail  # type: ignore[attr-defined]
        await reader.pilot.press("p")
        await begun.wait()
        await reader.pilot.pause()
        reader.shows("Loading…")
        let_go.set()
        await settled(reader.pilot)
        reader.shows("Could not load quarters.png. The workspace cannot be", "reached.")
        reader.shows_not("Loading…")
        reader.transport.inner.download = bring  # type: ignore[attr-defined]
        await reader.press("p")
        assert cells(reader)
        reader.shows_not("Could not load")


async def test_what_is_being_loaded_when_one_leaves_can_be_asked_for_again(space: Pictured) -> None:
    async with space.at_picture() as reader:
        bring = reader.transport.inner.download  # type: ignore[attr-defined]
        begun = asyncio.Event()

        async def wait(url: str, most: int) -> bytes:
            begun.set()
            await asyncio.Event().wait()
            raise AssertionError

        reader.transport.inner.download = wait  # type: ignore[attr-defined]
        await reader.pilot.press("p")
        await begun.wait()
        await reader.pilot.press("backspace")
        await settled(reader.pilot)
        reader.transport.inner.download = bring  # type: ignore[attr-defined]
        reader.pilot.app.post_message(Go(SpaceLocation(space.space, page="pictures")))
        await settled(reader.pilot)
        await go_to(reader, "Four quarters")
        reader.shows_not("Loading…")
        await reader.press("p")
        assert cells(reader)


async def test_a_picture_on_another_host_is_asked_for_there_and_only_when_wanted(tmp_path: Path) -> None:
    workspace = Pictured(tmp_path, "![Far](https://elsewhere.example/far.png)\n")
    asked: list[str] = []

    def answer(transport: Refusing) -> None:
        async def download(url: str, most: int) -> bytes:
            asked.append(url)
            return file_of(quarters())

        transport.inner.download = download  # type: ignore[attr-defined]

    async with workspace.at_picture("Far", prepare=answer) as reader:
        assert asked == []
        await reader.press("p")
        assert asked == ["https://elsewhere.example/far.png"]
        assert cells(reader)
    workspace.close()


async def test_pictures_are_always_shown_where_a_person_says_so_but_not_those_of_others(tmp_path: Path) -> None:
    near, film, far = ".gitbook/assets/quarters.png", ".gitbook/assets/film.mp4", "https://elsewhere.example/far.png"
    text = f"![Near]({near})\n\n![Film]({film})\n\n![Far]({far})\n"
    workspace = Pictured(tmp_path, text)
    async with workspace.at_picture("Near", settings=Settings(pictures="always"), size=(100, 60)) as reader:
        assert [url.startswith("http://recto.invalid/v1/spaces/") for url in reader.transport.downloads] == [True]
        assert cells(reader)
        await reader.press("p")
        assert cells(reader) == []
        await reader.press("tab", "j", "k")
        assert cells(reader) == []
        assert len(reader.transport.downloads) == 1
    workspace.close()


async def test_without_colours_the_name_stands_alone(space: Pictured, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with space.at_picture() as reader:
        await reader.press("p")
        assert reader.says("this terminal has too few colours for pictures")
        assert reader.transport.downloads == []


async def test_resizing_redraws_a_picture_and_keeps_the_place(space: Pictured) -> None:
    async with space.at_picture(size=(120, 60)) as reader:
        await reader.press("p")
        wide = cells(reader)
        await go_to(reader, "Last words")
        before = view(reader).cursor_line
        for size in ((60, 24), (120, 30), (120, 60)):
            await reader.pilot.resize_terminal(*size)
            await settled(reader.pilot)
            assert view(reader).cursor_line == before, size
            reader.shows("Last words.")
        await go_to(reader, "Four quarters")
        assert cells(reader)[: len(wide)] == wide
        await reader.pilot.resize_terminal(120, 16)
        await settled(reader.pilot)
        assert len(cells(reader)) <= 8
        reader.shows("▨ Four quarters")


async def test_pictures_of_one_line_are_shown_together_where_they_stand_in_one_row(tmp_path: Path) -> None:
    line = "Words.\n\n![Left](.gitbook/assets/quarters.png) ![Right](.gitbook/assets/beside.png)\n"
    workspace = Pictured(tmp_path, line)
    try:
        async with workspace.at_picture("Left", size=(150, 50)) as reader:
            reader.shows("▨ Left · quarters.png", "▨ Right · beside.png", "p picture")
            await reader.press("p")
            assert len(reader.transport.downloads) == 2
            assert {RED, BLUE, GREEN, WHITE} <= {above for row in cells(reader) for above, _below in row}
            assert len(cells(reader)[0]) > len(cells(reader)[-1])
            await reader.press("p")
            assert cells(reader) == []
        async with workspace.at_picture("Left", size=(80, 50)) as reader:
            await reader.press("p")
            assert len(reader.transport.downloads) == 1
    finally:
        workspace.close()


async def test_the_key_is_offered_where_the_cursor_comes_to_a_picture_and_nowhere_else(space: Pictured) -> None:
    async with space.at_picture("First some words", size=(140, 60)) as reader:
        offered = []
        for _ in range(4):
            offered.append("p picture" in reader.line(": actions"))
            await reader.press("j")
        assert offered == [False, True, True, False]
        await reader.press("g", "p")
        assert reader.says("no picture under the cursor")
        await reader.press("space")
        assert reader.says("nothing to fold under the cursor")
        await reader.press("enter")
        assert reader.says("no link under the cursor")
        await reader.press("full_stop")
        assert reader.says("nothing is wider than the screen")
        await reader.press("Z")
        assert reader.says("nothing opens and closes on this page")


async def test_what_is_written_below_a_picture_takes_the_key_too(space: Pictured) -> None:
    async with space.at_picture("Each in a colour") as reader:
        await reader.press("p")
        shown = cells(reader)
        await reader.press("p")
        assert (bool(shown), bool(cells(reader))) == (True, False)


async def test_a_picture_comes_into_sight_as_a_whole(space: Pictured) -> None:
    async with space.at_picture("Words between", size=(100, 30)) as reader:
        await reader.press("G", "k", "k")
        page = view(reader)
        while page.text_between(page.cursor_line, page.cursor_line + 1).find("beside.png") < 0:
            await reader.press("k")
        await reader.press("p")
        assert cells(reader)[-1][0] == (BLUE, BLUE)


async def test_words_are_copied_and_not_pictures(space: Pictured) -> None:
    async with space.at_picture(size=(120, 60)) as reader:
        page = view(reader)

        def selected_text() -> str:
            whole = page.get_selection(Selection(Offset(0, 0), None))
            assert whole is not None
            return whole[0]

        before = selected_text()
        await reader.press("p")
        assert cells(reader)
        assert selected_text() == before
        assert "Words beside it.  " in selected_text()
        await reader.press("x", "enter")
        assert "▀" not in reader.pilot.app.clipboard


@pytest.fixture
def in_kitty(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm-kitty")
    for name in ("TMUX", "STY", "ZELLIJ"):
        monkeypatch.delenv(name, raising=False)


@pytest.mark.usefixtures("in_kitty")
async def test_below_a_dialog_a_picture_is_drawn_in_blocks_in_the_same_cells(space: Pictured) -> None:
    async with space.at_picture(size=(100, 40)) as reader:
        await reader.press("p")
        before = [len(row) for row in cells(reader, PLACEHOLDER)]
        numbers = cells(reader, PLACEHOLDER)
        await reader.press("colon")
        below = reader.pilot.app.screen_stack[-2]
        assert below is not reader.pilot.app.screen
        assert cells(reader, PLACEHOLDER, below) == []
        assert [len(row) for row in cells(reader, screen=below)] == before
        await reader.press("escape")
        assert cells(reader, PLACEHOLDER) == numbers
        assert cells(reader) == []


@pytest.mark.usefixtures("in_kitty", "each_step_painted")
async def test_a_terminal_that_draws_pictures_itself_is_sent_the_picture_and_no_text(
    space: Pictured, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with space.at_picture(size=(100, 40)) as reader:
        driver = reader.pilot.app._driver
        assert driver is not None
        sent: list[str] = []
        monkeypatch.setattr(driver, "write", lambda data: sent.append(data) if "\x1b_G" in data else None)
        await reader.press("p")
        rows = cells(reader, PLACEHOLDER)
        assert cells(reader) == []
        assert {len(row) for row in rows} == {10}
        [[number]] = [{above for row in rows for above, _below in row}]
        assert len(sent) == 2
        assert f"i={int.from_bytes(bytes(number), 'big')},".encode() in sent[0].encode()
        for word in ("quarters", "Four", "gitbook", "blobs"):
            assert not any(word in data for data in sent)
        sent.clear()
        reader.pilot.app.app_resume_signal.publish(reader.pilot.app)
        await settled(reader.pilot)
        await reader.pilot.resize_terminal(100, 39)
        await settled(reader.pilot)
        assert any("a=t" in data for data in sent)
        sent.clear()
        await reader.press("backspace")
        assert [data.count("a=d,d=I") for data in sent] == [1]


async def test_pictures_are_shown_in_past_revisions_and_previews_too(space: Pictured) -> None:
    now = (await space.api.get(f"/spaces/{space.space}/content"))["id"]
    desk = await Desk.open(space.api, space.space)
    await desk.edit("pictures", PAGE + "\nAnd more.\n")
    preview = ChangeRequestLocation(space.space, str(desk.number), tab=3)
    past = SpaceLocation(space.space, revision=now, page="pictures", tab=1)
    locations: tuple[Location, ...] = (past, preview)
    for location in locations:
        async with space.reader(location=location, size=(120, 60)) as reader:
            await go_to(reader, "Four quarters")
            assert reader.transport.downloads == []
            await reader.press("p")
            assert len(reader.transport.downloads) == 1
            assert cells(reader)[0][0] == (RED, RED)


@pytest.mark.parametrize("width", [60, 120])
def test_a_page_with_pictures_looks_as_it_did(width: int, tmp_path: Path, snap_compare: Any) -> None:
    space = Pictured(tmp_path, SEEN)

    async def show(pilot: Pilot[None]) -> None:
        await settled(pilot)
        page = pilot.app.screen.query_one("#page", PageView)
        page.focus()
        page.find("Wide")
        page.find("")
        await pilot.press("p")
        await settled(pilot)

    app = guided_app(space.platform, tmp_path, SpaceLocation(space.space, page="pictures"))
    assert snap_compare(app, terminal_size=(width, 32), run_before=show)
    space.close()
