"""Full-text search of the main content of spaces, cut at headings.

Runs of Chinese, Japanese and Korean are indexed as overlapping pairs of characters, since the tokenizer knows no words
there; a pair's second character ends a run on its own, so that each single character is found too.
"""

from __future__ import annotations

import json
import re
from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from functools import lru_cache, partial
from itertools import islice
from unicodedata import normalize
from urllib.parse import unquote

from recto.document.markdown.html_tags import without_comments_beside_code
from recto.document.markdown.inline import part_anchor
from recto.document.markdown.outline import slugify
from recto.document.text import join_lines
from recto.frozen import frozen
from recto.server.content.objects import Remembered, load_text, load_texts, weight_of_texts
from recto.server.content.tree import Node, Tree, differences
from recto.server.storage.database import Connection, Row

_CJK = "\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\uac00-\ud7af\U00020000-\U0003ffff"
_CJK_RUN = re.compile(f"[{_CJK}]+")
_WORD = re.compile(f"[{_CJK}]+|[^\\W_{_CJK}]+")
# Repetitions within a line are bounded: on a hostile line the time would grow with its square.
_CUT = re.compile(r"^ {0,3}(?:#{1,6}[ \t](?P<title>[^\n]*)|(?P<fence>`{3,}|~{3,})(?P<info>[^\n]*))$", re.MULTILINE)
_ANCHOR = re.compile(r"<a\b[^>]{0,300}?\bid=\"([^\"]{1,300})\"")
_MARKUP = re.compile(
    r"(?=[{<!\[\]&])(?:"  # at most characters nothing else has to be tried
    r"\{%(?P<tag>[^\n]{0,1000}?)%\}|<img\b(?P<img>[^>\n]{0,1000})>"
    r"|!\[(?P<alt>[^\[\]\n]{0,300})\]\((?P<picture>[^)\n]{0,2000})\)|(?P<bare>\[)?\]\((?P<address>[^)\n]{0,2000})\)|&#x20;"
    r"|</?(?:a|table|thead|tbody|tr|t[dh]|div|span|figure|figcaption|picture|source|details|summary|mark|code|pre"
    r"|br|p|[uo]l|li|strong|em|[bi]|su[bp]|h[1-6]|kbd|select|option)\b[^>\n]{0,1000}>)"
)
_PARTS = re.compile(
    r"\b(?:title|caption|url|src|path|method|spec|baseUrl|summary|description|tags)="
    r"(?:\"([^\"]{0,1000})\"|'([^']{0,1000})')"
)
"""The attributes of a block that stand on the page: a tab's title, an embed's address."""
_OF_PICTURE = re.compile(r"\b(alt|src)=(?:\"([^\"]{0,1000})\"|'([^']{0,1000})')")

_ASKED = re.compile('"([^"]+)"')
_ACCENTED = re.compile("[\u00c0-\u024f\u1e00-\u1eff\u0300-\u036f]")
_ACCENT = re.compile("[\u0300-\u036f]+")

_EXCERPT = 160
_SECTIONS_OF_A_PAGE = 8
_MOST_PLACES, _NEAR = 500, 20
AT_ONCE, AT_ONCE_CHARACTERS = 100, 200_000
"""So many pages of so much text in all are put into the index with the change that brings them; more is queued."""

_USUAL_LENGTH = 600
_plain: Remembered[str] = Remembered(4 * 1024 * 1024, len)
_scores: Remembered[float] = Remembered(20_000)
_excerpts: Remembered[tuple[FoundSection, ...]] = Remembered(10_000)
"""The excerpt of a section for a query; none where it holds none of the words."""
_SECTION_BYTES = 500
"""What a found section takes beside its heading."""
_OF_SECTION = ("page", "anchor", "title", "text", "start", "end")
"""What a found section is known by, without its words in the index."""
_COUNTED = 50_000
"""In so many characters of a section its words are counted to rank it."""
_ANYWHERE = 200
_RANKED_BY_NAME = (("title", 100), ("heading", 100))
"""How many sections of a space are ranked that hold the words anywhere, in their page's title, and in their heading."""


@frozen
class TextSection:
    """A part of a text from a heading to the next; ``anchor`` is empty for the text before the first heading."""

    anchor: str
    heading: str
    start: int
    end: int


