"""``recto git``: imports a space from its branch, and pushes it there."""

from __future__ import annotations

import asyncio
import os
import shlex
from argparse import Namespace
from collections.abc import Callable, Mapping
from contextlib import aclosing
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from pydantic import ValidationError

from recto.cli.connection import connect_to
from recto.cli.embedded_platform import open_platform
from recto.cli.failures import CANCELLED, USAGE, CommandError, message_of, tell
from recto.cli.job_progress import watch_job
from recto.cli.named_space import find_own, find_space, thing_named
from recto.client.call import Call
from recto.client.errors import ClientError
from recto.contract.git import ExportGit, Git, GitBranch, ImportGit
from recto.contract.misfit import misfit
from recto.contract.spaces import Space
from recto.document.text import count, printable
from recto.server.git.branch_export import export_branch
from recto.server.git.branch_import import import_branch
from recto.server.git.remotes import MovedOnError, read_remote
from recto.server.git.state import find_sync
from recto.server.git.working_tree import find_uncommitted
from recto.server.http.problems import Problem
from recto.server.jobs import Job, JobCancelled, JobFailed, Task, find_report
from recto.server.platform import Platform
from recto.settings import Settings
from recto.store.git_changes import look_for_sync
from recto.store.mutation import Attempt
from recto.tui.dialogs.import_report import finding_lines

Branch = TypeVar("Branch", bound=GitBranch)

CREDENTIALS = "RECTO_GIT_CREDENTIALS"
"""The variable with a user name and a token, so that neither is on a command line."""


def run(arguments: Namespace, settings: Settings, token: str | None) -> int:
    """Pull or push, and print the result."""
    if settings.read_only:
        changed = "space" if arguments.step == "pull" else "repository"
        raise CommandError(f"git {arguments.step} changes the {changed}, and Recto is read-only now.", USAGE)
    try:
        if settings.base_url is None:
            done = _run_here(arguments, settings)
        else:
            done = asyncio.run(_run_there(arguments, settings, settings.base_url, token))
    except JobCancelled:
        tell("Cancelled; nothing was changed.")
        return CANCELLED
    except ClientError as error:
        raise CommandError(message_of(error)) from error
    except MovedOnError as error:
        raise CommandError(f"{error} That is: recto git pull {shlex.quote(arguments.space)}") from error
    except (JobFailed, Problem) as error:
        raise CommandError(message_of(error)) from error
    print(printable(done))
    return 0


def _run_here(arguments: Namespace, settings: Settings) -> str:
    platform = open_platform(settings)
    try:
        space, _ = asyncio.run(find_own(platform, arguments.space))
        place = _place(platform, space, arguments)
        for finding in find_uncommitted(platform.database, space.id):
            tell(printable(f"{finding.message} {', '.join(finding.lines)}"))
        with watch_job() as watch:
            if arguments.step == "pull":
                return _pull(platform, space, place, watch)
            return _push(platform, space, place, arguments.message, watch)
    finally:
        platform.close()


def _pull(platform: Platform, space: Space, place: dict[str, Any], watch: Callable[[Job], None]) -> str:
    body = _validate(ImportGit, place)
    task = Task("import from Git", _place_name(place), lambda job: import_branch(job, space.id, body), space.id)
    imported = platform.jobs.run(task, watch=watch)
    if not imported.is_new:
        findings = "\n".join(finding_lines(imported.findings)).lstrip()
        return findings or f"“{space.title}” is up to date with {_branch(place)}."
    report = platform.database.read_now(lambda connection: find_report(connection, space.id))
    done = f"Imported {imported.commit[:8]} of {_branch(place)}."
    return "\n".join((done, *(finding_lines(report[0].findings) if report else ())))


def _push(platform: Platform, space: Space, place: dict[str, Any], message: str, watch: Callable[[Job], None]) -> str:
    body = _validate(ExportGit, {**place, "commit_message": message})
    task = Task("export to Git", _place_name(place), lambda job: export_branch(job, space.id, body), space.id)
    exported = platform.jobs.run(task, watch=watch)
    branch = f"the new branch {_branch(place)}" if exported.is_new_branch else _branch(place)
    if not exported.commits and not exported.is_new_branch:
        return f"“{space.title}” has nothing to push to {branch}."
    done = f"Pushed {count(exported.commits, 'commit')} to {branch}; the newest is {exported.commit[:8]}."
    return "\n".join((done, *finding_lines(exported.findings)))


