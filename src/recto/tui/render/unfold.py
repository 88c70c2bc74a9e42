"""From the tree of blocks to the leaves of a page, in reading order; text is read only when a leaf is looked at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from itertools import pairwise

from recto.document.blocks import Block, BlockKind, Inline
from recto.tui.render.code import Code, code_leaves
from recto.tui.render.inline import LINK, inline_prose, picture_words
from recto.tui.render.leaf import BARE, BlankLeaf, Frame, Leaf, RuleLeaf, TextLeaf
from recto.tui.render.prose import Prose, Writing, prose_of
from recto.tui.render.table import table_leaves

Inlines = Callable[[Block], Sequence[Inline]]
"""Reads the inline text of a block."""

_DEEPEST = 40
_BAR = ("│ ", "line")
_HINTS = {
    "info": ("i", "Info", "accent"),
    "success": ("✓", "Success", "success"),
    "warning": ("!", "Warning", "warning"),
    "danger": ("×", "Danger", "error"),
}
_BULLETS = ("• ", "◦ ", "▪ ")
_HEADINGS = {1: ("strong", "━"), 2: ("strong", "─")}
# The attributes that stand in a label's words already, or say only how a web page sets the block.
_TOLD = frozenset(("title", "url", "src", "path", "alt", "caption", "expression", "open", "style", "method"))


def unfold(blocks: Iterable[Block], inlines: Inlines) -> list[Leaf]:
    """Return the leaves of some blocks."""
    unfolding = _Unfolding(inlines)
    unfolding.all(blocks, BARE, BARE, gap=1)
    if unfolding.leaves:
        unfolding.leaves[0].gap = 0
    return unfolding.leaves


class _Unfolding:
    def __init__(self, inlines: Inlines) -> None:
        self.leaves: list[Leaf] = []
        self._inlines = inlines
        self._depth = 0
        self._list_depth = 0

    def all(self, blocks: Iterable[Block], frame: Frame, around: Frame, *, gap: int, between: int = 1) -> None:
        """Unfold blocks that stand below each other; ``around`` is the frame of the blank rows above the first."""
        for block in blocks:
            count = len(self.leaves)
            self._one(block, frame, around, gap)
            if len(self.leaves) > count:
                frame = around = frame.below
                # The line under a heading is air enough.
                gap = 0 if block.kind is BlockKind.HEADING and block.level in _HEADINGS else between

    def _one(self, block: Block, frame: Frame, around: Frame, gap: int) -> None:
        count = len(self.leaves)
        if self._depth >= _DEEPEST:
            self._flat(block, frame)
        else:
            self._depth += 1
            draw = _DRAWN.get(block.kind, _Unfolding._named)
            draw(self, block, frame)
            self._depth -= 1
        if len(self.leaves) > count:
            self.leaves[count].gap = gap
            self.leaves[count].gap_frame = around.below

    def _flat(self, block: Block, frame: Frame) -> None:
        # Nested deeper than anyone reads: the text of it all, one below the other.
        for inner in block.walk():
            if inner.text:
                self._text(inner, frame)
                frame = frame.below

    # Leaves

    def _prose(self, block: Block, role: str = "") -> Prose:
        return inline_prose(self._inlines(block), role)

    def _text(self, block: Block, frame: Frame, role: str = "", rule: str = "", end: int | None = None) -> None:
        self.leaves.append(
            TextLeaf(block, frame, block.text, lambda: self._prose(block, role), rule=rule, end=end),
        )

    def _label(self, block: Block, frame: Frame, prose: Prose) -> None:
        """Add a line that names a block and belongs to its first source line."""
        leaf = TextLeaf(block, frame, prose.text, lambda: prose, end=min(block.start + 1, block.end))
        self.leaves.append(leaf)

    def _source(self, block: Block, frame: Frame) -> None:
        self.leaves.append(TextLeaf(block, frame, block.text, lambda: prose_of(block.text.rstrip("\n"), "faint")))

    # Blocks

    def _paragraph(self, block: Block, frame: Frame) -> None:
        if block.text:
            self._text(block, frame)

    def _heading(self, block: Block, frame: Frame) -> None:
        role, rule = _HEADINGS.get(block.level, ("strong", ""))
        if not rule:
            # Below the second level the number of marks tells the levels apart, as in the source.
            mark = "#" * block.level + " "
            frame = frame.within((mark, "faint"), (" " * len(mark), ""))
        self._text(block, frame, role, rule)

    def _divider(self, block: Block, frame: Frame) -> None:
        self.leaves.append(RuleLeaf(block, frame))

    def _code(self, block: Block, frame: Frame) -> None:
        attributes = block.attributes
        if title := attributes.get("title"):
            self._label(block, frame, prose_of(title, "muted strong"))
            frame = frame.below
        wrap = attributes.get("overflow") == "wrap"
        code = Code(block, wrap=wrap, numbers=attributes.get("lineNumbers") == "true")
        self.leaves += code_leaves(code, frame)

    def _quote(self, block: Block, frame: Frame) -> None:
        self._inner(block.children, frame.within(("▎ ", "muted"), ("▎ ", "muted")))

    def _inner(self, blocks: Iterable[Block], frame: Frame, gap: int = 0) -> None:
        self.all(blocks, frame, frame, gap=gap)

    def _hint(self, block: Block, frame: Frame) -> None:
        style = block.attributes.get("style", "info").lower()
        sign, word, role = _HINTS.get(style, ("·", style.capitalize(), "muted"))
        inner = frame.within(("┃ ", role), ("┃ ", role))
        self._label(block, inner, prose_of(f"{sign} {word}", f"{role} strong"))
        self._inner(block.children, inner.below)

    def _list(self, block: Block, frame: Frame) -> None:
        ordered = block.attributes.get("ordered") == "true"
        tight = _is_tight(block)
        last = block.level + len(block.children) - 1
        digits = len(str(last))
        for index, item in enumerate(block.children):
            if ordered:
                mark = f"{block.level + index:>{digits}}. "
            else:
                mark = _BULLETS[min(self._list_depth, len(_BULLETS) - 1)]
            checked = item.attributes.get("checked")
            if checked is not None:
                mark = ("" if not ordered else mark) + ("[x] " if checked == "true" else "[ ] ")
            inner = frame.within((mark, "muted"), (" " * len(mark), ""))
            count = len(self.leaves)
            self._list_depth += 1
            self.all(item.children, inner, frame, gap=0, between=0 if tight else 1)
            self._list_depth -= 1
            if len(self.leaves) == count:
                self.leaves.append(BlankLeaf(item, inner))
            if index:
                self.leaves[count].gap = 0 if tight else 1
                self.leaves[count].gap_frame = frame.below
            frame = frame.below

    def _table(self, block: Block, frame: Frame) -> None:
        if block.attributes.get("data-view") == "cards":
            self._cards(block, frame)
        else:
            self.leaves += table_leaves(block, frame, self._prose)

    def _cards(self, block: Block, frame: Frame) -> None:
        self._label(block, frame, prose_of("cards", "faint"))
        for row in block.children:
            cells = [
                cell for cell in row.children if cell.attributes.get("header") != "true" and self._prose(cell).text
            ]
            inner = frame.below.within(("▫ ", "muted"), ("  ", ""))
            for cell in cells:
                self._text(cell, inner)
                inner = inner.below

    # Blocks shown by name

    def _named(self, block: Block, frame: Frame) -> None:
        """Show a block by its name and attributes, and what it holds below, behind a bar."""
        name = block.name or str(block.kind)
        label = _Label(name)
        label.title(block.attributes.get("title", ""))
        if block.kind is BlockKind.OPENAPI:
            label.title(f"{block.attributes.get('method', '').upper()} {block.attributes.get('path', '')}".strip())
        label.target(next((block.attributes[key] for key in ("url", "src") if block.attributes.get(key)), ""))
        if block.kind is BlockKind.INCLUDE:
            label.target(block.attributes.get("path", ""))
        label.words(block.attributes.get("expression", ""))
        label.words(block.attributes.get("caption", ""))
        label.rest({key: value for key, value in block.attributes.items() if key not in _TOLD})
        self._label(block, frame, label.prose())
        frame = frame.below.within(_BAR, _BAR)
        if block.text and not block.text.startswith("{%"):
            self._text(block, frame)
        self._inner(block.children, frame)

    def _tag(self, block: Block, frame: Frame) -> None:
        if block.children or not block.text:
            self._named(block, frame)
        else:
            self._source(block, frame)

    def _transparent(self, block: Block, frame: Frame) -> None:
        self.all(block.children, frame, frame, gap=0)

    def _steps(self, block: Block, frame: Frame) -> None:
        for number, step in enumerate(block.children, 1):
            count = len(self.leaves)
            children = step.children
            mark = f"{number}  "
            if children and children[0].kind is BlockKind.HEADING:
                self._text(children[0], frame.within((mark, "accent strong"), ("│  ", "line")), "strong")
                children = children[1:]
            else:
                label = _Label("step", str(number))
                label.title(step.attributes.get("title", ""))
                self._label(step, frame, label.prose())
            self._inner(children, frame.below.within(("│  ", "line"), ("│  ", "line")))
            if number > 1:
                self.leaves[count].gap = 1
                self.leaves[count].gap_frame = frame.below
            frame = frame.below

    def _expandable(self, block: Block, frame: Frame) -> None:
        self._text(block, frame.within(("▾ ", "accent"), ("  ", "")), "strong", end=block.start + 1)
        frame = frame.below.within(_BAR, _BAR)
        self._inner(block.children, frame)

    def _figure(self, block: Block, frame: Frame) -> None:
        attributes = block.attributes
        writing = Writing()
        writing.write(picture_words(attributes.get("alt", "")), "muted", attributes.get("src") or None)
        self._label(block, frame, writing.prose())
        if block.text:
            self._text(block, frame.below, "muted italic")
        elif caption := attributes.get("caption"):
            self._label(block, frame.below, prose_of(caption, "muted italic"))

    def _reference(self, block: Block, frame: Frame) -> None:
        arrow = frame.within(("→ ", "accent"), ("  ", ""))
        if block.children:
            self.all(block.children, arrow, frame, gap=0)
        else:
            url = block.attributes.get("url", "")
            self._label(block, arrow, prose_of(url, LINK, url or None))

    def _footnote(self, block: Block, frame: Frame) -> None:
        mark = f"[{block.name or block.attributes.get('label', '')}] "
        self._inner(block.children, frame.within((mark, "muted"), (" " * len(mark), "")))

    def _math(self, block: Block, frame: Frame) -> None:
        self.leaves.append(TextLeaf(block, frame, block.text, lambda: prose_of(block.text.strip("\n"), "italic")))


def _is_tight(block: Block) -> bool:
    """Say whether no blank line stands between a list's items, nor between the blocks of one item."""
    groups = [block.children, *(item.children for item in block.children)]
    return not any(above.end < below.start for group in groups for above, below in pairwise(group))


