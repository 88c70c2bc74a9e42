"""YAML written as text: whole, or with some keys changed and every other line left as it stands."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import yaml

from recto.document.yaml_text import YamlError, read_yaml


def write_yaml(value: Any) -> str:
    """Return a value in JSON's types as YAML in block style."""
    if value == {}:
        return ""
    text: str = yaml.dump(
        # The dumper in C spells emoji by their numbers.
        value,
        Dumper=yaml.SafeDumper,
        allow_unicode=True,
        sort_keys=False,
        width=1_000_000_000,
        default_flow_style=False,
    )
    return text


def edit_yaml(source: str, wanted: Mapping[str, Any], changed: Mapping[str, Any]) -> str:
    """Return a YAML mapping with new values for the ``changed`` keys; a key whose value is ``None`` is removed.

    ``wanted`` is the whole new mapping. It is written from scratch if the lines of the keys cannot be separated.
    """
    edited = _edit_lines(source, changed)
    if edited is not None and _reads_as(edited, wanted):
        return edited
    return write_yaml(dict(wanted))


def _reads_as(text: str, wanted: Mapping[str, Any]) -> bool:
    try:
        return (read_yaml(text) or {}) == dict(wanted)
    except YamlError:
        return False


def _edit_lines(source: str, changed: Mapping[str, Any]) -> str | None:
    spans = _spans(source)
    if spans is None:
        return None
    lines = source.splitlines(keepends=True)
    if lines and not lines[-1].endswith("\n"):
        lines[-1] += "\n"
    new = {key: value for key, value in changed.items() if value is not None and key not in spans}
    for key, (start, end) in sorted(spans.items(), key=lambda item: -item[1][0]):
        if key in changed:
            value = changed[key]
            lines[start:end] = [] if value is None else [write_yaml({key: value})]
    return "".join(lines) + write_yaml(new)


def _spans(source: str) -> dict[str, tuple[int, int]] | None:
    """Return the first and the following line of each key of a block mapping; ``None`` where they are not its own."""
    try:
        root = yaml.compose(source, Loader=getattr(yaml, "CSafeLoader", yaml.SafeLoader))
    except (yaml.YAMLError, ValueError):
        return None
    if root is None:
        return {}
    if not isinstance(root, yaml.MappingNode) or root.flow_style or root.start_mark.column:
        return None
    lines = source.splitlines()
    starts = [key.start_mark.line for key, _ in root.value]
    spans: dict[str, tuple[int, int]] = {}
    for (key, _), start, following in zip(root.value, starts, [*starts[1:], len(lines)], strict=True):
        end = following
        while end > start + 1 and (not lines[end - 1].strip() or lines[end - 1].startswith("#")):
            end -= 1
        if end <= start or str(key.value) in spans:
            return None
        spans[str(key.value)] = start, end
    return spans
