"""HTML converted to Markdown: the content of a page without navigation. No script runs, and nothing is fetched."""

from __future__ import annotations

import re
import warnings
from base64 import b64decode
from binascii import Error as Base64Error
from collections.abc import Callable, Iterable, Iterator, Set
from itertools import islice
from typing import Any, Final
from urllib.parse import quote, unquote

from bs4 import BeautifulSoup, Comment, MarkupResemblesLocatorWarning
from bs4.element import NavigableString, PageElement, PreformattedString, Tag
from markdownify import MarkdownConverter

from recto.document.markdown.outline import slugify
from recto.frozen import frozen

MOST_LETTERS: Final = 4 * 1000 * 1000
"""The largest page that is converted, in characters."""

MOST_TAGS: Final = 20_000
"""The most tags of a page that is converted."""

MOST_ATTRIBUTES: Final = 200_000
"""The most attributes of all tags of a page that is converted."""

MOST_NESTED: Final = 120
"""The deepest nesting of tags."""


class ConversionError(ValueError):
    """A document cannot be converted; the message gives the reason in a few words."""


@frozen
class ConvertedPage:
    """A page: its title, which is empty where the document names none, and its text in Markdown."""

    title: str
    text: str


Address = Callable[[str, str], str | None]
"""Returns where a link (``href``) or picture (``src``) leads instead, by its address; ``None`` for nowhere."""

KeepPicture = Callable[[bytes, str], str]
"""Stores a picture that lies in the page, given its bytes and type, and returns its address."""

_DROPPED: Final = (
    *("script", "style", "template", "noscript", "iframe", "object", "embed", "applet", "svg", "canvas", "audio"),
    *(
        "button",
        "select",
        "textarea",
        "label[hidden]",
        "link",
        "meta",
        "base",
        "frame",
        "frameset",
        "form[role=search]",
        "nav",
        "[role=navigation]",
        "pre .linenos, pre .lineno, pre .lnt, pre .ln",
    ),
)
_NUMBERED_CODE: Final = (
    "table.highlighttable, table.codehilitetable, table.rouge-table, table.lntable, .highlight > table"
)
"""Tables with the numbers of lines in one cell and their code in the next."""
_AROUND: Final = ("nav", "header", "footer", "aside[role]", "[role=navigation]", "[role=banner]", "[role=contentinfo]")
_MAIN: Final = ("#main-content", "div.page-body", "main", "[role=main]", "article", "body")
_SAFE: Final = re.compile(r"(?:https?:|mailto:|tel:|ftp:)", re.IGNORECASE)
_SCHEME: Final = re.compile(r"[a-zA-Z][a-zA-Z0-9+.-]*:")
_LANGUAGE: Final = re.compile(
    r"(?:^|[\s;])(?:language-|lang-|brush:\s*|highlight-(?:source-)?|sourceCode\s+)([\w+#.-]{1,30})"
)
_DATA: Final = re.compile(r"data:(image/[\w.+-]{1,30});base64,", re.IGNORECASE)
_HINTS: Final = {
    "information": "info",
    "info": "info",
    "note": "info",
    "tip": "success",
    "success": "success",
    "warning": "warning",
    "caution": "warning",
    "important": "warning",
    "danger": "danger",
    "error": "danger",
}
_HINT_CLASS: Final = re.compile(
    r"(?:confluence-information-macro-|alert-|(?:theme-)?admonition-|callout-|markdown-alert-)?"
    r"(information|info|note|tip|success|warning|caution|important|danger|error)"
)
_HINT_BOX: Final = frozenset(
    {"confluence-information-macro", "admonition", "theme-admonition", "alert", "callout", "markdown-alert"}
)
_HINT_TITLE: Final = 'p.title, .admonition-title, .markdown-alert-title, [class^="admonitionHeading"]'
_TABS: Final = "[role=tablist], .tabbed-set, .sd-tab-set"
_TAB_TEXTS: Final = ".tabbed-content:not(:has(> .tabbed-block)), .tabbed-block, .sd-tab-content"
_NO_ATTRIBUTE: Final = str.maketrans({'"': "'", "%": "", "{": "", "}": ""})
"""What the title of a tab cannot have."""
_FENCE: Final = re.compile(r"\s*(?:[*>]\s+|\d+\.\s+)*(`{3,})")
_HEADING: Final = re.compile(r"h[1-6]")
_MEDIA: Final = ("iframe", "video", "audio", "embed", "object")
_FORMULA: Final = frozenset({"katex", "katex-display", "mwe-math-element"})
_TEX: Final = re.compile(r"\\\[(.{1,10000})\\\]|\\\((.{1,10000})\\\)", re.DOTALL)
_PERMALINKS: Final = frozenset({"", "¶", "#", "§", "🔗", "\uf0c1", "Link to this heading"})
_SPACE: Final = re.compile(r"\s+")
_OPENING: Final = re.compile(r"<[a-zA-Z][^\s/>]*+")
_ATTRIBUTE: Final = re.compile(r"""[\s/]*+[^\s/>][^\s/=>]*+(?:\s*+=\s*+(?:'[^']*+'|"[^"]*+"|[^\s>]*+))?+""")
_ESCAPED: Final = re.compile(r"([\\`*\[\]<])|(?<![^\W_])(_)|(_)(?![^\W_])|(&)(?=#?\w{1,32};)|(?<=\{)(%)")
_AT_START: Final = re.compile(
    r"^(\s*)(?:([#>+-])(?=\s|#|$)|(\d{1,9})([.)])(?=\s|$)|(-{3,}|={3,}|~{3,})\s*$)", re.MULTILINE
)
_QUOTED: Final = "/#?=&%+:@,;~!$*'"


