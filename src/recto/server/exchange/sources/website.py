"""Pages of a website: a single page, or all pages below an address, with their pictures."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from recto.document.conversion.html import ConversionError, ConvertedPage, parse_html
from recto.server.exchange.folder import FolderError, LeftOut, Reason
from recto.server.exchange.sources.pages import FolderDraft, SourcePage, convert_file, decode, relative
from recto.server.fetching import Fetched, Fetcher, FetchError, show_address

MOST_PAGES = 200
"""The most pages of a website that are imported."""

MOST_PICTURES = 500
"""The most pictures that are fetched."""

MOST_BYTES = 100 * 1000 * 1000
"""The most that is fetched in all, in bytes."""

_MOST_PAGE_BYTES = 4 * 1000 * 1000
_MOST_PICTURE_BYTES = 10 * 1000 * 1000
_MOST_AHEAD = 5_000
_HTML_TYPES = frozenset({"text/html", "application/xhtml+xml", ""})
_NO_PAGE = re.compile(
    r"\.(?:png|jpe?g|gif|svg|webp|ico|pdf|zip|gz|css|js|json|xml|txt|mp[34]|woff2?|exe|dmg)$", re.IGNORECASE
)


@dataclass
class Website:
    """Fetches the pages at and below an address, and writes them into a draft."""

    fetcher: Fetcher
    draft: FolderDraft
    start: str
    progress: Callable[[str, int, int | None], None]
    is_single: bool = False
    """Whether only the page at the address itself is wanted."""
    _fetched: int = 0
    _pictures: dict[str, str | None] = field(default_factory=dict)
    _leads: dict[str, str] = field(default_factory=dict)
    """The addresses of the pages by those that lead to the same: one is redirected, or gives the same content."""

    def take(self) -> None:
        """Fetch the pages, and write them with their pictures."""
        found = self._walk()
        places = self._places(found)
        titles: dict[str, str] = {}
        for done, (url, page) in enumerate(found.items()):
            self.progress("Converting pages", done, len(found))
            converted = self._convert(url, page, places)
            if converted is not None:
                title = converted.title or unquote(urlsplit(url).path.rstrip("/").rpartition("/")[2]) or "Untitled"
                self.draft.write(places[url], ConvertedPage(title, converted.text))
                titles[places[url]] = title
        self.draft.write_summary(self._tree(titles))

    def _walk(self) -> dict[str, Fetched]:
        """Return the pages by their addresses, in the order in which they are linked, the start first."""
        first = self._get(self.start, _MOST_PAGE_BYTES)
        if first.content_type not in _HTML_TYPES:
            raise FolderError(f"{show_address(self.start)} is not an HTML page ({first.content_type[:40]}).")
        home = urldefrag(first.url)[0]
        found, same = {home: first}, {first.content: home}
        self._leads |= {self.start: home, home: home}
        if self.is_single:
            return found
        base = urlsplit(first.url)
        below = base.path if base.path.endswith("/") else f"{posixpath.dirname(base.path).rstrip('/')}/"
        seen = {self.start, *found}
        ahead = list(self._find_links(first, below, seen))
        while ahead:
            url = ahead.pop(0)
            if len(found) >= MOST_PAGES or self._fetched >= MOST_BYTES:
                self.draft.left_out.extend(LeftOut(show_address(left), Reason.BEYOND) for left in (url, *ahead))
                break
            self.progress("Fetching pages", len(found), None)
            try:
                page = self._get(url, _MOST_PAGE_BYTES)
            except FetchError:
                self.draft.left_out.append(LeftOut(show_address(url), Reason.UNFETCHED))
                continue
            if page.content_type not in _HTML_TYPES or not self._is_below(page.url, base.netloc, below):
                continue
            own = urldefrag(page.url)[0]
            self._leads[url] = self._leads[own] = same.setdefault(page.content, own)
            if own in found or self._leads[own] != own:
                continue
            found[own] = page
            ahead += self._find_links(page, below, seen)
        return found

    def _find_links(self, page: Fetched, below: str, seen: set[str]) -> list[str]:
        """Return the addresses of further pages that a page links to."""
        try:
            soup = parse_html(decode(page.content, page.charset))
        except ConversionError:
            return []
        host, linked = urlsplit(page.url).netloc, []
        for link in soup.find_all("a"):
            try:
                url = urldefrag(urljoin(page.url, str(link.get("href") or "").strip()))[0].partition("?")[0]
            except ValueError:
                continue
            if url not in seen and len(seen) < _MOST_AHEAD and self._is_below(url, host, below):
                seen.add(url)
                linked.append(url)
        return linked

    @staticmethod
    def _is_below(url: str, host: str, below: str) -> bool:
        try:
            parts = urlsplit(url)
        except ValueError:
            return False
        is_page = parts.scheme in ("http", "https") and not _NO_PAGE.search(parts.path)
        return is_page and parts.netloc == host and (parts.path or "/").startswith(below)

    def _places(self, found: Mapping[str, Fetched]) -> dict[str, str]:
        """Return the place of each page in the draft, named after its address."""
        places: dict[str, str] = {}
        taken: set[str] = set()
        for url in found:
            path = unquote(urlsplit(url).path)
            parts = [re.sub(r"[^\w.~-]+", "-", part).strip(".-") for part in path.split("/")]
            named = "/".join(part for part in parts if part)
            stem = re.sub(r"\.(?:html?|php|aspx?)$", "", named)
            stem = posixpath.dirname(stem) if posixpath.basename(stem) == "index" else stem
            place, number = f"{stem or 'README'}.md", 2
            while place.lower() in taken:
                place, number = f"{stem or 'README'}-{number}.md", number + 1
            taken.add(place.lower())
            places[url] = place
        return places

    def _convert(self, url: str, page: Fetched, places: Mapping[str, str]) -> ConvertedPage | None:
        def lead(kind: str, target: str) -> str | None:
            try:
                meant, anchor = urldefrag(urljoin(page.url, target))
            except ValueError:
                return None
            if kind == "src":
                kept = self._keep(meant)
                return relative(kept, places[url]) if kept else meant
            known = self._leads.get(meant) or self._leads.get(meant.partition("?")[0])
            new = places.get(known or "")
            if new is None:
                return f"{meant}#{anchor}" if anchor else meant
            if new == places[url] and anchor:
                return f"#{anchor}"
            return relative(new, places[url]) + (f"#{anchor}" if anchor else "")

        return convert_file(self.draft, places[url], page.content, {}, charset=page.charset, lead=lead)

    def _keep(self, url: str) -> str | None:
        """Fetch a picture and return its place; ``None`` if it is not fetched, so that links keep its address."""
        if url in self._pictures:
            return self._pictures[url]
        kept = None
        if len(self._pictures) >= MOST_PICTURES or self._fetched >= MOST_BYTES:
            self.draft.left_out.append(LeftOut(show_address(url), Reason.BEYOND))
        else:
            try:
                picture = self._get(url, _MOST_PICTURE_BYTES)
            except FetchError:
                self.draft.left_out.append(LeftOut(show_address(url), Reason.UNFETCHED))
            else:
                if picture.content_type.startswith("image/"):
                    name = unquote(urlsplit(url).path.rpartition("/")[2])
                    kept = self.draft.keep_picture(picture.content, picture.content_type, name)
        self._pictures[url] = kept
        return kept

    def _get(self, url: str, most: int) -> Fetched:
        page = self.fetcher.get(url, typed=self.start, most=most)
        self._fetched += len(page.content)
        return page

    @staticmethod
    def _tree(titles: Mapping[str, str]) -> list[SourcePage]:
        """Return the pages as their addresses nest them, in the order in which they were found.

        ``titles`` are theirs by their places.
        """
        stems = {place.removesuffix(".md"): place for place in titles}
        under: dict[str, list[str]] = {}
        for stem in stems:
            above = posixpath.dirname(stem)
            while above and above not in stems:
                above = posixpath.dirname(above)
            under.setdefault(above, []).append(stem)

        def entries(parent: str) -> list[SourcePage]:
            return [SourcePage(stems[stem], titles[stems[stem]], entries(stem)) for stem in under.get(parent, ())]

        return entries("")
