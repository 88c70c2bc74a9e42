"""The program where nothing is to be changed: seen, said, and held to."""

from __future__ import annotations

from pathlib import Path

import pytest

from recto.client.errors import ReadOnly
from recto.contract.organizations import Organizations
from recto.contract.spaces import CreateSpace, Space, Spaces
from recto.store.drafts import DraftKind, DraftPlace, DraftState
from recto.store.mutation import Mutation
from recto.tui import actions
from recto.tui.navigation import views
from support.guide_workspace import Person, read_only_person
from support.screens import all_messages


def messages_of(person: Person) -> list[str]:
    return all_messages(person.pilot.app)


async def test_it_is_seen_and_what_would_change_something_says_why_not(tmp_path: Path) -> None:
    async with read_only_person(tmp_path) as person:
        assert "  read-only  workspace · Ada Lovelace (admin)" in person.screen.splitlines()[0]
        for key, title in (("a", "New"), ("b", "Import a folder")):
            await person.press(key)
            assert f"{title}: Recto is read-only now." in messages_of(person)
        await person.find("Questions")
        await person.press("enter", "e")
        assert "  read-only  workspace · Ada Lovelace (admin)" in person.screen.splitlines()[0]
        assert "Edit in your editor: Recto is read-only now." in messages_of(person)


async def test_what_is_sent_all_the_same_is_refused_and_nothing_typed_is_lost(tmp_path: Path) -> None:
    async with read_only_person(tmp_path) as person:
        store = person.store
        organization = (await store.call(Organizations.list_organizations)).items[0].id
        draft = store.drafts.start(DraftKind.COMMENT, DraftPlace(space="s"), "Typed with care")

        def make() -> Mutation[Space]:
            return Mutation(
                doing="Making a space",
                done="Made a space",
                call=lambda call: call(Spaces.create_space, organization, CreateSpace(title="New")),
                draft=draft,
            )

        outcome = await store.run(make())
        assert isinstance(outcome.error, ReadOnly)
        kept = store.drafts.get(draft.id)
        assert kept is not None
        assert (store.drafts.text(kept), kept.state) == ("Typed with care", DraftState.TYPED)


async def test_the_deeds_of_ones_own_workspace_are_refused_too(tmp_path: Path) -> None:
    async with read_only_person(tmp_path) as person:
        workspace = person.store.workspace
        assert workspace is not None
        assert await workspace.guide() is not None
        (tmp_path / "book").mkdir()
        (tmp_path / "book" / "README.md").write_text("# Book\n")
        for change in (
            lambda: workspace.remove_guide(),
            lambda: workspace.rename_owner("Someone", ""),
            lambda: workspace.import_folder(tmp_path / "book"),
        ):
            with pytest.raises(ReadOnly, match="read-only"):
                await change()


def test_each_action_that_leads_to_a_change_is_marked() -> None:
    views.import_views()
    unmarked = {action.name for action in actions.all_actions() if action.group == "Change" and not action.writes}
    assert unmarked == {"item.open_in_browser", "item.copy_text", "item.copy_link"}
    for group in ("Conflicts", "Arrange", "Site", "Thread"):
        marked = {action.name: action.writes for action in actions.all_actions() if action.group == group}
        free = {name for name, writes in marked.items() if not writes}
        moves = {"conflict.next", "conflict.previous", "arrange.drop", "arrange.put_back"}
        previews = {"audience.claim", "audience.clear", "site.visit_with"}
        assert free <= moves | previews, group
