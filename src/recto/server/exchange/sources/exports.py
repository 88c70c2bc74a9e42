"""Archives that Notion and Confluence export, and archives and folders of Markdown and HTML files."""

from __future__ import annotations

import csv
import io
import posixpath
import re
import shutil
from collections.abc import Callable, Iterator, Mapping
from pathlib import PurePosixPath
from urllib.parse import quote, unquote

from bs4.element import Tag

from recto.contract.imports import Source
from recto.document.conversion.html import ConvertedPage, parse_html
from recto.document.markdown.link_addresses import change_addresses
from recto.server.exchange.folder import Folder, FolderError, is_markdown
from recto.server.exchange.sources.pages import (
    HTML,
    FolderDraft,
    SourcePage,
    anchors_in,
    convert_file,
    decode,
    page_place,
    relative,
)

MOST_ROWS = 500
"""The most rows of a database in a table; the file with all of them is linked below it."""

_BETWEEN = 20
_NOTION_ID = re.compile(r"[ -]?[0-9a-f]{32}$")
_CONFLUENCE_PAGE = b"wiki-content"
"""The class of what holds the text of each exported page."""
_TARGETS = re.compile(r"\]\(([^()\s]+)\)")
_HEADING = re.compile(r"^#\s+(.+)$", re.MULTILINE)

Step = Callable[[int, int], None]
"""Called with how many pages are converted, and how many there are; may raise to stop."""


def recognize(folder: Folder) -> Source:
    """Return whether files are an export of Notion, by their names, or of Confluence, by a page; else ``zip``."""
    pages = [place for place in folder.files if is_markdown(place) or place.lower().endswith(HTML)]
    others = [place for place in pages if place != "index.html"]
    if others and all(_NOTION_ID.search(PurePosixPath(place).stem) for place in others):
        return "notion"
    if others != pages and others and _CONFLUENCE_PAGE in (folder.top / others[0]).read_bytes():
        return "confluence"
    return "zip"


def take_files(draft: FolderDraft, folder: Folder, step: Step) -> None:
    """Write a folder of Markdown and HTML files, as it is, with the HTML files as Markdown."""
    taken = set(folder.files)
    pages: dict[str, str] = {}
    for place in folder.files:
        if place.lower().endswith(HTML):
            pages[place] = page_place(place, taken)
            taken.add(pages[place])
    _convert(draft, folder, pages, step)
    _copy(draft, folder, (place for place in folder.files if place not in pages))
    if pages:
        for place in filter(is_markdown, folder.files):
            _lead_to_pages(draft, place, pages)


def _lead_to_pages(draft: FolderDraft, place: str, pages: Mapping[str, str]) -> None:
    """Change the links of a Markdown file that lead to HTML files: they lead to the pages of these."""
    try:
        text = (draft.top / place).read_bytes().decode()
    except UnicodeDecodeError:
        return

    def lead(target: str) -> str:
        path, mark, anchor = target.partition("#")
        new = pages.get(_resolve(path, place))
        return f"{quote(relative(new, place))}{mark}{anchor}" if new is not None else target

    changed = change_addresses(text, lead)
    if changed != text:
        draft.write_text(place, changed)


def take_notion(draft: FolderDraft, folder: Folder, step: Step) -> None:
    """Write the pages of an export of Notion, as Markdown or HTML, nested as their folders are."""
    pages = {place: page_place(place) for place in folder.files if place.lower().endswith(HTML)}
    if any("/" in place for place in pages):
        pages = {place: new for place, new in pages.items() if place != "index.html"}
    written = _convert(draft, folder, pages, step)
    tables = {
        place: f"{place.removesuffix('.csv')}.md"
        for place in folder.files
        if place.endswith(".csv")
        and not place.endswith("_all.csv")
        and f"{place.removesuffix('.csv')}.md" not in folder
        and f"{place.removesuffix('.csv')}.html" not in pages
    }
    for place in folder.files:
        if is_markdown(place):
            text = _with_tables(_with_hints(folder.text_as_it_stands(place)[0]), place, tables)
            title = _HEADING.search(text)
            written[place] = title[1] if title else _notion_title(place)
            draft.write_text(place, text)
    for place, new in tables.items():
        written[new] = _notion_title(new)
        draft.write(new, ConvertedPage(_notion_title(new), _table(folder, place)))
    if not written:
        raise FolderError("There are no pages in this archive. Export from Notion as Markdown & CSV, or as HTML.")
    _copy(draft, folder, (place for place in folder.files if place not in pages and not is_markdown(place)))
    draft.write_summary(_notion_tree(draft, written))


def take_confluence(draft: FolderDraft, folder: Folder, step: Step) -> None:
    """Write the pages of an HTML export of a Confluence space, in the order of its index."""
    if "index.html" not in folder:
        if "entities.xml" in folder:
            raise FolderError("This is an XML export of Confluence. Export the space as HTML and import that.")
        raise FolderError("This is not an HTML export of a Confluence space: the archive has no index.html.")
    pages = {
        place: page_place(place)
        for place in folder.files
        if place.lower().endswith(HTML) and place != "index.html" and "/" not in place
    }
    written = _convert(draft, folder, pages, step, clean=_without_space_name)
    soup = parse_html(decode((folder.top / "index.html").read_bytes()))
    listed: set[str] = set()
    tree = [*_confluence_tree(soup, pages, written, listed)]
    tree += [SourcePage(place, title) for place, title in written.items() if place not in listed]
    if not tree:
        raise FolderError("No page of this archive could be converted.")
    _copy(draft, folder, (place for place in folder.files if place not in pages and place != "index.html"))
    draft.write_summary(tree)


