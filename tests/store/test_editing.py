"""Where edits of pages go, and how their text is recognised on the platform."""

from __future__ import annotations

import asyncio
import os
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from threading import current_thread, main_thread
from typing import Any, TypeVar

import pytest

from recto.client.errors import Unreachable
from recto.contract.addresses import InChangeRequest, Main
from recto.contract.change_requests import ChangeRequest, ChangeRequests
from recto.contract.content import Content
from recto.contract.spaces import Spaces
from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Platform
from recto.store.content_writes import same_text
from recto.store.drafts import Draft, DraftKind, DraftPlace, Drafts
from recto.store.editing import SUBJECT_LIMIT, Editing, MergeChoice, Target, default_subject
from recto.store.keeper import Keeper, TypedText
from recto.store.mutation import Mutation, Outcome
from recto.store.store import Store
from support.content import Desk, make_space
from support.hosted import Hosted
from support.platform import Speaker
from support.sites import make_store

R = TypeVar("R")

NOW = datetime(2026, 3, 2, tzinfo=UTC)


def draft(request: str | None, **facts: str) -> Draft:
    place = DraftPlace(space="s", change_request=request, page="p")
    return Draft("d", DraftKind.PAGE_EDIT, place, Path("text.md"), NOW, NOW, facts=facts)


@pytest.mark.parametrize(
    ("given", "sent", "same"),
    [
        ("# A\n\ntext\n", "# A\n\ntext\n", True),
        ("# A\n\ntext", "# A\n\ntext\n\n", True),
        ("# A\n\ntext\n", "---\ndescription: B\n---\n\n# A\n\ntext\n", True),
        ("# A\n\ntext\n", "\ufeff# A\r\n\r\ntext\r\n", True),
        ("# A\n\ntext\n", "# A\n\nother\n", False),
        ("# A\n\ntext\n", "# B\n\ntext\n", False),
    ],
)
def test_a_text_is_recognised_as_it_is_given_out(given: str, sent: str, same: bool) -> None:
    assert same_text(given, sent) is same


def test_a_draft_goes_where_it_was_started_for_unless_it_was_sent_elsewhere_since() -> None:
    started = draft("c1", subject="One", number="1")
    assert Target.of_draft(started) == Target("c1", "One", 1)
    assert Target.of_draft(draft("c1", **Target("c2", "Two", 2).facts)) == Target("c2", "Two", 2)
    new = Target.of_draft(draft("c1", **Target(subject="Three").facts))
    assert new == Target(None, "Three")
    assert new.name == "a new change request “Three”"


def test_a_long_title_makes_a_subject_that_is_not_too_long() -> None:
    assert default_subject("The  guide\n") == "Edit The guide"
    assert len(default_subject("word " * 60)) <= SUBJECT_LIMIT


# The use case, without a screen


@dataclass
class Scripted:
    """A port that answers as the test says, and notes what it was asked and told."""

    store: Store
    types: list[str] = field(default_factory=list)
    """The texts typed in the editor, one after another."""
    merges: MergeChoice = MergeChoice.LATER
    subject: str | None = "Say it better"
    asked: list[str] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    sent: list[str] = field(default_factory=list)
    chosen: str | None = None

    def say(self, text: str) -> None:
        self.said.append(text)

    def say_failed(self, error: Exception) -> None:
        self.said.append(str(error))

    async def send(self, mutation: Mutation[R]) -> Outcome[R]:
        return await self.store.run(mutation)

    async def choose_target(self, title: str, subject: str, requests: Sequence[ChangeRequest]) -> Target | None:
        self.asked.append(title if requests else subject)
        if requests:
            return Target.of(requests[0])
        return Target(subject=self.subject) if self.subject is not None else None

    async def edit_file(self, file: Path, line: int) -> bool:
        await asyncio.to_thread(file.write_text, self.types.pop(0))
        return True

    async def edit_text(self, title: str, where: str, typed: TypedText, line: int) -> bool:
        raise AssertionError("the person has an editor")

    async def choose_merge(self, conflicts: int) -> MergeChoice:
        self.asked.append(f"{conflicts} conflicts")
        return self.merges

    async def confirm_discard(self, draft: Draft) -> bool:
        return True

    def show_sent(self, what: str, request: ChangeRequest, page: str | None) -> None:
        self.sent.append(f"{what} in #{request.number}")

    def drafts_changed(self) -> None:
        """Nothing is shown."""

    def request_chosen(self, request: ChangeRequest) -> None:
        self.chosen = request.id


@pytest.fixture
def space(platform: Platform) -> str:
    return make_space(platform, [ImportedPage("page", "Page", slug="page", text="One.\n\nTwo.\n")])


async def text_of(store: Store, space: str, number: str) -> str:
    page = await store.fetch(Content.get_page, InChangeRequest(space, number), "page", format="markdown")
    return page.markdown or ""


async def edit(editing: Editing, store: Store, space: str) -> None:
    page = await store.fetch(Content.get_page, Main(space), "page", format="markdown")
    await editing.edit(page, built_in=False)


