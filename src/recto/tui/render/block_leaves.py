"""The leaves of each kind of block, in reading order; text is read only when a leaf is looked at."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from contextlib import nullcontext
from dataclasses import replace
from datetime import date
from itertools import pairwise

from recto.document.markdown.blocks import Block, BlockKind
from recto.document.markdown.html_tags import without_comments
from recto.document.markdown.inline import inline_html
from recto.document.markdown.math_text import math_text
from recto.document.text import on_one_line
from recto.pattern import pattern
from recto.tui.look.signs import size_text
from recto.tui.render.cards import card_leaves
from recto.tui.render.code import Code, code_leaves
from recto.tui.render.figures import figure, figures_beside, may_be_pictures, pictures_alone
from recto.tui.render.folds import CLOSED
from recto.tui.render.inline_prose import LINK, inline_prose
from recto.tui.render.leaf import BARE, BlankLeaf, Frame, Leaf, RuleLeaf, TextLeaf
from recto.tui.render.leaf_builder import BAR, RULED, Draw, Inlines, Label, LeafBuilder
from recto.tui.render.prose import ProseBuilder, prose_of
from recto.tui.render.side_by_side import MOST, BesideLeaf, Cell
from recto.tui.render.surroundings import ALONE, Surroundings, name_of
from recto.tui.render.switch_leaves import SummaryLeaf, TabsLeaf
from recto.tui.render.table import table_leaves

_BULLETS = ("• ", "◦ ", "▪ ")
_RULES = dict(zip(RULED, "━─", strict=True))
_PICTURE = pattern(r"!\[(?P<alt>[^\[\]]*)\]\((?:<(?P<quoted>[^<>]+)>|(?P<src>[^\s()]+))(?:\s+\"(?P<title>[^\"]*)\")?\)")
# HTML that only styles its surroundings, or names a place: it means nothing to a reader.
_SILENT_HTML = pattern(r"(?:\s|</?(?:div|p|center|br|span|picture|figure)\b[^<>]*>|<a\b[^<>]*>\s*</a>)*", re.IGNORECASE)
_OF_CARDS = frozenset(("data-card-target", "data-card-cover"))
_NUMBERED = ("lineNumbers", "linenumbers", "line-numbers")
"""How the attribute is written of a tag, of a tag in lower case, and of HTML."""
_READ_AS_TEXT = pattern(r"a|b|center|code|div|em|h[1-6]|i|img|kbd|li|mark|ol|p|span|strong|sub|sup|u|ul")


def _paragraph(page: LeafBuilder, block: Block, frame: Frame) -> None:
    if block.markup != "html" and (picture := _PICTURE.fullmatch(block.text.strip())):
        src = picture["quoted"] or picture["src"]
        figure(page, block, frame, {"src": src, "alt": picture["alt"], "caption": picture["title"] or ""})
    elif may_be_pictures(block.text) and pictures_alone(page, block, frame, page.inlines(block)):
        return
    elif block.text:
        page.text(block, frame)


def _heading(page: LeafBuilder, block: Block, frame: Frame) -> None:
    # Within a hint, a tab or a list a line across would cut more than the heading does.
    rule = _RULES.get(block.level, "") if not frame.cells else ""
    if block.level not in _RULES:
        # Below the second level the number of marks tells the levels apart, as in the source.
        mark = "#" * block.level + " "
        frame = frame.within((mark, "faint"), (" " * len(mark), ""))
    page.text(block, frame, "strong", rule)


def _divider(page: LeafBuilder, block: Block, frame: Frame) -> None:
    page.add(RuleLeaf(block, frame))


def _code(page: LeafBuilder, block: Block, frame: Frame) -> None:
    attributes = block.attributes
    if title := attributes.get("title"):
        page.label(block, frame, prose_of(on_one_line(title), "muted strong"))
        frame = frame.below
    wrap = attributes.get("overflow") == "wrap"
    numbers = any(attributes.get(name) == "true" for name in _NUMBERED)
    code = Code(block, wrap=wrap, numbers=numbers)
    page.add(*code_leaves(code, frame))


def _quote(page: LeafBuilder, block: Block, frame: Frame) -> None:
    page.inner(block.children, frame.within(("▎ ", "muted"), ("▎ ", "muted")))


def _list(page: LeafBuilder, block: Block, frame: Frame) -> None:
    ordered = block.attributes.get("ordered") == "true"
    tight = _is_tight(block)
    digits = len(str(block.level + len(block.children) - 1))
    for index, item in enumerate(block.children):
        bullet = _BULLETS[min(page.list_depth, len(_BULLETS) - 1)]
        mark = f"{block.level + index:>{digits}}. " if ordered else bullet
        checked = item.attributes.get("checked")
        if checked is not None:
            mark = (mark if ordered else "") + ("[x] " if checked == "true" else "[ ] ")
        inner = frame.within((mark, "success" if checked == "true" else "muted"), (" " * len(mark), ""))
        count = len(page.leaves)
        page.list_depth += 1
        page.all(item.children, inner, frame, gap=0, between=0 if tight else 1)
        page.list_depth -= 1
        if len(page.leaves) == count:
            page.add(BlankLeaf(item, inner))
        if index:
            page.leaves[count].gap = 0 if tight else 1
            page.leaves[count].gap_frame = frame.below
        frame = frame.below


def _is_tight(block: Block) -> bool:
    """Whether no blank line stands between a list's items, nor between the blocks of an item."""
    groups = [block.children, *(item.children for item in block.children)]
    return not any(above.end < below.start for group in groups for above, below in pairwise(group))