def convert_html(
    html: str, *, address: Address, keep_picture: KeepPicture, anchors: Set[str] = frozenset()
) -> ConvertedPage:
    """Return the content of an HTML page as Markdown.

    ``anchors`` are the ids by which links of other pages lead to parts of this page. Raises :class:`ConversionError`
    for a page that is too large, or nested too deep.
    """
    soup = parse_html(html)
    title = _title_of(soup)
    content = _content_of(soup)
    _name_formulas(content)
    _name_media(content, address)
    _drop_permalinks(content)
    heading = content.find("h1")
    if heading is not None:
        title = _words(heading) or title
        heading.extract()
    _name_tabs(content)
    _clear(content)
    _name_notes(content)
    _keep_anchors(content, anchors)
    _place_addresses(content, address, keep_picture)
    _name_blocks(content)
    try:
        text = _Converter().convert_soup(content)
    except RecursionError as error:
        raise ConversionError(f"it is nested more than {MOST_NESTED} deep") from error
    return ConvertedPage(title, "\n".join(_without_wide_gaps(text.strip().split("\n"))) + "\n")


def parse_html(html: str) -> BeautifulSoup:
    """Return a page's elements, bounded in number, attributes and nesting; raises :class:`ConversionError`."""
    if len(html) > MOST_LETTERS:
        raise ConversionError(f"it has more than {MOST_LETTERS // 1_000_000} MB")
    html = _with_single_spaces(_without_declarations(html))
    if html.count("<") > MOST_TAGS * 2 or html.count("&") > MOST_TAGS * 10:
        raise ConversionError(f"it has more than {MOST_TAGS:,} tags")
    if next(islice(_attributes(html), MOST_ATTRIBUTES, None), None) is not None:
        raise ConversionError(f"it has more than {MOST_ATTRIBUTES:,} attributes")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MarkupResemblesLocatorWarning)
        soup = BeautifulSoup(html, "html.parser")
    ahead: list[tuple[Tag, int]] = [(soup, 0)]
    while ahead:
        tag, depth = ahead.pop()
        if depth > MOST_NESTED:
            raise ConversionError(f"it is nested more than {MOST_NESTED} deep")
        ahead += [(child, depth + 1) for child in tag.children if isinstance(child, Tag)]
    return soup


def _attributes(html: str) -> Iterator[re.Match[str]]:
    """Yield what the parser may take for attributes, before it holds all those of a tag at once."""
    for opening in _OPENING.finditer(html):
        at = opening.end()
        while (found := _ATTRIBUTE.match(html, at)) is not None:
            yield found
            at = found.end()


def _without_declarations(html: str) -> str:
    """Drop comments, declarations and instructions, and escape an unfinished tag at the end.

    The parser would search for the end of each of them up to the end of the page.
    """
    kept: list[str] = []
    at = 0
    while (start := html.find("<", at)) >= 0:
        opening = html[start : start + 2]
        if opening not in ("<!", "<?"):
            kept.append(html[at : start + 1])
            at = start + 1
            continue
        kept.append(html[at:start])
        closing = "-->" if html.startswith("<!--", start) else "]]>" if html.startswith("<![CDATA[", start) else ">"
        end = html.find(closing, start)
        if end < 0:
            at = len(html)
            break
        at = end + len(closing)
    kept.append(html[at:])
    plain = "".join(kept)
    last = plain.rfind(">") + 1
    return plain[:last] + plain[last:].replace("<", "&lt;")


