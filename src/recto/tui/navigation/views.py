"""The screens by location, imported when they are first gone to."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from recto.contract.addresses import AtRevision, InChangeRequest, Main
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
    OrganizationsLocation: ("recto.tui.screens.organizations.view", "OrganizationsView"),
    Main: ("recto.tui.screens.space.view", "SpaceView"),
    InChangeRequest: ("recto.tui.screens.space.view", "SpaceView"),
    ChangeRequestLocation: ("recto.tui.screens.change_request.view", "ChangeRequestView"),
    AtRevision: ("recto.tui.screens.revision.view", "RevisionView"),
    SiteLocation: ("recto.tui.screens.site.view", "SiteView"),
}
"""The screens by the type of their location, those of a space by the type of its address."""


def view_class(location: Location) -> type[View]:
    """Import the class of a location's screen."""
    return _import(*_VIEWS[type(location.address if isinstance(location, SpaceLocation) else location)])


def _import(module: str, name: str) -> type[View]:
    found: type[View] = getattr(import_module(module), name)
    return found


def import_views() -> None:
    """Import all screens, so that their actions are registered."""
    for module, name in _VIEWS.values():
        _import(module, name)
    # Screens and the app import these when they are asked for.
    import_module("recto.tui.dialogs.search")
    import_module("recto.tui.screens.settings.keys")
