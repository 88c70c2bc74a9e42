"""Writes ``table.json`` beside it from the reference: what it says of each operation and of each kind of object.

    python tests/contract/reference/make_table.py ../shared/reference/api.md

An operation has its method and path, its query parameters and body fields, the status of success (``null`` where the
reference shows none) and what it answers. A parameter or field says what the reference says of it: ``required``
(``null`` where it is unmarked), ``min`` and ``max``, ``values``, ``default``, ``nullable``, and the ``fields`` in it.
"""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

TABLE = Path(__file__).with_name("table.json")

METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
KINDS = (
    "Version content", "Adaptive schema", "Published site", "Agent instructions", "Git info", "SAML provider",
    "CommentReply", "Comment", "ChangeRequest", "Collection", "SiteSectionGroup", "SiteSection", "SiteSpace",
    "ShareLink", "Site", "Space", "Revision", "Page", "File", "Organization", "Member", "Team", "Translation",
    "OpenAPI specification", "OpenAPI spec version", "Link item", "Backlink item", "Search hit",
    "Organization search hit",
)  # fmt: skip
SHORT = {"specification": "OpenAPI specification", "version": "OpenAPI spec version"}
SAID_ONCE = ("metadata", "computed", "evaluated")
"""Query parameters of which the reference says once what they mean everywhere."""

_RANGE = re.compile(r"(?:min (?P<min>\d+), )?max (?P<max>\d+)|(?P<low>\d+) to (?P<high>\d+)")
_QUOTED = re.compile(r"`([^`]+)`")
_TOLD = re.compile(
    r"(?P<name>[A-Z][\w ]*?)(?: \(`object`=`(?P<object>[\w-]+)`\)| \([\w ]+\))?(?: fields)?: (?P<told>`.*)", re.DOTALL
)
_NULLABLE = re.compile(r"The `(\w+)` body field is either a string \((.*?)[;)].* or `null`")
_COMMENTS = "Comments on spaces"
_COMMENTS_ON_CHANGE_REQUESTS = "Comments on change requests"


def make_table(reference: str) -> dict[str, Any]:
    """Return the table of a reference, from its text."""
    kinds = dict(_kinds(_chapter(reference, "2. Resources and their fields")))
    limits = _limits(_chapter(reference, "8. Limits"))
    operations = list(_operations(_chapter(reference, "4. Endpoints")))
    said: dict[str, Any] = {}
    for operation in operations:
        for name in SAID_ONCE:
            if name in operation["query"]:
                said.setdefault(name, operation["query"][name])
                operation["query"][name] = said[name]
        _complete(operation, kinds, limits)
    return {"operations": operations, "kinds": kinds}


def as_text(table: dict[str, Any]) -> str:
    """Return a table as it stands in its file: one operation and one kind to a line."""
    operations = ",\n".join(f"  {json.dumps(each)}" for each in table["operations"])
    kinds = ",\n".join(f"  {json.dumps(name)}: {json.dumps(fields)}" for name, fields in table["kinds"].items())
    return f'{{\n "operations": [\n{operations}\n ],\n "kinds": {{\n{kinds}\n }}\n}}\n'


def _chapter(reference: str, title: str) -> str:
    return reference.partition(f"## {title}\n")[2].partition("\n## ")[0]


def _sections(chapter: str) -> Iterator[tuple[str, str]]:
    """Yield the title and text of each section."""
    for section in re.split(r"^### ", chapter, flags=re.MULTILINE)[1:]:
        title, _, text = section.partition("\n")
        yield title, text


def _rows(text: str) -> Iterator[dict[str, str]]:
    """Yield the rows of the tables in a text, by the titles of their columns."""
    columns: list[str] = []
    for line in text.splitlines():
        if not line.startswith("|"):
            columns = []
            continue
        cells = [cell.strip() for cell in line.strip("|").split("|")]
        if not columns:
            columns = cells
        elif not set(line) <= set("|- "):
            yield dict(zip(columns, cells, strict=True))


def _operations(chapter: str) -> Iterator[dict[str, Any]]:
    on_spaces: list[dict[str, Any]] = []
    for title, text in _sections(chapter):
        prefix = (re.findall(r"[Pp]aths start with `(.*?)`", text) or [""])[0]
        if title == _COMMENTS_ON_CHANGE_REQUESTS:
            yield from _comments_on_change_requests(prefix, text, on_spaces)
        created: dict[str, Any] = {}
        nullable = {name: {"nullable": True} | _parse_note(note) for name, note in _NULLABLE.findall(text)}
        for row in _rows(text):
            operation = _operation(prefix, row, created)
            for name, field in operation["body"].items():
                field.update(nullable.get(name, {}))
            if operation["method"] == "POST":
                created = operation["body"]
            if title == _COMMENTS:
                on_spaces.append(operation)
            yield operation