def _figure(page: LeafBuilder, block: Block, frame: Frame) -> None:
    if block.children:
        figures_beside(page, block, frame, block.children)
        return
    figure(page, block, frame, block.attributes)
    if block.text:
        page.text(block, frame.below.within(("  ", ""), ("  ", "")), "muted italic")


def _footnote(page: LeafBuilder, block: Block, frame: Frame) -> None:
    mark = f"[{block.name or block.attributes.get('label', '')}] "
    page.inner(block.children, frame.within((mark, "muted"), (" " * len(mark), "")))


def _math(page: LeafBuilder, block: Block, frame: Frame) -> None:
    formula = block.text.strip("\n")
    inner = frame.within(("  ", ""), ("  ", ""))
    page.add(TextLeaf(block, inner, formula, lambda: prose_of(math_text(formula) or formula, "italic")))


def _html(page: LeafBuilder, block: Block, frame: Frame) -> None:
    shown = without_comments(block.text) if "<!--" in block.text else block.text
    if _SILENT_HTML.fullmatch(shown):
        return
    if shown != block.text:
        block = replace(block, text=shown.strip(), name=block.name or "p")
    surroundings = page.surroundings
    if may_be_pictures(block.text) and pictures_alone(page, block, frame, inline_html(block.text)):
        return
    if _READ_AS_TEXT.fullmatch(block.name):
        page.add(TextLeaf(block, frame, block.text, lambda: inline_prose(inline_html(block.text), "", surroundings)))
    else:
        page.source(block, frame)


def _table(page: LeafBuilder, block: Block, frame: Frame) -> None:
    block = _without_hidden(block)
    if block.attributes.get("data-view") == "cards":
        page.add(*card_leaves(block, frame, page.reader(), page.surroundings))
    else:
        page.add(*table_leaves(block, frame, page.reader()))


def _without_hidden(table: Block) -> Block:
    """Return a table without the columns that its author hides; what makes a card's cover and target stays."""
    kept = _OF_CARDS if table.attributes.get("data-view") == "cards" else frozenset[str]()
    titles = table.children[0].children if table.children else ()
    hidden = {
        index
        for index, title in enumerate(titles)
        if "data-hidden" in title.attributes and kept.isdisjoint(title.attributes)
    }
    if not hidden:
        return table

    def drop_hidden(row: Block) -> Block:
        return replace(row, children=tuple(cell for index, cell in enumerate(row.children) if index not in hidden))

    return replace(table, children=tuple(map(drop_hidden, table.children)))


