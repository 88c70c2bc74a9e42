"""OpenAPI specifications of an organization, and their versions."""

from typing import Annotated, Any, Final, Literal, Self

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from recto.contract.common import Limit, ListPage, Urls
from recto.contract.formats import WebAddress, of_form
from recto.contract.model import LEFT_OUT, Body, Instant, Model
from recto.contract.operation import Resource, delete, get, patch, post, put

SLUG: Final = r"^[a-z0-9]+(?:-[a-z0-9]+)*$"

PROCESSING: Final = "processing of a specification"
"""The kind of the jobs that fetch and check sources."""

LONGEST_TEXT: Final = 16 * 1024 * 1024
"""Bytes of the longest specification, and of the longest body that carries one."""

Slug = Annotated[
    str,
    Field(max_length=100, json_schema_extra={"pattern": SLUG}),
    AfterValidator(of_form(SLUG, "small letters and digits, in parts joined by hyphens, such as pet-store")),
]
"""The name of a specification in addresses and blocks, unique in its organization."""

Visibility = Literal["private", "public"]

ProcessingState = Literal["pending", "progress", "complete"]


class SpecificationSource(Body):
    """Where a specification comes from: an address, or the specification itself as JSON or YAML.

    With both, the text is processed, and the address is where it came from.
    """

    url: WebAddress = LEFT_OUT
    text: Annotated[str, Field(min_length=1)] = LEFT_OUT

    @model_validator(mode="after")
    def _has_one(self) -> Self:
        if not self.model_fields_set:
            raise PydanticCustomError("no_source", "needs a url or a text")
        return self


class CreateSpecification(Body):
    """A specification to be added."""

    slug: Slug
    source: SpecificationSource


class ReplaceSpecification(Body):
    """The source of a specification, fetched again where it is the same address as before."""

    source: SpecificationSource


class UpdateSpecification(Body):
    """Whether anyone with the link may read a specification."""

    visibility: Visibility


class SpecificationError(Model):
    """What is wrong with a source; ``code`` is that of the specification where it was not processed for this reason."""

    message: str = ""
    code: str | None = None


class SpecificationPermissions(Model):
    """The caller's permissions on a specification."""

    view: bool = False
    edit: bool = False


class Specification(Model):
    """An OpenAPI specification; ``last_process_error_code`` is there while its source cannot be processed."""

    object: str = "openapi-spec"
    id: str
    created_at: Instant | None = None
    updated_at: Instant | None = None
    slug: str = ""
    source_url: str | None = None
    processing_state: ProcessingState | str = ""
    visibility: Visibility | str = "private"
    last_version: str | None = None
    last_processed_at: Instant | None = None
    last_process_error_code: Literal["FETCH_TIMEOUT", "FETCH_ERROR", "PARSE_ERROR"] | str | None = None
    last_processed_errors: tuple[SpecificationError, ...] = ()
    last_processed_error_count: int = 0
    permissions: SpecificationPermissions = SpecificationPermissions.model_construct()
    urls: Urls = Urls.model_construct()


class SpecificationVersion(Model):
    """A version of a specification; ``url`` leads to its source as it was read."""

    object: str = "openapi-spec-version"
    id: str
    created_at: Instant | None = None
    url: str = ""
    urls: Urls = Urls.model_construct()


class VersionUrls(Model):
    """Addresses of the source of a version; ``public`` takes no token while the specification is public."""

    source: str | None = None
    public: str | None = None


class VersionContent(Model):
    """The content of a version: its values by the name of the file, and the address of the file as it was read."""

    filesystem: Any = None
    url: str = ""
    urls: VersionUrls = VersionUrls.model_construct()


class Specifications(Resource):
    """OpenAPI specifications."""

    @get("/orgs/{organization_id}/openapi")
    async def list_specifications(
        self, organization_id: str, page: str | None = None, limit: Limit = None
    ) -> "ListPage[Specification]":
        """The OpenAPI specifications of an organization."""
        ...

    @post("/orgs/{organization_id}/openapi", status=201)
    async def create_specification(self, organization_id: str, body: CreateSpecification) -> Specification:
        """Add a specification; it is fetched and processed after the response."""
        ...

    @get("/orgs/{organization_id}/openapi/{spec_slug}")
    async def get_specification(self, organization_id: str, spec_slug: str) -> Specification:
        """A specification."""
        ...

    @put("/orgs/{organization_id}/openapi/{spec_slug}", created=201)
    async def replace_specification(
        self, organization_id: str, spec_slug: Slug, body: ReplaceSpecification
    ) -> Specification:
        """Fetch the source of a specification again, or give it another; adds the specification where there is none.

        It is processed after the response. A source that is as it was makes no new version.
        """
        ...

    @delete("/orgs/{organization_id}/openapi/{spec_slug}")
    async def delete_specification(self, organization_id: str, spec_slug: str) -> None:
        """Delete a specification with its versions."""
        ...

    @patch("/orgs/{organization_id}/openapi/{spec_slug}")
    async def update_specification(
        self, organization_id: str, spec_slug: str, body: UpdateSpecification
    ) -> Specification:
        """Publish a specification to anyone with the link, or make it private."""
        ...

    @get("/orgs/{organization_id}/openapi/{spec_slug}/versions")
    async def list_versions(
        self, organization_id: str, spec_slug: str, page: str | None = None, limit: Limit = None
    ) -> "ListPage[SpecificationVersion]":
        """The versions of a specification, the newest first."""
        ...

    @get("/orgs/{organization_id}/openapi/{spec_slug}/versions/latest")
    async def get_latest_version(self, organization_id: str, spec_slug: str) -> SpecificationVersion:
        """The newest version of a specification."""
        ...

    @get("/orgs/{organization_id}/openapi/{spec_slug}/versions/latest/content")
    async def get_latest_content(self, organization_id: str, spec_slug: str) -> VersionContent:
        """The content of the newest version."""
        ...

    @get("/orgs/{organization_id}/openapi/{spec_slug}/versions/{version_id}")
    async def get_version(self, organization_id: str, spec_slug: str, version_id: str) -> SpecificationVersion:
        """A version of a specification."""
        ...

    @get("/orgs/{organization_id}/openapi/{spec_slug}/versions/{version_id}/content")
    async def get_content(self, organization_id: str, spec_slug: str, version_id: str) -> VersionContent:
        """The content of a version."""
        ...
