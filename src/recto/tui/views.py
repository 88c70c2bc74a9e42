"""The views there are, imported when they are first gone to."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from recto.tui.navigation import CHANGE_REQUEST, ORGANIZATIONS, REVISION, SITE, SPACE

if TYPE_CHECKING:
    from recto.tui.screens.view import View

_VIEWS = {
    ORGANIZATIONS: ("recto.tui.screens.organizations.view", "OrganizationsView"),
    SPACE: ("recto.tui.screens.space.view", "SpaceView"),
    CHANGE_REQUEST: ("recto.tui.screens.change_request.view", "ChangeRequestView"),
    REVISION: ("recto.tui.screens.revision.view", "RevisionView"),
    SITE: ("recto.tui.screens.site.view", "SiteView"),
}


def view_class(screen: str) -> type[View]:
    """Import and give the class of a view."""
    module, name = _VIEWS[screen]
    found: type[View] = getattr(import_module(module), name)
    return found


def import_views() -> None:
    """Import all views, so that the actions of those that nobody has gone to yet are registered."""
    for screen in _VIEWS:
        view_class(screen)
    # Views import this only where it is asked for.
    import_module("recto.tui.dialogs.search")
