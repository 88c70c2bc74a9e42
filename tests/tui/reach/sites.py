"""Rows of sites."""

from __future__ import annotations

import json

from starlette.types import ASGIApp, Message, Receive, Scope, Send

from recto.contract.adaptive import AdaptiveContents
from recto.contract.publishing import Publishing
from recto.contract.redirects import CreateRedirect, Redirect, Redirects, ToAddress
from recto.contract.share_links import CreateShareLink, ShareLink, ShareLinks
from recto.contract.sites import CreateSite, Sites
from recto.contract.spaces import Spaces
from recto.contract.structure import CreateGroup, SectionGroups, Sections, SiteSpaces, Structure
from recto.store.locations import OrganizationsLocation, SiteLocation
from recto.tui.forms.form_view import FieldRow
from recto.tui.screens.site.site_view import TABS
from support.screens import settled
from support.second_server import OnlyReference
from tui.reach.organizations import ORGANIZATIONS
from tui.reach.row import CONSOLE, Act, Driver, Place, Row

ADMIN = "needs the admin role"

SITES = Place("Sites", lambda world: OrganizationsLocation(f"sites:{world.organization}"), ("enter",))
STRUCTURE = Place("structure of a site", lambda world: SiteLocation(world.organization, world.site))


LISTS = Place("a site on a server without its structure", STRUCTURE.opening, server=OnlyReference)


def by_members_alone(application: ASGIApp) -> ASGIApp:
    """Return a server of the reference that takes the group of a section, and leaves the section where it is."""
    behind = OnlyReference(application)

    async def answer(scope: Scope, receive: Receive, send: Send) -> None:
        async def listen() -> Message:
            message = await receive()
            if scope["method"] == "PATCH" and "/sections/" in scope["path"] and message.get("body"):
                body = json.loads(message["body"])
                body.pop("siteSectionGroupId", None)
                message = {**message, "body": json.dumps(body).encode()}
            return message

        await behind(scope, listen, send)

    return answer


MEMBERS_OF_GROUPS = Place(
    "a site on a server that moves sections by the members of groups", STRUCTURE.opening, server=by_members_alone
)


def tab(name: str) -> Place:
    """Return the place of a tab of a site."""
    key = str(TABS.index(name) + 1)
    return Place(f"{name} of a site", lambda world: SiteLocation(world.organization, world.site), (key,))


SHARE_LINKS, REDIRECTS, PUBLICATION, SETTINGS = map(tab, ("Share links", "Redirects", "Publication", "Settings"))
AUDIENCE = tab("Audience")


# Share links


async def links(ada: Driver) -> tuple[ShareLink, ...]:
    return (await ada.call(ShareLinks.list_share_links, ada.world.organization, ada.world.site)).items


async def add_link(ada: Driver) -> None:
    """Add a share link beside the program, and show it."""
    await ada.call(ShareLinks.create_share_link, ada.world.organization, ada.world.site, CreateShareLink(name="Mine"))
    await ada.press("r")


async def create_link(ada: Driver) -> None:
    await ada.press("a")
    await ada.type("Partners")
    await ada.press("enter")
    assert [one.name for one in await links(ada)] == ["Partners"]


async def rename_link(ada: Driver) -> None:
    await add_link(ada)
    await ada.press("f2")
    await ada.type(" now")
    await ada.press("ctrl+s")
    assert [one.name for one in await links(ada)] == ["Mine now"]


async def switch_link(ada: Driver) -> None:
    await add_link(ada)
    await ada.press("x")
    assert [one.active for one in await links(ada)] == [False]


async def delete_link(ada: Driver) -> None:
    await add_link(ada)
    await ada.press("D", "y")
    assert await links(ada) == ()


# Redirects


async def redirects(ada: Driver) -> tuple[Redirect, ...]:
    return (await ada.call(Redirects.list_redirects, ada.world.organization, ada.world.site)).items


async def add_redirect(ada: Driver) -> None:
    """Add a redirect beside the program, and show it."""
    body = CreateRedirect(
        source="/old", destination=ToAddress(kind="external", url="https://example.org/a"), permanent=True
    )
    await ada.call(Redirects.create_redirect, ada.world.organization, ada.world.site, body)
    await ada.press("r")


