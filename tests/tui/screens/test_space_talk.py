"""Talking about the pages of a space with the keys alone."""

from __future__ import annotations

import asyncio

from recto.client.errors import Unreachable
from recto.contract.comments import Comment, CommentTarget
from recto.tui.dialogs.dialog import Dialog
from recto.tui.screens.space.activity import page_name
from recto.tui.widgets.text_pad import TextPad
from support.screens import settled
from support.spaces import Reader, Workspace


async def to_the_paragraph(reader: Reader) -> None:
    """Put the page's cursor on the paragraph that is there to be commented on."""
    await reader.press("enter", "slash")
    await reader.type("here to be commented")
    await reader.press("enter", "escape")


async def test_a_comment_goes_to_the_block_under_the_cursor_and_is_counted(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await to_the_paragraph(reader)
        await reader.press("c")
        reader.shows("Comment on “Welcome”", "On the block “This paragraph is here to be commented on.”.")
        await reader.type("Why is it here?")
        await reader.press("ctrl+s")
        (comment,) = await reader.comments()
        assert comment["body"]["markdown"] == "Why is it here?"
        assert comment["target"]["node"]["preview"].startswith("This paragraph is here")
        assert "○1" in reader.line("This paragraph is here to be commented on.")
        assert "○1" in reader.line("👋 Welcome")
        reader.shows("3 Comments 1")
        assert reader.store.drafts.find() == []


async def test_on_the_title_the_page_as_a_whole_is_meant_and_nothing_typed_leaves_no_draft(
    workspace: Workspace,
) -> None:
    async with workspace.reader() as reader:
        await reader.press("enter", "c")
        reader.shows("Comment on “Welcome”", "On the whole page.")
        await reader.press("escape")
        assert reader.store.drafts.find() == []
        await reader.press("c")
        await reader.type("Hello")
        await reader.press("ctrl+s")
        (comment,) = await reader.comments()
        assert "node" not in comment["target"]


async def test_esc_keeps_what_is_typed_and_a_restart_goes_on_with_it(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await to_the_paragraph(reader)
        await reader.press("c")
        await reader.type("Half a though")
        await reader.press("escape")
        assert await reader.comments() == []
        assert "…" in reader.line("This paragraph is here to be commented on.")
    async with workspace.reader() as reader:
        await to_the_paragraph(reader)
        assert "…" in reader.line("This paragraph is here to be commented on.")
        await reader.press("c")
        await reader.type("t")
        await reader.press("ctrl+s")
        (comment,) = await reader.comments()
        assert comment["body"]["markdown"] == "Half a thought"


async def test_a_comment_that_could_not_be_sent_is_kept(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        reader.transport.errors["post_comment"] = [Unreachable("The comment was not sent.", "No answer came.")]
        await to_the_paragraph(reader)
        await reader.press("c")
        await reader.type("Important")
        await reader.press("ctrl+s")
        assert reader.says("The comment was not sent. No answer came.")
        await reader.press("c")
        assert reader.pilot.app.screen.query_one(TextPad).text == "Important"
        await reader.press("ctrl+s")
        assert len(await reader.comments()) == 1


async def test_where_the_platform_cannot_be_reached_a_comment_quotes_the_block(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await to_the_paragraph(reader)
        reader.transport.errors["get_page"] = [Unreachable("The page was not loaded.", "No answer came.")]
        await reader.press("c")
        reader.shows("On the whole page")
        assert reader.pilot.app.screen.query_one(TextPad).text.startswith(
            "> This paragraph is here to be commented on."
        )
        await reader.type("Good")
        assert reader.pilot.app.screen.query_one(TextPad).text.endswith("\n\nGood")
        await reader.press("escape")
        assert reader.store.drafts.find()[0].place.block is None


async def test_a_comment_that_had_arrived_when_the_program_was_killed_is_not_offered_again(
    workspace: Workspace,
) -> None:
    async with workspace.reader() as reader:
        await to_the_paragraph(reader)
        await reader.press("c")
        await reader.type("Once")
        await reader.press("escape")
        (draft,) = reader.store.drafts.find()
        reader.store.drafts.mark_sending(draft)
        body = {"page": "welcome", "body": {"markdown": "Once"}}
        await reader.api.send("POST", f"/spaces/{reader.space}/comments", body)
    async with workspace.reader() as reader:
        assert reader.store.drafts.find() == []
        assert reader.says("Your comment “Once” had arrived.")


async def commented(reader: Reader, text: str = "Is this true?") -> None:
    await to_the_paragraph(reader)
    await reader.press("c")
    await reader.type(text)
    await reader.press("ctrl+s")


async def test_a_thread_takes_replies_reactions_and_is_resolved_and_opened_again(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await commented(reader)
        await reader.press("C")
        reader.shows("Comments on this page  1", "Is this true?")
        await reader.press("enter", "c")
        await reader.type("It is.")
        await reader.press("ctrl+s")
        reader.shows("It is.")
        await reader.press("g", "plus", "enter")
        reader.shows("x resolve")
        await reader.press("x")
        reader.shows("x reopen")
        (comment,) = await reader.comments()
        assert (comment["replies"], comment["status"]) == (1, "resolved")
        assert [one["emoji"] for one in comment["reactions"]] == ["1f44d"]
        await reader.press("escape", "escape")
        assert "○1" not in reader.line("👋 Welcome")
        await reader.press("u")
        (comment,) = await reader.comments()
        assert comment["status"] == "open"


async def test_the_comments_of_the_space_are_on_a_tab_where_one_is_opened_edited_and_deleted(
    workspace: Workspace,
) -> None:
    async with workspace.reader() as reader:
        await commented(reader)
        await reader.press("3")
        reader.shows("1 open, 0 resolved", "Welcome", "on “This paragraph is here to be commented on.”")
        await reader.press("enter")
        reader.shows("Is this true?", "c reply")
        await reader.press("e")
        reader.shows("Edit what you wrote", "On the block “This paragraph is here to be commented on.”.")
        await reader.type(" Really?")
        await reader.press("ctrl+s")
        assert (await reader.comments())[0]["body"]["markdown"] == "Is this true? Really?"
        await reader.press("D")
        reader.shows("This cannot be undone.")
        await reader.press("y")
        assert await reader.comments() == []


async def test_a_reply_to_a_thread_that_is_deleted_meanwhile_is_a_comment_in_its_place(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await commented(reader, "Is this true?")
        await reader.press("3", "enter", "c")
        await reader.type("It is.")
        (comment,) = await reader.comments()
        await reader.api.send("DELETE", f"/spaces/{workspace.space}/comments/{comment['id']}", None, 204)
        await reader.press("ctrl+s")
        assert reader.says("The thread on “This paragraph is here to be commented…” was deleted.")
        assert await reader.comments() == []
    async with workspace.reader() as reader:
        await to_the_paragraph(reader)
        assert "…" in reader.line("This paragraph is here to be commented on.")
        await reader.press("c", "ctrl+s")
        (comment,) = await reader.comments()
        assert comment["body"]["markdown"] == "It is."
        assert reader.store.drafts.find() == []


async def test_keys_typed_while_a_thread_opens_belong_to_it_and_to_what_it_opens(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await commented(reader, "```suggestion\nThis sentence is better.\n```")
        await reader.press("3")
        gate = asyncio.Event()
        reader.transport.then["get_space"] = gate.wait
        await reader.pilot.press("enter", "c", "D", "q")
        assert not isinstance(reader.pilot.app.screen, Dialog), "the source of the block is still being read"
        gate.set()
        await settled(reader.pilot)
        assert reader.pilot.app.screen.query_one(TextPad).text == "Dq", "c replies, the letters are the reply"


async def test_a_suggestion_is_taken_by_way_of_a_change_request(workspace: Workspace) -> None:
    async with workspace.reader() as reader:
        await commented(reader, "```suggestion\nThis sentence is better.\n```")
        await reader.press("3", "enter", "t", "enter")
        assert reader.says("“Welcome” is in #1 “Edit Welcome”.")
        text = await reader.text_in(1, "welcome")
        assert "This sentence is better." in text
        assert "This paragraph is here" not in text
        assert "* one\n* two" in text


def test_a_comment_on_no_page_is_on_the_change_request_or_the_space() -> None:
    targets = CommentTarget(change_request="one"), CommentTarget()
    assert [page_name(Comment(id="c", target=target)) for target in targets] == ["the change request", "the space"]
