"""The findings of an import, as sentences."""

from __future__ import annotations

import posixpath
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from recto.contract.import_report import Finding, ImportedSpace
from recto.server.content.revisions import MAX_FILES
from recto.server.exchange.book import MAX_SOURCE_BYTES, Book, Kind, MissingFile
from recto.server.exchange.folder import LeftOut, folders_above, join_path, normal_place
from recto.server.exchange.library import Library, SitePlan

MOST_LINES = 200
"""How many lines a finding has; the rest is counted."""

_MOST_KEPT = f"at most {MAX_SOURCE_BYTES // 1_000_000} MB"

_NAMED_ALONE = 2
"""So many files of a folder, or places with the same remark, are still named one by one."""

_NAMED_TOGETHER = 5
"""The most places that a repeated remark names; the rest is counted."""


def count_pages(book: Book) -> int:
    """Return the number of pages with a text of their own."""
    return sum(1 for page in book.walk() if page.kind is Kind.DOCUMENT)


def findings_in(book: Book) -> tuple[Finding, ...]:
    """Return findings about a book: what was left out, refers to a missing file, or could not be read."""
    report, root, summary = book.report, book.root, book.summary or ""
    return tuple(
        finding
        for finding in (
            make_finding(
                len(report.dangling),
                ("{} entry of", f"{summary} leads nowhere:"),
                ("{} entries of", f"{summary} lead nowhere:"),
                fold_remarks(
                    (f"line {each.line}, “{each.title}”", each.target or "no file") for each in report.dangling
                ),
            ),
            make_finding(
                len(report.repeated),
                ("{} entry of", f"{summary} lists a file again, so it became a link to that page:"),
                ("{} entries of", f"{summary} list a file again, so they became links to that page:"),
                fold_remarks((f"line {entry.line}, “{entry.title}”", entry.path) for entry in report.repeated),
            ),
            make_finding(
                len(report.unlisted),
                ("{} file", f"is not listed in {summary}, so it is not among the pages:"),
                ("{} files", f"are not listed in {summary}, so they are not among the pages:"),
                _by_folder(book),
            ),
            make_finding(
                len(report.missing),
                ("{} picture or file", "is named by a page and not there:"),
                ("{} pictures and files", "are named by pages and not there:"),
                _by_page(root, report.missing),
            ),
            make_finding(
                len(report.outside),
                ("{} picture or file", f"is outside the root of the book, {root}/, so it was left out:"),
                ("{} pictures and files", f"are outside the root of the book, {root}/, so they were left out:"),
                _by_page(root, report.outside),
            ),
            make_finding(
                len(report.unread_front_matter),
                ("{} page", "has front matter that is not valid YAML, so it was left in the text:"),
                ("{} pages", "have front matter that is not valid YAML, so it was left in the text:"),
                (join_path(root, path) for path in report.unread_front_matter),
            ),
            make_finding(
                len(report.unread_conditions),
                ("{} page", "has a condition that cannot be read, so no reader is shown it:"),
                ("{} pages", "have conditions that cannot be read, so no reader is shown them:"),
                fold_remarks((join_path(root, each.path), each.reason) for each in report.unread_conditions),
            ),
            make_finding(
                len(report.not_utf8),
                ("{} file", "is not wholly UTF-8; other bytes are shown as \ufffd:"),
                ("{} files", "are not wholly UTF-8; other bytes are shown as \ufffd:"),
                (f"{join_path(root, each.path)}: line {each.line}" for each in report.not_utf8),
            ),
            make_finding(
                len(report.unread_pages),
                ("{} page", "could not be read, so it has the text it had before, or none:"),
                ("{} pages", "could not be read, so they have the text they had before, or none:"),
                fold_remarks((join_path(root, each.path), str(each.reason)) for each in report.unread_pages),
            ),
            make_finding(
                len(report.unread_files),
                ("{} file", "was left out, because it could not be read:"),
                ("{} files", "were left out, because they could not be read:"),
                fold_remarks((join_path(root, each.path), str(each.reason)) for each in report.unread_files),
            ),
            make_finding(
                report.files_left_out,
                ("{} file", f"was left out: a space can have at most {MAX_FILES:,}."),
                ("{} files", f"were left out: a space can have at most {MAX_FILES:,}."),
                (),
            ),
            make_finding(
                report.sources_left_out,
                ("{} file", f"beside the pages is not kept for an export: {_MOST_KEPT} are."),
                ("{} files", f"beside the pages are not kept for an export: {_MOST_KEPT} are."),
                (),
            ),
        )
        if finding is not None
    )


def findings_around(library: Library) -> tuple[Finding, ...]:
    """Return what concerns the folder as a whole: what could not be read, and what its site lacks."""
    found = [_find_left_out(library.left_out)]
    if library.site is not None:
        found += _on_site(library.site)
    return tuple(finding for finding in found if finding is not None)