async def create_redirect(ada: Driver) -> None:
    await ada.press("a")
    await ada.type("/old")
    await ada.press("enter", "enter")
    await ada.type("Changelog")
    await ada.press("enter", "tab", "space", "ctrl+s")
    assert [(one.source, one.permanent) for one in await redirects(ada)] == [("/old", False)]


async def change_redirect(ada: Driver) -> None:
    await add_redirect(ada)
    await ada.press("enter")
    await ada.type("er")
    await ada.press("tab", "enter")
    await ada.type("Changelog")
    await ada.press("enter", "tab", "space", "ctrl+s")
    (changed,) = await redirects(ada)
    assert changed.destination is not None
    assert (changed.source, changed.permanent, changed.destination.url) == ("/older", False, None)


async def delete_redirect(ada: Driver) -> None:
    await add_redirect(ada)
    await ada.press("D", "y")
    assert await redirects(ada) == ()


# Publication


async def is_published(ada: Driver) -> bool:
    return (await ada.call(Sites.get_site, ada.world.organization, ada.world.site)).published


async def publish(ada: Driver) -> None:
    await ada.press("P", "y")
    assert await is_published(ada)


async def see_published(ada: Driver) -> None:
    """Publish beside the program, and show it."""
    await ada.call(Publishing.publish_site, ada.world.organization, ada.world.site)
    await ada.press("r")


async def unpublish(ada: Driver) -> None:
    await publish(ada)
    await ada.press("P", "y")
    assert not await is_published(ada)


async def visit(ada: Driver) -> None:
    await publish(ada)
    await ada.press("w")
    await ada.type("a-key")
    await ada.press("enter")


# Structure


async def section_titles(ada: Driver) -> dict[str, str]:
    listed = await ada.call(Sections.list_sections, ada.world.organization, ada.world.site)
    return {one.title: one.path for one in listed.items}


async def count_site_spaces(ada: Driver) -> int:
    return len((await ada.call(SiteSpaces.list_site_spaces, ada.world.organization, ada.world.site)).items)


async def condition_of(ada: Driver, title: str) -> str | None:
    listed = await ada.call(Sections.list_sections, ada.world.organization, ada.world.site)
    return next(one.condition for one in listed.items if one.title == title)


async def groups(ada: Driver) -> list[str]:
    listed = await ada.call(SectionGroups.list_groups, ada.world.organization, ada.world.site)
    return [one.title for one in listed.items]


async def change_path(ada: Driver) -> None:
    await ada.find("Changelog")
    await ada.press("p", "ctrl+u")
    await ada.type("news")
    await ada.press("enter", "y")
    assert (await section_titles(ada))["Changelog"] == "news"


async def set_condition(ada: Driver) -> None:
    await ada.find("Changelog")
    await ada.press("c")
    await ada.type("visitor.claims.beta")
    await ada.press("enter")
    assert await condition_of(ada, "Changelog") == "visitor.claims.beta"


async def make_default(ada: Driver) -> None:
    await ada.find("Deutsch")
    await ada.press("asterisk", "y")
    listed = await ada.call(SiteSpaces.list_site_spaces, ada.world.organization, ada.world.site)
    assert any(one.default and "DE" in (one.space.title if one.space else "") for one in listed.items)


async def delete_section(ada: Driver) -> None:
    await ada.find("Questions")
    await ada.press("D", "y")
    assert "Questions" not in await section_titles(ada)


async def delete_group(ada: Driver) -> None:
    await ada.find("Project")
    await ada.press("D", "y")
    assert "Project" not in await groups(ada)


async def delete_site_space(ada: Driver) -> None:
    before = await count_site_spaces(ada)
    await ada.find("Deutsch")
    await ada.press("D", "y")
    assert await count_site_spaces(ada) == before - 1


async def add_site_space(ada: Driver) -> None:
    before = await count_site_spaces(ada)
    await ada.find("Changelog")
    await ada.press("a", "enter")
    await ada.type("Questions")
    await ada.press("enter")
    assert await count_site_spaces(ada) == before + 1


