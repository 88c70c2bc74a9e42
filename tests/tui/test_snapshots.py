"""Whole screens as pictures. The README shows some of them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from pathlib import Path
from typing import Any, cast

import pytest
from pytest_textual_snapshot import SVGImageExtension  # type: ignore[import-untyped]  # it ships no types
from syrupy.assertion import SnapshotAssertion
from textual.pilot import Pilot

from recto.tui.screens.view import View
from support.engines import write_engine
from support.guide_workspace import guided_app, last_row, open_guided
from support.screens import press_at_once, settled, steps_of
from support.slow import with_slow

SIZES = {"80x24": (80, 24), "160x48": (160, 48)}

Keys = Callable[[Pilot[None]], Awaitable[None]]


async def press(pilot: Pilot[None], *keys: str) -> None:
    """Press keys one after the other; what is typed comes in one go."""
    for step in steps_of(keys):
        press_at_once(pilot.app, *step)
        await settled(pilot)
        # Messages pass by the clock of the machine, and only those of the screen on top can be removed.
        pilot.app.clear_notifications()
        await pilot.pause()


async def find(pilot: Pilot[None], text: str) -> None:
    await press(pilot, "slash", *text, "enter", "escape")


async def look_into_the_inbox(pilot: Pilot[None]) -> None:
    await press(pilot, *last_row("Change requests"))


async def lift_a_section(pilot: Pilot[None]) -> None:
    await find(pilot, "The Recto")
    await press(pilot, "enter")
    await find(pilot, "Keys")
    await press(pilot, "J")
    await find(pilot, "Changelog")
    await press(pilot, "m", "k", "k", "k")


def on_row(row: str, *on: str) -> Keys:
    async def keys(pilot: Pilot[None]) -> None:
        await press(pilot, *last_row(row), *on)

    return keys


def on_tab(digit: str, *on: str) -> Keys:
    return on_item("The Recto", "enter", digit, *on)


def on_item(text: str, *on: str) -> Keys:
    async def keys(pilot: Pilot[None]) -> None:
        await find(pilot, text)
        await press(pilot, *on)

    return keys


def pressing(*keys: str) -> Keys:
    async def further(pilot: Pilot[None]) -> None:
        await press(pilot, *keys)

    return further


def followed_by(keys: Keys, *on: str) -> Keys:
    async def more(pilot: Pilot[None]) -> None:
        await keys(pilot)
        await press(pilot, *on)

    return more


async def create_teams(pilot: Pilot[None]) -> None:
    await press(pilot, *last_row("Teams"))
    await press(pilot, "enter")
    for title, choice in (("Writers", ("down", "enter", "up", "enter")), ("Reviewers", ("down", "enter"))):
        await press(pilot, "a", *title, "tab")
        await press(pilot, "enter")
        await press(pilot, *choice)
        await press(pilot, "ctrl+s")
        await press(pilot, "ctrl+s")


async def delete_spaces(pilot: Pilot[None]) -> None:
    for title in ("Questions", "Changelog"):
        await find(pilot, title)
        await press(pilot, "D")
        await press(pilot, *title, "enter")
    await press(pilot, *last_row("Deleted"))
    await press(pilot, "enter")


async def create_an_invite(pilot: Pilot[None]) -> None:
    await press(pilot, *last_row("Settings"))
    await press(pilot, "enter", *"jjjjjj", "space", "ctrl+s")
    await press(pilot, *"Recto guide", "enter")
    await press(pilot, "h", *last_row("Invites"))
    await press(pilot, "enter", "a")
    await press(pilot, *"whole", "enter")
    await press(pilot, *"comment", "enter")


async def change_a_provider(pilot: Pilot[None]) -> None:
    await press(pilot, *last_row("Sign-on"))
    await press(pilot, "enter")
    await press(pilot, "a", *"Example", "tab", *"urn:example", "tab", *"https://id.example.org/sign-on")
    await press(pilot, "ctrl+s")
    await press(pilot, "enter")


PETS = """\
openapi: 3.1.0
info: {title: Pets, version: "1"}
tags: [{name: Pets}, {name: Owners}]
paths:
  /pets:
    get: {tags: [Pets], summary: List pets, responses: {"200": {description: The pets}}}
    post: {tags: [Pets], summary: Add a pet, responses: {"201": {description: The pet}}}
  /pets/{petId}:
    parameters: [{name: petId, in: path, required: true, schema: {type: string}}]
    delete: {tags: [Pets], summary: Give a pet away, deprecated: true, responses: {"204": {description: Gone}}}
  /owners:
    get: {tags: [Owners], summary: List owners, responses: {"200": {description: The owners}}}
