"""Adaptive content: what a site's visitors may claim to be, and conditions on it."""

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from recto.contract.model import LEFT_OUT, Body, Instant, Model
from recto.contract.operation import Resource, get, put

Draft07 = Literal["http://json-schema.org/draft-07/schema#", "http://json-schema.org/draft-07/schema"]


def _false(value: object) -> object:
    """Refuse what only counts as false, such as 0."""
    if value is not False:
        raise PydanticCustomError("not_false", "must be false")
    return value


Closed = Annotated[Literal[False], BeforeValidator(_false)]
"""Says that an object has no other properties than those named."""


MAX_CLAIMS = 200
"""The most claims of a schema, those within others counted."""

MAX_CLAIM_DEPTH = 5
"""The deepest nesting of claims, the schema itself included."""

ClaimDescription = Annotated[str, Field(max_length=512)]
MAX_CLAIM_NAME = 100
"""The most characters of a claim's name."""

ClaimValues = Annotated[tuple[Annotated[str, Field(max_length=256)], ...], Field(max_length=100)]


class BooleanClaim(Body):
    """Something that is true of a visitor or not."""

    type: Literal["boolean"]
    description: ClaimDescription = LEFT_OUT


class TextClaim(Body):
    """A text about a visitor: any, or one of a few."""

    type: Literal["string"]
    enum: ClaimValues = LEFT_OUT
    description: ClaimDescription = LEFT_OUT


class NumberClaim(Body):
    """A number about a visitor."""

    type: Literal["number"]
    description: ClaimDescription = LEFT_OUT


PlainClaim = Annotated[BooleanClaim | TextClaim | NumberClaim, Field(discriminator="type")]
"""A claim of a single value."""


class ListClaim(Body):
    """Several values of one kind."""

    type: Literal["array"]
    items: PlainClaim
    description: ClaimDescription = LEFT_OUT


class ObjectClaim(Body):
    """Claims grouped under a name."""

    type: Literal["object"]
    description: ClaimDescription = LEFT_OUT
    properties: "dict[str, Claim]" = Field(default_factory=dict)
    additional_properties: Closed = False


Claim = Annotated[BooleanClaim | TextClaim | NumberClaim | ListClaim | ObjectClaim, Field(discriminator="type")]
"""What a visitor may claim."""


class UnsignedClaims(ObjectClaim):
    """The claims that visitors make without proof."""


class ClaimProperties(Body):
    """The claims by their names; those in ``unsigned`` are made without proof."""

    model_config = ConfigDict(extra="allow")
    __pydantic_extra__: dict[str, Claim] = Field(init=False)

    unsigned: UnsignedClaims = LEFT_OUT


class VisitorSchema(Body):
    """A JSON Schema, draft-07, of the claims of a site's visitors, and of no others than those named."""

    draft: Annotated[Draft07, Field(alias="$schema")] = LEFT_OUT
    type: Literal["object"]
    description: ClaimDescription = LEFT_OUT
    properties: ClaimProperties = Field(default_factory=ClaimProperties)
    additional_properties: Closed = False

    @model_validator(mode="after")
    def _check_size(self) -> Self:
        """Refuse too many claims, and claims that are nested too deeply."""
        claims, names = self.properties.model_extra or {}, [*(self.properties.model_extra or {})]
        level: list[Claim] = [*claims.values(), *([self.properties.unsigned] if self.properties.unsigned else [])]
        found = depth = 0
        while level:
            found, depth = found + len(level), depth + 1
            if found > MAX_CLAIMS:
                raise PydanticCustomError("too_many_claims", f"at most {MAX_CLAIMS} claims")
            within = [claim for claim in level if isinstance(claim, ObjectClaim)]
            if within and depth >= MAX_CLAIM_DEPTH:
                raise PydanticCustomError("too_deep", f"at most {MAX_CLAIM_DEPTH} objects in one another")
            names += [name for claim in within for name in claim.properties]
            level = [inner for claim in within for inner in claim.properties.values()]
        if any(len(name) > MAX_CLAIM_NAME for name in names):
            raise PydanticCustomError("long_name", f"at most {MAX_CLAIM_NAME} characters in the name of a claim")
        return self


class AdaptiveSchema(Model):
    """The schema of the claims of a site's visitors, as JSON Schema."""

    object: str = "site-adaptive-schema"
    json_schema: dict[str, Any] = Field(default_factory=dict)
    updated_at: Instant | None = None


class UpdateAdaptiveSchema(Body):
    """The new schema."""

    json_schema: VisitorSchema


class TemplateCondition(Model):
    """A condition to begin with, and what it means."""

    description: str = ""
    condition: str = ""


class TemplateConditions(Model):
    """Conditions to begin with."""

    items: tuple[TemplateCondition, ...] = ()


class AdaptiveContents(Resource):
    """What a site knows of its visitors."""

    @get("/orgs/{organization_id}/sites/{site_id}/adaptive-schema")
    async def get_adaptive_schema(self, organization_id: str, site_id: str) -> AdaptiveSchema:
        """The schema of the claims of a site's visitors; without claims where none was set."""
        ...

    @put("/orgs/{organization_id}/sites/{site_id}/adaptive-schema")
    async def update_adaptive_schema(
        self, organization_id: str, site_id: str, body: UpdateAdaptiveSchema
    ) -> AdaptiveSchema:
        """Set the schema of the claims of a site's visitors."""
        ...

    @get("/orgs/{organization_id}/sites/{site_id}/adaptive-schema/template-conditions")
    async def list_template_conditions(self, organization_id: str, site_id: str) -> TemplateConditions:
        """Conditions that ask for what the schema names, to begin with."""
        ...
