"""Scenarios of content as it is read: the main content, past revisions, change requests, search."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

from end_to_end.scenarios.table import proves
from end_to_end.scenarios.world import PAGES, World, attach, edit, is_gone
from recto.client.call import Call
from recto.contract.addresses import Address, AtRevision, InChangeRequest, Main
from recto.contract.change_requests import ChangeRequests
from recto.contract.common import UrlReference
from recto.contract.content import Content
from recto.contract.imports import ImportContent, Imports
from recto.contract.pdf import Pdfs
from recto.contract.search import Search
from recto.contract.spaces import Spaces
from recto.contract.templates import ApplyTemplate, TemplateParams, Templates
from support.web import ADDRESS, TITLE

OLD, NEW = "# Start\n\nWelcome to the manual.\n\nRead on.\n", "# Start\n\nBegin here.\n"


@dataclass(frozen=True, slots=True)
class View:
    """One of the three places in which the manual's content can be read, where it differs from the others.

    ``files`` are the names of the files there and ``start`` the Markdown of the first page.
    """

    call: Call
    at: Address
    start: str
    files: tuple[str, ...]

    def ask(self, operation: str) -> Callable[..., Awaitable[Any]]:
        """Return a read of this place."""
        return partial(self.call, getattr(Content, operation), self.at)


async def _view(world: World, address: type[Address]) -> View:
    """Make the place whose content alone is as the view says; the two others then hold something else."""
    before = (await world.call(Spaces.get_space, world.manual)).revision
    request = await world.propose(edit("start", NEW), attach("notes.txt", b"Mind the gap."))
    both = ("logo.png", "notes.txt")
    if address is InChangeRequest:
        return View(world.call, InChangeRequest(world.manual, request.id), NEW, both)
    await world.call(ChangeRequests.merge, world.manual, request.id)
    if address is Main:
        return View(world.call, Main(world.manual), NEW, both)
    return View(world.call, AtRevision(world.manual, before), OLD, ("logo.png",))


def proves_reading(name: str) -> Callable[[Callable[[View], Awaitable[None]]], Callable[[View], Awaitable[None]]]:
    """Name the read that the decorated scenario proves, in all three places."""

    def register(scenario: Callable[[View], Awaitable[None]]) -> Callable[[View], Awaitable[None]]:
        async def read(address: type[Address], world: World) -> None:
            await scenario(await _view(world, address))

        for address in (Main, AtRevision, InChangeRequest):
            proves(getattr(Content, name), address)(partial(read, address))
        return scenario

    return register


@proves_reading("get_revision")
async def a_revision_holds_its_pages_and_files(view: View) -> None:
    revision = await view.ask("get_revision")()
    assert revision.pages == (await view.ask("list_pages")()).pages
    assert tuple(file.name for file in revision.files) == view.files
    assert tuple(revision.files) == (await view.ask("list_files")()).items


@proves_reading("list_pages")
async def the_tree_holds_the_pages_that_can_be_opened(view: View) -> None:
    start, setup = (await view.ask("list_pages")()).pages
    assert [page.id for page in (start, setup, *setup.pages)] == [page.id for root in PAGES for page in root.walk()]
    assert setup.pages[0].path == "setup/cables"
    assert await view.ask("get_page")("cables") == setup.pages[0]


@proves_reading("get_page")
async def a_page_has_its_text_in_the_format_asked_for(view: View) -> None:
    page = await view.ask("get_page")("start", format="markdown")
    assert page.markdown == view.start
    assert page == await view.ask("get_page_by_path")("start", format="markdown")
    rich = (await view.ask("get_page")("start", format="document")).document
    assert rich is not None
    assert len(rich.nodes) == view.start.count("\n\n")


@proves_reading("get_page_by_path")
async def a_page_is_found_by_its_path(view: View) -> None:
    page = await view.ask("get_page_by_path")("setup/cables", format="markdown")
    assert (page.id, page.markdown) == ("cables", "# Cables\n\nThere are three.\n")
    assert page == await view.ask("get_page")("cables", format="markdown")


@proves_reading("list_files")
async def the_files_listed_can_be_read(view: View) -> None:
    files = (await view.ask("list_files")()).items
    assert tuple(file.name for file in files) == view.files
    assert [await view.ask("get_file")(file.id) for file in files] == list(files)


@proves_reading("get_file")
async def a_file_is_the_one_of_the_revision(view: View) -> None:
    (*_, last) = (await view.ask("get_revision")()).files
    file = await view.ask("get_file")(last.id)
    assert file == last
    assert (file.name, file.size) == (view.files[-1], {"logo.png": 9, "notes.txt": 13}[view.files[-1]])


@proves(Templates.apply_template)
async def the_pages_of_a_template_come_after_the_others(world: World) -> None:
    support = UrlReference(url="https://help.example.org")
    body = ApplyTemplate(id="product-docs", params=TemplateParams(content_refs={"support": support}))
    before = (await world.call(Content.list_pages, Main(world.manual))).pages
    await world.call(Templates.apply_template, world.manual, body)
    after = (await world.call(Content.list_pages, Main(world.manual))).pages
    assert after[: len(before)] == before
    found = [(await world.call(Search.search_space, world.manual, word)).items for word in ("quickstart", "glossary")]
    assert all(found)


async def _have_addresses_of_pdfs(world: World, at: Main | InChangeRequest) -> None:
    whole = (await world.call(Pdfs.get_pdf, at)).url
    part = (await world.call(Pdfs.get_pdf, at, only=True, page="cables")).url
    space = await world.call(Spaces.get_space, world.manual)
    assert whole.startswith(f"{space.urls.location}/pdf/") and part.startswith(f"{space.urls.location}/pdf/")
    assert whole != part
    assert await is_gone(world.call(Pdfs.get_pdf, at, page="nowhere"))


@proves(Pdfs.get_pdf, Main)
async def a_space_has_the_address_of_a_pdf(world: World) -> None:
    await _have_addresses_of_pdfs(world, Main(world.manual))


@proves(Pdfs.get_pdf, InChangeRequest)
async def a_change_request_has_the_address_of_a_pdf(world: World) -> None:
    await _have_addresses_of_pdfs(world, InChangeRequest(world.manual, (await world.propose()).id))


@proves(Imports.import_content)
async def imported_pages_come_after_the_others(world: World) -> None:
    await _import(world, Main(world.manual))


@proves(Imports.import_content, InChangeRequest)
async def a_change_request_takes_imported_pages(world: World) -> None:
    request = await world.propose()
    await _import(world, InChangeRequest(world.manual, request.id))
    assert TITLE not in [page.title for page in (await world.call(Content.list_pages, Main(world.manual))).pages]


async def _import(world: World, at: Main | InChangeRequest) -> None:
    before = (await world.call(Content.list_pages, at)).pages
    imported = await world.call(Imports.import_content, at, ImportContent(url=ADDRESS, source="markdown"))
    after = await world.call(Content.list_pages, at)
    assert [page.title for page in after.pages] == [*(page.title for page in before), TITLE]
    assert (imported.imported_resources, imported.total_resources) == (1, 1)
    assert (await world.call(Content.get_revision, at)).id == imported.revision


@proves(Search.search_space)
async def words_are_found_once_they_are_in_the_main_content(world: World) -> None:
    async def find(words: str) -> list[str]:
        return [hit.id for hit in (await world.call(Search.search_space, world.manual, words)).items]

    assert await find("welcome manual") == ["start"]
    request = await world.propose(edit("cables", "# Cables\n\nThe yellow one carries lightning.\n"))
    assert await find("lightning") == []
    await world.call(ChangeRequests.merge, world.manual, request.id)
    assert await find("lightning") == ["cables"]
    assert await find("three") == []


@proves(Search.search_organization)
async def a_search_finds_the_spaces_that_hold_the_words(world: World) -> None:
    found = (await world.call(Search.search_organization, world.places.organization, "three")).items
    assert [(space.id, space.title, [page.id for page in space.pages]) for space in found] == [
        (world.manual, "Manual", ["cables"])
    ]
    in_space = await world.call(Search.search_space, world.manual, "three")
    assert in_space.items == found[0].pages
