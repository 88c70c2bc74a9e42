"""Tabs and expandables on a page, by keys and by the mouse."""

from __future__ import annotations

from recto.tui.page.page_view import PageView
from recto.tui.render.surroundings import Included, Surroundings
from support.block_pages import BLOCKS
from support.reader import Reader, cursor_row, reading
from support.screens import screen_text, settled

TABS, EXPANDABLE = BLOCKS["tabs"], BLOCKS["expandable"]


def on_screen(app: Reader, words: str) -> bool:
    return any(words in line for line in screen_text(app))


def place_of(app: Reader, words: str) -> tuple[int, int]:
    """Where words stand on the screen."""
    y, line = next((y, line) for y, line in enumerate(screen_text(app)) if words in line)
    return line.index(words), y


async def test_space_and_enter_on_the_titles_show_the_next_tab() -> None:
    async with reading(TABS) as (pilot, _view, app):
        assert on_screen(app, "npm install")
        await pilot.press("space")
        assert on_screen(app, "With pip instead.")
        assert not on_screen(app, "npm install")
        await pilot.press("enter")
        assert on_screen(app, "Untitled.")
        await pilot.press("enter")
        assert on_screen(app, "npm install")
        assert cursor_row(app).startswith("npm   pip   Tab 3")


async def test_space_in_a_tab_goes_on_to_the_next_and_the_cursor_to_its_titles() -> None:
    async with reading("Before\n\n" + TABS) as (pilot, _view, app):
        await pilot.press("j", "j")
        assert "npm install" in cursor_row(app)
        await pilot.press("space")
        assert cursor_row(app).startswith("npm   pip   Tab 3")
        await pilot.press("j")
        assert "With pip instead." in cursor_row(app)


async def test_a_title_is_chosen_as_a_link_and_by_the_mouse() -> None:
    async with reading(TABS) as (pilot, view, app):
        await pilot.press(">", ">", "enter")
        assert on_screen(app, "With pip instead.")
        await pilot.click(PageView, offset=place_of(app, "Tab 3"))
        assert on_screen(app, "Untitled.")
        # It leads nowhere: there is nothing to open in the browser, and nothing to copy.
        assert view.current_link is None
        assert app.heard == [one for one in app.heard if isinstance(one, PageView.BlockChanged)]


async def test_an_expandable_opens_and_closes() -> None:
    async with reading(EXPANDABLE) as (pilot, _view, app):
        assert not on_screen(app, "Inside of it.")
        await pilot.press("enter")
        assert on_screen(app, "Inside of it.")
        await pilot.press("j", "space")
        assert not on_screen(app, "Inside of it.")
        assert cursor_row(app) == "▸ More here"
        await pilot.click(PageView, offset=place_of(app, "More here"))
        assert on_screen(app, "Inside of it.")


async def test_all_expandables_are_opened_and_closed_by_one_key_each_and_tabs_stay() -> None:
    inner = "<details>\n<summary>Inner</summary>\n\nInnermost.\n\n</details>"
    page = f"{EXPANDABLE}\n\n<details>\n<summary>Outer</summary>\n\n{inner}\n\n</details>\n\n{TABS}"
    async with reading(page, size=(80, 40)) as (pilot, _view, app):
        await pilot.press("Z")
        assert on_screen(app, "Inside of it.") and on_screen(app, "Innermost.")
        assert not on_screen(app, "With pip instead.")
        await pilot.press(*["j"] * 6)
        assert cursor_row(app) == "│ │ Innermost."
        await pilot.press("z")
        assert not on_screen(app, "Inside of it.") and not on_screen(app, "Innermost.")
        assert cursor_row(app) == "▸ Outer"