def _with_single_spaces(html: str) -> str:
    """Collapse white space to one space, as browsers do, except in code."""
    lowered = html.lower()
    if len(lowered) != len(html):
        lowered = html
    kept: list[str] = []
    at = 0
    while (start := lowered.find("<pre", at)) >= 0:
        end = lowered.find("</pre", start)
        end = len(html) if end < 0 else end
        kept += [_SPACE.sub(" ", html[at:start]), html[start:end]]
        at = end
    return "".join([*kept, _SPACE.sub(" ", html[at:])])


def _without_wide_gaps(written: Iterable[str]) -> Iterator[str]:
    """Yield lines with at most one empty line in a row, except in code."""
    fence, is_empty = "", False
    for line in written:
        if (found := _FENCE.match(line)) is not None and (not fence or line.strip() == fence):
            fence = "" if fence else found[1]
        if fence or line.strip() or not is_empty:
            yield line if fence or line.endswith("\\") else line.rstrip()
        is_empty = not line.strip()


def _title_of(soup: BeautifulSoup) -> str:
    found = soup.find("title")
    return _words(found) if found is not None else ""


def _words(tag: PageElement) -> str:
    return _SPACE.sub(" ", tag.get_text()).strip()


def _content_of(soup: BeautifulSoup) -> Tag:
    """Return the element that holds the content of the page, with the heading in it."""
    for selector in _MAIN:
        found = soup.select_one(selector)
        if found is None:
            continue
        if selector == "body":
            for around in found.select(", ".join(_AROUND)):
                _drop_around(around)
        heading = soup.select_one("h1.page-title, #title-heading")
        if heading is not None and heading not in found.find_all("h1"):
            found.insert(0, heading.extract())
        return found
    return soup


def _drop_around(tag: Tag) -> None:
    if tag.name == "header" and tag.find("h1") is not None:
        return
    tag.decompose()


def _clear(content: Tag) -> None:
    for tag in content.select(", ".join(_DROPPED)):
        tag.decompose()
    for table in content.select(_NUMBERED_CODE):
        if code := table.find_all("pre")[-1:]:
            table.replace_with(code[0].extract())
    for text in content.find_all(string=lambda each: isinstance(each, Comment | PreformattedString)):
        text.extract()


def _place_addresses(content: Tag, address: Address, keep_picture: KeepPicture) -> None:
    """Replace the addresses of links and pictures; drop those without a target, and those of unsafe schemes."""
    for link in content.find_all("a"):
        target = str(link.get("href") or "").strip()
        led = address("href", target) if target and _may_lead(target) else None
        if led:
            link["href"] = quote(led, safe=_QUOTED)
        else:
            del link["href"]
    for picture in content.find_all("img"):
        source = str(picture.get("src") or "").strip()
        if picture.get("data-src") and (not source or source.startswith("data:")):
            source = str(picture["data-src"]).strip()  # what scripts put in its place
        led = _keep_source(source, keep_picture) if source.lower().startswith("data:") else None
        if led is None and _may_lead(source):
            led = address("src", source)
        if led:
            picture["src"] = quote(led, safe=_QUOTED)
        else:
            picture.decompose()


def _name_formulas(content: Tag) -> None:
    """Rename formulas that carry their TeX: of KaTeX and MathML in an annotation, of pandoc and Sphinx as text."""
    for note in content.select('annotation[encoding="application/x-tex"]'):
        formula = note.find_parent("math")
        if formula is None:
            continue
        is_block = formula.get("display") == "block"
        for around in formula.find_parents(["span", "div"], limit=4):
            if any(name in _FORMULA for name in _classes(around)):
                formula, is_block = around, is_block or "katex-display" in _classes(around)
        _make_formula(formula, note.get_text(), is_block)
    for fraction in content.select("math mfrac"):
        below = fraction.find_all(True, recursive=False)[1:]
        if below:
            below[0].insert_before("/")
    for formula in content.select("span.math, div.math"):
        found = _TEX.fullmatch(formula.get_text().strip())
        if found is not None:
            _make_formula(formula, found[1] or found[2], found[1] is not None)


