from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from recto.client.errors import BadRequest, NotFound, ServerFailed, Unreachable, Unsupported
from recto.contract.structure import ItemPointer, SectionGroups, SortPosition, SortStructure, Structure
from recto.server.platform import Platform
from recto.store.arrangement import Arrangement
from recto.store.move_plan import plan
from recto.store.moves import Move, Where, apply_move
from recto.store.rearranging import Rearranged, SiteAddress, StepControl, Stopped, rearrange, rearrangement
from recto.store.store import Store
from support.arrangements import outline
from support.platform import make_platform
from support.sites import Docs, Refusing, make_docs, make_store

BEFORE = (
    "Home(English Français) Products(Payments(Payments guide) Identity(Identity guide))"
    " Developers(Version 3 Version 2 Version 1) Guides(Tutorials(First steps)) Changelog(Changes)"
)


@dataclass
class Bench:
    platform: Platform
    store: Store
    transport: Refusing
    docs: Docs

    @property
    def site(self) -> SiteAddress:
        return SiteAddress(self.docs.organization, self.docs.site)

    async def now(self) -> Arrangement:
        return await self.site.read(self.store.call)

    async def wanted(self, *moves: tuple[str, str | None, Where]) -> tuple[Arrangement, Arrangement]:
        base = await self.now()
        wanted = base
        for item, target, where in moves:
            ids = self.docs.ids
            result = apply_move(wanted, Move((ids[item],), ids[target] if target else None, where))
            assert isinstance(result, Arrangement)
            wanted = result
        return base, wanted


@pytest.fixture
async def bench(tmp_path: Path) -> AsyncIterator[Bench]:
    platform = make_platform(tmp_path)
    store, transport = make_store(platform, tmp_path)
    yield Bench(platform, store, transport, make_docs(platform))
    await store.aclose()
    platform.close()


MOVES = (
    ("Tutorials", "Payments", Where.BEFORE),
    ("Guides", "Products", Where.INSIDE),
    ("Developers", "Home", Where.BEFORE),
    ("Version 1", "Version 3", Where.BEFORE),
)
AFTER = (
    "Developers(Version 1 Version 3 Version 2) Home(English Français)"
    " Products(Tutorials(First steps) Payments(Payments guide) Identity(Identity guide) Guides) Changelog(Changes)"
)


async def test_moves_are_made_reported_and_undone(bench: Bench) -> None:
    base, wanted = await bench.wanted(*MOVES)
    step_control = StepControl()
    told: list[tuple[int, int | None]] = []
    step_control.changed.subscribe(lambda progress: told.append((progress.done, progress.total)))

    outcome = await rearrange(
        bench.store, rearrangement(bench.site, base, wanted, doing="Moving", done="Moved", step_control=step_control)
    )

    assert outcome.ok
    assert await bench.docs.order(bench.store) == AFTER
    assert told == [(count, 5) for count in range(6)]
    assert bench.transport.changes == ["update_section", "update_group", *["sort_structure"] * 3]
    undone = await bench.store.undo()
    assert undone is not None
    assert undone.error is None
    assert await bench.docs.order(bench.store) == BEFORE
    redone = await bench.store.redo()
    assert redone is not None
    assert redone.error is None
    assert await bench.docs.order(bench.store) == AFTER


async def test_a_server_without_sorting_is_asked_for_the_older_moves(bench: Bench) -> None:
    base, wanted = await bench.wanted(*MOVES)
    bench.transport.always["sort_structure"] = Unsupported("Could not sort.", "This server does not.", status=405)
    outcome = await rearrange(bench.store, rearrangement(bench.site, base, wanted, doing="Moving", done="Moved"))
    assert outcome.error is None
    assert await bench.docs.order(bench.store) == AFTER
    assert {"move_section", "move_site_space"} <= set(bench.transport.changes)


async def test_a_group_is_ordered_by_the_older_move_too(bench: Bench) -> None:
    base, wanted = await bench.wanted(("Guides", "Home", Where.BEFORE))
    bench.transport.always["sort_structure"] = NotFound("Could not sort.", "There is no such path.", status=404)
    outcome = await rearrange(bench.store, rearrangement(bench.site, base, wanted, doing="Moving", done="Moved"))
    assert outcome.error is None
    assert (await bench.docs.order(bench.store)).startswith("Guides(Tutorials(First steps)) Home")
    assert bench.transport.changes == ["sort_structure", "move_group"]


@pytest.mark.parametrize("status", [400, 405])
async def test_a_server_that_cannot_change_a_sections_group_is_asked_to_change_the_members(
    bench: Bench, status: int
) -> None:
    refusal = BadRequest if status == 400 else Unsupported
    bench.transport.always["update_section"] = refusal("Could not.", "It does not know the field.", status=status)
    base, wanted = await bench.wanted(("Payments", "Guides", Where.INSIDE), ("Identity", None, Where.INSIDE))
    outcome = await rearrange(bench.store, rearrangement(bench.site, base, wanted, doing="Moving", done="Moved"))
    assert outcome.error is None
    assert outline(await bench.now()) == outline(wanted)
    assert {"add_section", "remove_section"} <= set(bench.transport.changes)


