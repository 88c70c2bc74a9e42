"""Scenarios of what becomes of collections and spaces: made, moved, copied, handed over, deleted and brought back."""

from __future__ import annotations

from end_to_end.scenarios.table import proves
from end_to_end.scenarios.world import World, edit, is_gone
from recto.contract.addresses import Main
from recto.contract.change_requests import ChangeRequests
from recto.contract.collections import (
    Collections,
    CreateCollection,
    MoveCollection,
    TransferCollection,
    UpdateCollection,
)
from recto.contract.content import Content
from recto.contract.positions import CollectionPointer, SiblingPosition, SpacePointer
from recto.contract.spaces import MoveSpace, Spaces, TransferSpace
from recto.contract.structure import SiteSpaces


async def _spaces(world: World) -> list[str]:
    """Return the spaces of Ada's organization that lie in no collection, in their order."""
    listed = (await world.call(Spaces.list_spaces, world.places.organization)).items
    return [each.id for each in listed if each.parent is None]


@proves(Collections.create_collection)
async def a_collection_is_made_last_in_another(world: World) -> None:
    places = world.places
    made = await world.call(
        Collections.create_collection, places.organization, CreateCollection(title="Drawer", parent=places.shelf)
    )
    assert (made.title, made.parent, made.permissions.create) == ("Drawer", places.shelf, True)
    assert await world.call(Collections.get_collection, made.id) == made
    listed = (await world.call(Collections.list_collections, places.organization)).items
    assert [each.id for each in listed if each.parent == places.shelf] == [places.box, made.id]


@proves(Collections.update_collection)
async def a_collection_changes_what_is_sent_and_keeps_the_rest(world: World) -> None:

    body = UpdateCollection(description="What is small", default_level=None)
    changed = await world.call(Collections.update_collection, world.places.box, body)
    assert (changed.title, changed.description, changed.default_level) == ("Box", "What is small", None)
    assert await world.call(Collections.get_collection, world.places.box) == changed
    again = await world.call(Collections.update_collection, world.places.box, UpdateCollection(description=""))
    assert (again.description, again.default_level) == (None, None)


@proves(Collections.delete_collection)
async def what_is_in_a_deleted_collection_moves_up(world: World) -> None:
    places = world.places
    await world.call(Collections.delete_collection, places.shelf)
    assert await is_gone(world.call(Collections.get_collection, places.shelf))
    assert (await world.call(Collections.get_collection, places.box)).parent is None
    handbook = await world.call(Spaces.get_space, places.handbook)
    assert (handbook.parent, handbook.visibility) == (None, "private")
    assert await _spaces(world) == [places.handbook, places.manual, places.blog]
    await world.call(Collections.delete_collection, places.shelf)


@proves(Collections.move_collection)
async def a_collection_takes_its_place_among_spaces(world: World) -> None:
    places = world.places
    position = SiblingPosition(before=SpacePointer(space=places.blog))
    moved = await world.call(Collections.move_collection, places.box, MoveCollection(parent=None, position=position))
    assert moved.parent is None
    assert await world.call(Collections.get_collection, places.box) == moved
    after = SiblingPosition(after=CollectionPointer(collection=places.box))
    await world.call(Spaces.move_space, places.manual, MoveSpace(position=after))
    between = SiblingPosition(before=SpacePointer(space=places.blog), after=SpacePointer(space=places.manual))
    await world.call(Collections.move_collection, places.shelf, MoveCollection(position=between))
    assert await _spaces(world) == [places.manual, places.blog]
    listed = (await world.call(Collections.list_collections, places.organization)).items
    assert [each.id for each in listed] == [places.box, places.shelf]


@proves(Collections.transfer_collection)
async def a_collection_goes_to_another_organization_with_what_is_in_it(world: World) -> None:
    places = world.places
    moved = await world.call(Spaces.move_space, world.manual, MoveSpace(parent=places.box))
    for section in (await world.sections()).values():
        for site_space in section.site_spaces:
            await world.call(SiteSpaces.delete_site_space, *world.site, site_space.id)
    given = await world.call(
        Collections.transfer_collection, places.shelf, TransferCollection(organization=places.other)
    )
    assert given.organization == places.other
    listed = (await world.call(Collections.list_collections, places.other)).items
    assert {each.id for each in listed} == {places.shelf, places.box}
    spaces = (await world.call(Spaces.list_spaces, places.other)).items
    assert {each.id: each.parent for each in spaces} == {places.handbook: places.shelf, moved.id: places.box}
    assert await _spaces(world) == [places.blog]
    assert await world.text("start") is not None