def _source(page: LeafBuilder, block: Block, frame: Frame) -> None:
    page.source(block, frame)


_HINTS = {
    "info": ("i", "Info", "accent"),
    "success": ("✓", "Success", "success"),
    "warning": ("!", "Warning", "warning"),
    "danger": ("×", "Danger", "error"),
}
_LEAST_COLUMN = 28


def _hint(page: LeafBuilder, block: Block, frame: Frame) -> None:
    style = block.attributes.get("style", "info").lower()
    sign, word, role = _HINTS.get(style, ("·", style.capitalize(), "muted"))
    inner = frame.within(("┃ ", role), ("┃ ", role))
    page.label(block, inner, prose_of(f"{sign} {word}", f"{role} strong"))
    page.inner(block.children, inner.below)


def _tabs(page: LeafBuilder, block: Block, frame: Frame) -> None:
    tabs = [child for child in block.children if child.kind is BlockKind.TAB]
    if page.whole or not tabs:
        page.inner(block.children, frame)
        return
    fold = page.fold(block, len(tabs), 0) if len(tabs) > 1 else None
    titles = [tab.attributes.get("title", "").strip() or f"Tab {number}" for number, tab in enumerate(tabs, 1)]
    if fold is None:
        page.label(tabs[0], frame, prose_of(titles[0], "accent strong"))
    else:
        page.add(TabsLeaf(block, frame, titles, fold))
    inner = frame.below.within(BAR, BAR)
    number = -1
    for child in block.children:
        number += child.kind is BlockKind.TAB
        with page.part(fold, number) if fold is not None and number >= 0 else nullcontext():
            page.inner(child.children if child.kind is BlockKind.TAB else (child,), inner)


def _tab(page: LeafBuilder, block: Block, frame: Frame) -> None:
    title = block.attributes.get("title", "")
    page.label(block, frame, Label("tab").title(title).prose())
    page.inner(block.children, frame.below.within(BAR, BAR))


def _stepper(page: LeafBuilder, block: Block, frame: Frame) -> None:
    number = 0
    for index, step in enumerate(block.children):
        count = len(page.leaves)
        if step.kind is not BlockKind.STEP:
            page.inner((step,), frame.within(("│  ", "line"), ("│  ", "line")))
        else:
            number += 1
            _step(page, step, number, frame)
        if index and len(page.leaves) > count:
            page.leaves[count].gap = 1
            page.leaves[count].gap_frame = frame.below.within(("│", "line"), ("│", "line"))
        frame = frame.below


def _step(page: LeafBuilder, step: Block, number: int, frame: Frame) -> None:
    children = step.children
    mark = f"{number}  "
    within = frame.within((mark, "accent strong"), ("│" + " " * (len(mark) - 1), "line"))
    if children and children[0].kind is BlockKind.HEADING:
        page.text(children[0], within, "strong")
        children = children[1:]
    else:
        page.label(step, within, prose_of(step.attributes.get("title", "").strip() or f"Step {number}", "strong"))
    page.inner(children, within.below)


def _columns(page: LeafBuilder, block: Block, frame: Frame) -> None:
    cells = [Cell(page.collect((column,)), _share(column)) for column in block.children]
    leaves = [leaf for cell in cells for leaf in cell.leaves]
    if page.whole or len(cells) < 2 or len(leaves) > MOST or not all(cell.leaves for cell in cells):
        page.inner(block.children, frame)
    else:
        page.add(BesideLeaf(block, frame, cells, most=len(cells), least=_LEAST_COLUMN))


def _share(column: Block) -> float:
    width = column.attributes.get("width", "").strip().removesuffix("%")
    return float(width) if width.isascii() and width.isdigit() and 0 < int(width) <= 100 else 50.0


def _transparent(page: LeafBuilder, block: Block, frame: Frame) -> None:
    page.inner(block.children, frame)


