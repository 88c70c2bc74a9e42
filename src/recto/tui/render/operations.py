"""Operations of APIs, described by an OpenAPI description or, in the older way, by the page itself."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from functools import cached_property
from itertools import zip_longest
from typing import NamedTuple

from recto.document.markdown.blocks import Block, BlockKind
from recto.document.openapi.api_model import Body, Content, Field, Operation, Response, Schema
from recto.tui.render.code import Code, code_leaves
from recto.tui.render.folds import Fold, FoldPart
from recto.tui.render.leaf import BARE, BlankLeaf, Frame, Leaf, Part, Row, TextLeaf, guess, join_roles, parts_by_line
from recto.tui.render.leaf_builder import BAR, Label, LeafBuilder
from recto.tui.render.line_breaks import break_lines, cells
from recto.tui.render.operation_parts import MANY, facts_of, line, method_label, part, status_prose, text_leaf
from recto.tui.render.prose import EMPTY, Prose, ProseBuilder, prose_of
from recto.tui.render.side_by_side import BesideLeaf, Cell
from recto.tui.render.surroundings import Missing, Shapes

_GAP = 2
_INDENT = 2
_WIDEST_FACTS = 30
_LEAST_DESCRIPTION = 32
"""Cells below which the description stands under the type rather than beside it."""

_LEAST_BESIDE = 28
"""Cells below which type and description stand under the name."""


class _Widths(NamedTuple):
    """The cells of the columns; 0 without room."""

    name: int
    facts: int
    description: int


class EntryShape:
    """The columns that entries share, for each room; they are measured when the first of them is laid out."""

    def __init__(self) -> None:
        self._entries: list[EntryLeaf] = []
        self._natural: _Widths | None = None

    def add(self, entry: EntryLeaf) -> None:
        """Take an entry."""
        self._entries.append(entry)

    def widths(self, room: int) -> _Widths:
        """Return the columns of entries that stand in nothing else."""
        if self._natural is None:
            self._natural = _Widths(*map(max, zip(*(entry.natural() for entry in self._entries), strict=True)))
        natural = self._natural
        name = min(natural.name, max(12, room * 2 // 5))
        rest = room - name - _GAP
        facts = min(natural.facts, max(_WIDEST_FACTS, room * 2 // 5))
        if natural.description and rest - facts - _GAP >= _LEAST_DESCRIPTION:
            return _Widths(name, facts, rest - facts - _GAP)
        return _Widths(name, rest, 0) if rest >= _LEAST_BESIDE else _Widths(0, 0, 0)


class EntryLeaf(BesideLeaf):
    """An entry, which stands within ``depth`` others. ``make`` gives its name, and its type with what else holds.

    ``description`` are the leaves of its description, about ``length`` characters, or makes them when they are first
    looked at. Such late leaves hold no folds, so they need not be made to find out.
    """

    def __init__(
        self,
        block: Block,
        frame: Frame,
        make: Callable[[], tuple[Prose, Prose]],
        description: Sequence[Leaf] | Callable[[], Sequence[Leaf]],
        shape: EntryShape,
        depth: int,
        *,
        length: int,
    ) -> None:
        def cells_of() -> Sequence[Cell]:
            heads = [
                TextLeaf(block, Frame(), "", lambda: self._head[0]),
                TextLeaf(block, Frame(), "", lambda: self._head[1]),
            ]
            return *(Cell([head]) for head in heads), Cell(description() if callable(description) else description)

        super().__init__(block, frame, cells_of, most=3, least=1)
        self._make_head = make
        self._shape, self._depth = shape, depth
        self._length = length
        self._may_fold = not callable(description)
        shape.add(self)

    @cached_property
    def _head(self) -> tuple[Prose, Prose]:
        return self._make_head()

    def natural(self) -> _Widths:
        """Return the cells that it would take in each column; for the description only whether it exists."""
        name, facts = self._head
        return _Widths(cells(name.text) + _INDENT * self._depth, cells(facts.text), int(self._length > 0))

    def estimate(self, width: int) -> int:
        """Guess from the length of the description."""
        return guess(" " * self._length, width * 2 // 3)

    def options(self) -> Iterator[FoldPart]:
        """Yield the parts of folds that it stands in or holds."""
        yield from super().options() if self._may_fold else Leaf.options(self)

    def folds(self) -> tuple[object, ...]:
        """Return the choices that its visible rows depend on, beside the width."""
        return super().folds() if self._may_fold else Leaf.folds(self)

    def _lay_out(self, width: int) -> list[Row]:
        first, rest, room = self._lead_spans(width)
        widths = self._shape.widths(room + _INDENT * self._depth)
        # The names of all depths end where the types begin.
        name = widths.name - _INDENT * self._depth
        if widths.name and name >= min(4, cells(self._head[0].text)):
            body = list(self._align(widths._replace(name=name)))
        else:
            body = self._stack(room)
        self.wide = any(sum(cells(part.text) for part in parts) > room for parts in body)
        return [Row(rest if index else first, tuple(parts)) for index, parts in enumerate(body)]

    def _align(self, widths: _Widths) -> Iterator[list[Part]]:
        start = self._starts()
        columns = [_lines(self._head[0], 0, widths.name), _lines(self._head[1], start[1], widths.facts)]
        description = self._column(self._cells[2], widths.description or widths.facts, start[2])
        if widths.description:
            columns.append(description)
        else:
            columns[1] = [line for line in columns[1] if line] + description
        for cells_of_line in zip_longest(*columns):
            row: list[Part] = []
            taken = begin = 0
            for parts, width in zip(cells_of_line, widths, strict=False):
                if parts:
                    if begin > taken:
                        row.append(Part(" " * (begin - taken)))
                    row += parts
                    taken = max(taken, begin) + sum(cells(part.text) for part in parts)
                begin += width + _GAP
            yield row

    def _stack(self, room: int) -> list[list[Part]]:
        """Return the type behind the name if it fits there, else below it, where the description always is."""
        start = self._starts()
        indent, inner = Part(" " * _INDENT), max(2, room - _INDENT)
        name, about = self._head
        body = _lines(name, 0, room)
        if cells(name.text) + _GAP + cells(about.text) <= room:
            facts = _lines(about, start[1], room)[0]
            body[-1] += [Part(" " * _GAP), *facts] if facts else []
        else:
            body += [[indent, *line] for line in _lines(about, start[1], inner)]
        return body + [[indent, *line] for line in self._column(self._cells[2], inner, start[2])]


def _lines(prose: Prose, start: int, width: int) -> list[list[Part]]:
    lines = parts_by_line(prose, break_lines(prose.text, width))
    return [[part._replace(start=part.start + start) for part in line] for line in lines]


_IN_LABEL = frozenset(("src", "path", "method", "name", "spec", "schemas", "webhook"))
# It contains no Markdown, as most descriptions do not.
_PLAIN = re.compile(r"[A-Za-z][A-Za-z0-9 ,.;?%()'\"/-]*")
_GUESSED = 16
"""Rows that an operation is guessed to take."""


class OperationLeaf(BesideLeaf):
    """An operation of an API with all that describes it; its parts are made when it is looked at."""

    def __init__(self, block: Block, frame: Frame, make: Callable[[], Sequence[Leaf]]) -> None:
        super().__init__(block, frame, lambda: (Cell(make()),), most=1, least=1)
        self._own_folds: list[Fold] | None = None
        self.described_at = ""

    def estimate(self, width: int) -> int:
        """Guess that it is like any other until it has been put together."""
        return super().estimate(width) if self.is_laid_out else _GUESSED

    def inner(self) -> Iterator[tuple[Leaf, int]]:
        """Yield nothing: what a description holds is not the page's own, and is not put together to be looked into."""
        return iter(())

    def places(self) -> Iterator[tuple[Leaf, int]]:
        """Yield itself: the headings of a description are not the page's."""
        yield self, 0

    def folds(self) -> tuple[object, ...]:
        """Return the choices that its visible rows depend on, beside the width."""
        # Called for each drawn line, so it does not go through everything.
        if self._own_folds is None:
            folds = (option.fold for option in self.options())
            self._own_folds = list({id(fold): fold for fold in folds}.values())
        return (self.is_hidden, *(fold.chosen for fold in self._own_folds))


