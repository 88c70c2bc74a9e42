"""Changes of a site's redirects, as mutations, and the redirects that keep old addresses working."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import field
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote, unquote, urlsplit

from pydantic import ValidationError

from recto.client.call import find_item, pages
from recto.contract.redirects import (
    CreateRedirect,
    Destination,
    Redirect,
    RedirectDestination,
    Redirects,
    ToAddress,
    ToPage,
    ToSection,
    ToSiteSpace,
    UpdateRedirect,
)
from recto.contract.structure import Structure
from recto.document.text import count
from recto.frozen import frozen
from recto.store.arrangement import Arrangement, Item, Kind, addresses, find_changed_addresses
from recto.store.mutation import Attempt, Effect, Mutation, changes_items, only_in_list, unless_changed
from recto.store.query_keys import calls

if TYPE_CHECKING:
    from recto.client.call import Call
    from recto.contract.content import Page
    from recto.store.rearranging import SiteAddress

_WILDCARD: Final = "/*"
"""Ends the source of a redirect that stands for everything below a path."""


@frozen
class KeptAddresses:
    """The redirects that were made to keep addresses, and those that were changed for it, as they were before."""

    made: tuple[Redirect, ...]
    changed: tuple[Redirect, ...]


@frozen
class RedirectChanges:
    """Changes of the redirects of a site."""

    site: SiteAddress

    def create(self, body: CreateRedirect) -> Mutation[Redirect]:
        """Add a redirect."""

        def is_it(one: Redirect) -> bool:
            return one.source == body.source and as_sent(one.destination) == body.destination

        return Mutation(
            doing=f"Adding the redirect from {body.source}",
            done=f"Added the redirect from {body.source}",
            call=lambda call: call(Redirects.create_redirect, *self._ids, body),
            lookup=only_in_list(is_it, Redirects.list_redirects, *self._ids),
            stale=self._stale,
            inverse=self.delete,
            lane=self.site.lane,
        )

    def update(self, redirect: Redirect, body: UpdateRedirect) -> Mutation[Redirect]:
        """Change what the body sets of a redirect."""
        before: dict[str, Any] = {name: getattr(redirect, name) for name in body.model_fields_set}
        if "destination" in before:
            before["destination"] = as_sent(redirect.destination)

        def inverse(after: Redirect) -> Mutation[Redirect] | None:
            if "destination" in before and before["destination"] is None:
                return None
            return self.update(after, UpdateRedirect(**before))

        return Mutation(
            doing=f"Changing the redirect from {redirect.source}",
            done=f"Changed the redirect from {redirect.source}",
            call=lambda call: call(Redirects.update_redirect, *self._ids, redirect.id, body),
            stale=self._stale,
            inverse=unless_changed(inverse, before, partial(self.read, redirect.id)),
            once=True,
            lane=self.site.lane,
        )

    async def read(self, id: str, call: Call) -> Redirect | None:
        """Return a redirect as it is now; ``None`` where it is gone."""
        return await find_item(call, lambda one: one.id == id, Redirects.list_redirects, *self._ids)

    def delete(self, redirect: Redirect) -> Mutation[None]:
        """Remove a redirect; undoing adds it again, with another id, if the API can make it."""

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
            once=True,
            lane=self.site.lane,
        )

    def keep_addresses(self, old: Iterable[OldAddress]) -> Mutation[KeptAddresses]:
        """Redirect old addresses to the site spaces that were there; what redirects there already stays.

        So does a site space that can still be read at its address: a platform may choose other defaults than foreseen.
        """
        wanted = tuple(old)
        named = count(len(wanted), "old address", "old addresses")

        async def work(call: Call) -> KeptAddresses:
            known = {
                one.source: one
                async for page in pages(call, Redirects.list_redirects, *self._ids)
                for one in page.items
            }
            now = addresses(Arrangement.of(await call(Structure.get_structure, *self._ids)))
            made, changed = [], []
            for one in wanted:
                if one.site_space in now and _source(now[one.site_space]) == one.source:
                    continue
                to = ToSiteSpace(kind="site-space", site_space_id=one.site_space)
                if one.source not in known:
                    new = self.create(CreateRedirect(source=one.source, destination=to, permanent=True))
                    made.append(await Attempt(new.call, new.lookup).make(call))
                elif as_sent(known[one.source].destination) != to:
                    body_of_change = UpdateRedirect(destination=to)
                    await call(Redirects.update_redirect, *self._ids, known[one.source].id, body_of_change)
                    changed.append(known[one.source])
            return KeptAddresses(tuple(made), tuple(changed))

        return Mutation(
            doing=f"Redirecting {named}",
            done=f"Redirected {named}",
            call=work,
            stale=self._stale,
            inverse=self._take_back,
            lane=self.site.lane,
        )

    def _take_back(self, kept: KeptAddresses) -> Mutation[None] | None:
        """Delete the new redirects, and restore the changed ones."""
        before = [(one, to) for one in kept.changed if (to := as_sent(one.destination)) is not None]

        async def work(call: Call) -> None:
            for redirect in kept.made:
                await call(Redirects.delete_redirect, *self._ids, redirect.id)
            for redirect, to in before:
                await call(Redirects.update_redirect, *self._ids, redirect.id, UpdateRedirect(destination=to))

        if not kept.made and not before:
            return None
        named = count(len(kept.made) + len(before), "redirect")
        return Mutation(
            doing=f"Taking back {named}", done=f"Took back {named}", call=work, stale=self._stale, lane=self.site.lane
        )

    @property
    def _ids(self) -> tuple[str, str]:
        return (self.site.organization, self.site.id)

    @property
    def _stale(self) -> tuple[Any, ...]:
        return (calls(Redirects.list_redirects, site_id=self.site.id),)


def as_sent(to: RedirectDestination | None) -> Destination | None:
    """Return a destination as it is sent; ``None`` if its kind is unknown, or no such address may be sent."""
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
            with suppress(ValidationError):
                return ToAddress(kind="external", url=to.url)
    return None


def is_creatable(redirect: Redirect) -> bool:
    """Whether the API can create a redirect like this."""
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
        case ToAddress() | RedirectDestination(kind="external", url=str()):
            return to.url or ""
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
    """The possible targets of a site's redirects."""

    arrangement: Arrangement
    pages: Mapping[str, Mapping[str, Page]] = field(default_factory=dict)
    """The pages by their ids, by the id of the space, as far as they are known."""
    published: str | None = None
    """The site's own published address."""

    @cached_property
    def read_at(self) -> Mapping[str, str]:
        """The path on the site at which each site space is read, by its id."""
        return addresses(self.arrangement)

    @cached_property
    def _read(self) -> Mapping[str, Item]:
        """The sections and site spaces by the path at which they are read."""
        items = self.arrangement.items
        sections = {f"/{item.path}": item for item in items.values() if item.kind is Kind.SECTION}
        return sections | {_path(path): items[id] for id, path in self.read_at.items()}

    @cached_property
    def _page_paths(self) -> Mapping[str, frozenset[str]]:
        return {space: frozenset(page.path or "" for page in pages.values()) for space, pages in self.pages.items()}

    def own_path(self, url: str) -> str | None:
        """Return the path on the site that an address stands for; ``None`` where it is not the site's own."""
        try:
            own, asked = urlsplit(self.published or ""), urlsplit(url)
            is_own = bool(own.hostname) and (own.hostname, own.port) == (asked.hostname, asked.port)
        except ValueError:  # an invalid host or port
            return None
        base, path = own.path.rstrip("/"), unquote(asked.path)
        return _path(path.removeprefix(base)) if is_own and f"{path}/".startswith(f"{base}/") else None

    def read_in(self, path: str) -> tuple[Item, str] | None:
        """Return the section or site space in which a path of the site is read, and the path of the page in it."""
        for above in _upwards(path):
            if (item := self._read.get(above)) is not None:
                return item, path.removeprefix(above).strip("/")
        return None

    def _is_nowhere(self, path: str) -> bool:
        """Whether nothing is read at a path of the site; of files and the platform's own paths that is not known."""
        if "~" in path or "." in path.rpartition("/")[2]:
            return False
        if (found := self.read_in(path)) is None:
            return path != "/"
        item, page = found
        known = self._page_paths.get(item.space or "")
        return bool(page) and known is not None and page not in known

    def is_dead(self, redirect: Redirect) -> bool:
        """Whether the target of a redirect is known to be gone."""
        match as_sent(redirect.destination):
            case ToSection(site_section_id=id) | ToSiteSpace(site_space_id=id):
                return id not in self.arrangement.items
            case ToPage(site_space_id=id, page_id=page):
                item = self.arrangement.items.get(id)
                if item is None:
                    return True
                pages = self.pages.get(item.space or "")
                return pages is not None and page not in pages
            case ToAddress(url=url) if (path := self.own_path(url)) is not None:
                return self._is_nowhere(path)
        return False

    def path(self, redirect: Redirect) -> str | None:
        """Return the path on the site to which a redirect leads; ``None`` where it leads away, or is dead."""
        read_at = self.read_at
        match as_sent(redirect.destination):
            case ToSection(site_section_id=id) if id in self.arrangement.items:
                return f"/{self.arrangement.items[id].path}"
            case ToSiteSpace(site_space_id=id) if id in read_at:
                return _path(read_at[id])
            case ToPage(site_space_id=id, page_id=page) if id in read_at:
                known = self.pages.get(self.arrangement.items[id].space or "", {}).get(page)
                return _path(f"{read_at[id]}{known.path}") if known is not None and known.path else None
            case ToAddress(url=url):
                return self.own_path(url)
        return None


