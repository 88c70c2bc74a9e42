"""Publishing of sites, and sites and spaces as their readers get them."""

from __future__ import annotations

from recto.contract.operation import DECLARED
from recto.contract.publishing import Checkout, PublishedSite, Publishing
from recto.contract.sites import Site
from recto.contract.spaces import Space
from recto.server.context import Context
from recto.server.http.problems import Forbidden, NotFound
from recto.server.http.registry import handles
from recto.server.people.access import standing_of
from recto.server.sites.admission import Visit, admit, visit
from recto.server.sites.sites import SITES, find_site, require_site, serialize_site, set_published, site_not_found
from recto.server.sites.visible_site import VisibleSite
from recto.server.sites.visitor_claims import verify_claims
from recto.server.storage.database import Row

_OPEN_TO_ALL = ("public", "unlisted")


def visible_site(context: Context, organization: str, site: str, key: str | None) -> VisibleSite:
    """Return the view of a site: all of it for a member, the reader's part for the holder of a key.

    Raises :class:`NotFound` for others.
    """
    row = find_site(context, organization, site)
    if row is not None and standing_of(context, organization).role is None:
        reader = admit(context, row, key)
        if reader is not None:
            return VisibleSite(context, row, reader)
    return VisibleSite(context, require_site(context, organization, site))


def published_site(context: Context, organization: str, site: str, key: str | None) -> tuple[Row, VisibleSite]:
    """Return the row of a published site and a reader's view of it.

    Public and unlisted sites are open. Others take a key that opens them, or membership; a caller with a key gets what
    its holder gets, member or not, so that a member can see what a key shows. Raises :class:`NotFound` for a
    site that is not published or that the caller may not see, :class:`Forbidden` for a key that does not open it.
    """
    row = find_site(context, organization, site)
    member = standing_of(context, organization).role is not None
    if row is None or not (row["published"] or member):
        raise site_not_found(site)
    if not row["published"]:
        raise NotFound(f"The site “{row['title']}” is not published.")
    return row, VisibleSite(context, row, _reader(context, row, key, member))


def _reader(context: Context, site: Row, key: str | None, member: bool) -> Visit:
    if site["visibility"] in _OPEN_TO_ALL:
        return _identify(context, site, key)
    reader = visit(context, site, key)
    if reader is not None:
        return reader
    if not member:
        raise site_not_found(site["id"])
    if key is not None:
        raise Forbidden(f"No share link of the site “{site['title']}” that works has this key.")
    return Visit()


def _identify(context: Context, site: Row, key: str | None) -> Visit:
    """Return a reader of an open site, with claims where their token is valid."""
    if key is None:
        return Visit()
    try:
        return Visit(verify_claims(context, site["organization"], key))
    except Forbidden:
        return Visit()


def visited_space(context: Context, space: str, key: str) -> Space | None:
    """Return a space as the holder of a key gets it, with its published address; ``None`` where the key opens none.

    A member who may see the space gets all of it, others what a reader may know.
    """
    row = context.database.one("SELECT * FROM spaces WHERE id = ? AND deleted_at IS NULL", space)
    if row is None:
        return None
    sites = context.database.all(
        f"{SITES} WHERE published AND organization = :organization"
        " AND id IN (SELECT site FROM site_spaces WHERE space = :space) ORDER BY created_at, id",
        {"organization": row["organization"], "space": space},
    )
    for site in sites:
        reader = admit(context, site, key)
        if reader is not None and (view := VisibleSite(context, site, reader)).holds(space):
            return view.space(space)
    return None


@handles(Publishing.publish_site)
def publish_site(context: Context, organization_id: str, site_id: str) -> Checkout | Site:
    """Publish a site, which may be empty; takes the admin role."""
    return _set_published(context, organization_id, site_id, published=True)


@handles(Publishing.unpublish_site)
def unpublish_site(context: Context, organization_id: str, site_id: str) -> Site:
    """Unpublish a site; takes the admin role."""
    return _set_published(context, organization_id, site_id, published=False)


@handles(Publishing.get_published_site)
def get_published_site(
    context: Context, organization_id: str, site_id: str, share_key: str | None = DECLARED
) -> PublishedSite:
    """Return a site as its readers get it."""
    row, view = published_site(context, organization_id, site_id, share_key)
    return PublishedSite(
        site=serialize_site(context, row, standing_of(context, organization_id).role, view.key),
        structure=view.structure(),
        customizations={"site": {}, "siteSpaces": {}},
        scripts=(),
    )


def _set_published(context: Context, organization: str, site: str, published: bool) -> Site:
    require_site(context, organization, site, "admin")
    set_published(context, site, published)
    return serialize_site(context, require_site(context, organization, site), "admin")
