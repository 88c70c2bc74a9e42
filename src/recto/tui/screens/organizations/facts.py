"""What stands beside the tree of organizations: facts of what is selected, change requests, members."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from recto.contract.unread import all_unread
from recto.tui.lists.unread import unread_lines
from recto.tui.look import lines, signs, times
from recto.tui.look.fact_rows import fact
from recto.tui.look.lines import Line, Span

if TYPE_CHECKING:
    from recto.contract.collections import Collection
    from recto.contract.members import Member
    from recto.contract.organizations import Organization
    from recto.contract.sites import Site
    from recto.contract.spaces import Space
    from recto.tui.screens.organizations.tree import Shelf


def organization_facts(organization: Organization, shelf: Shelf | None, own: bool) -> list[Line]:
    """Return what there is to say of an organization; an empty one of one's own says how to import pages."""
    told: list[Line] = []
    if shelf is not None:
        told.append(fact("spaces", str(len(shelf.spaces))))
        told.append(fact("sites", str(len(shelf.sites))))
        if shelf.open_requests is not None:
            told.append(fact("to review", signs.count(shelf.open_requests, "open change request")))
    if organization.created_at is not None:
        told.append(fact("since", times.exact(organization.created_at)))
    told += unread_lines(all_unread(organization))
    if shelf is not None and shelf.complete and not shelf.spaces and organization.permissions.create_content:
        told += [(), *_empty(own)]
    return told


def _empty(own: bool) -> list[Line]:
    key = "strong accent"
    told: list[Line] = [
        [("There is no documentation here yet.", "strong")],
        (),
        [("a", key), ("  makes an empty space", "")],
    ]
    if own:
        told += [
            [("b", key), ("  imports a folder of Markdown pages", "")],
            (),
            [("From the shell:", "muted")],
            [("   recto open path/to/folder", "code")],
            (),
            [("A folder with a SUMMARY.md keeps the order of its pages.", "muted")],
            [("Open it again later, and what has changed comes in.", "muted")],
        ]
    return told


def collection_facts(collection: Collection, inside: int) -> list[Line]:
    """Return what there is to say of a collection."""
    told = [fact("holds", signs.count(inside, "space"))]
    if collection.description:
        told.insert(0, [(lines.plain(collection.description), "")])
    if collection.default_level:
        told.append(fact("default role", str(collection.default_level)))
    return told


def space_facts(space: Space, now: datetime) -> list[Line]:
    """Return what there is to say of a space."""
    visibility = signs.sign(signs.VISIBILITY, space.visibility)
    told = [
        fact("visibility", visibility.word),
        fact("editing", "locked" if space.edit_mode == "locked" else "live"),
        fact("to review", signs.count(space.change_requests_open, "open change request")),
        fact("drafts", signs.count(space.change_requests_draft, "draft change request")),
        fact("comments", signs.count(space.comments, "open comment")),
        fact("updated", times.ago(space.updated_at, now)),
    ]
    if space.language:
        told.append(fact("language", space.language))
    return [*told, *unread_lines(all_unread(space)), (), [("enter", "strong accent"), ("  opens it", "")]]


def site_facts(site: Site) -> list[Line]:
    """Return what there is to say of a site."""
    told = [
        fact("visibility", signs.sign(signs.VISIBILITY, site.visibility).word),
        fact("state", "published" if site.published else "not published"),
        fact("spaces", str(site.site_spaces)),
    ]
    if site.urls.published:
        told.append(fact("address", site.urls.published))
    return [*told, *unread_lines(all_unread(site)), (), [("enter", "strong accent"), ("  opens its structure", "")]]


def draw_member(member: Member, width: int) -> Line:
    """Draw a member: name, address, role."""
    left: list[Span] = [(signs.person(member.user), "")]
    if member.user is not None and member.user.email:
        left.append((f"  {lines.plain(member.user.email)}", "muted"))
    return lines.beside(left, [(str(member.role or "guest"), "muted")], width)
