"""The response to a call: as a folding tree, as text, and the call as lines for a shell."""

from __future__ import annotations

import asyncio
import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from rich.cells import cell_len
from textual.app import ComposeResult
from textual.content import Content
from textual.widgets import ContentSwitcher, Static

from recto import paths
from recto.client.errors import ClientError
from recto.contract.describe import path_of
from recto.document.json_text import pretty
from recto.document.text import count
from recto.store.api_calls import ApiCall, ApiResponse, api_line, curl_line
from recto.tui.actions import Action, bindings, register
from recto.tui.dialogs.dialog import Dialog
from recto.tui.lists.rows import ItemRows, WrappedRows
from recto.tui.lists.tree_list import TreeList
from recto.tui.lists.tree_rows import Flat, Order, TreeItem
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import lines
from recto.tui.look.lines import Line, Span, plain
from recto.tui.screens.interactive import Interactive
from recto.tui.widgets.tab_strip import TabStrip

if TYPE_CHECKING:
    from textual.app import App

    from recto.store.store import Store

_GROUP = "Console"

register(
    Action("console.send", "Send the call", ("ctrl+s",), _GROUP, "send"),
    Action("console.copy_command", "Copy the call as a recto api line", ("f6",), _GROUP, "recto api"),
    Action("console.copy_curl", "Copy the call as a curl line", ("f7",), _GROUP, "curl"),
    Action("console.next_page", "Next page of the list", ("right_square_bracket",), _GROUP, "next page"),
    Action("console.previous_page", "Previous page of the list", ("left_square_bracket",), _GROUP),
)

OF_CALLS = ("console.send", "console.copy_command", "console.copy_curl")
"""The actions of a call that is filled in."""

OF_ANSWERS = ("console.next_page", "console.previous_page", "console.copy_command", "console.copy_curl")
"""The actions of a response."""


_WIDEST = 2_000
"""The most cells of a line of text that are drawn."""

_LABEL = 300
"""The most characters of a value in the tree."""

_TITLES = ("title", "name", "subject", "displayName", "label", "path", "id")
"""The fields that name an object, the best first."""

_TEXT = re.compile(r'(\s*)("(?:[^"\\]|\\.)*": )?(.*)', re.DOTALL)


