"""The settings screen: preferences and keys, saved to the settings file and in force at once."""

from __future__ import annotations

import asyncio
import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Any

from rich.cells import cell_len
from textual import events
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.widget import Widget
from textual.widgets import Static

from recto.frozen import frozen
from recto.settings import (
    DATES,
    ENVIRONMENT,
    FASTEST_POLLING,
    PICTURES,
    POLLING_OFF,
    SLOWEST_POLLING,
    THEMES,
    Keys,
    Settings,
    SettingsError,
    check,
)
from recto.settings_file import save, save_keys
from recto.store.line_drafts import LineDrafts
from recto.tui import actions
from recto.tui.actions import CHANGING, DIALOG, GOING, MOVING, TEXT, Action, bindings, register
from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.dialogs.dialog import Dialog
from recto.tui.dialogs.prompt import PromptLine
from recto.tui.lists.rows import WrappedRows
from recto.tui.lists.virtual_list import VirtualList
from recto.tui.look import lines
from recto.tui.look.lines import Line, Span, plain
from recto.tui.screens.interactive import Interactive
from recto.tui.terminal.editor import EditorError, find_editor

_GROUP = "Settings"

register(
    Action("settings.add_key", "Add a key to the action", ("a",), _GROUP, "add key"),
    Action("settings.no_key", "Remove the keys of the action", ("x",), _GROUP, "no key"),
    Action("settings.default", "Reset to the default", ("d",), _GROUP, "default"),
)

_OUTSIDE_DIALOGS = frozenset({"organizations", "space", "revision", "change request", "site"})
_PLACES: Mapping[str, frozenset[str]] = {
    MOVING: _OUTSIDE_DIALOGS | {"dialog"},
    GOING: _OUTSIDE_DIALOGS,
    CHANGING: _OUTSIDE_DIALOGS,
    "Organizations": frozenset({"organizations"}),
    "Space": frozenset({"space"}),
    "Page": frozenset({"space", "revision", "change request"}),
    "Revision": frozenset({"revision", "space"}),
    "Site": frozenset({"site"}),
    "Arrange": frozenset({"organizations", "space", "site"}),
    _GROUP: frozenset({"settings"}),
    TEXT: frozenset({"text"}),
    DIALOG: frozenset({"dialog"}),
}
"""The screens on which the actions of a group are offered; the groups left out belong to a change request."""


def are_on_same_screen(one: Action, other: Action) -> bool:
    """Whether two actions are offered on the same screen, so that a key cannot mean both."""
    places = (_PLACES.get(action.group, frozenset({"change request"})) for action in (one, other))
    return one.name != other.name and bool(frozenset.intersection(*places))


class KeyTable:
    """The keys of all actions under the settings."""

    def __init__(self, chosen: Keys) -> None:
        self._actions = actions.all_actions()
        own = {actions.current_name(name): actions.normalize(keys) for name, keys in chosen.items()}
        self.changed = frozenset(own)
        """The actions to which the settings give keys."""
        self._keys = actions.keys_in_force(chosen)
        self._by_key: dict[str, list[Action]] = {}
        for action in self._actions:
            for key in self._keys[action.name]:
                self._by_key.setdefault(key, []).append(action)

    def keys_of(self, action: Action) -> tuple[str, ...]:
        """Return the keys of an action, the main key first."""
        return self._keys[action.name]

    def users(self, key: str, action: Action) -> list[Action]:
        """Return the other actions that a key of this action would also mean; those that share it by design do not."""
        by_design = key in action.keys
        return [
            other
            for other in self._by_key.get(key, ())
            if are_on_same_screen(action, other) and not (by_design and key in other.keys)
        ]

    def conflicts(self, action: Action) -> dict[str, list[Action]]:
        """Return the other actions by the key that they share with this action."""
        found = {key: self.users(key, action) for key in self.keys_of(action)}
        return {key: users for key, users in found.items() if users}


def conflict_text(conflicts: Mapping[str, Sequence[Action]]) -> str:
    """Name what keys also mean."""
    return "; ".join(
        f"{actions.key_label(key)} is also “{'”, “'.join(user.title for user in users)}”"
        for key, users in conflicts.items()
    )


class KeyField(Widget, can_focus=True):
    """Takes the next keys for itself."""

    def __init__(self, pressed: Callable[[str], None]) -> None:
        super().__init__()
        self._pressed = pressed

    def render(self) -> Content:
        """Draw nothing; the dialog shows the key."""
        return Content("")

    def check_consume_key(self, key: str, character: str | None) -> bool:
        """Keep all keys from the footer."""
        return True

    def on_key(self, event: events.Key) -> None:
        """Report a key, which does nothing else."""
        event.stop()
        event.prevent_default()
        self._pressed(event.key)


