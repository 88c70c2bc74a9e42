"""How API operations are drawn that a page itself describes, in the older way."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from recto.document.markdown.blocks import Block, BlockKind
from recto.document.openapi.model import Field, Schema
from recto.tui.render.entries import EntryLeaf, EntryShape
from recto.tui.render.leaf import Frame
from recto.tui.render.operation_parts import MANY, facts_of, line, method_label, part, status_prose
from recto.tui.render.prose import prose_of
from recto.tui.render.unfolding import BAR, Draw, Label, Unfolding


def _swagger(page: Unfolding, block: Block, frame: Frame) -> None:
    if block.name == "swagger-description":
        page.inner(block.children, frame)
    elif block.name == "swagger-parameter":
        _parameter(page, block, frame, EntryShape())
    elif block.name == "swagger-response":
        _response(page, block, frame)
    else:
        _operation(page, block, frame)


def _operation(page: Unfolding, block: Block, frame: Frame) -> None:
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
                        _response(page, child, within)
                    else:
                        _parameter(page, child, within, shape)


def _parameter(page: Unfolding, block: Block, frame: Frame, shape: EntryShape) -> None:
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
    leaves = page.collected(block.children)
    length = sum(len(inner.text) for inner in block.walk())
    page.add(EntryLeaf(block, frame, lambda: head, leaves, shape, 0, length=length))


def _response(page: Unfolding, block: Block, frame: Frame) -> None:
    attributes = dict(block.attributes)
    status, words = attributes.pop("status", ""), attributes.pop("description", "")
    label = status_prose(status, Label().words(words, "").rest(attributes).prose())
    if not block.children:
        page.add(line(block, frame, label))
        return
    with part(page, block, frame, "", label, opened=False) as inner:
        page.inner(block.children, inner)


DRAWN: Mapping[BlockKind, Draw] = {BlockKind.SWAGGER: _swagger}
