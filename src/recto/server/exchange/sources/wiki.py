"""Wikis of GitHub and forges like it: a Git repository of Markdown pages that name each other in double brackets."""

from __future__ import annotations

import posixpath
import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from urllib.parse import quote, unquote, urlsplit, urlunsplit

from recto.document.markdown.link_addresses import addresses_in, change_addresses, change_wiki_links
from recto.server.content.page_text import part_title
from recto.server.exchange.folder import Folder, FolderError, LeftOut, Reason, normal_place
from recto.server.exchange.layout import LAYOUT_FILES
from recto.server.exchange.sources.pages import FolderDraft, SourcePage, relative
from recto.server.exchange.summary import EntryKind, SummaryEntry, read_summary
from recto.server.git.commit_folder import read_commit_folder
from recto.server.git.remotes import GitError, Way, read_remote
from recto.server.git.repository import open_repository
from recto.server.jobs import Work

_MARKDOWN = frozenset({".md", ".markdown", ".mdown", ".mkd", ".mkdn"})
_OTHER_MARKUP = frozenset(
    {".asciidoc", ".adoc", ".asc", ".creole", ".mediawiki", ".wiki", ".org", ".pod", ".rdoc", ".rst", ".textile"}
)
_PICTURES = frozenset({".png", ".jpg", ".jpeg", ".gif", ".svg", ".webp", ".avif", ".bmp"})
_AROUND = frozenset({"_sidebar", "_footer", "_header"})
"""The files that a wiki shows around each page."""

_REPOSITORY = re.compile(r"(?P<project>/.+?)(?:\.wiki(?:\.git)?/?|/(?:-/)?wikis?(?:/.*)?)")
_ON_WEB = ("{web}/wiki/", "{web}/wikis/", "{web}/-/wikis/", "https://raw.githubusercontent.com/wiki{project}/")
_BETWEEN = re.compile(r"[\s-]+")


def take_wiki(draft: FolderDraft, address: str, kept: Path, work: Work) -> str:
    """Fetch a wiki's repository into the folder ``kept``, write its pages with what they show, and return its name.

    Raises ``FolderError``, ``GitError`` and ``JobCancelled``.
    """
    repository_address, web = _addresses(address)
    remote = read_remote(repository_address, is_local=work.is_local)
    if remote.way is Way.SSH:
        web = _on_the_web("https", remote.host, f"/{remote.path.strip('/').removesuffix('.wiki.git')}")
    with open_repository(remote, kept, work) as repository:
        tip = repository.tip(b"HEAD", lambda oid: None)
        if tip is None:
            raise GitError(f"There are no pages in {remote.name} yet.")
        folder, _ = read_commit_folder(repository, tip, "", work.stop_if_cancelled)
        draft.left_out.extend(folder.left_out)
        _Wiki(draft, folder, web).take(work)
    return PurePosixPath(remote.name).name.removesuffix(".wiki")


def _addresses(address: str) -> tuple[str, tuple[str, ...]]:
    """Return the address of a wiki's repository, and the beginning of its pages' and files' addresses on the web."""
    try:
        parts = urlsplit(address.strip())
    except ValueError:
        return address, ()
    found = _REPOSITORY.fullmatch(parts.path)
    if parts.scheme not in ("http", "https") or found is None:
        return address, ()
    project = found["project"].removesuffix(".git")
    web = _on_the_web(parts.scheme, parts.netloc.rpartition("@")[2], project)
    return urlunsplit((parts.scheme, parts.netloc, f"{project}.wiki.git", "", "")), web


def _on_the_web(scheme: str, host: str, project: str) -> tuple[str, ...]:
    web = urlunsplit((scheme, host, project, "", ""))
    return tuple(each.format(web=web, project=project) for each in _ON_WEB)


