"""What is said on a space or on a change request, against a real platform."""

from __future__ import annotations

from pathlib import Path

import pytest

from recto.client.errors import Unreachable
from recto.contract.addresses import InChangeRequest, Main
from recto.contract.comments import Comment, Comments, CommentTarget, NodeTarget
from recto.contract.common import User
from recto.contract.users import Users
from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Platform
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

    async def lose() -> None:
        raise Unreachable("The comment was not sent.", "The connection broke.", may_have_arrived=True)

    transport.then["post_comment"] = lose
    outcome = await store.run(talk.comment("Only once", page="page"))
    assert outcome.ok
    assert len(await list_items(store, talk)) == 1
    fails(transport)
    outcome = await store.run(talk.comment("Never there", page="page"))
    assert not outcome.ok
    assert len(await list_items(store, talk)) == 1
    await store.aclose()


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
