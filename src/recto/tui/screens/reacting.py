"""What is asked of a person about a comment, wherever it stands: an emoji to react with, and whether to remove it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.dialogs.confirm import Confirm
from recto.tui.look import signs

if TYPE_CHECKING:
    from recto.contract.comments import Comment, CommentReply
    from recto.contract.common import User
    from recto.tui.screens.view import View

EMOJIS = {
    "1f44d": "thumbs up",
    "2764": "heart",
    "1f389": "hooray",
    "1f604": "smile",
    "1f914": "thinking",
    "1f440": "looking at it",
    "1f680": "rocket",
    "2705": "done",
    "1f44e": "thumbs down",
}
"""Reactions to choose from, by their code points as the platform spells them, and how they are called."""


async def choose_reaction(view: View, one: Comment | CommentReply, me: User | None) -> tuple[str, bool] | None:
    """Ask for a reaction: an emoji and whether it is given or, where ``me`` has given it, taken back."""
    from recto.store.talk import has_reacted

    mine = {reaction.emoji: True for reaction in one.reactions if has_reacted(one, reaction.emoji, me)}
    seen = {signs.emoji(code) for code in mine}
    offered = [*mine, *(code for code in EMOJIS if signs.emoji(code) not in seen)]
    choices = [
        Choice(code, f"{signs.emoji(code)}  {EMOJIS.get(code, '')}", "takes it back" if code in mine else "")
        for code in offered
    ]
    chosen = await view.ask(Choose("React", choices, placeholder="a few letters of its name"))
    return None if chosen is None else (chosen, chosen not in mine)


async def confirm_removal(view: View, comment: Comment, reply: CommentReply | None) -> bool:
    """Ask whether a comment or a reply to it is to be removed, and say what goes with it."""
    says = "This cannot be undone."
    if reply is None and comment.replies:
        says = f"Its {signs.count(comment.replies, 'reply', 'replies')} go with it. {says}"
    title = "Delete the comment" if reply is None else "Delete the reply"
    confirmed = await view.ask(Confirm(title, says, does="deletes it"))
    return confirmed is True
