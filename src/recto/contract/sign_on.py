"""Sign-on: the identity providers through which members of an organization sign in."""

from typing import Annotated, Final, Literal

from pydantic import AfterValidator, Field

from recto.contract.common import Limit, ListPage, Role, Urls
from recto.contract.formats import WebAddress, of_form
from recto.contract.members import Member
from recto.contract.model import LEFT_OUT, Body, Instant, Model
from recto.contract.operation import Resource, delete, get, patch, post
from recto.contract.teams import Team

_BLANK = r"[ \t\r\n]*"
_LETTER = rf"[A-Za-z0-9+/]{_BLANK}"
_FILLER = rf"={_BLANK}"
_LAST_FOUR = rf"(?:(?:{_LETTER}){{4}}|(?:{_LETTER}){{3}}{_FILLER}|(?:{_LETTER}){{2}}(?:{_FILLER}){{2}})"
_BASE64 = rf"(?:(?:{_LETTER}){{4}})*{_LAST_FOUR}"
_PEM = rf"-----BEGIN CERTIFICATE-----{_BLANK}{_BASE64}-----END CERTIFICATE-----{_BLANK}"
_CERTIFICATE: Final = rf"^{_BLANK}(?:(?:{_PEM})+|{_BASE64})$"

SamlStatus = Literal["active", "pending"]
"""A provider is ``active`` once it has all of ``entity_id``, ``certificate`` and ``sso_url``."""

Label = Annotated[str, Field(min_length=1, max_length=30)]
EntityId = Annotated[str, Field(min_length=1, max_length=1024)]

Certificate = Annotated[
    str,
    Field(max_length=10000, json_schema_extra={"pattern": _CERTIFICATE}),
    AfterValidator(of_form(_CERTIFICATE, "a certificate, as PEM or as its base64 alone")),
]
"""The text of a provider's certificate.

Providers hand it out as a PEM file or, in their metadata, as the base64 of one alone; text that is neither is a slip
of the person who pastes it. Its content is not judged: providers sign with certificates that are their own,
expired or unusual, and what counts is that it is the same one.
"""


class SamlService(Model):
    """The values to configure on the identity provider."""

    acs_url: str | None = None
    start_url: str | None = None
    entity_id: str | None = None


class SamlProvider(Model):
    """An identity provider; those who first sign in through it get ``default_role`` and join ``default_team``."""

    object: str = "saml-provider"
    id: str
    label: str = ""
    sso_url: str | None = None
    entity_id: str | None = None
    certificate: str | None = None
    default_team: Team | None = None
    default_role: Role | str | None = None
    created_at: Instant | None = None
    status: SamlStatus | str = "pending"
    service: SamlService = SamlService.model_construct()
    urls: Urls = Urls.model_construct()


class CreateSamlProvider(Body):
    """A new identity provider; fields not known yet may be added later. ``default_team`` is an id."""

    label: Label
    entity_id: EntityId = LEFT_OUT
    certificate: Certificate = LEFT_OUT
    sso_url: WebAddress = LEFT_OUT
    default_team: str = LEFT_OUT
    default_role: Role | None = LEFT_OUT


class UpdateSamlProvider(Body):
    """Changes to an identity provider. A ``default_role`` of ``None`` makes newcomers guests."""

    label: Label = LEFT_OUT
    entity_id: EntityId = LEFT_OUT
    certificate: Certificate = LEFT_OUT
    sso_url: WebAddress = LEFT_OUT
    default_team: str = LEFT_OUT
    default_role: Role | None = LEFT_OUT


class SsoLogin(Model):
    """A way to sign in to an organization: what it is called, and where it starts."""

    id: str
    label: str = ""
    start_url: str | None = None


class SsoLogins(Model):
    """The ways to sign in to an organization."""

    items: tuple[SsoLogin, ...] = ()


class SignOn(Resource):
    """How members of an organization sign in."""

    @get("/orgs/{organization_id}/saml")
    async def list_saml_providers(
        self, organization_id: str, page: str | None = None, limit: Limit = None
    ) -> "ListPage[SamlProvider]":
        """The identity providers of an organization."""
        ...

    @post("/orgs/{organization_id}/saml", status=201)
    async def create_saml_provider(self, organization_id: str, body: CreateSamlProvider) -> SamlProvider:
        """Make an identity provider."""
        ...

    @get("/orgs/{organization_id}/saml/{saml_provider_id}")
    async def get_saml_provider(self, organization_id: str, saml_provider_id: str) -> SamlProvider:
        """An identity provider."""
        ...

    @patch("/orgs/{organization_id}/saml/{saml_provider_id}")
    async def update_saml_provider(
        self, organization_id: str, saml_provider_id: str, body: UpdateSamlProvider
    ) -> SamlProvider:
        """Change an identity provider."""
        ...

    @delete("/orgs/{organization_id}/saml/{saml_provider_id}")
    async def delete_saml_provider(self, organization_id: str, saml_provider_id: str) -> None:
        """Delete an identity provider."""
        ...

    @get("/orgs/{organization_id}/sso")
    async def list_sso_logins(self, organization_id: str) -> SsoLogins:
        """The ways to sign in: the identity providers that are active."""
        ...

    @post("/orgs/{organization_id}/members/{user_id}/sso")
    async def make_sso_member(self, organization_id: str, user_id: str) -> Member:
        """Make a member sign in through an identity provider from now on."""
        ...
