"""Rows of collections and of what is done with spaces as a whole."""

from __future__ import annotations

from recto.contract.collections import Collection, Collections
from recto.contract.spaces import CreateSpace, Space, Spaces
from recto.store.deleted_spaces import DeletedSpaces
from recto.store.locations import DeletedSpace, OrganizationsLocation
from recto.tui.widgets.line_field import LineField
from tui.reach.organizations import ORGANIZATIONS
from tui.reach.row import CONSOLE, Driver, Place, Row

ADMIN = "needs the admin role"
CREATE = "needs the create role"

TOP = Place("an organization", lambda world: OrganizationsLocation(f"organization:{world.organization}"), ("r",))
COLLECTION = Place("a collection", lambda world: OrganizationsLocation(f"collection:{world.collection}"), ("r",))
SPACE = Place("a space among the organizations", lambda world: OrganizationsLocation(f"space:{world.space}"), ("r",))


async def collections(ada: Driver, organization: str) -> dict[str, Collection]:
    return {one.title: one for one in (await ada.call(Collections.list_collections, organization)).items}


async def spaces(ada: Driver, organization: str) -> dict[str, Space]:
    return {one.title: one for one in (await ada.call(Spaces.list_spaces, organization)).items}


def paste(ada: Driver, text: str) -> None:
    """Paste a text in place of what is in the line with the focus; no key sends an emoji."""
    line = ada.pilot.app.focused
    assert isinstance(line, LineField)
    line.value = text


async def space(ada: Driver) -> Space:
    return await ada.call(Spaces.get_space, ada.world.space)


async def make_space(ada: Driver) -> None:
    await ada.press("a")
    await ada.type("Field notes")
    await ada.press("enter")
    paste(ada, "📗")
    await ada.press("enter", "d", "e", "enter", "space", "space", "ctrl+s")
    made = (await spaces(ada, ada.world.organization))["Field notes"]
    assert (made.emoji, made.language, made.edit_mode) == ("📗", "de", "locked")


async def make_space_in_collection(ada: Driver) -> None:
    await ada.find("Reference")
    await ada.press("a")
    await ada.type("Inside")
    await ada.press("ctrl+s")
    reference = (await collections(ada, ada.world.organization))["Reference"]
    assert (await spaces(ada, ada.world.organization))["Inside"].parent == reference.id


async def make_collection(ada: Driver) -> None:
    await ada.find("Reference")
    await ada.press("c")
    await ada.type("Inner")
    await ada.press("ctrl+s")
    made = await collections(ada, ada.world.organization)
    assert made["Inner"].parent == made["Reference"].id


async def set_collection(ada: Driver) -> None:
    await ada.find("Reference")
    await ada.press("e", "end", "2", "enter")
    await ada.press("ctrl+u")
    await ada.type("All of it")
    await ada.press("enter", "space", "ctrl+s")
    made = (await collections(ada, ada.world.organization))["Reference2"]
    assert made.description == "All of it"


async def delete_collection(ada: Driver) -> None:
    await ada.call(
        Spaces.create_space, ada.world.organization, CreateSpace(title="Put there", parent=ada.world.collection)
    )
    await ada.find("Reference")
    await ada.press("D")
    assert "the space “Put there”" in ada.screen, "it is named what others put there meanwhile"
    await ada.press("y")
    assert "Reference" not in await collections(ada, ada.world.organization)


async def move_collection(ada: Driver) -> None:
    for title in ("Second", "Third"):
        await ada.find("Recto guide")
        await ada.press("c")
        await ada.type(title)
        await ada.press("ctrl+s")
    await ada.find("Third")
    await ada.press("K", "A", "y")
    assert list(await collections(ada, ada.world.organization)) == ["Reference", "Third", "Second"]
    await ada.press("L", "A", "y")
    made = await collections(ada, ada.world.organization)
    assert made["Third"].parent == made["Reference"].id


async def transfer_collection(ada: Driver) -> None:
    await ada.find("Recto guide")
    await ada.press("c")
    await ada.type("Given away")
    await ada.press("ctrl+s", "T", "enter", "y")
    assert "Given away" in await collections(ada, ada.world.own)


async def rename_space(ada: Driver) -> None:
    await ada.press("f2", "end", "2", "enter")
    assert (await space(ada)).title == "Guide2"


async def set_space(ada: Driver) -> None:
    await ada.press("e", "enter")
    paste(ada, "📗")
    await ada.press("enter")
    await ada.press("ctrl+u", "d", "e", "enter", "space", "down", "space", "ctrl+s")
    changed = await space(ada)
    assert (changed.emoji, changed.language, changed.edit_mode) == ("📗", "de", "locked")
    assert changed.default_level != "inherit"