def openapi(page: LeafBuilder, block: Block, frame: Frame) -> None:
    """Add a single leaf in any case: the places of the leaves below stay the same when more arrives."""
    later = page.aside()
    leaf = OperationLeaf(block, frame, lambda: _leaves(later, block, leaf))
    page.add(leaf)
    inner = frame.below.within(BAR, BAR)
    if block.text and not block.text.startswith("{%"):
        page.text(block, inner)
    page.inner(block.children, inner)


def _leaves(page: LeafBuilder, block: Block, leaf: OperationLeaf) -> list[Leaf]:
    known = page.surroundings.described(block)
    frame = BARE.within(BAR, BAR)
    if isinstance(known, Operation):
        _head(page, block, known.method, known.path, deprecated=known.deprecated)
        _operation(page, block, frame, known)
    else:
        attributes = block.attributes
        names = attributes.get("schemas", "") if isinstance(known, Shapes) else ""
        _head(page, block, attributes.get("method", ""), attributes.get("path", "") or names)
    if isinstance(known, Missing):
        leaf.described_at = known.address
        page.add(text_leaf(block, frame, known.words, "warning" if known.failed else "muted"))
    elif isinstance(known, Shapes):
        _schemas(page, block, frame, known.fields)
    if known is not None and not isinstance(known, Missing) and block.children:
        page.add(BlankLeaf(block, frame))
    return page.leaves


