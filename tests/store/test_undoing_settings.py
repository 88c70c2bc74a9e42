"""Undoing a change of settings: it does not overwrite what others have changed of them since."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from recto.contract.change_requests import ChangeRequests, CreateChangeRequest, UpdateChangeRequest
from recto.contract.collections import Collections, CreateCollection, UpdateCollection
from recto.contract.members import Members, UpdateMember
from recto.contract.organizations import Organization, Organizations, UpdateOrganization
from recto.contract.sites import CreateSite, Sites, UpdateSite
from recto.contract.spaces import CreateSpace, Spaces, UpdateSpace
from recto.contract.teams import CreateTeam, Teams, UpdateTeam
from recto.server.platform import Platform
from recto.store.mutation import Mutation
from recto.store.organization_changes import change_organization
from recto.store.people_changes import change_role, rename_team
from recto.store.rearranging import SiteAddress
from recto.store.request_changes import RequestChanges
from recto.store.sites import update_site
from recto.store.space_changes import update_collection, update_space
from recto.store.store import Store
from support.platform import join, own_organization
from support.sites import make_store


@dataclass
class Case:
    """A change of one field, and how others read and set it."""

    change: Mutation[Any]
    get: Any
    update: Any
    body: type[Any]
    ids: Sequence[str]
    field: str = "title"


async def of_organization(store: Store, own: Organization) -> Case:
    change = change_organization(own, UpdateOrganization(title="Ours"))
    return Case(change, Organizations.get_organization, Organizations.update_organization, UpdateOrganization, [own.id])


async def of_space(store: Store, own: Organization) -> Case:
    space = await store.call(Spaces.create_space, own.id, CreateSpace(title="Before"))
    change = update_space(space, UpdateSpace(title="Ours"))
    return Case(change, Spaces.get_space, Spaces.update_space, UpdateSpace, [space.id])


async def of_collection(store: Store, own: Organization) -> Case:
    made = await store.call(Collections.create_collection, own.id, CreateCollection(title="Before"))
    change = update_collection(made, UpdateCollection(title="Ours"))
    return Case(change, Collections.get_collection, Collections.update_collection, UpdateCollection, [made.id])


async def of_site(store: Store, own: Organization) -> Case:
    site = await store.call(Sites.create_site, own.id, CreateSite(title="Before"))
    change = update_site(SiteAddress(own.id, site.id), site, UpdateSite(title="Ours"))
    return Case(change, Sites.get_site, Sites.update_site, UpdateSite, [own.id, site.id])


async def of_team(store: Store, own: Organization) -> Case:
    team = await store.call(Teams.create_team, own.id, CreateTeam(title="Before", members=()))
    change = rename_team(own.id, team.id, "Ours", "Before")
    return Case(change, Teams.get_team, Teams.update_team, UpdateTeam, [own.id, team.id])


async def of_change_request(store: Store, own: Organization) -> Case:
    space = await store.call(Spaces.create_space, own.id, CreateSpace(title="Space"))
    made = await store.call(ChangeRequests.create_change_request, space.id, CreateChangeRequest(subject="Before"))
    ids = space.id, made.id
    get, update = ChangeRequests.get_change_request, ChangeRequests.update_change_request
    return Case(RequestChanges(*ids).rename("Ours", "Before"), get, update, UpdateChangeRequest, ids, "subject")


async def of_member(store: Store, own: Organization) -> Case:
    members = (await store.fetch(Members.list_members, own.id)).items
    grace = next(one for one in members if one.role == "read")
    return Case(
        change_role(own.id, grace, "review"),
        Members.get_member,
        Members.update_member,
        UpdateMember,
        [own.id, grace.id],
        "role",
    )


OF = (of_organization, of_space, of_collection, of_site, of_team, of_change_request, of_member)
each_thing = pytest.mark.parametrize("of", OF, ids=lambda of: of.__name__)


@dataclass
class Desk:
    """A person who changes one thing, and another who does the same."""

    store: Store
    case: Case

    async def read(self) -> str:
        return str(getattr(await self.store.call(self.case.get, *self.case.ids), self.case.field))

    async def set_by_another(self, value: str) -> None:
        call: Any = self.store.call  # of an operation that only the case knows
        await call(self.case.update, *self.case.ids, self.case.body(**{self.case.field: value}))

    async def undo(self) -> str:
        """Undo the newest change; return what was wrong."""
        run = await self.store.undo()
        assert run is not None
        error = (await run).error
        return str(error) if error is not None else ""


@pytest.fixture
async def desk(
    of: Callable[[Store, Organization], Awaitable[Case]], platform: Platform, tmp_path: Path
) -> AsyncIterator[Desk]:
    join(platform, own_organization(platform), "Grace Hopper", "read")
    store, _ = make_store(platform, tmp_path)
    own = (await store.fetch(Organizations.list_organizations)).items[0]
    yield Desk(store, await of(store, own))
    await store.aclose()


@each_thing
async def test_a_change_is_taken_back_and_made_again(desk: Desk) -> None:
    before = await desk.read()
    assert (await desk.store.run(desk.case.change)).ok
    changed = await desk.read()
    assert changed != before
    assert await desk.undo() == ""
    assert await desk.read() == before
    assert await desk.store.redo() is not None
    assert await desk.read() == changed


@each_thing
async def test_what_others_set_since_stays(desk: Desk) -> None:
    assert (await desk.store.run(desk.case.change)).ok
    theirs = "edit" if desk.case.field == "role" else "Theirs"
    await desk.set_by_another(theirs)
    assert f"Others changed it meanwhile: {desk.case.field}." in await desk.undo()
    assert await desk.read() == theirs


@each_thing
async def test_what_others_set_after_it_was_taken_back_stays(desk: Desk) -> None:
    assert (await desk.store.run(desk.case.change)).ok
    assert await desk.undo() == ""
    theirs = "edit" if desk.case.field == "role" else "Theirs"
    await desk.set_by_another(theirs)
    run = await desk.store.redo()
    assert run is not None
    assert "Others changed it meanwhile" in str((await run).error)
    assert await desk.read() == theirs