class ResponseDialog(Dialog[None], Interactive):
    """Shows a response; of a list the next pages, too."""

    BINDINGS = bindings(*OF_ANSWERS, "item.copy_text", "view.tab_1", "view.tab_2", "view.tab_3")

    def __init__(self, store: Store, response: ApiResponse) -> None:
        super().__init__(f"{response.call.route.method} {path_of(response.call.route)}")
        self.store = store
        self._pages = [response]
        self._at = 0
        self._in_tree = response
        """The page whose tree is there; that of another page is built in a thread."""
        self._lines: Lines | None = None
        self._tabs = TabStrip(("Tree", "Text", "Commands"))

    @property
    def tab_names(self) -> Sequence[str]:
        """The names of the tabs."""
        return self._tabs.names

    @property
    def tab_name(self) -> str:
        """The name of the tab that is shown."""
        return self._tabs.names[self._tabs.active]

    @property
    def response(self) -> ApiResponse:
        """The page that is shown."""
        return self._pages[self._at]

    def compose_body(self) -> ComposeResult:
        """Compose the summary, the tabs and what each shows."""
        yield Static(id="summary")
        yield self._tabs
        with ContentSwitcher(initial="tree"):
            yield TreeList(leads=False, id="tree")
            yield VirtualList(openable=False, id="text")
            yield VirtualList(openable=False, findable=False, id="commands")

    def on_mount(self) -> None:
        """Show the response."""
        self._show()

    # Drawing

    def _show(self) -> None:
        self.query_one("#summary", Static).update(Content.styled(plain(self._summary()), "$muted"))
        self.query_one("#commands", VirtualList).show(self._command_rows())
        self.work(self._show_content(self.response), "response", instead_of="response")
        self._focus_shown()
        self.refresh_bindings()

    async def _show_content(self, response: ApiResponse) -> None:
        """Build tree and text in a thread, where they are large."""
        flat, opened, text = await asyncio.to_thread(_build, response)
        if response is not self.response or not self.is_whole:
            return
        self.query_one("#tree", TreeList).show_flat(flat, opened=opened)
        self._in_tree = response
        found = self.query_one("#text", VirtualList)
        found.show(
            ItemRows(range(len(text)), lambda index, width: draw_json(text[index], width), text=text.__getitem__)
        )
        found.wide = min(_WIDEST, max((cell_len(line) for line in text), default=0) + 1)
        self._focus_shown()

    def _focus_shown(self) -> None:
        shown = self.query_one(f"#{self._shown}")
        if self.is_on_top and not shown.has_focus:
            self.set_focus(shown)

    @property
    def _shown(self) -> str:
        return self.tab_name.lower()

    def _summary(self) -> str:
        response = self.response
        if response.is_empty:
            return f"{response.call.route.status}: done; the response has no content."
        parts = [str(response.call.route.status), f"{response.size:,} bytes"]
        items = response.value.get("items") if isinstance(response.value, dict) else None
        if isinstance(items, list):
            total = response.value.get("count")
            parts.append(count(len(items), "item") + (f" of {total:,}" if isinstance(total, int) else ""))
        if len(self._pages) > 1 or response.next_page is not None:
            parts.append(f"page {self._at + 1}")
        return " · ".join(parts)

    def _command_rows(self) -> WrappedRows[str]:
        maker = Lines(self.app, self.store)
        call = self.response.call
        shown = [maker.command(call), maker.curl(call) or f"curl: {NO_ADDRESS}."]
        return WrappedRows(shown, _draw_command, key=lambda line: line)

    def on_tab_strip_switched(self, event: TabStrip.Switched) -> None:
        """Show a tab."""
        event.stop()
        self.query_one(ContentSwitcher).current = self._shown
        self._focus_shown()

    def action_view_tab(self, digit: int) -> None:
        """Show a tab."""
        self._tabs.active = digit - 1

    def on_tab_strip_clicked(self, event: TabStrip.Clicked) -> None:
        """Show the tab that was clicked."""
        event.stop()
        self.action_view_tab(event.index + 1)

    # Pages

    def why_not(self, action: str) -> str | None:
        """Return the reason why an action cannot be done now."""
        if not self.is_whole:
            return None
        match action:
            case "console.next_page" if self._at + 1 == len(self._pages) and self.response.next_page is None:
                return "this is the last page"
            case "console.previous_page" if self._at == 0:
                return "this is the first page"
            case "item.copy_text" if self.response.is_empty and self._shown != "commands":
                return "the response has no content"
            case _ if action == f"view.tab_{self._tabs.active + 1}":
                return "it is shown"
            case "console.copy_curl":
                return Lines(self.app, self.store).why_not(action)
        return super().why_not(action)

    def action_console_next_page(self) -> None:
        """Show the next page of the list."""
        if self._at + 1 < len(self._pages):
            self._at += 1
            self._show()
        elif (page := self.response.next_page) is not None:
            self.work(self._load(page), "page", instead_of="page")

    def action_console_previous_page(self) -> None:
        """Show the previous page of the list."""
        self._at -= 1
        self._show()

    async def _load(self, page: str) -> None:
        call = self.response.call.on_page(page)
        try:
            content = await self.store.ask(call.route, call.arguments())
            response = await asyncio.to_thread(ApiResponse.read, call, content)
        except ClientError as error:
            self.say_failed(error)
            return
        del self._pages[self._at + 1 :]
        self._pages.append(response)
        self._at += 1
        self._show()

    # Copying

    def action_item_copy_text(self) -> None:
        """Copy the value under the cursor, the whole text, or the line for a shell."""
        shown = self.query_one(f"#{self._shown}", VirtualList)
        match self._shown:
            case "tree":
                key = shown.cursor_key
                value = _at(self._in_tree.value, str(key)) if key is not None else self.response.value
                text = value if isinstance(value, str) else pretty(value)
                self._copy(text, "the value" if key is not None else "the response")
            case "text":
                self._copy(pretty(self.response.value), "the response")
            case _:
                rows = shown.rows
                line = rows.item(shown.cursor) if isinstance(rows, WrappedRows) else None
                if line is not None and not line.startswith("curl:"):
                    self._copy(line, "the line")
                else:
                    self.explain(f"{NO_ADDRESS[0].upper()}{NO_ADDRESS[1:]}.")

    def _copy(self, text: str, what: str) -> None:
        self.app.copy_to_clipboard(text)
        self.say(f"Copied {what}.")

    def action_console_copy_command(self) -> None:
        """Copy the call as a line of ``recto api``."""
        Lines(self.app, self.store).copy_command(self.response.call)

    def action_console_copy_curl(self) -> None:
        """Copy the call as a line of ``curl``."""
        Lines(self.app, self.store).copy_curl(self.response.call)


def _build(response: ApiResponse) -> tuple[Flat, list[str], list[str]]:
    """Return the tree of a response, the ids of its items that are open at first, and its lines as text."""
    if response.is_empty:
        return Flat.of(()), [], []
    flat = tree_of(response.value)
    opened = [id for id, depth in zip(flat.ids, flat.depths, strict=True) if depth == 0][:_FEW]
    return flat, opened, pretty(response.value).splitlines()