def clean_notion_slug(slug: str) -> str:
    """Return a slug without the id that Notion puts behind the names of files."""
    return _NOTION_ID.sub("", slug).strip("-") or slug


def _convert(
    draft: FolderDraft,
    folder: Folder,
    pages: Mapping[str, str],
    step: Step,
    clean: Callable[[ConvertedPage], ConvertedPage] = lambda page: page,
) -> dict[str, str]:
    """Convert HTML files and return the titles of the pages by their new places."""
    written: dict[str, str] = {}
    anchors = {name for place in pages for name in anchors_in((folder.top / place).read_bytes())}
    for done, (place, new) in enumerate(pages.items()):
        if done % _BETWEEN == 0:
            step(done, len(pages))
        page = convert_file(draft, place, (folder.top / place).read_bytes(), pages, anchors=anchors)
        if page is not None:
            page = clean(page)
            title = page.title or _notion_title(new)
            written[new] = title
            draft.write(new, ConvertedPage(title, page.text))
    return written


def _resolve(address: str, place: str) -> str:
    """Return the place of the file that a relative address leads to, from the file at ``place``."""
    return posixpath.normpath(posixpath.join(posixpath.dirname(place), unquote(address)))


def _copy(draft: FolderDraft, folder: Folder, places: Iterator[str]) -> None:
    for place in places:
        target = draft.top / place
        if not target.exists():
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(folder.top / place, target)


# Notion


def _notion_title(place: str) -> str:
    return _NOTION_ID.sub("", PurePosixPath(place).stem).strip() or "Untitled"


def _with_hints(text: str) -> str:
    """Return Markdown in which the boxes that Notion writes as HTML are hints."""
    before, *boxes = text.split("<aside>")
    written = [before]
    for box in boxes:
        inner, end, rest = box.partition("</aside>")
        hint = f'{{% hint style="info" %}}\n{inner.strip()}\n{{% endhint %}}{rest}'
        written.append(hint if end else f"<aside>{box}")
    return "".join(written)


def _with_tables(text: str, place: str, tables: Mapping[str, str]) -> str:
    """Return Markdown whose links to the files of databases lead to their pages."""

    def lead(found: re.Match[str]) -> str:
        target = _resolve(found[1], place)
        if target not in tables:
            return found[0]
        return f"]({quote(relative(tables[target], place))})"

    return _TARGETS.sub(lead, text)


def _table(folder: Folder, place: str) -> str:
    """Return the rows of a database as a table."""
    text, _ = folder.text_as_it_stands(place)
    rows: list[list[str]] = []
    try:
        for row in csv.reader(io.StringIO(text)):
            if len(rows) > MOST_ROWS:
                break
            rows.append([re.sub(r"([\\|<\[\]*_`])", r"\\\1", " ".join(cell.split())) for cell in row])
    except csv.Error:
        pass
    name = PurePosixPath(place).name
    words = re.sub(r"[\[\]]", "", name)
    link = f"[{words}]({quote(name)})\n"
    if not rows:
        return link
    width = max(len(row) for row in rows)
    lines = [f"| {' | '.join([*row, *[''] * (width - len(row))])} |" for row in rows]
    return "\n".join([lines[0], f"|{' --- |' * width}", *lines[1:], "", link])


def _notion_tree(draft: FolderDraft, written: Mapping[str, str]) -> list[SourcePage]:
    """Return the pages as a tree: a page lies under the page that its folder is named after, in the order of links."""
    owners: dict[str, str] = {}
    for place in written:
        base = place.rpartition(".")[0]
        owners[base] = place
        owners.setdefault(_NOTION_ID.sub("", base), place)
    under: dict[str, list[str]] = {}
    for place in written:
        above = posixpath.dirname(place)
        while above and owners.get(above) in (None, place):
            above = posixpath.dirname(above)
        under.setdefault(owners[above] if above else "", []).append(place)

    def entries(parent: str) -> list[SourcePage]:
        order = _links_of(draft, parent) if parent else {}
        places = sorted(under.get(parent, ()), key=lambda place: (order.get(place, len(order)), place))
        return [SourcePage(place, written[place], entries(place)) for place in places]

    return entries("")


def _links_of(draft: FolderDraft, place: str) -> dict[str, int]:
    """Return the files that a page links to, with their places in the order of its links."""
    text = (draft.top / place).read_text("utf-8", "replace")
    targets = (_resolve(found[1], place) for found in _TARGETS.finditer(text))
    return {target: number for number, target in enumerate(dict.fromkeys(targets))}


# Confluence


def _without_space_name(page: ConvertedPage) -> ConvertedPage:
    """Return a page whose title does not begin with the space's."""
    space, colon, title = page.title.partition(" : ")
    return ConvertedPage(title if colon and space else page.title, page.text)


def _confluence_tree(
    soup: Tag, pages: Mapping[str, str], written: Mapping[str, str], listed: set[str]
) -> Iterator[SourcePage]:
    """Yield the pages as the lists of an index nest them."""

    def entries(listing: Tag) -> Iterator[SourcePage]:
        for item in listing.find_all("li", recursive=False):
            link = item.find("a")
            below = [entry for inner in item.find_all("ul", recursive=False) for entry in entries(inner)]
            place = pages.get(unquote(str(link.get("href") or ""))) if link is not None else None
            if place is not None and place in written and place not in listed:
                listed.add(place)
                yield SourcePage(place, written[place], below)
            else:
                yield from below

    for listing in soup.find_all("ul"):
        if listing.find_parent("ul") is None:
            yield from entries(listing)
