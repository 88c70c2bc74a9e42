"""The actions on organizations: import, join, the guide, and the person's name."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

from recto.client.call import pages
from recto.contract.organizations import Organizations
from recto.contract.users import Users
from recto.store.organization_changes import join_organization
from recto.store.workspace import ImportCancelled, LocalWorkspace
from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.dialogs.confirm import NO_UNDO, Confirm
from recto.tui.dialogs.import_report import beginning_of
from recto.tui.dialogs.jobs import show_while
from recto.tui.dialogs.prompt import PromptLine
from recto.tui.dialogs.report import Report
from recto.tui.navigation.url_locations import for_browser
from recto.tui.screens.organizations.organization_tree_pane import Selection
from recto.tui.screens.view import View


class OrganizationTasks:
    """The actions, on behalf of a view; ``selection`` returns its selection."""

    def __init__(self, view: View, selection: Callable[[], Selection]) -> None:
        self._view = view
        self._selection = selection

    def why_not(self, action: str) -> str | None:
        """Return the reason why a task cannot be done now; ``None`` where it can."""
        at = self._selection()
        match action:
            case "organization.import" if running := self._view.store.jobs.running:
                return f"an {running[0].kind.partition(' ')[0]} is under way"
            case "organization.import" | "organization.rename_me":
                return self._why_not_local()
            case "organization.remove_guide":
                return self._why_not_local() or (None if at.guide else "the guide is already removed")
            case "item.open_in_browser" if at.address is not None and not for_browser(at.address):
                return "it has no web address"
            case "item.open_in_browser" | "item.copy_link":
                return None if at.address is not None else "no address"
        return None

    def _why_not_local(self) -> str | None:
        return None if self._view.store.workspace is not None else "only in a local workspace"

    def _workspace(self) -> LocalWorkspace:
        workspace = self._view.store.workspace
        assert workspace is not None
        return workspace

    def _refresh_all(self) -> None:
        # Changes beside the API change the responses of its operations.
        self._view.store.invalidate(lambda _: True)

    async def import_folder(self) -> None:
        """Ask for a folder, import it with its progress shown, show the report and go there."""
        view, at = self._view, self._selection()
        draft = view.store.line_drafts.of("import folder")
        answer = await view.ask(
            PromptLine(
                "Import a folder",
                draft=draft,
                label="Folder",
                says="A folder of Markdown pages, or of several books with a structure.json; or a .zip archive of it.",
                placeholder="~/docs",
                check=_folder_fault,
            )
        )
        if answer is None:
            return
        own = at.organization.id if at.organization is not None and at.organization.id != at.guide else None
        folder = _folder(answer)
        try:
            report = await show_while(view, self._workspace().import_folder(folder, own))
        except ImportCancelled:
            view.say(f"Cancelled the import of {folder}; nothing of it was kept.")
            return
        draft.discard()
        self._refresh_all()
        begun = beginning_of(report)
        if begun.lines:
            await view.ask(Report(begun.title, begun.lines))
        view.go(begun.location)

    async def remove_guide(self) -> bool:
        """Ask, and remove the guide's organization; return whether it was removed."""
        dialog = Confirm(
            "Remove Recto's guide",
            "This deletes the guide's organization with its pages, change requests and site.",
            "It is not installed again.",
            does="removes the guide",
            undo=NO_UNDO,
        )
        if not await self._view.ask(dialog):
            return False
        await self._workspace().remove_guide()
        self._refresh_all()
        self._view.say("Removed the guide.")
        return True

    async def rename_me(self) -> None:
        """Ask for the owner's name and address, and change them."""
        view = self._view
        me = await view.store.fetch(Users.get_user)
        drafts = [view.store.line_drafts.of(prompt, me.id) for prompt in ("name", "e-mail address")]
        name = await view.ask(PromptLine("Your name", me.display_name, label="Name", limit=100, draft=drafts[0]))
        if name is None:
            return
        prompt = PromptLine(
            "Your e-mail address",
            me.email or "",
            label="E-mail address",
            required=False,
            check=_email_fault,
            draft=drafts[1],
        )
        email = await view.ask(prompt)
        if email is None:
            return
        await self._workspace().rename_owner(name, email)
        for draft in drafts:
            draft.discard()
        self._refresh_all()
        view.say(f"Your name is {name.strip()} now.")

    async def join(self) -> None:
        """Ask which organization to join by the domain of the e-mail address, and join it."""
        view = self._view
        me = await view.store.fetch(Users.get_user)
        domain = (me.email or "").rpartition("@")[2]
        found = await view.store.fetch(Organizations.list_organizations_of_domain, domain) if domain else None
        own = {
            each.id async for page in pages(view.store.call, Organizations.list_organizations) for each in page.items
        }
        others = [each for each in (found.organizations if found is not None else ()) if each.id not in own]
        if not others:
            lets = f"lets addresses of {domain} join" if domain else "is found without an e-mail address"
            view.say(f"No further organization {lets}.")
            return
        chosen = await view.ask(Choose("Join an organization", [Choice(each.id, each.title) for each in others]))
        for organization in others:
            if organization.id == chosen:
                await view.carry_out(join_organization(organization))


def _folder(text: str) -> Path:
    # Unlike those of ``Path``, these take a name half typed, a home of no user and a name that is too long as well.
    return Path(os.path.expanduser(text.strip()))  # noqa: PTH111


def _folder_fault(text: str) -> str | None:
    path = _folder(text)
    is_archive = path.suffix.lower() == ".zip" and os.path.isfile(path)  # noqa: PTH113
    return None if is_archive or os.path.isdir(path) else "There is no such folder or archive."  # noqa: PTH112


def _email_fault(text: str) -> str | None:
    return None if not text.strip() or "@" in text else "An e-mail address contains an @."
