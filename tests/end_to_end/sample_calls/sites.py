"""The sample calls on sites: what they are, what is on them, and who may visit them."""

from __future__ import annotations

from typing import Any

from end_to_end.sample_calls.table import ANYONE, SampleCall, reading
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

SAMPLES: dict[Operation[Any, Any] | Route, SampleCall] = {
    **reading(Sites, AdaptiveContents, Publishing, Redirects, Structure, SiteSpaces, Sections, SectionGroups),
    Sites.create_site: SampleCall(
        "admin", {"type": "basic", "title": "More docs", "visibility": "unlisted", "spaces": ["{space_id}"]}
    ),
    Sites.update_site: SampleCall(
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
    Sites.delete_site: SampleCall("admin", who={"guest": 403}),
    AdaptiveContents.update_adaptive_schema: SampleCall("admin", {"jsonSchema": _SCHEMA}),
    Publishing.get_published_site: SampleCall(ANYONE),
    Publishing.publish_site: SampleCall("admin"),
    Publishing.unpublish_site: SampleCall("admin"),
    ShareLinks.list_share_links: SampleCall("admin"),
    ShareLinks.create_share_link: SampleCall("admin", {"name": "For the press"}),
    ShareLinks.update_share_link: SampleCall("admin", {"name": "For nobody", "active": False}),
    ShareLinks.delete_share_link: SampleCall("admin"),
    Redirects.create_redirect: SampleCall("admin", _REDIRECT, again=400),
    Redirects.update_redirect: SampleCall("admin", _REDIRECT),
    Redirects.delete_redirect: SampleCall("admin"),
    Structure.sort_structure: SampleCall(
        "admin",
        {
            "item": {"type": "site-section", "id": "{site_section_id}"},
            "position": {"after": {"type": "site-section", "id": "{other_section_id}"}},
        },
    ),
    SiteSpaces.create_site_space: SampleCall(
        "admin", {"spaceId": "{handbook_id}", "sectionId": "{site_section_id}"}, again=409
    ),
    SiteSpaces.update_site_space: SampleCall(
        "admin", {"path": "by-hand", "condition": "visitor.claims.partner", "spaceId": "{handbook_id}"}
    ),
    SiteSpaces.delete_site_space: SampleCall("admin"),
    SiteSpaces.move_site_space: SampleCall(
        "admin", {"position": {"after": {"type": "site-space", "siteSpace": "{other_site_space_id}"}}}
    ),
    Sections.create_section: SampleCall("admin", {"spaceId": "{handbook_id}", "title": "Third", "icon": "book"}),
    Sections.update_section: SampleCall(
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
    Sections.delete_section: SampleCall("admin"),
    Sections.move_section: SampleCall(
        "admin", {"position": {"after": {"type": "site-section", "siteSection": "{other_section_id}"}}}
    ),
    SectionGroups.create_group: SampleCall(
        "admin", {"title": "Group", "icon": "book", "sections": ["{site_section_id}"], "parent": "{other_group_id}"}
    ),
    SectionGroups.update_group: SampleCall(
        "admin", {"title": "Group", "icon": "book", "parentSectionGroupId": "{other_group_id}"}
    ),
    SectionGroups.delete_group: SampleCall("admin"),
    SectionGroups.add_section: SampleCall("admin", {"sectionId": "{site_section_id}"}),
    SectionGroups.remove_section: SampleCall(
        "admin", path={"site_section_id": "grouped_section_id"}, unknown={"site_section_group_id": 204}
    ),
    SectionGroups.move_group: SampleCall(
        "admin", {"position": {"after": {"type": "site-section-group", "id": "{other_group_id}"}}}
    ),
}
