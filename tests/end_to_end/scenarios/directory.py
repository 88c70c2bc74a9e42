"""Scenarios of people and places: the caller, organizations, members, collections, spaces."""

from __future__ import annotations

from end_to_end.scenarios.table import proves
from end_to_end.scenarios.world import World
from recto.contract.addresses import Main
from recto.contract.collections import Collections
from recto.contract.content import Content
from recto.contract.members import Members
from recto.contract.organizations import Organizations
from recto.contract.spaces import CreateSpace, Spaces, UpdateSpace
from recto.contract.users import Users


@proves(Users.get_user)
async def the_caller_is_who_the_token_speaks_for(world: World) -> None:
    caller = await world.call(Users.get_user)
    assert (caller.id, caller.display_name) == (world.places.ada, "Ada Lovelace")
    members = await world.call(Members.list_members, world.places.organization)
    assert caller in [member.user for member in members.items]


@proves(Organizations.list_organizations)
async def the_organizations_listed_are_those_that_can_be_opened(world: World) -> None:
    listed = (await world.call(Organizations.list_organizations)).items
    ids = {world.places.organization, world.places.other}
    assert {each.id: each for each in listed} == {
        each: await world.call(Organizations.get_organization, each) for each in ids
    }


@proves(Organizations.get_organization)
async def an_organization_is_the_one_listed(world: World) -> None:
    found = await world.call(Organizations.get_organization, world.places.organization)
    assert found.permissions.admin
    assert found in (await world.call(Organizations.list_organizations)).items


@proves(Members.list_members)
async def members_are_those_who_are_seen_to_act(world: World) -> None:
    members = (await world.call(Members.list_members, world.places.organization, search="ADA")).items
    assert [(each.id, each.role) for each in members] == [(world.places.ada, "admin")]
    everyone = (await world.call(Members.list_members, world.places.organization, sort="name", order="asc")).items
    assert [each.id for each in everyone] == [world.places.ada, world.places.grace]
    assert (await world.propose()).created_by == everyone[0].user == await world.call(Users.get_user)


@proves(Collections.list_collections)
async def collections_are_listed_with_those_in_them_or_without(world: World) -> None:

    every = (await world.call(Collections.list_collections, world.places.organization)).items
    assert {each.id for each in every} == {world.places.shelf, world.places.box}
    (top,) = (await world.call(Collections.list_collections, world.places.organization, nested=False)).items
    assert top == await world.call(Collections.get_collection, world.places.shelf)


@proves(Collections.get_collection)
async def a_collection_is_the_one_listed(world: World) -> None:
    box = await world.call(Collections.get_collection, world.places.box)
    assert (box.title, box.parent) == ("Box", world.places.shelf)
    assert box in (await world.call(Collections.list_collections, world.places.organization)).items


@proves(Collections.list_collection_spaces)
async def a_collection_holds_the_spaces_made_in_it(world: World) -> None:
    made = await world.call(Spaces.create_space, world.places.organization, CreateSpace(parent=world.places.box))
    assert (await world.call(Collections.list_collection_spaces, world.places.box)).items == (made,)
    assert made not in (await world.call(Collections.list_collection_spaces, world.places.shelf)).items


@proves(Spaces.list_spaces)
async def a_space_that_is_made_is_listed_on_the_page_where_it_falls(world: World) -> None:
    made = await world.call(Spaces.create_space, world.places.organization, CreateSpace(title="Notes"))
    first = await world.call(Spaces.list_spaces, world.places.organization, limit=3)
    assert first.next is not None
    rest = await world.call(Spaces.list_spaces, world.places.organization, page=first.next.page, limit=3)
    listed = [each.id for each in (*first.items, *rest.items)]
    assert (first.count, rest.next) == (4, None)
    assert sorted(listed) == sorted([world.manual, world.places.handbook, world.places.blog, made.id])


@proves(Spaces.create_space)
async def a_space_is_made_as_it_was_described(world: World) -> None:
    body = CreateSpace(title="Notes", emoji="1f4dd", parent=world.places.shelf, language="de", edit_mode="locked")
    made = await world.call(Spaces.create_space, world.places.organization, body)
    found = await world.call(Spaces.get_space, made.id)
    assert found == made
    assert CreateSpace(**{name: getattr(found, name) for name in body.model_fields_set}) == body
    assert (await world.call(Content.list_pages, Main(made.id))).pages == ()


@proves(Spaces.get_space)
async def a_space_counts_what_goes_on_in_it(world: World) -> None:
    await world.propose()
    found = await world.call(Spaces.get_space, world.manual)
    assert (found.title, found.change_requests_open) == ("Manual", 1)
    assert found in (await world.call(Spaces.list_spaces, world.places.organization)).items


@proves(Spaces.update_space)
async def a_space_changes_what_is_sent_and_keeps_the_rest(world: World) -> None:
    changed = await world.call(Spaces.update_space, world.manual, UpdateSpace(title="Handbuch", default_level=None))
    found = await world.call(Spaces.get_space, world.manual)
    assert found == changed
    assert (found.title, found.default_level, found.edit_mode) == ("Handbuch", None, "live")
    again = await world.call(Spaces.update_space, world.manual, UpdateSpace(edit_mode="locked"))
    assert (again.title, again.edit_mode) == ("Handbuch", "locked")
