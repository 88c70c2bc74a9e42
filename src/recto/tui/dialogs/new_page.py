"""Asking for the title of a new page and its place in the tree."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from recto.tui.actions import Action, bindings, name_keys, register
from recto.tui.dialogs.dialog import Dialog
from recto.tui.look.lines import plain
from recto.tui.widgets.line_field import LineField
from recto.tui.widgets.remark import Remark

if TYPE_CHECKING:
    from recto.store.editing import PagePlace
    from recto.store.line_drafts import LineDraft

register(
    Action("page.place", "Choose the next place for the page", ("tab",), "Dialog", "other place", in_palette=False),
    Action("page.write_here", "Write in the built-in editor", ("ctrl+t",), "Dialog", "built-in editor"),
)


class Placed(NamedTuple):
    """A place in the tree, and the words for it."""

    place: PagePlace
    words: str


class Titled(NamedTuple):
    """The answer: title and place of a new page."""

    title: str
    place: PagePlace
    built_in: bool


class NewPageDialog(Dialog[Titled]):
    """Asks for a title; tab goes through the places, enter begins to write.

    A title stays in the ``draft``, to be offered again, until the caller has used it.
    """

    BINDINGS = bindings("dialog.accept", "page.place", "page.write_here")
    ACCEPTS = "Write the page"

    def __init__(self, places: Sequence[Placed], draft: LineDraft) -> None:
        super().__init__("New page")
        self._places = places
        self._draft = draft
        self._at = 0

    def compose_body(self) -> ComposeResult:
        """Compose the title, the place and the fault."""
        yield Static("Title", classes="label")
        yield LineField(self._draft.text or "")
        yield Static(id="place")
        yield Remark(classes="verdict")

    def on_mount(self) -> None:
        """Show the first place; typing replaces what was typed before."""
        self._show_place()
        self.query_one(LineField).select_all()

    def _show_place(self) -> None:
        words = Content.styled(plain(self._places[self._at].words), "$foreground")
        if len(self._places) > 1:
            words = Content.assemble(
                words, ("   ", ""), (name_keys(self, "‹page.place›"), "bold $accent"), ("  other place", "$muted")
            )
        self.query_one("#place", Static).update(words)

    def why_not(self, action: str) -> str | None:
        """Return the reason why there is no other place."""
        return "there is one place alone" if action == "page.place" and len(self._places) == 1 else None

    def action_page_place(self) -> None:
        """Choose the next place."""
        self._at = (self._at + 1) % len(self._places)
        self._show_place()

    def action_dialog_accept(self) -> None:
        """Answer with the title and the place."""
        self._answer(built_in=False)

    def action_page_write_here(self) -> None:
        """Answer, to write in the built-in editor."""
        self._answer(built_in=True)

    def _answer(self, *, built_in: bool) -> None:
        title = self._typed
        if title:
            self._draft.keep(title)
            self.dismiss(Titled(title, self._places[self._at].place, built_in))
        else:
            self.query_one(".verdict", Remark).show(Content.styled("The title cannot be empty.", "$error"))

    @property
    def _typed(self) -> str:
        return " ".join(self.query_one(LineField).value.split())

    async def action_dialog_close(self) -> None:
        """Close without an answer, and keep what was typed."""
        self._draft.keep(self._typed, "")
        await super().action_dialog_close()

    def on_input_changed(self) -> None:
        """Clear the verdict."""
        self.query_one(".verdict", Remark).show(Content())
