"""What was merged is taken back, by a change request against what came later, on a real platform."""

from __future__ import annotations

from collections.abc import AsyncIterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from typing import Any

import pytest

from recto.client.errors import BadRequest, Unreachable, Unsupported
from recto.contract.change_requests import ChangeRequest
from recto.contract.changes import ContentChanges, DeletePage
from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Platform
from recto.store.content_writes import change_pages, require_writes
from recto.store.drafts import DraftKind
from recto.store.mutation import Mutation, Outcome
from recto.store.resolution import load_resolution
from recto.store.revert_plan import RevertPlan
from recto.store.reverting import Reverting
from recto.store.store import Store
from support.content import Desk, make_space, titles
from support.other_platforms import OtherPlatform, store_of
from support.platform import FrozenClock, Speaker, make_platform
from support.sites import Refusing, make_store

PROSE = "One is first.\n\nTwo is second.\n\nThree is third.\n\nFour is fourth.\n\nFive is fifth.\n"
PAGES = (
    ImportedPage("start", "Start", "start", text=PROSE),
    ImportedPage(
        "part",
        "Part",
        "part",
        text="See [the end](/pages/end).\n",
        children=(
            ImportedPage("inner", "Inner", "inner", text="Within.\n"),
            ImportedPage("deep", "Deep", "deep", text="Back to [the part](/pages/part).\n"),
        ),
    ),
    ImportedPage("end", "End", "end", text="The end, after [the part](/pages/part).\n"),
)


@dataclass
class Screen:
    """A screen that answers yes, and notes what was asked and said."""

    store: Store
    agrees: bool = True
    plans: list[RevertPlan] = field(default_factory=list)
    said: list[str] = field(default_factory=list)
    failed: list[Exception] = field(default_factory=list)
    opened: list[ChangeRequest] = field(default_factory=list)
    went_on: list[int] = field(default_factory=list)

    def say(self, text: str) -> None:
        self.said.append(text)

    def say_failed(self, error: Exception) -> None:
        self.failed.append(error)

    async def send(self, mutation: Mutation[Any]) -> Outcome[Any]:
        return await self.store.run(mutation)

    async def confirm_revert(self, name: str, plan: RevertPlan, unfinished: ChangeRequest | None) -> bool:
        self.plans.append(plan)
        self.went_on += [unfinished.number] if unfinished is not None else []
        return self.agrees

    def open_request(self, request: ChangeRequest) -> None:
        self.opened.append(request)


class Bench:
    """A space, a screen, and the platform behind both."""

    def __init__(self, platform: Platform, clock: FrozenClock, folder: Path, pages: Sequence[ImportedPage]) -> None:
        self.platform = platform
        self.clock = clock
        self.ada = Speaker(platform)
        self.space = make_space(platform, pages)
        self.store, self.transport = make_store(platform, folder)
        self.screen = Screen(self.store)

    async def merge(self, *changes: Any, subject: str = "A change") -> Desk:
        self.clock.advance(minutes=5)
        desk = await Desk.open(self.ada, self.space, subject)
        for start in range(0, len(changes), 50):
            await desk.write(*changes[start : start + 50])
        await desk.merge()
        self.clock.advance(minutes=5)
        return desk

    async def revert(self, desk: Desk) -> None:
        await Reverting(self.store, self.space, self.screen).revert((await desk.get())["revisionMerged"])

    @property
    def desk(self) -> Desk:
        """The change request that was made."""
        return Desk(self.ada, self.space, self.screen.opened[-1].number)

    async def main(self) -> Any:
        """What main holds, page by page, as far as it says something to a reader."""
        pages = (await self.ada.get(f"/spaces/{self.space}/content/pages"))["pages"]
        return [await self._page(page) for page in pages]

    async def _page(self, page: Any) -> Any:
        whole = await self.ada.get(f"/spaces/{self.space}/content/page/{page['id']}", format="markdown")
        below = [await self._page(child) for child in page.get("pages", ())]
        told = {name: whole.get(name) for name in ("id", "title", "slug", "description", "icon", "hidden", "markdown")}
        return {**told, "pages": below}

    async def requests(self) -> list[Any]:
        answer = await self.ada.request("GET", f"/spaces/{self.space}/change-requests?status=draft")
        return list(answer.json()["items"])