def _make_formula(tag: Tag, tex: str, is_block: bool) -> None:
    tag.name, tag["data-tex"] = ("recto-formulas" if is_block else "recto-formula"), _SPACE.sub(" ", tex).strip()
    for inner in list(tag.children):
        inner.extract()


def _name_media(content: Tag, address: Address) -> None:
    """Rename what shows or plays something from elsewhere, such as a video, where its address can be followed."""
    for tag in content.find_all(_MEDIA):
        if tag.decomposed:
            continue
        given = next((each for each in (tag, *tag.find_all("source")) if each.get("src") or each.get("data")), tag)
        source = str(given.get("src") or given.get("data") or "").strip()
        source = f"https:{source}" if source.startswith("//") else source
        led = address("href", source) if _may_lead(source) else None
        if led:
            tag.clear()
            tag.name, tag["data-url"] = "recto-media", quote(led, safe=_QUOTED)


def _drop_permalinks(content: Tag) -> None:
    """Drop the links by which headings and terms lead to themselves; their ids become those of the headings."""
    for link in content.select('a[href^="#"]'):
        heading = link.find_parent(_HEADING) or link.find(_HEADING)
        is_sign = _words(link).strip("\u200b") in _PERMALINKS and link.find("img") is None
        if heading is None:
            if is_sign and "headerlink" in _classes(link):
                link.extract()
        elif is_sign or str(link["href"])[1:] in (heading.get("id"), link.get("id")):
            if link.get("id") and not heading.get("id"):
                heading["id"] = link["id"]
            link.extract() if is_sign else link.unwrap()


def _name_tabs(content: Tag) -> None:
    """Rename tabs, which are named by a list of labels, or have each its label before it."""
    for box in content.select(_TABS):
        is_list = box.get("role") == "tablist"
        if is_list and box.parent is not None:
            within = box.find_parent(role="tabpanel")
            labels = list(box.select("[role=tab]"))
            panels = [
                each for each in box.parent.select("[role=tabpanel]") if each.find_parent(role="tabpanel") is within
            ]
        else:
            labels, panels = (
                [each for each in box.select(kind) if each.find_parent(class_=["tabbed-set", "sd-tab-set"]) is box]
                for kind in ("label", _TAB_TEXTS)
            )
        if not labels or len(labels) != len(panels):
            continue
        tabs = Tag(name="recto-tabs")
        box.insert_before(tabs)
        for label, panel in zip(labels, panels, strict=True):
            title = _words(label).translate(_NO_ATTRIBUTE)
            label.extract()
            panel.name, panel["data-title"] = "recto-tab", title
            tabs.append(panel.extract())
        if is_list:
            box.extract()


def _name_notes(content: Tag) -> None:
    """Rename footnotes, which are items of a list that marks in the text lead to and that lead back to these."""
    marks: dict[str, list[Tag]] = {}
    for link in content.find_all("a", href=True):
        if str(link["href"]).startswith("#"):
            marks.setdefault(str(link["href"])[1:], []).append(link)
    listings: dict[int, Tag] = {}
    number = 0
    for item in content.select("li[id]"):
        leading = marks.pop(str(item["id"]), [])
        places = {f"#{tag['id']}" for mark in leading for tag in (mark, mark.parent) if tag and tag.get("id")}
        back = [link for link in item.find_all("a", href=True) if str(link["href"]) in places]
        if not back or item.parent is None:
            continue
        number += 1
        listings[id(item.parent)] = item.parent
        for link in back:
            link.decompose()
        for mark in leading:
            around = mark.parent
            is_alone = around is not None and all(each is mark or str(each) == " " for each in around.children)
            whole = around if around is not None and around.name == "sup" and is_alone else mark
            whole.name, whole["data-number"] = "recto-mark", str(number)
        item.name, item["data-number"] = "recto-note", str(number)
    for listing in listings.values():
        rule = listing.find_previous_sibling()
        if listing.find("li", recursive=False) is None:
            listing.name = "div"
            if rule is not None and rule.name == "hr":
                rule.decompose()


def _keep_anchors(content: Tag, anchors: Set[str]) -> None:
    """Put the id that links lead by behind each heading whose words do not make the same."""
    used = {unquote(str(link["href"])[1:]) for link in content.select('a[href^="#"]')} | anchors
    found: dict[int, tuple[Tag, str]] = {}
    for tag in content.find_all(id=True):
        heading = _heading_at(tag) if str(tag["id"]) in used else None
        if heading is not None:
            found.setdefault(id(heading), (heading, str(tag["id"])))
    for heading, name in found.values():
        if slugify(_words(heading)) not in ("", name):
            heading.append(Tag(name="recto-anchor", attrs={"data-name": name}))


