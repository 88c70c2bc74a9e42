"""Choosing members of an organization, searched by the platform."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import TYPE_CHECKING

from recto.client.call import pages
from recto.contract.members import Member, Members
from recto.tui.dialogs.choose import Choice
from recto.tui.look.signs import by_name, person

if TYPE_CHECKING:
    from recto.store.store import Store
    from recto.tui.dialogs.choose import Find

PAGE = 50
"""How many items are requested at once to choose from."""


def member_choice(member: Member, reason: str = "") -> Choice:
    """Return a member to choose, with the e-mail address; ``reason`` is why not."""
    return Choice(member.id, person(member.user), (member.user.email if member.user is not None else "") or "", reason)


def find_members(store: Store, organization: str, why_not: Callable[[Member], str] = lambda _: "") -> Find:
    """Return the search for members by name and address; ``why_not`` returns why a member cannot be chosen."""

    async def find(text: str) -> AsyncIterator[Sequence[Choice]]:
        async for page in pages(store.call, Members.list_members, organization, limit=PAGE, search=text or None):
            yield [member_choice(member, why_not(member)) for member in by_name(page.items) if not member.disabled]

    return find
