"""A file of a space: what it is, and where it is used."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import Static

from recto.tui.actions import bindings
from recto.tui.dialogs.dialog import Dialog
from recto.tui.lists.rows import ItemRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import lines
from recto.tui.look.lines import Line, Span, plain

if TYPE_CHECKING:
    from recto.contract.links import ReferencedContent
    from recto.store.query import Listing, Query
    from recto.store.signal import Subscription


class FileUses(Dialog["ReferencedContent"]):
    """Shows where a file is used, as that becomes known; answers the place to go to."""

    BINDINGS = bindings("dialog.accept")
    ACCEPTS = "Open"

    def __init__(self, name: str, facts: str, uses: Query[Listing[ReferencedContent]]) -> None:
        super().__init__(name)
        self._facts = facts
        self._uses = uses
        self._watching: Subscription | None = None

    def compose_body(self) -> ComposeResult:
        """Compose the facts about the file, the state of the search, and the pages."""
        yield Static(Content(plain(self._facts)), classes="says")
        yield Static(classes="verdict")
        yield VirtualList()

    def on_mount(self) -> None:
        """Follow its uses."""
        self._watching = self._uses.watch(lambda _: cast(None, self.call_later(self._show)))
        self._show()

    def on_unmount(self) -> None:
        """Stop following it."""
        if self._watching is not None:
            self._watching.close()

    def _show(self) -> None:
        if not self.is_attached:
            return
        found = self._uses.value.items if self._uses.value is not None else ()
        unread = self._uses.value.unread if self._uses.value is not None else ()
        self.query_one(".verdict", Static).update(Content(plain(self._describe_state(len(found)))))
        self.query_one(VirtualList).show(ItemRows(found, _draw, key=id, unread=unread))

    def _describe_state(self, found: int) -> str:
        value, error = self._uses.value, self._uses.error
        if error is not None and value is None:
            return f"× {error.what} {error.why}"
        if value is None:
            return "… searching for pages that use it"
        return f"Used in {found}:" if found else "No page uses this file."

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Go to a place."""
        event.stop()
        rows = event.list.rows
        if isinstance(rows, ItemRows):
            self.dismiss(rows.items[event.index])

    def action_dialog_accept(self) -> None:
        """Go to the place under the cursor."""
        self.query_one(VirtualList).action_list_open()


def _draw(one: ReferencedContent, width: int) -> Line:
    title = one.page.title if one.page is not None else str(getattr(one.reusable_content, "title", ""))
    path = f"/{one.page.path}" if one.page is not None and one.page.path else ""
    right: list[Span] = [(plain(path), "muted")] if path else []
    return lines.beside([(plain(title) or "Untitled", "")], right, width)
