"""The differences between two versions of an API description, in words.

Operations are matched by method and path, parameters and fields by their names. The names of placeholders and of
schemas make no difference, nor do texts, examples and servers. A change is breaking where a program written for the
earlier version may fail with the later version:

- an operation, a response, a media type or an authentication method is removed, or authentication is required now;
- of requests: a parameter, field or body is removed or required now, new ones included; fewer values are allowed, by
  their type, form, limits or list of values;
- of responses: a field or header is removed or no longer always there; more values are possible.

Webhooks are the other way round: what the API sends counts as a response, what it takes in return as a request.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any, Final

from recto.document.openapi.description import METHODS, form_of
from recto.document.openapi.schemas import Schemas, facts, format_value, has_fields, name_of, values
from recto.document.openapi.source import list_of, mapping_of, text_of, word_of, words_of
from recto.document.text import count
from recto.frozen import frozen

MOST_CHANGES: Final = 2_000
"""The most changes that are found."""

_MOST_STEPS: Final = 1_000_000
"""Operations, parameters, responses, schemas and fields that are read of both versions."""

_MOST_NAMED: Final = 10
_LONGEST_PLACE: Final = 200
_PLACEHOLDER: Final = re.compile(r"\{([^{}/]*)\}")
_ANNOTATIONS: Final = frozenset(("description", "summary", "title", "example", "examples", "deprecated"))
_WIDER_TYPE: Final = {"integer": "number"}
_WITHIN: Final = frozenset(
    (
        *("properties", "patternProperties", "additionalProperties", "items", "prefixItems"),
        *("oneOf", "anyOf", "not", "discriminator"),
    )
)
"""Keys of a schema that hold others, or refer to them."""
_LEAST: Final = ("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties")
_MOST: Final = ("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties")


@frozen
class Change:
    """A change of an operation or a schema, the ``subject``."""

    subject: str
    text: str
    breaking: bool


@frozen
class Differences:
    """The changes, breaking ones first; ``is_cut`` says that there may be more."""

    changes: tuple[Change, ...]
    is_cut: bool = False


def compare(before: Mapping[str, Any], after: Mapping[str, Any]) -> Differences:
    """Compare two descriptions, in a time that grows as they do."""
    return _Comparison(before, after).run()


def describe(differences: Differences) -> list[str]:
    """Return the changes as lines, the breaking changes under a heading of their own."""
    lines: list[str] = []
    for breaking, one in ((True, "breaking change"), (False, "other change")):
        found = [change for change in differences.changes if change.breaking is breaking]
        lines += [count(len(found), one), *(f"  {change.subject}: {change.text}" for change in found)] if found else []
    if differences.is_cut:
        lines.append("The descriptions are too large to compare all of them.")
    return lines or ["No operation, parameter or field changed."]


class _TooLarge(Exception):
    """More is to be compared than :data:`_MOST_STEPS`, or more changed than :data:`MOST_CHANGES`."""


@frozen
class _Value:
    """A parameter, body or header; ``label`` names it within its operation."""

    label: str
    schemas: Mapping[str, Any]
    """Schemas by media type, or by the empty text."""
    required: bool = False
    deprecated: bool = False


@frozen
class _Response:
    contents: _Value
    headers: Mapping[str, _Value]


@frozen
class _Written:
    """An operation or a webhook as it is written, and the path item that holds it."""

    method: str
    path: str
    item: Mapping[str, Any]
    values: Mapping[str, Any]
    is_webhook: bool

    @property
    def title(self) -> str:
        """The name of the operation."""
        return f"{self.method.upper()} {'webhook ' if self.is_webhook else ''}{word_of(self.path)}"


@frozen
class _Operation:
    """An operation; ``parameters`` are by place and name, those in the path by their order."""

    title: str
    deprecated: bool
    security: tuple[str, ...]
    parameters: Mapping[tuple[str, str], _Value]
    body: _Value | None
    responses: Mapping[str, _Response]
    is_webhook: bool


@frozen
class _Pair:
    """Two schemas to be compared, at a ``path`` in what ``label`` names; ``incoming`` where requests carry them."""

    before: Any
    after: Any
    incoming: bool
    subject: str
    label: str
    path: str = ""


class _Budget:
    """The steps that are left of a comparison."""

    def __init__(self) -> None:
        self._left = _MOST_STEPS

    def spend(self, steps: int = 1) -> None:
        """Count steps. Raises :class:`_TooLarge`."""
        self._left -= steps
        if self._left < 0:
            raise _TooLarge


class _Version:
    """One of the two descriptions."""

    def __init__(self, root: Mapping[str, Any], budget: _Budget) -> None:
        self._root = root
        self._older = "openapi" not in root
        self._budget = budget
        self._schemas = Schemas(root, most_read=_MOST_STEPS)

    def operations(self) -> dict[tuple[bool, str, str], _Written]:
        """Return the operations and webhooks by what identifies them in both versions."""
        found: dict[tuple[bool, str, str], _Written] = {}
        hooks = mapping_of(self._root.get("webhooks")) or mapping_of(self._root.get("x-webhooks"))
        for is_webhook, listed in ((False, mapping_of(self._root.get("paths"))), (True, hooks)):
            for path, each in listed.items():
                self._budget.spend()
                item, _name = self._schemas.resolve(each)
                form = path if is_webhook else form_of(path)
                for method in METHODS:
                    if isinstance(item.get(method), dict):
                        found[is_webhook, form, method] = _Written(method, path, item, item[method], is_webhook)
        return found

    def read(self, written: _Written) -> _Operation:
        """Read an operation."""
        found = written.values
        listed = [*list_of(written.item.get("parameters")), *list_of(found.get("parameters"))]
        parameters, carried = self._parameters(written.path, listed)
        body = self._older_body(found, carried) if self._older else self._body(found)
        return _Operation(
            written.title,
            found.get("deprecated") is True,
            tuple(dict.fromkeys(self._security(found))),
            parameters,
            body,
            {word_of(status): self._response(found, word_of(status), each) for status, each in self._statuses(found)},
            written.is_webhook,
        )

    def _parameters(self, path: str, listed: list[Any]) -> tuple[dict[tuple[str, str], _Value], list[dict[str, Any]]]:
        places = {name: str(at) for at, name in enumerate(_PLACEHOLDER.findall(path))}
        found: dict[tuple[str, str], _Value] = {}
        carried: list[dict[str, Any]] = []
        for each in listed:
            self._budget.spend()
            value, _name = self._schemas.resolve(each)
            name, place = word_of(value.get("name")), word_of(value.get("in"))
            if place in ("body", "formData"):
                carried.append(value)
            elif name:
                named = {"path": places.get(name, name), "header": name.lower()}.get(place, name)
                is_required = value.get("required") is True or place == "path"
                label = f"parameter “{name}” ({place})"
                schemas = {"": self._schema_of(value)}
                found[place, named] = _Value(label, schemas, is_required, value.get("deprecated") is True)
        return found, carried

    def _schema_of(self, value: dict[str, Any]) -> Any:
        if "schema" in value:
            return value["schema"]
        if content := mapping_of(value.get("content")):
            return mapping_of(next(iter(content.values()))).get("schema")
        return value if self._older else None

    def _body(self, found: Mapping[str, Any]) -> _Value | None:
        if "requestBody" not in found:
            return None
        value, _name = self._schemas.resolve(found["requestBody"])
        return _Value("request body", self._contents(value.get("content")), value.get("required") is True)

    def _older_body(self, found: Mapping[str, Any], carried: list[dict[str, Any]]) -> _Value | None:
        if not carried:
            return None
        media_types = words_of(found.get("consumes", self._root.get("consumes")))
        whole = next((value for value in carried if value.get("in") == "body"), None)
        if whole is not None:
            schema, usual, required = whole.get("schema"), "application/json", whole.get("required") is True
        else:
            needed = [word_of(value.get("name")) for value in carried if value.get("required") is True]
            properties = {word_of(value.get("name")): {**value, "required": None} for value in carried}
            schema = {"type": "object", "properties": properties, "required": needed}
            has_file, required = any(value.get("type") == "file" for value in carried), bool(needed)
            usual = "multipart/form-data" if has_file else "application/x-www-form-urlencoded"
        return _Value("request body", {_media(name): schema for name in media_types or [usual]}, required)

    def _contents(self, value: Any) -> dict[str, Any]:
        content = mapping_of(value)
        self._budget.spend(len(content))
        return {_media(name): mapping_of(each).get("schema") for name, each in content.items()}

    def _statuses(self, found: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
        for status, each in mapping_of(found.get("responses")).items():
            if not status.startswith("x-"):
                self._budget.spend()
                yield status, each

    def _response(self, found: Mapping[str, Any], status: str, each: Any) -> _Response:
        value, _name = self._schemas.resolve(each)
        if not self._older:
            contents = self._contents(value.get("content"))
        elif "schema" in value:
            media_types = words_of(found.get("produces", self._root.get("produces"))) or ["application/json"]
            contents = {_media(name): value["schema"] for name in media_types}
        else:
            contents = {}
        label, headers = f"response {status}", mapping_of(value.get("headers"))
        self._budget.spend(len(headers))
        return _Response(_Value(label, contents), dict(self._headers(label, headers)))

    def _headers(self, label: str, headers: dict[str, Any]) -> Iterator[tuple[str, _Value]]:
        for name, each in headers.items():
            header, _name = self._schemas.resolve(each)
            is_required = self._older or header.get("required") is True
            yield name.lower(), _Value(f"{label}, header “{word_of(name)}”", {"": self._schema_of(header)}, is_required)

    def _security(self, found: Mapping[str, Any]) -> Iterator[str]:
        for way in list_of(found.get("security", self._root.get("security"))):
            self._budget.spend()
            needed = (" ".join([word_of(name), *words_of(scopes)]) for name, scopes in sorted(mapping_of(way).items()))
            yield text_of(" and ".join(needed), _LONGEST_PLACE)

    def unwrap(self, value: Any) -> Any:
        """Return the schema that a single ``allOf`` only refers to, with texts beside it; else the schema itself."""
        while (
            isinstance(value, dict) and value.keys() - _ANNOTATIONS == {"allOf"} and len(list_of(value["allOf"])) == 1
        ):
            self._budget.spend()
            value = value["allOf"][0]
        return value

    def merge(self, value: Any) -> dict[str, Any] | None:
        """Return a schema with its references resolved; ``None`` where it is no schema, or not in the description."""
        if value is True:
            return {}
        merged, name = self._schemas.merge(value)
        listed = merged.get("properties"), merged.get("patternProperties"), merged.get("prefixItems")
        self._budget.spend(1 + sum(len(each) for each in listed if isinstance(each, (dict, list))))
        if self._schemas.is_cut:
            raise _TooLarge
        return None if not isinstance(value, dict) or (name and not merged) else merged

    def alternatives(self, value: Any, merged: dict[str, Any]) -> dict[str, Any]:
        """Return the alternatives of a schema (``oneOf``, ``anyOf``) by name; the schema itself where it has none."""
        found: dict[str, Any] = {}
        known: dict[str, int] = {}
        for each in _several_of(merged) or [value]:
            self._budget.spend()
            inner, name = self._schemas.resolve(self.unwrap(each))
            name = name or word_of(inner.get("title")) or _either(_types_of(inner))
            known[name] = known.get(name, 0) + 1
            found[name if known[name] == 1 else f"{name} {known[name]}"] = each
        if merged.get("nullable") is True:
            found.setdefault("null", {"type": "null"})
        return found


class _Comparison:
    """Walks two descriptions side by side; each two schemas are compared once in requests and once in responses."""

    def __init__(self, before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
        budget = _Budget()
        self._before = _Version(before, budget)
        self._after = _Version(after, budget)
        self._found: dict[tuple[str, str], bool] = {}
        self._known: dict[tuple[object, object, bool], _Pair] = {}
        """The pairs so far, which keep alive what their keys identify."""
        self._waiting: deque[_Pair] = deque()

    def run(self) -> Differences:
        """Compare everything."""
        is_cut = False
        try:
            self._compare_all()
        except _TooLarge:
            is_cut = True
        order = {subject: at for at, (subject, _text) in reversed([*enumerate(self._found)])}
        changes = [Change(subject, text, breaking) for (subject, text), breaking in self._found.items()]
        return Differences(
            tuple(sorted(changes, key=lambda change: (not change.breaking, order[change.subject]))), is_cut
        )

    def _compare_all(self) -> None:
        before, after = self._before.operations(), self._after.operations()
        for key, written in before.items():
            if key not in after:
                self._note(written.title, "removed", breaking=True)
                continue
            self._compare_operations(self._before.read(written), self._after.read(after[key]))
            while self._waiting:
                self._compare_schemas(self._waiting.popleft())
        for key, written in after.items():
            if key not in before:
                self._note(written.title, "added")

    def _note(self, subject: str, text: str, *, breaking: bool = False) -> None:
        key = (subject, text)
        if len(self._found) >= MOST_CHANGES and key not in self._found:
            raise _TooLarge
        self._found[key] = self._found.get(key, False) or breaking

    # Operations

    def _compare_operations(self, before: _Operation, after: _Operation) -> None:
        subject, sends = after.title, not after.is_webhook
        if after.deprecated != before.deprecated:
            self._note(subject, "deprecated now" if after.deprecated else "no longer deprecated")
        self._compare_security(before, after)
        for key, old in before.parameters.items():
            if key not in after.parameters:
                self._note(subject, f"{old.label} removed", breaking=True)
            else:
                self._compare_values(subject, old, after.parameters[key], incoming=sends)
        for key, new in after.parameters.items():
            if key not in before.parameters:
                self._note(subject, f"{new.label} added{_requirement(new.required)}", breaking=new.required and sends)
        if before.body is not None and after.body is not None:
            self._compare_values(subject, before.body, after.body, incoming=sends)
        elif before.body is not None:
            self._note(subject, "request body removed", breaking=True)
        elif after.body is not None:
            required = after.body.required
            self._note(subject, f"request body added{_requirement(required)}", breaking=required and sends)
        for status, response in before.responses.items():
            if status not in after.responses:
                self._note(subject, f"response {status} removed", breaking=True)
            else:
                self._compare_responses(subject, response, after.responses[status], incoming=not sends)
        for status in after.responses:
            if status not in before.responses:
                self._note(subject, f"response {status} added")

    def _compare_security(self, before: _Operation, after: _Operation) -> None:
        old, new = before.security or ("",), after.security or ("",)
        for way in old:
            if way not in new:
                text = f"authentication by {way} removed" if way else "authentication is required now"
                self._note(after.title, text, breaking=True)
        for way in new:
            if way not in old:
                self._note(after.title, f"authentication by {way} added" if way else "authentication is optional now")

    def _compare_responses(self, subject: str, before: _Response, after: _Response, *, incoming: bool) -> None:
        self._compare_values(subject, before.contents, after.contents, incoming=incoming)
        for name, old in before.headers.items():
            if name not in after.headers:
                self._note(subject, f"{old.label} removed", breaking=True)
            else:
                self._compare_values(subject, old, after.headers[name], incoming=incoming)
        for name, new in after.headers.items():
            if name not in before.headers:
                self._note(subject, f"{new.label} added")

    def _compare_values(self, subject: str, before: _Value, after: _Value, *, incoming: bool) -> None:
        label = after.label
        if after.required != before.required:
            self._note_required(subject, label, is_required=after.required, incoming=incoming)
        if after.deprecated and not before.deprecated:
            self._note(subject, f"{label} deprecated now")
        for media_type, schema in before.schemas.items():
            if media_type in after.schemas:
                self._add_pair(_Pair(schema, after.schemas[media_type], incoming, subject, label))
            else:
                self._note(subject, f"{label}: {media_type} removed", breaking=True)
        for media_type in after.schemas:
            if media_type not in before.schemas:
                self._note(subject, f"{label}: {media_type} added")

    def _note_required(self, subject: str, what: str, *, is_required: bool, incoming: bool) -> None:
        breaking = is_required if incoming else not is_required
        self._note(subject, f"{what} is {'required' if is_required else 'optional'} now", breaking=breaking)

    # Schemas

    def _add_pair(self, pair: _Pair) -> None:
        """Compare two schemas, unless that was done; shared schemas are subjects of their own."""
        before, after = self._before.unwrap(pair.before), self._after.unwrap(pair.after)
        old, new = _reference(before), _reference(after)
        if old is not None and new is not None:
            pair = _Pair(before, after, pair.incoming, name_of(new), "")
        key = (old if old is not None else id(before), new if new is not None else id(after), pair.incoming)
        if key not in self._known:
            self._known[key] = pair
            self._waiting.append(pair)

    def _compare_schemas(self, pair: _Pair) -> None:
        before, after = self._before.merge(pair.before), self._after.merge(pair.after)
        if before is None or after is None or (before == after and before.keys().isdisjoint(_WITHIN)):
            return
        if after.get("deprecated") is True and before.get("deprecated") is not True:
            self._note_at(pair, "deprecated now")
        self._compare_discriminators(pair, before, after)
        several = bool(_several_of(before)), bool(_several_of(after))
        if any(several):
            self._compare_alternatives(pair, before, after)
            if not all(several):
                return
        elif not self._compare_types(pair, _types_of(before), _types_of(after)):
            return
        self._compare_allowed(pair, before, after)
        self._compare_limits(pair, before, after)
        if before.get("default") != after.get("default"):
            self._note_at(pair, f"default changed from {_default(before)} to {_default(after)}")
        self._compare_excluded(pair, before, after)
        self._compare_fields(pair, before, after)
        self._compare_matching_fields(pair, before, after)
        self._compare_items(pair, before, after)

    def _compare_discriminators(self, pair: _Pair, before: dict[str, Any], after: dict[str, Any]) -> None:
        """Compare the field that tells alternatives apart, and the values that it may have there."""
        (old, old_values), (new, new_values) = _discriminator(before), _discriminator(after)
        if old and not new:
            self._note_at(pair, f"no longer distinguished by “{old}”", breaking=not pair.incoming)
        elif new and not old:
            self._note_at(pair, f"distinguished by “{new}” now")
        elif old != new:
            self._note_at(pair, f"distinguished by “{new}” now, not by “{old}”", breaking=True)
        elif old_values and new_values:
            if removed := [value for value in old_values if value not in new_values]:
                self._note_at(pair, f"{_list_values(removed)} no longer a value of “{new}”", breaking=pair.incoming)
            if added := [value for value in new_values if value not in old_values]:
                self._note_at(pair, f"{_list_values(added)} also a value of “{new}”", breaking=not pair.incoming)
            for value, target in old_values.items():
                if value in new_values:
                    self._go_into(pair, {"$ref": target}, {"$ref": new_values[value]}, pair.path)

    def _compare_alternatives(self, pair: _Pair, before: dict[str, Any], after: dict[str, Any]) -> None:
        old = self._before.alternatives(pair.before, before)
        new = self._after.alternatives(pair.after, after)
        for name, schema in old.items():
            if name in new:
                self._go_into(pair, schema, new[name], pair.path)
            else:
                self._note_at(pair, f"alternative “{name}” removed", breaking=pair.incoming)
        for name in new:
            if name not in old:
                self._note_at(pair, f"alternative “{name}” added", breaking=not pair.incoming)

    def _compare_types(self, pair: _Pair, before: set[str], after: set[str]) -> bool:
        """Compare what kinds of values there may be; return whether any kind is common to both."""
        if before == after:
            return True
        is_narrower = any(not _covers(after, kind) for kind in before)
        is_wider = any(not _covers(before, kind) for kind in after)
        change = f"type changed from {_either(before)} to {_either(after)}"
        self._note_at(pair, change, breaking=is_narrower if pair.incoming else is_wider)
        return not (is_narrower and is_wider) or bool(before & after)

    def _compare_allowed(self, pair: _Pair, before: dict[str, Any], after: dict[str, Any]) -> None:
        old, new = dict.fromkeys(values(before)), dict.fromkeys(values(after))
        if old and not new:
            self._note_at(pair, "any value is allowed now", breaking=not pair.incoming)
        elif new and not old:
            self._note_at(pair, f"only {_list_values(new)} allowed now", breaking=pair.incoming)
        else:
            if removed := [value for value in old if value not in new]:
                self._note_at(pair, f"{_list_values(removed)} no longer allowed", breaking=pair.incoming)
            if added := [value for value in new if value not in old]:
                self._note_at(pair, f"{_list_values(added)} also allowed", breaking=not pair.incoming)

    def _compare_limits(self, pair: _Pair, before: dict[str, Any], after: dict[str, Any]) -> None:
        pattern_before, pattern_after = text_of(before.get("pattern")), text_of(after.get("pattern"))
        has_other_pattern = pattern_before != pattern_after
        is_narrower = has_other_pattern and bool(pattern_after)
        is_wider = has_other_pattern and bool(pattern_before)
        for names, sign in ((_LEAST, 1), (_MOST, -1)):
            for name in names:
                old, new = _number(before.get(name), sign), _number(after.get(name), sign)
                is_narrower |= new > old
                is_wider |= new < old
        if is_narrower or is_wider:
            change = f"limits changed from {_limits(before)} to {_limits(after)}"
            self._note_at(pair, change, breaking=is_narrower if pair.incoming else is_wider)

    def _compare_excluded(self, pair: _Pair, before: dict[str, Any], after: dict[str, Any]) -> None:
        """Compare what values may not be (``not``), as it is written: which of two is wider is not worked out."""
        old = self._before.merge(before["not"]) if "not" in before else None
        new = self._after.merge(after["not"]) if "not" in after else None
        if old == new:
            return
        if old is None or new is None:
            text = f"excludes {format_value(new)} now" if old is None else f"no longer excludes {format_value(old)}"
            self._note_at(pair, text, breaking=(old is None) == pair.incoming)
        else:
            self._note_at(pair, f"excludes {format_value(new)} now, not {format_value(old)}", breaking=True)

    def _compare_fields(self, pair: _Pair, before: dict[str, Any], after: dict[str, Any]) -> None:
        hidden = "readOnly" if pair.incoming else "writeOnly"
        old, new = _fields(before, hidden), _fields(after, hidden)
        needed_before, needed_after = _required_names(before), _required_names(after)
        for name, schema in old.items():
            inner = _join(pair.path, name)
            where = _place(pair.label, inner)
            if name not in new:
                self._note(pair.subject, f"{where} removed", breaking=True)
                continue
            if (name in needed_before) != (name in needed_after):
                is_required = name in needed_after
                self._note_required(pair.subject, where, is_required=is_required, incoming=pair.incoming)
            self._go_into(pair, schema, new[name], inner)
        for name in new:
            if name not in old:
                where, is_required = _place(pair.label, _join(pair.path, name)), name in needed_after
                self._note(
                    pair.subject, f"{where} added{_requirement(is_required)}", breaking=pair.incoming and is_required
                )
        others_before, others_after = before.get("additionalProperties"), after.get("additionalProperties")
        if isinstance(others_before, dict) and isinstance(others_after, dict):
            self._go_into(pair, others_before, others_after, _join(pair.path, "*"))
        elif (others_before is False) != (others_after is False):
            is_narrower = others_after is False
            text = "no other fields allowed now" if is_narrower else "other fields allowed now"
            self._note_at(pair, text, breaking=pair.incoming and is_narrower)

    def _compare_matching_fields(self, pair: _Pair, before: dict[str, Any], after: dict[str, Any]) -> None:
        """Compare the fields whose names match a pattern."""
        old, new = mapping_of(before.get("patternProperties")), mapping_of(after.get("patternProperties"))
        for pattern, schema in old.items():
            if pattern in new:
                self._go_into(pair, schema, new[pattern], _join(pair.path, f"/{word_of(pattern)}/"))
            else:
                self._note_at(pair, f"fields that match {word_of(pattern)} removed", breaking=True)
        # They were allowed with any value before, unless no other fields were.
        is_narrower = before.get("additionalProperties") is not False
        for pattern in new:
            if pattern not in old:
                text = f"fields that match {word_of(pattern)} added"
                self._note_at(pair, text, breaking=pair.incoming and is_narrower)

    def _compare_items(self, pair: _Pair, before: dict[str, Any], after: dict[str, Any]) -> None:
        """Compare the items of a list: the first ones that have schemas of their own, and those after them."""
        old, new = list_of(before.get("prefixItems")), list_of(after.get("prefixItems"))
        for at, (schema, other) in enumerate(zip(old, new, strict=False)):
            self._go_into(pair, schema, other, f"{pair.path}[{at}]")
        for at in range(len(new), len(old)):
            self._note_at(pair, f"item [{at}] no longer described", breaking=True)
        rest_before, rest_after = before.get("items"), after.get("items")
        for at in range(len(old), len(new)):
            self._note_at(pair, f"item [{at}] described now", breaking=pair.incoming and rest_before is not False)
        if isinstance(rest_before, dict) and isinstance(rest_after, dict):
            self._go_into(pair, rest_before, rest_after, f"{pair.path}[]")
        elif (rest_before is False) != (rest_after is False):
            is_narrower = rest_after is False
            text = "no further items allowed now" if is_narrower else "further items allowed now"
            self._note_at(pair, text, breaking=pair.incoming and is_narrower)

    def _go_into(self, pair: _Pair, before: Any, after: Any, path: str) -> None:
        self._add_pair(_Pair(before, after, pair.incoming, pair.subject, pair.label, path))

    def _note_at(self, pair: _Pair, text: str, *, breaking: bool = False) -> None:
        where = _place(pair.label, pair.path)
        self._note(pair.subject, f"{where}: {text}" if where else text, breaking=breaking)


def _several_of(merged: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the alternatives of a schema."""
    listed = list_of(merged.get("oneOf")) or list_of(merged.get("anyOf"))
    return [each for each in listed if isinstance(each, dict)]