@frozen
class Problems:
    """The ids of redirects in loops, and of those with a dead target."""

    loops: frozenset[str] = frozenset()
    dead: frozenset[str] = frozenset()


def find_problems(redirects: Sequence[Redirect], targets: Targets) -> Problems:
    """Return the redirects that lead into a loop, and those with a dead target.

    A target that another redirect leads on from is not dead. Takes time proportional to the number of redirects.
    """
    sources = _Sources(redirects)
    after = {one.id: sources.after(one, targets.path(one)) for one in redirects}
    ends: dict[str, bool] = {}
    for redirect in redirects:
        way: dict[str, bool] = {}
        here: Redirect | None = redirect
        while here is not None and here.id not in ends and here.id not in way:
            way[here.id] = True
            here = after[here.id]
        in_ring = here is not None and ends.get(here.id, True)
        ends |= dict.fromkeys(way, in_ring)
    return Problems(
        frozenset(id for id, in_ring in ends.items() if in_ring),
        frozenset(one.id for one in redirects if after[one.id] is None and targets.is_dead(one)),
    )


class _Sources:
    """Redirects by their paths: a single path or, with a wildcard, all those below it."""

    def __init__(self, redirects: Sequence[Redirect]) -> None:
        self._exact: dict[str, Redirect] = {}
        self._below: dict[str, Redirect] = {}
        for one in redirects:
            source = unquote(one.source)
            if source.endswith(_WILDCARD):
                self._below[_path(source.removesuffix(_WILDCARD))] = one
            else:
                self._exact[_path(source)] = one

    def after(self, redirect: Redirect, target: str | None) -> Redirect | None:
        """Return the redirect that applies to ``target`` in its turn; of several the most specific."""
        if target is None:
            return None
        if redirect.capture_wildcard:  # what stood for the wildcard follows, whatever it was
            return self._first_below(_upwards(_path(target.removesuffix(_WILDCARD))))
        above = _upwards(target)
        return self._exact.get(next(above)) or self._first_below(above)

    def _first_below(self, paths: Iterator[str]) -> Redirect | None:
        return next((self._below[path] for path in paths if path in self._below), None) if self._below else None


def _upwards(path: str) -> Iterator[str]:
    """Yield a path and its parents, up to the site's own."""
    yield path
    while path != "/":
        path = path.rpartition("/")[0] or "/"
        yield path


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
        OldAddress(_source(one.before), one.item.id)
        for one in find_changed_addresses(before, after)
        if one.before != "/" and one.before not in taken
    )


def _source(address: str) -> str:
    """Return the address of a site space as the source of a redirect."""
    return quote(address.rstrip("/"))
