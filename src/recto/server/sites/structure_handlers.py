"""Handlers of the structure of sites: order, site spaces, sections, section groups. Changes take the admin role."""

from __future__ import annotations

from recto.contract.common import ListPage
from recto.contract.operation import DECLARED
from recto.contract.structure import (
    AddSection,
    CreateGroup,
    CreateSection,
    CreateSiteSpace,
    ItemPointer,
    MoveItem,
    MovePointer,
    SectionGroups,
    Sections,
    SiteSection,
    SiteSectionGroup,
    SiteSpace,
    SiteSpaces,
    SiteStructure,
    SortStructure,
    Structure,
    StructureItem,
    UpdateGroup,
    UpdateSection,
    UpdateSiteSpace,
)
from recto.server.context import Context
from recto.server.http.paging import list_items
from recto.server.http.registry import handles
from recto.server.sites import sections, site_spaces
from recto.server.sites.publication import visible_site
from recto.server.sites.sites import require_site
from recto.server.sites.structure import Item, find_item, named_item, sort
from recto.server.sites.visible_site import VisibleSite
from recto.server.storage.database import Row

_SITE = "/orgs/{organization_id}/sites/{site_id}"


@handles(Structure.get_structure)
def get_structure(context: Context, organization_id: str, site_id: str) -> SiteStructure:
    """Return the structure of a site."""
    return VisibleSite(context, require_site(context, organization_id, site_id)).structure()


@handles(Structure.sort_structure)
def sort_structure(context: Context, organization_id: str, site_id: str, body: SortStructure) -> StructureItem:
    """Move an item beside a sibling."""
    site = require_site(context, organization_id, site_id, "admin")
    before, after = _item_at(body.position.before), _item_at(body.position.after)
    sort(context.database, site_id, Item(body.item.type, body.item.id), before, after)
    view = VisibleSite(context, site)
    match body.item.type:
        case "site-space":
            return view.site_space(body.item.id)
        case "site-section":
            return view.section(body.item.id)
        case _:
            return view.group(body.item.id)


@handles(SiteSpaces.list_site_spaces)
def list_site_spaces(
    context: Context,
    organization_id: str,
    site_id: str,
    share_key: str | None = DECLARED,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
    default: bool | None = DECLARED,
) -> ListPage[SiteSpace]:
    """Return the site spaces as a reader meets them: all, only the defaults of their sections, or only the others."""
    view = visible_site(context, organization_id, site_id, share_key)
    return list_items(
        [row for row in view.site_spaces.values() if default is None or view.is_default(row) == default],
        name=f"site-spaces {site_id} {default}",
        key=lambda row: (view.place(row), row["id"]),
        build=lambda row: view.site_space(row["id"]),
        page=page,
        limit=limit,
    )


@handles(SiteSpaces.create_site_space, location=f"{_SITE}/site-spaces/{{response.id}}")
def create_site_space(context: Context, organization_id: str, site_id: str, body: CreateSiteSpace) -> SiteSpace:
    """Add a space to a site."""
    site = require_site(context, organization_id, site_id, "admin")
    section = body.section_id or site_spaces.default_section(context.database, site_id)
    if body.section_id is not None:
        named_item(context.database, site_id, Item("site-section", body.section_id), "sectionId")
    space = site_spaces.usable_space(context, organization_id, body.space_id)
    added = site_spaces.add_site_space(context, site_id, space, section=section)
    return VisibleSite(context, site).site_space(added)


@handles(SiteSpaces.update_site_space)
def update_site_space(
    context: Context, organization_id: str, site_id: str, site_space_id: str, body: UpdateSiteSpace
) -> SiteSpace:
    """Change a site space."""
    site = require_site(context, organization_id, site_id, "admin")
    site_spaces.update_site_space(context, site, site_space_id, body)
    return VisibleSite(context, site).site_space(site_space_id)


@handles(SiteSpaces.delete_site_space)
def delete_site_space(context: Context, organization_id: str, site_id: str, site_space_id: str) -> None:
    """Remove a space from a site."""
    require_site(context, organization_id, site_id, "admin")
    site_spaces.remove_site_space(context.database, site_id, site_space_id)


@handles(SiteSpaces.move_site_space)
def move_site_space(
    context: Context, organization_id: str, site_id: str, site_space_id: str, body: MoveItem
) -> SiteSpace:
    """Move a site space within its section."""
    site = require_site(context, organization_id, site_id, "admin")
    _move(context, site, Item("site-space", site_space_id), body)
    return VisibleSite(context, site).site_space(site_space_id)


@handles(Sections.list_sections)
def list_sections(
    context: Context,
    organization_id: str,
    site_id: str,
    share_key: str | None = DECLARED,
    page: str | None = DECLARED,
    limit: int | None = DECLARED,
) -> ListPage[SiteSection]:
    """Return the sections as a reader meets them, those in groups too."""
    view = visible_site(context, organization_id, site_id, share_key)
    return list_items(
        list(view.sections.values()),
        name=f"sections {site_id}",
        key=lambda row: (view.place(row), row["id"]),
        build=lambda row: view.section(row["id"]),
        page=page,
        limit=limit,
    )


