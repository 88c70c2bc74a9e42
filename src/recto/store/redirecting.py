"""Changes of a site's redirects, as mutations, and the redirects that keep old addresses working."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any
from urllib.parse import quote

from recto.client.call import pages
from recto.contract.redirects import (
    CreateRedirect,
    Destination,
    Redirect,
    Redirects,
    ToAddress,
    ToPage,
    ToSection,
    ToSiteSpace,
    UpdateRedirect,
)
from recto.document.text import count
from recto.frozen import frozen
from recto.store.arrangement import Arrangement, addresses, changed_addresses
from recto.store.keys import calls
from recto.store.mutation import Effect, Matches, Mutation, changes_items, matches, new_among

if TYPE_CHECKING:
    from recto.client.call import Call
    from recto.contract.redirects import RedirectDestination
    from recto.store.rearranging import Site


@frozen
class RedirectChanges:
    """Gives the changes that can be made on the redirects of one site."""

    site: Site

    def create(self, body: CreateRedirect) -> Mutation[Redirect]:
        """Add a redirect."""

        async def find(call: Call) -> Matches[Redirect]:
            listed = [page async for page in pages(call, Redirects.list_redirects, *self._ids)]
            return matches(listed, lambda one: one.source == body.source)

        return Mutation(
            doing=f"Adding the redirect from {body.source}",
            done=f"Added the redirect from {body.source}",
            call=lambda call: call(Redirects.create_redirect, *self._ids, body),
            lookup=new_among(find),
            stale=self._stale,
            inverse=self.delete,
            lane=self.site.lane,
        )

    def update(self, redirect: Redirect, body: UpdateRedirect) -> Mutation[Redirect]:
        """Change what the body sets of a redirect."""
        before: dict[str, Any] = {name: getattr(redirect, name) for name in body.model_fields_set}
        if "destination" in before:
            before["destination"] = as_sent(redirect.destination)

        def inverse(_: Redirect) -> Mutation[Redirect] | None:
            if "destination" in before and before["destination"] is None:
                return None
            changed = redirect.model_copy(update={name: getattr(body, name) for name in body.model_fields_set})
            return self.update(changed, UpdateRedirect(**before))

        return Mutation(
            doing=f"Changing the redirect from {redirect.source}",
            done=f"Changed the redirect from {redirect.source}",
            call=lambda call: call(Redirects.update_redirect, *self._ids, redirect.id, body),
            stale=self._stale,
            inverse=inverse,
            lane=self.site.lane,
        )

    def delete(self, redirect: Redirect) -> Mutation[None]:
        """Remove a redirect; undoing adds it again, with another id."""

        def inverse(_: None) -> Mutation[Redirect] | None:
            to = as_sent(redirect.destination)
            if to is None:
                return None
            return self.create(CreateRedirect(source=redirect.source, destination=to, permanent=redirect.permanent))

        effect: Effect = changes_items(
            Redirects.list_redirects, lambda one: None if one.id == redirect.id else one, site_id=self.site.id
        )
        return Mutation(
            doing=f"Deleting the redirect from {redirect.source}",
            done=f"Deleted the redirect from {redirect.source}",
            call=lambda call: call(Redirects.delete_redirect, *self._ids, redirect.id),
            effects=(effect,),
            stale=self._stale,
            inverse=inverse,
            lane=self.site.lane,
        )

    def keep_addresses(self, old: Iterable[OldAddress]) -> Mutation[tuple[Redirect, ...]]:
        """Redirect old addresses to the site spaces that were there; what redirects there already stays."""
        wanted = tuple(old)
        named = count(len(wanted), "old address", "old addresses")

        async def work(call: Call) -> tuple[Redirect, ...]:
            known = {
                one.source: one
                async for page in pages(call, Redirects.list_redirects, *self._ids)
                for one in page.items
            }
            made = []
            for one in wanted:
                to = ToSiteSpace(kind="site-space", site_space_id=one.site_space)
                if one.source not in known:
                    body = CreateRedirect(source=one.source, destination=to, permanent=True)
                    made.append(await call(Redirects.create_redirect, *self._ids, body))
                elif as_sent(known[one.source].destination) != to:
                    body_of_change = UpdateRedirect(destination=to)
                    await call(Redirects.update_redirect, *self._ids, known[one.source].id, body_of_change)
            return tuple(made)

        return Mutation(
            doing=f"Redirecting {named}",
            done=f"Redirected {named}",
            call=work,
            stale=self._stale,
            inverse=self._delete_all,
            lane=self.site.lane,
        )

    def _delete_all(self, redirects: tuple[Redirect, ...]) -> Mutation[None] | None:
        async def work(call: Call) -> None:
            for redirect in redirects:
                await call(Redirects.delete_redirect, *self._ids, redirect.id)

        if not redirects:
            return None
        named = count(len(redirects), "redirect")
        return Mutation(
            doing=f"Deleting {named}", done=f"Deleted {named}", call=work, stale=self._stale, lane=self.site.lane
        )

    @property
    def _ids(self) -> tuple[str, str]:
        return (self.site.organization, self.site.id)

    @property
    def _stale(self) -> tuple[Any, ...]:
        return (calls(Redirects.list_redirects, site_id=self.site.id),)


def as_sent(to: RedirectDestination | None) -> Destination | None:
    """Return a destination as it is sent; ``None`` for one of an unknown kind."""
    if to is None:
        return None
    match to.kind:
        case "site-section" if to.site_section_id:
            return ToSection(kind="site-section", site_section_id=to.site_section_id)
        case "site-space" if to.site_space_id:
            return ToSiteSpace(kind="site-space", site_space_id=to.site_space_id)
        case "site-page" if to.site_space_id and to.page_id:
            return ToPage(kind="site-page", site_space_id=to.site_space_id, page_id=to.page_id)
        case "external" if to.url:
            return ToAddress(kind="external", url=to.url)
    return None


@frozen
class OldAddress:
    """A path at which a site space was read before."""

    source: str
    site_space: str


def old_addresses(before: Arrangement, after: Arrangement) -> tuple[OldAddress, ...]:
    """Return the addresses that a change leaves without anything: not the site's own, and none that is taken again."""
    taken = set(addresses(after).values())
    return tuple(
        OldAddress(quote(one.before.rstrip("/")), one.item.id)
        for one in changed_addresses(before, after)
        if one.before != "/" and one.before not in taken
    )
