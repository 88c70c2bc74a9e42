"""Scenarios of publishing sites: settings, share links, redirects, and what readers get."""

from __future__ import annotations

from urllib.parse import parse_qs, urlsplit

import pytest

from end_to_end.scenarios.sites import new_space, variants
from end_to_end.scenarios.table import proves
from end_to_end.scenarios.world import World, is_gone
from recto.client.errors import NotAllowed
from recto.contract.adaptive import (
    AdaptiveContents,
    BooleanClaim,
    ClaimProperties,
    TemplateCondition,
    UpdateAdaptiveSchema,
    VisitorSchema,
)
from recto.contract.publishing import Publishing
from recto.contract.redirects import (
    CreateRedirect,
    Redirect,
    Redirects,
    ToAddress,
    ToPage,
    ToSection,
    UpdateRedirect,
)
from recto.contract.share_links import CreateShareLink, ShareLink, ShareLinks, UpdateShareLink
from recto.contract.sites import AdaptiveContentInput, CreateSite, Sites, UpdateSite
from recto.contract.spaces import Spaces
from recto.contract.structure import Sections, SiteSpaces, Structure, UpdateSection


async def share(world: World) -> ShareLink:
    """Make a share link of the site, which is published for those who have one."""
    await world.call(Sites.update_site, *world.site, UpdateSite(visibility="share-link"))
    await world.call(Publishing.publish_site, *world.site)
    return await world.call(ShareLinks.create_share_link, *world.site, CreateShareLink(name="For Bob"))


def key_of(link: ShareLink) -> str:
    """Return the secret that a share link's address carries."""
    return parse_qs(urlsplit(link.urls.published or "").query)["shareKey"][0]


async def redirect(world: World) -> Redirect:
    """Make a redirect to the section ``reference``."""
    to = ToSection(kind="site-section", site_section_id=world.places.reference)
    return await world.call(Redirects.create_redirect, *world.site, CreateRedirect(source="/old", destination=to))


@proves(Sites.create_site)
async def a_site_is_made_with_its_spaces(world: World) -> None:
    spaces = (await new_space(world, "News"), world.manual)
    body = CreateSite(title="Second", visibility="unlisted", spaces=spaces)
    made = await world.call(Sites.create_site, world.places.organization, body)
    assert (made.title, made.visibility, made.published, made.type) == ("Second", "unlisted", False, "basic")
    assert made in (await world.call(Sites.list_sites, world.places.organization)).items
    listed = (await world.call(SiteSpaces.list_site_spaces, world.places.organization, made.id)).items
    assert tuple(each.space.id for each in listed if each.space) == spaces


@proves(Sites.update_site)
async def a_site_changes_what_is_sent_and_keeps_the_rest(world: World) -> None:
    _, blog = await variants(world, world.places.guide)
    body = UpdateSite(
        title="Documents", basename="documents", adaptive_content=AdaptiveContentInput(enabled=True),
        agents_context="excluded", proxy="example.org/docs", default_site_section=world.places.reference,
    )  # fmt: skip
    await world.call(Sites.update_site, *world.site, body)
    found = await world.call(Sites.get_site, *world.site)
    assert (found.title, found.basename, found.agents_context) == ("Documents", "documents", "excluded")
    assert found.adaptive_content is not None
    assert found.adaptive_content.enabled
    assert found.proxy is not None
    assert found.proxy.target == "https://example.org/docs"
    assert [each.default for each in (await world.sections()).values()] == [False, True]
    await world.call(Sites.update_site, *world.site, UpdateSite(proxy=None, default_site_space=blog.id))
    found = await world.call(Sites.get_site, *world.site)
    assert (found.title, found.proxy) == ("Documents", None)
    assert [each.default for each in await variants(world, world.places.guide)] == [False, True]


@proves(Sites.delete_site)
async def a_site_goes_and_its_spaces_stay(world: World) -> None:
    for _ in range(2):
        await world.call(Sites.delete_site, *world.site)
    assert await is_gone(world.call(Sites.get_site, *world.site))
    assert (await world.call(Spaces.get_space, world.manual)).title == "Manual"


@proves(Publishing.publish_site)
async def a_site_is_published(world: World) -> None:
    for _ in range(2):
        await world.call(Publishing.publish_site, *world.site)
    assert (await world.call(Sites.get_site, *world.site)).published
    assert (await world.call(Publishing.get_published_site, *world.site)).object == "published-content-site"


@proves(Publishing.unpublish_site)
async def a_site_is_published_no_longer(world: World) -> None:
    await world.call(Publishing.publish_site, *world.site)
    for _ in range(2):
        await world.call(Publishing.unpublish_site, *world.site)
    assert not (await world.call(Sites.get_site, *world.site)).published
    assert await is_gone(world.call(Publishing.get_published_site, *world.site))


@proves(Publishing.get_published_site)
async def readers_get_what_is_for_them(world: World) -> None:
    await world.call(Publishing.publish_site, *world.site)
    published = await world.call(Publishing.get_published_site, *world.site)
    assert published.site == await world.call(Sites.get_site, *world.site)
    assert published.structure == await world.call(Structure.get_structure, *world.site)
    adaptive = UpdateSite(adaptive_content=AdaptiveContentInput(enabled=True))
    await world.call(Sites.update_site, *world.site, adaptive)
    body = UpdateSection(condition="visitor.claims.beta")
    await world.call(Sections.update_section, *world.site, world.places.guide, body)
    published = await world.call(Publishing.get_published_site, *world.site)
    assert [each.id for each in published.structure.structure] == [world.places.reference, world.places.group]


