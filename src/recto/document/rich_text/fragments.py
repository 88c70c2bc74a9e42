"""Conversion between rich text with fragments, as hosted services have it, and rich text without.

There a table has ``records`` of values by column, of which text is in a fragment for each cell, and an expandable has
its title and its body in fragments. Here a table holds rows of cells and an expandable its content, as in Markdown.
Either form is read, and converted to the other without a loss.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from recto.contract.rich_text import Document
from recto.document.rich_text.html_writer import write_inline_html
from recto.document.rich_text.inline_nodes import address, text_node
from recto.document.rich_text.inline_writer import text_of_nodes

Node = Mapping[str, Any]

_TITLE, _BODY, _CAPTION = "expandable-title", "expandable-body", "caption"
_CARDS = {"data-card-target": "targetDefinition", "data-card-cover": "coverDefinition"}
_COLUMN = frozenset({"header", "align"})


def document_nodes(document: Document) -> list[Node]:
    """Return the nodes of a rich text in the form without fragments, and without what cannot be a node."""
    # Singly: other threads wait while a fragment is dumped.
    return normalize_nodes([node.model_dump(mode="json", by_alias=True) for node in document.nodes])


def normalize_nodes(nodes: object) -> list[Node]:
    """Return nodes without fragments at every depth; a node of an unknown kind may hold anything."""
    found: list[Node] = []
    for node in _mappings(nodes):
        fragments = _mappings(node.get("fragments"))
        one = {
            **node,
            "data": node["data"] if isinstance(node.get("data"), dict) else {},
            "nodes": normalize_nodes(node.get("nodes")),
            "leaves": [{**leaf, "marks": _mappings(leaf.get("marks"))} for leaf in _mappings(node.get("leaves"))],
        }
        one.pop("fragments", None)
        if fragments or "records" in one["data"]:
            one = _without_fragments(one, [{**each, "nodes": normalize_nodes(each.get("nodes"))} for each in fragments])
        found.append(one)
    return found


def _mappings(values: object) -> list[dict[str, Any]]:
    return [value for value in values if isinstance(value, dict)] if isinstance(values, list) else []


def _as_mapping(value: object) -> Node:
    return value if isinstance(value, dict) else {}


def _without_fragments(node: dict[str, Any], fragments: Sequence[Node]) -> dict[str, Any]:
    """Return a node with the content of its fragments in its own nodes; of unknown kinds, in sequence."""
    named = {str(name): each for each in fragments for name in (each.get("type"), each.get("fragment")) if name}
    if node.get("type") == "table":
        return _with_rows(node, named)
    if node.get("type") == "expandable":
        title = _inlines(named[_TITLE]["nodes"]) if _TITLE in named else []
        data = (
            {**node["data"], "title": text_of_nodes(title), "summary": write_inline_html(title)}
            if title
            else node["data"]
        )
        body = [each for fragment in fragments if fragment is not named.get(_TITLE) for each in fragment["nodes"]]
        return {**node, "isVoid": False, "data": data, "nodes": [*node["nodes"], *body]}
    if _CAPTION in named and not node["nodes"]:
        caption = _inlines(named[_CAPTION]["nodes"])
        if node.get("type") == "image":
            return {**node, "nodes": caption}
        return {**node, "data": {**node["data"], "caption": text_of_nodes(caption)}}
    held = [each for fragment in fragments for each in fragment["nodes"]]
    if node.get("object") == "inline":
        # A note on a word stands behind it, in brackets.
        note = [_text(" ("), *_inlines(held), _text(")")] if held else []
        return {**node, "nodes": [*node["nodes"], *note]}
    return {**node, "nodes": [*node["nodes"], *held]}


def _inlines(nodes: Sequence[Node]) -> list[Node]:
    """Return blocks as inline text, each on a line of its own."""
    found: list[Node] = []
    for node in nodes:
        if node.get("object") != "block":
            found.append(node)
            continue
        inner = _inlines(node["nodes"])
        if node.get("type") == "list-item":
            inner = [_text("• "), *inner]
        if inner:
            found += [_text("\n"), *inner] if found else inner
    return found


def _text(text: str) -> dict[str, Any]:
    return {**text_node(text), "data": {}, "nodes": []}


# Tables


def with_records(table: Node) -> dict[str, Any]:
    """Return a table of rows as a table of records, whose cells are fragments."""
    rows = list(table["nodes"])
    heads = rows[0]["nodes"] if rows else []
    headed = bool(heads) and all(cell["data"].get("header") == "true" for cell in heads)
    width = max((len(row["nodes"]) for row in rows), default=0)
    body = rows[1:] if headed else rows
    columns = [
        _column(f"{table['key']}-{place}", heads[place] if headed and place < len(heads) else None, body, place)
        for place in range(width)
    ]
    records: dict[str, Any] = {}
    fragments: list[Node] = []
    for number, row in enumerate(body):
        values: dict[str, Any] = {}
        attributes: dict[str, Any] = {}
        for column, cell in zip(columns, row["nodes"], strict=False):
            name = column["id"]
            if column["type"] == "content-ref":
                values[name] = _target(cell) if cell["nodes"] else None
            else:
                values[name] = cell["key"]
                # The paragraph has the key of the cell, for it is what a comment is made on.
                fragments.append(_fragment(f"{cell['key']}-cell", cell["key"], _paragraph(cell["key"], cell["nodes"])))
            if further := _further(cell, column):
                attributes[name] = further
        record = {"orderIndex": f"{number:06}", "values": values}
        records[str(row["key"])] = {**record, "attributes": attributes} if attributes else record
    view = _view(table["data"], columns)
    if not headed:
        view["hideHeader"] = True
    data = {**table["data"], "view": view, "definition": {each["id"]: each for each in columns}, "records": records}
    if headed:
        data["head"] = rows[0]["key"]
    return {**table, "isVoid": True, "data": data, "nodes": [], "fragments": fragments}


def _column(name: str, head: Node | None, body: Sequence[Node], place: int) -> dict[str, Any]:
    cells = [row["nodes"][place] for row in body if place < len(row["nodes"])]
    aligned = head if head is not None else cells[0] if cells else None
    align = aligned["data"].get("align") if aligned is not None else None
    column: dict[str, Any] = {"id": name, "title": "", "type": "text"}
    if align:
        column["textAlignment"] = align
    if head is None:
        return column
    column |= {"id": str(head["key"]), "title": text_of_nodes(head["nodes"])}
    if attributes := {key: value for key, value in head["data"].items() if key not in _COLUMN}:
        column["attributes"] = attributes
    if any(node["object"] != "text" or any(leaf["marks"] for leaf in node["leaves"]) for node in head["nodes"]):
        column["nodes"] = head["nodes"]
    if attributes.get("data-type") == "content-ref" and all(_target(cell) for cell in cells if cell["nodes"]):
        column["type"] = "content-ref"
    return column


def _target(cell: Node) -> Node | None:
    """Return what a cell points at that is nothing but a link: a reference, and the link's words where it has own."""
    (link, *more) = cell["nodes"]
    if more or link.get("type") != "link" or set(link["data"]) != {"ref"}:
        return None
    if len(link["nodes"]) != 1 or link["nodes"][0]["object"] != "text":
        return None
    leaves = link["nodes"][0]["leaves"]
    if len(leaves) != 1 or leaves[0]["marks"]:
        return None
    ref, words = link["data"]["ref"], leaves[0]["text"]
    return ref if words == address(ref) else {**ref, "text": words}


