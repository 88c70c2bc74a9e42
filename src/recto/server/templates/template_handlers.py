"""Handlers of templates: their pages are filled in and added after those of a space."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path

from recto.contract.common import (
    AnchorReference,
    CollectionReference,
    ContentReference,
    FileReference,
    PageReference,
    SpaceReference,
    UrlReference,
)
from recto.contract.templates import TEMPLATES, ApplyTemplate, Template, Templates
from recto.server.content.imported_tree import ImportedPage, ImportedTree, append_pages
from recto.server.context import Context
from recto.server.exchange.book import BookPage
from recto.server.exchange.library import read_library
from recto.server.http.problems import BadRequest
from recto.server.http.registry import handles
from recto.server.people.access import require

PAGES = Path(__file__).parent / "pages"
"""The pages of each template, in a folder named by its id."""

_SHOWN = 100
"""The most characters of an unknown name that an error repeats."""

_REFERENCE = re.compile(r"\[(?P<words>[^\[\]]*)\]\(ref:(?P<name>[a-z-]+)\)")
"""A link of a template's page to a named reference."""

_FILE = re.compile(r"""(?P<before>\]\(|href=")(?P<file>[\w./-]+\.md)(?=[#)"])""")
"""The beginning of a link of a template's page to another page of it, in Markdown or in a table of cards."""

_TARGET = re.compile(r"(?:https?://|mailto:|/)[^\s<>()\\]+")


def _prepare(context: Context, space_id: str, body: ApplyTemplate) -> tuple[ImportedPage, ...]:
    require(context, space_id, "edit")
    template = next((each for each in TEMPLATES if each.id == body.id), None)
    if template is None:
        known = ", ".join(each.id for each in TEMPLATES)
        raise BadRequest(f"id: there is no template “{body.id[:_SHOWN]}”; there are {known}")
    given = body.params.content_refs if body.params else None
    return read_template(template, _addresses(template, given or {}, space_id), context.ids.fresh)


@handles(Templates.apply_template, prepare=_prepare)
def apply_template(context: Context, space_id: str, body: ApplyTemplate) -> None:
    """Write the pages of a template after those of the space; takes the edit role."""
    require(context, space_id, "edit")
    append_pages(context, space_id, ImportedTree(context.prepared))


def read_template(
    template: Template, addresses: Mapping[str, str], fresh: Callable[[], str]
) -> tuple[ImportedPage, ...]:
    """Return the pages of a template with ``fresh`` ids and its references filled in; others become plain text."""
    (book,) = read_library(PAGES / template.id).books
    ids = {page.path: fresh() for page in book.walk() if page.path is not None}

    def build(pages: Iterable[BookPage]) -> tuple[ImportedPage, ...]:
        return tuple(
            ImportedPage(
                id=ids[page.path] if page.path is not None else fresh(),
                title=page.title,
                slug=page.slug,
                type=page.kind.value,
                text=_fill_in(page, ids, addresses),
                front_matter=page.front_matter,
                attributes={"link_title": page.link_title} if page.link_title else {},
                children=build(page.children),
            )
            for page in pages
        )

    return build(book.pages)


def _fill_in(page: BookPage, ids: Mapping[str, str], addresses: Mapping[str, str]) -> str:
    """Return the text of a page, with its links leading to pages of the space and to the given references."""

    def refer(link: re.Match[str]) -> str:
        words, name = link["words"], link["name"]
        return f"[{words}]({addresses[name]})" if name in addresses else words

    def lead(link: re.Match[str]) -> str:
        file = posixpath.normpath(posixpath.join(posixpath.dirname(page.path or ""), link["file"]))
        return f"{link['before']}/pages/{ids[file]}"

    return _FILE.sub(lead, _REFERENCE.sub(refer, page.text))


def _addresses(template: Template, given: Mapping[str, ContentReference], space: str) -> dict[str, str]:
    """Return the targets of a template's references, as links in a space have them."""
    found = {}
    for name, reference in given.items():
        where = f"params.contentRefs.{name[:_SHOWN]}"
        if name not in template.references:
            known = ", ".join(template.references)
            raise BadRequest(f"{where}: the template “{template.id}” has no such reference; it has {known}")
        address = _address(reference, space)
        if address is None:
            raise BadRequest(f"{where}: a page cannot link to content of the kind “{reference.kind}”")
        if not _TARGET.fullmatch(address):
            raise BadRequest(f"{where}: a web address without spaces, brackets and backslashes")
        found[name] = address
    return found


def _address(reference: ContentReference, space: str) -> str | None:
    """Return the target of a link to some content, ``None`` where a page cannot link to it."""
    match reference:
        case UrlReference(url=url):
            return url
        case PageReference(page=page, space=other):
            return _in_space(f"/pages/{page}", other, space)
        case AnchorReference(anchor=anchor, page=page, space=other) if page is not None:
            return f"{_in_space(f'/pages/{page}', other, space)}#{anchor}"
        case SpaceReference(space=other):
            return f"/spaces/{other}"
        case CollectionReference(collection=collection):
            return f"/collections/{collection}"
        case FileReference(file=file):
            return f"/files/{file}"
    return None


def _in_space(path: str, other: str | None, space: str) -> str:
    return path if other in (None, space) else f"/spaces/{other}{path}"
