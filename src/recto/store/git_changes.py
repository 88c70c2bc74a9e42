"""Git: imports from a space's repository, exports to it, and the branch that was last used."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from recto.contract.git import ExportGit, Git, GitBranch, ImportGit
from recto.contract.spaces import Space, Spaces
from recto.store.locations import GitPlace
from recto.store.mutation import Mutation
from recto.store.progress import Reporter
from recto.store.query_keys import about, calls
from recto.urls import without_credentials

if TYPE_CHECKING:
    from recto.client.call import Call
    from recto.store.store import Store


def import_branch(store: Store, space: Space, body: ImportGit) -> Mutation[bool]:
    """Import a branch into a space."""
    what = f"{place_of(body).branch} into “{space.title}”"
    return _with_branch(
        store, space, lambda call: call(Git.import_branch, space.id, body), f"Importing {what}", f"Imported {what}"
    )


def export_branch(store: Store, space: Space, body: ExportGit) -> Mutation[bool]:
    """Push a space to a branch."""
    what = f"“{space.title}” to {place_of(body).branch}"
    return _with_branch(
        store, space, lambda call: call(Git.export_branch, space.id, body), f"Exporting {what}", f"Exported {what}"
    )


def _with_branch(
    store: Store, space: Space, begin: Callable[[Call], Awaitable[None]], doing: str, done: str
) -> Mutation[bool]:
    """Begin a job of the platform; that of the embedded platform is followed until it ends."""
    reporter = Reporter()

    async def work(call: Call) -> bool:
        await begin(call)
        if store.workspace is not None:
            await store.workspace.follow_job(space.id, reporter.report)
        return True

    return Mutation(
        doing=doing,
        done=done,
        call=work,
        stale=(about(space_id=space.id), calls(Spaces.list_spaces)),
        progress=reporter,
        lane=("space", space.id),
    )


def remove_legacy_installation(space: Space) -> Mutation[None]:
    """Remove the legacy installation of a space."""
    return Mutation(
        doing=f"Removing the legacy installation of “{space.title}”",
        done=f"Removed the legacy installation of “{space.title}”",
        call=lambda call: call(Git.remove_legacy_installation, space.id),
        stale=(about(space_id=space.id), calls(Spaces.list_spaces)),
    )


async def last_place(store: Store, space: str) -> GitPlace | None:
    """Return the branch last used for a space, or that of the working tree that it was opened from."""
    typed = store.locations.git_place(store.address, space) if store.locations is not None else None
    if typed is None and store.workspace is not None:
        return await store.workspace.find_branch(space)
    return typed


def remember_place(store: Store, space: str, body: GitBranch) -> None:
    """Remember a branch for the next time, without credentials."""
    if store.locations is not None:
        store.locations.keep_git_place(store.address, space, place_of(body))


def place_of(body: GitBranch) -> GitPlace:
    """Return where a branch is, without credentials."""
    return GitPlace(without_credentials(body.url), body.ref, body.repo_project_directory or "")
