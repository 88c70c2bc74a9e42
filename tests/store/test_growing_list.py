from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeVar

import pytest

from recto.client.errors import NotFound, Unreachable
from recto.client.sender import embed
from recto.contract.addresses import Main
from recto.contract.change_requests import ChangeRequest
from recto.contract.content import Revision
from recto.contract.operation import Operation
from recto.store.drafts import Drafts
from recto.store.links import broken_links, broken_places, links_of_space
from recto.store.query import QueryState
from recto.store.query_keys import about
from recto.store.revisions import revisions_of_space
from recto.store.store import Store
from support.content import Desk
from support.sites import Refusing
from support.spaces import Workspace

R = TypeVar("R")


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    opened = Workspace(tmp_path)
    yield opened
    opened.close()


@pytest.fixture
def transport(workspace: Workspace) -> Refusing:
    return Refusing(embed(workspace.platform.application, workspace.platform.token))


@pytest.fixture
def store(workspace: Workspace, transport: Refusing) -> Store:
    clock = workspace.platform.clock
    return Store(transport, Drafts(workspace.folder / "drafts", clock), clock=clock)


async def merge(workspace: Workspace, subject: str, text: str) -> None:
    desk = await Desk.open(workspace.api, workspace.space, subject)
    await desk.edit("welcome", text)
    await desk.merge()


async def test_a_merge_that_says_what_it_merged_takes_no_further_question(
    workspace: Workspace, store: Store, transport: Refusing
) -> None:
    await merge(workspace, "The change", "# Welcome\n\nAnew.\n")
    known = (await revisions_of_space(store, workspace.space).wait()).value
    assert known is not None
    assert known.items[0].request is not None
    assert known.items[0].request.subject == "The change"
    assert not any("status" in arguments for arguments in transport.asked)


async def test_a_merge_that_says_only_the_id_of_what_it_merged_is_found_among_the_merged(
    workspace: Workspace, transport: Refusing
) -> None:
    await merge(workspace, "The change", "# Welcome\n\nAnew.\n")

    class Older(Refusing):
        async def send(self, operation: Operation[Any, R], arguments: Mapping[str, Any]) -> R:
            answer = await super().send(operation, arguments)
            if isinstance(answer, Revision) and isinstance(answer.merged_from, ChangeRequest):
                return answer.model_copy(update={"merged_from": answer.merged_from.id})
            return answer

    clock = workspace.platform.clock
    store = Store(Older(transport.inner), Drafts(workspace.folder / "drafts", clock), clock=clock)
    known = (await revisions_of_space(store, workspace.space).wait()).value
    assert known is not None
    assert known.items[0].request is not None
    assert known.items[0].request.subject == "The change"


async def test_revisions_are_found_by_their_first_parents_as_far_as_asked_for(
    workspace: Workspace, store: Store
) -> None:
    for number in range(13):
        await merge(workspace, f"Change {number}", f"# Welcome\n\nText {number}.\n")
    listed = revisions_of_space(store, workspace.space)
    known = (await listed.wait()).value
    assert known is not None
    assert (len(known.items), known.complete) == (12, False)
    newest = known.items[0]
    assert newest.request is not None
    assert (newest.type, newest.request.subject, newest.writers) == ("merge", "Change 12", (newest.request.created_by,))
    listed.more()
    listed.more()
    known = (await listed.wait()).value
    assert known is not None
    assert (len(known.items), known.complete) == (15, True)
    assert [one.number for one in known.items] == list(range(15))
    assert known.items[-1].request is None
    listed.more()
    assert listed.state is QueryState.READY, "there is nothing more to ask for"


async def test_a_portion_that_fails_keeps_what_is_known_and_can_be_asked_for_again(
    workspace: Workspace, store: Store, transport: Refusing
) -> None:
    for number in range(13):
        await merge(workspace, f"Change {number}", f"# Welcome\n\nText {number}.\n")
    listed = revisions_of_space(store, workspace.space)
    await listed.wait()
    transport.errors["get_revision_at_revision"] = [Unreachable("Could not load the revision.", "No answer came.")]
    listed.more()
    known = (await listed.wait()).value
    assert (listed.state, len(known.items) if known else 0) == (QueryState.FAILED, 12)
    listed.more()
    known = (await listed.wait()).value
    assert (listed.state, len(known.items) if known else 0) == (QueryState.READY, 15)


