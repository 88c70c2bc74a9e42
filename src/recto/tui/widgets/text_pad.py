"""A field for several lines of text: letters are text, ctrl+s sends, esc leaves."""

from __future__ import annotations

from dataclasses import dataclass

from rich.text import Text
from textual.message import Message
from textual.widgets import TextArea

from recto.document.text import printable_in_place
from recto.tui.actions import bindings


class TextPad(TextArea):
    """A text area for comments and other text of a few pages."""

    BINDINGS = bindings("text.send", "text.leave")

    @dataclass
    class Sent(Message):
        """The person wants the text to be sent or saved."""

        pad: TextPad
        text: str

        @property
        def control(self) -> TextPad:
            """The pad, so that handlers can select by it."""
            return self.pad

    @dataclass
    class Left(Message):
        """The person leaves the text as it is; it is to be kept as a draft."""

        pad: TextPad
        text: str

        @property
        def control(self) -> TextPad:
            """The pad, so that handlers can select by it."""
            return self.pad

    def __init__(self, text: str = "", *, placeholder: str = "", id: str | None = None) -> None:
        super().__init__(
            text,
            placeholder=placeholder,
            id=id,
            soft_wrap=True,
            show_line_numbers=False,
            compact=True,
            tab_behavior="focus",
        )
        self.move_cursor(self.document.end)

    def get_line(self, line_index: int) -> Text:
        """Return a line to draw, in which nothing acts on the terminal; the text itself stays as it is."""
        return Text(printable_in_place(self.document.get_line(line_index)), end="", no_wrap=True)

    def action_text_send(self) -> None:
        """Tell that the text is to be sent."""
        self.post_message(self.Sent(self, self.text))

    def action_text_leave(self) -> None:
        """Tell that the text is to be left."""
        self.post_message(self.Left(self, self.text))
