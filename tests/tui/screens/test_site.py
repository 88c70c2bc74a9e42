from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeVar, cast

import pytest
from textual.app import ComposeResult
from textual.widgets import Static

from recto.client.errors import NotAllowed, ServerFailed, Unreachable
from recto.client.missing_operations import MissingOperations
from recto.client.sender import DetectsMissing
from recto.contract.adaptive import AdaptiveContents, UpdateAdaptiveSchema, VisitorSchema
from recto.contract.operation import Operation, Transport
from recto.contract.redirects import CreateRedirect, Redirects, ToSection
from recto.contract.sites import CreateSite, Sites
from recto.contract.spaces import Spaces
from recto.contract.structure import (
    ItemPointer,
    SectionGroups,
    Sections,
    SiteExternalLink,
    SiteSpaces,
    SiteStructure,
    SortPosition,
    SortStructure,
    Structure,
    UpdateSection,
    UpdateSiteSpace,
)
from recto.server.platform import Platform
from recto.server.sites import sites
from recto.store.locations import SiteLocation, SpaceLocation
from recto.store.mutation import Mutation
from recto.store.query import Query
from recto.store.store import Store
from recto.tui.dialogs.prompt import PromptLine
from recto.tui.forms.form_view import FieldRow
from recto.tui.navigation import views
from recto.tui.screens.site.site_view import SiteView
from recto.tui.screens.view import View
from support.screens import settled
from support.site_seats import Seat, Sit, as_reader
from support.sites import Refusing

BEFORE = (
    "Home(English Français) Products(Payments(Payments guide) Identity(Identity guide))"
    " Developers(Version 3 Version 2 Version 1) Guides(Tutorials(First steps)) Changelog(Changes)"
)


R = TypeVar("R")


# What is shown


async def test_the_site_is_one_tree_with_defaults_paths_and_addresses(sit: Sit) -> None:
    async with sit() as seat:
        seat.assert_shows("Payments docs", "2 groups, 6 sections, 9 site spaces", "published")
        assert "/home" in seat.line("▾ Home  default")
        assert "/home/français/" in seat.line("Français")
        assert "/developers/ " in seat.line("Version 3  default")
        await seat.to("Version 2")
        seat.assert_shows("read at       /developers/version-2/", "shown to      everyone", "visible to    public")


class WithALink:
    """A newer service: after the second item of the site it has an external link, which can be sorted."""

    def __init__(self, inner: Transport) -> None:
        self.inner = inner
        self.at = 2
        self.link = SiteExternalLink(
            id="status",
            title="Status",
            localized_title={"fr": "État"},
            url="https://status.a.example/now",
            draft=True,
        )

    @property
    def missing_operations(self) -> MissingOperations:
        """What the server behind it has turned out not to have."""
        assert isinstance(self.inner, DetectsMissing)
        return self.inner.missing_operations

    async def send(self, operation: Operation[Any, R], arguments: Mapping[str, Any]) -> R:
        body = arguments.get("body")
        if isinstance(body, SortStructure) and body.item.id == self.link.id:
            structure = await self.inner.send(Structure.get_structure, {k: arguments[k] for k in self.site})
            ids = [item.id for item in structure.structure]
            beside = body.position.before or body.position.after
            self.at = ids.index(beside.id) + (body.position.before is None)
            return cast("R", self.link)
        answer = await self.inner.send(operation, arguments)
        if not isinstance(answer, SiteStructure):
            return answer
        items = answer.structure
        return answer.model_copy(update={"structure": (*items[: self.at], self.link, *items[self.at :])})

    async def send_streaming(
        self, operation: Operation[Any, R], arguments: Mapping[str, Any], on_beginning: Callable[[R], None]
    ) -> R:
        return await self.send(operation, arguments)

    site = ("organization_id", "site_id")


async def test_an_external_link_is_shown_opened_and_moved(sit: Sit) -> None:
    def newer(transport: Refusing) -> None:
        transport.inner = WithALink(transport.inner)

    async with sit(prepare=newer) as seat:
        seat.assert_shows("1 external link")
        line = seat.line("↗ Status")
        assert "draft" in line
        assert "https://status.a.example/now" in line
        await seat.to("Status")
        seat.assert_shows("leads to      https://status.a.example/now", "title         État (fr)")
        opened: list[str] = []
        seat.pilot.app.open_url = lambda url, *, new_tab=True: opened.append(url)  # type: ignore[method-assign]
        await seat.press("enter", "o")
        assert opened == ["https://status.a.example/now"] * 2
        await seat.press("f2")
        seat.assert_shows("the API cannot change external links")
        await seat.press("L")
        seat.assert_shows("The API can order an external link, but not put it somewhere else.")
        await seat.press("K", "A", "y")
        assert (await seat.order()).startswith("Home(English Français) Status Products(")
        assert seat.transport.changes == ["sort_structure"]


