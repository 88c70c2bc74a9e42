from __future__ import annotations

from collections.abc import Callable

from textual.app import ComposeResult

from recto.tui.app import RectoApp
from recto.tui.lists.tree_list import TreeItem, TreeList, with_children
from recto.tui.lists.tree_rows import TreeRow, draw_tree_row
from support.screens import all_messages, screen_text, settled, shows
from support.views import ExampleView

Program = Callable[..., RectoApp]
TREE = (
    TreeItem(
        "guide",
        "Guide",
        children=(TreeItem("install", "Install", detail=[("2 h ago", "muted")]), TreeItem("first", "First steps")),
    ),
    TreeItem("api", "Reference", lazy=True),
    TreeItem("end", "The end"),
)


class Treed(ExampleView):
    """A view that is a tree."""

    def compose_body(self) -> ComposeResult:
        yield TreeList(TREE)

    def on_mount(self) -> None:
        self.heard: list[object] = []

    def on_tree_list_wanted(self, event: TreeList.Wanted) -> None:
        self.heard.append(("wanted", event.item.id))

    def on_virtual_list_chosen(self, event: TreeList.Chosen) -> None:
        self.heard.append(("chosen", event.key))


def tree(app: RectoApp) -> TreeList:
    return app.screen.query_one(TreeList)


def labels(app: RectoApp) -> list[str]:
    return [row.item.label for row in tree(app).tree_rows.rows]


async def test_right_opens_then_goes_in_and_left_goes_up_then_closes(program: Program) -> None:
    app = program(Treed)
    async with app.run_test() as pilot:
        await settled(pilot)
        await pilot.press("right")
        assert labels(app) == ["Guide", "Install", "First steps", "Reference", "The end"]
        await pilot.press("l", "j")
        assert tree(app).cursor_key == "first"
        await pilot.press("h")
        assert tree(app).cursor_key == "guide"
        await pilot.press("left")

        assert labels(app) == ["Guide", "Reference", "The end"]


async def test_right_on_an_item_with_nothing_under_it_goes_into_it(program: Program) -> None:
    app = program(Treed)
    async with app.run_test() as pilot:
        await settled(pilot)
        await pilot.press("G", "l")
        await settled(pilot)

        assert isinstance(app.screen, Treed)
        assert app.screen.heard == [("chosen", "end")]


async def test_children_that_are_not_loaded_are_asked_for_and_fit_in(program: Program) -> None:
    app = program(Treed)
    async with app.run_test() as pilot:
        await settled(pilot)
        await pilot.press("j", "l")
        await settled(pilot)
        assert isinstance(app.screen, Treed)
        assert app.screen.heard == [("wanted", "api")]
        tree(app).show_items(with_children(TREE, "api", [TreeItem("users", "Users")]))
        await settled(pilot)

        assert labels(app) == ["Guide", "Reference", "Users", "The end"]
        assert tree(app).cursor_key == "api"


async def test_a_refresh_keeps_what_is_open_and_the_cursor(program: Program) -> None:
    app = program(Treed)
    async with app.run_test() as pilot:
        await settled(pilot)
        await pilot.press("l", "j", "j")
        tree(app).show_items((TreeItem("new", "New"), *TREE))
        await settled(pilot)

        assert tree(app).cursor_key == "first"
        assert labels(app)[:4] == ["New", "Guide", "Install", "First steps"]


async def test_closing_from_above_takes_the_cursor_along(program: Program) -> None:
    app = program(Treed)
    async with app.run_test() as pilot:
        await settled(pilot)
        await pilot.press("l", "j")
        tree(app).close_items("guide")

        assert tree(app).cursor_key == "guide"


async def test_filtering_keeps_what_is_above_and_esc_brings_all_back_at_the_found(program: Program) -> None:
    app = program(Treed)
    async with app.run_test() as pilot:
        await settled(pilot)
        await pilot.press("slash", *"steps")
        await settled(pilot)
        assert labels(app) == ["Guide", "First steps"]
        assert tree(app).cursor_key == "first"
        await pilot.press("enter", "escape")
        await settled(pilot)

        assert labels(app) == ["Guide", "Install", "First steps", "Reference", "The end"]
        assert tree(app).cursor_key == "first"


