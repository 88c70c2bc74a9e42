"""Changes of the page tree of a space: new pages, titles, deleted pages; all in change requests."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recto.contract.changes import Change, DeletePage, UpdatePage
from recto.document.text import count
from recto.store.editing import SUBJECT_LIMIT, PagePlace
from recto.tui.dialogs.confirm import UNDO, Confirm
from recto.tui.dialogs.new_page import NewPageDialog, Placed
from recto.tui.dialogs.prompt import PromptLine
from recto.tui.screens.reading.page_index import title_of

if TYPE_CHECKING:
    from recto.contract.content import Page
    from recto.store.editing import Editing
    from recto.tui.screens.interactive import Interactive


class PageChanges:
    """Asks for the title, the place or a confirmation, and sends the change."""

    def __init__(self, owner: Interactive, editing: Editing, space: str) -> None:
        self._owner = owner
        self._editing = editing
        self._space = space
        self._lines = owner.store.line_drafts

    async def new(self, beside: Page | None) -> None:
        """Ask for a title and a place near another page, and write the new page."""
        await self._editing.require_writes()
        places = [Placed(PagePlace(), "at the end of the top level" if beside is not None else "the first page")]
        if beside is not None:
            name = f"“{title_of(beside)}”"
            inside = [Placed(PagePlace(into=beside.id), f"inside {name}")] if beside.type != "link" else []
            places = [Placed(PagePlace(after=beside.id), f"after {name}"), *inside, *places]
        draft = self._lines.of("new page", self._space)
        wanted = await self._owner.ask(NewPageDialog(places, draft))
        if wanted is not None:
            await self._editing.add(wanted.title, wanted.place, built_in=wanted.built_in)
            draft.discard()

    async def rename(self, page: Page) -> None:
        """Give a page another title."""
        await self._editing.require_writes()
        before = title_of(page)
        draft = self._lines.of("rename page", page.id)
        title = await self._owner.ask(PromptLine("Rename the page", before, draft=draft))
        if title is not None and title.strip() != before:
            change = UpdatePage(page=page.id, title=title.strip())
            what = f"The title “{title.strip()}”"
            if await self._send(change, f"Rename {before}", f"Renaming “{before}”", what):
                draft.discard()

    async def delete(self, page: Page) -> None:
        """Ask, and take a page out with those under it."""
        await self._editing.require_writes()
        title = title_of(page)
        below = _count(page) - 1
        more = f" and the {count(below, 'page')} under it" if below else ""
        says = f"“{title}”{more} will be deleted in a change request. Main changes when it is merged."
        does = "deletes it there" if self._editing.has_target else "continues, and asks for the change request"
        if await self._owner.ask(Confirm("Delete the page", says, does=does, undo=UNDO)):
            change = DeletePage(page=page.id)
            await self._send(change, f"Delete {title}", f"Deleting “{title}”", f"The removal of “{title}”")

    async def _send(self, change: Change, subject: str, doing: str, what: str) -> bool:
        target = await self._editing.choose_target(f"{subject} in", subject[:SUBJECT_LIMIT])
        done = f"Sent {what[0].lower()}{what[1:]}"
        return target is not None and await self._editing.change(target, (change,), doing, done, what)


def _count(page: Page) -> int:
    return 1 + sum(_count(one) for one in page.pages)
