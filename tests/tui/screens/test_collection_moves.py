"""Collections and spaces in the tree of organizations: made, set, moved by lifting, duplicated, given away, deleted."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest
from textual import events

from recto.client.errors import NotAllowed
from recto.client.sender import Sender
from recto.contract.change_requests import ChangeRequests
from recto.contract.collections import Collection, Collections, UpdateCollection
from recto.contract.operation import Operation
from recto.contract.organizations import Organizations
from recto.contract.spaces import CreateSpace, Space, Spaces
from support.guide_workspace import Person, open_guided, person
from support.organization_tree import OrganizationTree, second_organization
from support.platform import Speaker
from support.screens import settled

OWN = "Ada's documentation"


@asynccontextmanager
async def fill(folder: Path, *, size: tuple[int, int] = (100, 32)) -> AsyncIterator[tuple[Person, OrganizationTree]]:
    """Start the program on shelves: Alpha(three five), Beta(Inner), one, two; and a second organization."""
    platform = open_guided(folder)
    ada = Speaker(platform, platform.owner)
    listed = await ada.get("/orgs")
    own = next(one["id"] for one in listed["items"] if one["title"] == OWN)
    tree = OrganizationTree(platform, ada, own)
    for name, parent in (("one", None), ("Alpha", None), ("two", None), ("Beta", None), ("Inner", "Beta")):
        await (tree.collection if name[0].isupper() else tree.space)(name, parent)
    for name in ("three", "five"):
        await tree.space(name, "Alpha")
    second_organization(platform)
    platform.close()
    async with person(folder, size=size) as someone:
        tree.platform = someone.platform
        yield someone, tree


async def order(tree: OrganizationTree) -> dict[str | None, list[str]]:
    """Return what lies where, collections before spaces."""
    found = await tree.order()
    return {parent: sorted(names, key=lambda name: name[0].islower()) for parent, names in found.items()}


async def space(ada: Person, tree: OrganizationTree, name: str) -> Space:
    return await ada.store.fetch(Spaces.get_space, tree.ids[name])


async def collection(ada: Person, tree: OrganizationTree, name: str) -> Collection:
    return await ada.store.fetch(Collections.get_collection, tree.ids[name])


async def test_a_space_is_lifted_into_a_collection_staged_applied_and_taken_back(tmp_path: Path) -> None:
    async with fill(tmp_path) as (ada, tree):
        await ada.find("two")
        await ada.press("m")
        assert "lifted" in ada.screen
        assert "Stays where it is." in ada.screen
        # Up over the places before the other space, in Beta and in Alpha, which are closed.
        await ada.press("k", "k", "k")
        assert "Goes into the collection “Alpha”." in ada.screen
        await ada.press("enter")
        assert "→ from “Ada" in ada.screen
        assert (await order(tree))["Alpha"] == ["three", "five"]
        await ada.press("A")
        assert "1  Put “two” into “Alpha”" in ada.screen or "1 Put “two” into “Alpha”" in ada.screen
        await ada.press("y")
        assert (await order(tree))["Alpha"] == ["three", "five", "two"]
        assert "→ from" not in ada.screen
        await ada.press("u", "y")
        assert (await order(tree))["Alpha"] == ["three", "five"]


async def test_shelves_follow_the_platform_after_moves_though_its_change_requests_fail(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with fill(tmp_path) as (ada, tree):
        send = Sender.send

        async def fail(sender: Sender, operation: Operation[Any, Any], arguments: Mapping[str, Any]) -> Any:
            if operation is ChangeRequests.list_organization_change_requests:
                raise NotAllowed("Could not list the change requests.", "Your role does not allow it.", status=403)
            return await send(sender, operation, arguments)

        monkeypatch.setattr(Sender, "send", fail)
        await ada.press("r")
        await ada.find("two")
        await ada.press("m", "k", "k", "k", "enter", "A", "y")
        assert (await order(tree))["Alpha"] == ["three", "five", "two"]
        await ada.store.call(Spaces.create_space, tree.organization, CreateSpace(title="later"))
        await ada.press("r")
        assert "later" in ada.screen


async def test_collections_are_ordered_among_themselves_and_u_drops_what_is_staged(tmp_path: Path) -> None:
    async with fill(tmp_path) as (ada, tree):
        await ada.find("Beta")
        await ada.press("K")
        assert "1 move staged" in ada.screen
        await ada.press("u")
        assert "staged" not in ada.screen.replace("No longer staged", "")
        await ada.press("K", "A", "y")
        assert (await order(tree))[None][:2] == ["Beta", "Alpha"]


async def test_other_rows_say_that_they_are_not_moved_here(tmp_path: Path) -> None:
    async with fill(tmp_path) as (ada, _):
        await ada.find("Members")
        await ada.press("m")
        assert "only collections and spaces are moved here" in ada.screen


async def test_a_collection_is_made_in_another_renamed_described_and_the_change_undone(tmp_path: Path) -> None:
    async with fill(tmp_path) as (ada, tree):
        await ada.find("Beta")
        await ada.press("c")
        assert "New collection in “Beta”" in ada.screen
        await ada.type("Guides")
        await ada.press("ctrl+s")
        listed = await ada.store.fetch(Collections.list_collections, tree.organization)
        made = next(one for one in listed.items if one.title == "Guides")
        assert made.parent == tree.ids["Beta"]
        assert "Guides" in ada.screen
        tree.ids["Guides"] = made.id
        await ada.press("f2", "ctrl+u")
        await ada.type("Handbooks")
        await ada.press("escape")
        await ada.find("Beta")
        await ada.press("f2")
        assert "Handbooks" not in ada.screen, "it was typed for another collection"
        await ada.press("escape")
        await ada.find("Guides")
        await ada.press("f2")
        assert "You typed this before; typing replaces it." in ada.screen
        await ada.press("enter")
        assert (await collection(ada, tree, "Guides")).title == "Handbooks"
        await ada.press("u")
        assert (await collection(ada, tree, "Guides")).title == "Guides"
        await ada.press("e", "enter")
        await ada.type("How to")
        await ada.press("ctrl+s")
        assert (await collection(ada, tree, "Guides")).description == "How to"
        await ada.press("u")
        assert (await collection(ada, tree, "Guides")).description is None
        # What comes at once after the changes of a form were discarded is for the tree.
        await ada.press("e", "x", "escape")
        assert "k  keeps it as a draft" in ada.screen
        for key in ("y", "g", "G"):
            ada.pilot.app.post_message(events.Key(key, key))
        await settled(ada.pilot)
        await ada.find("Guides")
        await ada.press("e")
        assert "GuidesgG" not in ada.screen


async def test_a_title_that_others_changed_meanwhile_is_shown_before_it_is_replaced(tmp_path: Path) -> None:
    async with fill(tmp_path) as (ada, tree):
        await ada.find("Beta")
        await ada.press("f2", "ctrl+u")
        await ada.store.call(Collections.update_collection, tree.ids["Beta"], UpdateCollection(title="Theirs"))
        await ada.type("Mine")
        await ada.press("enter")
        assert "Others changed it meanwhile, to “Theirs”" in ada.screen
        await ada.press("escape")
        assert (await collection(ada, tree, "Beta")).title == "Theirs"
        await ada.press("f2", "enter", "enter")
        assert (await collection(ada, tree, "Beta")).title == "Mine"


async def test_a_collection_is_deleted_after_naming_what_moves_up(tmp_path: Path) -> None:
    async with fill(tmp_path) as (ada, tree):
        await ada.find("Alpha")
        await ada.press("D")
        assert "the space “three”" in ada.screen
        assert "This cannot be undone." in ada.screen
        await ada.press("y")
        assert sorted((await order(tree))[None]) == ["Beta", "five", "one", "three", "two"]


async def test_a_space_is_duplicated_beside_itself_and_the_copy_taken_back(tmp_path: Path) -> None:
    async with fill(tmp_path) as (ada, tree):
        await ada.find("one")
        await ada.press("C")
        assert "Copy of one" in ada.screen
        await ada.press("u")
        assert "Copy of one" not in (await tree.order())[None]
        # The facts beside the tree offer to open the space; those of its organization offer nothing.
        await ada.find(OWN)
        await ada.press("tab", "enter")
        assert "Open: nothing to open here." in ada.screen
        await ada.press("h")
        await ada.find("one")
        await ada.press("tab", "enter")
        assert "one  ● main" in ada.screen


async def test_a_space_is_transferred_to_an_organization_that_is_chosen(tmp_path: Path) -> None:
    async with fill(tmp_path) as (ada, tree):
        listed = await ada.store.fetch(Organizations.list_organizations)
        second = next(one.id for one in listed.items if one.title == "Second")
        inner = CreateSpace(title="six", parent=tree.ids["Inner"])
        await ada.store.call(Spaces.create_space, tree.organization, inner)
        await ada.press("r")
        await ada.find("Beta")
        await ada.press("T")
        await ada.type("Second")
        await ada.press("enter")
        assert "the collection “Inner” with 1 space" in ada.screen
        await ada.press("n")
        await ada.find("one")
        await ada.press("T")
        await ada.type("Second")
        await ada.press("enter")
        assert "Its invite links stop working" in ada.screen
        await ada.press("y")
        assert (await space(ada, tree, "one")).organization == second


async def test_a_space_is_deleted_by_its_title_remembered_over_a_restart_and_restored(tmp_path: Path) -> None:
    async with fill(tmp_path) as (ada, tree):
        await ada.find("two")
        await ada.press("D")
        assert "restored for seven days" in ada.screen
        await ada.press("enter")
        assert (await space(ada, tree, "two")).deleted_at is None
        await ada.type("two")
        await ada.press("enter")
        assert (await space(ada, tree, "two")).deleted_at is not None
    async with person(tmp_path) as ada:
        await ada.find("Deleted spaces")
        assert "7 days left" in ada.screen or "6 days left" in ada.screen
        await ada.press("enter", "R")
        assert (await space(ada, tree, "two")).deleted_at is None
        assert "No deleted spaces" in ada.screen


async def test_readers_are_refused_before_a_dialog_opens(tmp_path: Path) -> None:
    async with fill(tmp_path) as (ada, tree):
        tree.platform.database.write_now(
            lambda connection: connection.execute("UPDATE members SET role = 'read' WHERE role = 'admin'")
        )
        await ada.press("r")
        await ada.find("two")
        for key in ("m", "e", "f2", "D", "T", "C"):
            await ada.press(key)
            assert "role" in ada.screen.splitlines()[-1], key
            assert "needs the" in ada.screen.splitlines()[-1], key
