"""The screens by location, imported when they are first gone to."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING

from recto.store.locations import (
    ChangeRequestLocation,
    Location,
    OrganizationsLocation,
    SiteLocation,
    SpaceLocation,
)

if TYPE_CHECKING:
    from recto.tui.screens.view import View

_VIEWS = {
    OrganizationsLocation: ("recto.tui.screens.organizations.organizations_view", "OrganizationsView"),
    SpaceLocation: ("recto.tui.screens.space.space_view", "SpaceView"),
    ChangeRequestLocation: ("recto.tui.screens.change_request.change_request_view", "ChangeRequestView"),
    SiteLocation: ("recto.tui.screens.site.site_view", "SiteView"),
}
"""The screens by the type of their location."""


def view_class(location: Location) -> type[View]:
    """Import the class of a location's screen."""
    return _import(*_VIEWS[type(location)])


def _import(module: str, name: str) -> type[View]:
    found: type[View] = getattr(import_module(module), name)
    return found


@cache
def import_views() -> None:
    """Import all screens, so that their actions are registered."""
    for module, name in _VIEWS.values():
        _import(module, name)
    # Screens and the app import these when they are asked for.
    from recto.tui.screens.organizations.panes import import_panes

    import_panes()
    import_module("recto.tui.dialogs.search_pages")
    import_module("recto.tui.dialogs.choose_several")
    import_module("recto.tui.forms.merge_rules")
    import_module("recto.tui.screens.settings.settings_screen")
    import_module("recto.tui.screens.console.response")
    import_module("recto.tui.screens.site.audience_tab")
    import_module("recto.tui.screens.site.publication_tab")
    import_module("recto.tui.screens.site.redirects_tab")
    import_module("recto.tui.screens.site.share_links_tab")
    import_module("recto.tui.screens.site.settings_tab")