def _head(page: LeafBuilder, block: Block, method: str, path: str, *, deprecated: bool = False) -> None:
    attributes = block.attributes
    label = method_label(method, block.name)
    label.title(path or attributes.get("name", "") or attributes.get("webhook", ""))
    label.words("deprecated" if deprecated else "", "warning")
    label.words(attributes.get("spec", ""), "faint")
    src = attributes.get("src", "")
    if not any(src in inner.text for child in block.children for inner in child.walk()):
        label.target(src)
    label.words("" if "path" in attributes or path else attributes.get("schemas", ""), "faint")
    label.rest({key: value for key, value in attributes.items() if key not in _IN_LABEL})
    page.label(block, BARE, label.prose())


def _operation(page: LeafBuilder, block: Block, frame: Frame, operation: Operation) -> None:
    if operation.summary:
        page.add(text_leaf(block, frame, operation.summary, "strong"))
    _apart(page, frame, _markdown(page, block, operation.description, frame))
    facts = [Label("Server").words(server.url).words(server.description, "faint") for server in operation.servers]
    facts += [Label("Access").words(" or ".join(operation.security))] if operation.security else []
    facts += [Label("Calls back").words(callback) for callback in operation.callbacks]
    facts += [Label(operation.remark, role="warning")] if operation.remark else []
    _apart(page, frame, [TextLeaf(block, frame, "", label.prose) for label in facts])
    _parameters(page, block, frame, "Parameters", operation.parameters)
    if operation.body is not None:
        _body(page, block, frame, operation.body)
    if operation.responses:
        label = Label("Responses", role="strong").words(str(len(operation.responses)))
        with part(page, block, frame, "responses", label, opened=True, gap=1) as inner:
            for number, response in enumerate(operation.responses):
                _response(page, block, inner, response, f"response{number}")


def _body(page: LeafBuilder, block: Block, frame: Frame, body: Body) -> None:
    longest = max((content.schema for content in body.contents), key=_count, default=None)
    count = _count(longest)
    label = Label("Body", role="strong").words(_fields_in_words(longest))
    label.words("required" if body.required else "", "warning")
    with part(page, block, frame, "body", label, opened=count <= MANY, gap=1) as inner:
        page.add(*_markdown(page, block, body.description, inner))
        for number, content in enumerate(body.contents):
            _content(page, block, inner, content, f"body{number}")


def _parameters(page: LeafBuilder, block: Block, frame: Frame, title: str, fields: Sequence[Field]) -> None:
    if not fields:
        return
    label = Label(title, role="strong").words(str(len(fields)))
    with part(page, block, frame, title.lower(), label, opened=len(fields) <= MANY, gap=1) as inner:
        _entries(page, block, inner, fields)


