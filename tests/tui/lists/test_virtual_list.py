from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest
from textual.app import ComposeResult
from textual.strip import Strip

from recto.tui.app import RectoApp
from recto.tui.lists.rows import ItemRows, WrappedRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import lines
from recto.tui.look.lines import Line
from support.screens import screen_text, settled, shows
from support.views import ExampleView

Program = Callable[..., RectoApp]
SIZE = (40, 14)
"""Two lines of it are the title and the keys: twelve rows are seen."""


class Listed(ExampleView):
    """A view that is a list."""

    def compose_body(self) -> ComposeResult:
        yield VirtualList(ItemRows([f"row {number}" for number in range(100)], draw), selectable=True)

    def on_mount(self) -> None:
        self.heard: list[tuple[str, object]] = []

    def on_virtual_list_highlighted(self, event: VirtualList.Highlighted) -> None:
        self.heard.append(("highlighted", event.key))

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        self.heard.append(("chosen", event.key))


def draw(item: str, width: int) -> Line:
    return lines.fit([(item, "")], width)


def list_of(app: RectoApp) -> VirtualList:
    return app.screen.query_one(VirtualList)


@pytest.mark.parametrize(
    ("keys", "cursor"),
    [
        ("j j k", 1),
        ("down up up", 0),
        ("G", 99),
        ("G g", 0),
        ("end home", 0),
        ("ctrl+d", 6),
        ("ctrl+d ctrl+d ctrl+u", 6),
        ("pagedown", 11),
        ("G pageup", 88),
        ("G j", 99),
    ],
)
async def test_keys_move_the_cursor(program: Program, keys: str, cursor: int) -> None:
    app = program(Listed)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press(*keys.split())
        await settled(pilot)

        assert list_of(app).cursor == cursor
        assert shows(app, f"row {cursor}")


async def test_moving_and_entering_post_messages(program: Program) -> None:
    app = program(Listed)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("j", "enter")
        await settled(pilot)

        assert isinstance(app.screen, Listed)
        assert app.screen.heard == [("highlighted", "row 0"), ("highlighted", "row 1"), ("chosen", "row 1")]


@pytest.mark.usefixtures("each_step_painted")
async def test_a_step_of_the_cursor_draws_two_rows(program: Program, monkeypatch: pytest.MonkeyPatch) -> None:
    app = program(Listed)
    drawn: list[int] = []
    original = VirtualList.render_line

    def render_line(self: VirtualList, y: int) -> Strip:
        drawn.append(y)
        return original(self, y)

    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        monkeypatch.setattr(VirtualList, "render_line", render_line)
        await pilot.press("j")
        await settled(pilot)

        assert sorted(drawn) == [0, 1]


@pytest.mark.usefixtures("each_step_painted")
async def test_only_what_is_seen_is_drawn(program: Program) -> None:
    drawn: set[int] = set()

    def note(item: int, width: int) -> Line:
        drawn.add(item)
        return [(str(item), "")]

    app = program(Listed)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        list_of(app).show(ItemRows(range(50_000), note, key=lambda item: item))
        await settled(pilot)
        await pilot.press("G")
        await settled(pilot)

        assert len(drawn) <= 2 * SIZE[1]
        assert 49_999 in drawn


async def test_more_or_fewer_rows_are_laid_out_only_where_the_scroll_bar_or_the_place_changes(program: Program) -> None:
    app = program(Listed)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        shown, laid_out = list_of(app), list[object]()
        app.screen.screen_layout_refresh_signal.subscribe(app.screen, laid_out.append)
        for rows in (200, 50):
            shown.show(ItemRows([f"row {number}" for number in range(rows)], draw))
            await settled(pilot)
            assert shown.vertical_scrollbar.window_virtual_size == rows
        assert laid_out == []
        await pilot.press("G")
        shown.show(ItemRows([f"row {number}" for number in range(20)], draw))
        await settled(pilot)
        assert (shown.scroll_offset.y, shows(app, "row 19")) == (8, True)
        assert laid_out
        laid_out.clear()
        shown.show(ItemRows(["row 1"], draw))
        await settled(pilot)

        assert laid_out
        assert not shown.show_vertical_scrollbar


