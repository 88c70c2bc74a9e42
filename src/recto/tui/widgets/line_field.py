"""Single-line fields: in a dialog, and the search line above the footer."""

from __future__ import annotations

from typing import ClassVar, Protocol

from textual import events
from textual.binding import Binding, BindingType
from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.widgets import Input

from recto.document.text import printable
from recto.frozen import frozen
from recto.tui.actions import bindings


class LineField(Input, inherit_css=False):
    """A single-line field; enter belongs to the dialog around it, whose footer can then name it."""

    COMPONENT_CLASSES = Input.COMPONENT_CLASSES
    # Textual has these delete the word after the cursor.
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("ctrl+backspace,alt+backspace", "delete_left_word", "Delete the word before", show=False)
    ]

    # A longer text moves no other widget, but Textual would lay out the whole screen for each letter.
    virtual_size = Reactive(Size(0, 0))

    def __init__(self, value: str = "", *, placeholder: str = "") -> None:
        super().__init__(value, placeholder=placeholder, select_on_focus=False)

    def validate_value(self, value: str) -> str:
        """Remove terminal control characters from typed or pasted text."""
        return printable(value).replace("\n", " ").replace("\t", " ")

    def on_paste(self, event: events.Paste) -> None:
        """Insert all of a pasted text in one line: Textual takes its first line alone, which may be empty."""
        event.prevent_default()
        event.stop()
        self.replace(" ".join(filter(None, event.text.splitlines())), *sorted(self.selection))

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave enter alone."""
        return False if action == "submit" else super().check_action(action, parameters)


class Findable(Protocol):
    """A widget that can be searched: a list, a page."""

    @property
    def needle(self) -> str:
        """The text to find, or nothing."""
        ...

    def find(self, text: str) -> int:
        """Search for a text; return the number of matches."""
        ...

    def focus(self) -> object:
        """Take the keys."""
        ...


class FindLine(LineField):
    """The search line: searches a list or page at each letter; enter goes back there, esc also clears the search."""

    BINDINGS = bindings("dialog.close", "dialog.accept")

    @frozen
    class Done(Message):
        """The search has been typed, or given up."""

        target: Findable

    @frozen
    class Counted(Message):
        """The typed text was searched; ``count`` matches were found."""

        target: Findable
        text: str
        count: int

    def __init__(self, target: Findable) -> None:
        super().__init__(target.needle, placeholder="find")
        self.target = target

    def on_input_changed(self, event: Input.Changed) -> None:
        """Search for the typed text."""
        event.stop()
        self.post_message(self.Counted(self.target, event.value, self.target.find(event.value)))

    def action_dialog_close(self) -> None:
        """Cancel."""
        self.target.find("")
        self.post_message(self.Done(self.target))

    def action_dialog_accept(self) -> None:
        """Go back to the list, at the match."""
        self.post_message(self.Done(self.target))