@dataclass
class _Wiki:
    """Writes the pages of a wiki into a draft. ``web`` is the beginning of the wiki's addresses on the web."""

    draft: FolderDraft
    folder: Folder
    web: Sequence[str]
    places: dict[str, str] = field(default_factory=dict)
    """Where each page goes, by its file in the wiki."""
    by_name: dict[str, str] = field(default_factory=dict)
    """The files of the pages by their names, as links have them: a wiki has no folders for these."""
    taken: set[str] = field(default_factory=set)
    """The files that pages show or link to."""

    def take(self, work: Work) -> None:
        sidebar = self._find_pages()
        if not self.places:
            raise FolderError("There are no Markdown pages in this wiki.")
        titles: dict[str, str] = {}
        for done, (file, place) in enumerate(self.places.items()):
            work.stop_if_cancelled()
            work.progress("Converting pages", done, len(self.places))
            heading, _ = part_title(text := self._read(file))
            titles[place] = heading or PurePosixPath(file).stem.replace("-", " ")
            self.draft.write_text(place, text if heading else f"# {titles[place]}\n\n{text}")
        for file in self.taken:
            self.draft.write_bytes(file, self.folder.source(file).read())
        self.draft.write_summary(self._order(self._read(sidebar) if sidebar else "", titles))

    def _find_pages(self) -> str | None:
        """Note the pages, ``Home`` first, and return the file of the sidebar."""
        sidebar = None
        written = {"summary.md"}
        for file in sorted(self.folder.files, key=lambda each: (each.count("/"), _name(each) != "home", each)):
            path = PurePosixPath(file)
            ending, name = path.suffix.lower(), path.stem.casefold()
            if ending in _OTHER_MARKUP:
                self.draft.left_out.append(LeftOut(file, Reason.MARKUP))
            if ending not in _MARKDOWN:
                continue
            if name in _AROUND:
                sidebar = file if file == path.name and name == "_sidebar" else sidebar
                continue
            stem, number = str(path.with_suffix("")), 2
            place = f"{stem}.md"
            # Some disks do not tell upper and lower case apart.
            while place.lower() in written:
                place, number = f"{stem}-{number}.md", number + 1
            written.add(place.lower())
            self.places[file] = place
            self.by_name.setdefault(_name(file), file)
        return sidebar

    def _read(self, file: str) -> str:
        """Return the text of a page with links that lead to the files of the draft."""
        text, _ = self.folder.text_as_it_stands(file)
        text = change_wiki_links(text, lambda inside: self._link(inside, file))
        return change_addresses(text, lambda target: self._lead(target, file) or target)

    def _link(self, inside: str, file: str) -> str | None:
        """Return a link in double brackets as Markdown: ``name``, ``text|name``, or ``picture|alt=text``."""
        first, *others = (part.strip() for part in inside.replace("\\|", "|").split("|"))
        if PurePosixPath(first).suffix.lower() in _PICTURES and (target := self._lead(first, file) or _on_web(first)):
            alt = next((part.removeprefix("alt=") for part in others if part.startswith("alt=")), "")
            return f"![{alt}]({target})"
        named = others[0] if others else first
        target = self._lead(named, file) or _on_web(named)
        return f"[{first}]({target})" if target else None

    def _lead(self, target: str, file: str) -> str | None:
        """Return where an address on the page ``file`` leads in the draft; ``None`` where it leads out of the wiki."""
        path, mark, anchor = target.partition("#")
        for start in self.web:
            if path.startswith(start):
                path = f"/{path.removeprefix(start)}"
                break
        path = unquote(path)
        if not path or _on_web(path):
            return None
        found = self._find(path, posixpath.dirname(file))
        if found is None:
            return None
        if found not in self.places:
            self.taken.add(found)
        return quote(relative(self.places.get(found, found), self.places.get(file, ""))) + mark + anchor

    def _find(self, path: str, base: str) -> str | None:
        """Return the file that a path means: a file below ``base`` or the top, or the page of that name."""
        for start in (base, ""):
            meant = normal_place(posixpath.join(start, path.lstrip("/"))) or ""
            for file in (meant, f"{meant}.md"):
                if file in self.places or (file in self.folder and posixpath.basename(file) not in LAYOUT_FILES):
                    return file
        parts = [part for part in path.split("/") if part not in ("", ".", "..", "wiki")]
        return self.by_name.get(_name(parts[0])) if len(parts) == 1 else None

    def _order(self, sidebar: str, titles: Mapping[str, str]) -> list[SourcePage]:
        """Return the pages as a tree: Home, those of the sidebar as it nests them, those that it links to, the rest."""
        placed: set[str] = set()

        def entry(place: str, children: Sequence[SourcePage] = ()) -> SourcePage:
            return SourcePage(place, titles[place], children)

        def list_entries(items: Sequence[SummaryEntry], *, is_top: bool) -> Iterator[SourcePage]:
            for item in items:
                place = normal_place(unquote(item.target)) if item.kind is EntryKind.PAGE else None
                is_new = place in titles and place not in placed
                if place is not None and is_new:
                    placed.add(place)
                children = tuple(list_entries(item.children, is_top=False))
                if place is not None and is_new:
                    yield entry(place, children)
                elif item.kind is EntryKind.GROUP and is_top and children:
                    yield SourcePage("", item.title, children)
                else:
                    yield from children

        home = self.places.get(self.by_name.get("home", ""))
        if home is not None:
            placed.add(home)
        tree = [entry(home)] if home is not None else []
        tree += list_entries(read_summary(sidebar, "sidebar"), is_top=True)
        linked = (unquote(each) for each in addresses_in(sidebar))
        rest = [place for place in dict.fromkeys((*linked, *titles)) if place in titles and place not in placed]
        return [*tree, *map(entry, rest)]


def _name(file: str) -> str:
    """Return the name of a page as a link may spell it: without folders, and with dashes for spaces."""
    path = PurePosixPath(file)
    name = path.stem if path.suffix.lower() in _MARKDOWN else path.name
    return _BETWEEN.sub("-", unicodedata.normalize("NFC", name).strip()).casefold()


def _on_web(target: str) -> str | None:
    """Return a target that is an address of its own."""
    return target if re.match(r"[A-Za-z][A-Za-z0-9+.-]*:|//", target) else None
