"""Handlers of Git: imports, exports, and the repository of a space."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from typing import TypeVar

from recto.contract.git import ExportGit, Git, GitBranch, ImportGit
from recto.contract.spaces import GitSync
from recto.server.context import Context
from recto.server.git.branch_export import check_export, export_branch
from recto.server.git.branch_import import check_import, import_branch
from recto.server.git.state import SyncRequest, read_request
from recto.server.http.problems import BadRequest, NotFound
from recto.server.http.registry import JobKind, handles
from recto.server.jobs import Job, JobFailed, Task
from recto.server.people.access import require
from recto.server.serializers import SPACES, read_git_sync
from recto.urls import EMBEDDED_ADDRESS

Branch = TypeVar("Branch", bound=GitBranch)

_LEGACY = "github-legacy"


@handles(Git.import_branch, job=JobKind.BEGUN)
def begin_import(context: Context, space_id: str, body: ImportGit) -> Task[None]:
    """Begin to import a branch; takes the create role."""
    return _begin(context, space_id, body, "import from Git", check_import, import_branch)


@handles(Git.export_branch, job=JobKind.BEGUN)
def begin_export(context: Context, space_id: str, body: ExportGit) -> Task[None]:
    """Begin to push to a branch; takes the create role."""
    return _begin(context, space_id, body, "export to Git", check_export, export_branch)


def _begin(
    context: Context,
    space: str,
    body: Branch,
    kind: str,
    check: Callable[[Context, SyncRequest], None],
    work: Callable[[Job, str, Branch], object],
) -> Task[None]:
    require(context, space, "create")
    try:
        request = read_request(space, body, is_local=context.base_url in ("", EMBEDDED_ADDRESS))
    except JobFailed as error:
        raise BadRequest(str(error)) from None
    check(context, request)

    def do(job: Job) -> None:
        work(job, space, body)

    return Task(kind, f"{request.remote.url} ({request.branch})", do, space)


@handles(Git.get_info)
def get_info(context: Context, space_id: str) -> GitSync:
    """Return the repository of a space; a 404 where it has none."""
    require(context, space_id)
    sync = read_git_sync(context.database.value(f"SELECT git_sync FROM ({SPACES}) WHERE id = ?", space_id))
    if sync is None:
        raise NotFound("The space is not connected with a repository.")
    return sync


@handles(Git.remove_legacy_installation)
def remove_legacy_installation(context: Context, space_id: str) -> None:
    """Forget the repository of a space, where it came through a legacy installation; takes the admin role.

    Nothing happens if there is no such space, or no such installation.
    """
    with suppress(NotFound):
        require(context, space_id, "admin")
        context.database.execute("DELETE FROM git_syncs WHERE space = ? AND provider = ?", space_id, _LEGACY)
