"""The base of a site's tabs: each holds its panes, its keys, and the reasons why they do not act."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recto.contract.organizations import Organization, Organizations
from recto.contract.sites import Site, Sites
from recto.store.drafts import DraftPlace
from recto.store.roles import needs
from recto.tui import actions
from recto.tui.screens.pane import Tab

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recto.store.query import Query
    from recto.store.rearranging import SiteAddress
    from recto.store.store import Store


class SiteTab(Tab):
    """A tab of a site. Actions that write need the admin role; heirs add their own reasons."""

    def __init__(self, store: Store, address: SiteAddress, *, id: str) -> None:
        super().__init__(store, id=id)
        self.address = address
        self.organization: Query[Organization] = store.query(Organizations.get_organization, address.organization)
        self.site: Query[Site] = store.query(Sites.get_site, address.organization, address.id)

    @property
    def ids(self) -> tuple[str, str]:
        """The ids that every operation on the site begins with."""
        return (self.address.organization, self.address.id)

    @property
    def in_focus(self) -> Sequence[Query[Any]]:
        """What the person looks at in the tab; the site where an heir has nothing else."""
        return (self.site,)

    def place(self, item: str | None = None) -> DraftPlace:
        """Return where drafts about the site, or about an item of it, belong."""
        return DraftPlace(organization=self.address.organization, site=self.address.id, block=item)

    def why_not(self, action: str) -> str | None:
        """Return the reason why an action cannot be done now; ``None`` where it can."""
        found = actions.find(action)
        if found is not None and found.writes:
            return why_not_admin(self.site.value, self.organization.value)
        return None

    def reload(self) -> None:
        """Request everything shown again."""
        self.organization.refresh()
        self.site.refresh()


def why_not_admin(site: Site | None, organization: Organization | None) -> str | None:
    """Return why a site cannot be changed; ``None`` where it can, or where that is not known.

    Services that do not send a site's permissions are judged by those of its organization.
    """
    for thing in (site, organization):
        if thing is not None and "permissions" in thing.model_fields_set:
            return needs(thing.permissions, "admin")
    return None
