"""Sentences about input that does not fit the contract, in the same words at both ends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recto.contract.model import ELSE
from recto.pattern import pattern

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails

_SHOWN_ERRORS = 5

_ONE_OF_MANY = pattern(r"\b1 (character|item)s\b")

_ITEM = pattern(r"^\[(\d+)\]")

_SENTENCES = {
    "missing": "is required",
    "extra_forbidden": "is not a field of this request",
    "string_too_long": "at most {max_length} characters",
    "string_too_short": "at least {min_length} characters",
    "too_long": "at most {max_length} items",
    "too_short": "at least {min_length} items",
    "less_than_equal": "at most {le}",
    "greater_than_equal": "at least {ge}",
    "literal_error": "one of {expected}",
    "string_pattern_mismatch": "must match {pattern}",
    "string_type": "must be a string",
    "bool_type": "must be true or false",
    "bool_parsing": "must be true or false",
    "int_type": "must be a whole number",
    "int_parsing": "must be a whole number",
    "int_from_float": "must be a whole number",
    "tuple_type": "must be a list",
    "dict_type": "must be an object",
    "model_type": "must be an object",
    "model_attributes_type": "must be an object",
    "union_tag_invalid": "{discriminator} must be one of {expected_tags}",
    "union_tag_not_found": "{discriminator} is required",
    "json_invalid": "is not valid JSON: {error}",
}


def misfit(error: ValidationError, whole: str, under: str = "") -> str:
    """Return a line that names each field that is wrong and its limit.

    ``whole`` names the value given, for faults of all of it; ``under`` names a single value.
    """
    found = error.errors(include_url=False, include_input=False)
    within = {each["loc"][:length] for each in found for length in range(len(each["loc"]))}
    complaints: dict[str, None] = {}
    for each in found:
        if each["loc"] in within:  # pydantic reports a list as too short where an item of it is wrong
            continue
        complaints[_complaint(each, under or _place(each["loc"]) or whole)] = None
    shown = list(complaints)[:_SHOWN_ERRORS]
    more = len(complaints) - len(shown)
    return "; ".join(shown) + (f"; and {more} more" if more else "")


def faults(error: ValidationError) -> dict[str, str]:
    """Return the faults of a body by the JSON name of the field; the empty name stands for the whole body."""
    found: dict[str, str] = {}
    for each in error.errors(include_url=False, include_input=False):
        name = str(each["loc"][0]) if each["loc"] else ""
        inner = _place(each["loc"]).removeprefix(name)
        found.setdefault(name, _ITEM.sub(lambda item: f"item {int(item[1]) + 1}: ", inner) + _describe(each))
    return found


def locate(error: ValidationError) -> list[tuple[tuple[int | str, ...], str]]:
    """Return each fault with where it is: the names and indexes on the way there, kinds of items among them."""
    return [(each["loc"], _describe(each)) for each in error.errors(include_url=False, include_input=False)]


def _place(steps: tuple[int | str, ...]) -> str:
    """Return the path of a value in a body, as ``changes[0].files[1].name``.

    The kind of an item, such as ``update_page`` or ``site-page``, is a step too, but not in the body; no
    field that holds others is spelled with an underscore or a hyphen, only what people named themselves. A kind such
    as ``site`` is spelled like the field that goes with it, and ``external`` like no field.
    """
    named = ""
    for above, before, step, after in zip(("", "", *steps), ("", *steps), steps, (*steps[1:], ""), strict=False):
        if step == ELSE:
            continue
        if isinstance(step, int):
            named += f"[{step}]"
        elif step in _CLAIM_TYPES and (above == "properties" or before == "items"):
            continue
        elif after == "" or (step != after and (before == "properties" or not _is_kind(step))):
            named += f".{step}"
    return named.removeprefix(".")


_CLAIM_TYPES = frozenset({"boolean", "string", "number", "array", "object"})


def _is_kind(step: str) -> bool:
    return "_" in step or "-" in step or step == "external"


def _complaint(error: ErrorDetails, place: str) -> str:
    what = _describe(error)
    return f"{place} {what}" if error["type"] == "json_invalid" else f"{place}: {what}"


def _describe(error: ErrorDetails) -> str:
    sentence = _SENTENCES.get(error["type"])
    what = sentence.format_map(error.get("ctx", {})) if sentence else error["msg"]
    return _ONE_OF_MANY.sub(r"1 \1", what)
