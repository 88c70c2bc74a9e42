"""Rows of comments and replies."""

from __future__ import annotations

from recto.contract.addresses import InChangeRequest, Main
from recto.contract.comments import Comment, CommentBodyInput, CommentReply, Comments, PostComment, PostReply
from recto.contract.operation import Operation
from recto.store.locations import ChangeRequestLocation, SpaceLocation
from tui.reach.row import CONSOLE, Act, Driver, Place, Row

COMMENTS = Place("comments of a space", lambda world: SpaceLocation(world.space), ("3",))
CONVERSATION = Place(
    "conversation of a change request", lambda world: ChangeRequestLocation(world.space, world.request), ("3",)
)
PAGE = Place("page", lambda world: SpaceLocation(world.space), ("enter",))
CHANGES = Place(
    "changes of a change request", lambda world: ChangeRequestLocation(world.space, world.request), ("2", "enter")
)

Where = Main | InChangeRequest


def at_main(ada: Driver) -> Where:
    return Main(ada.world.space)


def in_request(ada: Driver) -> Where:
    return InChangeRequest(ada.world.space, ada.world.request)


async def own_comment(ada: Driver, at: Where) -> Comment:
    """Return the comment that was made beside the program."""
    listed = await ada.call(Comments.list_comments, at, format="markdown")
    return next(one for one in listed.items if one.body.markdown in ("Beside", "Beside it"))


async def open_own_thread(ada: Driver, at: Where, *replies: str) -> Comment:
    """Comment beside the program, and open the thread."""
    made = await ada.call(Comments.post_comment, at, PostComment(body=CommentBodyInput(markdown="Beside")))
    for text in replies:
        await ada.call(Comments.post_reply, at, made.id, PostReply(body=CommentBodyInput(markdown=text)))
    await ada.press("r")
    ada.asked.clear()
    await ada.find("Beside")
    await ada.press("enter")
    assert "Beside" in ada.screen
    return made


async def own_reply(ada: Driver, at: Where, comment: Comment) -> CommentReply | None:
    listed = await ada.call(Comments.list_replies, at, comment.id, format="markdown")
    return listed.items[0] if listed.items else None


async def comment_on_page(ada: Driver) -> None:
    await ada.press("G", "c")
    await ada.type("Why?")
    await ada.press("ctrl+s")
    listed = await ada.call(Comments.list_comments, at_main(ada), format="markdown")
    assert any(one.body.markdown == "Why?" for one in listed.items)


async def comment_on_change(ada: Driver) -> None:
    await ada.press("j", "c")
    await ada.type("Why?")
    await ada.press("ctrl+s")
    listed = await ada.call(Comments.list_comments, in_request(ada), format="markdown")
    assert any(one.body.markdown == "Why?" for one in listed.items)


def act(where: str, *keys: str, typed: str = "", then: tuple[str, ...] = (), replies: tuple[str, ...] = ()) -> Act:
    """Return what does something with a thread of one's own: keys, a text, further keys."""

    async def do(ada: Driver) -> None:
        at = at_main(ada) if where == "main" else in_request(ada)
        made = await open_own_thread(ada, at, *replies)
        await ada.press(*keys)
        if typed:
            await ada.type(typed)
        await ada.press(*then)
        await CHECKS[keys[-1], bool(replies)](ada, at, made)

    return do


async def edited(ada: Driver, at: Where, _made: Comment) -> None:
    assert (await own_comment(ada, at)).body.markdown == "Beside it"


async def deleted(ada: Driver, at: Where, made: Comment) -> None:
    assert made.id not in [one.id for one in (await ada.call(Comments.list_comments, at)).items]


async def resolved(ada: Driver, at: Where, made: Comment) -> None:
    assert (await ada.call(Comments.get_comment, at, made.id)).status == "resolved"


async def reacted(ada: Driver, at: Where, made: Comment) -> None:
    found = await ada.call(Comments.get_comment, at, made.id)
    assert [one.emoji for one in found.reactions] == ["1f680"]


async def replied(ada: Driver, at: Where, made: Comment) -> None:
    reply = await own_reply(ada, at, made)
    assert reply is not None
    assert reply.body.markdown == "Because"


async def reply_edited(ada: Driver, at: Where, made: Comment) -> None:
    reply = await own_reply(ada, at, made)
    assert reply is not None
    assert reply.body.markdown == "Below it"


async def reply_deleted(ada: Driver, at: Where, made: Comment) -> None:
    assert await own_reply(ada, at, made) is None


async def reply_reacted(ada: Driver, at: Where, made: Comment) -> None:
    reply = await own_reply(ada, at, made)
    assert reply is not None
    assert [one.emoji for one in reply.reactions] == ["1f680"]


CHECKS = {
    ("e", False): edited,
    ("D", False): deleted,
    ("x", False): resolved,
    ("plus", False): reacted,
    ("c", False): replied,
    ("e", True): reply_edited,
    ("D", True): reply_deleted,
    ("plus", True): reply_reacted,
}

LISTED = {"status": CONSOLE, "format": "shown", "order": CONSOLE, "target_page": CONSOLE, "authors": CONSOLE}


def rows(where: str, place: Place, route: type[Main | InChangeRequest]) -> tuple[Row, ...]:
    def row(operation: Operation[..., object], action: str, fields: dict[str, str], do: Act | None) -> Row:
        return Row(operation.at(route), place, action, fields, act=do)

    said = {"body": "text pad"}
    below = ("Below",)
    return (
        row(Comments.list_comments, "", LISTED, None),
        row(Comments.update_comment, "thread.edit", said, act(where, "e", typed=" it", then=("ctrl+s",))),
        row(Comments.update_comment, "thread.resolve", {"resolved": "key"}, act(where, "x")),
        row(
            Comments.update_comment,
            "thread.react",
            {"added_reactions": "choice", "removed_reactions": CONSOLE},
            act(where, "plus", typed="rocket", then=("enter",)),
        ),
        row(Comments.delete_comment, "item.delete", {}, act(where, "D", then=("y",))),
        row(
            Comments.list_replies, "list.open", {"format": "shown"}, act(where, "c", typed="Because", then=("ctrl+s",))
        ),
        row(Comments.post_reply, "thread.reply", said, act(where, "c", typed="Because", then=("ctrl+s",))),
        row(
            Comments.update_reply,
            "thread.edit",
            said,
            act(where, "j", "e", typed=" it", then=("ctrl+s",), replies=below),
        ),
        row(
            Comments.update_reply,
            "thread.react",
            {"added_reactions": "choice", "removed_reactions": CONSOLE},
            act(where, "j", "plus", typed="rocket", then=("enter",), replies=below),
        ),
        row(Comments.delete_reply, "item.delete", {}, act(where, "j", "D", then=("y",), replies=below)),
    )


ROWS: tuple[Row, ...] = (
    *rows("main", COMMENTS, Main),
    *rows("request", CONVERSATION, InChangeRequest),
    Row(
        Comments.post_comment,
        PAGE,
        "space.comment",
        {"body": "text pad", "node": "block", "table_cell": CONSOLE},
        act=comment_on_page,
    ),
    Row(
        Comments.post_comment.at(InChangeRequest),
        CHANGES,
        "review.comment",
        {"body": "text pad", "node": "block", "page": "page", "table_cell": CONSOLE},
        act=comment_on_change,
    ),
)