webhooks:
  petSold: {post: {summary: A pet was sold, responses: {"204": {description: Heard}}}}
"""


async def open_a_version(pilot: Pilot[None]) -> None:
    await press(pilot, *last_row("OpenAPI"))
    await press(pilot, "enter")
    (Path.home() / "pets.yaml").write_text(PETS, encoding="utf-8")
    await press(pilot, "a", *"pets", "tab", *"~/pets.yaml", "ctrl+s")
    store = cast("View[Any]", pilot.app.screen).store
    while store.jobs.running:
        await pilot.pause()
    await press(pilot, "r", "enter")
    await press(pilot, "enter")


async def run_a_translation(pilot: Pilot[None]) -> None:
    await press(pilot, *last_row("Translations"))
    await press(pilot, "enter")
    await press(pilot, "a", "enter", *"Questions", "enter", "tab", *"en", "tab", *"de", "tab", *"Brief", "ctrl+s")
    await press(pilot, "R")
    store = cast("View[Any]", pilot.app.screen).store
    while store.jobs.running:
        await pilot.pause()
    await press(pilot, "enter")


FURTHER: dict[str, Keys] = {
    "new-specification": on_row("OpenAPI", "enter", "a", *"Pets", "tab", *"nowhere"),
    "specification-version": open_a_version,
    "new-translation": on_row(
        "Translations", "enter", "a", "enter", *"Questions", "enter", "tab", *"en", "tab", *"nowhere"
    ),
    "new-space": on_item("Reference", "a"),
    "new-collection": on_item("Reference", "c"),
    "collection-settings": on_item("Reference", "e"),
    "lifted-shelf": on_item("Reference", "m", "j"),
    "space-settings": on_item("Questions", "e"),
    "delete-space": on_item("Questions", "D"),
    "space-settings-tab": on_item("Questions", "enter", "7"),
    "new-site": on_row("Sites", "enter", "a"),
    "teams": on_row("Teams", "enter"),
    "deleted-spaces": on_row("Deleted", "enter"),
    "instructions": on_row("Settings", "enter", "i"),
    "site-item": on_tab("1", "j", "e"),
    "leave-form": on_tab("2", "enter", "x", "escape", "1"),
    "schema": followed_by(on_tab("4"), "E"),
    "unpublish": on_tab("6", "P"),
    "rename-team": followed_by(create_teams, "f2"),
    "an-invite": create_an_invite,
    "enforce-sign-on": on_row("Settings", "enter", *["down"] * 7, "space", "ctrl+s"),
    "merge-rule": on_row("Settings", "enter", *"jjjjjjjj", "enter", "a", "enter"),
    "delete-site": on_row("Sites", "enter", "D"),
    "delete-collection": on_item("Reference", "D"),
    "apply-moves": followed_by(lift_a_section, "enter", "A"),
    "change-section": on_tab("1", "e"),
    "new-section": on_tab("1", "a", "down", "enter", "enter"),
    "new-group": on_tab("1", "a", "down", "down", "enter"),
    "delete-section": on_tab("1", "D"),
    "change-path": on_tab("1", "p", "x", "enter"),
    "two-deleted-spaces": delete_spaces,
    "change-provider": change_a_provider,
    "rename-space": on_item("Questions", "f2"),
    "rename-collection": on_item("Reference", "f2"),
    "last-admin": on_row("Members", "enter", "e", *"read", "enter"),
    "wider-visibility": on_tab(
        "2", "j", "enter", *"unlisted", "enter", "ctrl+s", "enter", *"public", "enter", "ctrl+s"
    ),
    "filter-change-requests": on_item("Guide (F", "k", "enter", "2", "F"),
    "filter-comments": on_item("Guide (F", "k", "enter", "3", "F"),
    "template": on_item("Guide (F", "k", "enter", "T", "down", *"contact: https://help.example.org"),
    "import-content": on_item("Guide (F", "k", "enter", "B"),
    "git-import": on_item("Guide (F", "k", "enter", "I"),
    "git-export": on_item("Guide (F", "k", "enter", "X"),
    "pdf": on_item("Guide (F", "k", "enter", "W"),
    "files-of-a-revision": on_item("Reference", "l", "j", "j", "enter", "6", "enter", "4"),
}
"""The keys to further forms and questions, by the name of the picture."""

JOURNEYS: list[dict[str, Keys]] = [
    {
        "new-share-link": on_tab("3", "a"),
        "a-share-link": pressing(*"Partners", "enter"),
        "rename-share-link": pressing("f2"),
    },
    {
        "new-claim": on_tab("4", "a"),
        "a-claim": pressing(*"plan", "ctrl+s"),
        "change-claim": pressing("e"),
    },
    {
        "new-redirect": on_tab("5", "a"),
        "a-redirect": pressing(*"/old", "enter", "enter", *"Changelog", "enter", "ctrl+s"),
        "change-redirect": pressing("enter"),
    },
    {"two-teams": create_teams, "team": pressing("enter")},
    {"translation": run_a_translation, "translated-page": pressing("enter")},
    {"transfer-to": on_item("Reference", "T"), "transfer": pressing("enter")},
]
"""The keys to several pictures one after the other, by the name of the picture to which they lead."""


@pytest.mark.parametrize("size", with_slow(SIZES, ["160x48"]))
@pytest.mark.parametrize(
    "keys",
    [
        pytest.param(look_into_the_inbox, id="organizations"),
        pytest.param(on_row("Members", "enter", "space"), id="members"),
        pytest.param(on_row("Members", "enter", "enter"), id="member"),
        pytest.param(on_row("Teams", "enter", "a"), id="new-team"),
        pytest.param(on_row("Invites", "enter"), id="invites"),
        pytest.param(on_row("Combined", "enter"), id="inbox-of-all"),
        pytest.param(on_row("Settings", "enter", "j"), id="organization settings"),
        pytest.param(
            on_row("Settings", "enter", *"jjjjjjjj", "enter", "a", *"approval", "enter", "a"), id="merge rules"
        ),
        pytest.param(on_row("Sign-on", "enter", "a", *"Example", "tab", "tab", *"nowhere"), id="identity provider"),
        pytest.param(lift_a_section, id="site"),
        *(
            pytest.param(on_tab(str(digit)), id=f"site-{name}")
            for digit, name in enumerate(("settings", "share-links", "audience", "redirects", "publication"), 2)
        ),
        *(pytest.param(keys, id=name, marks=pytest.mark.slow) for name, keys in FURTHER.items()),
    ],
)
def test_screens_look_as_they_did(snap_compare: Any, tmp_path: Path, keys: Keys, size: str) -> None:
    async def go_there(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await keys(pilot)

    platform = open_guided(tmp_path)
    platform.engine = write_engine(tmp_path)
    try:
        assert snap_compare(guided_app(platform, tmp_path), terminal_size=SIZES[size], run_before=go_there)
    finally:
        platform.close()


@pytest.mark.slow
@pytest.mark.parametrize("size", SIZES)
@pytest.mark.parametrize("journey", [pytest.param(each, id=next(iter(each))) for each in JOURNEYS])
async def test_screens_on_a_journey_look_as_they_did(
    snapshot: SnapshotAssertion, tmp_path: Path, journey: dict[str, Keys], size: str
) -> None:
    pictures = snapshot.use_extension(SVGImageExtension)
    platform = open_guided(tmp_path)
    platform.engine = write_engine(tmp_path)
    try:
        app = guided_app(platform, tmp_path)
        async with app.run_test(size=SIZES[size], notifications=True) as pilot:
            await settled(pilot)
            for name, keys in journey.items():
                await keys(pilot)
                is_same = pictures(name=name) == app.export_screenshot(title=app.title, simplify=True)
                assert is_same, f"{name} looks otherwise"
    finally:
        platform.close()
