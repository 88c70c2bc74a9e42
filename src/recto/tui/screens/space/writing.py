"""Writing in a space: edits of pages, which go to a change request, and comments."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from textual import work

from recto.contract.content import Page
from recto.tui.screens.space.frame import SpaceFrame

if TYPE_CHECKING:
    from recto.contract.comments import Comment
    from recto.tui.screens.space.edits import Edits
    from recto.tui.screens.space.shape import Shape
    from recto.tui.screens.space.talk import SpaceTalk
    from recto.tui.screens.space.targets import Targets


class SpaceWriting(SpaceFrame):
    """The part of the view that writes; ``targets`` know where edits go."""

    edits: Edits
    talk: SpaceTalk
    targets: Targets

    @cached_property
    def shape(self) -> Shape:
        """Changes the page tree; imported when it first does, for most starts are for reading."""
        from recto.tui.screens.space.shape import Shape

        return Shape(self, self.space, self.reader, self.targets)

    # Editing

    def action_page_edit(self) -> None:
        """Edit the page in the person's editor."""
        self._edit(built_in=False)

    def action_page_edit_here(self) -> None:
        """Edit the page here."""
        self._edit(built_in=True)

    def _edit(self, *, built_in: bool) -> None:
        page = self.reader.shown
        if page is not None:
            self.work(self.edits.edit(page, built_in=built_in), "edit", group="edit")

    def action_space_choose_request(self) -> None:
        """Choose where edits go."""
        self.work(self.targets.choose(), "choose", group="edit")

    def action_item_new(self) -> None:
        """Make a page."""
        self.work(self.shape.new(self._under_cursor), "new", group="edit")

    def action_item_rename(self) -> None:
        """Give the page another title."""
        if (page := self._under_cursor) is not None:
            self.work(self.shape.rename(page), "rename", group="edit")

    def action_item_delete(self) -> None:
        """Discard the draft of the page; where there is none, delete the page."""
        draft = self.edits.drafts.get(self.reader.page or "")
        if draft is not None:
            self.work(self.edits.discard(draft), "discard", group="edit")
        elif (page := self._under_cursor) is not None:
            self.work(self.shape.delete(page), "delete", group="edit")

    @property
    def _under_cursor(self) -> Page | None:
        """The page that is shown, as it stands in the tree."""
        return self.reader.index.pages.get(self.reader.page or "")

    @property
    def unsent(self) -> str | None:
        """What is being typed and not sent."""
        if self.edits.typing is not None:
            return f"a change of “{self.edits.typing}”"
        return "a comment" if self.talk.typing else None

    # Commenting

    def action_space_comment(self) -> None:
        """Comment on the block under the cursor."""
        page = self.reader.shown
        if page is not None:
            self.work(self.talk.comment(page, self.panels.sheet.cursor_line), "comment", group="comment")

    def open_thread(self, comment: Comment) -> None:
        """Show a thread."""
        self.work(self.talk.open(comment), "thread")

    def mark_comments(self) -> None:
        """Mark the blocks of the page that have comments."""
        page = self.reader.shown
        if page is not None and page.type == "document":
            self._give_marks(page)

    @work(group="marks", exclusive=True, exit_on_error=False)
    async def _give_marks(self, page: Page) -> None:
        # Not by ``work`` of the view: given up for the next before it began, its coroutine would be left over.
        await self.talk.mark(page)