def _response(page: LeafBuilder, block: Block, frame: Frame, response: Response, name: str) -> None:
    described = _markdown(page, block, response.description, frame.within(BAR, BAR))
    first = described.pop(0).prose() if described and isinstance(described[0], TextLeaf) else EMPTY
    label = status_prose(response.status, first)
    if not (described or response.headers or response.contents):
        page.add(line(block, frame, label))
        return
    with part(page, block, frame, name, label, opened=False) as inner:
        page.add(*described)
        if response.headers:
            page.add(text_leaf(block, inner, "Headers", "faint"))
            _entries(page, block, inner, response.headers)
        for number, content in enumerate(response.contents):
            _content(page, block, inner, content, f"{name}-{number}")


def _content(page: LeafBuilder, block: Block, frame: Frame, content: Content, name: str) -> None:
    label = Label(", ".join(content.media_types), role="faint")
    schema = content.schema
    if schema is not None:
        label.words(schema.type).words(" · ".join((*schema.facts, schema.cut) if schema.cut else schema.facts))
        label.words("deprecated" if schema.deprecated else "", "warning")
    page.add(TextLeaf(block, frame, "", label.prose))
    if schema is not None:
        page.add(*_markdown(page, block, schema.description, frame), *_notes(block, schema, frame))
        _within(page, block, frame, schema, EntryShape(), 0)
    if content.example:
        language = "json" if "json" in "".join(content.media_types) else ""
        with part(page, block, frame, f"example-{name}", Label("Example"), opened=False) as inner:
            code = Block(BlockKind.CODE, block.start, block.end, content.example, attributes={"language": language})
            page.add(*code_leaves(Code(code), inner))


def _schemas(page: LeafBuilder, block: Block, frame: Frame, fields: Sequence[Field]) -> None:
    for number, field in enumerate(fields):
        label = Label(field.name, role="strong")
        label.words(field.schema.type if field.schema.type != field.name else "")
        label.words(_fields_in_words(field.schema)).words(" · ".join(field.schema.facts))
        label.words(field.schema.cut, "warning")
        label.words("deprecated" if field.deprecated else "", "warning")
        if field.schema.cut or not _holds_more(field):
            page.add(line(block, frame, label.prose()))
            continue
        with part(page, block, frame, f"schema{number}", label, opened=len(fields) == 1) as inner:
            page.add(*_markdown(page, block, field.description, inner))
            page.add(*_notes(block, field.schema, inner))
            _within(page, block, inner, field.schema, EntryShape(), 0)


def _holds_more(field: Field) -> bool:
    schema = field.schema
    return bool(field.description or schema.values or schema.example or schema.fields or schema.alternatives)


# Entries


def _entries(page: LeafBuilder, block: Block, frame: Frame, fields: Sequence[Field]) -> None:
    shape = EntryShape()
    for field in fields:
        _entry(page, block, frame, field, shape, 0)


def _entry(page: LeafBuilder, block: Block, frame: Frame, field: Field, shape: EntryShape, depth: int) -> None:
    schema = field.schema

    def description() -> list[Leaf]:
        return [*_markdown(page, block, field.description, BARE), *_notes(block, schema, BARE)]

    def head() -> tuple[Prose, Prose]:
        return prose_of(field.name, join_roles("strong", "muted" if field.deprecated else "")), facts_of(field)

    length = len(field.description) + len(schema.example) + sum(map(len, schema.values))
    page.add(EntryLeaf(block, frame, head, description, shape, depth, length=length))
    _within(page, block, frame.within(BAR, BAR), schema, shape, depth + 1)


def _within(page: LeafBuilder, block: Block, frame: Frame, schema: Schema, shape: EntryShape, depth: int) -> None:
    for field in schema.fields:
        _entry(page, block, frame, field, shape, depth)
    if schema.alternatives:
        page.add(text_leaf(block, frame, schema.choice, "muted italic"))
        for option in schema.alternatives:
            _entry(page, block, frame, option, shape, depth)


def _notes(block: Block, schema: Schema, frame: Frame) -> list[Leaf]:
    """Return the allowed values, and the example value."""
    leaves: list[Leaf] = []
    allowed = "One of" if len(schema.values) > 1 else "Always"
    for title, values in ((allowed, schema.values), ("Example", (schema.example,) if schema.example else ())):
        if values:
            writing = ProseBuilder()
            writing.write(f"{title} ", "muted")
            for number, value in enumerate(values):
                writing.write(", " if number else "", "muted")
                writing.write(" ".join(value.split()) or '""', "code")
            leaves.append(TextLeaf(block, frame, "", writing.prose))
    return leaves


