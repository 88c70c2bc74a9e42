"""Spaces: where pages are written."""

from typing import Annotated, Final, Literal, Self

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from recto.contract.common import Level, Limit, ListPage, Urls
from recto.contract.formats import WebAddress, of_form
from recto.contract.merge_rules import MergeRules, MergeRulesBody
from recto.contract.model import LEFT_OUT, Body, Instant, Model
from recto.contract.operation import Resource, delete, get, patch, post
from recto.contract.positions import SiblingPosition

_LANGUAGE: Final = "^(?:[a-z]{2}|pt-br|zh-tw|yue)$"

Language = Annotated[
    str,
    Field(json_schema_extra={"pattern": _LANGUAGE}),
    AfterValidator(of_form(_LANGUAGE, "a code of two letters, or pt-br, zh-tw or yue")),
]
"""A language: two letters, or one of three longer codes."""

EditMode = Literal["live", "locked"]
SpaceVisibility = Literal["public", "unlisted", "share-link", "visitor-auth", "in-collection", "private"]

SPACE_TITLE_LENGTH = 50
"""The most characters of a space's title."""

SpaceTitle = Annotated[str, Field(max_length=SPACE_TITLE_LENGTH)]


class SpacePermissions(Model):
    """The caller's permissions on a space."""

    view: bool = False
    access: bool = False
    admin: bool = False
    view_invite_links: bool = False
    edit: bool = False
    trigger_git_sync: bool = False
    comment: bool = False
    merge: bool = False
    review: bool = False
    install_integration: bool = False


class GitSync(Model):
    """How a space is synchronized with a repository."""

    repo_name: str | None = None
    installation_provider: str | None = None
    integration: str | None = None
    url: str | None = None
    updated_at: Instant | None = None
    installation_id: str | None = None
    installation_status: str | None = None


class VisitorAuth(Model):
    """How visitors of a space prove who they are."""

    backend: str | None = None


class Space(Model):
    """A space and its counters. ``comments_updated_at`` is when its comments last changed, where a service tells."""

    object: str = "space"
    id: str
    title: str = ""
    emoji: str = ""
    visibility: SpaceVisibility | str = "private"
    created_at: Instant | None = None
    updated_at: Instant | None = None
    deleted_at: Instant | None = None
    edit_mode: EditMode | str = "live"
    merge_rules: MergeRules | None = None
    urls: Urls = Urls.model_construct()
    organization: str = ""
    parent: str | None = None
    language: str | None = None
    git_sync: GitSync | None = None
    visitor_auth: VisitorAuth | None = None
    revision: str = ""
    default_level: Level | str | None = None
    comments: int = 0
    comments_updated_at: Instant | None = None
    change_requests: int = 0
    change_requests_open: int = 0
    change_requests_draft: int = 0
    permissions: SpacePermissions = SpacePermissions.model_construct()


class CreateSpace(Body):
    """A new space."""

    title: SpaceTitle = LEFT_OUT
    emoji: str = LEFT_OUT
    parent: str = LEFT_OUT
    language: Language = LEFT_OUT
    edit_mode: EditMode = LEFT_OUT


class UpdateSpace(Body):
    """Changes to a space.

    It has an ``emoji`` or, at an address, an ``icon``: ``None`` removes either. A ``default_level`` of ``None`` is no
    access but for those who have it from elsewhere.
    """

    edit_mode: EditMode = LEFT_OUT
    title: SpaceTitle = LEFT_OUT
    default_level: Level | None = LEFT_OUT
    language: Language = LEFT_OUT
    merge_rules: MergeRulesBody = LEFT_OUT
    emoji: str | None = LEFT_OUT
    icon: WebAddress | None = LEFT_OUT

    @model_validator(mode="after")
    def _one_sign(self) -> Self:
        if self.emoji and self.icon:
            raise PydanticCustomError("one_sign", "either emoji or icon")
        return self


class MoveSpace(Body):
    """Where a space is to be.

    A ``parent`` of ``None`` is the top of the organization; left out, the space stays in the collection it is in.
    Without a ``position`` it comes last there.
    """

    parent: str | None = LEFT_OUT
    position: SiblingPosition = LEFT_OUT


class TransferSpace(Body):
    """The organization to which a space is to go."""

    organization: str


class Spaces(Resource):
    """The spaces of an organization."""

    @get("/orgs/{organization_id}/spaces")
    async def list_spaces(
        self, organization_id: str, page: str | None = None, limit: Limit = None
    ) -> "ListPage[Space]":
        """The spaces of an organization, those in collections too."""
        ...

    @post("/orgs/{organization_id}/spaces", status=201)
    async def create_space(self, organization_id: str, body: CreateSpace) -> Space:
        """Make a space."""
        ...

    @get("/spaces/{space_id}")
    async def get_space(self, space_id: str, share_key: str | None = None) -> Space:
        """A space; ``share_key`` resolves the published addresses of a site with share links."""
        ...

    @patch("/spaces/{space_id}")
    async def update_space(self, space_id: str, body: UpdateSpace) -> Space:
        """Change a space's settings: title, emoji, language, edit mode, default level and merge rules."""
        ...

    @delete("/spaces/{space_id}")
    async def delete_space(self, space_id: str) -> None:
        """Delete a space; it can be restored for seven days and is gone for good after that."""
        ...

    @post("/spaces/{space_id}/restore")
    async def restore_space(self, space_id: str) -> Space:
        """Bring back a space that was deleted within the last seven days, to where it was."""
        ...

    @post("/spaces/{space_id}/duplicate", status=201)
    async def duplicate_space(self, space_id: str) -> Space:
        """Make a copy of a space beside it: its content and settings, without change requests and comments."""
        ...

    @post("/spaces/{space_id}/move")
    async def move_space(self, space_id: str, body: MoveSpace) -> Space:
        """Put a space into a collection, to the top, or elsewhere among its siblings."""
        ...

    @post("/spaces/{space_id}/transfer")
    async def transfer_space(self, space_id: str, body: TransferSpace) -> Space:
        """Transfer a space to another organization; it comes last at its top."""
        ...
