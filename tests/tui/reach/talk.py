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
THREAD = Place("thread of a space", COMMENTS.opening, ("3", "enter"))
THREAD_IN_REQUEST = Place("thread of a change request", CONVERSATION.opening, ("3", "enter"))
PAGE = Place("page", lambda world: SpaceLocation(world.space), ("enter",))
CHANGES = Place(
    "changes of a change request", lambda world: ChangeRequestLocation(world.space, world.request), ("2", "enter")
)

COMMENT = "needs the comment role"
AUTHOR = "it is Ines"
DELETER = "only the author or an admin"

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
    await ada.press("escape", "r")
    ada.asked.clear()
    await ada.find("Beside")
    await ada.press("enter")
    assert "Beside" in ada.screen
    return made


async def own_reply(ada: Driver, at: Where, comment: Comment) -> CommentReply | None:
    listed = await ada.call(Comments.list_replies, at, comment.id, format="markdown")
    return listed.items[0] if listed.items else None


async def comment_on_page(ada: Driver) -> None:
    """Comment on the page as a whole, at its title, and on its last block."""
    for key, text in (("g", "Whose?"), ("G", "Why?")):
        await ada.press(key, "c")
        await ada.type(text)
        await ada.press("ctrl+s")
    listed = await ada.call(Comments.list_comments, at_main(ada), format="markdown")
    made = {one.body.markdown: one.target for one in listed.items}
    assert made["Whose?"].node is None and made["Whose?"].page is not None
    assert made["Why?"].node is not None


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


async def edit(ada: Driver, at: Where, _made: Comment) -> None:
    assert (await own_comment(ada, at)).body.markdown == "Beside it"


async def delete(ada: Driver, at: Where, made: Comment) -> None:
    assert made.id not in [one.id for one in (await ada.call(Comments.list_comments, at)).items]


async def resolve(ada: Driver, at: Where, made: Comment) -> None:
    assert (await ada.call(Comments.get_comment, at, made.id)).status == "resolved"


async def react(ada: Driver, at: Where, made: Comment) -> None:
    found = await ada.call(Comments.get_comment, at, made.id)
    assert [one.emoji for one in found.reactions] == ["1f680"]
    await ada.press("plus", "enter")
    assert (await ada.call(Comments.get_comment, at, made.id)).reactions == (), "a reaction is taken back"


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
    await ada.press("plus", "enter")
    reply = await own_reply(ada, at, made)
    assert reply is not None
    assert reply.reactions == ()


CHECKS = {
    ("e", False): edit,
    ("D", False): delete,
    ("x", False): resolve,
    ("plus", False): react,
    ("c", False): replied,
    ("e", True): reply_edited,
    ("D", True): reply_deleted,
    ("plus", True): reply_reacted,
}

LISTED = {"format": "shown"}


def rows(where: str, place: Place, thread: Place, route: type[Main | InChangeRequest]) -> tuple[Row, ...]:
    def row(
        operation: Operation[..., object],
        action: str,
        fields: dict[str, str],
        do: Act | None,
        needs: str = "",
        seen: Act | None = None,
    ) -> Row:
        return Row(operation.at(route), thread if action else place, action, fields, act=do, needs=needs, seen=seen)

    # A change request resolves the thread by a reply, too; here the thread itself is resolved.
    resolved = {} if route is Main else {"resolved": CONSOLE}
    said = {"body": "text pad"}
    below = ("Below",)

    async def see_reply(ada: Driver) -> None:
        """Open a thread of the owner of the workspace at its reply."""
        await open_own_thread(ada, at_main(ada) if where == "main" else in_request(ada), *below)
        await ada.press("j")

    return (
        row(Comments.list_comments, "", LISTED, None),
        row(Comments.update_comment, "thread.edit", said, act(where, "e", typed=" it", then=("ctrl+s",)), AUTHOR),
        row(Comments.update_comment, "thread.resolve", {"resolved": "key"}, act(where, "x"), COMMENT),
        row(
            Comments.update_comment,
            "thread.react",
            {"added_reactions": "choice", "removed_reactions": "choice"},
            act(where, "plus", typed="rocket", then=("enter",)),
            COMMENT,
        ),
        row(Comments.delete_comment, "item.delete", {}, act(where, "D", then=("y",)), DELETER),
        row(
            Comments.list_replies, "list.open", {"format": "shown"}, act(where, "c", typed="Because", then=("ctrl+s",))
        ),
        row(Comments.post_reply, "thread.reply", said, act(where, "c", typed="Because", then=("ctrl+s",)), COMMENT),
        row(
            Comments.update_reply,
            "thread.edit",
            said,
            act(where, "j", "e", typed=" it", then=("ctrl+s",), replies=below),
            "it is Ada",
            see_reply,
        ),
        row(
            Comments.update_reply,
            "thread.react",
            {"added_reactions": "choice", "removed_reactions": "choice", **resolved},
            act(where, "j", "plus", typed="rocket", then=("enter",), replies=below),
            COMMENT,
            see_reply,
        ),
        row(
            Comments.delete_reply,
            "item.delete",
            {},
            act(where, "j", "D", then=("y",), replies=below),
            DELETER,
            see_reply,
        ),
    )


FILTERED = dict.fromkeys(("authors", "status", "target_page", "order"), "choice")


async def filter_comments(ada: Driver) -> None:
    """Show the comments of one author, those of one status, and all again."""
    for words, shown in (("by ines", "by Ines Park:"), ("resolved", "No resolved comments."), ("all", "open,")):
        await ada.press("F")
        await ada.type(words)
        await ada.press("enter")
        assert shown in ada.screen, ada.screen
    for words in ("on ", "oldest first"):
        await ada.press("F")
        await ada.type(words)
        await ada.press("enter")
    assert ", oldest first: " in ada.screen, ada.screen


ROWS: tuple[Row, ...] = (
    *rows("main", COMMENTS, THREAD, Main),
    *rows("request", CONVERSATION, THREAD_IN_REQUEST, InChangeRequest),
    Row(Comments.list_commenters, COMMENTS, "list.filter", act=filter_comments),
    Row(Comments.list_comments, COMMENTS, "list.filter", FILTERED, filter_comments),
    Row(Comments.list_commenters.at(InChangeRequest), CONVERSATION, "list.filter", act=filter_comments),
    Row(
        Comments.list_comments.at(InChangeRequest),
        CONVERSATION,
        "list.filter",
        FILTERED,
        filter_comments,
    ),
    Row(
        Comments.post_comment,
        PAGE,
        "space.comment",
        {"body": "text pad", "node": "block", "page": "page", "table_cell": CONSOLE},
        act=comment_on_page,
        needs=COMMENT,
    ),
    Row(
        Comments.post_comment.at(InChangeRequest),
        CHANGES,
        "review.comment",
        {"body": "text pad", "node": "block", "page": "page", "table_cell": CONSOLE},
        act=comment_on_change,
        needs=COMMENT,
    ),
)