def _types_of(merged: dict[str, Any]) -> set[str]:
    """Return the kinds of values a schema allows, such as ``string · date``; ``any`` where it does not say."""
    kinds = words_of(merged.get("type"))
    if not kinds and has_fields(merged):
        kinds = ["object"]
    elif not kinds and "items" in merged:
        kinds = ["array"]
    form = word_of(merged.get("format"))
    found = {f"{kind} · {form}" if form and kind not in ("null", "object", "array") else kind for kind in kinds}
    found = {"string · binary" if kind == "file" else kind for kind in found} or {"any"}
    return found | {"null"} if merged.get("nullable") is True or merged.get("x-nullable") is True else found


def _covers(kinds: set[str], kind: str) -> bool:
    plain = kind.partition(" ")[0]
    return "any" in kinds or not kinds.isdisjoint((kind, plain, _WIDER_TYPE.get(plain, kind)))


def _either(kinds: set[str]) -> str:
    return " or ".join(sorted(kinds, key=lambda kind: (kind == "null", kind)))


def _reference(value: Any) -> str | None:
    target = value.get("$ref") if isinstance(value, dict) else None
    return target if isinstance(target, str) else None


def _media(name: str) -> str:
    return word_of(name).lower().partition(";")[0].strip()


def _fields(merged: dict[str, Any], hidden: str) -> dict[str, Any]:
    """Return the fields of an object; those that are never in requests, or never in responses, are hidden there."""
    listed = mapping_of(merged.get("properties")).items()
    return {name: value for name, value in listed if mapping_of(value).get(hidden) is not True}


