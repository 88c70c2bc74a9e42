"""What can be done where one is: the actions that the focus, the view and the app offer, with their keys in force."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from recto.tui import actions

if TYPE_CHECKING:
    from textual.dom import DOMNode
    from textual.screen import Screen

READ_ONLY = "Recto is read-only now"
"""Why nothing can be done that changes something, where the program is told to change nothing."""


REFRESHING = "what is shown is being refreshed"
CUT_OFF = "the platform cannot be reached"
"""Why nothing can be changed while what is shown comes from the cache, with or without an answer on its way."""


@dataclass(frozen=True, slots=True)
class Offer:
    """An action as it stands here and now: its keys, who does it, and why it cannot be done (``None``: it can)."""

    action: actions.Action
    keys: tuple[str, ...]
    node: DOMNode
    reason: str | None

    @property
    def key(self) -> str:
        """The main key as a person reads it, or nothing."""
        return actions.key_label(self.keys[0]) if self.keys else ""


def why_not(node: object, action: actions.Action) -> str | None:
    """Ask a screen or widget why it cannot do an action now; ``None`` says that it can."""
    if action.writes and (reason := getattr(getattr(node, "app", None), "why_no_writes", None)):
        return str(reason)
    ask = getattr(node, "why_not", None)
    reason = ask(action.name) if ask else None
    return reason if isinstance(reason, str) else None


def offers(screen: Screen[Any]) -> list[Offer]:
    """Return what this screen offers, nearest to the focus first; keys that something nearer took are left out."""
    keys: dict[str, list[str]] = {}
    nodes: dict[str, DOMNode] = {}
    for key, active in screen.active_bindings.items():
        action = actions.find(active.binding.id)
        if action is None:
            continue
        nodes.setdefault(action.name, active.node)
        # The same action may be offered twice, by a list and by the screen around it: the nearer one counts.
        if active.node is nodes[action.name] and actions.is_key(key):
            keys.setdefault(action.name, []).append(key)
    return [
        Offer(action := actions.get(name), tuple(keys.get(name, ())), node, why_not(node, action))
        for name, node in _as_declared(nodes)
    ]


def _as_declared(nodes: dict[str, DOMNode]) -> list[tuple[str, DOMNode]]:
    """Return the actions of each node in the order in which it declares them; Textual puts those with own keys last."""
    nearness: dict[DOMNode, int] = {}
    places: dict[tuple[DOMNode, str], int] = {}
    for node in nodes.values():
        if node not in nearness:
            nearness[node] = len(nearness)
            for place, (_, binding) in enumerate(type(node)._merged_bindings or ()):
                places.setdefault((node, binding.id or ""), place)
    return sorted(nodes.items(), key=lambda one: (nearness[one[1]], places.get((one[1], one[0]), len(places))))
