"""Makes share links and knows which of them let a reader in."""

from __future__ import annotations

from typing import Any

from recto.contract.common import Urls
from recto.contract.share_links import ShareLink, UpdateShareLink
from recto.server.context import Context
from recto.server.http.problems import NotFound
from recto.server.sites.sites import reading_address
from recto.server.storage.database import Connection, Row


def create_share_link(context: Context, site: str, name: str) -> str:
    """Make a share link that works at once, with a fresh secret key, and return its id."""
    link = context.ids.fresh()
    context.database.insert(
        "share_links", id=link, site=site, name=name, key=context.ids.fresh(), created_at=context.stamp()
    )
    return link


def update_share_link(database: Connection, site: str, link: str, body: UpdateShareLink) -> None:
    """Change what the body sets; raises :class:`NotFound` where the site has no such link."""
    find_share_link(database, site, link)
    changes: dict[str, Any] = {name: getattr(body, name) for name in body.model_fields_set}
    database.update("share_links", link, **changes)


def delete_share_link(database: Connection, site: str, link: str) -> None:
    """Remove a share link of a site, if it is there."""
    database.execute("DELETE FROM share_links WHERE id = ? AND site = ?", link, site)


def find_share_link(database: Connection, site: str, link: str) -> Row:
    """Return the row of a share link; raises :class:`NotFound` where the site has none such."""
    row = database.one("SELECT * FROM share_links WHERE id = ? AND site = ?", link, site)
    if row is None:
        raise NotFound(f"There is no share link {link} on this site.")
    return row


def opens(database: Connection, site: str, key: str) -> bool:
    """Return whether a key is that of a share link of the site which works now."""
    return database.one("SELECT 1 FROM share_links WHERE site = ? AND key = ? AND active", site, key) is not None


def share_link_answer(context: Context, site: Row, row: Row) -> ShareLink:
    """Return a row of ``share_links`` as a share link of a site, its secret included."""
    return ShareLink(
        id=row["id"],
        created_at=row["created_at"],
        name=row["name"],
        active=bool(row["active"]),
        urls=Urls(published=reading_address(context, site, key=row["key"])),
    )
