"""Fields for a line of text: in a dialog, and for finding above the footer."""

from __future__ import annotations

from typing import Protocol

from textual.geometry import Size
from textual.message import Message
from textual.reactive import Reactive
from textual.widgets import Input

from recto.document.text import printable
from recto.frozen import frozen
from recto.tui.actions import bindings


class LineField(Input, inherit_css=False):
    """A line of text; enter belongs to the dialog around it, whose footer then can name it."""

    COMPONENT_CLASSES = Input.COMPONENT_CLASSES

    # A longer text moves no other widget, but Textual would lay out the whole screen for each letter.
    virtual_size = Reactive(Size(0, 0))

    def __init__(self, value: str = "", *, placeholder: str = "") -> None:
        super().__init__(value, placeholder=placeholder, select_on_focus=False)

    def validate_value(self, value: str) -> str:
        """Remove what a terminal would act on from typed or pasted text."""
        return printable(value).replace("\n", " ").replace("\t", " ")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave enter alone."""
        return False if action == "submit" else super().check_action(action, parameters)


class Findable(Protocol):
    """What can be looked through: a list, a page."""

    @property
    def needle(self) -> str:
        """The text to find, or nothing."""
        ...

    def find(self, text: str) -> int:
        """Look for a text; gives how often it was found."""
        ...

    def focus(self) -> object:
        """Take the keys."""
        ...


class FindLine(LineField):
    """Finds the typed text in a list or page, at each letter; enter goes back there, esc also clears the text."""

    BINDINGS = bindings("dialog.close", "dialog.accept")

    @frozen
    class Done(Message):
        """The search has been typed, or given up."""

        target: Findable

    @frozen
    class Counted(Message):
        """The typed text was looked for; ``count`` matches were found."""

        target: Findable
        text: str
        count: int

    def __init__(self, target: Findable) -> None:
        super().__init__(target.needle, placeholder="find")
        self.target = target

    def on_input_changed(self, event: Input.Changed) -> None:
        """Look for the typed text."""
        event.stop()
        self.post_message(self.Counted(self.target, event.value, self.target.find(event.value)))

    def action_dialog_close(self) -> None:
        """Cancel."""
        self.target.find("")
        self.post_message(self.Done(self.target))

    def action_dialog_accept(self) -> None:
        """Go back to the list, to what was found."""
        self.post_message(self.Done(self.target))
