"""How the blocks that any Markdown has are drawn: headings, lists, quotes, code, tables, pictures, formulas."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise

from recto.document.markdown.blocks import Block, BlockKind
from recto.document.markdown.html import without_comments
from recto.tui.render.code import Code, code_leaves
from recto.tui.render.figures import figure, figures_beside, may_be_pictures, pictures_alone
from recto.tui.render.leaf import BlankLeaf, Frame, RuleLeaf, TextLeaf
from recto.tui.render.prose import prose_of
from recto.tui.render.table import table_leaves
from recto.tui.render.unfolding import RULED, Draw, Unfolding

_BULLETS = ("• ", "◦ ", "▪ ")
_RULES = dict(zip(RULED, "━─", strict=True))
_PICTURE = re.compile(
    r"!\[(?P<alt>[^\[\]]*)\]\((?:<(?P<quoted>[^<>]+)>|(?P<src>[^\s()]+))(?:\s+\"(?P<title>[^\"]*)\")?\)"
)
# HTML that only sets what is around it, or names a place: it says nothing to a reader.
_SILENT_HTML = re.compile(
    r"(?:\s|</?(?:div|p|center|br|span|picture|figure)\b[^<>]*>|<a\b[^<>]*>\s*</a>)*", re.IGNORECASE
)
_OF_CARDS = frozenset(("data-card-target", "data-card-cover"))
_NUMBERED = ("lineNumbers", "linenumbers", "line-numbers")
"""How the attribute is written of a tag, of a tag in lower case, and of HTML."""
_READ_AS_TEXT = re.compile(r"a|b|center|code|div|em|h[1-6]|i|img|kbd|li|mark|ol|p|span|strong|sub|sup|u|ul")


def _paragraph(page: Unfolding, block: Block, frame: Frame) -> None:
    if block.markup != "html" and (picture := _PICTURE.fullmatch(block.text.strip())):
        src = picture["quoted"] or picture["src"]
        figure(page, block, frame, {"src": src, "alt": picture["alt"], "caption": picture["title"] or ""})
    elif may_be_pictures(block.text) and pictures_alone(page, block, frame, page.inlines(block)):
        return
    elif block.text:
        page.text(block, frame)


def _heading(page: Unfolding, block: Block, frame: Frame) -> None:
    # Within a hint, a tab or a list a line across would cut more than the heading does.
    rule = _RULES.get(block.level, "") if not frame.cells else ""
    if block.level not in _RULES:
        # Below the second level the number of marks tells the levels apart, as in the source.
        mark = "#" * block.level + " "
        frame = frame.within((mark, "faint"), (" " * len(mark), ""))
    page.text(block, frame, "strong", rule)


def _divider(page: Unfolding, block: Block, frame: Frame) -> None:
    page.add(RuleLeaf(block, frame))


def _code(page: Unfolding, block: Block, frame: Frame) -> None:
    attributes = block.attributes
    if title := attributes.get("title"):
        page.label(block, frame, prose_of(" ".join(title.split()), "muted strong"))
        frame = frame.below
    wrap = attributes.get("overflow") == "wrap"
    numbers = any(attributes.get(name) == "true" for name in _NUMBERED)
    code = Code(block, wrap=wrap, numbers=numbers)
    page.add(*code_leaves(code, frame))


def _quote(page: Unfolding, block: Block, frame: Frame) -> None:
    page.inner(block.children, frame.within(("▎ ", "muted"), ("▎ ", "muted")))


def _list(page: Unfolding, block: Block, frame: Frame) -> None:
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
    """Say whether no blank line stands between a list's items, nor between the blocks of one item."""
    groups = [block.children, *(item.children for item in block.children)]
    return not any(above.end < below.start for group in groups for above, below in pairwise(group))


def _figure(page: Unfolding, block: Block, frame: Frame) -> None:
    if block.children:
        figures_beside(page, block, frame, block.children)
        return
    figure(page, block, frame, block.attributes)
    if block.text:
        page.text(block, frame.below.within(("  ", ""), ("  ", "")), "muted italic")


def _footnote(page: Unfolding, block: Block, frame: Frame) -> None:
    mark = f"[{block.name or block.attributes.get('label', '')}] "
    page.inner(block.children, frame.within((mark, "muted"), (" " * len(mark), "")))


def _math(page: Unfolding, block: Block, frame: Frame) -> None:
    from recto.document.markdown.math_text import math_text

    formula = block.text.strip("\n")
    inner = frame.within(("  ", ""), ("  ", ""))
    page.add(TextLeaf(block, inner, formula, lambda: prose_of(math_text(formula) or formula, "italic")))


def _html(page: Unfolding, block: Block, frame: Frame) -> None:
    from recto.document.markdown.inline import inline_html
    from recto.tui.render.inline import inline_prose

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


def _table(page: Unfolding, block: Block, frame: Frame) -> None:
    block = _without_hidden(block)
    if block.attributes.get("data-view") == "cards":
        from recto.tui.render.cards import card_leaves

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

    def shown(row: Block) -> Block:
        return replace(row, children=tuple(cell for index, cell in enumerate(row.children) if index not in hidden))

    return replace(table, children=tuple(map(shown, table.children)))


def _source(page: Unfolding, block: Block, frame: Frame) -> None:
    page.source(block, frame)


DRAWN: Mapping[BlockKind, Draw] = {
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
}