@handles(Sections.create_section, location=f"{_SITE}/sections/{{response.id}}")
def create_section(context: Context, organization_id: str, site_id: str, body: CreateSection) -> SiteSection:
    """Add a section with the space that becomes its site space; without a title it is called as the space."""
    site = require_site(context, organization_id, site_id, "admin")
    space = site_spaces.usable_space(context, organization_id, body.space_id)
    title = body.title or str(context.database.value("SELECT title FROM spaces WHERE id = ?", space))
    section = sections.create_section(context, site_id, title, icon=body.icon)
    if not site_spaces.holds(context.database, site_id, section, space):
        site_spaces.add_site_space(context, site_id, space, section=section)
    return VisibleSite(context, site).section(section)


@handles(Sections.update_section)
def update_section(
    context: Context, organization_id: str, site_id: str, site_section_id: str, body: UpdateSection
) -> SiteSection:
    """Change a section, or the group it is in."""
    site = require_site(context, organization_id, site_id, "admin")
    sections.update_section(context, site_id, site_section_id, body)
    return VisibleSite(context, site).section(site_section_id)


@handles(Sections.delete_section)
def delete_section(context: Context, organization_id: str, site_id: str, site_section_id: str) -> None:
    """Remove a section and its site spaces."""
    require_site(context, organization_id, site_id, "admin")
    sections.remove_section(context.database, site_id, site_section_id)


@handles(Sections.move_section)
def move_section(
    context: Context, organization_id: str, site_id: str, site_section_id: str, body: MoveItem
) -> SiteSection:
    """Move a section beside a sibling."""
    site = require_site(context, organization_id, site_id, "admin")
    _move(context, site, Item("site-section", site_section_id), body)
    return VisibleSite(context, site).section(site_section_id)


@handles(SectionGroups.list_groups)
def list_groups(
    context: Context, organization_id: str, site_id: str, page: str | None = DECLARED, limit: int | None = DECLARED
) -> ListPage[SiteSectionGroup]:
    """Return the groups as a reader meets them, those in groups too."""
    view = VisibleSite(context, require_site(context, organization_id, site_id))
    return list_items(
        list(view.groups.values()),
        name=f"section-groups {site_id}",
        key=lambda row: (view.place(row), row["id"]),
        build=lambda row: view.group(row["id"]),
        page=page,
        limit=limit,
    )


@handles(SectionGroups.create_group, location=f"{_SITE}/section-groups/{{response.id}}")
def create_group(context: Context, organization_id: str, site_id: str, body: CreateGroup) -> SiteSectionGroup:
    """Add a group and put its sections into it."""
    site = require_site(context, organization_id, site_id, "admin")
    group = sections.create_group(
        context, site_id, body.title, icon=body.icon, parent=body.parent, sections=body.sections
    )
    return VisibleSite(context, site).group(group)


@handles(SectionGroups.update_group)
def update_group(
    context: Context, organization_id: str, site_id: str, site_section_group_id: str, body: UpdateGroup
) -> SiteSectionGroup:
    """Change a group, or the group it is in."""
    site = require_site(context, organization_id, site_id, "admin")
    sections.update_group(context, site_id, site_section_group_id, body)
    return VisibleSite(context, site).group(site_section_group_id)


@handles(SectionGroups.delete_group)
def delete_group(context: Context, organization_id: str, site_id: str, site_section_group_id: str) -> None:
    """Remove a group and leave what it holds in its place."""
    require_site(context, organization_id, site_id, "admin")
    sections.remove_group(context.database, site_id, site_section_group_id)


@handles(SectionGroups.add_section)
def add_section(
    context: Context, organization_id: str, site_id: str, site_section_group_id: str, body: AddSection
) -> SiteSectionGroup:
    """Move a section into a group, last."""
    site = require_site(context, organization_id, site_id, "admin")
    sections.put_into_group(context.database, site_id, site_section_group_id, body.section_id)
    return VisibleSite(context, site).group(site_section_group_id)


@handles(SectionGroups.remove_section)
def remove_section(
    context: Context, organization_id: str, site_id: str, site_section_group_id: str, site_section_id: str
) -> None:
    """Move a section from its group to the root."""
    require_site(context, organization_id, site_id, "admin")
    sections.take_out_of_group(context.database, site_id, site_section_group_id, site_section_id)


@handles(SectionGroups.move_group)
def move_group(
    context: Context, organization_id: str, site_id: str, site_section_group_id: str, body: MoveItem
) -> SiteSectionGroup:
    """Move a group beside a sibling."""
    site = require_site(context, organization_id, site_id, "admin")
    _move(context, site, Item("site-section-group", site_section_group_id), body)
    return VisibleSite(context, site).group(site_section_group_id)


def _move(context: Context, site: Row, item: Item, body: MoveItem) -> None:
    find_item(context.database, site["id"], item)
    before = _find_named(body.position.before)
    after = _find_named(body.position.after)
    sort(context.database, site["id"], item, before, after)


def _item_at(pointer: ItemPointer | None) -> Item | None:
    return None if pointer is None else Item(pointer.type, pointer.id)


def _find_named(pointer: MovePointer | None) -> Item | None:
    if pointer is None:
        return None
    return Item(pointer.type, pointer.target)
