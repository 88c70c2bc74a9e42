"""The one registry of named actions, which bindings, footer, help, palette and the printed key table all read."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from textual.binding import Binding, BindingType

_NO_KEY = "no-key-"

GOING = "Go"
"""The group of the actions that lead elsewhere."""

MOVING = "Move"
"""The group of the actions that move within a list."""

_SIGNS = {
    "up": "↑",
    "down": "↓",
    "left": "←",
    "right": "→",
    "escape": "esc",
    "backspace": "bksp",
    "question_mark": "?",
    "colon": ":",
    "slash": "/",
    "minus": "-",
    "comma": ",",
    "full_stop": ".",
    "less_than_sign": "<",
    "greater_than_sign": ">",
    "left_square_bracket": "[",
    "right_square_bracket": "]",
    "left_curly_bracket": "{",
    "right_curly_bracket": "}",
    "plus": "+",
    "equals_sign": "=",
    "asterisk": "*",
    "pageup": "PgUp",
    "pagedown": "PgDn",
    "home": "Home",
    "end": "End",
    "delete": "Del",
}


@dataclass(frozen=True, slots=True)
class Action:
    """Something a person can do, under a name that never changes.

    ``page.edit`` is done by a method ``action_page_edit`` of the screen or widget that offers it. ``hint`` is the
    short word of the footer, where an action without one does not appear. ``call`` replaces the method's name where
    several actions share one method with an argument. One that ``writes`` changes something on the platform, or leads
    only to that.
    """

    name: str
    title: str
    keys: tuple[str, ...] = ()
    group: str = "General"
    hint: str = ""
    call: str = ""
    priority: bool = False
    in_palette: bool = True
    writes: bool = False

    @property
    def method(self) -> str:
        """The call that Textual runs on the screen or widget that offers the action."""
        return self.call or self.name.replace(".", "_")


_actions: dict[str, Action] = {}

_RENAMED = {"organization.bring_in": "organization.import"}
"""Former names of actions, which settings may still hold, with those of today."""


def register(*actions: Action) -> None:
    """Add actions to the registry; a name that is there already is an error."""
    for action in actions:
        if action.name in _actions:
            raise ValueError(f"the action {action.name} is registered twice")
        _actions[action.name] = action


def get(name: str) -> Action:
    """Return the action of this name; raises ``KeyError`` for a name that nobody registered."""
    return _actions[name]


def find(name: str | None) -> Action | None:
    """Return the action of this name, or ``None``."""
    return _actions.get(name) if name else None


def registered() -> tuple[Action, ...]:
    """Return all actions that the modules loaded so far have registered, in that order."""
    return tuple(_actions.values())


def bindings(*names: str) -> list[BindingType]:
    """Return Textual's bindings for these actions; the id of each is the action's name, so that a keymap finds it."""
    found: list[BindingType] = []
    for name in names:
        action = get(name)
        found.append(
            Binding(
                ",".join(action.keys) or _no_key(name),
                action.method,
                action.title,
                show=bool(action.hint),
                priority=action.priority,
                id=action.name,
            )
        )
    return found


def keymap(keys: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Turn a person's own keys into Textual's keymap; they may name actions by their former names."""
    return {
        _RENAMED.get(name, name): ",".join(_spelled(key) for key in chosen) or _no_key(name)
        for name, chosen in keys.items()
    }


def unknown(keys: Iterable[str]) -> list[str]:
    """Return the names among ``keys`` that no registered action has."""
    return [name for name in keys if _RENAMED.get(name, name) not in _actions]


def key_table(own: Mapping[str, tuple[str, ...]] | None = None) -> list[tuple[str, str, str, str]]:
    """Return the printed key table: group, title, name and keys in force of each registered action, by group."""
    chosen = own or {}
    rows = [
        (action.group, action.title, action.name, keys_label(chosen.get(action.name, action.keys)))
        for action in _actions.values()
    ]
    groups = list(dict.fromkeys(row[0] for row in rows))
    return sorted(rows, key=lambda row: groups.index(row[0]))


def key_label(key: str) -> str:
    """Write a key as a person reads it: ``ctrl+s``, ``?``, ``PgDn``, ``G``."""
    *modifiers, last = key.split("+")
    return "+".join([*modifiers, _SIGNS.get(last, last)])


def keys_label(keys: Iterable[str]) -> str:
    """Write several keys, the main one first."""
    return " ".join(key_label(key) for key in keys)


def is_key(key: str) -> bool:
    """Say whether this is a key that a terminal can send, not the mark of an action without one."""
    return not key.startswith(_NO_KEY)


def _no_key(name: str) -> str:
    # Textual wants a key for each binding, and help and palette find actions by their bindings.
    return _NO_KEY + name


