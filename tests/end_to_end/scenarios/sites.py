"""Scenarios of sites: what is on them, in which order, and how that changes."""

from __future__ import annotations

from typing import Any

from end_to_end.scenarios.table import proves
from end_to_end.scenarios.world import World
from recto.contract.sites import Sites
from recto.contract.spaces import CreateSpace, Spaces
from recto.contract.structure import (
    AddSection,
    CreateGroup,
    CreateSection,
    CreateSiteSpace,
    ItemPointer,
    MoveItem,
    MovePointer,
    MovePosition,
    SectionGroups,
    Sections,
    SiteSpaces,
    SortPosition,
    SortStructure,
    Structure,
    UpdateGroup,
    UpdateSection,
    UpdateSiteSpace,
)


async def new_space(world: World, title: str) -> str:
    return (await world.call(Spaces.create_space, world.places.organization, CreateSpace(title=title))).id


async def variants(world: World, section: str) -> list[Any]:
    """Return the site spaces of a section, in their order."""
    return list((await world.sections())[section].site_spaces)


@proves(Sites.list_sites)
async def sites_are_found_by_what_is_on_them(world: World) -> None:
    site = await world.call(Sites.get_site, *world.site)
    listing, organization = Sites.list_sites, world.places.organization
    assert (await world.call(listing, organization)).items == (site,)
    assert (
        await world.call(listing, organization, space=world.manual, title="doc", published=site.published)
    ).items == (site,)
    assert (await world.call(listing, organization, space=await new_space(world, "Loose"))).items == ()
    assert (await world.call(listing, organization, published=not site.published)).items == ()


@proves(Sites.get_site)
async def a_site_counts_the_spaces_on_it(world: World) -> None:
    before = await world.call(Sites.get_site, *world.site)
    assert before.site_spaces == 3
    space = await new_space(world, "News")
    await world.call(SiteSpaces.create_site_space, *world.site, CreateSiteSpace(space_id=space))
    after = await world.call(Sites.get_site, *world.site)
    assert (after.title, after.site_spaces) == ("Docs", 4)
    assert (await world.call(Sites.list_sites, world.places.organization)).items == (after,)


@proves(Structure.get_structure)
async def the_structure_holds_sections_and_groups_in_their_order(world: World) -> None:
    structure = await world.call(Structure.get_structure, *world.site)
    assert structure.type == "sections"
    sections, groups = await world.sections(), await world.groups()
    assert list(structure.structure) == [*sections.values(), *groups.values()]
    await world.call(
        SectionGroups.add_section, *world.site, world.places.group, AddSection(section_id=world.places.guide)
    )
    assert await world.outline() == [world.places.reference, (world.places.group, [world.places.guide])]


@proves(Structure.sort_structure)
async def items_are_put_before_and_after_their_siblings(world: World) -> None:
    guide = ItemPointer(type="site-section", id=world.places.guide)
    group = ItemPointer(type="site-section-group", id=world.places.group)
    body = SortStructure(item=guide, position=SortPosition(after=group))
    sorted_ = await world.call(Structure.sort_structure, *world.site, body)
    assert await world.outline() == [world.places.reference, (world.places.group, []), world.places.guide]
    assert sorted_.id == guide.id
    first, second = await variants(world, guide.id)
    pointers = [ItemPointer(type="site-space", id=each.id) for each in (first, second)]
    body = SortStructure(item=pointers[1], position=SortPosition(before=pointers[0]))
    await world.call(Structure.sort_structure, *world.site, body)
    assert [each.id for each in await variants(world, guide.id)] == [second.id, first.id]


@proves(SiteSpaces.list_site_spaces)
async def site_spaces_are_listed_as_their_sections_hold_them(world: World) -> None:
    listing = SiteSpaces.list_site_spaces
    every = [each for section in (await world.sections()).values() for each in section.site_spaces]
    assert list((await world.call(listing, *world.site)).items) == every
    assert list((await world.call(listing, *world.site, default=True)).items) == [
        each for each in every if each.default
    ]
    assert list((await world.call(listing, *world.site, default=False)).items) == [
        each for each in every if not each.default
    ]
    assert [each.space.id for each in every if each.space] == [world.manual, world.places.blog, world.places.handbook]