@pytest.fixture
async def bench(tmp_path: Path, clock: FrozenClock) -> AsyncIterator[Bench]:
    platform = make_platform(tmp_path, clock=clock)
    bench = Bench(platform, clock, tmp_path, PAGES)
    yield bench
    await bench.store.aclose()
    platform.close()


def update(page: str, text: str | None = None, **values: Any) -> dict[str, Any]:
    document = {} if text is None else {"document": {"markdown": text}}
    return {"operation": "update_page", "page": page, **document, **values}


def insert(title: str, text: str = "New.\n", **values: Any) -> dict[str, Any]:
    return {"operation": "insert_page", "title": title, "document": {"markdown": text}, **values}


def delete(page: str) -> dict[str, Any]:
    return {"operation": "delete_page", "page": page}


EVERYTHING = (
    update("start", PROSE.replace("Two is second", "Two comes second"), title="Begin", slug="begin", icon="star"),
    update("inner", into=None, at=0),
    insert("Fresh", into="start"),
    delete("part"),
)


async def test_all_is_as_it_was_once_the_change_request_is_merged(bench: Bench) -> None:
    before = await bench.main()
    desk = await bench.merge(*EVERYTHING)
    assert await bench.main() != before
    await bench.revert(desk)
    assert bench.screen.opened[-1].subject == "Revert #1: A change"
    assert not bench.screen.plans[-1].kept and not bench.screen.plans[-1].lost
    await bench.desk.merge()
    assert await bench.main() == before


async def test_pages_that_go_with_the_one_above_are_counted(bench: Bench) -> None:
    await bench.revert(await bench.merge(delete("part")))
    await bench.desk.merge()
    bench.clock.advance(minutes=5)
    await bench.revert(bench.desk)
    plan = bench.screen.plans[-1]
    assert [(step.title, step.below) for step in plan.steps] == [("Part", 2)]
    assert plan.pages == 3


@pytest.mark.parametrize(
    "changes",
    [
        (insert("Zero", at=0), delete("part")),
        (update("end", at=0), update("part", at=1)),
        (update("inner", into=None, at=1), update("start", into="part", at=0), insert("New", into="part", at=1)),
        (update("deep", into="end"), insert("Above", at=1), update("end", at=0), delete("inner")),
    ],
)
async def test_every_page_stands_where_it_stood(bench: Bench, changes: Sequence[Any]) -> None:
    before = await bench.main()
    desk = await bench.merge(*changes)
    await bench.revert(desk)
    await bench.desk.merge()
    assert await bench.main() == before


async def test_whatever_is_merged_is_taken_back(bench: Bench) -> None:
    random = Random(7)
    for _ in range(12):
        before = await bench.main()
        bench.clock.advance(minutes=5)
        desk = await Desk.open(bench.ada, bench.space, "Anything")
        for _ in range(random.randint(2, 8)):
            ids = [page["id"] for page in flat((await bench.ada.get(f"{desk.path}/content/pages"))["pages"])]
            await desk.speaker.request("POST", f"{desk.path}/content", json={"changes": [anything(random, ids)]})
        await desk.merge()
        bench.clock.advance(minutes=5)
        made = len(bench.screen.opened)
        await bench.revert(desk)
        if len(bench.screen.opened) > made:
            await bench.desk.merge()
        assert await bench.main() == before
    assert len(bench.screen.opened) > 8


def flat(pages: Sequence[Any]) -> list[Any]:
    return [one for page in pages for one in (page, *flat(page.get("pages", ())))]


def anything(random: Random, ids: Sequence[str]) -> dict[str, Any]:
    """Return a change of any page, which the platform may refuse."""
    page, other, place = random.choice(ids), random.choice([None, *ids]), random.randint(0, 2)
    return random.choice(
        [
            insert(f"New {random.randint(0, 9)}", **({"into": other} if other else {}), at=place),
            update(page, into=other, at=place),
            update(page, at=place),
            update(page, f"Text {random.randint(0, 9)}.\n"),
            update(page, title=f"Title {random.randint(0, 9)}", description="Said."),
            delete(page),
        ]
    )