def _heading_at(tag: Tag) -> Tag | None:
    """Return the heading that an id belongs to: around it, at the start of its section, or after an empty mark."""
    if _HEADING.fullmatch(tag.name):
        return tag
    beside = tag.find_parent(_HEADING) or (
        tag.find(True) if any(map(str.strip, tag.strings)) else tag.find_next_sibling()
    )
    return beside if isinstance(beside, Tag) and _HEADING.fullmatch(beside.name) else None


def _may_lead(target: str) -> bool:
    return bool(target) and (_SCHEME.match(target) is None or _SAFE.match(target) is not None)


def _keep_source(source: str, keep_picture: KeepPicture) -> str | None:
    found = _DATA.match(source)
    if found is None:
        return None
    try:
        return keep_picture(b64decode(source[found.end() :], validate=False), found[1].lower())
    except (Base64Error, ValueError):
        return None


def _name_blocks(content: Tag) -> None:
    """Rename the boxes by which tools write hints, expandables, tasks and terms, so that each has its own tag."""
    for box in content.find_all(["div", "figure", "section", "aside", "p"]):
        if not box.decomposed and (style := _hint_style(box)) is not None:
            box.name, box["data-style"] = "recto-hint", style
            for icon in box.select(".aui-icon, .icon, span.icon"):
                icon.decompose()
            for title in box.select(_HINT_TITLE):
                if _words(title).lower() in _HINTS:
                    title.decompose()
                else:
                    title.name, title["class"] = "p", "recto-term"
    for cell in content.find_all(["td", "th"]):
        for paragraph in cell.find_all("p"):
            if paragraph.find_next_sibling() is not None:
                paragraph.append(Tag(name="br"))
            paragraph.name = "span"
    _fill_spans(content)
    for caption in content.select("table > caption"):
        if (table := caption.parent) is not None:
            caption.name = "p"
            table.insert_before(caption.extract())
    for link in content.select("a[href]"):
        _put_link_inside(link)
    for container in content.select("div.expand-container"):
        summary = container.select_one(".expand-control")
        if summary is not None:
            summary.name = "summary"
            container.name = "details"
    for listing in content.find_all("ol"):
        _number_items(listing)
    for term in content.find_all(["dt", "dd", "dl"]):
        if term.name == "dt":
            term.name = "p"
            term["class"] = "recto-term"
        else:
            term.name = "div"
    for item in content.select("ul.to-do-list > li, ul.inline-task-list > li"):
        _tick(item, item.select_one(".checkbox-on") is not None or "checked" in _classes(item))
    for box in content.select("li input[type=checkbox], li p > input[type=checkbox]"):
        if (owner := box.find_parent("li")) is not None:
            _tick(owner, box.has_attr("checked"))
        box.decompose()
    for field in content.find_all("input"):
        field.decompose()


def _fill_spans(content: Tag) -> None:
    """Put an empty cell where one of a row above reaches into a row, so that the others keep their columns."""
    left = MOST_TAGS // 4
    for table in content.find_all("table"):
        open_rows: dict[int, int] = {}
        for row in table.find_all("tr"):
            if row.find_parent("table") is not table:
                continue
            column = 0
            for cell in [*row.find_all(["td", "th"], recursive=False), None]:
                while open_rows.get(column, 0) > 0 and left > 0:
                    open_rows[column] -= 1
                    column, left = column + 1, left - 1
                    empty = Tag(name="td")
                    row.append(empty) if cell is None else cell.insert_before(empty)
                for _ in range(_span(cell, "colspan") if cell is not None else 0):
                    open_rows[column] = _span(cell, "rowspan") - 1
                    column += 1


def _span(cell: Tag | None, name: str) -> int:
    """Return how many columns or rows a cell takes, 100 at most."""
    written = str(cell.get(name) or "1") if cell is not None else "1"
    return min(100, max(1, int(written))) if written.isdecimal() and len(written) < 4 else 1