@proves(Spaces.delete_space)
async def a_deleted_space_is_in_no_list_and_tells_when_it_went(world: World) -> None:
    places = world.places
    await world.call(Spaces.delete_space, world.manual)
    assert (await world.call(Spaces.get_space, world.manual)).deleted_at is not None
    assert await _spaces(world) == [places.blog]
    assert await is_gone(world.call(Content.list_pages, Main(world.manual)))
    shown = [each.space for section in (await world.sections()).values() for each in section.site_spaces]
    assert [each.id for each in shown if each is not None] == [places.blog, places.handbook]
    await world.call(Spaces.delete_space, world.manual)
    await world.call(Spaces.delete_space, "unknown")


@proves(Spaces.restore_space)
async def a_restored_space_is_where_it_was_with_all_it_held(world: World) -> None:
    space, outline = await world.call(Spaces.get_space, world.manual), await world.sections()
    await world.propose(edit("start", "# Start\n\nAnew.\n"))
    await world.call(Spaces.delete_space, world.manual)
    restored = await world.call(Spaces.restore_space, world.manual)
    assert restored.deleted_at is None
    assert restored == await world.call(Spaces.get_space, world.manual)
    assert (restored.title, restored.revision, restored.change_requests_open) == (space.title, space.revision, 1)
    assert await _spaces(world) == [world.manual, world.places.blog]
    sections = await world.sections()
    assert [[each.id for each in section.site_spaces] for section in sections.values()] == [
        [each.id for each in section.site_spaces] for section in outline.values()
    ]


@proves(Spaces.duplicate_space)
async def a_copy_of_a_space_goes_its_own_way(world: World) -> None:
    request = await world.propose(edit("start", "# Start\n\nAnew.\n"))
    copy = await world.call(Spaces.duplicate_space, world.manual)
    assert (copy.title, copy.change_requests) == ("Copy of Manual", 0)
    assert await world.call(Spaces.get_space, copy.id) == copy
    assert await _spaces(world) == [world.manual, copy.id, world.places.blog]
    assert [(each.id, each.path) for each in (await world.call(Content.list_pages, Main(copy.id))).pages] == [
        (each.id, each.path) for each in (await world.call(Content.list_pages, Main(world.manual))).pages
    ]
    await world.call(ChangeRequests.merge, world.manual, request.id)
    copied = await world.call(Content.get_page, Main(copy.id), "start", "markdown")
    assert copied.markdown is not None
    assert "Welcome to the manual." in copied.markdown
    assert copied.markdown != await world.text("start")


@proves(Spaces.move_space)
async def a_space_moves_into_a_collection_and_out_again(world: World) -> None:
    places = world.places
    position = SiblingPosition(before=SpacePointer(space=places.handbook))
    moved = await world.call(Spaces.move_space, world.manual, MoveSpace(parent=places.shelf, position=position))
    assert (moved.parent, moved.visibility) == (places.shelf, "in-collection")
    listed = (await world.call(Collections.list_collection_spaces, places.shelf)).items
    assert [each.id for each in listed] == [world.manual, places.handbook]
    back = await world.call(Spaces.move_space, world.manual, MoveSpace(parent=None))
    assert (back.parent, back.visibility) == (None, "private")
    assert await _spaces(world) == [places.blog, world.manual]


@proves(Spaces.transfer_space)
async def a_space_goes_to_another_organization(world: World) -> None:
    places = world.places
    notes = await world.call(Spaces.duplicate_space, world.manual)
    given = await world.call(Spaces.transfer_space, notes.id, TransferSpace(organization=places.other))
    assert given.organization == places.other
    assert await _spaces(world) == [world.manual, places.blog]
    assert (await world.call(Spaces.list_spaces, places.other)).items == (given,)
    pages = (await world.call(Content.list_pages, Main(notes.id))).pages
    assert [each.id for each in pages] == ["start", "setup"]
