"""Changes of the spaces of an organization, as mutations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recto.client.call import pages
from recto.contract.spaces import CreateSpace, Space, Spaces, UpdateSpace
from recto.store.keys import about, calls
from recto.store.mutation import Matches, Mutation, changes, changes_items, matches, new_among

if TYPE_CHECKING:
    from recto.client.call import Call


def create_space(organization: str, title: str, collection: str | None = None) -> Mutation[Space]:
    """Make an empty space, in a collection or at the top of the organization."""

    async def work(call: Call) -> Space:
        body = CreateSpace(title=title, parent=collection) if collection else CreateSpace(title=title)
        return await call(Spaces.create_space, organization, body)

    async def find(call: Call) -> Matches[Space]:
        listed = [page async for page in pages(call, Spaces.list_spaces, organization)]
        return matches(listed, lambda one: one.title == title and one.parent == collection)

    return Mutation(
        doing=f"Making the space “{title}”",
        done=f"Made the space “{title}”",
        call=work,
        lookup=new_among(find),
        stale=(calls(Spaces.list_spaces, organization_id=organization),),
    )


def rename_space(space: str, title: str, before: str) -> Mutation[Space]:
    """Give a space another title; undoing gives it the one before."""

    def titled(shown: Space) -> Space:
        return shown.model_copy(update={"title": title}) if shown.id == space else shown

    return Mutation(
        doing=f"Renaming the space to “{title}”",
        done=f"Renamed the space to “{title}”",
        call=lambda call: call(Spaces.update_space, space, UpdateSpace(title=title)),
        effects=(changes(Spaces.get_space, titled, space_id=space), changes_items(Spaces.list_spaces, titled)),
        stale=(about(space_id=space), calls(Spaces.list_spaces)),
        inverse=lambda _: rename_space(space, before, title),
        lane=("space", space),
    )