def _further(cell: Node, column: Node) -> dict[str, Any]:
    """Return the attributes of a cell that its column does not say."""
    align = column.get("textAlignment")
    own = {name: value for name, value in cell["data"].items() if name != "align" or value != align}
    return {**own, "align": None} if align and "align" not in cell["data"] else own


def _view(data: Node, columns: Sequence[Node]) -> dict[str, Any]:
    attributes = {each["id"]: each.get("attributes", {}) for each in columns}
    cards = data.get("data-view") == "cards"
    view: dict[str, Any] = {
        "type": "cards" if cards else "grid",
        "columns": [name for name, attribute in attributes.items() if "data-hidden" not in attribute],
    }
    if cards:
        view["cardSize"] = data.get("data-card-size", "medium")
        for attribute, field in _CARDS.items():
            if (name := next((name for name, given in attributes.items() if attribute in given), None)) is not None:
                view[field] = name
    return view


def _with_rows(table: dict[str, Any], fragments: Mapping[str, Node]) -> dict[str, Any]:
    """Return a table of records as a table of rows."""
    data = table["data"]
    view, records = _as_mapping(data.get("view")), _as_mapping(data.get("records"))
    definition = {name: _as_mapping(each) for name, each in _as_mapping(data.get("definition")).items()}
    columns = {name: definition[name] for name in _in_order(definition, view)}
    rest = {name: value for name, value in data.items() if name not in ("view", "records", "definition", "head")}
    if view.get("type") == "cards":
        rest.setdefault("data-view", "cards")
        if view.get("cardSize") not in (None, "medium"):
            rest.setdefault("data-card-size", str(view["cardSize"]))
    rows = []
    if columns and not view.get("hideHeader"):
        heads = [_head(name, column, view) for name, column in columns.items()]
        rows.append(_block("table-row", data.get("head"), {}, heads))
    ordered = sorted(records.items(), key=lambda each: str(_as_mapping(each[1]).get("orderIndex", "")))
    for name, record in ordered:
        values, further = (
            _as_mapping(_as_mapping(record).get("values")),
            _as_mapping(_as_mapping(record).get("attributes")),
        )
        last = max((place for place, column in enumerate(columns) if column in values), default=-1)
        cells = [
            _cell(values.get(column), each, _as_mapping(further.get(column)), fragments)
            for place, (column, each) in enumerate(columns.items())
            if place <= last
        ]
        rows.append(_block("table-row", name, {}, cells))
    return {**table, "isVoid": False, "data": rest, "nodes": [*table["nodes"], *rows]}