def _put_link_inside(link: Tag) -> None:
    """Put a link around several blocks, as of a card, around the words of its heading or first paragraph alone."""
    blocks = link.find_all(["h1", "h2", "h3", "h4", "h5", "h6", "p"], limit=2)
    if not blocks or (blocks[0].name == "p" and len(blocks) == 1):
        return
    target = link.find(_HEADING) or blocks[0]
    inner = Tag(name="a", attrs={"href": str(link["href"])})
    for part in list(target.children):
        inner.append(part.extract())
    target.append(inner)
    link.name = "div"
    del link["href"]


def _hint_style(box: Tag) -> str | None:
    classes = _classes(box)
    if box.name == "aside" and not classes:
        return "info"
    if not any(name in _HINT_BOX for name in classes):
        return None
    found = (match[1] for name in classes if (match := _HINT_CLASS.fullmatch(name)) is not None)
    return next((_HINTS[name] for name in found), "info")


def _classes(tag: Tag) -> list[str]:
    found = tag.get("class")
    return [str(name) for name in found] if isinstance(found, list) else str(found or "").split()


def _number_items(listing: Tag) -> None:
    start = str(listing.get("start") or "1")
    first = int(start) if start.isdecimal() and len(start) < 9 else 1
    items = [child for child in listing.children if isinstance(child, Tag) and child.name == "li"]
    for number, item in enumerate(items, first):
        item["data-number"] = str(number)


def _tick(item: Tag, is_done: bool) -> None:
    for box in item.select(".checkbox"):
        box.decompose()
    item["data-done"] = "x" if is_done else " "


