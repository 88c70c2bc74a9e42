"""What is said on a space or on a change request, against a real platform."""

from __future__ import annotations

from pathlib import Path

import pytest

from recto.client.errors import Unreachable
from recto.contract.addresses import InChangeRequest, Main
from recto.contract.comments import (
    Comment,
    CommentBodyInput,
    Comments,
    CommentTarget,
    NodeTarget,
    UpdateComment,
)
from recto.contract.common import User
from recto.contract.users import Users
from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Platform
from recto.store.mutation import NotArrived, Undecided
from recto.store.store import Store
from recto.store.talking import CommentChanges, has_reacted, thread_name, toggle_reaction
from support.content import Desk, make_space
from support.platform import Speaker
from support.sites import Refusing, make_store

ME, OTHER = User(id="me"), User(id="other")


def test_a_thread_is_named_by_the_words_of_its_block() -> None:
    target = CommentTarget(node=NodeTarget(id="block", preview="## Where to go"))
    assert thread_name(Comment.model_construct(target=target)) == "the thread on “Where to go”"


@pytest.fixture
def space(platform: Platform) -> str:
    return make_space(platform, [ImportedPage("page", "Page", slug="page", text="Words.\n")])


@pytest.fixture
async def talk(platform: Platform, tmp_path: Path, space: str, request: pytest.FixtureRequest) -> CommentChanges:
    if request.param == "space":
        return CommentChanges(Main(space))
    desk = await Desk.open(Speaker(platform), space)
    return CommentChanges(InChangeRequest(space, (await desk.get())["id"]))


EITHER = pytest.mark.parametrize("talk", ["space", "change request"], indirect=True)


async def list_items(store: Store, talk: CommentChanges) -> tuple[Comment, ...]:
    return (await store.fetch(Comments.list_comments, talk.at, format="markdown")).items


@EITHER
async def test_a_comment_is_posted_answered_resolved_reacted_to_edited_and_deleted(
    platform: Platform, tmp_path: Path, talk: CommentChanges
) -> None:
    store, _ = make_store(platform, tmp_path)
    me = await store.call(Users.get_user)
    assert (await store.run(talk.comment("First", page="page"))).ok
    (comment,) = await list_items(store, talk)
    assert (await store.run(talk.reply(comment, "Second"))).ok
    assert (await store.run(talk.edit(comment, None, "First, edited"))).ok
    assert (await store.run(talk.react(comment, None, "1f44d", me, True))).ok
    assert (await store.run(talk.resolve(comment, True))).ok
    (comment,) = await list_items(store, talk)
    assert (comment.body.markdown, comment.replies, comment.status) == ("First, edited", 1, "resolved")
    assert has_reacted(comment, "1f44d", me)
    await store.undo()
    assert (await list_items(store, talk))[0].status == "open"
    assert (await store.run(talk.delete(comment, None))).ok
    assert await list_items(store, talk) == ()
    await store.aclose()


@EITHER
async def test_a_lost_answer_is_looked_for(platform: Platform, tmp_path: Path, talk: CommentChanges) -> None:
    store, transport = make_store(platform, tmp_path)
    transport.then["post_comment"] = lose
    outcome = await store.run(talk.comment("Only once", page="page"))
    assert outcome.ok
    assert len(await list_items(store, talk)) == 1
    fails(transport)
    outcome = await store.run(talk.comment("Never there", page="page"))
    assert not outcome.ok
    assert len(await list_items(store, talk)) == 1
    await store.aclose()


SHORT_PAGES = {"limit": 1, "order": "asc"}
"""A platform that gives lists in pages of one item, and the oldest first."""


