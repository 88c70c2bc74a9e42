"""Asking for confirmation of changes that cannot be undone, or that affect much."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, TypeVar

from textual.app import ComposeResult
from textual.containers import Vertical, VerticalScroll
from textual.content import Content
from textual.widgets import Static

from recto.tui.actions import bindings, key_label, main_key, name_keys
from recto.tui.dialogs.dialog import Dialog, Result
from recto.tui.look.lines import plain
from recto.tui.widgets.line_field import LineField

if TYPE_CHECKING:
    from recto.store.mutation import Mutation

R = TypeVar("R")

UNDO: Final = "‹change.undo› takes it back."
REDO: Final = "‹change.redo› does it again."
NO_UNDO: Final = "This cannot be undone."
KEEPS: Final = "leaves everything as it is"
NOTHING_CHANGES: Final = ""
"""The ``undo`` of a question that changes nothing."""

_MOST_LISTED = 8


def shorten(points: Sequence[str]) -> list[str]:
    """Return the first points, and the number of the rest."""
    more = len(points) - _MOST_LISTED
    return [*points[:_MOST_LISTED], *([f"{more:,} more"] if more > 0 else [])]


def undo_of(change: Mutation[R], answer: R) -> str:
    """Return the sentence on undoing a change; ``answer`` is a response to it, or the thing as it is before."""
    return UNDO if change.inverse is not None and change.inverse(answer) is not None else NO_UNDO


class Question(Dialog[Result]):
    """Explains what will happen, above the keys that answer; an explanation that is too long scrolls."""

    BINDINGS = bindings("list.down", "list.up")

    def __init__(self, title: str, explanation: Sequence[tuple[str, str] | str]) -> None:
        super().__init__(title)
        named = [part if isinstance(part, str) else (name_keys(self, part[0]), part[1]) for part in explanation]
        self._explanation = VerticalScroll(
            Static(Content.assemble(*named).rstrip()), can_focus=False, classes="explanation"
        )

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Scroll only an explanation that does not fit."""
        if action in ("list_down", "list_up"):
            return self._explanation.max_scroll_y > 0
        return super().check_action(action, parameters)

    def action_list_down(self) -> None:
        """Scroll the explanation down."""
        self._explanation.scroll_relative(y=1, animate=False)

    def action_list_up(self) -> None:
        """Scroll the explanation up."""
        self._explanation.scroll_relative(y=-1, animate=False)


class Confirm(Question[bool]):
    """A question answered by ``y`` or ``n``; enter does nothing, so that an extra key destroys nothing.

    ``says`` are the sentences about the effect, ``points`` name what goes along, ``does`` and ``keeps`` describe
    either answer. ``undo`` says whether the effect can be undone::

        Confirm("Delete the team", "It has 12 members.", points=spaces, does="deletes the team", undo=NO_UNDO)
    """

    BINDINGS = bindings("dialog.confirm", "dialog.decline")

    def __init__(
        self,
        title: str,
        *says: str,
        does: str,
        undo: str,
        keeps: str = KEEPS,
        points: Sequence[str] = (),
    ) -> None:
        super().__init__(title, explain(says, points))
        self._undo = undo
        self._does = does
        self._keeps = keeps

    def compose_body(self) -> ComposeResult:
        """Compose the effects and the keys."""
        yield self._explanation
        yield answer_keys(self, ("dialog.confirm", self._does), undo=self._undo, keeps=self._keeps)

    def action_dialog_confirm(self) -> None:
        """Answer yes."""
        self.dismiss(True)

    def action_dialog_decline(self) -> None:
        """Answer no."""
        self.dismiss(False)


class ConfirmTitle(Question[bool]):
    """A question about a large loss or effect: enter confirms once the title is typed.

    For deleting a site or a space, and for effects such as losing one's own role. Where there is no title, the word
    ``yes`` confirms::

        ConfirmTitle("Delete the space", "It has 12 pages.", named=space.title, does="deletes the space", undo=UNDO)
    """

    BINDINGS = bindings("dialog.accept")
    ACCEPTS = "Confirm"

    def __init__(self, title: str, *says: str, named: str, does: str, undo: str, points: Sequence[str] = ()) -> None:
        super().__init__(title, explain(says, points))
        self._undo = undo
        self._named = named if named.strip() else "yes"
        self._does = does

    def compose_body(self) -> ComposeResult:
        """Compose the effects and the field for the title."""
        named = (plain(self._named), "bold $foreground")
        asks = [("Type ", "$muted"), named, (f"; {_key(self, 'dialog.accept')} then {plain(self._does)}.", "$muted")]
        yield self._explanation
        with Vertical(classes="answer"):
            yield Static(
                Content.assemble("\n", *_undo_line(self, self._undo), "\n" if self._undo else "", *asks),
                classes="label",
            )
            yield LineField()

    def on_input_changed(self) -> None:
        """Whether the title is typed."""
        self.refresh_bindings()

    def why_not(self, action: str) -> str | None:
        """Return the reason why it is not confirmed yet."""
        if action == "dialog.accept" and self.is_mounted:
            typed = self.query_one(LineField).value
            return None if _letters(typed) == _letters(self._named) else f"type “{plain(self._named)}” first"
        return super().why_not(action)

    def action_dialog_accept(self) -> None:
        """Answer yes."""
        self.dismiss(True)


def answer_keys(dialog: Dialog[Any], *answers: tuple[str, str], undo: str, keeps: str = KEEPS) -> Static:
    """Return the end of a question: whether it can be undone, and the keys with their effects, ``no`` last."""
    parts: list[tuple[str, str] | str] = ["\n", *_undo_line(dialog, undo)]
    for action, does in answers:
        parts += [(_key(dialog, action), "bold $accent"), (f"  {plain(does)}\n", "$foreground")]
    parts += [(_key(dialog, "dialog.decline"), "bold $accent"), (f"  {plain(keeps)}", "$muted")]
    return Static(Content.assemble(*parts), classes="answer")


def _key(dialog: Dialog[Any], action: str) -> str:
    return key_label(main_key(dialog, action))


def explain(says: Sequence[str], points: Sequence[str]) -> list[tuple[str, str] | str]:
    """Return an explanation: sentences, and a list of points below them."""
    parts: list[tuple[str, str] | str] = []
    for sentence in says:
        parts += [(plain(sentence), "$foreground"), "\n"]
    for point in points:
        parts += ["\n", ("  · ", "$faint"), (plain(point), "$foreground")]
    return parts


def _undo_line(dialog: Dialog[Any], undo: str) -> list[tuple[str, str] | str]:
    return [(name_keys(dialog, undo), "$warning" if undo == NO_UNDO else "$muted"), "\n"] if undo else []


def _letters(text: str) -> str:
    """Return the part of a title to type: letters and digits, or the whole title without any."""
    return "".join(letter for letter in text.casefold() if letter.isalnum()) or " ".join(text.split())
