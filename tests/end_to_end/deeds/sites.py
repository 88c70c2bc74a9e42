"""The deeds on sites: what they are, what is on them, and who may visit them."""

from __future__ import annotations

from typing import Any

from end_to_end.deeds.table import ANYONE, Deed, reading
from recto.contract.adaptive import AdaptiveContents
from recto.contract.operation import Operation, Route
from recto.contract.publishing import Publishing
from recto.contract.redirects import Redirects
from recto.contract.share_links import ShareLinks
from recto.contract.sites import Sites
from recto.contract.structure import SectionGroups, Sections, SiteSpaces, Structure

_SCHEMA = {
    "type": "object",
    "properties": {
        "partner": {"type": "boolean", "description": "Works with us"},
        "unsigned": {
            "type": "object",
            "properties": {"beta": {"type": "boolean"}},
            "additionalProperties": False,
        },
    },
    "additionalProperties": False,
}
_REDIRECT = {
    "source": "/older",
    "destination": {"kind": "site-page", "siteSpaceId": "{site_space_id}", "pageId": "start"},
    "permanent": True,
}

DEEDS: dict[Operation[Any, Any] | Route, Deed] = {
    **reading(Sites, AdaptiveContents, Publishing, Redirects, Structure, SiteSpaces, Sections, SectionGroups),
    Sites.create_site: Deed(
        "admin", {"type": "basic", "title": "More docs", "visibility": "unlisted", "spaces": ["{space_id}"]}
    ),
    Sites.update_site: Deed(
        "admin",
        {
            "title": "The docs",
            "visibility": "share-link",
            "basename": "the-docs",
            "adaptiveContent": {"enabled": True},
            "agentsContext": "included",
            "defaultSiteSpace": "{other_site_space_id}",
            "defaultSiteSection": "{site_section_id}",
            "proxy": "example.org/docs",
        },
    ),
    Sites.delete_site: Deed("admin", who={"guest": 403}),
    AdaptiveContents.update_adaptive_schema: Deed("admin", {"jsonSchema": _SCHEMA}),
    Publishing.get_published_site: Deed(ANYONE),
    Publishing.publish_site: Deed("admin"),
    Publishing.unpublish_site: Deed("admin"),
    ShareLinks.list_share_links: Deed("admin"),
    ShareLinks.create_share_link: Deed("admin", {"name": "For the press"}),
    ShareLinks.update_share_link: Deed("admin", {"name": "For nobody", "active": False}),
    ShareLinks.delete_share_link: Deed("admin"),
    Redirects.create_redirect: Deed("admin", _REDIRECT, again=400),
    Redirects.update_redirect: Deed("admin", _REDIRECT),
    Redirects.delete_redirect: Deed("admin"),
    Structure.sort_structure: Deed(
        "admin",
        {
            "item": {"type": "site-section", "id": "{site_section_id}"},
            "position": {"after": {"type": "site-section", "id": "{other_section_id}"}},
        },
    ),
    SiteSpaces.create_site_space: Deed(
        "admin", {"spaceId": "{handbook_id}", "sectionId": "{site_section_id}"}, again=409
    ),
    SiteSpaces.update_site_space: Deed(
        "admin", {"path": "by-hand", "condition": "visitor.claims.partner", "spaceId": "{handbook_id}"}
    ),
    SiteSpaces.delete_site_space: Deed("admin"),
    SiteSpaces.move_site_space: Deed(
        "admin", {"position": {"after": {"type": "site-space", "siteSpace": "{other_site_space_id}"}}}
    ),
    Sections.create_section: Deed("admin", {"spaceId": "{handbook_id}", "title": "Third", "icon": "book"}),
    Sections.update_section: Deed(
        "admin",
        {
            "title": "Guides",
            "path": "guides",
            "defaultSiteSpace": "{other_site_space_id}",
            "condition": "visitor.claims.partner",
            "icon": "book",
            "description": "What to read first",
            "siteSectionGroupId": "{site_section_group_id}",
        },
    ),
    Sections.delete_section: Deed("admin"),
    Sections.move_section: Deed(
        "admin", {"position": {"after": {"type": "site-section", "siteSection": "{other_section_id}"}}}
    ),
    SectionGroups.create_group: Deed(
        "admin", {"title": "Group", "icon": "book", "sections": ["{site_section_id}"], "parent": "{other_group_id}"}
    ),
    SectionGroups.update_group: Deed(
        "admin", {"title": "Group", "icon": "book", "parentSectionGroupId": "{other_group_id}"}
    ),
    SectionGroups.delete_group: Deed("admin"),
    SectionGroups.add_section: Deed("admin", {"sectionId": "{site_section_id}"}),
    SectionGroups.remove_section: Deed(
        "admin", path={"site_section_id": "grouped_section_id"}, unknown={"site_section_group_id": 204}
    ),
    SectionGroups.move_group: Deed(
        "admin", {"position": {"after": {"type": "site-section-group", "id": "{other_group_id}"}}}
    ),
}
