"""Collections and spaces are put in order by the calls of the platform, from any order to any other."""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path
from random import Random

import pytest

from recto.contract.organizations import Organizations
from recto.store.arrangement import Arrangement, Kind
from recto.store.collection_moves import CollectionsOf
from recto.store.landing import Landings
from recto.store.move_plan import plan
from recto.store.moves import Move, Refusal, Where, apply_move, inward, step_move
from recto.store.rearranging import rearrange, rearrangement
from recto.store.staging import Staging
from support.arrangements import outline
from support.guide_workspace import guided_store, open_guided
from support.organization_tree import OrganizationTree
from support.platform import Speaker


class Shelves:
    """The shelves of Ada's organization on an embedded server, by the titles on them."""

    def __init__(self, folder: Path) -> None:
        self.platform = open_guided(folder)
        self.store = guided_store(self.platform, folder)

    async def fill(self) -> None:
        listing = await self.store.fetch(Organizations.list_organizations)
        own = next(one for one in listing.items if one.title != "Recto guide")
        self.at = CollectionsOf(own.id, own.title)
        tree = OrganizationTree(self.platform, Speaker(self.platform, self.platform.owner), own.id)
        await tree.space("one")
        await tree.collection("Alpha")
        await tree.space("two")
        await tree.collection("Beta")
        await tree.collection("Inner", "Beta")
        await tree.space("three", "Alpha")
        await tree.space("four", "Inner")
        await tree.space("five", "Alpha")
        await tree.collection("Empty")
        self.ids = {name: f"{'collection' if name[0].isupper() else 'space'}:{id}" for name, id in tree.ids.items()}
        self.top = f"organization:{own.id}"

    async def read(self) -> Arrangement:
        return await self.at.read(self.store.call)

    async def apply(self, base: Arrangement, wanted: Arrangement) -> Arrangement:
        mutation = rearrangement(self.at, base, wanted, doing="Arranging", done="Arranged")
        outcome = await rearrange(self.store, mutation)
        assert outcome.value is not None, outcome.error
        return outcome.value.after


@pytest.fixture
async def shelves(tmp_path: Path) -> AsyncIterator[Shelves]:
    made = Shelves(tmp_path)
    await made.fill()
    yield made
    await made.store.aclose()
    made.platform.close()


def lines(arrangement: Arrangement) -> str:
    return outline(arrangement).partition("(")[2][:-1]


async def test_collections_stand_before_spaces_each_in_their_order(shelves: Shelves) -> None:
    assert lines(await shelves.read()) == "Alpha(three five) Beta(Inner(four)) Empty one two"


async def test_a_move_to_another_collection_beside_a_space_is_one_call(shelves: Shelves) -> None:
    base = await shelves.read()
    staging = Staging(base).add(Move((shelves.ids["two"],), shelves.ids["five"], Where.BEFORE))
    assert isinstance(staging, Staging)
    assert [step.sentence for step in staging.steps] == ["Put “two” into “Alpha”, after “three”"]
    assert staging.origins == {shelves.ids["two"]: "from “Ada's documentation”"}
    assert lines(await shelves.apply(base, staging.arrangement)) == "Alpha(three two five) Beta(Inner(four)) Empty one"
    await shelves.store.undo()
    assert lines(await shelves.read()) == lines(base)


async def test_from_any_order_to_any_other_each_call_is_accepted_and_ends_there(shelves: Shelves) -> None:
    random = Random(13)
    for _ in range(25):
        base = await shelves.read()
        wanted = base
        for _ in range(random.randint(1, 4)):
            ids = random.sample(sorted(shelves.ids.values()), random.randint(1, 3))
            target = random.choice([shelves.top, *shelves.ids.values()])
            where = Where.INSIDE if target == shelves.top else random.choice(list(Where))
            result = apply_move(wanted, Move(tuple(ids), target, where))
            wanted = wanted if isinstance(result, Refusal) else result
        after = await shelves.apply(base, wanted)
        assert after.children == wanted.children
        assert len(plan(base, wanted)) <= len(shelves.ids)


async def test_a_collection_passes_the_places_among_collections_and_a_space_those_among_spaces(
    shelves: Shelves,
) -> None:
    base = await shelves.read()
    opened = {shelves.top, shelves.ids["Alpha"]}
    found = [place.sentence(base) for place in Landings(base, [shelves.ids["Empty"]], opened)]
    assert found == [
        "Goes before “Alpha”, in “Ada's documentation”.",
        "Goes into the collection “Alpha”.",
        "Goes before “Beta”, in “Ada's documentation”.",
        "Goes into the collection “Beta”.",
        "Stays where it is.",
        "A collection cannot go into itself.",
    ]
    found = [place.sentence(base) for place in Landings(base, [shelves.ids["one"]], opened)]
    assert found == [
        "Goes before “three”, in “Alpha”.",
        "Goes before “five”, in “Alpha”.",
        "Goes after “five”, in “Alpha”.",
        "Goes into the collection “Beta”.",
        "Goes into the collection “Empty”.",
        "Stays where it is.",
        "Goes after “two”, in “Ada's documentation”.",
    ]


async def test_steps_go_among_their_kind_and_in_goes_into_the_nearest_collection(shelves: Shelves) -> None:
    base = await shelves.read()
    refused = step_move(base, [shelves.ids["one"]], -1)
    assert refused == Refusal("It is the first already.")
    assert step_move(base, [shelves.ids["Empty"]], 1) == Refusal("It is the last already.")
    assert inward(base, [shelves.ids["two"]]) == Move((shelves.ids["two"],), shelves.ids["Empty"], Where.INSIDE)


async def test_what_the_role_does_not_allow_is_refused_by_its_reason(shelves: Shelves) -> None:
    base = await shelves.read()
    items = dict(base.items)
    items[shelves.ids["one"]] = replace(items[shelves.ids["one"]], why_fixed="needs the admin role")
    items[shelves.ids["Beta"]] = replace(items[shelves.ids["Beta"]], why_closed="needs the create role")
    guarded = replace(base, items=items)
    assert apply_move(guarded, Move((shelves.ids["one"],), shelves.ids["two"], Where.AFTER)) == Refusal(
        "“one” cannot be moved: needs the admin role."
    )
    assert apply_move(guarded, Move((shelves.ids["two"],), shelves.ids["Beta"], Where.INSIDE)) == Refusal(
        "Nothing can be put into “Beta”: needs the create role."
    )
    assert {item.kind for item in guarded.items.values()} == {Kind.ORGANIZATION, Kind.COLLECTION, Kind.SPACE}
