"""Changes of a site's redirects, as mutations, and the redirects that keep old addresses working."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from typing import TYPE_CHECKING, Any
from urllib.parse import quote, unquote, urlsplit

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
from recto.store.arrangement import Arrangement, addresses, find_changed_addresses
from recto.store.mutation import Effect, Mutation, changes_items, new_in_list
from recto.store.query_keys import calls

if TYPE_CHECKING:
    from recto.client.call import Call
    from recto.contract.content import Page
    from recto.contract.redirects import RedirectDestination
    from recto.store.rearranging import Site


@frozen
class RedirectChanges:
    """Changes of the redirects of a site."""

    site: Site

    def create(self, body: CreateRedirect) -> Mutation[Redirect]:
        """Add a redirect."""
        return Mutation(
            doing=f"Adding the redirect from {body.source}",
            done=f"Added the redirect from {body.source}",
            call=lambda call: call(Redirects.create_redirect, *self._ids, body),
            lookup=new_in_list(lambda one: one.source == body.source, Redirects.list_redirects, *self._ids),
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
        """Remove a redirect; undoing adds it again, with another id, where the API can make such a one."""

        def inverse(_: None) -> Mutation[Redirect] | None:
            to = as_sent(redirect.destination)
            if to is None or not is_creatable(redirect):
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


def is_creatable(redirect: Redirect) -> bool:
    """Whether the API can make a redirect like this one."""
    return as_sent(redirect.destination) is not None and not (redirect.draft or redirect.capture_wildcard)


def target_of(to: RedirectDestination | Destination | None) -> str:
    """Return a destination as text that :func:`destination` reads; empty for an unknown kind."""
    match to:
        case ToSection():
            return f"section:{to.site_section_id}"
        case ToSiteSpace():
            return f"space:{to.site_space_id}"
        case ToPage():
            return f"page:{to.site_space_id}:{to.page_id}"
        case ToAddress():
            return to.url
        case None:
            return ""
    return target_of(as_sent(to))


def destination(target: str) -> Destination:
    """Return the destination that a text of :func:`target_of` stands for; anything else is an address elsewhere."""
    kind, _, id = target.partition(":")
    match kind:
        case "section":
            return ToSection(kind="site-section", site_section_id=id)
        case "space":
            return ToSiteSpace(kind="site-space", site_space_id=id)
        case "page":
            site_space, _, page = id.partition(":")
            return ToPage(kind="site-page", site_space_id=site_space, page_id=page)
    return ToAddress(kind="external", url=target)


@frozen
class Targets:
    """What redirects of a site can lead to."""

    arrangement: Arrangement
    pages: Mapping[str, Mapping[str, Page]] = field(default_factory=dict)
    """The pages by their ids, by the id of the space, as far as they are known."""
    published: str | None = None
    """The site's own published address."""

    def is_dead(self, redirect: Redirect) -> bool:
        """Whether what a redirect leads to is known to be gone."""
        match as_sent(redirect.destination):
            case ToSection(site_section_id=id) | ToSiteSpace(site_space_id=id):
                return id not in self.arrangement.items
            case ToPage(site_space_id=id, page_id=page):
                item = self.arrangement.items.get(id)
                if item is None:
                    return True
                pages = self.pages.get(item.space or "")
                return pages is not None and page not in pages
        return False

    def path(self, redirect: Redirect) -> str | None:
        """Return the path on the site to which a redirect leads; ``None`` where it leads away, or is dead."""
        read_at = addresses(self.arrangement)
        match as_sent(redirect.destination):
            case ToSection(site_section_id=id) if id in self.arrangement.items:
                return f"/{self.arrangement.items[id].path}"
            case ToSiteSpace(site_space_id=id) if id in read_at:
                return _path(read_at[id])
            case ToPage(site_space_id=id, page_id=page) if id in read_at:
                known = self.pages.get(self.arrangement.items[id].space or "", {}).get(page)
                return _path(f"{read_at[id]}{known.path}") if known is not None and known.path else None
            case ToAddress(url=url) if self.published and url.startswith(self.published):
                return _path(urlsplit(url).path.removeprefix(urlsplit(self.published).path.rstrip("/")) or "/")
        return None


def loops(redirects: Sequence[Redirect], targets: Targets) -> frozenset[str]:
    """Return the ids of the redirects that lead back to themselves or into such a ring."""
    by_source = {_path(unquote(one.source)): one for one in redirects}
    after = {one.id: by_source.get(targets.path(one) or "") for one in redirects}
    ends: dict[str, bool] = {}
    for redirect in redirects:
        way: list[str] = []
        here: Redirect | None = redirect
        while here is not None and here.id not in ends and here.id not in way:
            way.append(here.id)
            here = after[here.id]
        in_ring = here is not None and (ends.get(here.id, True))
        ends.update(dict.fromkeys(way, in_ring))
    return frozenset(id for id, in_ring in ends.items() if in_ring)


def _path(path: str) -> str:
    return path.rstrip("/") or "/"


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
        for one in find_changed_addresses(before, after)
        if one.before != "/" and one.before not in taken
    )