def cut(text: str) -> list[TextSection]:
    """Cut a text at its headings, of whatever level; a number sign in code is none."""
    found: list[TextSection] = []
    seen: Counter[str] = Counter()
    anchor, heading, start, fence = "", "", 0, ""
    for match in _CUT.finditer(text):
        mark = match["fence"]
        if fence:
            if mark and mark.startswith(fence) and not match["info"].strip():
                fence = ""
        elif mark:
            if mark[0] == "~" or "`" not in match["info"]:
                fence = mark
        else:
            found.append(TextSection(anchor, heading, start, match.start()))
            title, named = part_anchor(match["title"].rstrip("# \t"))
            explicit = _ANCHOR.search(title)
            heading = plain(title)
            slug = slugify(heading)
            own = explicit[1] if explicit else named[0].target if named else None
            anchor = own or (f"{slug}-{seen[slug]}" if seen[slug] else slug)
            if not own:
                seen[slug] += 1
            start = match.end()
    return [*found, TextSection(anchor, heading, start, len(text))]


def plain(text: str) -> str:
    """Return the visible text on a single line: without tags, block marks and hidden addresses."""
    return " ".join(_without_markup(text).split())


def index_text(text: str) -> str:
    """Return the text for the index, with Chinese, Japanese and Korean in pairs."""
    words = _without_markup(text)
    return words if words.isascii() else _CJK_RUN.sub(lambda run: f" {pairs(run[0])} ", words)


def _without_markup(text: str) -> str:
    return _MARKUP.sub(_in_place_of, _visible_text(text))


def _in_place_of(markup: re.Match[str]) -> str:
    """Return what a page shows of a piece of markup.

    It is the address of a link without a text, the words and the file of a picture, or the parts of a block.
    """
    if markup["img"]:
        attributes = {name: double or single for name, double, single in _OF_PICTURE.findall(markup["img"])}
        return f" {attributes.get('alt', '')} {_file_name(attributes.get('src', ''))} "
    if markup["picture"] is not None:
        address, _, title = markup["picture"].partition(" ")
        return f" {markup['alt']} {_file_name(address)} {title} "
    if markup["tag"]:
        return f" {' '.join(double or single for double, single in _PARTS.findall(markup['tag']))} "
    return f" {markup['address']} " if markup["bare"] else " "


def _file_name(address: str) -> str:
    if address.startswith("data:"):
        return ""
    return unquote(re.split("[?#]", address, maxsplit=1)[0].rpartition("/")[2])


def _visible_text(text: str) -> str:
    """Return a text without its comments, and without the ends of lines that stand for no space; code is left alone."""
    if "<!--" not in text:
        return join_lines(text)
    parts: list[str] = []
    fence, start = "", 0
    for match in _CUT.finditer(text):
        mark = match["fence"] or ""
        if not fence and mark:
            parts.append(without_comments_beside_code(text[start : match.start()]))
            fence, start = mark, match.start()
        elif fence and mark.startswith(fence):
            parts.append(text[start : match.start()])
            fence, start = "", match.start()
    rest = text[start:]
    return join_lines("".join([*parts, rest if fence else without_comments_beside_code(rest)]))


def pairs(run: str) -> str:
    """Return the overlapping pairs of a run of characters, and its last character alone."""
    return " ".join(run[index : index + 2] for index in range(len(run)))


def match_expression(query: str) -> str | None:
    """Return the query for the index: all words, each as a prefix; ``None`` if there is no word."""
    terms = []
    for word in _WORD.findall(query):
        if len(word) == 1 or not _CJK_RUN.fullmatch(word):
            terms.append(f'"{word}"*')
        else:
            terms.append(f'"{pairs(word)[:-2]}"')
    return " AND ".join(terms) or None


def reindex(connection: Connection, space: str, before: Tree, after: Tree) -> None:
    """Update the index of a space from a tree to another; equal parts are skipped.

    Where more than a few pages, or much text, is new, it is queued for :mod:`recto.server.content.indexing`, as
    computed pages always are. The words of sections that are gone stay in the index, where nothing finds them, until
    :func:`forget` takes them.
    """
    changed = differences(before.root, after.root).pages.values()
    if any(node is not None and node.type == "computed" for pair in changed for node in pair):
        queue_computed(connection, [space])
    stale, fresh = _find_changed(changed)
    drop_sections(connection, space, [*stale, *(node.id for node in fresh)])
    names = {node.text for node in fresh if node.text}
    if len(fresh) <= AT_ONCE and weight_of_texts(connection, names) <= AT_ONCE_CHARACTERS:
        texts = load_texts(connection, names)
        add_sections(connection, space, [read_sections(node, texts.get(node.text or "", "")) for node in fresh])
        return
    queue = [("search", space, node.id) for node in fresh]
    queue += [("links", space, text) for text in sorted(names)]
    connection.execute_many("INSERT OR IGNORE INTO index_queue VALUES (?, ?, ?)", queue)
    connection.left_over = True


