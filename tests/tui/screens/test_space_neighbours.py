"""What is around a page: its links and backlinks, the links and files of the space, and where anchors lead."""

from __future__ import annotations

import asyncio

from recto.client.errors import Unsupported
from recto.server.content.imported_tree import ImportedPage
from recto.store.locations import SpaceLocation
from recto.tui.lists.tree_list import TreeList
from recto.tui.page.page_view import PageView
from support.content import Desk, make_space
from support.screens import settled
from support.spaces import Reader, Workspace, handbook


def sheet(reader: Reader) -> PageView:
    return reader.pilot.app.screen.query_one(PageView)


def chosen(reader: Reader) -> object:
    return reader.pilot.app.screen.query_one(TreeList).cursor_key


async def write(workspace: Workspace, page: str, text: str) -> None:
    desk = await Desk.open(workspace.api, workspace.space)
    await desk.edit(page, text)
    await desk.merge()


def unsupported(what: str) -> Unsupported:
    return Unsupported(what, "This server does not offer it.", status=405)


async def test_the_links_of_a_page_and_what_points_at_it_are_listed_and_lead_there(workspace: Workspace) -> None:
    async with workspace.reader(size=(160, 30)) as reader:
        await reader.read("The guide")
        await reader.press("b")
        reader.shows("Links  1", "→ Welcome", "Backlinks  1", "← Welcome")
        await reader.press("G", "enter")
        assert chosen(reader) == "welcome"
        reader.shows("Links  3", "→ The guide #second-step", "↗ the web  https://example.org/more")
        await reader.press("tab", "g", "j", "j", "enter")
        assert (chosen(reader), sheet(reader).cursor_line) == ("guide", 8)


async def test_broken_links_are_marked_before_anybody_follows_them_and_counted_in_the_tree(
    workspace: Workspace,
) -> None:
    await write(
        workspace, "welcome", "# Welcome\n\nSee [this](/pages/gone) and [that](/pages/guide#nowhere).\n\nAll well.\n"
    )
    async with workspace.reader(size=(160, 30)) as reader:
        assert reader.line("See this and that.").split("│")[-2].strip().startswith("×")
        assert "×2" in reader.line("👋 Welcome")
        await reader.press("b")
        reader.shows("Links  2, 2 broken links", "× /pages/gone")
        await reader.press("5")
        reader.shows("5 Links ×2", "Links  4 targets, 2 broken", "× broken  this  /pages/gone")


async def test_a_broken_target_in_several_places_is_counted_with_them(workspace: Workspace) -> None:
    await write(workspace, "welcome", "# Welcome\n\nSee [this](/pages/gone).\n\nAnd [that](/pages/gone).\n")
    async with workspace.reader(size=(160, 30)) as reader:
        await reader.press("5")
        reader.shows("5 Links ×2", "1 broken in 2 places")
        assert "×2" in reader.line("Links ×2")


async def test_the_titles_of_tabs_are_no_broken_links(workspace: Workspace) -> None:
    tabs = "".join(f'{{% tab title="{title}" %}}\nOne.\n{{% endtab %}}\n' for title in ("Node", "Go"))
    await write(workspace, "welcome", f"# Welcome\n\n{{% tabs %}}\n{tabs}{{% endtabs %}}\n")
    async with workspace.reader(size=(160, 30)) as reader:
        assert not reader.line("Node   Go").split("│")[-2].strip().startswith("×")


async def test_without_links_from_the_platform_those_of_the_page_are_read_and_named_so(
    workspace: Workspace,
) -> None:
    await write(workspace, "welcome", "# Welcome\n\nSee [this](/pages/gone), and [the guide](/pages/guide).\n")

    def old(transport: object) -> None:
        for operation in ("list_links", "list_page_links", "list_page_backlinks"):
            transport.always[operation] = unsupported("Could not load the links.")  # type: ignore[attr-defined]

    async with workspace.reader(size=(160, 30), prepare=old) as reader:
        assert reader.line("See this").split("│")[-2].strip().startswith("×")
        await reader.press("b")
        reader.shows("Links  2, 1 broken link", "→ The guide", "Read from the text alone", "does not offer it")
        await reader.press("5")
        reader.shows("This server does not list the links of a space.")


