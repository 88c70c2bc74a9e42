"""The base of every model of the contract: snake_case in Python, camelCase on the wire, frozen.

Modules with models are without ``from __future__ import annotations``: pydantic would compile each annotation when the
module is imported, which doubles the time that takes. What is not defined yet, and lists in responses, stand in quotes.
"""

from collections.abc import Callable
from datetime import datetime
from functools import cache
from typing import Annotated, Any, Final, cast

from pydantic import (
    AfterValidator,
    AliasChoices,
    AliasGenerator,
    BaseModel,
    ConfigDict,
    GetCoreSchemaHandler,
    ValidationInfo,
    WithJsonSchema,
)
from pydantic_core import CoreSchema, core_schema

# Names whose spelling on the wire does not follow from their Python name.
_SPELLINGS = {
    "entity_id": "entityID",
    "create_open_api_spec": "createOpenAPISpec",
    "open_api_spec": "openAPISpec",
    "repo_cache_id": "repoCacheID",
    "no_robots_index": "noRobotsIndex",
    "internal_billing_migration": "internal_billingMigration",
    "plus_2024": "plus_2024",
    "pro_2024": "pro_2024",
}

# Names that some services spell with their own name in them; reading takes either spelling.
_OTHER_SPELLINGS = {
    "created_by_service": "createdByGitBook",
    "service_visitor_claims": "gitbookVisitorClaims",
}

# Fields that name the kind of an object; they are sent even where they were not set.
_TAGS = frozenset({"object", "type", "kind", "operation"})


@cache
def json_name(name: str) -> str:
    """Return the spelling on the wire of a Python field or parameter name."""
    if name in _SPELLINGS:
        return _SPELLINGS[name]
    first, *rest = name.split("_")
    camel = first + "".join(part.capitalize() for part in rest)
    return camel[:-3] + "URL" if name.endswith("_url") else camel


def _names_read(name: str) -> str | AliasChoices:
    """Return the spelling on the wire of a field that is read, or the spellings where there are two."""
    other = _OTHER_SPELLINGS.get(name)
    return AliasChoices(json_name(name), other) if other else json_name(name)


def _instant(moment: datetime) -> str:
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


class _InMilliseconds:
    """Has a moment written with three digits of its second; importing pydantic's serializers takes longer."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler, /) -> CoreSchema:
        writes = core_schema.plain_serializer_function_ser_schema(
            _instant, return_schema=core_schema.str_schema(), when_used="json"
        )
        return cast("CoreSchema", {**handler(source), "serialization": writes})


Instant = Annotated[
    datetime,
    _InMilliseconds(),
    WithJsonSchema({"type": "string", "format": "date-time"}),
]
"""A moment: ISO 8601 on the wire, in milliseconds, with its offset."""


def _read_as(written: CoreSchema, *otherwise: tuple[CoreSchema, Callable[[Any], Any]]) -> CoreSchema:
    """Return a schema that reads what the contract writes and, where it is not that, something else in its place.

    Bodies sent and the description are ``written`` alone. Reading that costs next to nothing: no Python runs.
    """
    reads: list[CoreSchema | tuple[CoreSchema, str]] = [(written, ELSE)]
    reads += [(core_schema.no_info_after_validator_function(put, read), ELSE) for read, put in otherwise]
    return core_schema.lax_or_strict_schema(
        lax_schema=core_schema.union_schema(reads, mode="left_to_right"),
        strict_schema=written,
    )


def _whole(schema: CoreSchema) -> CoreSchema:
    """Return a schema whose whole numbers may come as fractions: these are rounded."""
    if schema["type"] == "int":
        return _read_as(schema, (core_schema.float_schema(allow_inf_nan=False), round))
    if schema["type"] == "nullable":
        return cast("CoreSchema", {**schema, "schema": _whole(schema["schema"])})
    return schema


def _read_generously(field: core_schema.ModelField) -> None:
    """Read ``null`` as the default of a field that has another default, and a fraction as a whole number.

    A tag that distinguishes the variants of a union has to be exact. Pydantic gives the same field again
    each time that a model is built into another, so a generous schema stays as it is.
    """
    schema = field["schema"]
    if schema["type"] != "default" or schema["schema"]["type"] in {"literal", "lax-or-strict"}:
        return
    inner = _whole(schema["schema"])
    factory = schema.get("default_factory", lambda: schema["default"])
    if inner["type"] != "nullable" and schema.get("default", factory) is not None:
        inner = _read_as(inner, (core_schema.none_schema(), lambda _null: factory()))
    field["schema"] = cast("CoreSchema", {**schema, "schema": inner})


ELSE: Final = ""
"""The step in the location of an error that stands for a choice among several ways to read a value."""


class Model(BaseModel):
    """A response, or a part of it.

    Only ``object`` and ``id`` are sure to be there, so every other field has a default, for which ``null`` may stand
    where it means nothing by itself. Unknown fields are kept and go out again as they came.
    """

    model_config = ConfigDict(
        alias_generator=AliasGenerator(json_name, validation_alias=_names_read),
        validate_by_name=True,
        validate_by_alias=True,
        serialize_by_alias=True,
        frozen=True,
        extra="allow",
        defer_build=True,
        use_attribute_docstrings=False,
        protected_namespaces=(),
    )

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: GetCoreSchemaHandler, /) -> CoreSchema:
        """Build the schema, which reads generously."""
        schema = handler(source)
        if not issubclass(cls, Body):
            fields = handler.resolve_ref_schema(schema)
            while fields["type"] != "model-fields":
                fields = fields["schema"]
            for field in fields["fields"].values():
                _read_generously(field)
        return schema

    def model_post_init(self, context: Any, /) -> None:
        """Count tags as set, so that a response or a body always says what it is."""
        if tags := _tags_of(type(self)):
            self.__pydantic_fields_set__.update(tags)

    def to_json(self) -> bytes:
        """Return the model as JSON: what was set, ``null`` included, and nothing that was left out."""
        return self.__pydantic_serializer__.to_json(self, by_alias=True, exclude_unset=True)


@cache
def _tags_of(model: type[Model]) -> frozenset[str]:
    """Return the names of the fields that are tags with a default; noted in the model, pydantic would look at each."""
    fields = model.model_fields
    return frozenset(name for name in _TAGS & fields.keys() if isinstance(fields[name].default, str))


class Body(Model):
    """The body of a request, or a part of it. A field that the contract does not name is refused."""

    model_config = ConfigDict(extra="forbid")


READING: Final = {"reading": "answers"}
"""The context in which responses are validated."""


def none_of(*known: str) -> AfterValidator:
    """Return the rule that a tag is none of these in a response: a broken variant does not count as unknown."""

    def is_unknown(tag: str, info: ValidationInfo) -> str:
        if info.context is READING and tag in known:
            raise ValueError(f"{tag} is known")
        return tag

    return AfterValidator(is_unknown)


LEFT_OUT: Final[Any] = None
"""The default of a body's field that may be left out but not be ``null``: left out, it reads as ``None``."""