def not_on_site(spaces: Sequence[ImportedSpace]) -> tuple[Finding, ...]:
    """Return findings about books that are new in a folder whose site exists already."""
    finding = make_finding(
        len(spaces),
        ("{} space", "is not on the site, which is older. Put it where you want it:"),
        ("{} spaces", "are not on the site, which is older. Put them where you want them:"),
        (f"“{space.title}”" for space in spaces),
    )
    return () if finding is None else (finding,)


def make_finding(number: int, one: tuple[str, str], many: tuple[str, str], lines: Iterable[str]) -> Finding | None:
    """Return a finding about so many things, its lines bounded; ``None`` about none.

    ``one`` and ``many`` are the sentence for one and for several, in two halves, with ``{}`` for the number.
    """
    if not number:
        return None
    beginning, rest = one if number == 1 else many
    every = list(lines)
    if len(every) > MOST_LINES:
        every[MOST_LINES:] = [f"and {len(every) - MOST_LINES:,} more"]
    return Finding(f"{beginning.format(f'{number:,}')} {rest}", tuple(every))


def fold_remarks(remarks: Iterable[tuple[str, str]]) -> Iterator[str]:
    """Yield places with their remarks; repeated remarks are joined, with a count and the first places."""
    places: dict[str, list[str]] = {}
    for place, remark in remarks:
        places.setdefault(remark, []).append(place)
    for remark, found in places.items():
        if len(found) <= _NAMED_ALONE:
            yield from (f"{place}: {remark}" for place in found)
        else:
            yield f"{remark} ({len(found):,} times): {_first_of(found)}"


def _by_title(site_spaces: Iterable[tuple[str, str | None]]) -> Iterator[str]:
    """Yield site spaces with their sections; sections of the same title are joined."""
    sections: dict[str, list[str]] = {}
    for title, section in site_spaces:
        sections.setdefault(title, []).append(f"“{section}”" if section else "")
    for title, found in sections.items():
        if len(set(found)) <= _NAMED_ALONE:
            yield from _count(f"“{title}”{f' in the section {section}' if section else ''}" for section in found)
        else:
            yield f"“{title}” ({len(found):,} times) in {_first_of(list(dict.fromkeys(filter(None, found))))}"


def _count(words: Iterable[str]) -> Iterator[str]:
    """Yield each of the words once, with how often it came where that is more than once."""
    for word, times in Counter(words).items():
        yield f"{word} ({times:,} times)" if times > 1 else word


def _first_of(places: Sequence[str]) -> str:
    named = ", ".join(places[:_NAMED_TOGETHER])
    more = len(places) - _NAMED_TOGETHER
    return f"{named} and {more:,} more" if more > 0 else named


def _find_left_out(things: Sequence[LeftOut]) -> Finding | None:
    return make_finding(
        len(things),
        ("{} thing", "was left out:"),
        ("{} things", "were left out:"),
        fold_remarks((each.place, str(each.reason)) for each in things),
    )


def _by_folder(book: Book) -> Iterator[str]:
    """Yield the unlisted files, joined by folder; a folder without any page is named for all files below it."""
    listed = {above for page in book.walk() if page.path is not None for above in folders_above(page.path)}
    folders = {path: _outermost_without(listed, path) for path in book.report.unlisted}
    counted = Counter(folders.values())
    listed = set()
    for path, folder in folders.items():
        if counted[folder] <= _NAMED_ALONE:
            yield join_path(book.root, path)
        elif folder not in listed:
            listed.add(folder)
            place = join_path(book.root, folder)
            yield f"{place}/ ({counted[folder]:,} pages)" if place else f"{counted[folder]:,} unlisted pages"


def _outermost_without(listed: set[str], path: str) -> str:
    """Return the outermost folder above a path that holds no listed page, else the path's own folder."""
    found = posixpath.dirname(path)
    for folder in folders_above(path):
        if folder in listed:
            break
        found = folder
    return found


def _by_page(root: str, files: Iterable[MissingFile]) -> Iterator[str]:
    """Yield the files that name others in vain, each with what it names."""
    targets: dict[str, list[str]] = {}
    for each in files:
        place = join_path(root, each.page)
        targets.setdefault(normal_place(place) or place, []).append(each.target)
    return fold_remarks((page, ", ".join(_count(named))) for page, named in targets.items())


def _on_site(plan: SitePlan) -> Iterator[Finding | None]:
    yield make_finding(
        len(plan.missing),
        ("{} site space", "of structure.json has no book here, so it was not made:"),
        ("{} site spaces", "of structure.json have no book here, so they were not made:"),
        _by_title((link.title, link.section) for link in plan.missing),
    )
    yield make_finding(
        len(plan.unplaced),
        ("{} book", "has no place in structure.json, so its space is not on the site:"),
        ("{} books", "have no place in structure.json, so their spaces are not on the site:"),
        plan.unplaced,
    )