async def test_the_name_of_a_specification_is_not_taken_for_that_of_a_page(workspace: Workspace) -> None:
    await write(workspace, "welcome", '# Welcome\n\n{% openapi-operation spec="pets" path="/" %}\n')
    async with workspace.reader(size=(160, 30)) as reader:
        await reader.press("b")
        reader.shows("Links  1, 1 broken link", "× pets  This space has no file of", "the specification pets.")


async def test_a_link_of_the_space_leads_to_the_line_in_which_it_is_written(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.press("5")
        reader.shows("Links  5 targets", "→ page", "in The guide")
        await reader.press("slash")
        await reader.type("the web")
        await reader.press("enter", "enter")
        assert chosen(reader) == "welcome"
        reader.shows("1 Content")
        assert sheet(reader).has_focus


async def test_a_link_to_a_missing_heading_is_reported(workspace: Workspace) -> None:
    await write(workspace, "welcome", "# Welcome\n\nTo [nowhere](/pages/guide#nowhere) and [here](#not-here).\n")
    async with workspace.reader() as reader:
        await reader.press("enter", "greater_than_sign", "greater_than_sign", "enter")
        assert reader.says("no place called #not-here")
        await reader.press("less_than_sign", "enter")
        assert chosen(reader) == "guide"
        assert reader.says("no place called #nowhere")


async def test_a_link_to_a_page_of_another_space_opens_that_page_there_at_its_place(workspace: Workspace) -> None:
    other = make_space(workspace.platform, handbook())
    await write(workspace, "welcome", f"# Welcome\n\nTo [the other](/spaces/{other}/pages/guide#third-step).\n")
    async with workspace.reader() as reader:
        await reader.press("enter", "greater_than_sign", "enter")
        assert reader.pilot.app.screen.space == other  # type: ignore[attr-defined]
        assert (chosen(reader), sheet(reader).cursor_line) == ("guide", 12)
        await reader.press("minus")
        assert reader.pilot.app.screen.space == workspace.space  # type: ignore[attr-defined]


async def test_an_address_in_the_web_app_opens_here_where_the_space_is_here_and_else_in_the_browser(
    workspace: Workspace,
) -> None:
    other = make_space(workspace.platform, handbook())
    there = f"https://app.example.org/s/{other}/using/guide"
    await write(
        workspace, "welcome", f"# Welcome\n\n[Here]({there}) or [there](https://app.example.org/s/Elsewhere1/x).\n"
    )
    async with workspace.reader() as reader:
        await reader.press("enter", "greater_than_sign", "enter")
        assert reader.pilot.app.screen.space == other  # type: ignore[attr-defined]
        assert chosen(reader) == "guide"
        await reader.press("tab", "minus", "greater_than_sign", "greater_than_sign", "enter")
        reader.shows("https://app.example.org/s/Elsewhere1/x")


async def test_forward_goes_again_where_back_came_from_and_says_why_where_it_cannot(workspace: Workspace) -> None:
    async with workspace.reader(size=(100, 14)) as reader:
        await reader.press("enter", "underscore")
        assert reader.says("no view to go forward to")
        await reader.press("greater_than_sign", "greater_than_sign", "enter", "j")
        place = sheet(reader).position
        await reader.press("minus")
        assert chosen(reader) == "welcome"
        await reader.press("underscore")
        assert (chosen(reader), sheet(reader).position) == ("guide", place)
        await reader.press("minus", "tab", "G", "k", "k", "enter", "underscore")
        assert chosen(reader) != "welcome", "who reads another page has gone on, so that nothing is ahead"


async def test_back_and_forward_go_over_several_pages_each_at_its_place(workspace: Workspace) -> None:
    async with workspace.reader(size=(100, 14)) as reader:
        places = []
        for way in (["g"], ["j", "j"], ["j"]):
            await reader.press(*way, "enter", "j", "j")
            places.append((chosen(reader), sheet(reader).position))
            await reader.press("tab")
        assert [page for page, _position in places] == ["welcome", "guide", "secret"]
        await reader.press("tab")
        for place in (places[1], places[0]):
            await reader.press("minus")
            assert (chosen(reader), sheet(reader).position) == place
        for place in places[1:]:
            await reader.press("underscore")
            assert (chosen(reader), sheet(reader).position) == place
        await reader.press("minus", "g", "greater_than_sign", "enter")
        assert chosen(reader) == "welcome"
        await reader.press("underscore")
        assert chosen(reader) == "welcome", "who follows a link has gone on, so that nothing is ahead"


async def test_a_file_tells_what_it_is_and_where_it_is_used(workspace: Workspace) -> None:
    desk = await Desk.open(workspace.api, workspace.space)
    await desk.write(
        {
            "operation": "insert_files",
            "files": [
                {"name": "box.txt", "contentType": "text/plain", "base64": "Ym94", "ref": "box"},
                {"name": "lid.txt", "contentType": "text/plain", "base64": "bGlk"},
            ],
        },
        {"operation": "update_page", "page": "guide", "document": {"markdown": "# The guide\n\n[The box](./box)\n"}},
    )
    await desk.merge()
    async with workspace.reader() as reader:
        await reader.press("4")
        reader.shows("Files  2", "box.txt", "text/plain", "3 B")
        await reader.press("enter")
        reader.shows("Used in 1:", "The guide", "/using/guide")
        await reader.press("enter")
        assert chosen(reader) == "guide"
        await reader.press("greater_than_sign", "enter")
        reader.shows("box.txt", "Used in 1:")
        await reader.press("escape", "4", "j", "enter")
        reader.shows("lid.txt", "No page uses this file.")


async def test_links_of_a_page_are_not_shown_for_another(workspace: Workspace) -> None:
    def page_with_link(id: str, path: str) -> ImportedPage:
        text = "See [the plan](../plans/house.pdf).\n"
        return ImportedPage(id, id, slug=id, text=text, attributes={"git": {"oid": id, "path": path}})

    plan = {"id": "plan", "name": "house.pdf", "contentType": "application/pdf", "size": 12}
    space = make_space(
        workspace.platform,
        [page_with_link("inside", "docs/inside.md"), page_with_link("deeper", "docs/more/deeper.md")],
        files=[plan | {"path": "plans/house.pdf"}],
    )
    async with workspace.reader(size=(160, 30), location=SpaceLocation(space)) as reader:
        await reader.press("enter", "b")
        reader.shows("· house.pdf")
        await reader.press("b", "tab", "j", "enter", "greater_than_sign", "enter")
        reader.shows_not("Used in")


async def test_who_goes_on_while_the_platform_is_asked_where_a_link_leads_is_not_called_away(
    workspace: Workspace,
) -> None:
    await write(workspace, "welcome", "# Welcome\n\nSee [this](./gone.md).\n")
    async with workspace.reader() as reader:
        await reader.press("enter", "greater_than_sign")
        held = asyncio.Event()
        reader.transport.then["list_page_links"] = held.wait
        await reader.pilot.press("enter", "tab", "G")
        await reader.pilot.pause()
        held.set()
        await settled(reader.pilot)
        assert chosen(reader) == "elsewhere"
        assert not reader.says("This space has no page at")


async def test_the_facts_say_who_changed_the_page_last_where_a_change_request_tells(workspace: Workspace) -> None:
    workspace.platform.clock.advance(minutes=5)  # type: ignore[attr-defined]
    await write(workspace, "guide", "# The guide\n\nNew words.\n")
    async with workspace.reader(size=(160, 40)) as reader:
        await reader.read("The guide")
        await reader.press("i")
        reader.shows("by            Ada Lovelace, in #1 A")
        await reader.press("escape", "tab", "g", "i")
        reader.shows("/welcome")
        reader.shows_not("in #1")


async def test_who_changed_a_page_is_asked_again_where_that_was_given_up(workspace: Workspace) -> None:
    workspace.platform.clock.advance(minutes=5)  # type: ignore[attr-defined]
    await write(workspace, "guide", "# The guide\n\nNew words.\n")
    async with workspace.reader(size=(160, 40)) as reader:
        await reader.press("i", "tab", "j")
        held = asyncio.Event()
        reader.transport.then["list_change_requests"] = held.wait
        await reader.pilot.press("j", "j")
        held.set()
        await reader.press("k")
        reader.shows("/using/guide", "by            Ada Lovelace, in #1 A")


# Finding


async def test_what_is_found_in_a_page_is_counted_and_which_of_it_one_has_come_to(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.read("The guide")
        await reader.press("slash")
        await reader.type("step")
        reader.shows("1 of 4 found")
        await reader.press("enter")
        reader.shows("1 of 4 found")
        await reader.press("n", "n")
        reader.shows("3 of 4 found")
        await reader.press("N")
        reader.shows("2 of 4 found")
        await reader.press("slash")
        await reader.type("x")
        reader.shows("no matches")
        await reader.press("escape")
        reader.shows_not("found")
        await reader.press("tab", "slash")
        await reader.type("e")
        reader.shows("4 found")
        await reader.press("enter")
        reader.shows_not("found")


async def test_the_words_that_were_searched_for_are_marked_in_what_was_found(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.press("s")
        await reader.type("crank")
        app = reader.pilot.app
        strips = app.screen._compositor.render_strips(app.size)
        marked = [segment.text for strip in strips for segment in strip if segment.style and segment.style.underline]
        assert "crank" in marked


# Copying


async def copy_by_keys(reader: Reader, *keys: str) -> str:
    await reader.press(*keys)
    return reader.pilot.app.clipboard


async def test_the_menu_copies_link_block_section_and_page_as_markdown_and_as_text(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.read("The guide")
        await reader.press("greater_than_sign", "x")
        reader.shows("The link, as Markdown", "The page, as Markdown")
        assert await copy_by_keys(reader, "enter") == "[the welcome](../welcome.md)"
        await reader.press("right_square_bracket", "right_square_bracket", "x")
        reader.shows("The section “Second step”, as text")
        await reader.type("section markdown")
        assert await copy_by_keys(reader, "enter") == "## Second step\n\nRead what is in it, then turn the crank.\n\n"
        await reader.press("x")
        await reader.type("section text")
        assert await copy_by_keys(reader, "enter") == "Second step\nRead what is in it, then turn the crank."
        await reader.press("x")
        await reader.type("page markdown")
        assert (await copy_by_keys(reader, "enter")).startswith("# The guide\n")
        assert reader.says("Copied the page as Markdown.")
        assert (await copy_by_keys(reader, "Y")).endswith("/guide#second-step"), (
            "a page that is not published has an address here"
        )


async def test_what_is_marked_with_the_mouse_is_copied_as_it_is_seen(workspace: Workspace) -> None:
    async with workspace.reader(size=(120, 24)) as reader:
        await reader.read("The guide")
        lines = reader.screen.splitlines()
        y = next(index for index, line in enumerate(lines) if "turn the crank" in line)
        x = lines[y].index("turn")
        pilot = reader.pilot
        await pilot.hover(offset=(x, y))
        await settled(pilot)
        await pilot.mouse_down(offset=(x, y))
        await pilot.hover(offset=(x + 9, y + 3))
        await pilot.mouse_up(offset=(x + 9, y + 3))
        await settled(pilot)
        copied = pilot.app.clipboard.splitlines()
        assert copied[0] == "turn the crank."
        assert "Third step" in copied
        assert not any("│" in line for line in copied)
        assert reader.says("Copied the selected text.")


async def test_matches_are_counted_again_on_another_page(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await reader.read("The guide")
        await reader.press("slash")
        await reader.type("step")
        await reader.press("enter", "greater_than_sign", "enter")
        reader.shows("This paragraph is here to be commented on.", "0 of 1 found")
