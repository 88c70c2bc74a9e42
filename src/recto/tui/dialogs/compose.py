"""Writing a comment: to be sent at once, or kept for the review in progress."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recto.tui.actions import Action, bindings, register
from recto.tui.dialogs.prompt import PromptText
from recto.tui.widgets.text_pad import TextPad

if TYPE_CHECKING:
    from recto.store.keeper import TypedText

register(
    Action("review.keep", "Keep the comment for your review", ("ctrl+r",), "Text", "keep for review"),
)


class Compose(PromptText):
    """Asks for a comment; ``waits`` is then whether it waits for the review.

    During a review all comments wait; else the key that ends the typing decides.
    """

    BINDINGS = bindings("review.keep")

    def __init__(
        self,
        title: str,
        *,
        typed: TypedText,
        reviewing: int = 0,
        may_wait: bool = True,
        says: str = "",
    ) -> None:
        self.waits = bool(reviewing) and may_wait
        self._may_wait = may_wait
        if self.waits:
            says = f"{says} ‹text.send› adds it to your review ({reviewing} pending).".strip()
        sends = "Add to your review" if self.waits else ""
        super().__init__(title, says=says, typed=typed, placeholder="Markdown", sends=sends)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """Offer to keep a comment only if it would be sent otherwise."""
        if action == "review_keep":
            return self.why_not("review.keep") is None
        return super().check_action(action, parameters)

    def why_not(self, action: str) -> str | None:
        """Return the reason why the key that keeps a comment does nothing."""
        if action == "review.keep" and not self._may_wait:
            return "replies and comments on main are sent at once"
        if action == "review.keep" and self.waits:
            return "your review has begun: sending adds it"
        return super().why_not(action)

    async def action_review_keep(self) -> None:
        """Keep the comment until the review is submitted."""
        pad = self.query_one(TextPad)
        self.waits = bool(pad.text.strip())
        await pad.action_text_send()
