"""Changes of sites as a whole, as mutations: settings, publication, creation and deletion."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recto.contract.publishing import Checkout, Publishing
from recto.contract.sites import AdaptiveContentInput, CreateSite, Site, Sites, UpdateSite
from recto.store.mutation import Mutation, new_in_list, unless_changed
from recto.store.query_keys import Chooser, about, calls
from recto.store.rearranging import SiteAddress

if TYPE_CHECKING:
    pass


def publish_site(at: SiteAddress, title: str) -> Mutation[Checkout | Site]:
    """Publish a site to its audience; a hosted service may answer with a :class:`Checkout` instead."""
    return Mutation(
        doing=f"Publishing “{title}”",
        done=f"Published “{title}”",
        call=lambda call: call(Publishing.publish_site, at.organization, at.id),
        stale=_stale(at),
        inverse=lambda response: None if isinstance(response, Checkout) else unpublish_site(at, title),
        lane=at.lane,
    )


def unpublish_site(at: SiteAddress, title: str) -> Mutation[Site]:
    """Unpublish a site."""
    return Mutation(
        doing=f"Unpublishing “{title}”",
        done=f"Unpublished “{title}”",
        call=lambda call: call(Publishing.unpublish_site, at.organization, at.id),
        stale=_stale(at),
        inverse=lambda _: publish_site(at, title),
        lane=at.lane,
    )


def update_site(at: SiteAddress, before: Site, body: UpdateSite) -> Mutation[Site]:
    """Change the settings that the body sets."""
    return Mutation(
        doing=f"Changing “{before.title}”",
        done=f"Changed the settings of “{body.title or before.title}”",
        call=lambda call: call(Sites.update_site, at.organization, at.id, body),
        stale=_stale(at),
        inverse=unless_changed(
            lambda after: _back(at, before, after, body),
            body.model_fields_set,
            lambda call: call(Sites.get_site, at.organization, at.id),
        ),
        once=True,
        lane=at.lane,
    )


def _back(at: SiteAddress, before: Site, after: Site, body: UpdateSite) -> Mutation[Site] | None:
    """Return the change that restores what a body changed; ``None`` if part of it cannot be restored."""
    fields: dict[str, Any] = {}
    for name in body.model_fields_set:
        match name:
            case "adaptive_content":
                enabled = before.adaptive_content is not None and before.adaptive_content.enabled
                fields[name] = AdaptiveContentInput(enabled=enabled)
            case "proxy":
                fields[name] = proxy_of(before)
            case "title" | "visibility" | "basename" | "agents_context":
                fields[name] = getattr(before, name)
            case _:  # the structure tells which was the default
                return None
    if any(value is None for name, value in fields.items() if name != "proxy"):
        return None
    return update_site(at, after, UpdateSite(**fields))


def proxy_of(site: Site) -> str | None:
    """Return the host name and path under which a site is served, as it is sent: platforms read it with a scheme."""
    target = site.proxy.target if site.proxy is not None else None
    return target.partition("://")[2].rstrip("/") or target if target else None


def create_site(organization: str, body: CreateSite) -> Mutation[Site]:
    """Create a site from spaces; it is not published yet. Undoing deletes it."""
    return Mutation(
        doing=f"Creating the site “{body.title}”",
        done=f"Created the site “{body.title}”",
        call=lambda call: call(Sites.create_site, organization, body),
        lookup=new_in_list(lambda one: one.title == body.title, Sites.list_sites, organization),
        stale=(calls(Sites.list_sites, organization_id=organization),),
        inverse=lambda made: delete_site(SiteAddress(organization, made.id), made.title),
    )


def delete_site(at: SiteAddress, title: str) -> Mutation[None]:
    """Delete a site for good; the spaces on it stay."""
    return Mutation(
        doing=f"Deleting the site “{title}”",
        done=f"Deleted the site “{title}”",
        call=lambda call: call(Sites.delete_site, at.organization, at.id),
        stale=(calls(Sites.list_sites, organization_id=at.organization),),
        lane=at.lane,
    )


def _stale(at: SiteAddress) -> tuple[Chooser, ...]:
    return (about(site_id=at.id), calls(Sites.list_sites, organization_id=at.organization))
