"""The keys in force, which of them conflict, and the dialog that takes a pressed key."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from textual import events
from textual.app import ComposeResult
from textual.content import Content
from textual.widget import Widget
from textual.widgets import Static

from recto.settings import Keys
from recto.tui import actions
from recto.tui.actions import CHANGING, DIALOG, GOING, MOVING, TEXT, Action, register
from recto.tui.dialogs.dialog import Dialog
from recto.tui.look.lines import plain

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


def meet(one: Action, other: Action) -> bool:
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
            if meet(action, other) and not (by_design and key in other.keys)
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
        """Put what to do, the key and what speaks against it."""
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
