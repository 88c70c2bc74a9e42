"""Links, their status as the caller sees it, and backlinks, as models of the contract."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import Any
from urllib.parse import quote, unquote

from recto.contract.common import ListPage
from recto.contract.content import ReusableContent
from recto.contract.links import (
    BrokenContext,
    BrokenLinks,
    ContentLink,
    LinkList,
    LinkLocation,
    LinkStats,
    LinkStatus,
    ReferencedContent,
    VersionContext,
)
from recto.contract.organizations import Organization
from recto.document.markdown.page_links import Link
from recto.server.content.computed_pages import Computed, compute_pages
from recto.server.content.files import serialize_file
from recto.server.content.link_index import (
    BESIDE_THE_TEXT,
    FoundLink,
    LinkSource,
    LinkTarget,
    has_anchor,
    links_of,
    links_of_page,
    outward_links,
    page_named,
)
from recto.server.content.objects import load_manifest
from recto.server.content.page_serializers import RevisionView, page_alone
from recto.server.content.revisions import SOURCE, FileEntry, StoredRevision, content_of, main_revision
from recto.server.context import Context
from recto.server.http.paging import list_items
from recto.server.http.problems import NotFound
from recto.server.people.access import Standing, require, require_collection, standing_of
from recto.server.people.organizations import serialize_organization
from recto.server.serializers import SPACES, known_fields, serialize_space
from recto.server.spaces.collections import serialize_collection
from recto.server.specifications.stored_specifications import serialize_specification, specification_of_space
from recto.server.storage.database import Row

_HOSTED_APP = "https://app.gitbook.com"
_IN_APP = re.compile(r"(?:o/[^/]+/)?s/([^/?#]+)(?:/([^?#]*))?")
_IN_API = re.compile(r"v1/spaces/([^/?#]+)(?:/content/(?:page|path)/([^?#]*))?")
MOST_PLACES = 5_000
"""The most places of links in a response; later links name their first place alone."""

_TITLE_LINES = 2  # a page's Markdown as it is given out begins with its title and an empty line


class Outside:
    """Link targets outside of a revision, as the caller sees them; each is looked up once."""

    def __init__(self, context: Context, space: str) -> None:
        self._context = context
        self._space = space
        self._rows: dict[str, Row | None] = {}
        self._views: dict[str, RevisionView] = {}
        self._pages: dict[str, Computed] = {}
        self._collections: dict[str, Row | None] = {}
        self._specifications: dict[str, Row | None] = {}

    def in_app(self, url: str) -> bool:
        """Whether an address leads into the application: this server's or the hosted platform's."""
        return self._below(url) is not None

    def _below(self, url: str) -> str | None:
        starts = (start for start in (_HOSTED_APP, self._context.base_url) if start)
        found = next((start for start in starts if url == start or url.startswith(f"{start}/")), None)
        return url[len(found) + 1 :] if found is not None else None

    def place(self, target: LinkTarget) -> tuple[str, str, str] | None:
        """Return the space that a target is in by its address, the page as it is written, and the anchor."""
        if target.space:
            return target.space, "" if target.kind == "space" else target.name, target.anchor
        if target.kind == "space":
            return target.name, "", ""
        below = self._below(target.name) if target.kind == "url" else None
        if below is None:
            return None
        found = _IN_APP.match(below) or _IN_API.match(below)
        return (found[1], unquote(found[2] or "").strip("/"), unquote(below.partition("#")[2])) if found else None

    def space(self, space: str) -> Row | None:
        """Return a space with its counters where the caller may see it."""
        if space not in self._rows:
            try:
                require(self._context, space)
                self._rows[space] = self._context.database.one(f"{SPACES} WHERE spaces.id = ?", space)
            except NotFound:
                self._rows[space] = None
        return self._rows[space]

    def view(self, space: str) -> RevisionView:
        """Return the main content of a space that the caller may see."""
        if space not in self._views:
            revision = main_revision(self._context.database, space)
            self._views[space] = RevisionView(revision, f"/spaces/{space}/content", metadata=False)
        return self._views[space]

    def pages(self, view: RevisionView) -> Computed:
        """Return the pages of a view."""
        if view.path not in self._pages:
            self._pages[view.path] = compute_pages(self._context.database, view.revision)
        return self._pages[view.path]

    def collection(self, collection: str) -> Row | None:
        """Return a collection where the caller may see it."""
        if collection not in self._collections:
            try:
                self._collections[collection] = require_collection(self._context, collection)
            except NotFound:
                self._collections[collection] = None
        return self._collections[collection]

    def status(self, target: LinkTarget) -> LinkStatus:
        """Describe a target."""
        if not target.found:
            return "ok" if target.kind == "openapi" and self.specification(target.name) is not None else "broken"
        if target.kind == "url":
            return "in-app" if self.in_app(target.name) else "ok"
        if target.kind == "collection":
            return "ok" if self.collection(target.name) else "broken"
        if target.space or target.kind == "space":
            return "ok" if self._is_there(target) else "broken"
        return "ok"

    def specification(self, name: str) -> Row | None:
        """Return the specification of the space's organization that has this slug or id."""
        if name not in self._specifications:
            self._specifications[name] = specification_of_space(self._context.database, self._space, name)
        return self._specifications[name]

    def _is_there(self, target: LinkTarget) -> bool:
        if self.space(target.space or target.name) is None:
            return False
        if target.kind == "space":
            return True
        pages = self.pages(self.view(target.space))
        page = page_named(pages.tree, target.name)
        return page is not None and (
            not target.anchor or has_anchor(self._context.database, pages, page, target.anchor)
        )