async def test_an_edit_goes_to_a_new_change_request_and_the_next_one_there_too(
    platform: Platform, tmp_path: Path, space: str
) -> None:
    store, _ = make_store(platform, tmp_path)
    screen = Scripted(store, types=["# Page\n\nUno.\n\nTwo.\n", "# Page\n\nUno.\n\nDue.\n"])
    editing = Editing(store, space, screen, choice=lambda: screen.chosen)
    await edit(editing, store, space)
    assert (screen.asked, screen.sent) == (["Edit Page"], ["“Page” in #1"])
    await edit(editing, store, space)
    assert screen.asked == ["Edit Page"]
    assert screen.said == ["This goes to #1 “Say it better”."]
    assert await text_of(store, space, "1") == "# Page\n\nUno.\n\nDue.\n"
    assert store.drafts.find() == []
    await store.aclose()


async def test_a_change_request_without_a_subject_is_named_by_its_number(
    platform: Platform, tmp_path: Path, space: str
) -> None:
    made = await Speaker(platform).send("POST", f"/spaces/{space}/change-requests", {}, 201)
    store, _ = make_store(platform, tmp_path)
    screen = Scripted(store, types=["# Page\n\nUno.\n\nTwo.\n"])
    await edit(Editing(store, space, screen, choice=lambda: made["id"]), store, space)
    assert screen.said == ["This goes to #1."]
    assert Target.of(await store.fetch(ChangeRequests.get_change_request, space, made["id"])).name == "#1"
    await store.aclose()


async def test_a_text_is_merged_with_what_the_page_has_become_and_looked_at_before_it_is_sent(
    platform: Platform, tmp_path: Path, space: str
) -> None:
    desk = await Desk.open(Speaker(platform), space, "Meanwhile")
    store, _ = make_store(platform, tmp_path)
    screen = Scripted(store, types=["# Page\n\nUno.\n\nTwo.\n"], merges=MergeChoice.LATER)
    editing = Editing(store, space, screen)
    page = await store.fetch(Content.get_page, Main(space), "page", format="markdown")

    async def edit_meanwhile(file: Path, line: int) -> bool:
        await desk.edit("page", "# Page\n\nOne.\n\nDue.\n")
        return await Scripted.edit_file(screen, file, line)

    screen.edit_file = edit_meanwhile  # type: ignore[method-assign]
    await editing.edit(page, built_in=False)
    assert screen.asked == ["Edit “Page” in", "0 conflicts"]
    assert screen.said == ["Your text for “Page” is kept as a draft: ‹page.edit› continues it."]
    assert list(editing.drafts) == ["page"]
    del screen.edit_file
    screen.merges = MergeChoice.LOOK
    here = ["# Page\n\nUno!\n\nTwo.\n", "# Page\n\nUno!\n\nDue!\n"]

    async def type_here(title: str, where: str, typed: TypedText, line: int) -> bool:
        typed.type(here.pop(0))
        return True

    screen.edit_text = type_here  # type: ignore[method-assign]
    await editing.edit(page, built_in=True)
    assert await text_of(store, space, "1") == "# Page\n\nUno!\n\nDue!\n"
    assert (screen.sent, store.drafts.find()) == (["“Page” in #1"], [])
    await store.aclose()


async def test_a_page_whose_links_carry_keys_is_edited_offline_and_sent_as_it_is(
    platform: Platform, tmp_path: Path
) -> None:
    link = f"[the map](https://maps.example.com/view?key=abc&sig={'7' * 25})"
    space = make_space(platform, [ImportedPage("page", "Page", slug="page", text=f"See {link}.\n")])
    hosted = Hosted(platform, tmp_path)
    store = hosted.store()
    await store.fetch(Spaces.get_space, space)
    await store.fetch(Content.get_page, Main(space), "page", format="markdown")
    await store.aclose()

    hosted.line.is_cut = True
    store = hosted.store()
    screen = Scripted(store)
    editing = Editing(store, space, screen)
    page = (await store.query(Content.get_page, Main(space), "page", format="markdown").wait()).value
    assert page is not None
    send = False

    async def type_here(title: str, where: str, typed: TypedText, line: int) -> bool:
        assert link in typed.text
        typed.type(f"# Page\n\nSee {link}.\n\nThen go.\n")
        await typed.save()
        return send

    screen.edit_text = type_here  # type: ignore[method-assign]
    await editing.edit(page, built_in=True)
    assert list(editing.drafts) == ["page"]
    hosted.line.is_cut, send = False, True
    await editing.edit(page, built_in=True)
    assert (screen.asked, screen.sent) == (["Edit Page"], ["“Page” in #1"])
    assert await text_of(store, space, "1") == f"# Page\n\nSee {link}.\n\nThen go.\n"
    await store.aclose()