@proves(SiteSpaces.create_site_space)
async def a_space_is_put_on_the_site(world: World) -> None:
    body = CreateSiteSpace(space_id=await new_space(world, "News"), section_id=world.places.reference)
    made = await world.call(SiteSpaces.create_site_space, *world.site, body)
    assert (made.section, made.path, made.default) == (world.places.reference, "news", False)
    assert (await variants(world, world.places.reference))[-1] == made
    assert made.space is not None
    sites = await world.call(Sites.list_sites, world.places.organization, space=made.space.id)
    assert [site.id for site in sites.items] == [world.places.site]


@proves(SiteSpaces.update_site_space)
async def a_site_space_changes_its_path_condition_and_space(world: World) -> None:
    (handbook,) = await variants(world, world.places.reference)
    update, space = SiteSpaces.update_site_space, await new_space(world, "News")
    body = UpdateSiteSpace(path="latest", condition="visitor.claims.beta", space_id=space)
    changed = await world.call(update, *world.site, handbook.id, body)
    assert await variants(world, world.places.reference) == [changed]
    assert (changed.path, changed.condition, changed.space and changed.space.id) == (
        "latest",
        "visitor.claims.beta",
        space,
    )
    await world.call(update, *world.site, handbook.id, UpdateSiteSpace(condition=None))
    (found,) = await variants(world, world.places.reference)
    assert (found.path, found.condition) == ("latest", None)


@proves(SiteSpaces.delete_site_space)
async def a_space_is_taken_off_the_site_and_stays(world: World) -> None:
    manual, blog = await variants(world, world.places.guide)
    for _ in range(2):
        await world.call(SiteSpaces.delete_site_space, *world.site, manual.id)
    (left,) = await variants(world, world.places.guide)
    assert (left.id, left.default) == (blog.id, True)
    assert (await world.call(Spaces.get_space, world.manual)).id == world.manual


@proves(SiteSpaces.move_site_space)
async def a_site_space_is_moved_as_older_programs_ask(world: World) -> None:
    manual, blog = await variants(world, world.places.guide)
    body = MoveItem(position=MovePosition(after=MovePointer(type="site-space", site_space=blog.id)))
    moved = await world.call(SiteSpaces.move_site_space, *world.site, manual.id, body)
    assert [each.id for each in await variants(world, world.places.guide)] == [blog.id, moved.id]


@proves(Sections.list_sections)
async def sections_are_listed_those_in_groups_too(world: World) -> None:
    add = AddSection(section_id=world.places.guide)
    await world.call(SectionGroups.add_section, *world.site, world.places.group, add)
    first, second = (await world.call(Sections.list_sections, *world.site)).items
    assert (first.id, first.section_group) == (world.places.reference, None)
    assert (second.id, second.section_group) == (world.places.guide, world.places.group)
    assert (await world.groups())[world.places.group].sections == (second,)


@proves(Sections.create_section)
async def a_section_is_added_with_its_space(world: World) -> None:
    body = CreateSection(space_id=await new_space(world, "News"), title="What is new", icon="newspaper")
    made = await world.call(Sections.create_section, *world.site, body)
    assert (await world.sections())[made.id] == made
    assert (made.title, made.icon, made.path, made.default) == ("What is new", "newspaper", "what-is-new", False)
    assert [each.space.id for each in made.site_spaces if each.space] == [body.space_id]
    assert (await world.outline())[-1] == made.id


@proves(Sections.update_section)
async def a_section_changes_what_is_sent_and_keeps_the_rest(world: World) -> None:
    update, guide = Sections.update_section, world.places.guide
    _, blog = await variants(world, guide)
    body = UpdateSection(
        title="Guides", path="guides", default_site_space=blog.id, condition="visitor.claims.beta",
        icon="book", description="All of them", site_section_group_id=world.places.group,
    )  # fmt: skip
    await world.call(update, *world.site, guide, body)
    found = (await world.sections())[guide]
    assert (found.title, found.path, found.condition) == ("Guides", "guides", "visitor.claims.beta")
    assert (found.icon, found.description, found.section_group) == ("book", "All of them", world.places.group)
    assert [each.id for each in found.site_spaces if each.default] == [blog.id]
    await world.call(update, *world.site, guide, UpdateSection(condition=None, site_section_group_id=None))
    found = (await world.sections())[guide]
    assert (found.title, found.condition, found.section_group) == ("Guides", None, None)
    assert await world.outline() == [world.places.reference, (world.places.group, []), guide]


