from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from recto.client.errors import ClientError, Refused
from recto.client.sender import embed
from recto.contract.addresses import Main
from recto.contract.content import Content
from recto.contract.spaces import CreateSpace, Space, Spaces, UpdateSpace
from recto.contract.teams import CreateTeam, Teams
from recto.server.people.tokens import make_token
from recto.server.platform import Platform
from recto.store.drafts import Drafts
from recto.store.mutation import Mutation, changes, changes_items
from recto.store.people_changes import add_members
from recto.store.query_keys import about, calls
from recto.store.space_changes import create_space
from recto.store.store import Store
from support.content import make_space
from support.files import store_file
from support.platform import FrozenClock, join, own_organization


@pytest.fixture
async def store(platform: Platform, tmp_path: Path) -> AsyncIterator[Store]:
    clock = FrozenClock()
    store = Store(embed(platform.application, platform.token), Drafts(tmp_path / "drafts", clock), clock=clock)
    yield store
    await store.aclose()


def create(organization: str, title: str) -> Mutation[Space]:
    return Mutation(
        doing="Making a space",
        done="Made a space",
        call=lambda call: call(Spaces.create_space, organization, CreateSpace(title=title)),
        stale=(calls(Spaces.list_spaces),),
    )


def rename(space: str, new: str, old: str) -> Mutation[Space]:
    def retitle(shown: Space) -> Space:
        return shown.model_copy(update={"title": new}) if shown.id == space else shown

    return Mutation(
        doing="Renaming the space",
        done="Renamed the space",
        call=lambda call: call(Spaces.update_space, space, UpdateSpace(title=new)),
        effects=(changes(Spaces.get_space, retitle, space_id=space), changes_items(Spaces.list_spaces, retitle)),
        stale=(about(space_id=space), calls(Spaces.list_spaces)),
        inverse=lambda _: rename(space, old, new),
    )


async def test_a_space_is_made_renamed_and_named_back(platform: Platform, store: Store) -> None:
    organization = own_organization(platform)
    spaces = store.query_list(Spaces.list_spaces, organization, limit=1)
    spaces.watch(lambda _: None)
    await store.idle()

    def titles() -> list[str]:
        assert spaces.value is not None
        return sorted(space.title for space in spaces.value.items)

    made = []
    for title in ("One", "Two"):
        outcome = await store.run(create(organization, title))
        assert outcome.value is not None
        made.append(outcome.value.id)
    await store.idle()
    assert titles() == ["One", "Two"]
    run = store.run(rename(made[0], "New", "One"))
    assert titles() == ["New", "Two"]
    assert (await run).ok
    await store.idle()
    assert titles() == ["New", "Two"]
    await store.undo()
    await store.idle()
    assert titles() == ["One", "Two"]


async def test_what_the_platform_refuses_is_put_back_in_its_words(platform: Platform, store: Store) -> None:
    space = await store.call(Spaces.create_space, own_organization(platform), CreateSpace(title="One"))
    query = await store.query(Spaces.get_space, space.id).wait()
    too_long = rename(space.id, "x" * 51, "One")
    outcome = await store.run(
        Mutation(
            doing=too_long.doing,
            done=too_long.done,
            call=lambda call: call(
                Spaces.update_space, space.id, UpdateSpace.model_construct({"title"}, title="x" * 51)
            ),
            effects=too_long.effects,
        )
    )
    assert outcome.error is not None
    assert "50" in outcome.error.why
    assert query.value is not None
    assert query.value.title == "One"


async def test_a_file_of_a_space_comes_by_its_address(platform: Platform, store: Store) -> None:
    space = make_space(platform, [], files=[store_file(platform, "cat.png", b"a picture of a cat")])
    [file] = (await store.fetch(Content.list_files, Main(space))).items
    assert await store.download(file.download_url, 18) == b"a picture of a cat"
    with pytest.raises(ClientError, match="It has more than 17 bytes"):
        await store.download(file.download_url, 17)
    with pytest.raises(Refused, match="The workspace does not have it"):
        await store.download(file.download_url[:-2], 18)


async def test_undoing_an_addition_to_a_team_leaves_who_was_in_it_before(platform: Platform, store: Store) -> None:
    organization = own_organization(platform)
    ida, jo = (join(platform, organization, name, "edit") for name in ("Ida", "Jo"))
    team = await store.call(Teams.create_team, organization, CreateTeam(title="Writers", members=(ida,)))

    await store.run(add_members(organization, team, {ida: "member", jo: "member"}))
    assert len((await store.call(Teams.list_team_members, organization, team.id)).items) == 2
    await store.undo()
    left = (await store.call(Teams.list_team_members, organization, team.id)).items
    assert [one.organization.id for one in left] == [ida]


async def test_who_may_create_and_not_delete_is_offered_no_undo(platform: Platform, tmp_path: Path) -> None:
    organization = own_organization(platform)
    user = join(platform, organization, "Cory", "create")
    token = platform.database.write_now(lambda connection: make_token(platform.context(connection), user)[1])
    clock = FrozenClock()
    store = Store(embed(platform.application, token), Drafts(tmp_path / "drafts", clock), clock=clock)
    await store.run(create_space(organization, CreateSpace(title="Notes")))
    assert store.history.undoable is None
    await store.aclose()
