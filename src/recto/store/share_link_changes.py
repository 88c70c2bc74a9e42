"""Changes of a site's share links, as mutations."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from recto.client.call import find_item
from recto.contract.share_links import CreateShareLink, ShareLink, ShareLinks, UpdateShareLink
from recto.frozen import frozen
from recto.store.mutation import Mutation, changes_items, new_in_list, unless_changed
from recto.store.query_keys import calls

if TYPE_CHECKING:
    from recto.client.call import Call
    from recto.store.rearranging import SiteAddress


@frozen
class ShareLinkChanges:
    """Changes of the share links of a site."""

    site: SiteAddress

    def create(self, body: CreateShareLink) -> Mutation[ShareLink]:
        """Add a share link, which works at once; undoing deletes it."""
        return Mutation(
            doing=f"Creating the share link “{body.name}”",
            done=f"Created the share link “{body.name}”",
            call=lambda call: call(ShareLinks.create_share_link, *self._ids, body),
            lookup=new_in_list(lambda one: one.name == body.name, ShareLinks.list_share_links, *self._ids),
            stale=self._stale,
            inverse=self.delete,
            lane=self.site.lane,
        )

    def update(self, link: ShareLink, body: UpdateShareLink) -> Mutation[ShareLink]:
        """Rename a link, or switch it on or off."""
        before = {name: getattr(link, name) for name in body.model_fields_set}
        after = link.model_copy(update={name: getattr(body, name) for name in body.model_fields_set})

        def inverse(left: ShareLink) -> Mutation[ShareLink] | None:
            if None in before.values():
                return None
            return self.update(left, UpdateShareLink(**before))

        done = f"Switched {'on' if body.active else 'off'} “{name_of(link)}”"
        if "name" in body.model_fields_set:
            done = f"Renamed the share link to “{body.name}”"
        return Mutation(
            doing=f"Changing the share link “{name_of(link)}”",
            done=done,
            call=lambda call: call(ShareLinks.update_share_link, *self._ids, link.id, body),
            effects=(
                changes_items(
                    ShareLinks.list_share_links, lambda one: after if one.id == link.id else one, site_id=self.site.id
                ),
            ),
            stale=self._stale,
            inverse=unless_changed(inverse, before, partial(self.read, link.id)),
            once=True,
            lane=self.site.lane,
        )

    async def read(self, id: str, call: Call) -> ShareLink | None:
        """Return a link as it is now; ``None`` where it is gone."""
        return await find_item(call, lambda one: one.id == id, ShareLinks.list_share_links, *self._ids)

    def delete(self, link: ShareLink) -> Mutation[None]:
        """Delete a link; its address never works again."""
        return Mutation(
            doing=f"Deleting the share link “{name_of(link)}”",
            done=f"Deleted the share link “{name_of(link)}”",
            call=lambda call: call(ShareLinks.delete_share_link, *self._ids, link.id),
            effects=(
                changes_items(
                    ShareLinks.list_share_links, lambda one: None if one.id == link.id else one, site_id=self.site.id
                ),
            ),
            stale=self._stale,
            lane=self.site.lane,
        )

    @property
    def _ids(self) -> tuple[str, str]:
        return (self.site.organization, self.site.id)

    @property
    def _stale(self) -> tuple[Any, ...]:
        return (calls(ShareLinks.list_share_links, site_id=self.site.id),)


def name_of(link: ShareLink) -> str:
    """Return the name of a link, else its id."""
    return link.name or link.id
