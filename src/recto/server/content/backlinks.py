"""What points at a page or a file: in its own space, and for pages in the other spaces of the organization."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from recto.contract.common import ListPage
from recto.contract.links import ReferencedContent
from recto.server.content.answers import View
from recto.server.content.link_answers import LinkAnswers, Outside
from recto.server.content.links import FoundLink, Source, links_of, outward_links, page_named
from recto.server.content.revisions import tree_of
from recto.server.context import Context
from recto.server.http.paging import list_items
from recto.server.people.access import standing

Pointing = tuple[View, Source]
"""Something that points, and where it is found."""


def backlinks_of_page(
    context: Context, view: View, page: str, at: str | None, limit: int | None
) -> ListPage[ReferencedContent]:
    """Return the pages and reusable contents that point at a page, other than itself, each once."""
    outside = Outside(context)
    tree = tree_of(context.database, view.revision)
    space = view.revision.space

    def from_anywhere(link: FoundLink) -> bool:
        place = outside.place(link.target)
        return place is not None and place[0] == space and page_named(tree, place[1]) == page

    def from_here(link: FoundLink) -> bool:
        inside = link.target.kind in ("page", "anchor") and not link.target.space and link.target.name == page
        return inside or from_anywhere(link)

    own = Source("page", page)
    here = links_of(context.database, view.revision)
    found = [pointing for pointing in _pointing(view, here, from_here) if pointing[1] != own]
    for other in map(outside.view, _other_spaces(context, space)):
        found += _pointing(other, outward_links(context.database, other.revision), from_anywhere)
    return _answer(context, outside, found, f"backlinks {view.path} page {page}", at, limit)


def backlinks_of_file(
    context: Context, view: View, file: str, at: str | None, limit: int | None
) -> ListPage[ReferencedContent]:
    """Return the pages and reusable contents that point at a file, each once."""

    def points(link: FoundLink) -> bool:
        return link.target.kind == "file" and link.target.name == file

    found = list(_pointing(view, links_of(context.database, view.revision), points))
    return _answer(context, Outside(context), found, f"backlinks {view.path} file {file}", at, limit)


def _pointing(view: View, links: Iterable[FoundLink], points: Callable[[FoundLink], bool]) -> Iterator[Pointing]:
    """Yield each thing of which one of the links points there, once."""
    seen: set[Source] = set()
    for link in links:
        if link.source not in seen and points(link):
            seen.add(link.source)
            yield view, link.source


def _other_spaces(context: Context, space: str) -> list[str]:
    """Return the other spaces of the organization that the caller may see."""
    organization = context.database.value("SELECT organization FROM spaces WHERE id = ?", space)
    place = standing(context, organization)
    rows = context.database.all(
        "SELECT id, parent, default_level FROM spaces"
        " WHERE organization = ? AND id <> ? AND deleted_at IS NULL AND revision IS NOT NULL",
        organization,
        space,
    )
    return [row["id"] for row in rows if place.on(row) is not None]


def _answer(
    context: Context, outside: Outside, found: list[Pointing], name: str, at: str | None, limit: int | None
) -> ListPage[ReferencedContent]:
    answers: dict[str, LinkAnswers] = {}

    def build(pointing: Pointing) -> ReferencedContent:
        view, source = pointing
        return answers.setdefault(view.path, LinkAnswers(context, view, outside)).source(source)

    return list_items(
        found,
        name=name,
        key=lambda pointing: (pointing[0].revision.space, pointing[1].kind, pointing[1].id),
        build=build,
        page=at,
        limit=limit,
    )
