from __future__ import annotations

import json
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from recto.contract.structure import OtherStructureItem, SiteExternalLink, SiteSection, SiteSectionGroup, SiteStructure

REAL = Path(__file__).parents[3] / "shared" / "samples" / "payments-site" / "structure.json"


def instants(value: Any) -> Any:
    """Return the JSON with its timestamps as moments, so that two spellings of one moment are equal."""
    if isinstance(value, dict):
        return {name: instants(item) for name, item in value.items()}
    if isinstance(value, list):
        return [instants(item) for item in value]
    if isinstance(value, str) and value[4:5] == "-" and "T" in value:
        return datetime.fromisoformat(value)
    return value


@pytest.mark.skipif(not REAL.exists(), reason="the sample documentation is not at hand")
def test_the_structure_of_a_real_site_comes_out_as_it_came_in() -> None:
    came = REAL.read_bytes()
    structure = SiteStructure.model_validate_json(came)
    assert instants(json.loads(structure.to_json())) == instants(json.loads(came))


def test_groups_hold_sections_and_groups_and_unknown_kinds() -> None:
    structure = SiteStructure.model_validate(
        {
            "type": "sections",
            "structure": [
                {
                    "object": "site-section-group",
                    "id": "g",
                    "children": [
                        {"object": "site-section", "id": "a"},
                        {"object": "site-section-group", "id": "h", "children": []},
                    ],
                },
                {"object": "site-banner", "id": "b", "colour": "red"},
            ],
        }
    )
    group, banner = structure.structure
    assert isinstance(group, SiteSectionGroup)
    assert [type(child) for child in group.children] == [SiteSection, SiteSectionGroup]
    assert isinstance(banner, OtherStructureItem)
    assert banner.object == "site-banner"


def test_an_external_link_is_read_with_all_that_it_has() -> None:
    told = {
        "object": "site-external-link",
        "id": "l",
        "title": "Status",
        "localizedTitle": {"fr": "État"},
        "description": "Is it up?",
        "icon": "signal",
        "url": "https://status.a.example/",
        "condition": "visitor.claims.staff",
        "draft": True,
    }
    group = {"object": "site-section-group", "id": "g", "children": [{**told, "id": "m", "sectionGroup": "g"}]}
    link, around = SiteStructure.model_validate({"type": "sections", "structure": [told, group]}).structure
    assert isinstance(link, SiteExternalLink)
    assert isinstance(around, SiteSectionGroup)
    assert isinstance(around.children[0], SiteExternalLink)
    assert json.loads(link.to_json()) == told