def _operation(prefix: str, row: dict[str, str], created: dict[str, Any]) -> dict[str, Any]:
    suffix = row.get("Path") or row["Path suffix"]
    path = prefix + suffix.replace("(none)", "").replace("...", "/v1/spaces/{spaceId}")
    answer = row.get("Response") or row.get("Status / response", "")
    body = row.get("Body", "")
    if body == "same fields as create, all optional":
        fields = {name: field | {"required": False} for name, field in created.items()}
    else:
        fields = _body(body)
    return {
        "method": row["Method"],
        "path": path,
        "query": {name: _parse_note(note) for name, note in _parts(row.get("Query", ""))},
        "body": fields,
        "status": int(answer[:3]) if answer[:3].isdigit() else None,
        "answer": _answer(answer),
        "deprecated": "Deprecated" in answer,
    }


def _comments_on_change_requests(prefix: str, text: str, on_spaces: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the operations that the reference tells by how they differ from those on spaces."""
    for operation in on_spaces:
        copied: dict[str, Any] = json.loads(json.dumps(operation))
        copied["path"] = prefix + copied["path"].removeprefix("/v1/spaces/{spaceId}")
        if copied["method"] == "PUT" and copied["path"].endswith("{commentReplyId}") and "reply PUT body" in text:
            copied["body"]["resolved"] = {"required": False}
        yield copied
    for method, suffix, query, kind in re.findall(r"- (\w+) `(\S+?)`.*?: query (.*?); returns a list of (\w+)\.", text):
        yield {
            "method": method,
            "path": prefix + suffix,
            "query": {name: _parse_note("") for name in _QUOTED.findall(query)},
            "body": {},
            "status": None,
            "answer": {"list": kind},
            "deprecated": False,
        }


def _parts(text: str) -> Iterator[tuple[str, str]]:
    """Yield the names in a list such as ``limit, order (default `desc`)``, each with what is said in parentheses."""
    for part in _split(text):
        name, _, note = part.partition(" (")
        yield name.strip(" `"), note.removesuffix(")")


def _split(text: str) -> list[str]:
    """Split at the commas that are in no parentheses or braces."""
    parts, depth = [""], 0
    for character in text:
        depth += (character in "({") - (character in ")}")
        if character == "," and depth == 0:
            parts.append("")
        else:
            parts[-1] += character
    return [part.strip() for part in parts if part.strip()]


def _parse_note(note: str) -> dict[str, Any]:
    """Return what a note says of a parameter or a field."""
    said: dict[str, Any] = {}
    if re.match(r"required\b", note) or note.endswith(", required"):
        said["required"] = True
    found = _RANGE.search(note)
    if found:
        low, high = found["min"] or found["low"], found["max"] or found["high"]
        said |= {"min": int(low)} if low else {}
        said["max"] = int(high)
    default = re.search(r"default `?([\w-]+)`?", note)
    if default and re.search(r"(^|[,; ])default", note) and "default section" not in note:
        said["default"] = default[1]
    values = _QUOTED.findall(note.partition("default")[0])
    if note.startswith("`") and values:
        said["values"] = values
    if "null" in note:
        said["nullable"] = True
    if "role or null" in note:
        said["type"] = "role"
    for kind in ("boolean", "array", "Document"):
        if note.startswith(kind) or f", {kind}" in note:
            said["type"] = kind
    return said


def _body(cell: str) -> dict[str, Any]:
    """Return the fields of a body such as ``{title? (max 50), position: {before?: {type: 'space'}}}``."""
    found = re.match(r"`(\{.*\})`(.*)", cell)
    if not found:
        return {}
    fields = _fields(found[1])
    if found[2].strip().startswith("(") and len(fields) == 1:
        next(iter(fields.values()))["values"] = _QUOTED.findall(found[2])
    return fields


def _fields(text: str) -> dict[str, Any]:
    fields: dict[str, Any] = {}
    for part in _split(text[1:-1]):
        found = re.fullmatch(r"(\w+)(\?)?(?: \((.*?)\))?(?:: (.*))?", part)
        assert found, part
        name, optional, note, kind = found.groups()
        said = _parse_note(note or "")
        said.setdefault("required", False if optional else None)
        if kind and kind.startswith("{"):
            said["fields"] = _fields(kind)
        elif kind and kind.startswith("'"):
            said["values"] = [kind.strip("'")]
        elif kind:
            said["type"] = kind
        fields[name] = said
    return fields


def _answer(text: str) -> Any:
    """Return what is answered: ``null``, ``{"list": kind}``, ``{"fields": names}`` or ``{"kind": kind}``."""
    if "list of" in text:
        of = text.partition("list of ")[2]
        return {"list": {"fields": _names(of)} if of.startswith("`") else _kind(of)}
    if re.match(r"(\d+ )?`\{", text):
        return {"fields": _names(text.lstrip("0123456789 "))}
    return None if text.startswith("204") or "no content" in text else {"kind": _kind(text)}


def _kind(text: str) -> str:
    """Return the kind of object that a text names first; the longest one where several begin in one place."""
    names = {name.lower(): name for name in KINDS} | SHORT
    at = {name: text.lower().find(name) for name in names}
    found = min((name for name in names if at[name] >= 0), key=lambda name: (at[name], -len(name)))
    return names[found]


def _kinds(chapter: str) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the fields of each kind of object that has a section of its own."""
    for title, text in _sections(chapter):
        if title.startswith("Conventions"):
            continue
        rows = [row for row in _rows(text) if "Field" in row]
        table = {name.strip(): _field(row) for row in rows for name in row["Field"].split(",")}
        named = re.findall(r"(?:and )?(\w[\w ]*?) \(`object`=`([\w-]+)`\)", title) or [(title, "")]
        if table:
            yield named[0][0], {"object": named[0][1], "fields": table}
        for name, kind, told in _kinds_in_prose(title, text, named):
            yield name, {"object": kind, "fields": {field: {} for field in told}}


def _kinds_in_prose(title: str, text: str, named: list[tuple[str, str]]) -> Iterator[tuple[str, str, list[str]]]:
    """Yield the kinds whose fields are told in a sentence: name, ``object`` and the names of the fields."""
    objects = dict(named)
    for sentence in re.split(r"\.\s+(?=[A-Z`])|\n\n", text):
        found = _TOLD.fullmatch(sentence.strip())
        if found:
            kind = found["object"] or objects.get(found["name"], "")
            yield found["name"], kind, _names(found["told"])
        elif sentence.strip().startswith(("`id`", "`{")) and len(named) == 1:
            yield named[0][0], named[0][1], _names(sentence.strip())


def _names(told: str) -> list[str]:
    """Return the names in ``{a, b: {c}}``, or in a list such as ``a`` (string), ``b`` {c}: not those in braces."""
    if told.startswith("`{"):
        return [re.split(r"[: ]", part)[0] for part in _split(told[2:].partition("}`")[0])]
    told = re.sub(r"`\{.*?\}`", "", told)
    while re.search(r"[({][^(){}]*[)}]", told):
        told = re.sub(r"[({][^(){}]*[)}]", "", told)
    names = (each.partition(".")[0] for each in _QUOTED.findall(told))
    return list(dict.fromkeys(each for each in names if re.fullmatch(r"\w+", each)))


def _field(row: dict[str, str]) -> dict[str, Any]:
    said: dict[str, Any] = {}
    found = _RANGE.search(f"{row['Type']}; {row['Notes']}")
    if found:
        low, high = found["min"] or found["low"], found["max"] or found["high"]
        said |= {"min": int(low)} if low else {}
        said["max"] = int(high)
    pattern = re.search(r"`(\^.*?\$)`", row["Notes"])
    if pattern:
        said["pattern"] = pattern[1]
    if row["Type"] == "enum":
        values = re.findall(r"`([\w-]+)` \(", row["Notes"])
        said |= {"values": values} if values else {}
    shape = re.match(r"(?:array of )?\{(.*)\}", row["Type"])
    if shape and row["Type"] != "object":
        said["fields"] = [re.split(r"[: ]", part)[0] for part in _split(shape[1])]
    if row["Notes"].startswith("required"):
        said["required"] = True
    return said


def _limits(chapter: str) -> dict[str, dict[str, int]]:
    """Return the limits that no table of fields and no body tells, by what they limit."""
    limits = {row["Limit"]: row["Value"] for row in _rows(chapter)}
    return {
        "limit": {"max": int(limits["`limit` on every list"].removeprefix("max "))},
        "condition": {"max": int(limits["Site space or section condition"].removeprefix("max "))},
    }


def _complete(operation: dict[str, Any], kinds: dict[str, Any], limits: dict[str, dict[str, int]]) -> None:
    """Add to the fields of a body what the table of the thing that is changed says of them."""
    if "limit" in operation["query"]:
        operation["query"]["limit"] |= limits["limit"]
    kind = operation["answer"].get("kind") if operation["answer"] else None
    known = kinds.get(kind or "", {"fields": {}})["fields"]
    for name, field in operation["body"].items():
        for said in ({} if "values" in field else known.get(name, {}), limits.get(name, {})):
            for key, value in said.items():
                if key not in ("pattern", "required", "fields"):
                    field.setdefault(key, value)


if __name__ == "__main__":
    TABLE.write_text(as_text(make_table(Path(sys.argv[1]).read_text(encoding="utf-8"))), encoding="utf-8")