class _Label:
    """The words that name a block."""

    def __init__(self, *words: str) -> None:
        self._writing = Writing()
        self._writing.write(" ".join(words), "faint")

    def title(self, text: str) -> None:
        """Add a title."""
        self._add(text, "strong")

    def target(self, href: str) -> None:
        """Add an address that leads somewhere."""
        self._add(href, LINK, href)

    def words(self, text: str) -> None:
        """Add words."""
        self._add(text, "muted")

    def rest(self, attributes: dict[str, str]) -> None:
        """Add attributes as they are written."""
        for name, value in attributes.items():
            self._add(f"{name}={value}" if value != "true" else name, "faint")

    def _add(self, text: str, role: str, link: str | None = None) -> None:
        if text:
            self._writing.write("  ")
            self._writing.write(" ".join(text.split()), role, link)

    def prose(self) -> Prose:
        """Return the label."""
        return self._writing.prose()


_Draw = Callable[[_Unfolding, Block, Frame], None]
_DRAWN: dict[BlockKind, _Draw] = {
    BlockKind.PARAGRAPH: _Unfolding._paragraph,
    BlockKind.HEADING: _Unfolding._heading,
    BlockKind.DIVIDER: _Unfolding._divider,
    BlockKind.CODE: _Unfolding._code,
    BlockKind.QUOTE: _Unfolding._quote,
    BlockKind.HINT: _Unfolding._hint,
    BlockKind.LIST: _Unfolding._list,
    BlockKind.TABLE: _Unfolding._table,
    BlockKind.TABS: _Unfolding._transparent,
    BlockKind.COLUMNS: _Unfolding._transparent,
    BlockKind.STEPPER: _Unfolding._steps,
    BlockKind.EXPANDABLE: _Unfolding._expandable,
    BlockKind.FIGURE: _Unfolding._figure,
    BlockKind.CONTENT_REF: _Unfolding._reference,
    BlockKind.FOOTNOTE: _Unfolding._footnote,
    BlockKind.MATH: _Unfolding._math,
    BlockKind.REFERENCE: _Unfolding._source,
    BlockKind.HTML: _Unfolding._source,
    BlockKind.TAG: _Unfolding._tag,
}