async def move_up(ada: Driver) -> None:
    await ada.find("Questions")
    await ada.press("K", "A", "y")
    structure = await ada.call(Structure.get_structure, ada.world.organization, ada.world.site)
    text = structure.to_json().decode()
    assert text.index('"Questions"') < text.index('"Changelog"')


async def to_field(ada: Driver, label: str) -> None:
    """Go down the form to a field."""
    for _ in range(20):
        row = next((one for one in ada.pilot.app.screen.query(FieldRow) if one.has_focus_within or one.has_focus), None)
        if row is not None and row.entry.label == label:
            return
        await ada.press("j")
    raise AssertionError(f"there is no field {label}:\n{ada.screen}")


async def change_settings(ada: Driver) -> None:
    for label, text in {"Title": " anew", "Name": "-two", "Proxy": "docs.example.org/guide"}.items():
        await to_field(ada, label)
        await ada.press("enter")
        await ada.type(text)
        await ada.press("escape")
    await to_field(ada, "Agents")
    await ada.press("space", "ctrl+s")
    site = await ada.call(Sites.get_site, ada.world.organization, ada.world.site)
    assert site.title == "The Recto guide anew", ada.screen


async def hide_site(ada: Driver) -> None:
    await to_field(ada, "Visible to")
    await ada.press("space", "ctrl+s")
    site = await ada.call(Sites.get_site, ada.world.organization, ada.world.site)
    assert site.visibility == "unlisted", ada.screen


async def adapt(ada: Driver) -> None:
    await to_field(ada, "Adaptive content")
    await ada.press("space", "ctrl+s")
    site = await ada.call(Sites.get_site, ada.world.organization, ada.world.site)
    assert "adaptiveContent" in site.to_json().decode()


async def open_with(ada: Driver) -> None:
    await to_field(ada, "Section")
    await ada.press("enter")
    await ada.type("Changelog")
    await ada.press("enter", "ctrl+s")
    listed = await ada.call(Sections.list_sections, ada.world.organization, ada.world.site)
    assert [one.title for one in listed.items if one.default] == ["Changelog"]


async def add_section(ada: Driver) -> None:
    await ada.find("Questions")
    await ada.press("a", "down", "enter")
    await ada.type("Questions")
    await ada.press("enter")
    await ada.type(" again")
    await fill(ada, "Icon", "book")
    await ada.press("ctrl+s")
    listed = await ada.call(Sections.list_sections, ada.world.organization, ada.world.site)
    assert ("Questions again", "book") in {(one.title, one.icon) for one in listed.items}, ada.screen


async def add_group(ada: Driver) -> None:
    """Make a group in another one."""
    await ada.find("Project")
    await ada.press("a")
    await ada.type("group")
    await ada.press("enter")
    await ada.type("More")
    await fill(ada, "Icon", "book")
    await ada.press("ctrl+s")
    listed = await ada.call(SectionGroups.list_groups, ada.world.organization, ada.world.site)
    held = {one.title: one for one in listed.items}
    assert held["More"].section_group is not None, ada.screen
    assert held["More"].icon == "book"


def move_item(title: str, key: str) -> Act:
    """Return what moves an item by a key, applies it, and sees that the lists are others."""

    async def move(ada: Driver) -> None:
        before = await arrangement(ada)
        await ada.find(title)
        await ada.press(key, "A", "y")
        assert await arrangement(ada) != before, ada.screen

    return move


async def arrangement(ada: Driver) -> str:
    at = (ada.world.organization, ada.world.site)
    lists = (
        await ada.call(Sections.list_sections, *at),
        await ada.call(SectionGroups.list_groups, *at),
        await ada.call(SiteSpaces.list_site_spaces, *at),
    )
    return "\n".join(each.to_json().decode() for each in lists)


async def move_between_groups(ada: Driver) -> None:
    """Take a section out of its group and put it into a group."""
    await ada.find("Questions")
    await ada.press("H", "A", "y")
    assert await section_group(ada, "Questions") is None, ada.screen
    assert "staged" not in ada.screen
    await ada.find("Questions")
    await ada.press("L", "A", "y")
    assert await section_group(ada, "Questions") is not None, ada.screen


async def section_group(ada: Driver, title: str) -> str | None:
    listed = await ada.call(Sections.list_sections, ada.world.organization, ada.world.site)
    return next(one.section_group for one in listed.items if one.title == title)


