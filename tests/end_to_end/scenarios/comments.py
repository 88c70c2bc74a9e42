"""Scenarios of comments and replies, each on a space and on a change request."""

from __future__ import annotations

from typing import Any

from end_to_end.scenarios.table import proves_talk
from end_to_end.scenarios.world import Talk, World, is_gone, said
from recto.contract.addresses import InChangeRequest, Main
from recto.contract.comments import (
    CommentReply,
    PostComment,
    PostReply,
    UpdateChangeRequestReply,
    UpdateComment,
    UpdateReply,
)
from recto.contract.content import Content
from recto.contract.members import Members
from recto.contract.rich_text import Block


async def comment(talk: Talk, markdown: str = "Why?", **anchor: Any) -> Any:
    return await talk.post_comment(PostComment(body=said(markdown), **anchor))


async def replied(talk: Talk, markdown: str = "Because.") -> tuple[str, CommentReply]:
    """Make a comment and a reply to it; return the comment's id and the reply."""
    asked = await comment(talk)
    return asked.id, await talk.post_reply(asked.id, PostReply(body=said(markdown)))


@proves_talk("list_comments")
async def comments_are_listed_by_page_status_and_author(world: World, talk: Talk) -> None:
    on_start, on_nothing = await comment(talk, page="start"), await comment(talk)
    await talk.update_comment(on_nothing.id, UpdateComment(resolved=True))
    assert {each.id for each in (await talk.list_comments()).items} == {on_start.id, on_nothing.id}
    assert [each.id for each in (await talk.list_comments(target_page="start")).items] == [on_start.id]
    assert [each.id for each in (await talk.list_comments(status="resolved")).items] == [on_nothing.id]
    mine, hers = (world.places.ada, "nobody"), (world.places.grace,)
    counts = [len((await talk.list_comments(authors=authors)).items) for authors in (mine, hers, ())]
    assert counts == [2, 0, 2]


@proves_talk("post_comment")
async def a_comment_stands_on_the_block_it_is_about(world: World, talk: Talk) -> None:
    page = await world.call(Content.get_page, Main(world.manual), "start", "document")
    assert page.document is not None
    block = page.document.nodes[1]
    assert isinstance(block, Block)
    made = await comment(talk, "On to what?", page="start", node=block.key)
    found = await talk.get_comment(made.id)
    assert found == made
    assert (found.body.markdown, found.target.node.id, found.target.node.preview) == (
        "On to what?",
        block.key,
        "Read on.",
    )


@proves_talk("get_comment")
async def a_comment_is_the_one_listed(world: World, talk: Talk) -> None:
    made = await comment(talk, "Some **bold** words")
    assert (await talk.list_comments()).items == (await talk.get_comment(made.id),)
    rich = await talk.get_comment(made.id, format="document")
    assert rich.body.document is not None
    assert rich.body.markdown is None


@proves_talk("update_comment")
async def a_comment_is_edited_resolved_and_reacted_to(world: World, talk: Talk) -> None:
    made = await comment(talk)
    await talk.update_comment(made.id, UpdateComment(body=said("How?"), resolved=True, added_reactions=("👍", "🎉")))
    await talk.update_comment(made.id, UpdateComment(removed_reactions=("👍",)))
    found = await talk.get_comment(made.id)
    assert (found.body.markdown, found.status, found.resolved_by.id) == ("How?", "resolved", world.places.ada)
    assert [(each.emoji, each.count) for each in found.reactions] == [("🎉", 1)]
    await talk.update_comment(made.id, UpdateComment(resolved=False))
    assert [each.id for each in (await talk.list_comments(status="open")).items] == [made.id]


@proves_talk("delete_comment")
async def a_comment_goes_with_its_replies(world: World, talk: Talk) -> None:
    asked, reply = await replied(talk)
    await talk.delete_comment(asked)
    await talk.delete_comment(asked)
    assert await is_gone(talk.get_comment(asked))
    assert await is_gone(talk.get_reply(asked, reply.id))
    assert (await talk.list_comments()).items == ()


@proves_talk("list_replies")
async def replies_are_listed_under_their_comment(world: World, talk: Talk) -> None:
    await replied(talk, "Elsewhere.")
    asked, reply = await replied(talk)
    assert (await talk.list_replies(asked)).items == (reply,)
    assert reply == await talk.get_reply(asked, reply.id)


@proves_talk("post_reply")
async def a_reply_is_counted_and_found(world: World, talk: Talk) -> None:
    asked, reply = await replied(talk)
    assert reply.body.markdown == "Because."
    assert (await talk.list_replies(asked)).items == (reply,)
    assert (await talk.get_comment(asked)).replies == 1


@proves_talk("get_reply")
async def a_reply_is_found_under_its_own_comment_alone(world: World, talk: Talk) -> None:
    asked, reply = await replied(talk)
    other = await comment(talk)
    assert await talk.get_reply(asked, reply.id) == reply
    assert await is_gone(talk.get_reply(other.id, reply.id))


@proves_talk("update_reply")
async def a_reply_is_edited_and_reacted_to(world: World, talk: Talk) -> None:
    asked, reply = await replied(talk)
    body = UpdateReply(body=said("Since."), added_reactions=("👍",))
    if isinstance(talk.at, InChangeRequest):
        body = UpdateChangeRequestReply(body=said("Since."), added_reactions=("👍",), resolved=True)
    await talk.update_reply(asked, reply.id, body)
    found = await talk.get_reply(asked, reply.id)
    assert (found.body.markdown, found.reactions[0].emoji) == ("Since.", "👍")
    resolved = isinstance(body, UpdateChangeRequestReply)
    assert (await talk.get_comment(asked)).status == ("resolved" if resolved else "open")


@proves_talk("delete_reply")
async def a_reply_goes_and_its_comment_stays(world: World, talk: Talk) -> None:
    asked, reply = await replied(talk)
    await talk.delete_reply(asked, reply.id)
    await talk.delete_reply(asked, reply.id)
    assert await is_gone(talk.get_reply(asked, reply.id))
    assert (await talk.get_comment(asked)).replies == 0


@proves_talk("list_commenters")
async def who_has_commented_here_is_a_commenter(world: World, talk: Talk) -> None:
    assert (await talk.list_commenters()).items == ()
    await comment(talk)
    (commenter,) = (await talk.list_commenters()).items
    members = await world.call(Members.list_members, world.places.organization)
    assert commenter in members.items
    assert commenter.id == world.places.ada