def _count(schema: Schema | None) -> int:
    """Return the number of entries of a shape."""
    if schema is None:
        return 0
    return sum(1 + _count(field.schema) for field in (*schema.fields, *schema.alternatives))


def _fields_in_words(schema: Schema | None) -> str:
    count = _count(schema)
    return f"{count} {'fields' if count > 1 else 'field'}" if count else ""


# Pieces


def _apart(page: LeafBuilder, frame: Frame, leaves: Sequence[Leaf]) -> None:
    """Add leaves with a blank row above and below them."""
    page.add(*leaves)
    for leaf in leaves[:1]:
        leaf.gap, leaf.gap_frame = 1, frame


def _markdown(page: LeafBuilder, block: Block, text: str, frame: Frame) -> list[Leaf]:
    """Return the leaves of a text of a description, which belong to the block; none of its parts folds."""
    if not text:
        return []
    if _PLAIN.fullmatch(text):
        return [text_leaf(block, frame, text, "")]
    return page.describe(text, frame)


def swagger(page: LeafBuilder, block: Block, frame: Frame) -> None:
    """Add an operation that the page itself describes, in the older way."""
    if block.name == "swagger-description":
        page.inner(block.children, frame)
    elif block.name == "swagger-parameter":
        _parameter(page, block, frame, EntryShape())
    elif block.name == "swagger-response":
        _swagger_response(page, block, frame)
    else:
        _swagger_operation(page, block, frame)


def _swagger_operation(page: LeafBuilder, block: Block, frame: Frame) -> None:
    attributes = dict(block.attributes)
    method, summary = attributes.pop("method", ""), attributes.pop("summary", "")
    label = method_label(method, block.name)
    label.title(attributes.pop("baseUrl", attributes.pop("baseurl", "")) + attributes.pop("path", ""))
    label.words("deprecated" if attributes.pop("deprecated", "") == "true" else "", "warning")
    page.label(block, frame, label.rest(attributes).prose())
    inner = frame.below.within(BAR, BAR)
    if summary:
        page.label(block, inner, prose_of(" ".join(summary.split()), "strong"))
    parts = {"Parameters": list[Block](), "Body": list[Block](), "Responses": list[Block]()}
    for child in block.children:
        if child.name == "swagger-parameter":
            parts["Body" if child.attributes.get("in", "").lower() == "body" else "Parameters"].append(child)
        elif child.name == "swagger-response":
            parts["Responses"].append(child)
        else:
            page.all((child,), inner, inner, gap=1)
    for title, children in parts.items():
        if children:
            label = Label(title, role="strong").words(str(len(children)))
            with part(page, block, inner, title.lower(), label, opened=len(children) <= MANY, gap=1) as within:
                shape = EntryShape()
                for child in children:
                    if title == "Responses":
                        _swagger_response(page, child, within)
                    else:
                        _parameter(page, child, within, shape)


def _parameter(page: LeafBuilder, block: Block, frame: Frame, shape: EntryShape) -> None:
    attributes = dict(block.attributes)
    name = prose_of(attributes.pop("name", "") or "parameter", "strong")
    field = Field(
        "",
        Schema(attributes.pop("type", "")),
        attributes.pop("in", ""),
        attributes.pop("required", "") == "true",
        attributes.pop("deprecated", "") == "true",
    )
    rest = tuple(f"{key}={value}" if value != "true" else key for key, value in attributes.items())
    head = (name, facts_of(replace(field, schema=replace(field.schema, facts=rest))))
    leaves = page.collect(block.children)
    length = sum(len(inner.text) for inner in block.walk())
    page.add(EntryLeaf(block, frame, lambda: head, leaves, shape, 0, length=length))


def _swagger_response(page: LeafBuilder, block: Block, frame: Frame) -> None:
    attributes = dict(block.attributes)
    status, words = attributes.pop("status", ""), attributes.pop("description", "")
    label = status_prose(status, Label().words(words, "").rest(attributes).prose())
    if not block.children:
        page.add(line(block, frame, label))
        return
    with part(page, block, frame, "", label, opened=False) as inner:
        page.inner(block.children, inner)