async def nest_group(ada: Driver) -> None:
    """Put a group into the one before it."""
    at = (ada.world.organization, ada.world.site)
    await ada.call(SectionGroups.create_group, *at, CreateGroup(title="More"))
    await ada.press("r")
    await ada.find("More")
    await ada.press("L", "A", "y")
    listed = await ada.call(SectionGroups.list_groups, *at)
    parents = {one.title: one.section_group for one in listed.items}
    assert parents["More"] is not None, ada.screen


async def open_site(ada: Driver) -> None:
    await ada.press("enter")
    assert "Structure" in ada.screen


async def open_with_space(ada: Driver) -> None:
    """Make another site space the default of a site without sections."""
    listed = await ada.call(Spaces.list_spaces, ada.world.organization)
    body = CreateSite(title="Flat", spaces=tuple(space.id for space in listed.items[:2]))
    made = await ada.call(Sites.create_site, ada.world.organization, body)
    await ada.press("r")
    await ada.find("Flat")
    await ada.press("enter", "G", "asterisk", "y")
    found = await ada.call(SiteSpaces.list_site_spaces, ada.world.organization, made.id)
    assert [one.default for one in found.items] == [False, True], ada.screen


async def delete_site(ada: Driver) -> None:
    await ada.press("D")
    await ada.type("The Recto guide")
    await ada.press("enter")
    assert (await ada.call(Sites.list_sites, ada.world.organization)).items == ()


# The list of sites, and forms


async def narrow(ada: Driver) -> None:
    await ada.press("slash")
    await ada.type("recto")
    await ada.press("escape")
    for words in ("not published", "plan basic"):
        await ada.press("s")
        await ada.type(words)
        await ada.press("enter")
    await ada.press("w")
    await ada.type("Guide")
    await ada.press("enter")


async def fill(ada: Driver, label: str, text: str) -> None:
    """Type into a field of a form in a dialog."""
    await enter_field(ada, label)
    await ada.press("ctrl+u")
    await ada.type(text)


async def enter_field(ada: Driver, label: str) -> None:
    """Go to a field of a form in a dialog, where letters are text."""
    next(row for row in ada.pilot.app.screen.query(FieldRow) if row.entry.label == label).enter()
    await settled(ada.pilot)


async def create_site(ada: Driver) -> None:
    await ada.press("a")
    await ada.type("Handbook")
    await enter_field(ada, "Spaces")
    await ada.press("enter", "enter", "ctrl+s")
    for label in ("Visible to", "Plan"):
        await enter_field(ada, label)
        await ada.press("space")
    await ada.press("ctrl+s")
    listed = await ada.call(Sites.list_sites, ada.world.organization)
    made = next(one for one in listed.items if one.title == "Handbook")
    assert (made.visibility, made.site_spaces) == ("unlisted", 1)


async def change_section(ada: Driver) -> None:
    await ada.find("Changelog")
    await ada.press("e")
    for label, text in {"Title": "News", "Icon": "book", "Description": "What is new"}.items():
        await fill(ada, label, text)
    await ada.press("ctrl+s")
    listed = await ada.call(Sections.list_sections, ada.world.organization, ada.world.site)
    assert ("News", "book", "What is new") in {(one.title, one.icon, one.description) for one in listed.items}


async def change_group(ada: Driver) -> None:
    await ada.find("Project")
    await ada.press("e")
    for label, text in {"Title": "Projects", "Icon": "book"}.items():
        await fill(ada, label, text)
    await ada.press("ctrl+s")
    listed = await ada.call(SectionGroups.list_groups, ada.world.organization, ada.world.site)
    assert ("Projects", "book") in {(one.title, one.icon) for one in listed.items}


async def change_site_space(ada: Driver) -> None:
    await ada.find("Deutsch")
    await ada.press("e")
    await fill(ada, "Path", "german")
    await fill(ada, "Condition", "visitor.claims.beta")
    await ada.press("ctrl+s", "y")
    listed = await ada.call(SiteSpaces.list_site_spaces, ada.world.organization, ada.world.site)
    assert ("german", "visitor.claims.beta") in {(one.path, one.condition) for one in listed.items}


