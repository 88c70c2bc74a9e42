"""Git: imports from a space's repository, exports to it, and the branch that was last used."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from recto.contract.git import ExportGit, Git, GitBranch, ImportGit
from recto.contract.spaces import Space, Spaces
from recto.store.locations import GitPlace
from recto.store.mutation import Lookup, Mutation, Undecided
from recto.store.progress import Reporter
from recto.store.query_keys import about, calls
from recto.urls import without_credentials

if TYPE_CHECKING:
    from recto.client.call import Call
    from recto.store.mutation import Known
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

    async def follow() -> None:
        if store.workspace is not None:
            await store.workspace.follow_job(space.id, reporter.report)

    async def work(call: Call) -> bool:
        await begin(call)
        await follow()
        return True

    return Mutation(
        doing=doing,
        done=done,
        call=work,
        lookup=look_for_sync(space.id, follow),
        stale=(about(space_id=space.id), calls(Spaces.list_spaces)),
        progress=reporter,
        lane=("space", space.id),
    )


def look_for_sync(space: str, follow: Callable[[], Awaitable[None]] | None = None) -> Lookup[bool]:
    """Check whether an import or export has ended by when the space was last synchronized with its repository.

    ``follow`` waits for a job that is running. Where none has ended, it may be that none has begun or that it goes on:
    :class:`Undecided` is raised then.
    """

    async def last_sync(call: Call) -> str:
        sync = (await call(Spaces.get_space, space)).git_sync
        return sync.updated_at.isoformat() if sync is not None and sync.updated_at is not None else ""

    async def before(call: Call) -> Known:
        return (await last_sync(call),)

    async def after(call: Call, known: Known) -> bool:
        if follow is not None:
            await follow()
        if await last_sync(call) in known:
            why = "The space has not been synchronized since: the job has not begun, or still runs."
            raise Undecided("Could not find out whether it has arrived.", why)
        return True

    return Lookup(before, after)


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