async def test_a_refresh_keeps_the_cursor_on_its_row_and_the_selection(program: Program) -> None:
    app = program(Listed)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press(*"jj", "space")
        list_of(app).show(ItemRows(["new", *(f"row {number}" for number in range(50))], draw))
        await settled(pilot)

        assert list_of(app).cursor_key == "row 3"
        assert list_of(app).selected == ("row 2",)


async def test_when_its_row_is_gone_the_cursor_stays_near(program: Program) -> None:
    app = program(Listed)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("G", "space")
        list_of(app).show(ItemRows(["a", "b"], draw))
        await settled(pilot)

        assert list_of(app).cursor_key == "b"
        assert "selected" not in screen_text(app)[-1]


@pytest.mark.parametrize("rows", [[], ["a", "a remark"]])
async def test_where_nothing_can_be_opened_enter_says_so(program: Program, rows: Sequence[str]) -> None:
    app = program(Listed)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        list_of(app).can_open = lambda index: index == 0
        list_of(app).show(ItemRows(rows, draw))
        await pilot.press("j", "enter")
        await settled(pilot)

        assert "Open: nothing to open here." in screen_text(app)[-1]
        assert isinstance(app.screen, Listed) and not [key for what, key in app.screen.heard if what == "chosen"]


async def test_a_range_is_selected_by_moving_and_esc_takes_it_back(program: Program) -> None:
    app = program(Listed)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("j", "v", "j", "j", "v", "j")
        assert list_of(app).selected == ("row 1", "row 2", "row 3")
        await pilot.press("escape")

        assert list_of(app).selected == ()


async def test_a_range_goes_on_from_its_row_when_others_arrive(program: Program) -> None:
    app = program(Listed)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("j", "v", "j")
        rows = [f"row {number}" for number in range(50)]
        list_of(app).show(ItemRows(["new", *rows[:2], "between", *rows[2:]], draw, key=lambda item: item))
        assert list_of(app).selected == ("row 1", "row 2")
        await pilot.press("j")
        assert list_of(app).selected == ("row 1", "between", "row 2", "row 3")
        list_of(app).show(ItemRows(rows[2:], draw, key=lambda item: item))
        await pilot.press("j")
        assert list_of(app).selected == ("row 2", "row 3")


async def test_finding_marks_and_goes_round(program: Program) -> None:
    app = program(Listed)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"row 9")
        await pilot.press("enter")
        await settled(pilot)
        assert list_of(app).cursor == 9
        await pilot.press("n")
        assert list_of(app).cursor == 90
        await pilot.press("N", "N")
        assert list_of(app).cursor == 99
        await pilot.press("escape")

        assert list_of(app).needle == ""


async def test_letters_typed_to_find_are_text(program: Program) -> None:
    app = program(Listed)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.press("slash", *"jq?:f1", "escape")
        await settled(pilot)

        assert list_of(app).cursor == 0
        assert app.screen.focused is list_of(app)


async def test_a_click_moves_the_cursor_and_a_second_goes_in(program: Program) -> None:
    app = program(Listed)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        await pilot.click(VirtualList, offset=(3, 4), times=2)
        await settled(pilot)

        assert isinstance(app.screen, Listed)
        assert app.screen.heard[-1] == ("chosen", "row 4")


async def test_rows_cut_at_the_edge_are_cut_in_cells(program: Program) -> None:
    app = program(Listed)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        list_of(app).show(ItemRows(["日本語" * 20], draw))
        await settled(pilot)

        (line,) = (line for line in screen_text(app) if "日" in line)
        assert line.endswith("…")


async def test_a_wide_list_scrolls_sideways(program: Program) -> None:
    app = program(Listed)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        list_of(app).show(ItemRows(["0123456789" * 10], draw))
        list_of(app).wide = 100
        await settled(pilot)
        await pilot.press("full_stop")
        await settled(pilot)
        assert screen_text(app)[1].startswith("890123")
        await pilot.press("comma")
        await settled(pilot)

        assert screen_text(app)[1].startswith("012345")


