"""Where the links of a page lead: to a page of the space, to another space, out into the web, or nowhere."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import PurePosixPath
from typing import TYPE_CHECKING
from urllib.parse import unquote, urlsplit

from recto.document.links import Link, LinkKind, read_link, resolve
from recto.tui.screens.space_tree import PageIndex

if TYPE_CHECKING:
    from recto.contract.content import Page


@dataclass(frozen=True, slots=True)
class ToPage:
    """A page of the same space, or a place in it."""

    page: str
    anchor: str = ""


@dataclass(frozen=True, slots=True)
class ToSpace:
    """Another space, or a page of it by its id."""

    space: str
    page: str | None = None


@dataclass(frozen=True, slots=True)
class ToWeb:
    """An address for the browser."""

    address: str


@dataclass(frozen=True, slots=True)
class Nowhere:
    """A link that cannot be followed, and why not, in a sentence."""

    why: str


Destination = ToPage | ToSpace | ToWeb | Nowhere


def destination(href: str, page: Page, index: PageIndex) -> Destination:
    """Tell where a link on a page leads."""
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
        return Nowhere("The page that this link was for is gone.")
    return Nowhere(f"{link.path or href} is a file of this space; the files are on their tab.")


def _to_space(href: str) -> Destination:
    space, _, rest = href.removeprefix("/spaces/").partition("#")[0].partition("/")
    page = rest.removeprefix("pages/").strip("/") if rest.startswith("pages/") else None
    return ToSpace(space, page or None)


def _by_id(link: Link, index: PageIndex) -> Destination:
    written = unquote(link.target.removeprefix("/pages/").partition("#")[0]).strip("/")
    page = link.path if link.path in index else index.paths.get(written)
    return ToPage(page, link.anchor) if page else Nowhere("This space has no such page any more.")


def _by_path(link: Link, page: Page, index: PageIndex) -> Destination:
    """Follow a path as it is written in a repository, else as it stands in an address."""
    if page.git is not None and page.git.path:
        file = resolve(link, page.git.path)
        if file is not None:
            for name in (file, f"{file}.md", f"{file}/README.md"):
                if name in index.files:
                    return ToPage(index.files[name], link.anchor)
    # From the page's own address: a page is a folder's entry there, so that its siblings are beside it.
    file = resolve(link, page.path or "README.md")
    for name in _as_addresses(file) if file is not None else ():
        if name in index.paths:
            return ToPage(index.paths[name], link.anchor)
    return Nowhere(f"This space has no page at {link.path}.")


def _as_addresses(file: str) -> tuple[str, ...]:
    path = PurePosixPath(file)
    bare = str(path.with_suffix("")) if path.suffix in (".md", ".mdx", ".markdown") else str(path)
    folder = str(path.parent) if path.stem.lower() == "readme" else bare
    return (bare, folder, bare.lower(), folder.lower())


def _to_web(href: str) -> Destination:
    scheme = urlsplit(href).scheme.lower()
    if scheme in ("http", "https", "mailto"):
        return ToWeb(href)
    return Nowhere(f"Links that begin with {scheme or '//'} are not opened from here.")