async def test_a_link_in_a_summary_is_followed_where_it_is_chosen() -> None:
    page = '<details><summary>See <a href="other.md">the other</a></summary>\n\nInside.\n\n</details>\n'
    async with reading(page) as (pilot, view, app):
        assert view.current_link == "other.md"
        await pilot.press("space")
        assert on_screen(app, "Inside.")
        await pilot.press(">", ">", "enter")
        assert [one.href for one in app.heard if isinstance(one, PageView.LinkFollowed)] == ["other.md"]


async def test_finding_opens_what_it_goes_to() -> None:
    async with reading("Words\n\n" + EXPANDABLE + "\n" + TABS) as (pilot, view, app):
        assert view.find("pip instead") == 1
        await pilot.pause()
        assert "With pip instead." in cursor_row(app)
        view.find("inside of")
        await pilot.pause()
        assert cursor_row(app).endswith("Inside of it.")


async def test_an_anchor_in_a_tab_that_is_not_shown_is_gone_to() -> None:
    page = TABS.replace("With pip instead.", "# Elsewhere\n\nWith pip instead.")
    async with reading(page) as (pilot, view, app):
        assert view.go_to_anchor("elsewhere")
        await pilot.pause()
        assert cursor_row(app).endswith("Elsewhere")


async def test_headings_and_links_that_are_folded_away_are_passed_over() -> None:
    page = "<details><summary>More</summary>\n\n## Hidden\n\n[a](a.md)\n\n</details>\n\n## Seen\n\n[b](b.md)\n"
    async with reading(page) as (pilot, view, app):
        await pilot.press("]")
        assert cursor_row(app) == "Seen"
        await pilot.press(">")
        assert view.current_link == "b.md"


async def test_a_page_shown_again_keeps_its_folds_and_another_page_does_not() -> None:
    async with reading(EXPANDABLE) as (pilot, view, app):
        view.show("Page", EXPANDABLE, page="one")
        await pilot.pause()
        await pilot.press("j", "enter")
        assert on_screen(app, "Inside of it.")
        view.show("Page", EXPANDABLE + "\nMore words.\n", page="one", position=view.position)
        await pilot.pause()
        assert on_screen(app, "Inside of it.")
        view.show("Page", EXPANDABLE, page="other")
        await pilot.pause()
        assert not on_screen(app, "Inside of it.")


async def test_folding_keeps_the_place_on_the_screen() -> None:
    async with reading("words\n\n" * 30 + EXPANDABLE + "\n" + "more\n\n" * 30) as (pilot, view, app):
        view.find("More here")
        await pilot.pause()
        _, before = place_of(app, "More here")
        await pilot.press("space")
        assert place_of(app, "More here")[1] == before
        assert on_screen(app, "Inside of it.")


async def test_a_page_keeps_its_place_when_named_titles_arrive() -> None:
    page = "word " * 20_000 + "\n\n" + BLOCKS["content-ref"] + "\n" + "more\n\n" * 40
    async with reading(page) as (pilot, view, app):
        await settled(pilot)
        view.find("Foo page")
        await pilot.press("escape", ">")
        _, before = place_of(app, "Foo page")
        view.surround(Surroundings(title_of={"foo.md": "The title of foo"}.get))
        await settled(pilot)
        assert place_of(app, "The title of foo")[1] == before
        assert view.current_link == "foo.md"


async def test_a_page_that_is_still_being_read_is_gone_to_where_it_was_asked_for() -> None:
    page = "word " * 20_000 + "\n\n# Further down\n\n" + "more\n\n" * 40
    async with reading("short\n\n" * 50) as (pilot, view, app):
        await pilot.press("G")
        view.show("Long", page, anchor="further-down")
        view.surround(Surroundings())
        await settled(pilot)
        assert cursor_row(app) == "Further down"


async def test_tabs_in_a_column_are_gone_through_with_space() -> None:
    columns = f"{{% columns %}}\n{{% column %}}\n{TABS}{{% endcolumn %}}\n{{% column %}}\nBeside.\n{{% endcolumn %}}\n"
    async with reading(columns + "{% endcolumns %}\n") as (pilot, _view, app):
        assert on_screen(app, "Beside.")
        await pilot.press("space")
        assert on_screen(app, "With pip instead.")
        assert not on_screen(app, "npm install")