async def test_a_failing_step_stops_says_what_was_done_and_can_be_undone(bench: Bench) -> None:
    base, wanted = await bench.wanted(*MOVES)
    bench.transport.errors["sort_structure"] = [None, ServerFailed("Could not sort.", "It broke.", status=500)]
    mutation = rearrangement(bench.site, base, wanted, doing="Moving", done="Moved")

    outcome = await rearrange(bench.store, mutation)

    stopped = outcome.error
    assert isinstance(stopped, Stopped)
    sentences = [step.sentence for step in plan(base, wanted)]
    assert [step.sentence for step in stopped.done] == sentences[:3]
    assert [step.sentence for step in stopped.left] == sentences[3:]
    assert stopped.what == "Could not sort."
    assert await bench.docs.order(bench.store) == outline(stopped.after) != BEFORE
    await bench.store.undo()
    assert await bench.docs.order(bench.store) == BEFORE


async def test_going_on_after_a_failure_reaches_what_was_wanted(bench: Bench) -> None:
    base, wanted = await bench.wanted(*MOVES)
    bench.transport.errors["update_group"] = [Unreachable("Could not move.", "No answer came.")]
    first = await rearrange(bench.store, rearrangement(bench.site, base, wanted, doing="Moving", done="Moved"))
    assert isinstance(first.error, Stopped)
    second = await rearrange(
        bench.store, rearrangement(bench.site, first.error.after, wanted, doing="Moving", done="Moved")
    )
    assert second.error is None
    assert await bench.docs.order(bench.store) == AFTER


async def test_a_step_whose_answer_was_lost_counts_as_done_where_it_was(bench: Bench) -> None:
    base, wanted = await bench.wanted(("Developers", "Home", Where.BEFORE), ("Changelog", "Home", Where.BEFORE))

    async def lose_answer() -> None:
        raise Unreachable("Could not sort.", "The connection broke.", may_have_arrived=True)

    bench.transport.then["sort_structure"] = lose_answer
    outcome = await rearrange(bench.store, rearrangement(bench.site, base, wanted, doing="Moving", done="Moved"))
    assert isinstance(outcome.error, Stopped)
    assert len(outcome.error.done) == 1
    assert len(outcome.error.left) == 1


async def test_moves_can_be_halted_between_two_steps(bench: Bench) -> None:
    base, wanted = await bench.wanted(*MOVES)
    step_control = StepControl()
    step_control.changed.subscribe(lambda progress: step_control.stop_steps() if progress.done == 2 else None)
    mutation = rearrangement(bench.site, base, wanted, doing="Moving", done="Moved", step_control=step_control)
    outcome = await rearrange(bench.store, mutation)
    assert isinstance(outcome.error, Stopped)
    assert len(outcome.error.done) == 2
    assert len(bench.transport.changes) == 2


async def test_moves_are_made_on_what_the_site_is_now_where_they_fit(bench: Bench) -> None:
    base, wanted = await bench.wanted(("Developers", "Home", Where.BEFORE))
    other, theirs = await bench.wanted(("Changelog", "Guides", Where.INSIDE))
    await rearrange(bench.store, rearrangement(bench.site, other, theirs, doing="Theirs", done="Theirs"))
    outcome = await rearrange(bench.store, rearrangement(bench.site, base, wanted, doing="Moving", done="Moved"))
    assert isinstance(outcome.value, Rearranged)
    order = await bench.docs.order(bench.store)
    assert order.startswith("Developers(Version 3 Version 2 Version 1) Home")
    assert "Guides(Tutorials(First steps) Changelog(Changes))" in order


async def test_moves_that_no_longer_fit_change_nothing(bench: Bench) -> None:
    base, wanted = await bench.wanted(("Developers", "Guides", Where.INSIDE))
    guides = bench.docs.ids["Guides"]
    await bench.store.call(SectionGroups.delete_group, bench.docs.organization, bench.docs.site, guides)
    bench.transport.changes.clear()
    outcome = await rearrange(bench.store, rearrangement(bench.site, base, wanted, doing="Moving", done="Moved"))
    assert outcome.error is not None
    assert "no longer fit" in outcome.error.why
    assert bench.transport.changes == []


async def test_a_server_that_puts_items_elsewhere_than_last_is_mended(bench: Bench) -> None:
    base, wanted = await bench.wanted(("Developers", "Products", Where.INSIDE))

    async def put_first() -> None:
        developers, payments = (
            ItemPointer(type="site-section", id=bench.docs.ids[title]) for title in ("Developers", "Payments")
        )
        body = SortStructure(item=developers, position=SortPosition(before=payments))
        await bench.store.call(Structure.sort_structure, bench.docs.organization, bench.docs.site, body)

    bench.transport.then["update_section"] = put_first
    outcome = await rearrange(bench.store, rearrangement(bench.site, base, wanted, doing="Moving", done="Moved"))
    assert outcome.error is None
    assert outline(await bench.now()) == outline(wanted)
