"""What is on a site, as the contract answers it to a caller."""

from __future__ import annotations

import json

from recto.contract.spaces import Space
from recto.contract.structure import SiteSection, SiteSectionGroup, SiteSpace, SiteStructure
from recto.server.access import standing
from recto.server.answers import SPACES, known, space_answer
from recto.server.context import Context
from recto.server.database import Row
from recto.server.structure import Item, items_under, site_spaces_in


class SiteView:
    """All that is on one site, read at once for one answer.

    A site space whose space the caller may not see, or that is deleted, comes without its space.
    """

    def __init__(self, context: Context, site: Row) -> None:
        self._context = context
        self._database = context.database
        self._site: str = site["id"]
        self.groups = self._rows("section_groups")
        self.sections = self._rows("sections")
        self.site_spaces = self._rows("site_spaces")
        self._spaces = self._visible_spaces(site["organization"])
        self._titles: dict[str, str] = {
            row["id"]: row["title"]
            for row in self._database.all(
                "SELECT id, title FROM spaces WHERE id IN (SELECT space FROM site_spaces WHERE site = ?)", self._site
            )
        }

    def structure(self) -> SiteStructure:
        """Return the whole: sections and groups, or site spaces on a site that has neither."""
        loose = tuple(self.site_space(item.id) for item in site_spaces_in(self._database, self._site, None))
        if not self.sections and not self.groups:
            return SiteStructure(type="siteSpaces", structure=loose)
        return SiteStructure(type="sections", structure=(*self._under(None), *loose))

    def site_space(self, site_space: str) -> SiteSpace:
        """Return one site space."""
        row = self.site_spaces[site_space]
        return SiteSpace(
            id=row["id"],
            path=row["path"],
            title=row["title"] or self._titles[row["space"]],
            default=bool(row["is_default"]),
            has_advanced_customization_feature=False,
            hidden=False,
            draft=False,
            **known(section=row["section"], condition=row["condition"], space=self._spaces.get(row["space"])),
        )

    def section(self, section: str) -> SiteSection:
        """Return one section with its site spaces."""
        row = self.sections[section]
        inside = site_spaces_in(self._database, self._site, section)
        return SiteSection(
            id=row["id"],
            title=row["title"],
            default=bool(row["is_default"]),
            path=row["path"],
            draft=False,
            site_spaces=tuple(self.site_space(item.id) for item in inside),
            **known(
                description=row["description"],
                condition=row["condition"],
                section_group=row["parent"],
                icon=row["icon"],
            ),
        )

    def group(self, group: str) -> SiteSectionGroup:
        """Return one group with what it holds."""
        row = self.groups[group]
        children = self._under(group)
        return SiteSectionGroup(
            id=row["id"],
            title=row["title"],
            draft=False,
            children=children,
            sections=tuple(child for child in children if isinstance(child, SiteSection)),
            **known(section_group=row["parent"], icon=row["icon"]),
        )

    def place(self, row: Row) -> str:
        """Return a text by which sections, groups and site spaces sort as a reader meets them."""
        own = f"{row['position']:06}"
        if row.get("section") is not None:
            return f"{self.place(self.sections[row['section']])}.{own}"
        parent = row.get("parent")
        return own if parent is None else f"{self.place(self.groups[parent])}.{own}"

    def _under(self, group: str | None) -> tuple[SiteSection | SiteSectionGroup, ...]:
        return tuple(self._item(item) for item in items_under(self._database, self._site, group))

    def _item(self, item: Item) -> SiteSection | SiteSectionGroup:
        return self.section(item.id) if item.type == "site-section" else self.group(item.id)

    def _rows(self, table: str) -> dict[str, Row]:
        rows = self._database.all(f"SELECT * FROM {table} WHERE site = ? ORDER BY position, id", self._site)
        return {row["id"]: row for row in rows}

    def _visible_spaces(self, organization: str) -> dict[str, Space]:
        wanted = json.dumps(sorted({row["space"] for row in self.site_spaces.values()}))
        rows = self._database.all(
            f"{SPACES} WHERE id IN (SELECT value FROM json_each(?)) AND deleted_at IS NULL", wanted
        )
        place = standing(self._context, organization)
        return {
            row["id"]: space_answer(self._context, row, role) for row in rows if (role := place.on(row)) is not None
        }