def _in_order(definition: Node, view: Node) -> list[str]:
    """Return the columns in the order in which they are shown; those that are not stay among them, or come last."""
    shown = [name for name in view.get("columns") or [] if isinstance(name, str) and name in definition]
    if [name for name in definition if name in shown] == shown:
        return list(definition)
    return [*shown, *(name for name in definition if name not in shown)]


def _head(name: str, column: Node, view: Node) -> dict[str, Any]:
    attributes = dict(_as_mapping(column.get("attributes")))
    if isinstance(view.get("columns"), list) and name not in view["columns"]:
        attributes.setdefault("data-hidden", "true")
    for attribute, field in _CARDS.items():
        if view.get(field) == name:
            attributes.setdefault(attribute, "true")
    if column.get("type", "text") != "text":
        attributes.setdefault("data-type", str(column["type"]))
    if align := column.get("textAlignment"):
        attributes["align"] = str(align)
    title = str(column.get("title") or "")
    nodes = normalize_nodes(column.get("nodes"))
    words = nodes if nodes and text_of_nodes(nodes) == title else [_text(title)] if title else []
    return _block("table-cell", name, {**attributes, "header": "true"}, words)


def _cell(value: Any, column: Node, further: Node, fragments: Mapping[str, Node]) -> dict[str, Any]:
    align = {"align": str(column["textAlignment"])} if column.get("textAlignment") else {}
    data = {name: each for name, each in {**align, **further}.items() if each is not None}
    fragment = fragments.get(value) if isinstance(value, str) and column.get("type", "text") == "text" else None
    if fragment is not None:
        key = next((each.get("key") for each in fragment["nodes"]), None) or fragment.get("key")
        return _block("table-cell", key, data, _inlines(fragment["nodes"]))
    return _block("table-cell", None, data, list(_value(value, column)))


def _value(value: Any, column: Node) -> Iterator[Node]:
    """Yield the text of a value without a fragment, by the type of its column."""
    values = value if isinstance(value, list) else [value]
    kind = column.get("type")
    options = {each.get("value"): each.get("label") for each in _mappings(column.get("options"))}
    for place, each in enumerate(each for each in values if each not in (None, "")):
        if place:
            yield _text(", ")
        if isinstance(each, dict):
            ref = {name: value for name, value in each.items() if name != "text"}
            yield _link(ref, str(each.get("text") or address(ref)))
        elif kind in ("files", "users", "image"):
            ref = {"kind": "user", "user": each} if kind == "users" else {"kind": "file", "file": each}
            yield _link(ref, address(ref) or str(each))
        elif isinstance(each, bool):
            yield _text("✓" if each else "")
        elif kind != "text":
            yield _text(str(options.get(each) or each))


def _link(ref: Node, words: str) -> dict[str, Any]:
    return {
        "object": "inline",
        "type": "link",
        "isVoid": False,
        "data": {"ref": ref},
        "nodes": [_text(words)],
        "leaves": [],
    }


# Expandables


def with_title(expandable: Node, title: Sequence[Node]) -> dict[str, Any]:
    """Return an expandable whose title and body are fragments."""
    key = expandable["key"]
    fragments = [
        _fragment(f"{key}-title", _TITLE, _paragraph(f"{key}-title-text", title), _TITLE),
        _fragment(f"{key}-body", _BODY, expandable["nodes"], _BODY),
    ]
    return {**expandable, "isVoid": True, "nodes": [], "fragments": fragments}


def _fragment(key: str, name: str, nodes: Sequence[Node], type: str = "") -> dict[str, Any]:
    fragment = {"object": "fragment", "key": key, "fragment": name}
    return {**fragment, **({"type": type} if type else {}), "nodes": list(nodes)}


def _paragraph(key: str, nodes: Sequence[Node]) -> list[Node]:
    return [{"object": "block", "type": "paragraph", "key": key, "isVoid": False, "data": {}, "nodes": nodes}]


def _block(type: str, key: object, data: Node, nodes: Sequence[Node]) -> dict[str, Any]:
    block = {"object": "block", "type": type, "isVoid": False, "data": dict(data), "nodes": list(nodes), "leaves": []}
    return {**block, "key": key if isinstance(key, str) else None}