@proves(ShareLinks.list_share_links)
async def share_links_are_listed_with_their_addresses(world: World) -> None:
    first = await share(world)
    second = await world.call(ShareLinks.create_share_link, *world.site, CreateShareLink(name="For Eve"))
    assert (await world.call(ShareLinks.list_share_links, *world.site)).items == (first, second)
    assert key_of(first) != key_of(second)


@proves(ShareLinks.create_share_link)
async def a_share_link_works_at_once(world: World) -> None:
    link = await share(world)
    assert (link.name, link.active) == ("For Bob", True)
    await world.call(Publishing.get_published_site, *world.site, share_key=key_of(link))
    with pytest.raises(NotAllowed):
        await world.call(Publishing.get_published_site, *world.site, share_key="guessed")


@proves(ShareLinks.update_share_link)
async def a_share_link_stops_working_and_works_again(world: World) -> None:
    link = await share(world)
    update = ShareLinks.update_share_link
    await world.call(update, *world.site, link.id, UpdateShareLink(active=False))
    with pytest.raises(NotAllowed):
        await world.call(Publishing.get_published_site, *world.site, share_key=key_of(link))
    await world.call(update, *world.site, link.id, UpdateShareLink(active=True, name="For all"))
    await world.call(Publishing.get_published_site, *world.site, share_key=key_of(link))
    (found,) = (await world.call(ShareLinks.list_share_links, *world.site)).items
    assert (found.name, found.active, found.urls) == ("For all", True, link.urls)


@proves(ShareLinks.delete_share_link)
async def a_share_link_goes_for_good(world: World) -> None:
    link = await share(world)
    for _ in range(2):
        await world.call(ShareLinks.delete_share_link, *world.site, link.id)
    assert (await world.call(ShareLinks.list_share_links, *world.site)).items == ()
    with pytest.raises(NotAllowed):
        await world.call(Publishing.get_published_site, *world.site, share_key=key_of(link))


@proves(Redirects.list_redirects)
async def redirects_are_listed(world: World) -> None:
    first = await redirect(world)
    to = ToAddress(kind="external", url="https://example.org/")
    second = await world.call(Redirects.create_redirect, *world.site, CreateRedirect(source="/away", destination=to))
    assert (await world.call(Redirects.list_redirects, *world.site)).items == (first, second)


@proves(Redirects.create_redirect)
async def an_old_address_leads_to_a_page(world: World) -> None:
    manual, _ = await variants(world, world.places.guide)
    to = ToPage(kind="site-page", site_space_id=manual.id, page_id="start")
    body = CreateRedirect(source="/welcome", destination=to, permanent=True)
    made = await world.call(Redirects.create_redirect, *world.site, body)
    assert (await world.call(Redirects.list_redirects, *world.site)).items == (made,)
    assert (made.source, made.permanent) == ("/welcome", True)
    assert made.destination is not None
    assert (made.destination.kind, made.destination.page_id) == ("site-page", "start")


@proves(Redirects.update_redirect)
async def a_redirect_changes_what_is_sent_and_keeps_the_rest(world: World) -> None:
    made = await redirect(world)
    to = ToAddress(kind="external", url="https://example.org/")
    await world.call(Redirects.update_redirect, *world.site, made.id, UpdateRedirect(destination=to))
    (found,) = (await world.call(Redirects.list_redirects, *world.site)).items
    assert (found.source, found.permanent) == ("/old", False)
    assert found.destination is not None
    assert (found.destination.kind, found.destination.url) == ("external", "https://example.org/")


@proves(Redirects.delete_redirect)
async def a_redirect_goes(world: World) -> None:
    made = await redirect(world)
    for _ in range(2):
        await world.call(Redirects.delete_redirect, *world.site, made.id)
    assert (await world.call(Redirects.list_redirects, *world.site)).items == ()


def beta_schema() -> UpdateAdaptiveSchema:
    claim = BooleanClaim(type="boolean", description="The visitor tries things early")
    properties = ClaimProperties.model_validate({"beta": claim})
    return UpdateAdaptiveSchema(json_schema=VisitorSchema(type="object", properties=properties))


@proves(AdaptiveContents.get_adaptive_schema)
async def a_site_without_a_schema_knows_no_claims(world: World) -> None:
    found = await world.call(AdaptiveContents.get_adaptive_schema, *world.site)
    assert found.json_schema == {"type": "object", "properties": {}, "additionalProperties": False}
    assert found.updated_at == (await world.call(Sites.get_site, *world.site)).created_at
    assert (await world.call(AdaptiveContents.list_template_conditions, *world.site)).items == ()


@proves(AdaptiveContents.update_adaptive_schema)
async def a_schema_names_what_visitors_claim(world: World) -> None:
    made = await world.call(AdaptiveContents.update_adaptive_schema, *world.site, beta_schema())
    assert await world.call(AdaptiveContents.get_adaptive_schema, *world.site) == made
    claim = {"type": "boolean", "description": "The visitor tries things early"}
    assert made.json_schema["properties"] == {"beta": claim}


@proves(AdaptiveContents.list_template_conditions)
async def the_schema_gives_conditions_to_begin_with(world: World) -> None:
    await world.call(AdaptiveContents.update_adaptive_schema, *world.site, beta_schema())
    found = await world.call(AdaptiveContents.list_template_conditions, *world.site)
    assert found.items == (
        TemplateCondition(description="The visitor tries things early", condition="visitor.claims.beta"),
        TemplateCondition(description="Not: The visitor tries things early", condition="!visitor.claims.beta"),
    )