class LinkSerializer:
    """Serializes links of a revision, making shared parts once."""

    def __init__(self, context: Context, view: RevisionView, outside: Outside) -> None:
        self._context = context
        self._view = view
        self._outside = outside
        self._things: dict[tuple[str, str, str], dict[str, Any]] = {}
        self._spaces: dict[str, dict[str, Any]] = {}
        self._organizations: dict[str, Organization] = {}
        self._files: dict[str, dict[str, FileEntry]] = {}
        self._places_left = MOST_PLACES

    def link(self, found: FoundLink, status: LinkStatus) -> ContentLink:
        """Return a link with its target and the places in which it is written."""
        places = found.places[: max(1, self._places_left)]
        self._places_left -= len(places)
        return ContentLink.model_construct(
            status=status,
            relation=found.relation,
            location_references=tuple(self._location(found.source, place) for place in places),
            **known_fields(target_reference=self._target(found.target)),
        )

    def source(self, source: LinkSource) -> ReferencedContent:
        """Return what points at something."""
        return ReferencedContent.model_construct(**self._thing(self._view, source.kind, source.id))

    def _location(self, source: LinkSource, place: Link) -> LinkLocation:
        before = _TITLE_LINES if source.kind == "page" else 0
        return LinkLocation.model_construct(
            **self._thing(self._view, source.kind, source.id),
            target=place.target,
            text=place.text,
            **known_fields(line=place.line + 1 + before if place.line != BESIDE_THE_TEXT else None),
        )

    def _target(self, target: LinkTarget) -> ReferencedContent | None:
        """Return the target with its anchor; ``None`` where it is missing or hidden from the caller."""
        match target.kind:
            case "url":
                fields: dict[str, Any] = {"kind": "url", "url": target.name}
            case "collection":
                fields = self._collection(target.name)
            case "space":
                fields = {"kind": "space", **space} if (space := self._space(target.name)) else {}
            case "openapi":
                fields = self._specification(target.name)
            case _:
                fields = self._elsewhere(target) if target.space else self._inside(target)
        return (
            ReferencedContent.model_construct(**fields, **known_fields(anchor=target.anchor or None))
            if fields
            else None
        )

    def _inside(self, target: LinkTarget) -> dict[str, Any]:
        return self._thing(self._view, "page" if target.kind == "anchor" else target.kind, target.name)

    def _elsewhere(self, target: LinkTarget) -> dict[str, Any]:
        if self._outside.space(target.space) is None:
            return {}
        view = self._outside.view(target.space)
        page = page_named(self._outside.pages(view).tree, target.name)
        return self._thing(view, "page", page or target.name)

    def _thing(self, view: RevisionView, kind: str, name: str) -> dict[str, Any]:
        """Return a page, file or reusable content of a revision as the fields of a reference."""
        place = (view.revision.id, kind, name)
        if place not in self._things:
            held = {"page": self._page, "file": self._file}.get(kind, self._reusable_content)(view, name)
            context = VersionContext(type="revision", revision=view.revision.id)
            space = self._space(view.revision.space)
            self._things[place] = {"kind": kind, **space, "version_context": context, **held} if held else {}
        return self._things[place]

    def _page(self, view: RevisionView, name: str) -> dict[str, Any]:
        place = self._outside.pages(view).tree.places.get(name)
        return {"page": page_alone(self._context, view, place)} if place else {}

    def _file(self, view: RevisionView, name: str) -> dict[str, Any]:
        space, revision = view.revision.space, view.revision.id
        if revision not in self._files:
            files = content_of(self._context.database, view.revision).files
            self._files[revision] = {str(each["id"]): each for each in files}
        entry = self._files[revision].get(name)
        return {"file": serialize_file(self._context, space, entry, git=view.metadata)} if entry else {}

    def _reusable_content(self, view: RevisionView, name: str) -> dict[str, Any]:
        contents = content_of(self._context.database, view.revision).extras.get("reusableContents", ())
        found = next((each for each in contents if each["id"] == name), None)
        return {"reusable_content": ReusableContent(id=name, title=found["title"])} if found else {}

    def _space(self, space: str) -> dict[str, Any]:
        """Return a space and its organization as fields of a reference; nothing where the caller may not see it."""
        if space not in self._spaces:
            row = self._outside.space(space)
            self._spaces[space] = self._of_space(row) if row else {}
        return self._spaces[space]

    def _of_space(self, row: Row) -> dict[str, Any]:
        place = standing_of(self._context, row["organization"])
        return {
            "organization": self._organization(row["organization"], place),
            "space": serialize_space(self._context, row, place.on(row)),
        }

    def _collection(self, collection: str) -> dict[str, Any]:
        row = self._outside.collection(collection)
        if row is None:
            return {}
        place = standing_of(self._context, row["organization"])
        organization = self._organization(row["organization"], place)
        return {
            "kind": "collection",
            "organization": organization,
            "collection": serialize_collection(self._context, row, place.on(row)),
        }

    def _specification(self, name: str) -> dict[str, Any]:
        row = self._outside.specification(name)
        if row is None:
            return {}
        organization = self._organization(row["organization"], standing_of(self._context, row["organization"]))
        specification = serialize_specification(self._context, row)
        return {"kind": "openapi", "organization": organization, "open_api_spec": specification}

    def _organization(self, organization: str, place: Standing) -> Organization:
        if organization not in self._organizations:
            row = self._context.database.one("SELECT * FROM organizations WHERE id = ?", organization)
            assert row is not None
            self._organizations[organization] = serialize_organization(self._context, row, place)
        return self._organizations[organization]


