"""Sites that folders describe, made of the spaces of their books."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from recto.contract.structure import (
    SiteSection,
    SiteSectionGroup,
    SiteSpace,
    StructureItem,
    UpdateSection,
    UpdateSiteSpace,
)
from recto.server.content.tree import slug_for
from recto.server.context import Context
from recto.server.exchange.library import SitePlan
from recto.server.sites.sections import create_group, create_section, update_section
from recto.server.sites.site_spaces import add_site_space, update_site_space
from recto.server.sites.sites import add_site, require_site


def make_site(context: Context, organization: str, plan: SitePlan, spaces: Mapping[str, str]) -> str:
    """Make the site with those sections, groups and site spaces, in order, that have a book; return its id.

    ``spaces`` gives the space of each book by the book's folder.
    """
    site = add_site(context, organization, plan.title, kind="ultimate", basename=slug_for(plan.title))
    work = _Founding(context, organization, site, plan, spaces)
    work.items(plan.structure.structure, None)
    return site


class _Founding:
    def __init__(
        self, context: Context, organization: str, site: str, plan: SitePlan, spaces: Mapping[str, str]
    ) -> None:
        self._context = context
        self._organization = organization
        self._site = site
        self._plan = plan
        self._spaces = spaces

    def items(self, items: Sequence[StructureItem], parent: str | None) -> None:
        """Make the items of the root or of a group."""
        for item in items:
            if isinstance(item, SiteSection):
                self._section(item, parent)
            elif isinstance(item, SiteSectionGroup):
                self._group(item, parent)
            elif isinstance(item, SiteSpace):
                self._site_space(item, None, default=item.default)

    def _group(self, item: SiteSectionGroup, parent: str | None) -> None:
        if self._holds_any(item.children):
            group = create_group(self._context, self._site, item.title, icon=item.icon, parent=parent)
            self.items(item.children, group)

    def _section(self, item: SiteSection, parent: str | None) -> None:
        links = [link for link in item.site_spaces if link.id in self._plan.books]
        if not links:
            return
        section = create_section(
            self._context,
            self._site,
            item.title,
            icon=item.icon,
            path=item.path or None,
            description=item.description,
            parent=parent,
            default=item.default,
        )
        if item.condition is not None:
            update_section(self._context, self._site, section, UpdateSection(condition=item.condition))
        for link in links:
            self._site_space(link, section, default=link.default)

    def _site_space(self, link: SiteSpace, section: str | None, *, default: bool) -> None:
        folder = self._plan.books.get(link.id)
        if folder is None:
            return
        added = add_site_space(
            self._context,
            self._site,
            self._spaces[folder],
            section=section,
            path=link.path or None,
            title=link.title or None,
            default=default,
        )
        if link.condition is not None:
            site = require_site(self._context, self._organization, self._site)
            update_site_space(self._context, site, added, UpdateSiteSpace(condition=link.condition))

    def _holds_any(self, items: Sequence[StructureItem]) -> bool:
        return any(
            link.id in self._plan.books
            for item in items
            for link in (item.site_spaces if isinstance(item, SiteSection) else ())
        ) or any(self._holds_any(item.children) for item in items if isinstance(item, SiteSectionGroup))