async def change_content(ada: Driver) -> None:
    await ada.find("Deutsch")
    await ada.press("s")
    await ada.type("Changelog")
    await ada.press("enter")
    listed = await ada.call(SiteSpaces.list_site_spaces, ada.world.organization, ada.world.site)
    assert sum(one.space is not None and one.space.title == "Changelog" for one in listed.items) == 2, ada.screen


async def add_claim(ada: Driver) -> None:
    await ada.press("a")
    await ada.type("staff")
    await ada.press("ctrl+s")
    found = await ada.call(AdaptiveContents.get_adaptive_schema, ada.world.organization, ada.world.site)
    assert "staff" in found.json_schema["properties"]


ROWS: tuple[Row, ...] = (
    Row(
        Sites.list_sites,
        SITES,
        "list.order",
        {"title": "filter", "published": "filter", "type": "filter", "space": "choice"},
        act=narrow,
    ),
    Row(
        Sites.create_site,
        SITES,
        "item.new",
        {"title": "field", "spaces": "several", "visibility": "choice", "type": "choice"},
        act=create_site,
        needs=ADMIN,
    ),
    Row(
        Sections.update_section,
        STRUCTURE,
        "item.change",
        {"title": "field", "icon": "field", "description": "field"},
        act=change_section,
        needs=ADMIN,
    ),
    Row(
        SectionGroups.update_group,
        STRUCTURE,
        "item.change",
        {"title": "field", "icon": "field"},
        act=change_group,
        needs=ADMIN,
    ),
    Row(
        SiteSpaces.update_site_space,
        STRUCTURE,
        "item.change",
        {"path": "field", "condition": "field"},
        act=change_site_space,
        needs=ADMIN,
    ),
    Row(
        SiteSpaces.update_site_space, STRUCTURE, "site.content", {"space_id": "choice"}, act=change_content, needs=ADMIN
    ),
    Row(
        AdaptiveContents.update_adaptive_schema,
        AUDIENCE,
        "item.new",
        {"json_schema": "form"},
        act=add_claim,
        needs=ADMIN,
    ),
    Row(Sites.list_sites, ORGANIZATIONS),
    Row(Sites.get_site, STRUCTURE),
    Row(
        Sites.update_site,
        SETTINGS,
        "form.send",
        {"title": "field", "basename": "field", "proxy": "field", "agents_context": "choice"},
        act=change_settings,
        needs=ADMIN,
    ),
    Row(Sites.update_site, SETTINGS, "form.send", {"visibility": "choice"}, act=hide_site, needs=ADMIN),
    Row(Sites.update_site, SETTINGS, "form.send", {"adaptive_content": "switch"}, act=adapt, needs=ADMIN),
    Row(
        Sites.update_site,
        SETTINGS,
        "form.send",
        {"default_site_section": "choice"},
        act=open_with,
        needs=ADMIN,
    ),
    Row(AdaptiveContents.get_adaptive_schema, AUDIENCE),
    Row(AdaptiveContents.list_template_conditions, AUDIENCE),
    # Lifting puts sections into a group.
    Row(
        Sections.create_section,
        STRUCTURE,
        "item.new",
        {"space_id": "choice", "title": "field", "icon": "field"},
        act=add_section,
        needs=ADMIN,
    ),
    Row(
        SectionGroups.create_group,
        STRUCTURE,
        "item.new",
        {"title": "field", "parent": "cursor", "icon": "field", "sections": CONSOLE},
        act=add_group,
        needs=ADMIN,
    ),
    Row(Sites.delete_site, SETTINGS, "item.delete", act=delete_site, needs=ADMIN),
    Row(Structure.get_structure, STRUCTURE),
    Row(
        Structure.sort_structure,
        STRUCTURE,
        "arrange.up",
        {"item": "staged moves", "position": "staged moves"},
        act=move_up,
        needs=ADMIN,
    ),
    Row(Sections.update_section, STRUCTURE, "site.path", {"path": "line"}, act=change_path, needs=ADMIN),
    Row(Sections.update_section, STRUCTURE, "site.condition", {"condition": "line"}, act=set_condition, needs=ADMIN),
    Row(
        Sections.update_section,
        STRUCTURE,
        "site.make_default",
        {"default_site_space": "key"},
        act=make_default,
        needs=ADMIN,
    ),
    Row(Sections.delete_section, STRUCTURE, "item.delete", act=delete_section, needs=ADMIN),
    Row(SiteSpaces.list_site_spaces, LISTS, fields={"share_key": CONSOLE, "default": CONSOLE}),
    Row(Sections.list_sections, LISTS, fields={"share_key": CONSOLE}),
    Row(SectionGroups.list_groups, LISTS),
    Row(
        SiteSpaces.move_site_space,
        LISTS,
        "arrange.up",
        {"position": "staged moves"},
        act=move_item("Deutsch", "K"),
        needs=ADMIN,
    ),
    Row(
        Sections.move_section,
        LISTS,
        "arrange.up",
        {"position": "staged moves"},
        act=move_item("Questions", "K"),
        needs=ADMIN,
    ),
    Row(
        Sections.update_section,
        STRUCTURE,
        "arrange.apply",
        {"site_section_group_id": "staged moves"},
        act=move_between_groups,
        needs=ADMIN,
    ),
    Row(
        SectionGroups.update_group,
        STRUCTURE,
        "arrange.apply",
        {"parent_section_group_id": "staged moves"},
        act=nest_group,
        needs=ADMIN,
    ),
    Row(
        SectionGroups.add_section,
        MEMBERS_OF_GROUPS,
        "arrange.apply",
        {"section_id": "staged moves"},
        act=move_between_groups,
        needs=ADMIN,
    ),
    Row(SectionGroups.remove_section, MEMBERS_OF_GROUPS, "arrange.apply", act=move_between_groups, needs=ADMIN),
    Row(
        Sites.update_site,
        SITES,
        "site.make_default",
        {"default_site_space": "key"},
        act=open_with_space,
        needs=ADMIN,
        seen=open_site,
    ),
    Row(
        SectionGroups.move_group,
        LISTS,
        "arrange.up",
        {"position": "staged moves"},
        act=move_item("Project", "K"),
        needs=ADMIN,
    ),
    Row(SectionGroups.delete_group, STRUCTURE, "item.delete", act=delete_group, needs=ADMIN),
    Row(SiteSpaces.delete_site_space, STRUCTURE, "item.delete", act=delete_site_space, needs=ADMIN),
    Row(
        SiteSpaces.create_site_space,
        STRUCTURE,
        "item.new",
        {"space_id": "choice", "section_id": "the section"},
        act=add_site_space,
        needs=ADMIN,
    ),
    Row(ShareLinks.list_share_links, SHARE_LINKS),
    Row(ShareLinks.create_share_link, SHARE_LINKS, "item.new", {"name": "field"}, act=create_link, needs=ADMIN),
    Row(ShareLinks.update_share_link, SHARE_LINKS, "item.rename", {"name": "field"}, act=rename_link, needs=ADMIN),
    Row(ShareLinks.update_share_link, SHARE_LINKS, "site.switch_link", {"active": "key"}, act=switch_link, needs=ADMIN),
    Row(ShareLinks.delete_share_link, SHARE_LINKS, "item.delete", act=delete_link, needs=ADMIN),
    Row(Redirects.list_redirects, REDIRECTS),
    Row(
        Redirects.create_redirect,
        REDIRECTS,
        "item.new",
        {"source": "field", "destination": "choice", "permanent": "switch"},
        act=create_redirect,
        needs=ADMIN,
    ),
    Row(
        Redirects.update_redirect,
        REDIRECTS,
        "list.open",
        {"source": "field", "destination": "choice", "permanent": "switch"},
        act=change_redirect,
        needs=ADMIN,
        seen=add_redirect,
    ),
    Row(Redirects.delete_redirect, REDIRECTS, "item.delete", act=delete_redirect, needs=ADMIN),
    Row(Publishing.publish_site, PUBLICATION, "site.publish", act=publish, needs=ADMIN),
    Row(Publishing.unpublish_site, PUBLICATION, "site.publish", act=unpublish, needs=ADMIN, seen=see_published),
    Row(Publishing.get_published_site, PUBLICATION, "site.visit_with", {"share_key": "line"}, act=visit),
)