async def test_what_could_drive_the_terminal_does_not(program: Program) -> None:
    app = program(Listed)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        list_of(app).show(ItemRows(["a\x1b]0;owned\x07b [red]c[/]"], lambda item, width: [(item, "")]))
        await settled(pilot)

        assert screen_text(app)[1] == "a]0;ownedb [red]c[/]"


def rows_seen(app: RectoApp) -> list[str]:
    """Give the first word of each line of the list, the scroll bar left out."""
    return [line.split(" ")[0] for line in screen_text(app)[1:-1]]


def paragraphs(item: int, width: int) -> Sequence[Line]:
    return [[(f"{item}.{line}", "")] for line in range(item % 5 + 1)]


def tall(items: Sequence[int]) -> WrappedRows[int]:
    return WrappedRows(items, paragraphs, key=lambda item: item)


async def test_rows_of_several_lines_are_measured_as_they_come_into_view(program: Program) -> None:
    app = program(Listed)
    drawn: set[int] = set()

    def note(item: int, width: int) -> Sequence[Line]:
        drawn.add(item)
        return paragraphs(item, width)

    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        list_of(app).show(WrappedRows(range(10_000), note, key=lambda item: item))
        await settled(pilot)
        await pilot.press("G")
        await settled(pilot)

        assert screen_text(app)[12] == "9999.4"
        assert len(drawn) < 50


async def test_scrolling_up_into_rows_never_seen_does_not_jump(program: Program) -> None:
    app = program(Listed)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        list_of(app).show(tall(range(1000)))
        await pilot.press("G")
        await settled(pilot)
        seen = rows_seen(app)
        for _ in range(30):
            list_of(app).scroll_to(y=list_of(app).scroll_offset.y - 1, animate=False)
            await settled(pilot)
            now = rows_seen(app)
            assert now[1:] == seen[:-1]
            seen = now


async def test_stepping_through_tall_rows_shows_each_line(program: Program) -> None:
    app = program(Listed)
    async with app.run_test(size=(40, 5)) as pilot:
        await settled(pilot)
        list_of(app).show(tall(range(20)))
        await settled(pilot)
        lines_seen = set(rows_seen(app))
        for _ in range(60):
            await pilot.press("j")
            await pilot.pause()
            lines_seen.update(rows_seen(app))

        assert {f"{row}.{line}" for row in range(20) for line in range(row % 5 + 1)} <= lines_seen


async def test_resizing_keeps_the_cursor_where_it_is(program: Program) -> None:
    def wrap(item: int, width: int) -> Sequence[Line]:
        return lines.wrap([(f"{item} " + "word " * 20, "")], width)

    app = program(Listed)
    async with app.run_test(size=(60, 14)) as pilot:
        await settled(pilot)
        list_of(app).show(WrappedRows(range(200), wrap, key=lambda item: item), cursor=100)
        await settled(pilot)
        before = rows_seen(app).index("100")
        await pilot.resize_terminal(44, 14)
        await settled(pilot)

        assert rows_seen(app).index("100") == before


class OfOneRow(Listed):
    """A view that is a list of one row."""

    def compose_body(self) -> ComposeResult:
        yield VirtualList(ItemRows(["row"], draw))


async def test_a_scroll_bar_that_appears_asks_for_no_layout_of_its_own(program: Program) -> None:
    app = program(OfOneRow)
    async with app.run_test(size=SIZE) as pilot:
        await settled(pilot)
        layouts: list[object] = []
        app.screen.screen_layout_refresh_signal.subscribe(list_of(app), layouts.append, immediate=True)
        list_of(app).show(ItemRows(["row"] * 100, draw))
        await settled(pilot)

        assert list_of(app).show_vertical_scrollbar
        assert len(layouts) == 2  # of the rows, and of the bar