async def test_revealing_opens_what_is_above(program: Program) -> None:
    app = program(Treed)
    async with app.run_test() as pilot:
        await settled(pilot)
        assert tree(app).reveal("install")
        assert not tree(app).reveal("nowhere")

        assert tree(app).cursor_key == "install"


async def test_a_click_on_the_mark_opens(program: Program) -> None:
    app = program(Treed)
    async with app.run_test() as pilot:
        await settled(pilot)
        await pilot.click(TreeList, offset=(0, 0))
        await settled(pilot)
        assert "Install" in labels(app)
        await pilot.click(TreeList, offset=(4, 1))
        await settled(pilot)

        assert tree(app).cursor_key == "install"


async def test_the_detail_stands_at_the_right_edge(program: Program) -> None:
    app = program(Treed)
    async with app.run_test(size=(40, 12)) as pilot:
        await settled(pilot)
        await pilot.press("l")
        await settled(pilot)

        assert shows(app, "▾ Guide")
        (line,) = (line for line in screen_text(app) if "Install" in line)
        assert line.endswith("2 h ago")


def test_a_note_without_room_leaves_half_of_it_to_the_label() -> None:
    def drawn(label: str, note: str, detail: str = "") -> str:
        item = TreeItem("a", label, note=note, detail=[(detail, "")] if detail else [])
        row = TreeRow(item, depth=0, parent=None, expanded=False)
        return "".join(text for text, _ in draw_tree_row(row, 22))

    assert drawn("Settings", "hidden") == "  Settings  hidden"
    assert drawn("Settings and your own keys", "hidden") == "  Settings an…  hidden"
    assert drawn("Settings and your own keys", "→ from “Setting up”") == "  Settings …  → from …"
    assert drawn("Settings", "default", "/settings-of-the-program") == "  Settings  default", "the detail goes first"


async def test_fifty_thousand_items_are_like_fifty(program: Program) -> None:
    many = [
        TreeItem(f"c{c}", f"Chapter {c}", children=[TreeItem(f"p{c}.{p}", f"Page {p}") for p in range(500)])
        for c in range(100)
    ]
    app = program(Treed)
    async with app.run_test() as pilot:
        await settled(pilot)
        tree(app).show_items(many)
        tree(app).open_items(*(f"c{c}" for c in range(100)))
        await pilot.press("G")
        await settled(pilot)
        assert shows(app, "Page 499")
        assert tree(app).find("page 250") == 100
        await pilot.press("z")
        assert tree(app).cursor_key == "p0.250", "what is found is open while one looks for it"
        tree(app).find("")
        await pilot.press("z")
        assert len(tree(app).rows) == 100
        await pilot.press("Z")
        assert len(tree(app).rows) == 50_100


async def test_all_is_opened_and_closed_by_one_key_each_and_the_cursor_goes_along(program: Program) -> None:
    app = program(Treed)
    async with app.run_test() as pilot:
        await settled(pilot)
        await pilot.press("z")
        assert any("all is collapsed" in each for each in all_messages(app))
        await pilot.press("Z", "j", "j")
        assert tree(app).cursor_key == "first"
        await pilot.press("z")
        assert labels(app) == ["Guide", "Reference", "The end"]
        assert tree(app).cursor_key == "guide"
        assert not app.screen.heard, "children that are not loaded are not asked for"  # type: ignore[attr-defined]


async def test_a_closed_item_says_how_many_are_in_it(program: Program) -> None:
    app = program(Treed)
    async with app.run_test() as pilot:
        await settled(pilot)
        inside = TreeItem("in", "Inside")
        tree(app).show_items([TreeItem("all", "All of it", children=[inside], inside=1, detail=[("×2", "error")])])
        (line,) = (line for line in screen_text(app) if "All of it" in line)
        assert line.endswith("×2 1")
        await pilot.press("l")
        (line,) = (line for line in screen_text(app) if "All of it" in line)
        assert line.endswith("×2")