def _expandable(page: LeafBuilder, block: Block, frame: Frame) -> None:
    first = frame.within(("▾ ", "accent"), ("  ", ""))
    inner = frame.below.within(BAR, BAR)
    if page.whole:
        page.text(block, first, "strong", end=block.start + 1)
        page.inner(block.children, inner)
        return
    fold = page.fold(block, 1, 0 if "open" in block.attributes else CLOSED)
    read = page.reader()
    make = (lambda: read(block, "strong")) if block.text else (lambda: prose_of("More", "strong"))
    page.add(SummaryLeaf(block, first, make, fold))
    with page.part(fold, 0):
        page.inner(block.children, inner)


def _embed(page: LeafBuilder, block: Block, frame: Frame) -> None:
    url, caption = block.attributes.get("url", ""), on_one_line(block.attributes.get("caption", ""))
    writing = ProseBuilder()
    writing.write(caption or url, LINK, url or None)
    if caption:
        writing.write(f"  {url}", "faint")
    page.label(block, frame.within(("▶ ", "accent"), ("  ", "")), writing.prose())
    page.inner(block.children, frame.below.within(("  ", ""), ("  ", "")))


def _file(page: LeafBuilder, block: Block, frame: Frame) -> None:
    src = block.attributes.get("src", "")
    known = page.surroundings.file_at(src) if src else None
    name = known.name if known is not None else name_of(src)
    writing = ProseBuilder()
    writing.write(name or "file", LINK, src or None)
    if known is not None and known.size:
        writing.write(f" · {size_text(known.size)}", "muted")
    inner = frame.within(("↓ ", "accent"), ("  ", ""))
    page.label(block, inner, writing.prose())
    if caption := on_one_line(block.attributes.get("caption", "")):
        page.label(block, inner.below, prose_of(caption, "muted italic"))
    page.inner(block.children, inner.below)


def _reference(page: LeafBuilder, block: Block, frame: Frame) -> None:
    arrow = frame.within(("→ ", "accent"), ("  ", ""))
    url = block.attributes.get("url", "") or block.attributes.get("page", "")
    title = page.surroundings.title_of(url) if url else None
    if title or not block.children:
        page.label(block, arrow, prose_of(title or url, LINK, url or None))
    else:
        page.all(block.children, arrow, frame, gap=0)


# The attributes that stand in a label's words already, or say only how a web page sets the block.
_IN_LABEL = frozenset(("title", "url", "src", "path", "alt", "caption", "expression", "open", "style"))
_DASHED = ("┊ ", "line")


def by_name(page: LeafBuilder, block: Block, frame: Frame) -> None:
    """Add a block by its name and attributes, with its content below, behind a bar."""
    attributes = block.attributes
    label = Label(block.name or str(block.kind)).title(attributes.get("title", ""))
    label.target(next((attributes[key] for key in ("url", "src") if attributes.get(key)), ""))
    label.words(attributes.get("caption", ""))
    label.rest({key: value for key, value in attributes.items() if key not in _IN_LABEL})
    page.label(block, frame, label.prose())
    _add_inner(page, block, frame.below.within(BAR, BAR))


def _add_inner(page: LeafBuilder, block: Block, frame: Frame) -> None:
    if block.text and not block.text.startswith("{%"):
        page.text(block, frame)
    page.inner(block.children, frame)


def _tag(page: LeafBuilder, block: Block, frame: Frame) -> None:
    if block.children or not block.text:
        by_name(page, block, frame)
    else:
        page.source(block, frame)


def _condition(page: LeafBuilder, block: Block, frame: Frame) -> None:
    expression = block.attributes.get("expression", "")
    page.label(block, frame, Label("shown only if").words(expression, "code changed").prose())
    _add_inner(page, block, frame.below.within(_DASHED, _DASHED))


def _include(page: LeafBuilder, block: Block, frame: Frame) -> None:
    path = block.attributes.get("path", "") or block.attributes.get("url", "")
    known = page.surroundings.included(path)
    label = Label("included text")
    if known is not None:
        label.words(known.title)
    else:
        label.target(path)
    words = label.prose()
    leaves: list[Leaf] = [TextLeaf(block, BARE, words.text, lambda: words)]
    if known is not None and known.text is not None:
        leaves += page.include(path, known, BARE.within(_DASHED, _DASHED))
    # A single leaf, with or without the text: the places of the leaves below stay the same when it arrives.
    page.add(BesideLeaf(block, frame, [Cell(leaves)], most=1, least=1))
    _add_inner(page, block, frame.below.within(_DASHED, _DASHED))


