"""The space or organization that a command names: a space by its title, id or address."""

from __future__ import annotations

from contextlib import aclosing
from typing import TYPE_CHECKING

from recto.cli.failures import USAGE, CommandError
from recto.client.call import Call, pages
from recto.client.sender import embed
from recto.contract.change_requests import ChangeRequests
from recto.contract.organizations import Organization, Organizations
from recto.contract.spaces import Space, Spaces
from recto.document.text import count
from recto.urls import EMBEDDED_ADDRESS, Thing, is_url, read_url, same_platform

if TYPE_CHECKING:
    from recto.server.platform import Platform

OTHER_ORGANIZATION = "--organization names another organization."
"""Where to look for what the organization of a command does not have."""

_MOST_NAMED = 5


async def find_own(platform: Platform, named: str) -> tuple[Space, str | None]:
    """Return a space of the workspace, and the id of its revision; ``None`` for main."""
    async with aclosing(embed(platform.application, platform.token)) as sender:
        call = Call(sender)
        thing = thing_named(named, platform.owner, None)
        space = await find_space(call, thing, named)
        if thing is not None and thing.change_request:
            request = await call(ChangeRequests.get_change_request, space.id, thing.change_request)
            return space, request.revision
        return space, (thing.revision or None) if thing is not None else None


def thing_named(named: str, workspace: str, base_url: str | None) -> Thing | None:
    """Return what an address names; ``None`` for an id or a title.

    Raises ``CommandError`` for the address of another platform, or of something outside of a space.
    """
    if not is_url(named):
        return None
    url = read_url(named)
    if url is None or not url.thing.space:
        raise CommandError(f"{named} is not the address of a space, a change request or a revision.", USAGE)
    if base_url is None:
        here = url.platform == EMBEDDED_ADDRESS or url.workspace == workspace
    else:
        here = same_platform(base_url, url.platform)
    if not here:
        where = "the workspace on this machine" if base_url is None else base_url
        raise CommandError(f"{named} is not an address of {where}.", USAGE)
    return url.thing


async def find_space(call: Call, thing: Thing | None, named: str, organization: Organization | None = None) -> Space:
    """Return the space with an address, an id or a title, in an organization or in all.

    Raises ``CommandError`` if none or several match.
    """
    if thing is not None:
        return await call(Spaces.get_space, thing.space)
    found: list[Space] = []
    for id in [organization.id] if organization is not None else await _organizations(call):
        async for spaces in pages(call, Spaces.list_spaces, id):
            found += spaces.items
    same = [space for space in found if space.id == named] or [space for space in found if space.title == named]
    same = same or [space for space in found if space.title.casefold() == named.casefold()]
    if len(same) == 1:
        return same[0]
    if same:
        named_ids = ", ".join(space.id for space in same[:_MOST_NAMED])
        raise CommandError(f"{count(len(same), 'space')} are called “{named}”. Name one by its id: {named_ids}.")
    titles = ", ".join(f"“{space.title}”" for space in found[:_MOST_NAMED])
    more = f" and {len(found) - _MOST_NAMED:,} more" if len(found) > _MOST_NAMED else ""
    there = f"There are {titles}{more}." if found else "There are no spaces yet."
    if organization is not None:
        raise CommandError(f"There is no space “{named}” in “{organization.title}”. {there} {OTHER_ORGANIZATION}")
    raise CommandError(f"There is no space “{named}”. {there}")


async def _organizations(call: Call) -> list[str]:
    return [each.id async for page in pages(call, Organizations.list_organizations) for each in page.items]


async def find_organization(call: Call, named: str | None, *, is_own: bool) -> Organization:
    """Return the organization of this title or id; by default the owner's, the oldest, or the only one."""
    found = [each async for page in pages(call, Organizations.list_organizations) for each in page.items]
    matching = [each for each in found if named is None or each.id == named]
    matching = matching or [each for each in found if each.title.casefold() == (named or "").casefold()]
    if matching and (len(matching) == 1 or (is_own and named is None)):
        return matching[0]
    titles = ", ".join(f"“{each.title}” ({each.id})" for each in found)
    if matching:
        raise CommandError(f"Name the organization by its id with --organization: {titles}.", USAGE)
    raise CommandError(f"There is no organization “{named}”. There are {titles}." if found else "No organization yet.")
