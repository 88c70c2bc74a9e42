"""Writing in a space: edits of pages, which go to a change request, and comments."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from recto.tui.screens.space.edits import Edits
from recto.tui.screens.space.talk import SpaceTalk
from recto.tui.screens.space.targets import Targets

if TYPE_CHECKING:
    from recto.contract.comments import Comment
    from recto.contract.content import Page
    from recto.tui.screens.reading.reader import Reader
    from recto.tui.screens.space.base import SpaceBase
    from recto.tui.screens.space.shape import Shape
    from recto.tui.screens.space.talk_lists import Lists


class Writing:
    """What a person does to write in a space: ``targets`` say where edits go, ``edits`` hold the drafts of pages."""

    def __init__(self, view: SpaceBase, space: str, reader: Reader, lists: Lists, target: int | None) -> None:
        self._view = view
        self._space = space
        self._reader = reader
        self.targets = Targets(view, space, lists, target)
        self.edits = Edits(view, space, reader, self.targets)
        self.talk = SpaceTalk(view, space, reader, lists, self.edits)

    @cached_property
    def shape(self) -> Shape:
        """Changes the page tree; imported on first use, since most starts are for reading."""
        from recto.tui.screens.space.shape import Shape

        return Shape(self._view, self._space, self._reader, self.targets)

    def find_drafts(self) -> None:
        """Find the edits and comments on disk that are not sent."""
        self._view.work(self.edits.offer_drafts(), "drafts")
        self._view.work(self.talk.find_drafts(), "drafts")

    @property
    def unsent(self) -> str | None:
        """The text being typed, as a noun, or ``None``."""
        if self.edits.typing is not None:
            return f"a change of “{self.edits.typing}”"
        return "a comment" if self.talk.typing else None

    # Editing

    def edit(self, *, built_in: bool) -> None:
        """Edit the page: in the built-in editor, else in the person's own."""
        if (page := self._reader.shown) is not None:
            self._view.work(self.edits.edit(page, built_in=built_in), "edit", group="edit")

    def choose_target(self) -> None:
        """Choose where edits go."""
        self._view.work(self.targets.choose(), "choose", group="edit")

    def new_page(self) -> None:
        """Add a page near the one shown."""
        self._view.work(self.shape.new(self._in_tree), "new", group="edit")

    def rename_page(self) -> None:
        """Rename the page."""
        if (page := self._in_tree) is not None:
            self._view.work(self.shape.rename(page), "rename", group="edit")

    def delete(self) -> None:
        """Discard the draft of the page; without one, delete the page."""
        draft = self.edits.drafts.get(self._reader.page or "")
        if draft is not None:
            self._view.work(self.edits.discard(draft), "discard", group="edit")
        elif (page := self._in_tree) is not None:
            self._view.work(self.shape.delete(page), "delete", group="edit")

    @property
    def _in_tree(self) -> Page | None:
        """The page that is shown, as it stands in the tree."""
        return self._reader.index.pages.get(self._reader.page or "")

    # Commenting

    def comment(self, line: int) -> None:
        """Comment on the block at a line of the page's source, counted from 0."""
        if (page := self._reader.shown) is not None:
            self._view.work(self.talk.comment(page, line), "comment", group="comment")

    def open_thread(self, comment: Comment) -> None:
        """Show a thread."""
        self._view.work(self.talk.open(comment), "thread")

    async def mark_comments(self) -> None:
        """Mark the blocks of the page that have comments."""
        page = self._reader.shown
        if page is not None and page.type == "document":
            await self.talk.mark(page)