async def test_a_portion_that_failed_is_tried_again_below_what_is_known(
    workspace: Workspace, store: Store, transport: Refusing
) -> None:
    for number in range(13):
        await merge(workspace, f"Change {number}", f"# Welcome\n\nText {number}.\n")
    listed = revisions_of_space(store, workspace.space)
    await listed.wait()
    transport.errors["get_revision_at_revision"] = [Unreachable("Could not load the revision.", "No answer came.")]
    listed.more()
    await listed.wait()
    listed.retry()
    known = (await listed.wait()).value
    assert (listed.state, len(known.items) if known else 0) == (QueryState.READY, 15)


@pytest.mark.parametrize("merged", [1, 13])
async def test_a_list_whose_refresh_failed_is_tried_again_from_its_beginning(
    workspace: Workspace, store: Store, transport: Refusing, merged: int
) -> None:
    for number in range(merged):
        await merge(workspace, f"Change {number}", f"# Welcome\n\nText {number}.\n")
    listed = revisions_of_space(store, workspace.space)
    before = (await listed.wait()).value
    assert before is not None
    await merge(workspace, "Newest", "# Welcome\n\nAnew.\n")
    transport.down = Unreachable("Could not load the revision.", "No answer came.")
    listed.refresh()
    assert (await listed.wait()).state is QueryState.FAILED
    transport.down = None
    listed.more()
    assert (await listed.wait()).value == before, "what comes next belongs below what is there now"
    listed.retry()
    known = (await listed.wait()).value
    assert known is not None
    assert known.items[0].request is not None
    assert (listed.state, known.items[0].request.subject) == (QueryState.READY, "Newest")


async def test_a_parent_that_the_platform_has_no_more_ends_the_list(
    workspace: Workspace, store: Store, transport: Refusing
) -> None:
    await merge(workspace, "One", "# Welcome\n\nOne.\n")
    transport.always["get_revision_at_revision"] = NotFound("Could not load the revision.", "It is gone.", status=404)
    known = (await revisions_of_space(store, workspace.space).wait()).value
    assert known is not None
    assert (len(known.items), known.complete) == (1, True)


async def test_a_change_of_the_space_restarts_the_list(workspace: Workspace, store: Store) -> None:
    listed = revisions_of_space(store, workspace.space)
    before = (await listed.wait()).value
    await merge(workspace, "One", "# Welcome\n\nOne.\n")
    store.invalidate(about(space_id=workspace.space))
    after = (await listed.wait()).value
    assert before is not None
    assert after is not None
    assert [one.id for one in after.items[1:]] == [one.id for one in before.items]


async def test_the_links_of_a_space_come_with_the_broken_ones_first_and_where_each_is_written(
    workspace: Workspace, store: Store
) -> None:
    await merge(workspace, "Break", "# Welcome\n\nA [guide](/pages/guide).\n\nSee [this](/pages/gone).\n")
    known = (await links_of_space(store, Main(workspace.space)).wait()).value
    assert known is not None
    first, *others = known.items
    assert (first.status, first.written, first.text, first.page, first.line) == (
        "broken",
        "/pages/gone",
        "this",
        "welcome",
        5,
    )
    assert all(one.status != "broken" for one in others)
    assert known.total == len(known.items)
    places = broken_places((await broken_links(store, Main(workspace.space)).wait()).value)
    assert (dict(places.counts), dict(places.written)) == ({"welcome": 1}, {"welcome": frozenset({"/pages/gone"})})


async def test_a_list_that_has_grown_keeps_its_portions_when_others_change_something(
    workspace: Workspace, store: Store, transport: Refusing
) -> None:
    for turn in range(60):
        await merge(workspace, f"Change {turn}", f"# Welcome\n\nTurn {turn}.\n")
    query = revisions_of_space(store, workspace.space)
    await query.wait()
    first = len(query.value.items) if query.value is not None else 0
    await query.renew()
    assert query.value is not None and len(query.value.items) == first
    query.more()
    await query.wait()
    grown = len(query.value.items)
    assert grown > first
    await query.renew()
    assert len(query.value.items) == grown