class PressKey(Dialog[str]):
    """Asks for a key to be pressed; answers its name. Enter accepts, esc cancels."""

    def __init__(self, action: Action, table: KeyTable, *, adds: bool) -> None:
        super().__init__(f"{'Another key' if adds else 'Key'} for “{action.title}”")
        self._action = action
        self._table = table
        self._key = ""

    def compose_body(self) -> ComposeResult:
        """Compose what to do, the key and what speaks against it."""
        says = "Press the key. Then enter accepts it, and esc cancels."
        yield Static(Content(says), classes="says")
        yield Static(Content.styled("…", "$muted"), id="pressed")
        yield Static(classes="verdict")
        yield KeyField(self._press)

    def on_mount(self) -> None:
        """Wait for the key."""
        self.query_one(KeyField).focus()

    def _press(self, key: str) -> None:
        if key == "escape":
            self.dismiss(None)
        elif key == "enter":
            if self._key:
                self.dismiss(self._key)
        else:
            self._key = key
            self.query_one("#pressed", Static).update(Content.styled(plain(actions.key_label(key)), "bold $accent"))
            users = self._table.users(key, self._action)
            verdict = conflict_text({key: users}) if users else "It is free."
            self.query_one(".verdict", Static).update(Content.styled(plain(verdict), "$warning" if users else "$muted"))


@frozen
class Preference:
    """A setting on the screen; ``choices`` are its values with their meanings, none for a typed setting."""

    key: str
    label: str
    says: str
    choices: Mapping[str, str] = field(default_factory=dict)


def _means(values: tuple[str, ...], *meanings: str) -> Mapping[str, str]:
    return dict(zip(values, meanings, strict=True))


_PREFERENCES = (
    Preference("theme", "Theme", "", _means(THEMES, "calm, on dark", "calm, on light", "the highest contrast")),
    Preference("dates", "Dates", "", _means(DATES, "2 h ago", "12 Mar 2024, 14:05")),
    Preference("pictures", "Pictures", "", _means(PICTURES, "each on request", "those of the space at once")),
    Preference("animations", "Animations", "scroll smoothly"),
    Preference("mouse", "Mouse", "off: the terminal itself selects text"),
    Preference("editor", "Editor", "for ‹page.edit›; else $EDITOR, $VISUAL or a common one"),
    Preference("polling", "Polling", "how often to ask what others changed"),
    Preference("fonts", "Fonts", "a folder of fonts for PDFs, from the next start"),
)
_LABELS = max(cell_len(preference.label) for preference in _PREFERENCES)
_KEYS = 16
"""The cells that the keys of an action take."""

Row = Preference | Action | str
"""A row of the screen; a text is a heading."""

_PREFERENCES_HEADING = "Preferences"

Change = Callable[[Settings], Settings]
"""What a person changes in the settings, whatever else is in force."""

_NO_SETTING = "no setting is selected"
"""Reason at a heading."""