def _update(page: LeafBuilder, block: Block, frame: Frame) -> None:
    attributes = dict(block.attributes)
    day, tags = attributes.pop("date", ""), attributes.pop("tags", "")
    label = Label(_day(day) or "Update", role="accent strong")
    label.words(" · ".join(tag.strip() for tag in tags.split(",") if tag.strip()))
    page.label(block, frame, label.rest(attributes).prose())
    page.inner(block.children, frame.below.within(BAR, BAR))


def _day(written: str) -> str:
    try:
        day = date.fromisoformat(written.strip()[:10])
    except ValueError:
        return written
    return f"{day.day} {day:%b %Y}"


def _prompt(page: LeafBuilder, block: Block, frame: Frame) -> None:
    attributes = dict(block.attributes)
    label = Label("prompt").title(attributes.pop("description", ""))
    page.label(block, frame, label.rest(attributes).prose())
    _add_inner(page, block, frame.below.within(_DASHED, _DASHED))


def _updates(page: LeafBuilder, block: Block, frame: Frame) -> None:
    page.inner(block.children, frame)


def _openapi(page: LeafBuilder, block: Block, frame: Frame) -> None:
    from recto.tui.render.operations import openapi

    openapi(page, block, frame)


def _swagger(page: LeafBuilder, block: Block, frame: Frame) -> None:
    from recto.tui.render.operations import swagger

    swagger(page, block, frame)


_DRAW: Mapping[BlockKind, Draw] = {
    BlockKind.PARAGRAPH: _paragraph,
    BlockKind.HEADING: _heading,
    BlockKind.DIVIDER: _divider,
    BlockKind.CODE: _code,
    BlockKind.QUOTE: _quote,
    BlockKind.LIST: _list,
    BlockKind.TABLE: _table,
    BlockKind.FIGURE: _figure,
    BlockKind.FOOTNOTE: _footnote,
    BlockKind.MATH: _math,
    BlockKind.REFERENCE: _source,
    BlockKind.HTML: _html,
    BlockKind.HINT: _hint,
    BlockKind.TABS: _tabs,
    BlockKind.TAB: _tab,
    BlockKind.STEPPER: _stepper,
    BlockKind.COLUMNS: _columns,
    BlockKind.COLUMN: _transparent,
    BlockKind.EXPANDABLE: _expandable,
    BlockKind.EMBED: _embed,
    BlockKind.FILE: _file,
    BlockKind.CONTENT_REF: _reference,
    BlockKind.TAG: _tag,
    BlockKind.IF: _condition,
    BlockKind.INCLUDE: _include,
    BlockKind.UPDATES: _updates,
    BlockKind.UPDATE: _update,
    BlockKind.PROMPT: _prompt,
    BlockKind.OPENAPI: _openapi,
    BlockKind.SWAGGER: _swagger,
}


def leaves_of(
    blocks: Iterable[Block],
    inlines: Inlines,
    *,
    surroundings: Surroundings = ALONE,
    chosen: Mapping[str, int] | None = None,
    whole: bool = False,
) -> list[Leaf]:
    """Return the leaves of some blocks; ``chosen`` says of folds, by key, what of them is shown.

    With ``whole`` nothing folds: tabs stand below each other, and expandables are open.
    """
    unfolding = LeafBuilder(_draw, inlines, surroundings, chosen or {}, whole=whole)
    unfolding.all(blocks, BARE, BARE, gap=1)
    if unfolding.leaves:
        unfolding.leaves[0].gap = 0
    return unfolding.leaves


def _draw(page: LeafBuilder, block: Block, frame: Frame) -> None:
    _DRAW.get(block.kind, by_name)(page, block, frame)