def queue_computed(connection: Connection, spaces: Sequence[str]) -> None:
    """Queue the computed pages of spaces, which their specifications or their content have changed."""
    queue = [("computed", space, "") for space in spaces]
    connection.execute_many("INSERT OR IGNORE INTO index_queue VALUES (?, ?, ?)", queue)
    connection.left_over = connection.left_over or bool(queue)


def queue_pages_from(connection: Connection, organization: str, specification: Sequence[str]) -> None:
    """Queue the pages of an organization that are computed from a specification, given by its slug and id."""
    spaces = connection.column(
        "SELECT DISTINCT space FROM computed_from JOIN spaces ON spaces.id = space"
        " WHERE organization = ? AND specification IN (SELECT value FROM json_each(?))",
        organization,
        json.dumps(specification),
    )
    queue_computed(connection, spaces)


def drop_sections(connection: Connection, space: str, pages: Sequence[str]) -> None:
    """Remove pages from the index of a space and its queue."""
    named = [(space, page) for page in pages]
    if named:
        connection.execute_many("DELETE FROM search_sections WHERE space = ? AND page = ?", named)
        connection.execute_many("DELETE FROM index_queue WHERE step = 'search' AND space = ? AND name = ?", named)


def count_unindexed(connection: Connection, spaces: Sequence[str]) -> int:
    """Return how many pages of spaces are not in the index yet; computed pages count as one until they are counted."""
    count: int = connection.value(
        "SELECT count(*) FROM index_queue WHERE step IN ('computed', 'search')"
        " AND space IN (SELECT value FROM json_each(?))",
        json.dumps(spaces),
    )
    return count


def forget(connection: Connection, most: int) -> int:
    """Remove at most so many deleted sections from the index, and return how many.

    It takes ten times as long as adding them, so it happens in the background.
    """
    return connection.execute(
        """DELETE FROM search WHERE rowid IN (
            SELECT rowid FROM search WHERE rowid NOT IN (SELECT id FROM search_sections) LIMIT ?)""",
        most,
    )


def _find_changed(changed: Iterable[tuple[Node | None, Node | None]]) -> tuple[list[str], list[Node]]:
    """Return the pages whose sections are removed, and the pages to split again."""
    stale: list[str] = []
    fresh: list[Node] = []
    for old, new in changed:
        if old and new and reads_alike(old, new):
            continue
        if old:
            stale.append(old.id)
        if new and new.type != "computed":
            fresh.append(new)
    return stale, fresh


def reads_alike(one: Node, other: Node) -> bool:
    """Whether two versions of a page have the same words in the index."""
    return _words_beside(one) == _words_beside(other)


def _words_beside(node: Node) -> tuple[object, ...]:
    return node.text, node.title, node.link_title, node.attributes.get("description")


@frozen
class PageSections:
    """The sections of a page as they go into the index: each section's place in the text, and its words."""

    node: Node
    places: Sequence[tuple[object, ...]]
    words: Sequence[tuple[str, str, str]]


def read_sections(node: Node, text: str, sections: Sequence[TextSection] | None = None) -> PageSections:
    """Prepare the words of a page for the index, in sections or else cut at its headings."""
    places: list[tuple[object, ...]] = []
    words: list[tuple[str, str, str]] = []
    title = index_text(node.title if node.link_title == node.title else f"{node.title} {node.link_title}")
    for section in cut(text) if sections is None else sections:
        body = index_text(text[section.start : section.end])
        if not section.anchor:
            body = f"{index_text(str(node.attributes.get('description') or ''))} {body}"
        places.append((section.anchor, section.heading, node.text, section.start, section.end))
        words.append((title, index_text(section.heading), body))
    return PageSections(node, places, words)


