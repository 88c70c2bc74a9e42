"""Redirects: old addresses of a site and where they lead now."""

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field

from recto.contract.common import Limit, ListPage
from recto.contract.formats import WebAddress, of_form
from recto.contract.model import LEFT_OUT, Body, Instant, Model
from recto.contract.operation import Resource, delete, get, patch, post

_PATH: Final = r"^(?:/(?:[A-Za-z0-9\-._~]|%[0-9A-Fa-f]{2})+)+$"

SourcePath = Annotated[
    str,
    Field(max_length=512, json_schema_extra={"pattern": _PATH}),
    AfterValidator(of_form(_PATH, "a path such as /old/page: / at its beginning, none at its end, and %C3%A9 for é")),
]
"""A path on a site as it stands in an address, from its first slash on."""


class ToSection(Body):
    """To a section of the site."""

    kind: Literal["site-section"]
    site_section_id: str


class ToSiteSpace(Body):
    """To a site space."""

    kind: Literal["site-space"]
    site_space_id: str


class ToPage(Body):
    """To a page of a site space."""

    kind: Literal["site-page"]
    site_space_id: str
    page_id: str


class ToAddress(Body):
    """To an address elsewhere."""

    kind: Literal["external"]
    url: WebAddress


Destination = Annotated[ToSection | ToSiteSpace | ToPage | ToAddress, Field(discriminator="kind")]


class RedirectDestination(Model):
    """Where a redirect leads: ``kind``, and what goes with it."""

    kind: Literal["site-section", "site-space", "site-page", "external"] | str = ""
    site_section_id: str | None = None
    site_space_id: str | None = None
    page_id: str | None = None
    url: str | None = None


class Redirect(Model):
    """An old address and where it leads. It goes with the section or site space that it leads to."""

    object: str = "site-redirect"
    id: str
    source: str = ""
    destination: RedirectDestination | None = None
    permanent: bool = False
    draft: bool = False
    capture_wildcard: bool = False
    created_at: Instant | None = None


class CreateRedirect(Body):
    """A new redirect."""

    source: SourcePath
    destination: Destination
    permanent: bool = False


class UpdateRedirect(Body):
    """Changes to a redirect."""

    source: SourcePath = LEFT_OUT
    destination: Destination = LEFT_OUT
    permanent: bool = LEFT_OUT


class Redirects(Resource):
    """The redirects of a site."""

    @get("/orgs/{organization_id}/sites/{site_id}/redirects")
    async def list_redirects(
        self, organization_id: str, site_id: str, page: str | None = None, limit: Limit = None
    ) -> "ListPage[Redirect]":
        """The redirects of a site."""
        ...

    @post("/orgs/{organization_id}/sites/{site_id}/redirects", status=201)
    async def create_redirect(self, organization_id: str, site_id: str, body: CreateRedirect) -> Redirect:
        """Add a redirect; its address then leads to a page or elsewhere."""
        ...

    @patch("/orgs/{organization_id}/sites/{site_id}/redirects/{site_redirect_id}")
    async def update_redirect(
        self, organization_id: str, site_id: str, site_redirect_id: str, body: UpdateRedirect
    ) -> Redirect:
        """Change a redirect's address, or where it leads."""
        ...

    @delete("/orgs/{organization_id}/sites/{site_id}/redirects/{site_redirect_id}")
    async def delete_redirect(self, organization_id: str, site_id: str, site_redirect_id: str) -> None:
        """Remove a redirect."""
        ...