class SettingsScreen(Dialog[None], Interactive):
    """Shows preferences and keys; each change is saved to ``file`` and posted."""

    BINDINGS = bindings("settings.add_key", "settings.no_key", "settings.default")

    @frozen
    class Changed(Message):
        """A setting has another value, which is to be put in force."""

        change: Change

    def __init__(self, settings: Settings, file: Path, line_drafts: LineDrafts) -> None:
        super().__init__("Settings")
        self._settings = settings
        self._file = file
        self._line_drafts = line_drafts
        self._table = KeyTable(settings.keys)

    def compose_body(self) -> ComposeResult:
        """Compose the list."""
        yield VirtualList()

    def on_mount(self) -> None:
        """Show the settings, and where they are saved."""
        self.query_one(VirtualList).show(self._rows(), _PREFERENCES[0].key)
        self.query_one(".box", Vertical).border_subtitle = Content.styled(lines.plain(str(self._file)), "$muted")

    # Drawing

    def _rows(self) -> WrappedRows[Row]:
        items: list[Row] = [_PREFERENCES_HEADING, *_PREFERENCES]
        group = ""
        for action in actions.all_actions():
            if action.group != group:
                group = action.group
                items.append(f"Keys: {group}")
            items.append(action)
        return WrappedRows(items, self._draw, key=_key)

    def _draw(self, row: Row, width: int) -> list[Line]:
        match row:
            case Preference():
                return [self._draw_preference(row, width)]
            case Action():
                return self._draw_action(row, width)
            case _:
                above: list[Line] = [] if row == _PREFERENCES_HEADING else [[]]
                return [*above, [(row, "strong")]]

    def _draw_preference(self, row: Preference, width: int) -> Line:
        value = _format_value(row, self._settings)
        left: list[Span] = [(f"  {row.label:<{_LABELS}}  ", ""), (lines.plain(value), "accent")]
        variable = ENVIRONMENT.get(row.key)
        if variable is not None and os.environ.get(variable):
            return lines.beside(left, [(f"{variable} counts more at the next start", "warning")], width)
        says = actions.name_keys(self, row.choices.get(value, row.says))
        # The value counts more than its explanation.
        has_room = lines.width_of(left) + 1 + cell_len(says) <= width
        return lines.beside(left, [(says, "muted")] if has_room else [], width)

    def _draw_action(self, row: Action, width: int) -> list[Line]:
        keys = actions.keys_label(self._table.keys_of(row)) or "no key"
        changed = row.name in self._table.changed
        left: list[Span] = [(f"  {keys:<{_KEYS}}  ", "accent" if changed else "muted"), (row.title, "")]
        drawn = [lines.beside(left, [("yours", "accent")] if changed else [], width)]
        if conflicts := self._table.conflicts(row):
            drawn += lines.wrap([(f"{' ' * (_KEYS + 4)}! {conflict_text(conflicts)}", "warning")], width, _KEYS + 6)
        return [*drawn]

    @property
    def _row(self) -> Row:
        shown = self.query_one(VirtualList)
        rows = shown.rows
        found = rows.item(shown.cursor) if isinstance(rows, WrappedRows) else None
        return found if isinstance(found, Preference | Action) else ""

    def why_not(self, action: str) -> str | None:
        """Return the reason why an action cannot be done with the row under the cursor."""
        if not self.is_whole:
            return None
        row = self._row
        match action:
            case "settings.default" if isinstance(row, str):
                return _NO_SETTING
            case "settings.add_key" | "settings.no_key" if not isinstance(row, Action):
                return "only for the keys of an action"
            case "settings.default" if isinstance(row, Action) and row.name not in self._table.changed:
                return "it has its own keys"
            case "settings.default" if isinstance(row, Preference) and self._is_default(row):
                return "it is the default"
        return super().why_not(action)

    def _is_default(self, row: Preference) -> bool:
        return bool(getattr(self._settings, row.key) == getattr(Settings(), row.key))

    # Changing

    def on_virtual_list_chosen(self, event: VirtualList.Chosen) -> None:
        """Change the setting, or the key, under the cursor."""
        event.stop()
        row = self._row
        if isinstance(row, Preference):
            self.work(self._change(row), "settings")
        elif isinstance(row, Action):
            self.work(self._press(row, adds=False), "settings")
        else:
            self.explain(actions.sentence(actions.get("list.open"), _NO_SETTING))

    def action_settings_add_key(self) -> None:
        """Add a key to the action under the cursor."""
        if isinstance(row := self._row, Action):
            self.work(self._press(row, adds=True), "settings")

    def action_settings_no_key(self) -> None:
        """Leave the action under the cursor without a key."""
        if isinstance(row := self._row, Action):
            self.work(self._save_keys(row, ()), "settings")

    def action_settings_default(self) -> None:
        """Reset the row under the cursor."""
        row = self._row
        if isinstance(row, Action):
            self.work(self._save_keys(row, None), "settings")
        elif isinstance(row, Preference):
            self.work(self._save(row.key, None), "settings")

    async def _change(self, row: Preference) -> None:
        value = getattr(self._settings, row.key)
        if isinstance(value, bool):
            await self._save(row.key, not value)
        elif row.choices:
            await self._pick(row)
        else:
            await self._type(row)

    async def _pick(self, row: Preference) -> None:
        def preview(value: str) -> None:
            self._use(_set_value(row.key, value))

        value = getattr(self._settings, row.key)
        choices = [Choice(name, name, means) for name, means in row.choices.items()]
        choices.sort(key=lambda choice: choice.id != value)
        picked = await self.ask(Choose(row.label, choices, preview=preview))
        preview(value)
        if picked is not None:
            await self._save(row.key, picked)

    async def _type(self, row: Preference) -> None:
        value = getattr(self._settings, row.key)
        text = POLLING_OFF if row.key == "polling" and value is None else str(value or "")
        dialog = PromptLine(
            row.label,
            text,
            label=row.label,
            required=row.key == "polling",
            check=_CHECKS[row.key],
            says=_TYPED[row.key],
            draft=(draft := self._line_drafts.of(row.key)),
        )
        typed = await self.ask(dialog)
        if typed is not None and await self._save(row.key, _read_typed(row.key, typed.strip())):
            draft.discard()

    async def _press(self, row: Action, *, adds: bool) -> None:
        key = await self.ask(PressKey(row, self._table, adds=adds))
        if key is not None:
            kept = self._table.keys_of(row) if adds else ()
            await self._save_keys(row, tuple(dict.fromkeys((*kept, key))))

    async def _save(self, key: str, value: Any) -> bool:
        """Save a setting, ``None`` for its default, and put it in force; whether it could be saved."""
        return await self._write(lambda: save(self._file, key, value), _set_value(key, value))

    async def _save_keys(self, action: Action, keys: tuple[str, ...] | None) -> None:
        former = actions.former_names(action.name)
        await self._write(lambda: save_keys(self._file, action.name, keys, former), _set_keys(action.name, keys))

    async def _write(self, write: Callable[[], None], change: Change) -> bool:
        """Write a change to the file and put it in force, even if the screen is left meanwhile."""
        return await asyncio.shield(self._write_to_end(write, change))

    async def _write_to_end(self, write: Callable[[], None], change: Change) -> bool:
        try:
            await asyncio.to_thread(write)
        except SettingsError as error:
            self.say_failed(error)
            return False
        self._use(change)
        return True

    def _use(self, change: Change) -> None:
        self.app.post_message(self.Changed(change))
        self._settings = change(self._settings)
        self._table = KeyTable(self._settings.keys)
        if self.is_whole:
            self.query_one(VirtualList).show(self._rows())
            self.refresh_bindings()


