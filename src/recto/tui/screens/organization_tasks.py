"""What can be done among the organizations: what is asked before, and what is done then."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from recto.contract.users import Users
from recto.store.space_changes import create_space, rename_space
from recto.store.workspace import LocalWorkspace
from recto.tui.brought_in import beginning
from recto.tui.dialogs.confirm import Confirm
from recto.tui.dialogs.prompt import PromptLine
from recto.tui.dialogs.tell import Tell
from recto.tui.screens import organization_tree as tree

if TYPE_CHECKING:
    from recto.tui.screens.organizations import OrganizationsView

LONGEST_TITLE = 50


class OrganizationTasks:
    """The tasks, on behalf of a view."""

    def __init__(self, view: OrganizationsView) -> None:
        self._view = view

    def why_not(self, action: str) -> str | None:
        """Say why a task cannot be done now, in a few words; ``None`` where it can."""
        match action:
            case "organization.bring_in" | "organization.rename_me":
                return self._not_mine()
            case "organization.remove_guide":
                return self._not_mine() or (None if self._view.guide else "the guide is not here any more")
            case "item.delete":
                return self._why_not_delete()
            case "item.new":
                return self._why_not_new()
            case "item.rename":
                return self._why_not_rename()
            case "item.open_in_browser" | "item.copy_link":
                return self._why_no_address()
        return None

    def _not_mine(self) -> str | None:
        return None if self._view.store.workspace is not None else "only in a workspace on this machine"

    def _why_not_delete(self) -> str | None:
        kind, id = self._view.selected
        if kind == tree.ORGANIZATION and id == self._view.guide:
            return None
        return "nothing can be deleted here but Recto's own guide"

    def _why_not_new(self) -> str | None:
        organization = self._view.organization_of_cursor()
        if organization is None:
            return "there is no organization here"
        return None if organization.permissions.create_content else "your role here does not make spaces"

    def _why_not_rename(self) -> str | None:
        space = self._view.space_of_cursor()
        if space is None:
            return "the cursor is not on a space"
        return None if space.permissions.admin else "your role here does not rename spaces"

    def _why_no_address(self) -> str | None:
        address = self._view.address_of_cursor()
        if address is None:
            return "it has no address"
        return None if address.startswith(("https://", "http://")) else "it is only in this program"

    def _workspace(self) -> LocalWorkspace:
        workspace = self._view.store.workspace
        assert workspace is not None
        return workspace

    async def bring_in(self) -> None:
        """Ask for a folder, bring it in with a count, say what came of it and go there."""
        view = self._view
        organization = view.organization_of_cursor()
        answer = await view.ask(
            PromptLine(
                "Bring in a folder",
                says="A folder of Markdown pages, or of several books with a structure.json.",
                placeholder="~/docs",
                check=_wrong_with_folder,
            )
        )
        if answer is None:
            return
        own = organization.id if organization is not None and organization.id != view.guide else None
        try:
            brought = await self._workspace().bring_in(
                _folder(answer),
                lambda progress: view.show_news(f"{progress.doing}: {progress.done} of {progress.total}"),
                own,
            )
        finally:
            view.show_news("")
        view.refresh_all()
        begun = beginning(brought)
        if begun.told:
            await view.ask(Tell(begun.title, begun.told))
        view.go(begun.spot)

    async def remove_guide(self) -> None:
        """Ask, and remove the guide's organization."""
        view = self._view
        dialog = Confirm(
            "Remove Recto's guide",
            "The guide's organization goes, with its pages, its change requests and its site.",
            "It does not come back by itself.",
            does="removes the guide",
        )
        if await view.ask(dialog):
            await self._workspace().remove_guide()
            view.forget_guide()
            view.refresh_all()
            view.say("Removed the guide.")

    async def rename_me(self) -> None:
        """Ask for the owner's name and address, and change them."""
        view = self._view
        me = await view.store.fetch(Users.get_user)
        name = await view.ask(PromptLine("Your name", me.display_name, limit=100))
        if name is None:
            return
        email = await view.ask(
            PromptLine("Your e-mail address", me.email or "", required=False, check=_wrong_with_email)
        )
        if email is None:
            return
        await self._workspace().rename_owner(name, email)
        view.refresh_all()
        view.say(f"You are {name.strip()} from now on.")

    async def new_space(self) -> None:
        """Ask for a title and make a space where the cursor is."""
        view = self._view
        organization = view.organization_of_cursor()
        if organization is None:
            return
        collection = view.collection_of_cursor()
        title = await view.ask(PromptLine(f"New space in {organization.title}", limit=LONGEST_TITLE))
        if title is None:
            return
        outcome = await view.store.run(create_space(organization.id, title.strip(), collection))
        if outcome.error is not None:
            view.say_failed(outcome.error)
        elif outcome.value is not None:
            view.open_item(tree.item_id(tree.SPACE, outcome.value.id))

    async def rename_space(self) -> None:
        """Ask for another title of the space under the cursor."""
        view = self._view
        space = view.space_of_cursor()
        if space is None:
            return
        title = await view.ask(PromptLine("Rename the space", space.title, limit=LONGEST_TITLE))
        if title is None or title.strip() == space.title:
            return
        outcome = await view.store.run(rename_space(space.id, title.strip(), space.title))
        if outcome.error is not None:
            view.say_failed(outcome.error)


def _folder(text: str) -> Path:
    return Path(text.strip()).expanduser()


def _wrong_with_folder(text: str) -> str | None:
    return None if _folder(text).is_dir() else "There is no such folder."


def _wrong_with_email(text: str) -> str | None:
    return None if not text.strip() or "@" in text else "An e-mail address holds an @."
