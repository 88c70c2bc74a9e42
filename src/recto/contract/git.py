"""Git: a space synchronized with a branch of a repository."""

from typing import Annotated, Final

from pydantic import AfterValidator, Field

from recto.contract.formats import of_form
from recto.contract.model import LEFT_OUT, Body, Instant
from recto.contract.operation import Resource, delete, get, post
from recto.contract.spaces import GitSync
from recto.urls import without_credentials

_ADDRESS: Final = r"^\S.{0,1999}$"
_BRANCH: Final = r"^refs/heads/\S{1,244}$"

Address = Annotated[
    str,
    Field(json_schema_extra={"pattern": _ADDRESS}),
    AfterValidator(of_form(_ADDRESS, "the address of a repository, such as https://example.org/team/docs.git")),
]
"""The address of a repository; it may carry a user name and a password or token."""

Branch = Annotated[
    str,
    Field(json_schema_extra={"pattern": _BRANCH}),
    AfterValidator(of_form(_BRANCH, "the full name of a branch, such as refs/heads/main")),
]
"""The full name of a branch."""

Prefix = Annotated[str, Field(max_length=2000), AfterValidator(without_credentials)]
"""The beginning of an address on the web, to which the rest is added, or a path; it is shown, without credentials."""


class GitProvider(Body):
    """The host of the repository, and its address on the web."""

    provider: Annotated[str, Field(max_length=100)]
    url: Prefix


class GitBranch(Body):
    """A branch and where it is.

    ``timestamp`` is when the event that caused the import or export happened; an event earlier than the last is
    refused. ``force`` replaces main on import; on export it writes main over what the branch has, and files that others
    added stay.
    """

    url: Address
    ref: Branch
    repo_cache_id: Annotated[str, Field(max_length=200)] = LEFT_OUT
    repo_tree_url: Prefix = LEFT_OUT
    repo_commit_url: Prefix = LEFT_OUT
    repo_project_directory: Prefix = LEFT_OUT
    timestamp: Instant = LEFT_OUT
    force: bool = LEFT_OUT
    git_info: GitProvider = LEFT_OUT


class ImportGit(GitBranch):
    """A branch to import; ``standalone`` makes a revision that is not main."""

    standalone: bool = LEFT_OUT


class ExportGit(GitBranch):
    """A branch to push to; ``commit_message`` follows the subject of a merged change request, or stands alone."""

    commit_message: Annotated[str, Field(min_length=1, max_length=20_000)]


class Git(Resource):
    """A space and its repository."""

    @post("/spaces/{space_id}/git/import", status=204)
    async def import_branch(self, space_id: str, body: ImportGit) -> None:
        """Begin to import a branch into a space; it continues after the response."""
        ...

    @post("/spaces/{space_id}/git/export", status=204)
    async def export_branch(self, space_id: str, body: ExportGit) -> None:
        """Begin to push a space to a branch; it continues after the response."""
        ...

    @get("/spaces/{space_id}/git/info")
    async def get_info(self, space_id: str) -> GitSync:
        """The repository that a space is synchronized with."""
        ...

    @delete("/spaces/{space_id}/git/legacy-installation")
    async def remove_legacy_installation(self, space_id: str) -> None:
        """Remove a legacy installation, so that the space can be connected in another way."""
        ...
