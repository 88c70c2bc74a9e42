"""The tabs of a site beside its structure."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from textual.widget import Widget

from recto.client.errors import TimedOut, Unreachable
from recto.contract.adaptive import AdaptiveContents, UpdateAdaptiveSchema, VisitorSchema
from recto.contract.content import Page
from recto.contract.members import Members
from recto.contract.publishing import Checkout
from recto.contract.redirects import (
    CreateRedirect,
    Destination,
    Redirect,
    RedirectDestination,
    Redirects,
    ToSection,
    UpdateRedirect,
)
from recto.contract.share_links import CreateShareLink, ShareLinks, UpdateShareLink
from recto.contract.sites import CreateSite, Site, Sites, UpdateSite
from recto.contract.structure import Sections, SiteSpaces, UpdateSiteSpace
from recto.contract.users import Users
from recto.document.expressions.claims import Claim, Verdicts
from recto.server.platform import Platform
from recto.store.arrangement import Arrangement, Item, Kind
from recto.store.audience import find_hidden, page_verdict, with_claimed
from recto.store.locations import OrganizationsLocation, SiteLocation
from recto.store.redirect_changes import Problems, Targets, destination, find_problems, is_creatable, target_of
from recto.store.sites import proxy_of
from recto.tui.forms.form_view import FieldRow
from recto.tui.screens.site.audience_tab import SchemaDialog
from recto.tui.screens.site.publication_tab import share_key
from recto.tui.screens.site.redirects_tab import source_of
from recto.tui.screens.site.site_view import TABS, SiteView
from recto.tui.widgets.tab_strip import TabStrip
from recto.tui.widgets.text_pad import TextPad
from support.arrangements import arranged, section, site_space
from support.content import change_space, imported_page
from support.platform import own_organization
from support.screens import all_messages, press_at_once, settled, until_shown
from support.site_seats import Seat, Sit, as_reader

SETTINGS, SHARE_LINKS, AUDIENCE, REDIRECTS, PUBLICATION = (
    TABS.index(name) for name in ("Settings", "Share links", "Audience", "Redirects", "Publication")
)


async def site_of(seat: Seat) -> Site:
    return await seat.store.call(Sites.get_site, seat.docs.organization, seat.docs.site)


async def test_tabs_are_switched_by_digits_and_come_back_where_they_were(sit: Sit) -> None:
    async with sit() as seat:
        await seat.press(str(PUBLICATION + 1))
        seat.assert_shows("As a visitor gets it", "anyone, and search engines index it")
        view = seat.pilot.app.screen
        assert isinstance(view, SiteView)
        location = view.location
        assert isinstance(location, SiteLocation)
        await seat.press("1", "j", "f2")
        seat.assert_shows("a site space has its space's title")
    async with sit(location=location) as seat:
        seat.assert_shows("As a visitor gets it")
        await seat.press("1")
        seat.assert_shows("▾ Home  default")


async def test_a_key_of_another_tab_says_on_which_it_acts(sit: Sit) -> None:
    async with sit() as seat:
        for tab, key, reason in (("1", "E", "only on tab 4"), ("2", "asterisk", "only on tab 1")):
            await seat.press(tab, key)
            seat.assert_shows(f"{reason} of a site")
            await seat.press("P")
            seat.assert_shows("only among specifications", "only on tab 6 of a site")
            assert not seat.shows("only on a site") and not seat.shows("only on Organizations")


async def test_keys_pressed_while_a_tab_is_put_there_act(sit: Sit, monkeypatch: pytest.MonkeyPatch) -> None:
    async with sit() as seat:
        view = seat.pilot.app.screen
        body, strip = view.query_one(".body"), view.query_one(TabStrip)
        mount = body.mount

        async def mount_meanwhile(tab: Widget) -> None:
            await seat.pilot.app.run_action("view_refresh", view)
            strip.active = PUBLICATION
            await mount(tab)

        monkeypatch.setattr(body, "mount", mount_meanwhile)
        await seat.press(str(REDIRECTS + 1))
        seat.assert_shows("As a visitor gets it")
        assert not seat.shows("No redirects yet.")


async def test_a_key_pressed_before_the_data_is_there_acts_when_it_is(sit: Sit) -> None:
    async with sit() as seat:
        gate = asyncio.Event()
        seat.transport.then["get_adaptive_schema"] = gate.wait
        press_at_once(seat.pilot.app, str(AUDIENCE + 1), "E", "x")
        await until_shown(seat.pilot, "the schema is not loaded yet")
        assert not isinstance(seat.pilot.app.screen, SchemaDialog)
        gate.set()
        await settled(seat.pilot)
        assert isinstance(seat.pilot.app.screen, SchemaDialog)
        assert seat.pilot.app.screen.query_one(TextPad).text.endswith("}x"), "what was typed with it belongs to it"
        assert not seat.shows("not loaded yet")


async def test_a_key_pressed_before_the_data_is_there_is_given_up_by_the_next_key(sit: Sit) -> None:
    async with sit() as seat:
        gate = asyncio.Event()
        seat.transport.then["get_adaptive_schema"] = gate.wait
        await seat.pilot.press(str(AUDIENCE + 1), "E")
        await until_shown(seat.pilot, "the schema is not loaded yet")
        await seat.pilot.press("1")
        gate.set()
        await seat.press("3", str(AUDIENCE + 1))
        seat.assert_shows("No claims yet")
        assert isinstance(seat.pilot.app.screen, SiteView)


async def test_a_key_pressed_before_the_data_is_there_says_that_it_did_not_come(sit: Sit) -> None:
    async with sit() as seat:
        gate = asyncio.Event()

        async def fail() -> None:
            await gate.wait()
            raise Unreachable("The schema was not loaded.", "No answer came.")

        seat.transport.then["get_adaptive_schema"] = fail
        await seat.pilot.press(str(AUDIENCE + 1), "E")
        await until_shown(seat.pilot, "the schema is not loaded yet")
        gate.set()
        await settled(seat.pilot)
        seat.assert_shows("the schema could not be loaded")
        await seat.press("r")
        assert isinstance(seat.pilot.app.screen, SiteView)


async def test_a_site_is_unpublished_and_published_again_unless_it_is_to_be_paid_first(sit: Sit) -> None:
    async with sit(tab=PUBLICATION) as seat:
        seat.assert_shows("6 sections, 9 site spaces", "Version 2")
        assert not seat.shows("recto.invalid")
        await seat.press("o")
        seat.assert_shows("its address is not on the web")
        await seat.press("j")
        seat.assert_shows("P unpublish")
        await seat.press("P")
        seat.assert_shows("can no longer be read by its visitors.", "y  unpublishes it")
        await seat.press("enter", "y")
        assert not (await site_of(seat)).published
        seat.assert_shows("Not published: visitors get nothing.", "P  publishes it", "P publish ")
        await seat.press("P", "y")
        assert (await site_of(seat)).published
        seat.assert_shows("6 sections, 9 site spaces")
        await seat.press("u")
        assert not (await site_of(seat)).published

        original = seat.transport.send

        async def send(operation: object, arguments: object) -> object:
            if getattr(operation, "name", "") == "publish_site":
                return Checkout(type="checkout", session_id="s")
            return await original(operation, arguments)  # type: ignore[arg-type]

        seat.transport.send = send  # type: ignore[method-assign,assignment]
        await seat.press("P", "y")
        seat.assert_shows("Not published: the platform asks for payment first.")


async def test_a_site_is_seen_with_the_key_of_a_share_link(sit: Sit) -> None:
    async with sit(tab=PUBLICATION) as seat:
        address = (seat.docs.organization, seat.docs.site)
        await seat.store.call(Sites.update_site, *address, UpdateSite(visibility="share-link"))
        made = await seat.store.call(ShareLinks.create_share_link, *address, CreateShareLink(name="Partners"))
        await seat.press("r", "w")
        await seat.type("wrong-key")
        await seat.press("enter")
        seat.assert_shows("No share link of the site")
        assert made.urls.published is not None
        await seat.press("w", "ctrl+u")
        await seat.type(made.urls.published)
        await seat.press("enter")
        seat.assert_shows("9 site spaces", "with a key")


async def test_what_a_condition_keeps_from_visitors_is_not_in_the_published_structure(sit: Sit) -> None:
    async with sit(tab=PUBLICATION) as seat:
        address = (seat.docs.organization, seat.docs.site)
        await seat.store.call(
            SiteSpaces.update_site_space,
            *address,
            seat.docs.ids["Version 2"],
            UpdateSiteSpace(condition="visitor.claims.beta"),
        )
        await seat.store.call(
            Sites.update_site, *address, UpdateSite.model_validate({"adaptiveContent": {"enabled": True}})
        )
        await seat.press("r")
        seat.assert_shows("8 site spaces", "Version 3")
        assert not seat.shows("Version 2")


def test_a_key_is_found_in_the_address_of_a_share_link() -> None:
    assert share_key("  ") is None
    assert share_key("abc") == "abc"
    assert share_key("https://a.example/v1/orgs/o/sites/s/published?shareKey=k%2B1#x") == "k+1"
    assert share_key("https://docs.a.example/handbook/k1/") == "k1"
    assert share_key("https://[docs") == "https://[docs"


# Settings


async def to_field(seat: Seat, label: str) -> None:
    """Go to a field of the form by its label."""
    for row in seat.pilot.app.screen.query(FieldRow):
        if row.entry.label == label:
            row.enter()
            await settled(seat.pilot)
            return
    raise AssertionError(f"There is no field {label!r}.")


async def fill(seat: Seat, label: str, text: str) -> None:
    """Type another text into a field on a tab."""
    await to_field(seat, label)
    await seat.press("enter", "ctrl+u")
    await seat.type(text)
    await seat.press("escape")


async def test_settings_are_checked_as_they_are_typed_and_only_what_changed_is_sent_together(sit: Sit) -> None:
    async with sit(tab=SETTINGS) as seat:
        await fill(seat, "Title", "P")
        seat.assert_shows("at least 2 characters")
        await fill(seat, "Proxy", "nowhere")
        seat.assert_shows("a host name and a path on it")
        await seat.press("ctrl+s")
        assert "update_site" not in seat.transport.changes
        await fill(seat, "Title", "Payments handbook")
        await fill(seat, "Proxy", "pay.example.org/docs")
        await to_field(seat, "Agents")
        await seat.press("space")
        seat.assert_shows("3 changes not saved", "agents cannot access")
        await seat.press("ctrl+s")
        seat.assert_shows("Changed the settings of “Payments handbook”.")
        body = next(each["body"] for each in reversed(seat.transport.asked) if "body" in each)
        assert body.model_fields_set == {"title", "proxy", "agents_context"}
        site = await site_of(seat)
        assert (site.title, proxy_of(site)) == ("Payments handbook", "pay.example.org/docs")
        await fill(seat, "Proxy", "")
        await seat.press("ctrl+s")
        assert (await site_of(seat)).proxy is None
        await seat.press("u")
        assert proxy_of(await site_of(seat)) == "pay.example.org/docs"


async def test_a_wider_audience_is_named_and_confirmed_by_the_title(sit: Sit) -> None:
    async with sit() as seat:
        address = (seat.docs.organization, seat.docs.site)
        await seat.store.call(Sites.update_site, *address, UpdateSite(visibility="share-link"))
        await seat.press("r", str(SETTINGS + 1))
        await to_field(seat, "Visible to")
        await seat.press("enter")
        await seat.type("public")
        await seat.press("enter")
        seat.assert_shows("public", "anyone, and search engines")
        await seat.press("ctrl+s")
        seat.assert_shows("More people will see the site", "From now on it is open to")
        await seat.press("enter")
        assert (await site_of(seat)).visibility == "share-link"
        await seat.type("Payments docs")
        await seat.press("enter")
        assert (await site_of(seat)).visibility == "public"
        await to_field(seat, "Visible to")
        await seat.press("space", "ctrl+s")
        assert (await site_of(seat)).visibility == "unlisted"


async def test_the_section_and_the_space_that_a_site_opens_with_are_chosen(sit: Sit) -> None:
    async with sit(tab=SETTINGS) as seat:
        await to_field(seat, "Section")
        await seat.press("enter")
        await seat.type("Developers")
        await seat.press("enter", "ctrl+s")
        sections = await seat.store.call(Sections.list_sections, seat.docs.organization, seat.docs.site)
        assert [one.title for one in sections.items if one.default] == ["Developers"]
        await to_field(seat, "Site space")
        await seat.press("enter")
        await seat.type("Version 2")
        await seat.press("enter", "ctrl+s")
        await seat.press("1")
        seat.assert_shows("Version 2  default")


async def test_settings_that_others_changed_meanwhile_are_shown_first(sit: Sit) -> None:
    async with sit(tab=SETTINGS) as seat:
        await fill(seat, "Title", "Mine")
        address = (seat.docs.organization, seat.docs.site)
        await seat.store.call(Sites.update_site, *address, UpdateSite(title="Theirs"))
        await to_field(seat, "Title")
        await seat.press("ctrl+s")
        seat.assert_shows("Others changed it meanwhile, to: Theirs")
        assert (await site_of(seat)).title == "Theirs"
        await seat.press("ctrl+s")
        assert (await site_of(seat)).title == "Mine"
        await seat.press("u")
        assert (await site_of(seat)).title == "Theirs"


async def test_a_form_on_a_tab_asks_when_it_or_the_program_is_left_with_changes(sit: Sit) -> None:
    async with sit(tab=SETTINGS) as seat:
        await fill(seat, "Title", "Mine")
        for key in ("1", "backspace"):
            await seat.press(key)
            seat.assert_shows("Not sent yet: 1 changed field of “Settings”.")
            await seat.press("n")
            seat.assert_shows("Mine", "1 change not saved")
        await seat.press("ctrl+q")
        seat.assert_shows("Not sent yet: 1 changed field of “Settings”. It is kept as a draft.")
        await seat.press("n")
        await seat.press("1", "k")
        seat.assert_shows("▾ Home  default")
        await seat.press("q")
        assert not isinstance(seat.pilot.app.screen, SiteView)
    async with sit(tab=SETTINGS) as seat:
        seat.assert_shows("Mine", "What you typed here before is back; it is not sent yet.")
        await seat.press("1", "y", str(SETTINGS + 1))
        assert not seat.shows("not saved")
    async with sit(tab=SETTINGS) as seat:
        seat.assert_shows("Payments docs")
        assert not seat.shows("Mine")


async def test_a_reader_sees_each_tab_and_why_nothing_on_it_can_be_changed(sit: Sit, platform: Platform) -> None:
    async with sit(tab=SETTINGS, prepare=as_reader(platform)) as seat:
        seat.assert_shows("needs the admin role", "Payments docs")
        await to_field(seat, "Title")
        await seat.press("enter")
        seat.assert_shows("needs the admin role")
        await seat.press("D")
        seat.assert_shows("Delete: needs the admin role.")
        await seat.press(str(PUBLICATION + 1))
        seat.assert_shows("P  unpublishes it: needs the admin role")
        await seat.press("P")
        seat.assert_shows("Unpublish: needs the admin role.")
        await seat.press(str(SHARE_LINKS + 1))
        for key, title in {"a": "New", "x": "Switch the share link on or off", "D": "Delete"}.items():
            await seat.press(key)
            seat.assert_shows(f"{title}: needs the admin role.")
        await seat.press(str(SETTINGS + 1))
        # What may only be read may be so to a reviewer; the membership tells.
        assert not seat.shows("(read)")
        me = await seat.store.call(Users.get_user)
        await seat.store.query(Users.get_user).wait()
        await seat.store.query(Members.get_member, seat.docs.organization, me.id).wait()
        await seat.press("r")
        seat.assert_shows("(read)")


async def test_a_site_is_deleted_when_its_title_is_typed(sit: Sit) -> None:
    async with sit(tab=SETTINGS) as seat:
        seat.transport.always["list_share_links"] = Unreachable("Could not load the share links.", "No answer came.")
        await seat.press("D")
        seat.assert_shows("· 9 site spaces", "· its share links, which could not be counted", "This cannot be undone.")
        await seat.press("y", "enter")
        assert "delete_site" not in seat.transport.changes
        await seat.press("backspace")
        await seat.type("Payments docs")
        await seat.press("enter")
        listed = await seat.store.call(Sites.list_sites, seat.docs.organization)
        assert listed.items == ()
        seat.assert_shows("Deleted the site “Payments docs”")


# Share links


async def links_of(seat: Seat) -> dict[str, bool]:
    listed = await seat.store.call(ShareLinks.list_share_links, seat.docs.organization, seat.docs.site)
    return {one.name or "": one.active for one in listed.items}


async def test_a_share_link_is_created_renamed_copied_switched_off_and_deleted(sit: Sit) -> None:
    async with sit(tab=SHARE_LINKS) as seat:
        seat.assert_shows("No share links yet.", "a  creates one", "now it is public")
        await seat.press("a")
        await seat.type("x" * 51)
        seat.assert_shows("at most 50 characters")
        await seat.press("ctrl+u")
        await seat.type("Partners")
        await seat.press("enter")
        seat.assert_shows("● on", "Created the share link “Partners”. Y copies its address.")
        copied: list[str] = []
        seat.pilot.app.copy_to_clipboard = copied.append  # type: ignore[method-assign,assignment]
        await seat.press("Y")
        assert "shareKey=" in copied[0]
        seat.assert_shows("It works in this program only")
        assert not seat.shows("recto.invalid")
        await seat.press("f2")
        await seat.type(" in Europe")
        await seat.press("ctrl+s")
        assert await links_of(seat) == {"Partners in Europe": True}
        await seat.press("x")
        assert await links_of(seat) == {"Partners in Europe": False}
        seat.assert_shows("○ off")
        await seat.press("u")
        assert await links_of(seat) == {"Partners in Europe": True}
        await seat.press("D")
        seat.assert_shows("· Partners in Europe", "This cannot be undone.")
        await seat.press("y")
        assert await links_of(seat) == {}


async def test_several_share_links_are_switched_off_at_once(sit: Sit) -> None:
    async with sit() as seat:
        for name in ("One", "Two", "Three"):
            body = CreateShareLink(name=name)
            await seat.store.call(ShareLinks.create_share_link, seat.docs.organization, seat.docs.site, body)
        await seat.press(str(SHARE_LINKS + 1), "space", "j", "space", "x")
        assert await links_of(seat) == {"One": False, "Two": False, "Three": True}
        seat.assert_shows("Switched off 2 share links.")


# Redirects


async def redirects_of(seat: Seat) -> list[Redirect]:
    return [*(await seat.store.call(Redirects.list_redirects, seat.docs.organization, seat.docs.site)).items]


async def add(seat: Seat, source: str, to: Destination) -> None:
    body = CreateRedirect(source=source, destination=to)
    await seat.store.call(Redirects.create_redirect, seat.docs.organization, seat.docs.site, body)


async def test_pages_that_could_not_be_loaded_are_named_among_the_targets_of_redirects(sit: Sit) -> None:
    async with sit(tab=REDIRECTS) as seat:
        seat.transport.always["list_pages"] = Unreachable("Could not load the pages.", "No answer came.")
        await seat.press("a", "tab", "enter")
        await seat.type("Pages of “Version 3")
        seat.assert_shows("could not be loaded")
        await seat.press("enter")
        seat.assert_shows("could not be loaded")


async def test_a_redirect_is_added_changed_and_deleted(sit: Sit) -> None:
    async with sit(tab=REDIRECTS) as seat:
        seat.assert_shows("No redirects yet.", "a  adds one")
        await seat.press("a")
        await seat.type("old")
        seat.assert_shows("a path such as /old/page: / at its", "none at its end")
        await seat.press("ctrl+u")
        await seat.type("/old/guide")
        await seat.press("enter", "enter")
        await seat.type("Payments guide")
        await seat.press("enter", "ctrl+s")
        (made,) = await redirects_of(seat)
        assert made.destination is not None
        assert (made.source, made.permanent) == ("/old/guide", True)
        assert made.destination.site_space_id == seat.docs.ids["Payments guide"]
        seat.assert_shows("/old/guide", "Payments guide  /payments", "permanent")

        await seat.press("enter")
        await to_field(seat, "To")
        await seat.press("enter")
        await seat.type("https://status.example.org/now")
        await seat.press("enter")
        await to_field(seat, "Permanent")
        await seat.press("space", "ctrl+s")
        (changed,) = await redirects_of(seat)
        assert changed.destination is not None
        assert (changed.destination.url, changed.permanent) == ("https://status.example.org/now", False)
        await seat.press("u")
        (back,) = await redirects_of(seat)
        assert back.destination == made.destination

        await seat.press("D")
        seat.assert_shows("· /old/guide")
        await seat.press("y")
        assert await redirects_of(seat) == []
        await seat.press("u")
        assert [one.source for one in await redirects_of(seat)] == ["/old/guide"]


async def test_loops_and_dead_targets_are_marked(sit: Sit) -> None:
    async with sit() as seat:
        ids = seat.docs.ids
        await add(seat, "/payments", ToSection(kind="site-section", site_section_id=ids["Identity"]))
        await add(seat, "/identity", ToSection(kind="site-section", site_section_id=ids["Payments"]))
        await add(seat, "/fine", ToSection(kind="site-section", site_section_id=ids["Changelog"]))
        await seat.press(str(REDIRECTS + 1))
        assert "! loop" in seat.line("/payments  ")
        assert "! loop" in seat.line("/identity  ")
        assert "!" not in seat.line("/fine  ")


async def test_what_others_changed_of_a_redirect_or_a_share_link_meanwhile_is_shown_before_it_is_replaced(
    sit: Sit,
) -> None:
    async with sit(tab=REDIRECTS) as seat:
        await add(seat, "/old", ToSection(kind="site-section", site_section_id=seat.docs.ids["Developers"]))
        await seat.press("r", "enter")
        await seat.press("ctrl+u")
        await seat.type("/mine")
        (made,) = await redirects_of(seat)
        address = (seat.docs.organization, seat.docs.site)
        await seat.store.call(Redirects.update_redirect, *address, made.id, UpdateRedirect(source="/theirs"))
        await seat.press("ctrl+s")
        seat.assert_shows("Others changed it meanwhile, to: /theirs")
        await seat.press("escape", "y")
        link = await seat.store.call(ShareLinks.create_share_link, *address, CreateShareLink(name="Partners"))
        await seat.press(str(SHARE_LINKS + 1), "f2")
        await seat.type(" of mine")
        await seat.store.call(ShareLinks.update_share_link, *address, link.id, UpdateShareLink(name="Theirs"))
        await seat.press("ctrl+s")
        seat.assert_shows("Others changed it meanwhile, to: Theirs")


async def test_a_redirect_that_others_changed_since_is_not_overwritten_by_undoing(sit: Sit) -> None:
    async with sit(tab=REDIRECTS) as seat:
        await add(seat, "/old", ToSection(kind="site-section", site_section_id=seat.docs.ids["Developers"]))
        await seat.press("r", "enter")
        await to_field(seat, "Permanent")
        await seat.press("space", "ctrl+s")
        (made,) = await redirects_of(seat)
        address = (seat.docs.organization, seat.docs.site, made.id)
        theirs = UpdateRedirect(source="/theirs", permanent=not made.permanent)
        await seat.store.call(Redirects.update_redirect, *address, theirs)
        await seat.press("u")
        seat.assert_shows("Others changed it meanwhile: permanent.")


async def test_taking_back_what_was_done_to_many_is_shown_and_asked_about_before_the_program_ends(
    sit: Sit, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("recto.store.store.MOMENT", 0)
    async with sit(tab=REDIRECTS) as seat:
        for number in range(3):
            await add(
                seat, f"/old/{number}", ToSection(kind="site-section", site_section_id=seat.docs.ids["Developers"])
            )
        await seat.press("r", "v", "G", "D", "y")
        assert await redirects_of(seat) == []
        held, released = asyncio.Event(), asyncio.Event()

        async def hold() -> None:
            held.set()
            await released.wait()

        seat.transport.then["create_redirect"] = hold
        asked = len(seat.transport.asked)
        await seat.pilot.press("u")
        await held.wait()
        assert all("body" in arguments for arguments in seat.transport.asked[asked:])
        await until_shown(seat.pilot, "undoing: deleting redirects 0 of 3")
        await seat.pilot.press("u")
        await until_shown(seat.pilot, "an undo or redo is still running")
        await seat.pilot.press("ctrl+q")
        await until_shown(seat.pilot, "0 of 3. Quitting")
        await seat.pilot.press("n")
        released.set()
        await settled(seat.pilot)
        assert len(await redirects_of(seat)) == 3
        await seat.press("ctrl+q")
        assert seat.pilot.app._exit


def test_a_redirect_of_a_newer_service_says_that_it_captures_its_wildcard() -> None:
    read = Redirect.model_validate({"id": "r", "source": "/old/*", "captureWildcard": True})
    assert source_of(read) == [("/old/*", ""), ("  captures its wildcard", "muted")]
    assert source_of(read.model_copy(update={"capture_wildcard": False})) == [("/old/*", "")]


def test_only_the_deletion_of_a_redirect_that_the_api_can_make_is_undone() -> None:
    to = RedirectDestination.model_validate(destination("section:a").model_dump())
    plain = Redirect(id="r", source="/old", destination=to)
    assert is_creatable(plain)
    assert not is_creatable(plain.model_copy(update={"capture_wildcard": True}))
    assert not is_creatable(plain.model_copy(update={"destination": RedirectDestination(kind="newer")}))


def test_an_outside_target_that_may_not_be_sent_is_shown_as_it_came() -> None:
    away = RedirectDestination(kind="external", url="https://example.org/ü")
    redirect = Redirect(id="a", source="/a", destination=away)
    assert target_of(away) == "https://example.org/ü"
    assert not is_creatable(redirect)
    assert find_problems([redirect], Targets(Arrangement({}, {}))) == Problems()


def test_a_redirect_to_what_is_gone_is_dead_and_one_into_a_ring_never_ends() -> None:
    site = arranged(section("a", site_space("v", default=True), site_space("w")), section("b", site_space("x")))
    item = replace(site.items["w"], space="s")
    site = replace(site, items={**site.items, "w": item})
    pages = {"s": {"p1": Page(id="p1", path="intro")}}
    targets = Targets(site, pages, "https://docs.a.example/x/")

    def redirect(source: str, to: str) -> Redirect:
        made = RedirectDestination.model_validate(destination(to).model_dump())
        return Redirect(id=source, source=source, destination=made)

    dead = {to: targets.is_dead(redirect("/o", to)) for to in ("section:a", "section:z", "page:w:p1", "page:w:p9")}
    assert dead == {"section:a": False, "section:z": True, "page:w:p1": False, "page:w:p9": True}
    assert targets.path(redirect("/o", "page:w:p1")) == "/a/w/intro"
    assert targets.path(redirect("/o", "https://docs.a.example/x/b/")) == "/b"
    ring = [redirect("/b", "https://docs.a.example/x/c"), redirect("/c", "section:b"), redirect("/d", "section:b")]
    assert find_problems([*ring, redirect("/e", "section:a")], targets).loops == {"/b", "/c", "/d"}

    assert targets.own_path("https://[") is None
    own = "https://Docs.a.example/x"
    elsewhere = {f"{own}/a/w/intro", f"{own}ylophone", "https://docs.a.example.org/x/gone", f"{own}/f.png"}
    gone = {f"{own}/gone", f"{own}/a/w/outro"}
    to = [redirect(f"/{number}", url) for number, url in enumerate([*sorted(elsewhere), *sorted(gone)])]
    assert find_problems(to, targets).dead == {one.id for one in to[len(elsewhere) :]}
    assert not find_problems([*to, redirect("/gone", "section:a"), redirect("/a/w/*", "section:a")], targets).dead


@pytest.mark.parametrize(
    ("ways", "loops"),
    [
        ({"/old/*": "/old/new"}, {"/old/*"}),
        ({"/old/*": "/old"}, set()),
        ({"/old/* captures": "/old"}, {"/old/* captures"}),
        ({"/old/* captures": "/new/*", "/new/* captures": "/old"}, {"/old/* captures", "/new/* captures"}),
        ({"/old/* captures": "/new", "/new/*": "/end", "/x": "/old/y"}, set()),
        ({"/*": "/here", "/here": "/there"}, {"/*", "/here"}),
        ({"/*": "/here", "/here": "https://example.org"}, set()),
        ({"/a/*": "/b/c", "/b/*": "/a/d", "/a/d": "/end"}, set()),
    ],
)
def test_loops_go_through_wildcards(ways: dict[str, str], loops: set[str]) -> None:
    own = "https://docs.example.org"

    def redirect(source: str, to: str) -> Redirect:
        made = RedirectDestination(kind="external", url=to if "://" in to else own + to)
        path, _, captures = source.partition(" ")
        return Redirect(id=source, source=path, destination=made, capture_wildcard=bool(captures))

    assert (
        find_problems([redirect(*way) for way in ways.items()], Targets(Arrangement({}, {}), published=own)).loops
        == loops
    )


# Audience


async def schema_of(seat: Seat) -> dict[str, Any]:
    found = await seat.store.call(AdaptiveContents.get_adaptive_schema, seat.docs.organization, seat.docs.site)
    return found.json_schema


async def set_claims(seat: Seat, **properties: Any) -> None:
    schema = VisitorSchema.model_validate({"type": "object", "properties": properties})
    body = UpdateAdaptiveSchema(json_schema=schema)
    await seat.store.call(AdaptiveContents.update_adaptive_schema, seat.docs.organization, seat.docs.site, body)


async def test_claims_are_added_changed_and_deleted(sit: Sit) -> None:
    async with sit(tab=AUDIENCE) as seat:
        seat.assert_shows("No claims yet: all visitors are alike.", "a  adds one")
        await seat.press("a")
        await seat.type("plan")
        await to_field(seat, "Type")
        await seat.press("space")
        await to_field(seat, "Values")
        await seat.type("free, pro")
        await seat.press("ctrl+s")
        assert (await schema_of(seat))["properties"]["plan"]["enum"] == ["free", "pro"]
        seat.assert_shows("plan  free | pro", 'visitor.claims.plan == "pro"')
        await seat.press("a")
        await seat.type("plan")
        await seat.press("ctrl+s")
        seat.assert_shows("There is already a claim visitor.claims.plan.", "New claim")
        await seat.press("escape", "y")
        assert (await schema_of(seat))["properties"]["plan"]["enum"] == ["free", "pro"]
        await seat.press("e")
        await to_field(seat, "Unsigned")
        await seat.press("space", "ctrl+s")
        schema = await schema_of(seat)
        assert list(schema["properties"]) == ["unsigned"]
        assert schema["properties"]["unsigned"]["properties"]["plan"]["enum"] == ["free", "pro"]
        await seat.press("tab", "D")
        assert any("only on a claim" in each for each in all_messages(seat.pilot.app))
        await seat.press("shift+tab", "D")
        seat.assert_shows("This takes “visitor.claims.unsigned.plan” out of the schema.")
        await seat.press("y")
        assert (await schema_of(seat))["properties"]["unsigned"]["properties"] == {}
        await seat.press("u")
        assert "plan" in (await schema_of(seat))["properties"]["unsigned"]["properties"]


async def test_the_schema_is_written_as_json_with_faults_at_their_line(sit: Sit) -> None:
    async with sit(tab=AUDIENCE) as seat:
        await set_claims(seat, beta={"type": "boolean"})
        await seat.press("r", "E")
        seat.assert_shows("✓ valid schema")
        await seat.press("x", "escape")
        seat.assert_shows("Not sent yet: the adaptive schema.")
        await seat.press("k", "E")
        assert seat.pilot.app.screen.query_one(TextPad).text.endswith("}x")
        seat.assert_shows("What you typed here before is back; it is not sent yet.")
        await seat.press("escape", "y", "E")
        pad = seat.pilot.app.screen.query_one(TextPad)
        assert pad.text.endswith("}")
        at = next(number for number, line in enumerate(pad.text.splitlines(), 1) if '"boolean"' in line)
        pad.load_text(pad.text.replace('"boolean"', '"boolen"'))
        await settled(seat.pilot)
        seat.assert_shows("must be one of")
        assert f"× line {at}:" in "\n".join(seat.lines)
        await seat.press("ctrl+s")
        assert "update_adaptive_schema" not in seat.transport.changes[1:]
        pad.load_text(pad.text.replace('"boolen"', '"string",'))
        await settled(seat.pilot)
        seat.assert_shows("× line")
        pad.load_text(pad.text.replace('"string",', '"string"'))
        await settled(seat.pilot)
        await seat.press("ctrl+s")
        assert (await schema_of(seat))["properties"]["beta"]["type"] == "string"


async def test_a_schema_that_others_changed_meanwhile_is_shown_before_it_is_replaced(sit: Sit) -> None:
    async with sit(tab=AUDIENCE) as seat:
        await set_claims(seat, beta={"type": "boolean"})
        await seat.press("r", "E")
        await set_claims(seat, beta={"type": "boolean"}, staff={"type": "boolean"})
        pad = seat.pilot.app.screen.query_one(TextPad)
        pad.load_text(pad.text.replace('"boolean"', '"string"'))
        await settled(seat.pilot)
        await seat.press("ctrl+s")
        seat.assert_shows("Changed meanwhile", "· visitor.claims.staff is new")
        await seat.press("n")
        assert (await schema_of(seat))["properties"]["beta"]["type"] == "boolean"
        seat.assert_shows("Adaptive schema")
        await seat.press("escape", "k", "r", "E", "ctrl+s")  # what was typed is a draft older than the change
        seat.assert_shows("Changed meanwhile", "· visitor.claims.staff is new")


async def test_a_claim_that_others_changed_meanwhile_is_shown_before_it_is_replaced(sit: Sit) -> None:
    async with sit(tab=AUDIENCE) as seat:
        await set_claims(seat, beta={"type": "boolean"})
        await seat.press("r", "e")
        await to_field(seat, "Description")
        await seat.type("for testers")
        await set_claims(seat, beta={"type": "boolean", "description": "for friends"})
        await seat.press("ctrl+s")
        seat.assert_shows("Others changed it meanwhile, to: for friends")
        await seat.press("ctrl+s")
        assert (await schema_of(seat))["properties"]["beta"]["description"] == "for testers"
        await seat.press("e")
        await to_field(seat, "Type")
        await seat.press("space")
        await set_claims(seat, staff={"type": "boolean"})
        await seat.press("ctrl+s")
        seat.assert_shows("The claim visitor.claims.beta was deleted meanwhile.")
        assert list((await schema_of(seat))["properties"]) == ["staff"]


async def test_conditions_of_items_and_pages_are_named_before_their_claim_is_renamed_or_deleted(
    sit: Sit, platform: Platform
) -> None:
    async with sit(tab=AUDIENCE) as seat:
        address = (seat.docs.organization, seat.docs.site)
        await set_claims(seat, beta={"type": "boolean"})
        link = await seat.store.call(
            SiteSpaces.update_site_space,
            *address,
            seat.docs.ids["Version 2"],
            UpdateSiteSpace(condition="visitor.claims.beta"),
        )
        assert link.space is not None
        asks = replace(imported_page("beta", "Try it"), attributes={"condition": "!visitor.claims.beta"})
        change_space(platform, link.space.id, [replace(imported_page("start", "Start"), children=[asks])])
        named = ("· Version 2: visitor.claims.beta", "· Try it: !visitor.claims.beta")
        await seat.press("r", "D")
        seat.assert_shows(*named)
        await seat.press("n", "e", "ctrl+u")
        await seat.type("trial")
        await seat.press("ctrl+s")
        seat.assert_shows("still ask for the old name:", *named)
        await seat.press("n")
        assert list((await schema_of(seat))["properties"]) == ["beta"]
        await seat.press("ctrl+s", "y")
        assert list((await schema_of(seat))["properties"]) == ["trial"]


async def test_the_preview_shows_what_a_visitor_with_claims_is_shown(sit: Sit) -> None:
    async with sit() as seat:
        address = (seat.docs.organization, seat.docs.site)
        await set_claims(seat, beta={"type": "boolean"}, plan={"type": "string", "enum": ["free", "pro"]})
        for title, condition in (("Version 2", "visitor.claims.beta"), ("Changes", "visitor.claims.plan == 'pro'")):
            body = UpdateSiteSpace(condition=condition)
            await seat.store.call(SiteSpaces.update_site_space, *address, seat.docs.ids[title], body)
        await seat.press("r", str(AUDIENCE + 1))
        seat.assert_shows("7 of 9 site spaces shown", "adaptive content is off: no condition counts")
        assert "condition not met" in seat.line("× Version 2")
        assert "nothing in it is shown" in seat.line("× Changelog")
        await seat.press("space")
        seat.assert_shows("8 of 9 site spaces shown", "✓ Version 2")
        await seat.press("j", "enter")
        await seat.type("pro")
        await seat.press("enter")
        seat.assert_shows("9 of 9 site spaces shown", "✓ Changelog")
        await seat.press("x")
        seat.assert_shows("7 of 9 site spaces shown")


async def test_a_template_condition_is_copied(sit: Sit) -> None:
    async with sit(tab=AUDIENCE) as seat:
        await set_claims(seat, beta={"type": "boolean"})
        await seat.press("r")
        copied: list[str] = []
        seat.pilot.app.copy_to_clipboard = copied.append  # type: ignore[method-assign,assignment]
        await seat.press("tab", "j", "y")
        assert copied == ["!visitor.claims.beta"]


def test_pages_remain_where_their_conditions_can_be_read() -> None:
    visitor = Verdicts({"beta": True})
    verdicts = {
        condition: page_verdict(Page(id="p", condition=condition), visitor)
        for condition in (None, "visitor.claims.beta", "!visitor.claims.beta", "space.vars.x", "visitor.")
    }
    assert list(verdicts.values()) == ["", "", "condition not met", "depends on variables", "condition cannot be read"]


def test_an_item_is_shown_in_the_preview_as_readers_get_it() -> None:
    conditions = {
        "variables": "!space.vars.x",
        "unknown": "space.vars.x",
        "odd": "visitor.",
        "org": "visitor.claims.org",
    }
    items = {name: Item(name, Kind.SITE_SPACE, name, condition=one) for name, one in conditions.items()}
    arrangement = Arrangement(items, {None: tuple(items)})
    plan = Claim(("visitor", "claims", "org", "plan"), "string")
    visitor = with_claimed({"beta": True}, plan, "pro")
    assert visitor == {"beta": True, "org": {"plan": "pro"}}
    assert list(find_hidden(arrangement, Verdicts(visitor))) == ["unknown", "odd"]
    assert with_claimed(visitor, plan, None) == {"beta": True}
    hidden = find_hidden(arrangement, Verdicts(with_claimed(visitor, plan, None)))
    assert hidden == {
        "unknown": "condition not met",
        "odd": "condition cannot be read",
        "org": "condition not met",
    }


# The list of sites


async def test_a_site_is_created_from_chosen_spaces_in_one_dialog(sit: Sit, platform: Platform) -> None:
    at = OrganizationsLocation(f"sites:{own_organization(platform)}")
    async with sit(location=at) as seat:
        await seat.press("enter")
        seat.assert_shows("Payments docs", "published", "9")
        await seat.press("a")
        await seat.type("Handbook")
        await to_field(seat, "Spaces")
        await seat.press("enter")
        await seat.type("Version 2")
        await seat.press("enter", "ctrl+s")
        await to_field(seat, "Visible to")
        await seat.press("space", "ctrl+s")
        seat.assert_shows("Created the site “Handbook” with 1 space; it is not published.", "1 Structure")
        listed = await seat.store.call(Sites.list_sites, seat.docs.organization)
        made = next(one for one in listed.items if one.title == "Handbook")
        assert (made.visibility, made.site_spaces) == ("unlisted", 1)


async def test_the_list_of_sites_is_searched_and_narrowed_by_the_platform(sit: Sit, platform: Platform) -> None:
    at = OrganizationsLocation(f"sites:{own_organization(platform)}")
    async with sit(location=at) as seat:
        for title in ("Alpha", "Beta"):
            await seat.store.call(Sites.create_site, seat.docs.organization, CreateSite(title=title))
        await seat.press("enter", "r", "slash")
        await seat.type("alph")
        asked = [each for each in seat.transport.asked if each.get("title")]
        assert asked[-1]["title"] == "alph"
        await seat.press("escape", "s")
        await seat.type("not published")
        await seat.press("enter")
        assert [each["published"] for each in seat.transport.asked if "published" in each][-1] is False
        seat.assert_shows("2 sites, not published")
        await seat.press("s")
        await seat.type("show all")
        await seat.press("enter", "w")
        await seat.type("Version 2")
        await seat.press("enter")
        seat.assert_shows("1 site")
        assert [each["space"] for each in seat.transport.asked if each.get("space")]


async def test_a_site_is_deleted_from_the_list(sit: Sit, platform: Platform) -> None:
    at = OrganizationsLocation(f"sites:{own_organization(platform)}")
    async with sit(location=at) as seat:
        await seat.press("enter", "D")
        seat.assert_shows("· 9 site spaces")
        await seat.type("Payments docs")
        await seat.press("enter")
        seat.assert_shows("No sites yet.", "a  creates one from spaces")


async def test_a_reader_sees_the_sites_and_cannot_create_one(sit: Sit, platform: Platform) -> None:
    at = OrganizationsLocation(f"sites:{own_organization(platform)}")
    async with sit(location=at, prepare=as_reader(platform)) as seat:
        await seat.press("enter", "a")
        seat.assert_shows("New: needs the admin role.")


async def test_redirects_that_may_be_there_again_are_looked_for_before_they_are_made_again(sit: Sit) -> None:
    async with sit(tab=REDIRECTS) as seat:
        for number in range(3):
            await add(
                seat, f"/old/{number}", ToSection(kind="site-section", site_section_id=seat.docs.ids["Developers"])
            )
        await seat.press("r", "v", "G", "D", "y")
        assert await redirects_of(seat) == []

        async def lose() -> None:
            seat.transport.down = Unreachable("Could not load it.", "The network is down.")
            raise TimedOut("Could not add the redirect.", "No answer came.", may_have_arrived=True)

        seat.transport.then["create_redirect"] = lose
        seat.transport.changes.clear()
        await seat.press("u")
        seat.assert_shows("It may have arrived", "whether this has arrived: /old/0.", "n  leaves it")
        await seat.press("n")
        seat.transport.down = None
        assert len(await redirects_of(seat)) == 3
        seat.transport.then["create_redirect"] = lose
        await seat.press("u")
        seat.assert_shows("Undone: Deleted 3 redirects (undo).")
        assert sorted(one.source for one in await redirects_of(seat)) == ["/old/0", "/old/1", "/old/2"]
        assert seat.transport.changes.count("create_redirect") == 3


async def test_redirects_that_were_made_again_are_deleted_again(sit: Sit) -> None:
    async with sit(tab=REDIRECTS) as seat:
        to = ToSection(kind="site-section", site_section_id=seat.docs.ids["Developers"])
        for number in range(3):
            await add(seat, f"/old/{number}", to)
        await seat.press("r", "D", "y", "u", "U")
        assert len(await redirects_of(seat)) == 2
        await seat.press("v", "G", "D", "y")
        assert await redirects_of(seat) == []
        await seat.press("u")
        assert len(await redirects_of(seat)) == 2
        await seat.press("U")
        seat.assert_shows("Deleted 2 redirects (redo).")
        assert await redirects_of(seat) == []
        await seat.press("u")
        assert len(await redirects_of(seat)) == 2