def _discriminator(merged: dict[str, Any]) -> tuple[str, dict[str, str]]:
    """Return the field that tells alternatives apart, empty for none, and what its values refer to, where it says."""
    written = merged.get("discriminator")
    if isinstance(written, str):  # as Swagger 2.0 has it
        return word_of(written), {}
    listed = mapping_of(mapping_of(written).get("mapping"))
    targets = {word_of(value): target for value, target in listed.items() if isinstance(target, str)}
    return word_of(mapping_of(written).get("propertyName")), {
        value: target if "/" in target or "." in target else f"#/components/schemas/{target}"
        for value, target in targets.items()
    }


def _required_names(merged: dict[str, Any]) -> set[str]:
    return {name for name in list_of(merged.get("required")) if isinstance(name, str)}


def _number(value: Any, sign: int) -> float:
    """Return a limit, higher where it allows less; minus infinity for none."""
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return sign * value if is_number else float("-inf")


def _limits(merged: dict[str, Any]) -> str:
    names = (*_LEAST, *_MOST, "pattern")
    return ", ".join(facts({name: merged[name] for name in names if name in merged})) or "none"


def _default(merged: dict[str, Any]) -> str:
    return format_value(merged["default"]) if "default" in merged else "none"


def _list_values(found: Sequence[str] | dict[str, None]) -> str:
    named = ", ".join(f"“{value}”" for value in islice(found, _MOST_NAMED))
    more = f" and {len(found) - _MOST_NAMED:,} more" if len(found) > _MOST_NAMED else ""
    return f"{named}{more} {'is' if len(found) == 1 else 'are'}"


def _requirement(is_required: bool) -> str:
    return ", required" if is_required else ""


def _join(path: str, name: str) -> str:
    return f"{path}.{word_of(name)}".removeprefix(".")[-_LONGEST_PLACE:]


def _place(label: str, path: str) -> str:
    field = f"field “{path}”" if path else ""
    if path.startswith("[") and path.endswith("]") and path.count("[") == 1:
        field = f"item {path}" if path != "[]" else "each item"
    return ", ".join(part for part in (label, field) if part)