class _Converter(MarkdownConverter):
    """Writes the Markdown that pages are in."""

    def __init__(self) -> None:
        super().__init__(
            heading_style="ATX",
            bullets="*",
            sub_symbol="<sub>",
            sup_symbol="<sup>",
            newline_style="BACKSLASH",
            code_language_callback=_language_of,
            table_infer_header=True,
            default_title=False,
        )

    def escape(self, text: str, parent_tags: Any) -> str:
        if not text:
            return ""
        escaped = _ESCAPED.sub(lambda found: "\\" + found[0], text)
        return _AT_START.sub(_escape_start, escaped)

    def convert_hN(self, n: int, el: Tag, text: str, parent_tags: Any) -> str:  # noqa: N802
        return f"\n\n{'#' * max(1, min(6, n))} {_SPACE.sub(' ', text).strip()}\n\n" if text.strip() else ""

    def convert_li(self, el: Tag, text: str, parent_tags: Any) -> str:
        number, done = el.get("data-number"), el.get("data-done")
        bullet = f"{number}. " if number else "* "
        text = f"[{done}] {text.strip()}" if done else text.strip()
        if not text:
            return f"{bullet.rstrip()}\n"
        indent = " " * len(bullet)
        first, *rest = text.split("\n")
        return "\n".join([bullet + first, *(indent + line if line.strip() else "" for line in rest)]) + "\n"

    def convert_p(self, el: Tag, text: str, parent_tags: Any) -> str:
        if "recto-term" in _classes(el) and text.strip():
            return f"\n\n**{text.strip()}**\n\n"
        return str(super().convert_p(el, text, parent_tags))  # type: ignore[misc]

    def convert_pre(self, el: Tag, text: str, parent_tags: Any) -> str:
        code = "".join(_lines_of(el)).strip("\n")
        if not code.strip():
            return ""
        if "td" in parent_tags or "th" in parent_tags:
            lines = (f"`` {line} ``" if "`" in line else f"`{line}`" for line in code.split("\n") if line.strip())
            return "\n" + "\n".join(lines) + "\n"
        longest = max((len(run) for run in re.findall("`{3,}", code)), default=2)
        fence = "`" * (longest + 1)
        return f"\n\n{fence}{_language_of(el)}\n{code}\n{fence}\n\n"

    def convert_br(self, el: Tag, text: str, parent_tags: Any) -> str:
        if "td" in parent_tags or "th" in parent_tags:
            return "<br>"
        return str(super().convert_br(el, text, parent_tags))  # type: ignore[misc]

    def convert_img(self, el: Tag, text: str, parent_tags: Any) -> str:
        # In cells and headings the library would write the words for a picture alone.
        return str(super().convert_img(el, text, set(parent_tags) - {"_inline"}))  # type: ignore[misc]

    def convert_td(self, el: Tag, text: str, parent_tags: Any) -> str:
        more = _span(el, "colspan") - 1
        parts = [part.strip() for part in text.strip().split("\n") if part.strip()]
        return " " + re.sub(r"(?<!\\)\|", r"\\|", "<br>".join(parts)) + " |" + " |" * more

    convert_th = convert_td

    def convert_figure(self, el: Tag, text: str, parent_tags: Any) -> str:
        picture, caption = el.find("img"), el.find("figcaption")
        if picture is None or "_inline" in parent_tags:
            return f"\n\n{text.strip()}\n\n"
        written = _SPACE.sub(" ", caption.get_text()).strip() if caption is not None else ""
        alt, source = (_attribute(str(picture.get(name) or "")) for name in ("alt", "src"))
        return (
            f'\n\n<figure><img src="{source}" alt="{alt}">'
            f"<figcaption>{f'<p>{_text(written)}</p>' if written else ''}</figcaption></figure>\n\n"
        )

    def convert_details(self, el: Tag, text: str, parent_tags: Any) -> str:
        summary = el.find("summary")
        title = _SPACE.sub(" ", summary.get_text()).strip() if summary is not None else ""
        return f"\n\n<details>\n\n<summary>{_text(title)}</summary>\n\n{text.strip()}\n\n</details>\n\n"

    def convert_recto_anchor(self, el: Tag, text: str, parent_tags: Any) -> str:
        name = _attribute(str(el["data-name"]))
        return f' <a href="#{name}" id="{name}"></a>'

    def convert_recto_formula(self, el: Tag, text: str, parent_tags: Any) -> str:
        return f"$${el['data-tex']}$$"

    def convert_recto_formulas(self, el: Tag, text: str, parent_tags: Any) -> str:
        return f"\n\n$$\n{el['data-tex']}\n$$\n\n"

    def convert_recto_media(self, el: Tag, text: str, parent_tags: Any) -> str:
        url = str(el["data-url"])
        if "_inline" in parent_tags or "td" in parent_tags or "th" in parent_tags:
            return f"[{url}]({url})"
        return f'\n\n{{% embed url="{url}" %}}\n\n' if _SCHEME.match(url) else f'\n\n{{% file src="{url}" %}}\n\n'

    def convert_recto_mark(self, el: Tag, text: str, parent_tags: Any) -> str:
        return f"[^{el['data-number']}]"

    def convert_recto_note(self, el: Tag, text: str, parent_tags: Any) -> str:
        first, *rest = text.strip().split("\n")
        return "\n".join([f"\n\n[^{el['data-number']}]: {first}", *(f"    {line}".rstrip() for line in rest)]) + "\n\n"

    def convert_summary(self, el: Tag, text: str, parent_tags: Any) -> str:
        return ""

    def convert_recto_tabs(self, el: Tag, text: str, parent_tags: Any) -> str:
        return f"\n\n{{% tabs %}}\n{text.strip()}\n{{% endtabs %}}\n\n"

    def convert_recto_tab(self, el: Tag, text: str, parent_tags: Any) -> str:
        return f'\n\n{{% tab title="{el["data-title"]}" %}}\n{text.strip()}\n{{% endtab %}}\n\n'

    def convert_recto_hint(self, el: Tag, text: str, parent_tags: Any) -> str:
        return f'\n\n{{% hint style="{el["data-style"]}" %}}\n{text.strip()}\n{{% endhint %}}\n\n'


def _lines_of(el: Tag) -> Iterator[str]:
    for part in el.descendants:
        if isinstance(part, NavigableString):
            yield part
        elif isinstance(part, Tag) and part.name == "br":
            yield "\n"


def _language_of(el: Tag) -> str:
    for tag in _with_code(el):
        given = tag.get("data-language") or tag.get("data-lang")
        if given and re.fullmatch(r"[\w+#.-]{1,30}", str(given)):
            return str(given).lower()
        written = " ".join([*_classes(tag), str(tag.get("data-syntaxhighlighter-params") or "")])
        if (found := _LANGUAGE.search(written)) is not None:
            return found[1].lower()
    return ""


def _with_code(el: Tag) -> Iterator[Tag]:
    yield el
    code = el.find("code")
    if isinstance(code, Tag):
        yield code
    if el.parent is not None:
        yield el.parent


def _escape_start(found: re.Match[str]) -> str:
    if found[3]:
        return f"{found[1]}{found[3]}\\{found[4]}"
    return f"{found[1]}\\{found[2] or found[5]}"


def _text(text: str) -> str:
    return text.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")


def _attribute(text: str) -> str:
    return _text(text).replace('"', "&quot;").replace("\n", " ")
