"""Forms that import a branch of a repository into a space, and export the space to it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Final, TypeVar

from recto.client.errors import Conflict, NotFound
from recto.contract.git import ExportGit, Git, GitBranch, ImportGit
from recto.store.drafts import DraftPlace
from recto.store.git_changes import (
    export_branch,
    import_branch,
    last_place,
    place_of,
    remember_place,
    remove_legacy_installation,
)
from recto.store.mutation import Cancelled, Outcome
from recto.tui.dialogs.confirm import NO_UNDO, NOTHING_CHANGES, Confirm
from recto.tui.dialogs.import_report import in_brief
from recto.tui.dialogs.jobs import job_lines, newest_job, show_job
from recto.tui.dialogs.report import Report
from recto.tui.forms.form import Field, FieldKind, Filling, Form, Raw
from recto.tui.forms.form_dialog import FormDialog
from recto.tui.look.fact_rows import fact, heading
from recto.tui.look.times import both
from recto.urls import without_typed_credentials

if TYPE_CHECKING:
    from recto.contract.spaces import GitSync, Space
    from recto.store.mutation import Mutation
    from recto.store.store import Store
    from recto.tui.look.lines import Line
    from recto.tui.screens.interactive import Interactive

Branch = TypeVar("Branch", bound=GitBranch)


def _full_ref(typed: str) -> str:
    name = typed.strip()
    return name if name.startswith("refs/") else f"refs/heads/{name}"


_PLACE: Final = (
    Field(
        "url",
        "Repository",
        required=True,
        placeholder="https://example.org/team/docs.git",
        says="May contain a user name and a token (https://user:token@…). They are sent, but never stored.",
        keeps=without_typed_credentials,
    ),
    Field("ref", "Branch", write=_full_ref, required=True, default="main"),
    Field(
        "repo_project_directory",
        "Folder",
        placeholder="docs/handbook",
        says="Leave it empty for the whole repository.",
    ),
)

_IMPORT: Final = Form(
    "git-import",
    ImportGit,
    *_PLACE,
    Field(
        "standalone",
        "Only a revision",
        kind=FieldKind.SWITCH,
        says="Creates a revision; main stays as it is.",
    ),
    Field(
        "force",
        "Replace main",
        kind=FieldKind.SWITCH,
        says="Replaces main with the branch. Otherwise both are merged, and conflicts become a change request.",
    ),
    sends="Import from Git",
)

_EXPORT: Final = Form(
    "git-export",
    ExportGit,
    *_PLACE,
    Field(
        "commit_message",
        "Message",
        kind=FieldKind.TEXT,
        default="Update from Recto",
        required=True,
        says="Follows the subject of each merged change request. Other commits have only this message.",
    ),
    Field(
        "force",
        "Overwrite the branch",
        kind=FieldKind.SWITCH,
        says="Writes main over what others have pushed since the last import. Files that they added stay.",
    ),
    sends="Export to Git",
)


async def import_from_git(host: Interactive, space: Space) -> None:
    """Ask for a branch, and import it."""

    async def send(body: ImportGit) -> Outcome[bool]:
        return await _run(host, space, import_branch(host.store, space, body))

    says = "Pages are recognized by their files and keep their ids. Changes on both sides are merged."
    branch = await _send_branch(host, space, _IMPORT, send, "Import from Git", says)
    if branch is None:
        return
    if host.store.workspace is None:
        host.say(f"The platform is importing {branch}; ‹view.refresh› shows the result.")
        return
    job = await newest_job(host.store, space.id)
    if job is not None and job.findings:
        await host.ask(Report("Import finished", job_lines(job)))
    elif job is not None and any(job.counts.values()):
        host.say(f"Imported {branch}.")
    else:
        host.say(f"“{space.title}” is up to date with {branch}.")


async def export_to_git(host: Interactive, space: Space) -> None:
    """Ask for a branch, and push to it; where it has moved on, offer to import it first."""
    store = host.store

    async def send(body: ExportGit) -> Outcome[bool]:
        before = await newest_job(store, space.id)
        outcome = await _run(host, space, export_branch(store, space, body))
        refusal, branch = outcome.error, place_of(body).branch
        if body.force or not isinstance(refusal, Conflict):
            return outcome
        # An import does not help against refusals without a job, such as that the last import waits.
        is_refused_at_once = store.workspace is not None and await newest_job(store, space.id) == before
        if is_refused_at_once or not await _wants_import(host, str(refusal), branch):
            return outcome
        place = {name: getattr(body, name) for name in ("url", "ref", "repo_project_directory") if getattr(body, name)}
        imported = await _run(host, space, import_branch(store, space, ImportGit(**place)))
        return await _run(host, space, export_branch(store, space, body)) if imported.ok else imported

    says = "Each change request merged since the last export becomes a commit by the member who merged it."
    branch = await _send_branch(host, space, _EXPORT, send, "Export to Git", says)
    if branch is None:
        return
    if store.workspace is None:
        host.say(f"The platform is exporting to {branch}.")
        return
    job = await newest_job(store, space.id)
    if job is not None and job.findings:
        await host.ask(Report("Export finished", job_lines(job)))
        return
    is_pushed = job is not None and any(job.counts.values())
    host.say(f"Exported to {branch}." if is_pushed else f"{branch} has all of “{space.title}” already.")


async def _send_branch(
    host: Interactive,
    space: Space,
    form: Form[Branch],
    send: Callable[[Branch], Awaitable[Outcome[bool]]],
    title: str,
    says: str,
) -> str | None:
    """Ask for a branch in a form that begins with its last values, and send it; return its name once it is sent.

    Where that fails, the form is shown again with what was typed.
    """
    store, known = host.store, await last_place(host.store, space.id)
    before: dict[str, Raw] = {**store.form_values(space.id, form.name)}
    if known is not None:
        before |= {"url": known.url, "ref": known.branch, "repo_project_directory": known.directory}
    if store.workspace is not None:
        uncommitted = await store.workspace.find_uncommitted(space.id)
        says = " ".join((says, *(f"{in_brief(each)}." for each in uncommitted)))

    async def take(body: Branch) -> Outcome[Branch]:
        return Outcome(body)

    def remember(values: Mapping[str, Raw]) -> None:
        before.update(values)
        store.keep_form_values(space.id, form.name, values)

    while True:
        place = DraftPlace(organization=space.organization, space=space.id)
        facts = _facts(await _find_sync(store, space.id), store)
        filling = Filling(form, take, place=place, facts=facts, remembered=before, remember=remember)
        body = await host.ask(FormDialog(store, title, filling, says=says))
        if body is None:
            return None
        before["url"] = body.url
        remember_place(store, space.id, body)
        outcome = await send(body)
        if outcome.ok:
            return place_of(body).branch
        if isinstance(outcome.error, Cancelled):
            host.say(str(outcome.error))
            return None
        if outcome.error is not None:
            host.say_failed(outcome.error)


async def _run(host: Interactive, space: Space, mutation: Mutation[bool]) -> Outcome[bool]:
    """Run an import or export and show its job; the words of a refusal say by themselves what to do next."""
    outcome = await show_job(host, space.id, mutation)
    if isinstance(outcome.error, Conflict) and outcome.error.message:
        outcome.error.next_step = ""
    return outcome


async def _wants_import(host: Interactive, refusal: str, branch: str) -> bool:
    question = Confirm(
        "Import first",
        refusal,
        does=f"imports {branch}, then exports again",
        keeps="changes nothing",
        undo=NOTHING_CHANGES,
    )
    return await host.ask(question) is True


async def remove_installation(host: Interactive, space: Space) -> None:
    """Remove the legacy installation of a space after asking."""
    question = Confirm(
        "Remove the legacy Git installation",
        f"“{space.title}” is no longer connected with its repository, and can be connected in another way.",
        does="removes it",
        undo=NO_UNDO,
    )
    if await host.ask(question) and (await host.send(remove_legacy_installation(space))).ok:
        host.say("Removed the legacy installation.")


async def _find_sync(store: Store, space: str) -> GitSync | None:
    try:
        return await store.call(Git.get_info, space)
    except NotFound:
        return None


def _facts(sync: GitSync | None, store: Store) -> list[Line]:
    if sync is None:
        return []
    facts = [
        ("repository", sync.repo_name),
        ("provider", sync.installation_provider),
        ("address", sync.url),
        ("synchronized", both(sync.updated_at, store.clock())),
    ]
    return [heading("Connected with"), *(fact(name, value) for name, value in facts if value)]