def serialize_links(
    context: Context,
    view: RevisionView,
    *,
    of_page: str | None = None,
    base: StoredRevision | None = None,
    status: LinkStatus | None = None,
    broken_context: BrokenContext | None = None,
    page: str | None,
    limit: int | None,
) -> LinkList:
    """Return the links of a revision or a page, of a status or of all, or those that a context breaks.

    The stats count them all, whatever their status. A link counts as broken by the change request where it is not
    broken in ``base``, the revision that the change request is based on.
    """
    outside = Outside(context, view.revision.space)
    links = _in_repository(context, view.revision, _find(context, view.revision, of_page))
    with_status = [(found, outside.status(found.target)) for found in links]
    broken = [found for found, its_status in with_status if its_status == "broken"]
    caused = _find_caused(context, outside, broken, base, of_page) if base and broken else []
    wanted: set[int] | None = None
    if broken_context is not None:
        by_request = {id(found) for found in caused}
        wanted = by_request if broken_context == "change-request" else {id(found) for found in broken} - by_request
    serializer = LinkSerializer(context, view, outside)
    listed = list_items(
        [each for each in with_status if status in (None, each[1]) and (wanted is None or id(each[0]) in wanted)],
        name=f"links {view.path} {of_page}",
        key=lambda each: each[0].key,
        build=lambda each: serializer.link(*each),
        page=page,
        limit=limit,
    )
    stats = LinkStats(total=len(with_status), broken=BrokenLinks(total=len(broken), change_request=len(caused)))
    return LinkList(**{name: getattr(listed, name) for name in listed.model_fields_set}, stats=stats)


def _find(context: Context, revision: StoredRevision, page: str | None) -> Sequence[FoundLink]:
    if page is None:
        return links_of(context.database, revision)
    return links_of_page(context.database, revision, page)