async def test_a_mark_in_something_folded_away_stands_where_that_opens() -> None:
    async with reading(EXPANDABLE) as (pilot, view, app):
        view.mark({4: ("2", "accent")})
        await pilot.pause()
        assert screen_text(app)[0].startswith("▌2  ▸ More here")
        await pilot.press("space")
        assert screen_text(app)[0].startswith("▌   ▾ More here")
        assert screen_text(app)[1].startswith(" 2  │ Inside of it.")


async def test_headings_in_columns_are_gone_to_like_others() -> None:
    page = "# Top\n\n{% columns %}\n{% column %}\n### Left\n\nwords\n\n### Under\n{% endcolumn %}\n{% column %}\n"
    page += "### Beside\n\nwords\n\nmore\n\n### Right\n{% endcolumn %}\n{% endcolumns %}\n\n## Below\n"
    async with reading(page) as (pilot, view, app):
        for heading in ("Left", "Under", "Beside", "Right", "Below"):
            await pilot.press("]")
            assert heading in cursor_row(app)
        for heading in ("Right", "Beside", "Under", "Left", "Top"):
            await pilot.press("[")
            assert heading in cursor_row(app)
        view.go_to_anchor("right")
        await pilot.pause()
        assert "Right" in cursor_row(app)


COLUMNS = """\
{{% columns %}}
{{% column %}}
First of all.

{}
{{% endcolumn %}}
{{% column %}}
Beside.
{{% endcolumn %}}
{{% endcolumns %}}
"""


async def test_finding_opens_what_it_goes_to_within_columns() -> None:
    async with reading(COLUMNS.format(TABS)) as (pilot, view, app):
        assert view.find("pip instead") == 1
        await pilot.pause()
        assert on_screen(app, "With pip instead.")
        assert "With pip instead." in cursor_row(app)
        assert not on_screen(app, "npm install")


async def test_going_on_to_the_next_found_opens_one_fold_after_the_other() -> None:
    inner = "<details><summary>More</summary>\n\nDeep words.\n\n" + EXPANDABLE + "\n</details>"
    async with reading(COLUMNS.format(inner) + "\nNext of it.\n") as (pilot, view, app):
        assert view.find(" of it.") == 2
        await pilot.pause()
        assert "Inside of it." in cursor_row(app)
        assert on_screen(app, "Deep words.")
        await pilot.press("n")
        assert cursor_row(app) == "Next of it."
        await pilot.press("N", "space")
        assert "▸ More here" in cursor_row(app)
        assert not on_screen(app, "Inside of it.")


async def test_finding_opens_what_is_folded_in_an_included_text() -> None:
    around = Surroundings(included=lambda _: Included("Notice", f"Kept once.\n\n{TABS}\n{EXPANDABLE}"))
    async with reading(BLOCKS["include"]) as (pilot, view, app):
        view.surround(around)
        await settled(pilot)
        assert not on_screen(app, "Inside of it.")
        assert view.find("inside of") == 1
        await settled(pilot)
        assert "Inside of it." in cursor_row(app)
        assert view.find("pip instead") == 1
        await settled(pilot)
        assert "With pip instead." in cursor_row(app)


async def test_links_and_headings_that_are_folded_away_in_columns_are_passed_over() -> None:
    hidden = "<details><summary>More</summary>\n\n## Hidden\n\n[a](a.md)\n\n</details>\n\n## Seen\n\n[b](b.md)"
    async with reading(COLUMNS.format(hidden)) as (pilot, view, app):
        await pilot.press("]")
        assert cursor_row(app).startswith("Seen")
        await pilot.press("g", ">", ">")
        assert view.current_link == "b.md"
        assert not on_screen(app, "Hidden")