def add_sections(connection: Connection, space: str, pages: Sequence[PageSections]) -> None:
    """Index pages, replacing their sections, and remove them from the queue."""
    drop_sections(connection, space, [page.node.id for page in pages])
    at = (connection.value("SELECT rowid FROM search ORDER BY rowid DESC LIMIT 1") or 0) + 1
    sections: list[tuple[object, ...]] = []
    words: list[tuple[object, ...]] = []
    for page in pages:
        for place, each in zip(page.places, page.words, strict=True):
            sections.append((at, space, page.node.id, *place))
            words.append((at, *each))
            at += 1
    connection.execute_many("INSERT INTO search_sections VALUES (?, ?, ?, ?, ?, ?, ?, ?)", sections)
    connection.execute_many("INSERT INTO search (rowid, title, heading, body) VALUES (?, ?, ?, ?)", words)


@frozen
class FoundSection:
    """A section in which words were found: its anchor, its heading and a piece of its text around the first of them."""

    anchor: str
    heading: str
    excerpt: str


@frozen
class FoundPage:
    """A page in which words were found; the higher its ``score`` the better, and ``rows`` are its sections, best first.

    The score follows from the page and the query alone: it stays the same whatever other pages come and go.
    """

    space: str
    page: str
    score: float
    rows: Sequence[Row]


def _weigh(pages: Sequence[FoundPage]) -> int:
    """Estimate the bytes of found pages."""
    rows = [row for page in pages for row in page.rows]
    return _SECTION_BYTES * (1 + len(rows)) + sum(len(row["title"]) + len(row["anchor"]) for row in rows)


_found: Remembered[Sequence[FoundPage]] = Remembered(16 * 1024 * 1024, _weigh)
"""The pages of a space for a query, by what its index follows from."""


def find(
    connection: Connection, spaces: Sequence[str], query: str, states: Mapping[str, Hashable] = {}
) -> list[FoundPage]:
    """Return the pages with all words of a query in a section, in no particular order.

    So many sections of each space are ranked, however many hold the words: first those that hold them in the title.
    ``states`` says, by space, what its index follows from: as long as that is the same, its pages are ranked once for
    all who ask for the same.
    """
    expression = match_expression(query)
    if expression is None:
        return []
    pages: list[FoundPage] = []
    for space in spaces:
        rank = partial(_rank_pages, connection, space, expression)
        pages += _found.get_or_make((space, states[space], expression), rank) if space in states else rank()
    return pages


def _rank_pages(connection: Connection, space: str, expression: str) -> Sequence[FoundPage]:
    pages: dict[str, list[tuple[float, Row]]] = {}
    for score, row in _rank(connection, space, expression):
        pages.setdefault(row["page"], []).append((score, row))
    return [_make_found_page(space, page, found) for page, found in pages.items()]


# The sections of a space mostly follow each other, so that those of others are hardly looked at.
_MATCHING = """SELECT found.id, found.page, found.anchor, found.title, found.text, found.start, found.end,
    search.title AS of_page, search.heading AS heading, substr(search.body, 1, :counted) AS body
    FROM search CROSS JOIN search_sections AS found ON found.id = search.rowid
    WHERE search MATCH :words AND found.space = :space
    AND search.rowid >= (SELECT id FROM search_sections WHERE space = :space ORDER BY id LIMIT 1)
    AND search.rowid <= (SELECT id FROM search_sections WHERE space = :space ORDER BY id DESC LIMIT 1)
    LIMIT :most"""


def _rank(connection: Connection, space: str, expression: str) -> list[tuple[float, Row]]:
    """Return the sections of a space to rank, with their scores."""
    found = _find_matching(connection, space, expression, _ANYWHERE)
    if len(found) == _ANYWHERE:
        for column, most in _RANKED_BY_NAME:
            found |= _find_matching(connection, space, f"{column} : ({expression})", most)
    counter = _counter_of(expression)
    # Counting reads the words of a section, most of the cost of a search; each page of a list asks again.
    scores = [_scores.get_or_make(_name(expression, row), partial(_score, counter, row)) for row in found.values()]
    return [
        (score, {name: row[name] for name in _OF_SECTION}) for score, row in zip(scores, found.values(), strict=True)
    ]


def _find_matching(connection: Connection, space: str, words: str, most: int) -> dict[int, Row]:
    """Return at most so many sections of a space that match, by id, with as many of their words as are counted."""
    values = {"words": words, "space": space, "most": most, "counted": _COUNTED}
    return {row["id"]: row for row in connection.all(_MATCHING, values)}


def _name(words: str, row: Row) -> int:
    """Return a hash of the inputs of a score: the words of the query and of the section.

    The interpreter's own is salted for each run, so that no text can be made to have that of another.
    """
    return hash((words, row["of_page"], row["heading"], row["body"]))


