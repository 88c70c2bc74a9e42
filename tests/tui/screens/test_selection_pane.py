"""Facts about what is selected on Organizations."""

from __future__ import annotations

from dataclasses import replace

import pytest

from recto.contract.organizations import Organization
from recto.tui.screens.organizations.organization_contents import OrganizationContents
from recto.tui.screens.organizations.selection_pane import organization_facts


@pytest.mark.parametrize("complete", [False, True])
@pytest.mark.parametrize("knows_sites", [False, True])
def test_spaces_and_sites_are_counted_once_all_are_known(*, complete: bool, knows_sites: bool) -> None:
    contents = replace(OrganizationContents(), complete=complete, knows_sites=knows_sites)
    words = "".join(text for line in organization_facts(Organization(id="o"), contents, False) for text, _ in line)
    assert ("spaces" in words, "sites" in words) == (complete, knows_sites)
