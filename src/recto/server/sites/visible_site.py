"""Views of sites: their structure as a caller sees it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import cached_property

from recto.contract.common import Urls
from recto.contract.merge_rules import MergeRules
from recto.contract.spaces import Space
from recto.contract.structure import SiteSection, SiteSectionGroup, SiteSpace, SiteStructure
from recto.server.context import Context
from recto.server.people.access import Standing, standing_of
from recto.server.serializers import SPACES, known_fields, serialize_space, space_permissions, space_urls
from recto.server.sites.admission import Visit
from recto.server.sites.sites import published_address
from recto.server.storage.database import Row

Rows = dict[str, Row]


class VisibleSite:
    """The structure of a site, read at once for one response.

    A member is shown all of it, and a site space whose space they may not see comes without its space. A ``reader`` is
    shown no item that a condition keeps from them, and no section or group that this leaves empty. A deleted space is
    not on the site until it is restored. One visible section is the default, and one visible site space in each
    section: the first where the chosen default is not visible.
    """

    def __init__(self, context: Context, site: Row, reader: Visit | None = None) -> None:
        self._context = context
        self._database = context.database
        self._site = site
        self._reader = reader
        self.groups = self._rows("SELECT * FROM section_groups WHERE site = ? ORDER BY position, id")
        self.sections = self._rows("SELECT * FROM sections WHERE site = ? ORDER BY position, id")
        self.site_spaces = self._rows(
            "SELECT site_spaces.*, spaces.title AS own_title FROM site_spaces"
            " JOIN spaces ON spaces.id = site_spaces.space"
            " WHERE site = ? AND spaces.deleted_at IS NULL ORDER BY site_spaces.position, site_spaces.id"
        )
        if reader is not None:
            self._keep_back(reader)
        self._in_section = _by(self.site_spaces.values(), "section")
        self._under_group = _by((*self.sections.values(), *self.groups.values()), "parent")
        self._spaces: dict[str, Space | None] = {}
        self._defaults = self._find_defaults()

    @property
    def key(self) -> str | None:
        """The key of the share link by which a reader came."""
        return self._reader.key if self._reader is not None else None

    def structure(self) -> SiteStructure:
        """Return the whole: sections and groups, or site spaces on a site that has neither."""
        loose = self._site_spaces_in(None)
        if not self.sections and not self.groups:
            return SiteStructure(type="siteSpaces", structure=loose)
        return SiteStructure(type="sections", structure=(*self._under(None), *loose))

    def site_space(self, site_space: str) -> SiteSpace:
        """Return a site space."""
        row = self.site_spaces[site_space]
        return SiteSpace(
            id=row["id"],
            path=row["path"],
            title=row["title"] or row["own_title"],
            default=self.is_default(row),
            has_advanced_customization_feature=False,
            hidden=False,
            draft=False,
            urls=self._urls(row),
            **known_fields(
                section=row["section"],
                condition=row["condition"],
                space=self._space(row["space"]),
            ),
        )

    def section(self, section: str) -> SiteSection:
        """Return a section with its site spaces."""
        row = self.sections[section]
        return SiteSection(
            id=row["id"],
            title=row["title"],
            default=self.is_default(row),
            path=row["path"],
            draft=False,
            site_spaces=self._site_spaces_in(section),
            urls=self._urls(row),
            **known_fields(
                description=row["description"],
                condition=row["condition"],
                section_group=row["parent"],
                icon=row["icon"],
            ),
        )

    def group(self, group: str) -> SiteSectionGroup:
        """Return a group with its items."""
        row = self.groups[group]
        children = self._under(group)
        return SiteSectionGroup(
            id=row["id"],
            title=row["title"],
            draft=False,
            children=children,
            sections=tuple(child for child in children if isinstance(child, SiteSection)),
            **known_fields(section_group=row["parent"], icon=row["icon"]),
        )

    def holds(self, space: str) -> bool:
        """Return whether a space is shown on the site."""
        return any(row["space"] == space for row in self.site_spaces.values())

    def space(self, space: str) -> Space:
        """Return a space that is shown on the site, with its address there."""
        shown = self._space(space)
        assert shown is not None, "a reader is shown each space"
        rows = (row for row in self.site_spaces.values() if row["space"] == space)
        there = self._urls(min(rows, key=lambda row: (not self.is_default(row), self.place(row))))
        if there.published is None:
            return shown
        return shown.model_copy(update={"urls": shown.urls.model_copy(update={"published": there.published})})

    def is_default(self, row: Row) -> bool:
        """Return whether a section, or a site space within its section, is the default."""
        return row["id"] in self._defaults

    def place(self, row: Row) -> str:
        """Return a text by which sections, groups and site spaces sort as a reader meets them."""
        own = f"{row['position']:017.9f}"
        if row.get("section") is not None:
            return f"{self.place(self.sections[row['section']])}.{own}"
        parent = row.get("parent")
        return own if parent is None else f"{self.place(self.groups[parent])}.{own}"

    def _keep_back(self, reader: Visit) -> None:
        """Remove what a condition hides from a reader, then sections and groups that are empty."""
        sections, site_spaces = self.sections, self.site_spaces
        seen = {at: row for at, row in sections.items() if reader.sees(self._site, row["condition"])}
        self.site_spaces = {
            at: row
            for at, row in site_spaces.items()
            if reader.sees(self._site, row["condition"]) and (row["section"] is None or row["section"] in seen)
        }
        emptied = _values(site_spaces, "section") - _values(self.site_spaces, "section")
        self.sections = {at: row for at, row in seen.items() if at not in emptied}
        held = _values(sections, "parent") | _values(self.groups, "parent")
        while emptied := self.groups.keys() & held - _values(self.sections, "parent") - _values(self.groups, "parent"):
            self.groups = {at: row for at, row in self.groups.items() if at not in emptied}

    def _find_defaults(self) -> set[str]:
        """Return the ids of the default section and of the default site space of each section, or of the root."""
        containers = (sorted(self.sections.values(), key=self.place), *self._in_section.values())
        return {min(rows, key=lambda row: not row["is_default"])["id"] for rows in containers if rows}

    def _site_spaces_in(self, section: str | None) -> tuple[SiteSpace, ...]:
        return tuple(self.site_space(row["id"]) for row in self._in_section.get(section, ()))

    def _under(self, group: str | None) -> tuple[SiteSection | SiteSectionGroup, ...]:
        ordered = (row["id"] for row in self._under_group.get(group, ()))
        return tuple(self.section(at) if at in self.sections else self.group(at) for at in ordered)

    def _rows(self, select: str) -> Rows:
        return {row["id"]: row for row in self._database.all(select, self._site["id"])}

    def _urls(self, row: Row) -> Urls:
        """Return the published address of a section, or of a site space behind that of its section, if any."""
        section = row.get("section")
        path = row["path"] if section is None else f"{self.sections[section]['path']}/{row['path']}"
        address = published_address(self._context, self._site, path, self.key)
        return Urls(**known_fields(published=address))

    @cached_property
    def _space_rows(self) -> Rows:
        wanted = json.dumps(sorted(_values(self.site_spaces, "space")))
        rows = self._database.all(f"{SPACES} WHERE id IN (SELECT value FROM json_each(?))", wanted)
        return {row["id"]: row for row in rows}

    @cached_property
    def _standing(self) -> Standing:
        return standing_of(self._context, self._site["organization"])

    def _space(self, space: str) -> Space | None:
        """Return a space as it is shown; ``None`` to a member who may not see it."""
        if space not in self._spaces:
            row = self._space_rows[space]
            role = self._standing.on(row)
            if role is not None:
                self._spaces[space] = serialize_space(self._context, row, role)
            else:
                self._spaces[space] = _read_only(self._context, row) if self._reader is not None else None
        return self._spaces[space]


def _by(rows: Iterable[Row], column: str) -> dict[str | None, list[Row]]:
    """Return the rows by what they have in a column, each list in the order of its positions."""
    found: dict[str | None, list[Row]] = {}
    for row in sorted(rows, key=lambda row: (row["position"], row["id"])):
        found.setdefault(row[column], []).append(row)
    return found


def _values(rows: Rows, column: str) -> set[str]:
    """Return the ids that the rows have in a column."""
    return {row[column] for row in rows.values() if row[column] is not None}


def _read_only(context: Context, row: Row) -> Space:
    """Return the public part of a space, for readers who are not members; counts are 0."""
    return Space(
        id=row["id"],
        title=row["title"],
        emoji=row["emoji"],
        visibility=row["visibility"],
        created_at=row["created_at"],
        updated_at=row["updated_at"],
        urls=space_urls(context, row),
        organization=row["organization"],
        revision=row["revision"],
        default_level=None,
        merge_rules=MergeRules(type="inherit"),
        comments=0,
        change_requests=0,
        change_requests_open=0,
        change_requests_draft=0,
        permissions=space_permissions(None).model_copy(update={"view": True}),
        **known_fields(language=row["language"]),
    )