@EITHER
async def test_a_lost_answer_is_looked_for_to_the_end_of_lists_in_any_order(
    platform: Platform, tmp_path: Path, talk: CommentChanges
) -> None:
    store, transport = make_store(platform, tmp_path)
    transport.listing = SHORT_PAGES
    for text in ("First", "Second"):
        await store.run(talk.comment(text, page="page"))
    (comment, *_) = await list_items(store, talk)
    await store.run(talk.reply(comment, "First reply"))
    transport.then = {"post_comment": lose, "post_reply": lose}
    assert (await store.run(talk.comment("Third", page="page"))).ok
    assert (await store.run(talk.reply(comment, "Second reply"))).ok
    transport.listing = {}
    assert len(await list_items(store, talk)) == 3
    assert len((await store.fetch(Comments.list_replies, talk.at, comment.id)).items) == 2
    await store.aclose()


@EITHER
async def test_a_new_comment_of_the_same_person_may_be_the_one_that_was_sent(
    platform: Platform, tmp_path: Path, talk: CommentChanges
) -> None:
    store, transport = make_store(platform, tmp_path)
    await store.run(talk.comment("- Other item", page="page"))
    (before,) = await list_items(store, talk)

    async def write_otherwise() -> None:
        made = next(one for one in await list_items(store, talk) if one.id != before.id)
        body = UpdateComment(body=CommentBodyInput(markdown="- Item"))
        await store.call(Comments.update_comment, talk.at, made.id, body)
        await lose()

    transport.then["post_comment"] = write_otherwise
    outcome = await store.run(talk.comment("* Item", page="page"))
    assert isinstance(outcome.error, Undecided)
    assert "not quite the same" in outcome.error.why
    assert outcome.error.known == (before.id,)
    fails(transport)
    assert isinstance((await store.run(talk.comment("+ Item", page="page"))).error, NotArrived)
    await store.aclose()


async def lose() -> None:
    raise Unreachable("The comment was not sent.", "The connection broke.", may_have_arrived=True)


def fails(transport: Refusing) -> None:
    error = Unreachable("The comment was not sent.", "The connection broke.", may_have_arrived=True)
    transport.errors["post_comment"] = [error]


def test_a_reaction_given_twice_is_given_once_and_taken_back_leaves_those_of_others() -> None:
    comment = Comment(id="c")
    once = toggle_reaction(comment, "1f44d", ME, True)
    assert toggle_reaction(once, "1f44d", ME, True) == once
    both = toggle_reaction(once, "1f44d", OTHER, True)
    assert [reaction.count for reaction in both.reactions] == [2]
    assert [reaction.count for reaction in toggle_reaction(both, "1f44d", ME, False).reactions] == [1]
    assert toggle_reaction(once, "1f44d", ME, False).reactions == ()


@EITHER
@pytest.mark.parametrize("is_reply", [False, True])
async def test_a_comment_that_was_edited_elsewhere_since_is_not_undone(
    platform: Platform, tmp_path: Path, talk: CommentChanges, is_reply: bool
) -> None:
    store, _ = make_store(platform, tmp_path)
    comment = (await store.run(talk.comment("First", page="page"))).value
    assert comment is not None
    reply = (await store.run(talk.reply(comment, "First"))).value if is_reply else None
    [comment] = await list_items(store, talk)
    if reply is not None:
        [reply] = (await store.fetch(Comments.list_replies, talk.at, comment.id, format="markdown")).items

    async def read() -> str | None:
        if reply is None:
            return (await store.call(Comments.get_comment, talk.at, comment.id, format="markdown")).body.markdown
        at = talk.at, comment.id, reply.id
        return (await store.call(Comments.get_reply, *at, format="markdown")).body.markdown

    assert (await store.run(talk.edit(comment, reply, "Mine"))).ok
    run = await store.undo()
    assert run is not None and (await run).ok
    assert await read() == "First"
    run = await store.redo()
    assert run is not None and (await run).ok
    assert await read() == "Mine"
    elsewhere, _ = make_store(platform, tmp_path / "elsewhere")
    assert (await elsewhere.run(talk.edit(comment, reply, "Mine, in another window"))).ok
    run = await store.undo()
    assert run is not None
    assert "Others changed it meanwhile: text." in str((await run).error)
    assert await read() == "Mine, in another window"
