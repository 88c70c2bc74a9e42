"""The parts of drawn operations: parts that fold, methods, statuses, types."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, nullcontext

from recto.document.markdown.blocks import Block
from recto.document.openapi.api_model import Field
from recto.document.text import on_one_line
from recto.tui.render.folds import CLOSED
from recto.tui.render.leaf import Frame, TextLeaf, join_roles
from recto.tui.render.leaf_builder import BAR, Label, LeafBuilder
from recto.tui.render.prose import Prose, ProseBuilder, prose_of
from recto.tui.render.switch_leaves import SummaryLeaf

MANY = 24
"""Entries from which on a part is closed at first."""

_METHODS = {"get": "success", "post": "accent", "put": "changed", "patch": "changed", "delete": "error"}


@contextmanager
def part(
    page: LeafBuilder, block: Block, frame: Frame, name: str, label: Label | Prose, *, opened: bool, gap: int = 0
) -> Iterator[Frame]:
    """Add a part that opens and closes; leaves added while the context is open, framed as given, belong to it."""
    prose = label if isinstance(label, Prose) else label.prose()
    first = frame.within(("▾ ", "accent"), ("  ", ""))
    fold = None if page.whole else page.fold(block, 1, 0 if opened else CLOSED, f"/{name}")
    if fold is None:
        leaf = TextLeaf(block, first, prose.text, lambda: prose, end=block.start + 1)
    else:
        leaf = SummaryLeaf(block, first, lambda: prose, fold)
    leaf.gap, leaf.gap_frame = gap, frame
    page.add(leaf)
    with page.part(fold, 0) if fold is not None else nullcontext():
        yield frame.within(BAR, BAR)


def line(block: Block, frame: Frame, prose: Prose) -> TextLeaf:
    """Return a line among parts that has nothing to open."""
    return TextLeaf(block, frame.within(("  ", ""), ("  ", "")), prose.text, lambda: prose)


def text_leaf(block: Block, frame: Frame, words: str, role: str) -> TextLeaf:
    """Return words in a role."""
    prose = prose_of(on_one_line(words), role)
    return TextLeaf(block, frame, words, lambda: prose)


def method_role(method: str) -> str:
    """Return the colour of a method."""
    return _METHODS.get(method.lower(), "text")


def method_label(method: str, name: str) -> Label:
    """Begin the line that names an operation: with its method in a colour of its own, else with the block's name."""
    role = join_roles("code strong", method_role(method))
    return Label(f" {method.upper()} ", role=role) if method else Label(name)


def status_prose(status: str, words: Prose) -> Prose:
    """Return a status in the colour of its class, and words behind it."""
    role = {"1": "muted", "2": "success", "3": "changed", "4": "error", "5": "error"}.get(status[:1], "changed")
    writing = ProseBuilder()
    writing.write(f" {status or 'response'} ", f"code strong {role}")
    writing.write("  " if words.text else "")
    begin = 0
    for run in words.runs:
        writing.write(words.text[begin : run.end], run.role, run.link)
        begin = run.end
    return writing.prose()


def facts_of(field: Field) -> Prose:
    """Return the type of a field and what else holds, what matters most first."""
    schema = field.schema
    parts = [
        (schema.type if schema.type != field.name else "", "muted"),
        (f"in {field.place}" if field.place else "", "muted"),
        ("required" if field.required else "", "warning"),
        ("deprecated" if field.deprecated else "", "warning"),
        *((fact, "muted") for fact in schema.facts),
        (schema.cut, "faint"),
    ]
    writing = ProseBuilder()
    for text, role in parts:
        if text:
            writing.write(" · " if writing.last else "", "faint")
            writing.write(" ".join(text.split()), role)
    return writing.prose()
