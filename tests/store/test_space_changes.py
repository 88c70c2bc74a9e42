"""The pages of a template and the copy of a space whose answer is lost, against a real platform."""

from __future__ import annotations

from pathlib import Path

import pytest

from recto.client.errors import Unreachable
from recto.contract.addresses import Main
from recto.contract.content import Content
from recto.contract.spaces import CreateSpace, Spaces
from recto.contract.templates import ApplyTemplate
from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Platform
from recto.store.mutation import NotArrived, Undecided
from recto.store.space_changes import apply_template, duplicate_space
from recto.store.store import Store
from support.content import Desk, make_space
from support.platform import FrozenClock, Speaker
from support.sites import make_store

CHANGELOG = ApplyTemplate(id="changelog")


@pytest.fixture
def space(platform: Platform) -> str:
    return make_space(platform, [ImportedPage("page", "Page", slug="page", text="Words.\n")])


async def write_by_another(platform: Platform, space: str) -> None:
    """Add a page to main as another person does meanwhile."""
    desk = await Desk.open(Speaker(platform), space)
    await desk.write({"operation": "insert_page", "title": "Theirs", "document": {"markdown": "Words.\n"}})
    await desk.merge()


def lost() -> Unreachable:
    return Unreachable("They were not added.", "The connection broke.", may_have_arrived=True)


async def titles(store: Store, space: str) -> list[str]:
    return [page.title for page in (await store.fetch(Content.list_pages, Main(space))).pages]


@pytest.mark.parametrize("others", [False, True], ids=["alone", "beside those of others"])
async def test_pages_of_a_template_that_arrived_are_found(
    others: bool, platform: Platform, clock: FrozenClock, tmp_path: Path, space: str
) -> None:
    store, transport = make_store(platform, tmp_path)

    async def lose() -> None:
        if others:
            clock.advance(minutes=1)
            await write_by_another(platform, space)
        raise lost()

    transport.then["apply_template"] = lose
    outcome = await store.run(apply_template(space, CHANGELOG, "Changelog"))
    assert outcome.ok, outcome.error
    assert transport.changes == ["apply_template"]
    await store.aclose()


async def test_pages_of_a_template_that_did_not_arrive_are_missing(
    platform: Platform, tmp_path: Path, space: str
) -> None:
    store, transport = make_store(platform, tmp_path)
    transport.errors["apply_template"] = [lost()]
    outcome = await store.run(apply_template(space, CHANGELOG, "Changelog"))
    assert isinstance(outcome.error, NotArrived)
    await store.aclose()


@pytest.mark.parametrize("id", ["changelog", "of-another-platform"])
async def test_a_page_of_another_is_not_taken_for_those_of_a_template(
    id: str, platform: Platform, tmp_path: Path, space: str
) -> None:
    store, transport = make_store(platform, tmp_path)

    async def write() -> None:
        await write_by_another(platform, space)

    transport.then["list_pages"] = write
    transport.errors["apply_template"] = [lost()]
    outcome = await store.run(apply_template(space, ApplyTemplate(id=id), "Changelog"))
    assert await titles(store, space) == ["Page", "Theirs"]
    assert isinstance(outcome.error, Undecided)
    await store.aclose()


async def space_titles(store: Store, organization: str) -> list[str]:
    return sorted(space.title for space in (await store.fetch(Spaces.list_spaces, organization)).items)


async def test_a_copy_that_arrived_is_found(platform: Platform, tmp_path: Path, space: str) -> None:
    store, transport = make_store(platform, tmp_path)
    original = await store.fetch(Spaces.get_space, space)

    async def lose() -> None:
        await store.call(Spaces.create_space, original.organization, CreateSpace(title="Theirs"))
        raise lost()

    transport.then["duplicate_space"] = lose
    outcome = await store.run(duplicate_space(original))
    assert outcome.value is not None and outcome.value.title == "Copy of Guide"
    assert await space_titles(store, original.organization) == ["Copy of Guide", "Guide", "Theirs"]
    await store.undo()
    assert await space_titles(store, original.organization) == ["Guide", "Theirs"]
    await store.aclose()


async def test_a_space_of_another_is_not_taken_for_a_copy(platform: Platform, tmp_path: Path, space: str) -> None:
    store, transport = make_store(platform, tmp_path)
    original = await store.fetch(Spaces.get_space, space)

    async def create() -> None:
        await Speaker(platform).send("POST", f"/orgs/{original.organization}/spaces", {"title": "Theirs"}, 201)

    transport.then["list_spaces"] = create
    transport.errors["duplicate_space"] = [lost()]
    outcome = await store.run(duplicate_space(original))
    assert await space_titles(store, original.organization) == ["Guide", "Theirs"]
    assert isinstance(outcome.error, Undecided)
    assert "not quite the same" in outcome.error.why
    await store.aclose()
