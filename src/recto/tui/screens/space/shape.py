"""Changes of the page tree of a space: new pages, other titles, pages taken out; all by way of a change request."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recto.contract.changes import Change, DeletePage, InsertPage, PageText, UpdatePage
from recto.document.text import count
from recto.store.editing import SUBJECT_LIMIT
from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.dialogs.confirm import Confirm
from recto.tui.dialogs.prompt import PromptLine
from recto.tui.screens.reading.page_index import title_of

if TYPE_CHECKING:
    from recto.contract.content import Page
    from recto.store.editing import Editing
    from recto.tui.screens.interactive import Interactive
    from recto.tui.screens.reading.pane import ReadingPane

_AFTER, _UNDER, _LAST = "after", "under", "last"


class Shape:
    """Asks for what there is to know and sends the change."""

    def __init__(self, owner: Interactive, reading: ReadingPane, editing: Editing) -> None:
        self._owner = owner
        self._reading = reading
        self._editing = editing

    async def new(self, beside: Page | None) -> None:
        """Make an empty page near another one."""
        title = await self._owner.ask(PromptLine("New page", placeholder="its title"))
        if title is None:
            return
        place = await self._ask_place(title, beside)
        if place is not None:
            title = title.strip()
            change = InsertPage(title=title, document=PageText(markdown=""), **place)
            await self._send(change, f"Add {title}", f"Adding “{title}”", f"The new page “{title}”")

    async def _ask_place(self, title: str, beside: Page | None) -> dict[str, Any] | None:
        if beside is None:
            return {}
        choices = [Choice(_AFTER, f"After “{title_of(beside)}”")]
        if beside.type != "link":
            choices.append(Choice(_UNDER, f"Under “{title_of(beside)}”, as the last page there"))
        choices.append(Choice(_LAST, "At the end of the top level"))
        answer = await self._owner.ask(Choose(f"Where does “{title.strip()}” go?", choices))
        if answer == _UNDER:
            return {"into": beside.id}
        if answer == _AFTER:
            return self._after(beside)
        return {} if answer == _LAST else None

    def _after(self, page: Page) -> dict[str, Any]:
        index = self._reading.index
        parent = index.parents[page.id]
        siblings = index.pages[parent].pages if parent is not None else index.roots
        at = [one.id for one in siblings].index(page.id) + 1
        return {"at": at} if parent is None else {"at": at, "into": parent}

    async def rename(self, page: Page) -> None:
        """Give a page another title."""
        before = title_of(page)
        title = await self._owner.ask(PromptLine("Rename the page", before))
        if title is not None and title.strip() != before:
            change = UpdatePage(page=page.id, title=title.strip())
            await self._send(change, f"Rename {before}", f"Renaming “{before}”", f"The title “{title.strip()}”")

    async def delete(self, page: Page) -> None:
        """Ask, and take a page out with those under it."""
        title = title_of(page)
        below = _count(page) - 1
        more = f" and the {count(below, 'page')} under it" if below else ""
        says = f"“{title}”{more} will be deleted in a change request. Main changes when it is merged."
        if await self._owner.ask(Confirm("Delete the page", says, does="continues, and asks for the change request")):
            change = DeletePage(page=page.id)
            await self._send(change, f"Delete {title}", f"Deleting “{title}”", f"The removal of “{title}”")

    async def _send(self, change: Change, subject: str, doing: str, what: str) -> None:
        target = await self._editing.choose_target(f"{subject} in", subject[:SUBJECT_LIMIT])
        if target is not None:
            await self._editing.change(target, change, doing, f"Sent {what[0].lower()}{what[1:]}", what)


def _count(page: Page) -> int:
    return 1 + sum(_count(one) for one in page.pages)
