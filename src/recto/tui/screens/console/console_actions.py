"""The actions of the console."""

from __future__ import annotations

from recto.tui.actions import Action, register

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
