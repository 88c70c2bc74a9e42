"""The port of editing: the editors, and the dialogs that ask where an edit goes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from recto.document.text import count
from recto.store.content_writes import request_name
from recto.store.editing import EditorFailed, MergeChoice, Target, title_of
from recto.tui.look import times
from recto.tui.screens.view_port import ViewPort

if TYPE_CHECKING:
    from recto.contract.change_requests import ChangeRequest
    from recto.store.drafts import Draft
    from recto.store.keeper import TypedText
    from recto.tui.screens.view import View


class EditingDialogs(ViewPort):
    """The dialogs of editing, on a screen."""

    def __init__(
        self,
        view: View,
        *,
        drafts_changed: Callable[[], None] = lambda: None,
        request_chosen: Callable[[ChangeRequest], None] = lambda _: None,
        sent: Callable[[ChangeRequest, str | None], None] = lambda _request, _page: None,
    ) -> None:
        super().__init__(view)
        self.drafts_changed = drafts_changed
        self.request_chosen = request_chosen
        self._sent = sent

    async def choose_target(self, title: str, subject: str, requests: Sequence[ChangeRequest]) -> Target | None:
        """Ask for a change request, or for a new subject; ``subject`` is the proposal."""
        from recto.tui.dialogs.choose_request import NEW, ChooseRequest, request_choice

        now = self._view.store.clock()
        choices = [request_choice(one, now) for one in requests]
        draft = self._view.store.line_drafts.of(title)
        dialog = ChooseRequest(title, choices, draft=draft, proposed=subject, made="made when you send")
        chosen = await self._view.ask(dialog)
        if chosen is None:
            return None
        draft.discard()
        if chosen == NEW:
            return Target(subject=dialog.subject)
        return Target.of(next(one for one in requests if one.id == chosen))

    async def edit_file(self, file: Path, line: int) -> bool:
        """Open a file in the person's editor, at a line counted from 1; false without an editor.

        Raises :class:`EditorFailed`.
        """
        from recto.tui.terminal.editor import EditorError

        try:
            return await self._view.edit_file(file, line)
        except EditorError as error:
            raise EditorFailed(str(error)) from error

    async def edit_text(self, title: str, where: str, typed: TypedText, line: int) -> bool:
        """Open a text in the built-in editor, at a line counted from 1; whether it is to be sent."""
        from recto.tui.dialogs.page_editor import PageEditor

        return await self._view.ask(PageEditor(title, typed, where=where, line=line)) is True

    async def choose_merge(self, conflicts: int) -> MergeChoice:
        """Ask what to do where a page was changed while it was edited."""
        from recto.tui.dialogs.choose import Choice, Choose

        look, send, later = (choice.value for choice in MergeChoice)
        choices = [
            Choice(
                look,
                "Merge both, and look at it in the editor",
                count(conflicts, "conflict") if conflicts else "",
            ),
            *([] if conflicts else [Choice(send, "Merge both, and send it", "no conflict")]),
            Choice(later, "Leave it as a draft"),
        ]
        answer = await self._view.ask(Choose("The page was changed while you edited it", choices))
        return MergeChoice(answer or later)

    async def confirm_discard(self, draft: Draft) -> bool:
        """Ask whether a draft is to be discarded."""
        from recto.tui.dialogs.confirm import NO_UNDO, Confirm

        age = times.ago(draft.updated, self._view.store.clock())
        says = f"What you typed for “{title_of(draft)}” {age} is removed for good."
        return await self._view.ask(Confirm("Discard the draft", says, does="discards it", undo=NO_UNDO)) is True

    def show_sent(self, what: str, request: ChangeRequest, page: str | None) -> None:
        """Show where something was sent, and go there."""
        self.say(f"{what} is in {request_name(request)}.")
        self._sent(request, page)