async def test_conditions_are_marked_and_described(sit: Sit, platform: Platform) -> None:
    async with sit() as seat:
        address = (seat.docs.organization, seat.docs.site, seat.docs.ids["Version 1"])
        await seat.store.call(
            SiteSpaces.update_site_space, *address, UpdateSiteSpace(condition="visitor.claims.unsigned.old")
        )
        await seat.press("r")
        seat.assert_shows("Version 1  conditional")
        await seat.to("Version 1")
        seat.assert_shows("shown to      visitors for whom", "visitor.claims.unsigned.old")


@pytest.mark.parametrize("size", [(60, 20), (80, 24), (160, 48)])
async def test_it_works_at_every_size(sit: Sit, size: tuple[int, int]) -> None:
    async with sit(size) as seat:
        seat.assert_shows("▾ Home", "Structure", "About", "lift")
        await seat.press("m", "j", "j")
        seat.assert_shows("× A section contains site spaces", "cannot go here", "drop")


async def test_an_empty_site_says_what_would_be_here_and_takes_the_key_that_makes_it(
    sit: Sit, platform: Platform
) -> None:
    async with sit() as seat:
        organization = seat.docs.organization
        empty = platform.database.write_now(
            lambda connection: sites.add_site(platform.context(connection), organization, "Empty")
        )
    async with sit(site=empty) as seat:
        seat.assert_shows("No sections or spaces yet", "a  adds one", "not published")
        await seat.press("a")
        seat.assert_shows("New", "with its first space, at the top level")


async def test_a_structure_that_cannot_be_loaded_says_why_and_is_tried_again(sit: Sit) -> None:
    def down(transport: Refusing) -> None:
        # The start asks before the screen is there, and the screen again.
        transport.errors["get_structure"] = [Unreachable("Could not load the structure.", "No answer came.")] * 2

    async with sit(prepare=down) as seat:
        seat.assert_shows("Could not load the structure of the site.", "No answer came.", "r  tries again")
        await seat.press("r")
        seat.assert_shows("▾ Home  default")


async def test_facts_that_cannot_be_loaded_leave_the_tree_in_place(sit: Sit) -> None:
    def partly(transport: Refusing) -> None:
        transport.always["get_site"] = Unreachable("Could not load the site.", "No answer came.")

    async with sit(prepare=partly) as seat:
        seat.assert_shows("▾ Home  default", "The site could not be loaded", "No answer came.")


# Moving