async def test_what_came_later_stays(bench: Bench) -> None:
    desk = await bench.merge(*EVERYTHING)
    await bench.merge(
        update("start", PROSE.replace("Two is second", "Two comes second").replace("Five is", "Five was")),
        update("end", "Another end.\n"),
    )
    await bench.revert(desk)
    await bench.desk.merge()
    pages = {page["id"]: page for page in await bench.main()}
    assert "Two is second" in pages["start"]["markdown"] and "Five was fifth" in pages["start"]["markdown"]
    assert "Another end." in pages["end"]["markdown"]
    assert [page["id"] for page in pages["part"]["pages"]] == ["inner", "deep"]


async def test_what_was_worked_on_since_stays_and_is_listed(bench: Bench) -> None:
    desk = await bench.merge(*EVERYTHING)
    fresh = next(page for page in (await bench.main())[1]["pages"] if page["title"] == "Fresh")["id"]
    await bench.merge(
        update("start", title="The very beginning"),
        update(fresh, "New, and better.\n"),
        update("inner", into="end"),
    )
    await bench.revert(desk)
    assert bench.screen.plans[-1].kept == (
        "“The very beginning”: its title was changed since and stays.",
        "“Fresh” was worked on since and stays.",
        "“Inner” was moved since and stays where it is.",
    )
    await bench.desk.merge()
    main = await bench.main()
    assert titles(main) == [("The very beginning", ["Fresh"]), ("Part", ["Deep"]), ("End", ["Inner"])]


async def test_a_text_changed_since_in_the_same_place_is_resolved_in_the_change_request(bench: Bench) -> None:
    desk = await bench.merge(update("start", PROSE.replace("Two is second", "Two comes second")))
    await bench.merge(update("start", PROSE.replace("Two is second", "Two is the second")))
    await bench.revert(desk)
    assert [page.id for page in bench.screen.plans[-1].conflicts] == ["start"]
    text = await bench.desk.text("start")
    assert "<<<<<<< now\nTwo is the second.\n" in text and "Two is second.\n>>>>>>> before" in text
    drafts = bench.store.drafts
    (draft,) = [one for one in drafts.find() if one.kind is DraftKind.RESOLUTION]
    resolution = load_resolution(drafts.text(draft))
    assert draft.place.change_request == bench.screen.opened[-1].id
    assert resolution is not None and resolution.left == 1
    assert resolution.conflicts[0].base == "Two comes second.\n"


async def test_what_the_platform_cannot_take_back_is_listed(bench: Bench) -> None:
    picture = {"name": "a.png", "contentType": "image/png", "base64": "iVBORw0KGgo="}
    desk = await bench.merge(update("end", "Over.\n"), {"operation": "insert_files", "files": [picture]})
    await bench.revert(desk)
    assert bench.screen.plans[-1].lost == ("file created: a.png",)


async def test_many_changes_go_in_parts_and_are_taken_up_again(bench: Bench) -> None:
    before = await bench.main()
    desk = await bench.merge(*(insert(f"Page {number}") for number in range(120)))
    bench.transport.errors["write_content"] = [None, Unreachable("Not sent.", "The network is down.")]
    await bench.revert(desk)
    assert bench.screen.failed and not bench.screen.opened
    assert "same key continues" in bench.screen.said[-1]
    await bench.revert(desk)
    assert bench.screen.went_on == [2]
    assert [len(plan.steps) for plan in bench.screen.plans] == [120, 70]
    assert len(await bench.requests()) == 1
    await bench.desk.merge()
    assert await bench.main() == before


async def test_one_that_is_taken_back_already_is_opened(bench: Bench) -> None:
    desk = await bench.merge(*EVERYTHING)
    await bench.revert(desk)
    await bench.revert(desk)
    assert bench.screen.said[-1] == "#2 “Revert #1: A change” reverts it already."
    assert [request.number for request in bench.screen.opened] == [2, 2]
    assert len(await bench.requests()) == 1


@pytest.mark.parametrize("operation", ["create_change_request", "write_content"])
async def test_an_answer_that_is_lost_is_looked_for(bench: Bench, operation: str) -> None:
    async def lose() -> None:
        raise Unreachable("Not sent.", "The connection broke.", may_have_arrived=True)

    before = await bench.main()
    desk = await bench.merge(*EVERYTHING)
    bench.transport.then[operation] = lose
    await bench.revert(desk)
    assert not bench.screen.failed
    assert len(await bench.requests()) == 1
    await bench.desk.merge()
    assert await bench.main() == before