async def move_space(ada: Driver) -> None:
    before = list(await spaces(ada, ada.world.organization))
    await ada.press("J", "A", "y")
    assert list(await spaces(ada, ada.world.organization)) != before
    await ada.press("L", "A", "y")
    assert (await space(ada)).parent is not None


async def duplicate_space(ada: Driver) -> None:
    await ada.press("C")
    assert "Copy of Guide" in await spaces(ada, ada.world.organization)


async def delete_space(ada: Driver) -> None:
    await ada.press("D")
    await ada.type("Guide")
    await ada.press("enter")
    assert (await space(ada)).deleted_at is not None


async def see_deleted(ada: Driver) -> None:
    """Show a space that was deleted from here, and whose role there was taken since."""
    await ada.call(Spaces.delete_space, ada.world.space)
    deleted = DeletedSpace(ada.world.space, ada.world.organization, "Guide", ada.store.clock().timestamp())
    DeletedSpaces(ada.store).remember(deleted)
    await show_deleted(ada)


async def restore_space(ada: Driver) -> None:
    await delete_space(ada)
    await show_deleted(ada)
    await ada.press("R")
    assert (await space(ada)).deleted_at is None


async def show_deleted(ada: Driver) -> None:
    # The row of the first organization is above; the last one is that of the guide.
    await ada.press("G")
    while "Deleted spaces" not in ada.screen.splitlines()[0]:
        await ada.press("k")
    await ada.press("enter")


async def transfer_space(ada: Driver) -> None:
    await ada.find("Recto guide")
    await ada.press("a")
    await ada.type("Given away")
    await ada.press("ctrl+s", "T", "enter", "y")
    assert "Given away" in await spaces(ada, ada.world.own)


ROWS: tuple[Row, ...] = (
    Row(Collections.list_collections, ORGANIZATIONS, fields={"nested": CONSOLE}),
    Row(Spaces.list_spaces, ORGANIZATIONS),
    Row(
        Spaces.create_space,
        TOP,
        "item.new",
        {"title": "field", "emoji": "field", "language": "field", "edit_mode": "choice"},
        act=make_space,
        needs=CREATE,
    ),
    Row(Spaces.create_space, TOP, "item.new", {"parent": "cursor"}, act=make_space_in_collection, needs=CREATE),
    Row(
        Collections.create_collection,
        TOP,
        "organization.new_collection",
        {"title": "field", "parent": "cursor"},
        act=make_collection,
        needs=CREATE,
    ),
    Row(
        Collections.update_collection,
        COLLECTION,
        "organization.item_settings",
        {"title": "field", "description": "field", "default_level": "choice"},
        act=set_collection,
        needs=ADMIN,
    ),
    Row(Collections.list_collection_spaces, COLLECTION, "item.delete", act=delete_collection),
    Row(Collections.delete_collection, COLLECTION, "item.delete", act=delete_collection, needs=ADMIN),
    Row(
        Collections.move_collection,
        COLLECTION,
        "arrange.up",
        {"parent": "lift", "position": "lift"},
        act=move_collection,
        needs=ADMIN,
    ),
    Row(
        Collections.transfer_collection,
        COLLECTION,
        "organization.transfer_item",
        {"organization": "choice"},
        act=transfer_collection,
        needs=ADMIN,
    ),
    Row(Spaces.update_space, SPACE, "item.rename", {"title": "field"}, act=rename_space, needs=ADMIN),
    Row(
        Spaces.update_space,
        SPACE,
        "organization.item_settings",
        {
            "emoji": "field",
            "language": "field",
            "edit_mode": "choice",
            "default_level": "choice",
            "icon": CONSOLE,
        },
        act=set_space,
        needs=ADMIN,
    ),
    Row(
        Spaces.move_space,
        SPACE,
        "arrange.down",
        {"parent": "lift", "position": "lift"},
        act=move_space,
        needs=ADMIN,
    ),
    Row(Spaces.duplicate_space, SPACE, "organization.duplicate_space", act=duplicate_space, needs=CREATE),
    Row(Spaces.delete_space, SPACE, "item.delete", act=delete_space, needs=ADMIN),
    Row(
        Spaces.restore_space,
        SPACE,
        "organization.restore_space",
        act=restore_space,
        needs="gone, or hidden from you",
        seen=see_deleted,
    ),
    Row(
        Spaces.transfer_space,
        SPACE,
        "organization.transfer_item",
        {"organization": "choice"},
        act=transfer_space,
        needs=ADMIN,
    ),
)