def _in_repository(context: Context, revision: StoredRevision, links: Sequence[FoundLink]) -> Sequence[FoundLink]:
    """Point links out of the folder of the documentation at the files on the web, where their address is known."""
    if not any(found.target.kind == "outside" for found in links):
        return links
    connection = context.database
    sync = connection.one("SELECT tree_url, directory FROM git_syncs WHERE space = ?", revision.space)
    if sync is None or sync["tree_url"] is None:
        return links
    source = content_of(connection, revision).extras.get(SOURCE)
    root = str(load_manifest(connection, source)["root"]) if source else ""

    def point(found: FoundLink) -> FoundLink:
        place = posixpath.normpath(posixpath.join(sync["directory"], root, found.target.name))
        if found.target.kind != "outside" or place.startswith(".."):
            return found
        address = f"{sync['tree_url'].rstrip('/')}/{quote(unquote(place))}"
        return replace(found, target=LinkTarget("url", address, found.target.anchor))

    return [point(found) for found in links]


def _find_caused(
    context: Context, outside: Outside, broken: Iterable[FoundLink], base: StoredRevision, page: str | None
) -> list[FoundLink]:
    """Return the links that are not broken in the revision before, as they are written there."""
    if page is not None and page not in compute_pages(context.database, base).tree.places:
        return list(broken)
    before = {
        (found.source, place.target)
        for found in _find(context, base, page)
        if outside.status(found.target) == "broken"
        for place in found.places
    }
    return [found for found in broken if any((found.source, place.target) not in before for place in found.places)]


Pointing = tuple[RevisionView, LinkSource]
"""A source of a backlink, and its places."""


def backlinks_of_page(
    context: Context, view: RevisionView, page: str, at: str | None, limit: int | None
) -> ListPage[ReferencedContent]:
    """Return the pages and reusable contents that point at a page, other than itself, each once."""
    outside = Outside(context, view.revision.space)
    tree = outside.pages(view).tree
    space = view.revision.space

    def from_anywhere(link: FoundLink) -> bool:
        place = outside.place(link.target)
        return place is not None and place[0] == space and page_named(tree, place[1]) == page

    def from_here(link: FoundLink) -> bool:
        inside = link.target.kind in ("page", "anchor") and not link.target.space and link.target.name == page
        return inside or from_anywhere(link)

    own = LinkSource("page", page)
    here = links_of(context.database, view.revision)
    found = [pointing for pointing in _find_pointing(view, here, from_here) if pointing[1] != own]
    for other in map(outside.view, _other_spaces(context, space)):
        found += _find_pointing(other, outward_links(context.database, other.revision), from_anywhere)
    return _backlinks(context, outside, found, f"backlinks {view.path} page {page}", at, limit)


def backlinks_of_file(
    context: Context, view: RevisionView, file: str, at: str | None, limit: int | None
) -> ListPage[ReferencedContent]:
    """Return the pages and reusable contents that point at a file, each once."""

    def points(link: FoundLink) -> bool:
        return link.target.kind == "file" and link.target.name == file

    found = list(_find_pointing(view, links_of(context.database, view.revision), points))
    return _backlinks(
        context, Outside(context, view.revision.space), found, f"backlinks {view.path} file {file}", at, limit
    )


def _find_pointing(
    view: RevisionView, links: Iterable[FoundLink], points: Callable[[FoundLink], bool]
) -> Iterator[Pointing]:
    """Yield each item with a link that points there, once."""
    seen: set[LinkSource] = set()
    for link in links:
        if link.source not in seen and points(link):
            seen.add(link.source)
            yield view, link.source


def _other_spaces(context: Context, space: str) -> list[str]:
    """Return the other spaces of the organization that the caller may see."""
    organization = context.database.value("SELECT organization FROM spaces WHERE id = ?", space)
    place = standing_of(context, organization)
    rows = context.database.all(
        "SELECT id, parent, default_level FROM spaces"
        " WHERE organization = ? AND id <> ? AND deleted_at IS NULL AND revision IS NOT NULL",
        organization,
        space,
    )
    return [row["id"] for row in rows if place.on(row) is not None]


def _backlinks(
    context: Context, outside: Outside, found: list[Pointing], name: str, at: str | None, limit: int | None
) -> ListPage[ReferencedContent]:
    serializers: dict[str, LinkSerializer] = {}

    def build(pointing: Pointing) -> ReferencedContent:
        view, source = pointing
        return serializers.setdefault(view.path, LinkSerializer(context, view, outside)).source(source)

    return list_items(
        found,
        name=name,
        key=lambda pointing: (pointing[0].revision.space, pointing[1].kind, pointing[1].id),
        build=build,
        page=at,
        limit=limit,
    )