def _spelled(key: str) -> str:
    # A comma separates keys in Textual's keymap, so the key itself goes by its long name.
    return {",": "comma", " ": "space"}.get(key, key)


_ITEM = "Change"

register(
    Action("list.down", "Down", ("j", "down"), MOVING),
    Action("list.up", "Up", ("k", "up"), MOVING),
    Action("list.top", "To the top", ("g", "home"), MOVING),
    Action("list.bottom", "To the bottom", ("G", "end"), MOVING),
    Action("list.half_down", "Half a page down", ("ctrl+d",), MOVING),
    Action("list.half_up", "Half a page up", ("ctrl+u",), MOVING),
    Action("list.page_down", "A page down", ("pagedown",), MOVING),
    Action("list.page_up", "A page up", ("pageup",), MOVING),
    Action("list.open", "Open", ("enter",), MOVING, hint="open"),
    Action("list.select", "Select", ("space",), MOVING),
    Action("list.range", "Select a range", ("v",), MOVING),
    Action("list.clear", "Clear the search or the selection", ("escape",), MOVING, in_palette=False),
    Action("list.find", "Find here", ("slash",), MOVING, hint="find"),
    Action("list.find_next", "Next found", ("n",), MOVING),
    Action("list.find_previous", "Previous found", ("N",), MOVING),
    Action("list.left", "Scroll left", ("comma", "shift+left"), MOVING),
    Action("list.right", "Scroll right", ("full_stop", "shift+right"), MOVING),
    Action("tree.expand", "Expand, or go in", ("l", "right"), MOVING),
    Action("tree.collapse", "Collapse, or go to the parent", ("h", "left"), MOVING),
    Action("tree.expand_all", "Expand all", ("Z",), MOVING),
    Action("tree.collapse_all", "Collapse all", ("z",), MOVING),
    Action("view.escape", "Undo the innermost, then back", ("escape",), GOING),
    Action("view.back", "Back", ("backspace",), GOING, hint="back"),
    Action("view.previous", "The view before", ("minus",), GOING),
    Action("view.refresh", "Refresh", ("r",), GOING),
    Action("view.next_panel", "Next panel", ("tab",), GOING),
    Action("view.previous_panel", "Previous panel", ("shift+tab",), GOING),
    *(
        Action(f"view.tab_{digit}", f"Tab {digit}", (str(digit),), GOING, call=f"view_tab({digit})", in_palette=False)
        for digit in range(1, 10)
    ),
    Action("view.quit", "Back, and on the first view quit", ("q",), GOING),
    Action("app.jump", "Go to anything by its name", ("f", "ctrl+o"), GOING, "jump"),
    Action("app.palette", "Every action by name", ("colon", "ctrl+p"), GOING, "actions"),
    Action("app.help", "The keys that work here", ("question_mark", "f1"), GOING, "keys"),
    Action("app.quit", "Quit", ("ctrl+q",), GOING, priority=True),
    Action("app.copy_selection", "Copy the text marked with the mouse", ("ctrl+c",), GOING, in_palette=False),
    Action("item.new", "New", ("a",), _ITEM, "new", writes=True),
    Action("item.rename", "Rename", ("f2",), _ITEM, "rename", writes=True),
    Action("item.delete", "Delete", ("D",), _ITEM, writes=True),
    Action("item.open_in_browser", "Open in the browser", ("o",), _ITEM),
    Action("item.copy_text", "Copy the text", ("y",), _ITEM),
    Action("item.copy_link", "Copy the link", ("Y",), _ITEM),
    Action("page.edit", "Edit in your editor", ("e",), _ITEM, "edit", writes=True),
    Action("page.edit_here", "Edit in the built-in editor", ("E",), _ITEM, writes=True),
    Action("change.undo", "Undo the last change", ("u",), _ITEM, writes=True),
    Action("change.redo", "Redo", ("U",), _ITEM, writes=True),
    Action("text.send", "Send or save what is typed", ("ctrl+s",), "Text", "send"),
    Action("text.leave", "Leave the text, kept as a draft", ("escape",), "Text", "leave"),
    Action("text.copy_all", "Copy all of the text, where it could not be saved", ("f5",), "Text", "copy all"),
    Action("text.discard", "Discard the text, where it could not be saved", ("f8",), "Text", "discard"),
    Action("dialog.close", "Close", ("escape",), "Dialog", "close"),
    Action("dialog.accept", "Accept", ("enter",), "Dialog", "accept"),
    Action("dialog.confirm", "Yes", ("y",), "Dialog"),
    Action("dialog.decline", "No", ("n",), "Dialog"),
    Action("dialog.down", "Down", ("down", "ctrl+n"), "Dialog"),
    Action("dialog.up", "Up", ("up", "ctrl+p"), "Dialog"),
)
