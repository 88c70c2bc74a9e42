"""Changes of the pages and files of a space: new ones, titles, deleted and moved pages; all in change requests."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from recto.contract.changes import MAX_CHANGES, Change, DeletePage, UpdatePage
from recto.contract.content import Content, walk_pages
from recto.contract.unread import unread_of
from recto.document.text import count
from recto.paths import written_path
from recto.store.arrangement import Arrangement
from recto.store.content_writes import UnfitFile, insert_file
from recto.store.editing import SUBJECT_LIMIT, PagePlace
from recto.store.move_plan import page_moves
from recto.store.moves import Move, names
from recto.tui.dialogs.confirm import UNDO, Confirm, shorten
from recto.tui.dialogs.confirm_moves import ConfirmMoves
from recto.tui.dialogs.new_page import NewPageDialog, Placed
from recto.tui.dialogs.prompt import PromptLine
from recto.tui.forms.form import Latest
from recto.tui.screens.reading.page_index import title_of
from recto.tui.screens.staged_moves import StagedMoves

if TYPE_CHECKING:
    from recto.contract.addresses import Address
    from recto.contract.content import Page
    from recto.store.editing import Editing
    from recto.store.staging import Staging
    from recto.tui.screens.interactive import Interactive
    from recto.tui.screens.reading.page_index import PageIndex
    from recto.tui.screens.view import View


class PageChanges:
    """Asks for the title, the place or a confirmation, and sends the change."""

    def __init__(self, owner: Interactive, editing: Editing, at: Address) -> None:
        self._owner = owner
        self._editing = editing
        self._at = at
        self._lines = owner.store.line_drafts

    async def new(self, beside: Page | None) -> None:
        """Ask for a title and a place near another page, and write the new page."""
        await self._editing.require_writes()
        places = [Placed(PagePlace(), "at the end of the top level" if beside is not None else "the first page")]
        if beside is not None:
            name = f"“{title_of(beside)}”"
            inside = [Placed(PagePlace(into=beside.id), f"inside {name}")] if beside.type != "link" else []
            places = [Placed(PagePlace(after=beside.id), f"after {name}"), *inside, *places]
        draft = self._lines.of("new page", self._at.space)
        wanted = await self._owner.ask(NewPageDialog(places, draft))
        if wanted is not None:
            await self._editing.add(wanted.title, wanted.place, built_in=wanted.built_in)
            draft.discard()

    async def rename(self, page: Page) -> None:
        """Rename a page."""
        await self._editing.require_writes()
        draft = self._lines.of("rename page", page.id)
        latest = Latest(page, lambda: self._owner.store.call(Content.get_page, self._at, page.id))

        async def reread() -> str:
            return title_of(await latest())

        title = await self._owner.ask(PromptLine("Rename the page", title_of(page), draft=draft, reread=reread))
        before = title_of(latest.value)
        if title is not None and title.strip() != before:
            changes = [UpdatePage(page=page.id, title=title.strip())]
            what = f"The title “{title.strip()}”"
            if await self._send(changes, f"Rename {before}", f"Renaming “{before}”", what):
                draft.discard()

    async def delete(self, pages: Sequence[Page]) -> None:
        """Ask, and take pages out with those under them."""
        await self._editing.require_writes()
        if len(pages) > MAX_CHANGES:
            self._owner.say(f"At most {MAX_CHANGES} pages are deleted in one write: {len(pages):,} are selected.")
            return
        titles = [title_of(page) for page in pages]
        if len(pages) == 1:
            title, them, subject, what, points = "Delete the page", "it", titles[0], f"“{titles[0]}”", []
        else:
            title, them, points = "Delete the selected pages", "them", shorten(titles)
            subject = what = count(len(pages), "page")
        below = sum(1 for _ in walk_pages(pages)) - len(pages)
        more = f" and the {count(below, 'page')} under {them}" if below else ""
        says = f"{what}{more} will be deleted in a change request. Main changes when it is merged."
        does = f"deletes {them} there" if self._editing.has_target else "continues, and asks for the change request"
        if await self._owner.ask(Confirm(title, says, points=points, does=does, undo=UNDO)):
            changes = [DeletePage(page=page.id) for page in pages]
            await self._send(changes, f"Delete {subject}", f"Deleting {what}", f"The removal of {what}")

    async def add_file(self) -> None:
        """Ask for a file of this machine, and add it to the files of the space."""
        await self._editing.require_writes()
        draft = self._lines.of("new file", self._at.space)
        says = "A picture, or what readers download: a file of this machine, of at most 1 MB."
        while True:
            prompt = PromptLine("Add a file", label="File", placeholder="~/diagram.png", says=says, draft=draft)
            typed = await self._owner.ask(prompt)
            if typed is None:
                return
            try:
                change = await asyncio.to_thread(insert_file, written_path(typed.strip()))
                break
            except UnfitFile as error:
                says = f"{error.what} {error.why}"
        name = change.files[0].name
        if await self._send([change], f"Add {name}", f"Adding “{name}”", f"“{name}”"):
            draft.discard()

    async def _send(self, changes: Sequence[Change], subject: str, doing: str, what: str) -> bool:
        target = await self._editing.choose_target(f"{subject} in", subject[:SUBJECT_LIMIT])
        done = f"Sent {what[0].lower()}{what[1:]}"
        return target is not None and await self._editing.change(target, changes, doing, done, what)


class PageMoves:
    """The moves staged on the page tree at an address, and the write that makes them."""

    def __init__(self, view: View, at: Address, editing: Editing, changed: Callable[[str | None], None]) -> None:
        self._view = view
        self._at = at
        self._editing = editing
        self._staged = StagedMoves(view, "the page tree", changed)
        self._index: PageIndex | None = None
        self._is_applied = False
        """Whether the staged moves are written, and the page tree has not come again since."""

    @property
    def staging(self) -> Staging | None:
        """The moves staged or just written; ``None`` where there are none."""
        return self._staged.staging if self._staged.count else None

    @property
    def count(self) -> int:
        """How many moves are staged and not written."""
        return 0 if self._is_applied else self._staged.count

    def take_in(self, index: PageIndex) -> None:
        """Take the page tree of the platform; staged moves go on top of it as far as they fit."""
        self._index = index
        if self._is_applied:
            self._is_applied = False
            self._staged.begin(index.arrangement)
        elif self._staged.count:
            self._staged.take_in(index.arrangement)

    def add(self, move: Move) -> None:
        """Stage a move, or show why it is not possible."""
        if self._index is None:
            return
        if self._is_applied and self.staging is not None:
            self._is_applied = False
            self._staged.begin(self.staging.arrangement)
        elif not self._staged.count:
            self._staged.begin(self._index.arrangement)
        before = self._staged.staging
        self._staged.add(move)
        after = self._staged.staging
        if after is not None and after is not before and len(after.steps) > MAX_CHANGES:
            self._staged.drop_last()
            self._view.say(
                f"At most {MAX_CHANGES} pages are moved in one write: ‹arrange.apply› applies the staged moves."
            )

    def drop_last(self) -> None:
        """Undo the last staged move."""
        self._staged.drop_last()

    async def apply(self) -> None:
        """Check that the pages stand as they did, show what will be done, and write it."""
        await self._editing.require_writes()
        tree = await self._view.store.fetch(Content.list_pages, self._at)
        base = Arrangement.of_pages(tree.pages, unread_of(tree))
        if self._staged.staging is not None and not base.same_order(self._staged.staging.base):
            self._staged.take_in(base)
        staging = self.staging
        if staging is None or not staging.steps:
            self._view.say("Nothing left to apply.")
            return
        moved = tuple(dict.fromkeys(step.item.id for step in staging.steps))
        steps = [step.sentence for step in staging.steps]
        title = f"Move {count(len(moved), 'page')}"
        if not await self._view.ask(ConfirmMoves(title, steps, does="writes them as one change", undo=UNDO)):
            return
        what = names(staging.arrangement, moved)
        target = await self._editing.choose_target(f"Move {what} in", f"Move {what}"[:SUBJECT_LIMIT])
        if target is None:
            return
        changes = page_moves(staging.base, staging.arrangement, moved)
        self._is_applied = True
        if not await self._editing.change(target, changes, f"Moving {what}", f"Moved {what}", f"The move of {what}"):
            self._is_applied = False