@proves(Sections.delete_section)
async def a_section_goes_and_its_spaces_stay(world: World) -> None:
    for _ in range(2):
        await world.call(Sections.delete_section, *world.site, world.places.guide)
    (left,) = (await world.sections()).values()
    assert (left.id, left.default) == (world.places.reference, True)
    assert (await world.call(Spaces.get_space, world.manual)).title == "Manual"


@proves(Sections.move_section)
async def a_section_is_moved_as_older_programs_ask(world: World) -> None:
    body = MoveItem(position=MovePosition(before=MovePointer(type="site-section", site_section=world.places.guide)))
    moved = await world.call(Sections.move_section, *world.site, world.places.reference, body)
    assert (await world.outline())[:2] == [moved.id, world.places.guide]


@proves(SectionGroups.list_groups)
async def groups_are_listed_those_in_groups_too(world: World) -> None:
    body = CreateGroup(title="Even more", parent=world.places.group)
    inner = await world.call(SectionGroups.create_group, *world.site, body)
    first, second = (await world.call(SectionGroups.list_groups, *world.site)).items
    assert (first.id, second, second.section_group) == (world.places.group, inner, world.places.group)
    (*_, outer) = (await world.call(Structure.get_structure, *world.site)).structure
    assert outer == first


@proves(SectionGroups.create_group)
async def a_group_is_added_with_its_sections(world: World) -> None:
    sections = (world.places.reference, world.places.guide)
    body = CreateGroup(title="Both", icon="users", sections=sections, parent=world.places.group)
    made = await world.call(SectionGroups.create_group, *world.site, body)
    assert (await world.groups())[made.id] == made
    assert (made.title, made.icon) == ("Both", "users")
    assert await world.outline() == [(world.places.group, [(made.id, list(sections))])]


@proves(SectionGroups.update_group)
async def a_group_changes_what_is_sent_and_keeps_the_rest(world: World) -> None:
    made = await world.call(SectionGroups.create_group, *world.site, CreateGroup(title="Both", icon="users"))
    update = SectionGroups.update_group
    await world.call(update, *world.site, made.id, UpdateGroup(title="All", parent_section_group_id=world.places.group))
    found = (await world.groups())[made.id]
    assert (found.title, found.icon, found.section_group) == ("All", "users", world.places.group)
    await world.call(update, *world.site, made.id, UpdateGroup(icon=None, parent_section_group_id=None))
    found = (await world.groups())[made.id]
    assert (found.title, found.icon, found.section_group) == ("All", None, None)


@proves(SectionGroups.delete_group)
async def a_group_goes_and_its_sections_stay(world: World) -> None:
    guide = world.places.guide
    await world.call(SectionGroups.add_section, *world.site, world.places.group, AddSection(section_id=guide))
    for _ in range(2):
        await world.call(SectionGroups.delete_group, *world.site, world.places.group)
    assert await world.groups() == {}
    assert await world.outline() == [world.places.reference, guide]


@proves(SectionGroups.add_section)
async def a_section_is_put_into_a_group_last(world: World) -> None:
    for section in (world.places.reference, world.places.guide):
        body = AddSection(section_id=section)
        group = await world.call(SectionGroups.add_section, *world.site, world.places.group, body)
    assert await world.groups() == {group.id: group}
    assert await world.outline() == [(group.id, [world.places.reference, world.places.guide])]


@proves(SectionGroups.remove_section)
async def a_section_is_taken_out_of_a_group(world: World) -> None:
    guide, group = world.places.guide, world.places.group
    await world.call(SectionGroups.add_section, *world.site, group, AddSection(section_id=guide))
    for _ in range(2):
        await world.call(SectionGroups.remove_section, *world.site, group, guide)
    assert (await world.sections())[guide].section_group is None
    assert (await world.groups())[group].sections == ()


@proves(SectionGroups.move_group)
async def a_group_is_moved_as_older_programs_ask(world: World) -> None:
    body = MoveItem(position=MovePosition(before=MovePointer(type="site-section", id=world.places.guide)))
    moved = await world.call(SectionGroups.move_group, *world.site, world.places.group, body)
    assert (await world.outline())[0] == (moved.id, [])