@pytest.mark.parametrize("revision", ["that-is-gone", ""])
async def test_each_difference_is_a_conflict_where_the_text_before_is_not_known(
    platform: Platform, tmp_path: Path, space: str, revision: str
) -> None:
    store, _ = make_store(platform, tmp_path)
    revision = revision or (await store.fetch(Spaces.get_space, space)).revision
    place = DraftPlace(space=space, page="page")
    mine, before = "# Page\n\nUno.\n\nTwo.\n\nThree.\n", "# Page\n\nSomething else.\n"
    target = Target(subject="Mine").facts
    started = store.drafts.start(
        DraftKind.PAGE_EDIT, place, mine, base_revision=revision, base_text=before, facts={"title": "Page", **target}
    )
    screen = Scripted(store, types=[mine], merges=MergeChoice.LATER)
    editing = Editing(store, space, screen)
    await edit(editing, store, space)
    assert screen.asked == ["1 conflicts"]
    assert screen.said[0] == (
        "The text from which you began “Page” is not known any more: each difference is a conflict."
    )
    assert store.drafts.text(started) == mine
    assert screen.sent == []
    await store.aclose()


@pytest.mark.skipif(os.name == "nt", reason="files are not locked there")
async def test_a_page_that_is_open_in_two_programs_loses_the_words_of_neither(
    platform: Platform, tmp_path: Path, space: str
) -> None:
    (store, _), (other, _) = make_store(platform, tmp_path), make_store(platform, tmp_path)
    await Desk.open(Speaker(platform), space, "Both")
    first = Scripted(store, types=["# Page\n\nUno.\n\nTwo.\n"])
    second = Scripted(other)

    async def edit_in_both(file: Path, line: int) -> bool:
        await edit(Editing(other, space, second), other, space)
        return await Scripted.edit_file(first, file, line)

    async def no_editor(file: Path, line: int) -> bool:
        return False

    async def type_and_leave(title: str, where: str, typed: TypedText, line: int) -> bool:
        typed.type("# Page\n\nOne.\n\nDue.\n")
        return False

    first.edit_file = edit_in_both  # type: ignore[method-assign]
    second.edit_file, second.edit_text = no_editor, type_and_leave  # type: ignore[method-assign]
    await edit(Editing(store, space, first), store, space)
    assert second.said[0] == "“Page” is open in another window, too: this is a draft of its own."
    assert first.said == ["Another draft of “Page” is not sent: ‹page.edit› continues it."]
    first.types, first.merges = ["# Page\n\nOne.\n\nDue!\n"], MergeChoice.SEND
    del first.edit_file
    await edit(Editing(store, space, first), store, space)
    assert first.sent == ["“Page” in #1", "“Page” in #1"]
    assert await text_of(store, space, "1") == "# Page\n\nUno.\n\nDue!\n"
    await store.aclose()
    await other.aclose()


async def test_a_change_request_made_for_a_draft_is_used_though_its_answer_was_lost_and_the_program_killed(
    platform: Platform, tmp_path: Path, space: str
) -> None:
    store, transport = make_store(platform, tmp_path)
    screen = Scripted(store, types=["# Page\n\nUno.\n"])

    async def kill() -> None:
        transport.down = Unreachable("Could not load it.", "The network is down.")
        raise Unreachable("The change request was not made.", "The connection broke.", may_have_arrived=True)

    transport.then["create_change_request"] = kill
    await edit(Editing(store, space, screen), store, space)
    assert screen.sent == []
    await store.aclose()
    store, _ = make_store(platform, tmp_path)
    screen = Scripted(store, types=["# Page\n\nUno, due.\n"])
    editing = Editing(store, space, screen)
    await editing.find_drafts()
    await edit(editing, store, space)
    assert screen.sent == ["“Page” in #1"]
    listed = await store.fetch(ChangeRequests.list_change_requests, space, status="draft")
    assert [one.number for one in listed.items] == [1]
    assert await text_of(store, space, "1") == "# Page\n\nUno, due.\n"
    await store.aclose()


async def test_drafts_are_found_while_others_change_and_one_goes(
    platform: Platform, tmp_path: Path, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    store, _ = make_store(platform, tmp_path)
    place = DraftPlace(space=space, page="page")
    kept = store.drafts.start(DraftKind.PAGE_EDIT, place, "Typed.\n", base_text="One.\n")
    gone = store.drafts.start(DraftKind.PAGE_EDIT, replace(place, page="other"), "Typed.\n", base_text="One.\n")
    find = store.drafts.find

    def find_late(*args: Any) -> list[Draft]:
        found = find(*args)
        Drafts(store.drafts.folder, platform.clock).discard(gone)  # in another window
        return found

    def read_unsaved(_: Keeper) -> list[Draft]:
        assert current_thread() is main_thread(), "typing changes it meanwhile"
        return []

    monkeypatch.setattr(store.drafts, "find", find_late)
    monkeypatch.setattr(Keeper, "unsaved", property(read_unsaved))
    editing = Editing(store, space, Scripted(store))
    await editing.find_drafts()
    assert editing.drafts == {"page": kept}
    await store.aclose()