_FEW = 40
"""The number of branches open at first."""

# The tree of a JSON value

_Node = tuple[str, str, Any]
"""The path of a value from the top (a JSON pointer), its name or number, and the value."""


def tree_of(value: Any) -> Flat:
    """Return the tree of a JSON value; an item's id is its JSON pointer."""
    order = Order(_children("", value) or [("", "", value)], lambda node: _children(node[0], node[2]))
    nodes = order.nodes
    return Flat(
        order, [node[0] for node in nodes], lambda: [_label(node) for node in nodes], lambda at: _item(nodes[at])
    )


def _children(path: str, value: Any) -> Sequence[_Node]:
    if isinstance(value, dict):
        return [(f"{path}/{_escape(name)}", name, one) for name, one in value.items()]
    if isinstance(value, list):
        return [(f"{path}/{at}", str(at), one) for at, one in enumerate(value)]
    return ()


def _escape(name: str) -> str:
    return name.replace("~", "~0").replace("/", "~1")


def _at(value: Any, pointer: str) -> Any:
    """Return the value that a JSON pointer leads to."""
    for step in pointer.split("/")[1:]:
        name = step.replace("~1", "/").replace("~0", "~")
        value = value[int(name)] if isinstance(value, list) else value[name]
    return value


def _label(node: _Node) -> str:
    _path, name, value = node
    return name if isinstance(value, dict | list) else f"{name} {_scalar(value)}"


def _scalar(value: Any) -> str:
    return value[:_LABEL] if isinstance(value, str) else json.dumps(value)[:_LABEL]


def _item(node: _Node) -> TreeItem:
    path, name, value = node
    if isinstance(value, list):
        return TreeItem(path, name, note=count(len(value), "item"), inside=len(value), role="accent")
    if isinstance(value, dict):
        return TreeItem(path, name, note=_title(value), inside=len(value), role="accent")
    return TreeItem(path, _label(node), role="") if not name else _leaf(path, name, value)


def _leaf(path: str, name: str, value: Any) -> TreeItem:
    role = "success" if isinstance(value, str) else "faint" if value is None else "changed"
    return TreeItem(path, name, role="muted", note=plain(_scalar(value)), note_role=role)


def _title(value: dict[str, Any]) -> str:
    return next((plain(str(value[name]))[:80] for name in _TITLES if isinstance(value.get(name), str)), "")


def draw_json(line: str, width: int) -> list[Span]:
    """Draw a line of JSON, names dimmed and values coloured."""
    found = _TEXT.match(line)
    assert found is not None
    indent, name, value = found[1], found[2] or "", found[3]
    role = "success" if value.startswith('"') else "faint" if value[:1] in "{}[]" else "changed"
    return lines.fit([(indent, ""), (plain(name), "muted"), (plain(value[:_WIDEST]), role)], width)


def _draw_command(line: str, width: int) -> Sequence[Line]:
    return [*lines.wrap([(plain(line), "")], width, 2), []]


NO_ADDRESS = "this workspace is in the program and has no address; recto serve gives it one"


class Lines:
    """The lines of calls to the platform of a store."""

    def __init__(self, app: App[Any], store: Store) -> None:
        self._app = app
        self._store = store

    def command(self, call: ApiCall) -> str:
        """Return the line of ``recto api``, with the option that names the platform; raises :class:`Unsendable`."""
        address = self._store.address
        if "://" in address:
            return api_line(call, ("--base-url", address))
        is_own = address in ("", str(paths.workspace_file().absolute()))
        return api_line(call, () if is_own else ("--workspace", address))

    def curl(self, call: ApiCall) -> str | None:
        """Return the line of ``curl``; ``None`` where the platform has no address. Raises :class:`Unsendable`."""
        return curl_line(call, self._store.address)

    def why_not(self, action: str) -> str | None:
        """Return the reason why there is no such line."""
        return NO_ADDRESS if action == "console.copy_curl" and "://" not in self._store.address else None

    def copy_command(self, call: ApiCall) -> None:
        """Copy the line of ``recto api``."""
        self._copy(self.command(call), "recto api")

    def copy_curl(self, call: ApiCall) -> None:
        """Copy the line of ``curl``."""
        if (line := self.curl(call)) is not None:
            self._copy(line, "curl")

    def _copy(self, line: str, name: str) -> None:
        self._app.copy_to_clipboard(line)
        self._app.notify(f"Copied the {name} line.")