async def test_where_no_page_comes_back_under_its_id_links_lead_to_the_new_ones(bench: Bench) -> None:
    desk = await bench.merge(delete("part"))
    refuse_reverting(bench.transport)
    await bench.revert(desk)
    assert not bench.screen.failed
    await bench.desk.merge()
    main = await bench.main()
    assert titles(main) == ["Start", ("Part", ["Inner", "Deep"]), "End"]
    part, end = main[1], main[2]
    assert part["id"] != "part"
    assert f"[the part](/pages/{part['id']})" in end["markdown"]
    assert f"[the part](/pages/{part['id']})" in part["pages"][1]["markdown"]


def refuse_reverting(transport: Refusing) -> None:
    """Let the platform take no write that reverts a page."""
    send = transport.inner.send

    async def refusing(operation: Any, arguments: Any) -> Any:
        body = arguments.get("body")
        if operation.name == "write_content" and any(one.operation == "revert_page" for one in body.changes):
            raise BadRequest("Not written.", "revert_page is not known.", status=400)
        return await send(operation, arguments)

    transport.inner.send = refusing  # type: ignore[method-assign]


async def test_where_the_person_declines_nothing_is_made(bench: Bench) -> None:
    desk = await bench.merge(*EVERYTHING)
    bench.screen.agrees = False
    await bench.revert(desk)
    assert not bench.transport.changes


async def test_where_the_platform_takes_no_writes_nothing_is_asked_or_made(bench: Bench, tmp_path: Path) -> None:
    desk = await bench.merge(*EVERYTHING)
    transport = OtherPlatform(bench.platform, has=lambda method, path: (method, path.rpartition("/")[2]) != _WRITE)
    store = store_of(bench.platform, tmp_path / "hosted", transport)
    screen = Screen(store)
    for _ in range(2):
        with pytest.raises(Unsupported, match="Pages cannot be written"):
            await Reverting(store, bench.space, screen).revert((await desk.get())["revisionMerged"])
    await store.aclose()
    assert len(transport.lacked) == 1
    assert not screen.plans and not await bench.requests()


_WRITE = ("POST", "content")


async def test_a_platform_that_takes_writes_is_asked_once(bench: Bench, tmp_path: Path) -> None:
    desk = await bench.merge(*EVERYTHING)
    store = store_of(bench.platform, tmp_path / "hosted", OtherPlatform(bench.platform))
    assert store.is_unsure_of(ContentChanges.write_content)
    await require_writes(store, bench.space)
    assert not store.is_unsure_of(ContentChanges.write_content)
    await store.aclose()
    assert (await desk.get())["status"] == "merged"


async def test_the_first_change_request_of_a_space_is_archived_where_the_platform_takes_no_writes(
    bench: Bench, tmp_path: Path
) -> None:
    transport = OtherPlatform(bench.platform, has=lambda method, path: (method, path.rpartition("/")[2]) != _WRITE)
    store = store_of(bench.platform, tmp_path / "hosted", transport)
    await require_writes(store, bench.space)
    made: list[ChangeRequest] = []
    changes = (DeletePage(page="end"),)
    outcome = await store.run(change_pages(bench.space, None, "Less", changes, "Deleting", "Deleted", made.append))
    await store.aclose()
    assert isinstance(outcome.error, Unsupported) and [request.subject for request in made] == ["Less"]
    assert not await bench.requests()


async def test_what_was_taken_back_is_applied_again_and_taken_back_again_under_one_name(bench: Bench) -> None:
    before = await bench.main()
    desk = await bench.merge(*EVERYTHING)
    after = await bench.main()
    for subject, main in (("Revert", before), ("Reapply", after), ("Revert", before), ("Reapply", after)):
        await bench.revert(desk)
        assert bench.screen.opened[-1].subject == f"{subject} #1: A change"
        desk = bench.desk
        await desk.merge()
        bench.clock.advance(minutes=5)
        assert titles(await bench.main()) == titles(main)


async def test_a_long_subject_is_cut_where_it_is_taken_back(bench: Bench) -> None:
    desk = await bench.merge(update("start", title="Begin"), subject="x" * 100)
    for verb in ("Revert", "Reapply", "Revert"):
        await bench.revert(desk)
        subject = bench.screen.opened[-1].subject
        assert subject.startswith(f"{verb} #1: xxx") and len(subject) <= 100
        desk = bench.desk
        await desk.merge()
        bench.clock.advance(minutes=5)
