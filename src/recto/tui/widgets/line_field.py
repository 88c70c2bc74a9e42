"""A field for one line of text in a dialog."""

from __future__ import annotations

from textual.widgets import Input

from recto.document.text import printable


class LineField(Input):
    """One line of text; enter belongs to the dialog around it, whose footer then can name it."""

    def __init__(self, value: str = "", *, placeholder: str = "") -> None:
        super().__init__(value, placeholder=placeholder, compact=True, select_on_focus=False)

    def validate_value(self, value: str) -> str:
        """Take what is put or pasted into the field without what a terminal would act on."""
        return printable(value).replace("\n", " ").replace("\t", " ")

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Leave enter alone."""
        return False if action == "submit" else super().check_action(action, parameters)