async def test_a_section_is_lifted_carried_refused_dropped_applied_and_taken_back(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Developers")
        await seat.press("m")
        seat.assert_shows("Developers  lifted", "► Stays where it is.")
        await seat.press("j")
        seat.assert_shows("► Goes before “Tutorials”, in “Guides”.")
        await seat.press("j")
        seat.assert_shows("× A section contains site spaces; a section goes before or after it, or into a group.")
        await seat.press("enter")
        seat.assert_shows("cannot go here")
        await seat.press("j")
        seat.assert_shows("► Goes after “Tutorials”, in “Guides”.")
        await seat.press("enter")
        seat.assert_shows("Developers  → from the top level", "1 move, not applied yet", "No address changes.")
        assert await seat.order() == BEFORE

        await seat.press("A")
        seat.assert_shows("Apply: 1 step", "1 Put “Developers” into “Guides”", "y  applies them in this order")
        await seat.press("y")
        seat.assert_shows("Arranged the site in 1 step. u undoes them.")
        assert not seat.shows("Staged")
        assert "Guides(Tutorials(First steps) Developers(Version 3 Version 2 Version 1))" in await seat.order()

        await seat.press("u")
        seat.assert_shows("1 Take “Developers” out of “Guides”", "2 Put “Developers” after “Products”")
        await seat.press("y")
        seat.assert_shows("Reverted the moves in the site.")
        assert await seat.order() == BEFORE
        assert "Version 3" in seat.lines[seat.lines.index(seat.line("▾ Developers")) + 1]


async def test_a_change_made_while_moves_are_asked_about_is_not_undone_in_their_place(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Developers")
        await seat.press("J")
        await seat.press("A", "y")
        moved = await seat.order()
        assert moved != BEFORE
        await seat.press("u")
        seat.assert_shows("y  applies them in this order")
        elsewhere = Mutation(
            doing="Changing", done="Changed", call=lambda _: asyncio.sleep(0), inverse=lambda _: elsewhere
        )
        await seat.store.run(elsewhere)
        await seat.press("y")
        seat.assert_shows("Something else was changed after these moves; undo that first.")
        assert await seat.order() == moved
        assert seat.store.history.undoable is not None


async def test_a_range_is_moved_by_one_place_and_several_items_are_lifted_together(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Version 3")
        await seat.press("v", "j", "v", "J")
        await seat.press("A", "y")
        assert "Developers(Version 1 Version 3 Version 2)" in await seat.order()
        await seat.to("Tutorials")
        await seat.press("space")
        await seat.press("j", "space", "m")
        seat.assert_shows("Tutorials and 1 more")
        await seat.press("g", "enter")
        seat.assert_shows("Move “Tutorials” and “Changelog” before “Home”")
        await seat.press("A", "y")
        assert (await seat.order()).startswith("Tutorials(First steps) Changelog(Changes) Home")


async def test_one_place_out_and_in(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Identity guide")
        await seat.press("h")
        await seat.press("K")
        seat.assert_shows("Move “Identity” before “Payments”")
        await seat.press("H")
        seat.assert_shows("Move “Identity” after “Products”")
        await seat.to("Developers")
        await seat.press("K", "L")
        seat.assert_shows("Move “Developers” before “Identity”", "Move “Developers” into the group “Products”")
        await seat.press("A", "y")
        order = await seat.order()
        assert order.startswith("Home(English Français) Products(Payments(Payments guide) Developers(")
        assert ") Identity(Identity guide) Guides" in order


async def test_what_an_item_cannot_have_and_impossible_steps_say_why(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Guides")
        await seat.press("p")
        seat.assert_shows("Change the path: a group has no path.")
        await seat.to("English")
        await seat.press("f2")
        seat.assert_shows("Rename: a site space has its space's title.")
        await seat.press("g", "K")
        seat.assert_shows("It is the first already.")
        await seat.press("j", "H")
        seat.assert_shows("A site space stays in its section, here “Home”")


async def test_a_line_that_others_changed_meanwhile_is_shown_before_it_is_replaced(sit: Sit) -> None:
    async with sit() as seat:
        section = seat.docs.organization, seat.docs.site, seat.docs.ids["Developers"]
        await seat.to("Developers")
        await seat.press("p", "ctrl+u")
        await seat.store.call(Sections.update_section, *section, UpdateSection(path="builders"))
        await seat.type("makers")
        await seat.press("enter")
        seat.assert_shows("Others changed it meanwhile, to “builders”: enter replaces theirs.", "makers")
        await seat.press("enter", "y")
        seat.assert_shows("/makers/")
        await seat.press("u")
        seat.assert_shows("/builders/")
        await seat.press("f2", "ctrl+u")
        await seat.store.call(Sections.update_section, *section, UpdateSection(title="Builders"))
        made = len(seat.transport.changes)
        await seat.type("Builders")
        await seat.press("enter")
        assert len(seat.transport.changes) == made, "it has this title already"


async def test_undo_takes_back_the_last_staged_move_only_and_renaming_keeps_the_others(sit: Sit) -> None:
    async with sit() as seat:
        await seat.press("J", "J")
        seat.assert_shows("2 moves, not applied yet", "A apply")
        await seat.press("u")
        seat.assert_shows("1 move, not applied yet", "No longer staged: Move “Home” after “Developers”")
        await seat.press("u")
        assert not seat.shows("not applied yet")
        assert seat.transport.changes == []
        await seat.press("J", "f2")
        await seat.type("page")
        await seat.press("enter")
        seat.assert_shows("▾ Homepage  →", "1 move, not applied yet")
        assert not seat.shows("The site has changed on the server")


async def test_nothing_else_can_be_changed_until_what_is_lifted_is_put_back_by_esc(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Payments")
        await seat.press("m", "D")
        seat.assert_shows("Delete: items are lifted; enter drops them.")
        await seat.press("G", "escape")
        assert not seat.shows("lifted")
        assert not seat.shows("Staged")
        await seat.press("A")
        seat.assert_shows("Apply staged moves: no moves are staged.")
        assert isinstance(seat.pilot.app.screen, SiteView)


# Applying


FAILURE = ServerFailed("Could not sort the structure.", "The server failed.", status=500)


async def stage_three(seat: Seat) -> None:
    await seat.to("Developers")
    await seat.press("m", "g", "enter")
    await seat.to("Changelog")
    await seat.press("m", "g", "enter")
    await seat.to("Version 1")
    await seat.press("K")
    seat.assert_shows("3 moves, not applied yet")


AFTER_THREE = (
    "Changelog(Changes) Developers(Version 3 Version 1 Version 2) Home(English Français)"
    " Products(Payments(Payments guide) Identity(Identity guide)) Guides(Tutorials(First steps))"
)


async def test_a_failing_step_stops_and_going_on_makes_the_rest(sit: Sit) -> None:
    def fails(transport: Refusing) -> None:
        transport.errors["sort_structure"] = [None, FAILURE]

    async with sit(prepare=fails) as seat:
        await stage_three(seat)
        await seat.press("A", "y")
        seat.assert_shows(
            "Stopped: 1 of 3 done",
            "× Could not sort the structure.",
            "✓ Put “Developers” before “Home”",
            "c  continues with",
        )
        await seat.press("c")
        seat.assert_shows("Arranged the site in 2 steps")
        assert await seat.order() == AFTER_THREE


async def test_a_failing_step_stops_and_what_was_done_is_taken_back(sit: Sit) -> None:
    def fails(transport: Refusing) -> None:
        transport.errors["sort_structure"] = [None, None, FAILURE]

    async with sit(prepare=fails) as seat:
        await stage_three(seat)
        await seat.press("A", "y")
        seat.assert_shows("Stopped: 2 of 3 done")
        await seat.press("t")
        seat.assert_shows("Undo: 2 steps", "U does it again.")
        await seat.press("y")
        assert await seat.order() == BEFORE
        assert not seat.shows("not applied yet")


async def test_a_failing_step_can_be_left_with_the_rest_staged(sit: Sit) -> None:
    def fails(transport: Refusing) -> None:
        transport.errors["sort_structure"] = [None, FAILURE]

    async with sit(prepare=fails) as seat:
        await stage_three(seat)
        await seat.press("A", "y", "escape")
        seat.assert_shows("2 moves, not applied yet")
        assert (await seat.order()).startswith("Developers")
        await seat.press("A", "y")
        assert await seat.order() == AFTER_THREE


async def test_a_refusal_is_shown_in_the_servers_words(sit: Sit) -> None:
    def fails(transport: Refusing) -> None:
        transport.always["sort_structure"] = NotAllowed("Could not sort.", "Your role does not allow it.", status=403)

    async with sit(prepare=fails) as seat:
        await seat.press("J", "A", "y")
        seat.assert_shows("Stopped: 0 of 1 done", "Your role does not allow it.")
        assert not seat.shows("t  undoes")
        await seat.press("escape")
        assert await seat.order() == BEFORE


async def put_first(seat: Seat, title: str) -> None:
    """Another person puts a section before Home."""
    item, home = (ItemPointer(type="site-section", id=seat.docs.ids[each]) for each in (title, "Home"))
    body = SortStructure(item=item, position=SortPosition(before=home))
    await seat.store.call(Structure.sort_structure, seat.docs.organization, seat.docs.site, body)


async def test_a_site_that_has_moved_on_keeps_what_is_staged_where_it_fits(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Developers")
        await seat.press("m", "G", "enter")
        await put_first(seat, "Changelog")
        await seat.press("A")
        seat.assert_shows("The site has changed on the server", "Apply: 1 step")
        await seat.press("y")
        assert (await seat.order()).startswith("Changelog(Changes) Developers(Version 3 Version 2 Version 1) Home")


async def test_a_move_of_a_deleted_item_is_dropped_and_reported(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Developers")
        await seat.press("m", "G", "enter")
        address = (seat.docs.organization, seat.docs.site, seat.docs.ids["Developers"])
        await seat.store.call(Sections.delete_section, *address)
        await seat.press("r")
        seat.assert_shows("No longer staged: Move “Developers”")
        assert not seat.shows("not applied yet")


# Going and leaving


class ASpace(View[SpaceLocation]):
    """Stands for the view of a space."""

    @classmethod
    def first_queries(cls, store: Store, location: SpaceLocation) -> Sequence[Query[Any]]:
        return ()

    def compose_body(self) -> ComposeResult:
        yield Static(f"the space {getattr(self.location, 'space', '-')}")


async def test_enter_opens_the_space_of_a_site_space_and_folds_anything_else(
    sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "view_class", lambda at: SiteView if isinstance(at, SiteLocation) else ASpace)
    async with sit() as seat:
        await seat.press("enter")
        assert not seat.shows("Français")
        await seat.press("enter", "j", "enter")
        seat.assert_shows("the space ")
        await seat.press("minus")
        seat.assert_shows("▾ Home  default")


async def test_it_opens_again_where_the_cursor_was(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Version 2")
        view = seat.pilot.app.screen
        assert isinstance(view, SiteView)
        location = view.location
    async with sit(location=location) as seat:
        seat.assert_shows("read at       /developers/version-2/")


async def test_staged_moves_stay_while_one_is_elsewhere_and_are_asked_about_before_the_program_ends(
    sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(views, "view_class", lambda at: SiteView if isinstance(at, SiteLocation) else ASpace)
    async with sit() as seat:
        await seat.press("J", "backspace")
        seat.assert_shows("the space ")
        await seat.press("minus")
        seat.assert_shows("1 move, not applied yet")
        await seat.press("ctrl+q")
        seat.assert_shows("Quitting discards them.")
        await seat.press("y")
        assert seat.pilot.app._exit


# Items


async def test_a_section_is_renamed_and_the_name_taken_back(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Developers")
        await seat.press("f2")
        await seat.type(" hub")
        await seat.press("escape", "f2")
        seat.assert_shows("You typed this before; typing replaces it.")
        await seat.press("enter")
        seat.assert_shows("Renamed the section to “Developers hub”")
        assert "Developers hub(" in await seat.order()
        await seat.press("u")
        assert await seat.order() == BEFORE
        await seat.press("f2")
        assert not seat.shows("You typed this before")


async def test_what_others_changed_since_is_not_overwritten_by_undoing(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Developers")
        await seat.press("f2")
        await seat.type(" hub")
        await seat.press("enter")
        address = (seat.docs.organization, seat.docs.site, seat.docs.ids["Developers"])
        await seat.store.call(Sections.update_section, *address, UpdateSection(title="Theirs", condition="true"))
        await seat.press("u")
        seat.assert_shows("Renaming the section did not work. Others changed it meanwhile: title.")
        assert "Theirs(" in await seat.order()
        await seat.press("r", "f2")
        await seat.type("Mine")
        await seat.press("enter", "u")
        assert "Theirs(" in await seat.order()
        await seat.store.call(Sections.update_section, *address, UpdateSection(title="Once more"))
        await seat.press("U")
        assert "Once more(" in await seat.order()


async def test_a_title_that_could_not_be_sent_is_asked_for_again_as_it_was_typed(sit: Sit) -> None:
    async with sit() as seat:
        seat.transport.errors["update_section"] = [Unreachable("Could not rename it.", "No answer came.")]
        await seat.to("Developers")
        await seat.press("f2")
        await seat.type(" hub")
        await seat.press("enter")
        seat.assert_shows("No answer came.", "Developers hub")
        assert await seat.order() == BEFORE
        await seat.press("enter")
        assert "Developers hub(" in await seat.order()


async def test_a_group_is_added_where_one_is_and_removed_with_what_it_holds_left(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Products")
        await seat.press("a", "down", "enter")
        await seat.press("enter")
        seat.assert_shows("Title: cannot be empty")
        await seat.type("Old")
        await seat.press("enter")
        assert "Products(Payments(Payments guide) Identity(Identity guide) Old)" in await seat.order()
        await seat.to("Products")
        await seat.press("D")
        seat.assert_shows("This removes the group “Products”.")
        await seat.press("y")
        assert "Home(English Français) Payments(Payments guide)" in await seat.order()


async def test_a_section_is_added_with_its_first_space(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Changelog")
        await seat.press("a", "down", "enter")
        seat.assert_shows("The first space of the new section")
        await seat.type("Version 2")
        await seat.press("enter")
        await seat.type(" again")
        await seat.press("tab")
        await seat.type("book")
        await seat.press("enter")
        assert (await seat.order()).endswith("Version 2 again(Version 2)")
        assert "Version 2 again" in seat.line("▾ Version 2 again")
        assert seat.transport.changes == ["create_section"]
        await seat.press("u")
        assert await seat.order() == BEFORE


async def test_the_first_section_moves_the_spaces_at_the_top_and_offers_redirects(sit: Sit) -> None:
    async with sit() as seat:
        listed = await seat.store.call(Spaces.list_spaces, seat.docs.organization)
        spaces = tuple(space.id for space in listed.items[:2])
        made = await seat.store.call(Sites.create_site, seat.docs.organization, CreateSite(title="Two", spaces=spaces))
        second = listed.items[1].title
    async with sit(site=made.id) as seat:
        await seat.press("a", "down", "enter", "enter", "enter")
        seat.assert_shows("The first section takes in the site spaces", "1 address of the site will change")
        seat.assert_shows("This cannot be undone.", "r  creates the section, and redirects 1 old address")
        await seat.press("r")
        redirects = (await seat.store.call(Redirects.list_redirects, seat.docs.organization, made.id)).items
        assert [one.destination.site_space_id for one in redirects if one.destination] != []
        assert second in seat.line(second)


async def test_a_space_is_added_to_a_section_unless_it_is_there(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Changelog")
        await seat.press("a", "enter")
        await seat.type("Changes")
        seat.assert_shows("already here")
        await seat.press("enter", "ctrl+u")
        await seat.type("Français")
        await seat.press("enter")
        assert "Changelog(Changes Français)" in await seat.order()


async def test_removing_a_section_says_what_is_lost(sit: Sit) -> None:
    async with sit() as seat:
        to = ToSection(kind="site-section", site_section_id=seat.docs.ids["Developers"])
        body = CreateRedirect(source="/api", destination=to)
        await seat.store.call(Redirects.create_redirect, seat.docs.organization, seat.docs.site, body)
        await seat.to("Developers")
        await seat.press("D")
        seat.assert_shows(
            "This removes the section “Developers” with its 3 site spaces.", "The spaces themselves stay", "· Version 2"
        )
        seat.assert_shows("· the redirect from /api")
        await seat.press("n")
        assert await seat.order() == BEFORE
        await seat.press("D", "y")
        assert "Developers" not in await seat.order()


async def test_another_default_changes_addresses_and_says_so(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Version 1")
        await seat.press("asterisk")
        seat.assert_shows("2 addresses of the site will change", "Version 1: /developers/version-1/ → /developers/")
        await seat.press("y")
        seat.assert_shows("Version 1  default")
        await seat.press("u")
        seat.assert_shows("Version 3  default")
        await seat.press("U")
        seat.assert_shows("Version 1  default")


async def test_a_default_that_others_have_made_since_is_not_undone(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Version 1")
        await seat.press("asterisk", "y")
        section = seat.docs.ids["Developers"]
        body = UpdateSection(default_site_space=seat.docs.ids["Version 2"])
        await seat.store.call(Sections.update_section, seat.docs.organization, seat.docs.site, section, body)
        await seat.press("u")
        seat.assert_shows("Others changed it meanwhile: default.")
        await seat.press("r")
        seat.assert_shows("Version 2  default")


async def test_a_default_that_moved_by_itself_is_marked(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Version 3")
        await seat.press("D")
        seat.assert_shows("This removes “Version 3” from the site", "Version 2: /developers/version-2/ → /developers/")
        seat.assert_shows("This cannot be undone.", "r  removes “Version 3”, and redirects 1 old address")
        await seat.press("r")
        made = (await seat.store.call(Redirects.list_redirects, seat.docs.organization, seat.docs.site)).items
        assert [one.source for one in made] == ["/developers/version-2"]
        seat.assert_shows("★ now the default")
        await seat.to("Version 1")
        await seat.press("asterisk", "y")
        seat.assert_shows("Version 1  default")
        assert not seat.shows("now the default")


async def test_another_section_becomes_what_the_site_opens_with(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Developers")
        await seat.press("asterisk")
        seat.assert_shows("addresses of the site will change", "Version 3: /developers/ → /", "English: / → /home/")
        await seat.press("y")
        seat.assert_shows("▾ Developers  default")
        assert not seat.shows("▾ Home  default")
        await seat.press("u")
        seat.assert_shows("▾ Home  default")


async def test_a_path_is_checked_as_one_types_and_changes_addresses(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Changelog")
        await seat.press("p")
        await seat.type(" news")
        seat.assert_shows("A path contains no spaces")
        await seat.press("ctrl+u")
        await seat.type("news")
        await seat.press("enter")
        seat.assert_shows("Changes: /changelog/ → /news/")
        await seat.press("y")
        assert "/news" in seat.line("▾ Changelog")
        assert "create_redirect" not in seat.transport.changes


async def test_old_addresses_are_redirected_where_the_person_wants_it(sit: Sit) -> None:
    async with sit() as seat:
        address = (seat.docs.organization, seat.docs.site)
        home = ToSection(kind="site-section", site_section_id=seat.docs.ids["Home"])
        known = CreateRedirect(source="/developers/version-1", destination=home)
        await seat.store.call(Redirects.create_redirect, *address, known)
        await seat.to("Developers")
        await seat.press("p", "ctrl+u")
        await seat.type("dev")
        await seat.press("enter")
        seat.assert_shows("r  changes them, and redirects 3 old addresses")
        await seat.press("r")
        seat.assert_shows("Redirected 3 old addresses")
        made = (await seat.store.call(Redirects.list_redirects, *address)).items
        ids = seat.docs.ids
        assert {(one.source, one.destination.site_space_id) for one in made if one.destination} == {
            ("/developers", ids["Version 3"]),
            ("/developers/version-2", ids["Version 2"]),
            ("/developers/version-1", ids["Version 1"]),
        }
        assert "/dev" in seat.line("▾ Developers")
        await seat.press("u")
        left = (await seat.store.call(Redirects.list_redirects, *address)).items
        assert [one.destination.kind for one in left if one.destination] == ["site-section"]
        await seat.press("u")
        assert "/developers" in seat.line("▾ Developers")


async def test_an_address_that_is_taken_at_once_or_is_the_sites_own_is_not_redirected(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Version 1")
        await seat.press("asterisk")
        seat.assert_shows("r  changes them, and redirects 1 old address")
        await seat.press("r")
        made = (await seat.store.call(Redirects.list_redirects, seat.docs.organization, seat.docs.site)).items
        assert [one.source for one in made] == ["/developers/version-1"]


async def test_a_condition_is_set_and_removed(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Changelog")
        await seat.press("c")
        await seat.type("visitor.claims.beta")
        await seat.press("enter")
        seat.assert_shows("Changelog  conditional", "visitors for whom visitor.claims.beta")
        address = (seat.docs.organization, seat.docs.site)
        listed = await seat.store.call(Sections.list_sections, *address)
        assert [each.condition for each in listed.items if each.title == "Changelog"] == ["visitor.claims.beta"]
        await seat.press("u")
        assert not seat.shows("conditional")


async def test_a_failed_change_is_reported_and_reverted(sit: Sit) -> None:
    def fails(transport: Refusing) -> None:
        transport.always["update_section"] = ServerFailed("Could not change the section.", "It broke.", status=500)

    async with sit(prepare=fails) as seat:
        await seat.press("f2")
        await seat.type("page")
        await seat.press("enter")
        seat.assert_shows("Could not change the section.", "▾ Home  default")


async def test_a_section_that_comes_from_elsewhere_is_there_after_refreshing(sit: Sit) -> None:
    async with sit() as seat:
        address = (seat.docs.organization, seat.docs.site, seat.docs.ids["Home"])
        await seat.store.call(Sections.update_section, *address, UpdateSection(title="Start"))
        await seat.press("r")
        seat.assert_shows("▾ Start  default")


async def test_a_condition_is_checked_as_it_is_typed_against_the_adaptive_schema(sit: Sit) -> None:
    async with sit() as seat:
        schema = VisitorSchema.model_validate(
            {
                "type": "object",
                "properties": {"unsigned": {"type": "object", "properties": {"beta": {"type": "boolean"}}}},
            }
        )
        address = (seat.docs.organization, seat.docs.site)
        await seat.store.call(
            AdaptiveContents.update_adaptive_schema, *address, UpdateAdaptiveSchema(json_schema=schema)
        )
        await seat.to("Changelog")
        await seat.press("c")
        await seat.type("visitor.claims.")
        seat.assert_shows("A name is missing before the end (character 16).")
        await seat.press("enter")
        assert isinstance(seat.pilot.app.screen, PromptLine)
        await seat.type("unsigned.betta")
        seat.assert_shows("“visitor.claims.unsigned.betta” is not in the adaptive schema")
        seat.assert_shows("“visitor.claims.unsigned.beta” is.")
        await seat.press("backspace", "backspace")
        await seat.type("a")
        assert not seat.shows("adaptive schema")
        await seat.press("enter")
        seat.assert_shows("Changelog  conditional")


async def test_a_site_space_is_pointed_to_other_content_and_back(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Version 1")
        await seat.press("s")
        seat.assert_shows("The space that “Version 1” shows", "already here")
        await seat.type("Changes")
        await seat.press("enter")
        seat.assert_shows("“Version 1” shows the space “Changes” now")
        assert "Developers(Version 3 Version 2 Changes)" in await seat.order()
        await seat.press("u")
        assert await seat.order() == BEFORE


async def test_a_space_is_made_in_the_dialog_that_puts_it_on_the_site(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Changelog")
        await seat.press("a", "enter")
        seat.assert_shows("New space", "type its title first")
        await seat.type("Recipes")
        seat.assert_shows("New space “Recipes”")
        await seat.press("enter")
        seat.assert_shows("Put “Recipes” on the site")
        assert "Changelog(Changes Recipes)" in await seat.order()


async def test_a_reader_sees_the_missing_role_before_a_form_opens_and_what_they_may_not_see(
    sit: Sit, platform: Platform
) -> None:
    hide = "UPDATE spaces SET default_level = NULL WHERE title = 'Changes'"
    platform.database.write_now(lambda connection: connection.execute(hide))
    async with sit(prepare=as_reader(platform)) as seat:
        await seat.to("Changelog")
        for key, title in (
            ("c", "Change the condition"),
            ("a", "New"),
            ("D", "Delete"),
            ("m", "Lift"),
            ("J", "Move down"),
        ):
            await seat.press(key)
            seat.assert_shows(f"{title}: needs the admin role.")
            assert isinstance(seat.pilot.app.screen, SiteView)
        await seat.to("Changes")
        await seat.press("enter")
        seat.assert_shows("you may not see its space")
        await seat.press("4")
        seat.assert_shows("No claims yet: all visitors are alike.", "a  adds one; not now: needs the admin role")
        assert seat.transport.changes == []


async def fill(seat: Seat, label: str, text: str) -> None:
    """Type another text into a field of a dialog."""
    row = next(row for row in seat.pilot.app.screen.query(FieldRow) if row.entry.label == label)
    row.enter()
    await settled(seat.pilot)
    await seat.press("ctrl+u")
    await seat.type(text)


async def test_icon_description_and_all_the_rest_of_a_section_are_changed_in_a_form(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Developers")
        await seat.press("e")
        await fill(seat, "Icon", "rocket")
        await fill(seat, "Description", "For those who build")
        await fill(seat, "Condition", "visitor.claims.")
        seat.assert_shows("A name is missing before the end")
        await fill(seat, "Condition", "visitor.claims.beta")
        seat.assert_shows("“visitor.claims.beta” is not in")
        await fill(seat, "Path", "dev")
        await seat.press("ctrl+s")
        seat.assert_shows("r  changes them, and redirects 3 old addresses")
        await seat.press("y")
        listed = await seat.store.call(Sections.list_sections, seat.docs.organization, seat.docs.site)
        (made,) = (one for one in listed.items if one.title == "Developers")
        assert (made.icon, made.description, made.condition, made.path) == (
            "rocket",
            "For those who build",
            "visitor.claims.beta",
            "dev",
        )
        await seat.press("u")
        listed = await seat.store.call(Sections.list_sections, seat.docs.organization, seat.docs.site)
        (back,) = (one for one in listed.items if one.title == "Developers")
        assert (back.icon, back.description, back.condition, back.path) == (None, None, None, "developers")


async def test_what_others_changed_of_a_section_meanwhile_is_shown_before_it_is_replaced(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Developers")
        await seat.press("e")
        await fill(seat, "Title", "Mine")
        address = (seat.docs.organization, seat.docs.site, seat.docs.ids["Developers"])
        await seat.store.call(Sections.update_section, *address, UpdateSection(title="Theirs"))
        await seat.press("ctrl+s")
        seat.assert_shows("Others changed it meanwhile, to: Theirs")
        assert "Theirs(" in await seat.order()
        await seat.press("ctrl+s")
        seat.assert_shows("Changed the section “Mine”.")
        await seat.press("u")
        assert "Theirs(" in await seat.order()


async def test_a_group_gets_an_icon(sit: Sit) -> None:
    async with sit() as seat:
        await seat.to("Guides")
        await seat.press("e")
        await fill(seat, "Icon", "book")
        await seat.press("ctrl+s")
        listed = await seat.store.call(SectionGroups.list_groups, seat.docs.organization, seat.docs.site)
        assert [one.icon for one in listed.items if one.title == "Guides"] == ["book"]
