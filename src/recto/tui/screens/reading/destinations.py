"""Where the links of a page lead: to a page of the space, to another space, to a file, out into the web, or nowhere."""

from __future__ import annotations

from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from recto.document.markdown.page_links import Link, LinkKind, read_link, resolve
from recto.frozen import frozen
from recto.pattern import pattern
from recto.tui.screens.reading.page_index import PageIndex

if TYPE_CHECKING:
    from recto.contract.content import Page
    from recto.contract.links import ReferencedContent


@frozen
class ToPage:
    """A page of the same space, or a place in it."""

    page: str
    anchor: str = ""


@frozen
class ToSpace:
    """Another space, or a page of it by its id, or a place in that."""

    space: str
    page: str | None = None
    anchor: str = ""


@frozen
class ToAddress:
    """A page of the platform by its address in the web app: it may be one of the spaces here, else the browser's."""

    space: str
    path: str
    anchor: str
    address: str


@frozen
class ToFile:
    """A file of the space."""

    file: str


@frozen
class ToWeb:
    """An address for the browser."""

    address: str


@frozen
class Nowhere:
    """A link that cannot be followed, and why not, in a sentence; a ``broken`` link was meant to work."""

    why: str
    broken: bool = False


Destination = ToPage | ToSpace | ToAddress | ToFile | ToWeb | Nowhere

_IN_APP = pattern(r"https?://[^/?#]+/(?:o/[^/?#]+/)?s/(?P<space>[A-Za-z0-9_-]{8,})(?:/(?P<path>[^?#]*))?(?:[?#]|$)")
"""An address of a platform's web app."""


def destination(href: str, page: Page, index: PageIndex) -> Destination:
    """Return where a link on a page leads."""
    if href.startswith("/spaces/"):
        return _to_space(href)
    link = read_link(href)
    if link.kind is LinkKind.ANCHOR:
        return ToPage(page.id, link.anchor)
    if link.kind is LinkKind.PAGE_ID:
        return _by_id(link, index)
    if link.kind is LinkKind.PAGE:
        return _by_path(link, page, index)
    if link.kind is LinkKind.URL:
        return _to_web(href)
    if link.kind is LinkKind.BROKEN:
        return Nowhere("The page of this link was deleted.", broken=True)
    if link.kind is LinkKind.FILE_ID:
        return ToFile(link.path)
    return Nowhere(f"{link.path or href} is a file of this space; the files are on their tab.")


def _to_space(href: str) -> Destination:
    written, _, anchor = href.removeprefix("/spaces/").partition("#")
    space, _, rest = written.partition("/")
    page = rest.removeprefix("pages/").strip("/") if rest.startswith("pages/") else None
    return ToSpace(space, page or None, unquote(anchor) if page else "")


def destination_of(target: ReferencedContent, space: str, index: PageIndex) -> Destination | None:
    """Return where a link leads by its target on the platform; ``None`` where that says too little."""
    of_space = target.space.id if target.space is not None else space
    page = target.page
    if page is not None and of_space == space and page.id in index:
        return ToPage(page.id, target.anchor or "")
    if page is not None and of_space != space:
        return ToSpace(of_space, page.id, target.anchor or "")
    if target.kind == "space" and target.space is not None:
        return ToSpace(of_space)
    if target.file is not None and of_space == space:
        return ToFile(target.file.id)
    if target.kind == "url" and target.url:
        return _to_web(target.url)
    return None


def _by_id(link: Link, index: PageIndex) -> Destination:
    written = unquote(link.target.removeprefix("/pages/").partition("#")[0]).strip("/")
    page = link.path if link.path in index else index.paths.get(written)
    return ToPage(page, link.anchor) if page else Nowhere("The page is no longer in this space.", broken=True)


def _by_path(link: Link, page: Page, index: PageIndex) -> Destination:
    """Follow a path as in a repository, else as in an address.

    A page without a file is taken to lie at the top of the repository.
    """
    file = page.git.path if page.git is not None and page.git.path else "README.md"
    # A page is a folder's entry in its own address, so that its siblings are beside it.
    for place in (file, page.path):
        meant = resolve(link, place) if place else None
        found = page_at(meant, index) if meant is not None else None
        if found is not None:
            return ToPage(found, link.anchor)
    return Nowhere(f"This space has no page at {link.path}.", broken=True)


def page_at(meant: str, index: PageIndex) -> str | None:
    """Return the page that a path from the root of the repository means: by its file, else by its address."""
    files = (name for name in (meant, f"{meant}.md", f"{meant}/README.md") if name in index.files)
    if (file := next(files, None)) is not None:
        return index.files[file]
    return next((index.paths[name] for name in _as_addresses(meant) if name in index.paths), None)


def _as_addresses(file: str) -> tuple[str, ...]:
    path = PurePosixPath(file)
    bare = str(path.with_suffix("")) if path.suffix in (".md", ".mdx", ".markdown") else str(path)
    folder = str(path.parent) if path.stem.lower() == "readme" else bare
    return (bare, folder, bare.lower(), folder.lower())


def _to_web(href: str) -> Destination:
    if (found := _IN_APP.match(href)) is not None:
        path = unquote(found["path"] or "").strip("/")
        return ToAddress(found["space"], path, unquote(href.partition("#")[2]), href)
    try:
        scheme = urlsplit(href).scheme.lower()
    except ValueError:  # such as https://[docs
        return Nowhere(f"{href} is not a web address.")
    if scheme in ("http", "https", "mailto"):
        return ToWeb(href)
    return Nowhere(f"Links that begin with {scheme or '//'} are not opened from here.")