def _set_value(key: str, value: Any) -> Change:
    """Return the change of a setting, ``None`` for its default."""

    def change(settings: Settings) -> Settings:
        chosen: Any = getattr(Settings(), key) if value is None else check(key, value)
        return replace(settings, **{key: chosen})

    return change


def _set_keys(action: str, keys: tuple[str, ...] | None) -> Change:
    """Return the change of the keys of an action, ``None`` for its default."""

    def change(settings: Settings) -> Settings:
        others = {name: own for name, own in settings.keys.items() if actions.current_name(name) != action}
        chosen = others if keys is None else {**others, action: keys}
        return replace(settings, keys=MappingProxyType(chosen))

    return change


def _key(row: Row) -> object:
    return row if isinstance(row, str) else row.key if isinstance(row, Preference) else row.name


def _format_value(row: Preference, settings: Settings) -> str:
    """Return the value of a setting as the screen shows it."""
    value = getattr(settings, row.key)
    if row.key == "polling":
        return POLLING_OFF if value is None else f"{value} s"
    if isinstance(value, bool):
        return "on" if value else "off"
    return str(value or "not set")


def _read_typed(key: str, text: str) -> str | int | None:
    if key == "polling":
        return int(text) if text.isdecimal() else text
    return text or None


def _polling_fault(text: str) -> str | None:
    try:
        check("polling", _read_typed("polling", text.strip()))
    except ValueError as error:
        return f"Polling {error}."
    return None


def _editor_fault(text: str) -> str | None:
    try:
        command = find_editor({}, chosen=text, which=lambda _: None)
    except EditorError as error:
        return str(error)
    return f"There is no program “{command[0]}”." if command and shutil.which(command[0]) is None else None


def _fonts_fault(text: str) -> str | None:
    try:
        folder = check("fonts", text.strip()) if text.strip() else None
    except ValueError as error:
        return f"Fonts {error}."
    return None if folder is None or Path(str(folder)).is_dir() else f"There is no folder {folder}."


_CHECKS = {"polling": _polling_fault, "editor": _editor_fault, "fonts": _fonts_fault}
_TYPED = {
    "polling": f"Seconds from {FASTEST_POLLING} to {SLOWEST_POLLING:,}, or {POLLING_OFF}.",
    "fonts": "A folder, such as ~/fonts. Empty: only the fonts of the system.",
    "editor": "A command, such as vim or code --wait. Empty: $EDITOR, $VISUAL, or a common one.",
}