def _place(platform: Platform, space: Space, arguments: Namespace) -> dict[str, Any]:
    """Return the fields of the branch: those given, else those of the last import or export."""
    sync = platform.database.read_now(lambda connection: find_sync(connection, space.id))
    if arguments.url is None and sync is None:
        raise CommandError(f"The repository of “{space.title}” is not known. Name it with --url.", USAGE)
    known = {"url": sync.address, "ref": sync.ref, "repo_project_directory": sync.directory} if sync else {}
    return _body(arguments, known)


def _body(arguments: Namespace, known: dict[str, str]) -> dict[str, Any]:
    given: dict[str, Any] = {"ref": "refs/heads/main", **known}
    if arguments.url is not None:
        if "@" in arguments.url.partition("://")[2].partition("/")[0] and arguments.url.startswith("http"):
            raise CommandError(f"Others can see command lines: set {CREDENTIALS}=user:token instead.", USAGE)
        given["url"] = arguments.url if "://" in arguments.url else _absolute(arguments.url)
    if arguments.branch is not None:
        given["ref"] = f"refs/heads/{arguments.branch.removeprefix('refs/heads/')}"
    if arguments.folder is not None:
        given["repo_project_directory"] = arguments.folder
    if not given.get("repo_project_directory"):
        given.pop("repo_project_directory", None)
    if arguments.force:
        given["force"] = True
    given["url"] = _with_credentials(given["url"])
    return given


def _validate(model: type[Branch], values: Mapping[str, Any]) -> Branch:
    """Return the body of a request; the error names the problem without the values, which may hold credentials."""
    try:
        return model.model_validate(values)
    except ValidationError as error:
        raise CommandError(f"{misfit(error, 'the request')}.", USAGE) from None


def _absolute(written: str) -> str:
    """Return a path of this machine from the root on; an address such as ``git@example.org:docs.git`` as it is."""
    # Unlike that of ``Path``, this takes a name that is too long as well.
    is_there = os.path.exists(written)  # noqa: PTH110
    return str(Path(written).resolve()) if is_there else written


def _with_credentials(address: str) -> str:
    given = os.environ.get(CREDENTIALS, "")
    user, colon, secret = given.partition(":")
    if given and not colon:
        raise CommandError(f"{CREDENTIALS} needs a user name, a colon and a token.", USAGE)
    scheme, mark, rest = address.partition("://")
    if not colon or scheme not in ("http", "https") or "@" in rest.partition("/")[0]:
        return address
    return f"{scheme}{mark}{quote(user, safe='')}:{quote(secret, safe='')}@{rest}"


def _place_name(place: dict[str, Any]) -> str:
    return f"{read_remote(place['url'], is_local=True).url} ({_branch(place)})"


def _branch(place: dict[str, Any]) -> str:
    return str(place["ref"]).removeprefix("refs/heads/")


async def _run_there(arguments: Namespace, settings: Settings, base_url: str, token: str | None) -> str:
    """Start the import or export on a hosted platform, which reports no progress."""
    if arguments.url is None:
        raise CommandError("A hosted platform needs the address of the repository: add --url.", USAGE)
    async with aclosing(connect_to(settings, base_url, token)) as sender:
        call = Call(sender)
        space = await find_space(call, thing_named(arguments.space, "", base_url), arguments.space)
        place = _body(arguments, {})
        body = (
            _validate(ImportGit, place)
            if arguments.step == "pull"
            else _validate(ExportGit, {**place, "commit_message": arguments.message})
        )

        async def begin(call: Call) -> bool:
            if isinstance(body, ImportGit):
                await call(Git.import_branch, space.id, body)
            else:
                await call(Git.export_branch, space.id, body)
            return True

        await Attempt(begin, look_for_sync(space.id)).make(call)
    doing = "imports" if arguments.step == "pull" else "exports"
    return f"The platform {doing} “{space.title}” now; it does not report when it has finished."