@lru_cache(maxsize=16)
def _counter_of(words: str) -> re.Pattern[str]:
    """Return the counter of the words of a query."""
    asked = (re.escape(_fold(word)) for word in _ASKED.findall(words))
    # With the letters first, most of a text is passed over quickly.
    return re.compile("|".join(rf"{word}(?<![^\W_]{word})" for word in asked))


def _fold(text: str) -> str:
    """Return a text as its words are compared in the index: in small letters without their accents."""
    text = text.lower()
    if text.isascii() or not _ACCENTED.search(text):
        return text
    return normalize("NFC", _ACCENT.sub("", normalize("NFD", text)))


def _make_found_page(space: str, page: str, found: list[tuple[float, Row]]) -> FoundPage:
    if len(found) > 1:
        found.sort(key=lambda each: (-each[0], each[1]["start"]))
    return FoundPage(space, page, found[0][0], [row for _, row in found])


def _score(counter: re.Pattern[str], row: Row) -> float:
    """Weigh a section as BM25 does, but for what depends on other sections: how rare a word is, and their length."""
    length = 0.25 + 0.75 * len(row["body"]) / _USUAL_LENGTH
    title, heading, body = (len(counter.findall(_fold(row[name]))) for name in ("of_page", "heading", "body"))
    score: float = 22.0 * title / (title + 1.2) + 11.0 * heading / (heading + 1.2) + 2.2 * body / (body + 1.2 * length)
    return score


def sections_of(connection: Connection, found: FoundPage, query: str) -> Iterator[FoundSection]:
    """Yield up to eight sections that hold a word themselves, not merely under a page whose title holds it."""
    shown = (
        section
        for row in found.rows
        for section in _excerpts.get_or_make(
            f"{row['text']} {row['start']} {row['end']} {query}", partial(_excerpt_of, connection, row, query)
        )
    )
    return islice(shown, _SECTIONS_OF_A_PAGE)


def _excerpt_of(connection: Connection, row: Row, query: str) -> tuple[FoundSection, ...]:
    """Return the excerpt of a section, or nothing where it holds none of the words itself."""
    wanted, body = _parse_query(query), _read(connection, row)
    at = wanted.place_in(body)
    if at is None and wanted.place_in(row["title"]) is None:
        return ()
    return (FoundSection(row["anchor"], row["title"], _excerpt(body, at or 0)),)


def _read(connection: Connection, row: Row) -> str:
    """Return a section as it stands on the page."""

    def make() -> str:
        return plain(load_text(connection, row["text"])[row["start"] : row["end"]])

    return _plain.get_or_make(f"{row['text']} {row['start']} {row['end']}", make)


class _Wanted:
    """The words of a query, as they are looked for in a text that is read."""

    def __init__(self, query: str) -> None:
        words = _WORD.findall(query)
        # Words in letters are found by their beginning, so that they are not shown within another word either.
        begun = [rf"(?<![^\W_]){re.escape(word)}" if word.isascii() else re.escape(word) for word in words]
        self._count = len({word.casefold() for word in words})
        self._phrase = re.compile(r"[\W_]{0,3}".join(map(re.escape, words)), re.IGNORECASE)
        self._words = re.compile("|".join(begun), re.IGNORECASE)

    def place_in(self, text: str) -> int | None:
        """Return where the words follow each other, else where most of them stand near each other."""
        if phrase := self._phrase.search(text):
            return phrase.start()
        matches = ((match.start(), match[0].casefold()) for match in islice(self._words.finditer(text), _MOST_PLACES))
        ahead = deque(islice(matches, 1))
        best, most = None, 0
        while ahead and most < self._count:
            start = ahead[0][0]
            end = start + _EXCERPT * 2 // 3
            near = {word for at, word in ahead if at < end}
            while len(near) < self._count and len(ahead) < _NEAR and ahead[-1][0] < end:
                following = next(matches, None)
                if following is None:
                    break
                ahead.append(following)
                if following[0] < end:
                    near.add(following[1])
            if len(near) > most:
                best, most = start, len(near)
            ahead.popleft()
            if not ahead:
                ahead.extend(islice(matches, 1))
        return best


@lru_cache(maxsize=16)
def _parse_query(query: str) -> _Wanted:
    return _Wanted(query)


def _excerpt(body: str, at: int) -> str:
    start = max(0, at - _EXCERPT // 3)
    end = start + _EXCERPT
    return ("…" if start else "") + body[start:end].strip() + ("…" if end < len(body) else "")
