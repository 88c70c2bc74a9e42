"""OpenAPI specifications on the screen: what a platform says of them never acts."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from pathlib import Path
from threading import Event

import pytest

from recto.contract.addresses import InChangeRequest
from recto.contract.change_requests import ChangeRequests, CreateChangeRequest
from recto.contract.changes import ContentChanges, InsertPage, PageText, UpdatePage, WriteContent
from recto.contract.specifications import CreateSpecification, Specifications, SpecificationSource
from recto.server.content.imported_tree import ImportedPage
from recto.store import specification_uses, specifications
from recto.store.locations import OrganizationsLocation
from support.content import make_space
from support.guide_workspace import open_guided, person
from support.platform import own_organization, wait_for_jobs

OTHERS = {"openapi": "3.1.0", "info": {"title": "Theirs", "version": "1"}, "paths": {}}
MINE = {**OTHERS, "info": {"title": "Mine", "version": "1"}}


async def test_an_address_that_is_a_path_of_this_machine_is_never_read_and_sent(tmp_path: Path) -> None:
    mine = tmp_path / "mine.json"
    mine.write_text(json.dumps(MINE))
    platform = open_guided(tmp_path)
    organization = own_organization(platform)
    platform.close()
    async with person(tmp_path, opening=OrganizationsLocation(f"specifications:{organization}")) as ada:
        source = SpecificationSource(text=json.dumps(OTHERS))
        await ada.store.call(
            Specifications.create_specification, organization, CreateSpecification(slug="pets", source=source)
        )
        await wait_for_jobs(ada.platform)
        ada.platform.database.write_now(
            lambda connection: connection.execute("UPDATE specifications SET source_url = ?", str(mine))
        )
        await ada.press("enter", "r", "R")
        assert "its source is not a web address" in ada.screen
        await wait_for_jobs(ada.platform)
        await ada.press("e")
        assert str(mine) not in ada.screen.partition("Source of pets")[2]
        latest = await ada.store.call(Specifications.get_latest_content, organization, "pets")
        assert latest.filesystem["openapi.json"]["info"]["title"] == "Theirs"


async def test_esc_cancels_the_reading_of_a_file_before_it_closes_the_form(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, never, ended = Event(), Event(), Event()

    def read_without_end(name: str, read: object, pause: Callable[[], None]) -> str:
        begun.set()
        try:
            while not never.wait(0.01):
                pause()
            return ""
        finally:
            ended.set()

    monkeypatch.setattr(specifications, "bundle", read_without_end)
    file = tmp_path / "api.yaml"
    file.touch()
    platform = open_guided(tmp_path)
    organization = own_organization(platform)
    platform.close()
    async with person(tmp_path, opening=OrganizationsLocation(f"specifications:{organization}")) as ada:
        await ada.press("enter", "a")
        await ada.type("pets")
        await ada.press("tab")
        await ada.paste(str(file))
        await ada.pilot.press("ctrl+s")
        await asyncio.to_thread(begun.wait)
        await ada.press("escape")
        await asyncio.to_thread(ended.wait)
        await ada.press()
        assert "You cancelled it." in ada.screen and "New specification" in ada.screen


async def test_a_source_that_is_not_valid_is_not_said_to_be_unprocessed(tmp_path: Path) -> None:
    platform = open_guided(tmp_path)
    organization = own_organization(platform)
    platform.close()
    async with person(tmp_path, opening=OrganizationsLocation(f"specifications:{organization}")) as ada:
        body = CreateSpecification(slug="pets", source=SpecificationSource(text="theme: jekyll\n"))
        await ada.store.call(Specifications.create_specification, organization, body)
        await wait_for_jobs(ada.platform)
        await ada.press("enter", "r", "enter")
        assert "a source that is valid becomes" in ada.screen
        assert "complete, processed" in ada.screen


async def test_an_operation_of_a_version_opens_as_text(tmp_path: Path) -> None:
    platform = open_guided(tmp_path)
    organization = own_organization(platform)
    platform.close()
    async with person(tmp_path, opening=OrganizationsLocation(f"specifications:{organization}")) as ada:
        paths = {
            "/pets": {
                "parameters": [{"name": "tenant", "in": "header", "schema": {"type": "string"}}],
                **{
                    verb: {"summary": f"{verb} pets", "tags": ["Pets"], "responses": {"200": {"description": "Done"}}}
                    for verb in ("get", "delete")
                },
            }
        }
        source = SpecificationSource(text=json.dumps({**MINE, "paths": paths}))
        body = CreateSpecification(slug="pets", source=source)
        await ada.store.call(Specifications.create_specification, organization, body)
        await wait_for_jobs(ada.platform)
        await ada.press("enter", "r", "enter", "enter", "enter")
        assert "Open: nothing to open here." in ada.screen  # a tag
        await ada.press("down", "down", "enter")
        assert "DELETE /pets" in ada.screen and "tenant" in ada.screen and "delete pets" in ada.screen
        assert "get pets" not in ada.screen
        await ada.press("backspace")
        assert "get pets" in ada.screen


async def test_the_pages_that_use_a_specification_are_listed_and_lead_there(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    platform = open_guided(tmp_path)
    organization = own_organization(platform)
    block = '{% openapi-operation spec="pets" path="/pets" method="get" %}\n{% endopenapi-operation %}\n\n'
    reference = {"kind": "openapi", "spec": "pets"}
    computed = {"type": "builtin:openapi", "dependencies": {"spec": {"ref": reference}}}
    space = make_space(
        platform,
        [
            ImportedPage("cats", "Cats and dogs", text=f"{block * 2}Both are pets.\n"),
            ImportedPage("reference", "Reference", type="computed", attributes={"computed": computed}),
            ImportedPage("other", "Others", text=block.replace("pets", "others")),
        ],
    )
    platform.close()
    async with person(tmp_path, opening=OrganizationsLocation(f"specifications:{organization}")) as ada:
        operation = {"summary": "List pets", "tags": ["Small pets"], "responses": {"200": {"description": "Pets"}}}
        source = SpecificationSource(text=json.dumps({**MINE, "paths": {"/pets": {"get": operation}}}))
        await ada.store.call(
            Specifications.create_specification, organization, CreateSpecification(slug="pets", source=source)
        )
        await wait_for_jobs(ada.platform)
        drafted = [
            await ada.store.call(ChangeRequests.create_change_request, space, CreateChangeRequest(subject="More"))
            for _ in range(3)
        ]
        at = InChangeRequest(space, drafted[2].id)
        pages = {"Drafted": block, "Empty": "None.\n"}
        made = tuple(InsertPage(title=title, document=PageText(markdown=text)) for title, text in pages.items())
        edited = UpdatePage(page="cats", document=PageText(markdown=f"{block}Both are pets.\n"))
        await ada.store.call(ContentChanges.write_content, at, WriteContent(changes=(*made, edited)))
        monkeypatch.setattr(specification_uses, "MOST_REQUESTS", 3)
        await ada.press("enter", "r", "enter")
        used = ada.screen.partition("Used on")[2]
        assert used.count("Cats and dogs") == 1
        assert "Drafted" in used and "Guide #3" in used and "Empty" not in used
        assert "2 change requests not looked at" in used
        assert "Cats and dogs" in used and "2 blocks" in used
        assert "Reference" in used and "computed pages" in used
        assert "Others" not in used
        await ada.press("escape", "D")
        assert "pets, used on 3 pages" in ada.screen and "“Drafted” in Guide #3" in ada.screen
        await ada.press("n", "enter", "tab", "enter")
        assert "Both are pets." in ada.screen and "List pets" in ada.screen
        await ada.press("h")
        await ada.find("Small pets")
        await ada.press("enter")
        assert "Both are pets." not in ada.screen and "List pets" in ada.screen
        await ada.press("e")
        assert "a computed page is not written here" in ada.screen
        await ada.press("c")
        assert "a computed page takes no comments" in ada.screen
