"""The tabs of a site beside its structure."""

from __future__ import annotations

from recto.contract.publishing import Checkout
from recto.contract.share_links import CreateShareLink, ShareLinks
from recto.contract.sites import Site, Sites, UpdateSite
from recto.contract.structure import SiteSpaces, UpdateSiteSpace
from recto.server.platform import Platform
from recto.store.locations import SiteLocation
from recto.tui.screens.site.publication_tab import share_key
from recto.tui.screens.site.view import TABS, SiteView
from support.site_seats import Seat, Sit, as_reader

PUBLICATION = TABS.index("Publication")


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


async def test_a_site_is_unpublished_and_published_again(sit: Sit) -> None:
    async with sit(tab=PUBLICATION) as seat:
        seat.assert_shows("6 sections, 9 site spaces", "Version 2")
        await seat.press("P")
        seat.assert_shows("can no longer be read by anyone", "y  unpublishes it")
        await seat.press("enter", "y")
        assert not (await site_of(seat)).published
        seat.assert_shows("Not published: visitors get nothing.", "P  publishes it")
        await seat.press("P", "y")
        assert (await site_of(seat)).published
        seat.assert_shows("6 sections, 9 site spaces")
        await seat.press("u")
        assert not (await site_of(seat)).published


async def test_a_platform_that_asks_for_payment_has_not_published(sit: Sit) -> None:
    async with sit(tab=PUBLICATION) as seat:
        await seat.press("P", "y")
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
        await seat.press("w", *["backspace"] * 9)
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


async def test_a_reader_cannot_publish(sit: Sit, platform: Platform) -> None:
    async with sit(tab=PUBLICATION, prepare=as_reader(platform)) as seat:
        await seat.press("P")
        seat.assert_shows("Publish, or unpublish: needs the admin role.")


def test_a_key_is_found_in_the_address_of_a_share_link() -> None:
    assert share_key("  ") is None
    assert share_key("abc") == "abc"
    assert share_key("https://a.example/v1/orgs/o/sites/s/published?shareKey=k%2B1#x") == "k+1"
    assert share_key("https://docs.a.example/handbook/k1/") == "k1"
