"""YAML as documentation uses it: read fast, into values that JSON has."""

from __future__ import annotations

from typing import Any

import yaml

_MAX_VALUES = 20_000
"""More values than any page's head holds: a text that unfolds into more (through aliases) is not taken."""

_FastLoader: type[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_FastPlainLoader: type[Any] = getattr(yaml, "CBaseLoader", yaml.BaseLoader)


class _Loader(_FastLoader):  # type: ignore[misc]  # chosen when the module is loaded
    """Reads dates as the text they are written in: JSON has no dates, and what is kept is kept as it stands."""

    yaml_implicit_resolvers = {  # noqa: RUF012  # the base declares it so
        first: [(tag, pattern) for tag, pattern in resolvers if tag != "tag:yaml.org,2002:timestamp"]
        for first, resolvers in _FastLoader.yaml_implicit_resolvers.items()
    }


def read_yaml(text: str) -> Any:
    """Return what a YAML text says, in JSON's types. Raise ``ValueError`` where it is not YAML."""
    return _read(text, _Loader)


def read_plain_yaml(text: str) -> Any:
    """Return what a YAML text says with each plain value as the text it is written in (``500`` is ``"500"``)."""
    return _read(text, _FastPlainLoader)


def _read(text: str, loader: type[Any]) -> Any:
    try:
        value = yaml.load(text, Loader=loader)  # both loaders build plain values only
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        raise ValueError(str(error)) from error
    return as_json(value)


def as_json(value: Any) -> Any:
    """Return what YAML says in JSON's types. Raise ``ValueError`` where it unfolds into more than any text would."""
    return _as_json(value, [_MAX_VALUES])


def _as_json(value: Any, left: list[int]) -> Any:
    left[0] -= 1
    if left[0] < 0:
        raise ValueError("it unfolds into too many values")
    if isinstance(value, dict):
        return {str(key): _as_json(item, left) for key, item in value.items()}
    if isinstance(value, (list, tuple, set)):
        return [_as_json(item, left) for item in value]
    if value is None or isinstance(value, (bool, int, str)):
        return value
    if isinstance(value, float) and value - value == 0:
        return value
    return str(value)
