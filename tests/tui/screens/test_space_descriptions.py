"""Descriptions of APIs that pages name: those among the files of the space are read, others only when asked for."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from recto.client.errors import Unreachable
from recto.contract.specifications import SpecificationSource
from recto.server.content.imported_tree import ImportedPage
from recto.server.content.revisions import main_revision
from recto.server.specifications.processing import processing_task
from recto.store.api_descriptions import AGAIN_AFTER
from recto.store.locations import SpaceLocation
from recto.tui.page.page_view import PageView
from support.api_descriptions import PETS
from support.content import make_space
from support.files import store_file
from support.platform import FrozenClock
from support.sites import Refusing
from support.spaces import Reader, Workspace

PAGE = """\
Words above.

{% openapi src="../.gitbook/assets/pets.yaml" path="/pets" method="get" %}
[pets.yaml](../.gitbook/assets/pets.yaml)
{% endopenapi %}

Words between.

{% openapi-operation spec="pets" path="/pets/{id}" method="put" %}
{% endopenapi-operation %}

Words below.
"""
TROUBLE = """\
{% openapi src="../.gitbook/assets/pets.yaml" path="/cats" method="get" %}
{% endopenapi %}

{% openapi src="../.gitbook/assets/broken.yaml" path="/pets" method="get" %}
{% endopenapi %}

{% openapi src="gone.yaml" path="/pets" method="get" %}
{% endopenapi %}

{% openapi-operation spec="cats" path="/cats" method="get" %}
{% endopenapi-operation %}
"""


class Described(Workspace):
    """A workspace with pages that name descriptions."""

    def __init__(self, folder: Path, clock: FrozenClock, elsewhere: str = "") -> None:
        super().__init__(folder, clock)
        self.clock = clock
        texts = {
            "api": PAGE,
            "trouble": TROUBLE,
            "remote": f'{{% openapi src="{elsewhere}" path="/pets" method="get" %}}\n{{% endopenapi %}}\n',
            "linked": '{% openapi-operation spec="x" path="/pets" method="get" %}\n'
            f"[x]({elsewhere})\n{{% endopenapi-operation %}}\n",
        }
        pages = [
            ImportedPage(name, name.title(), slug=name, text=text, attributes={"git": {"path": f"docs/{name}.md"}})
            for name, text in texts.items()
        ]
        files = {"pets.yaml": PETS.encode(), "broken.yaml": b"openapi: [\n"}
        stored = [store_file(self.platform, name, content, "text/yaml") for name, content in files.items()]
        self.space = make_space(self.platform, pages, files=stored)

    @asynccontextmanager
    async def at(self, page: str, size: tuple[int, int] = (120, 50), **options: Any) -> AsyncIterator[Reader]:
        """Open a page."""
        async with self.reader(size=size, location=SpaceLocation(self.space, page=page), **options) as reader:
            yield reader


@pytest.fixture
def described(tmp_path: Path) -> Iterator[Described]:
    opened = Described(tmp_path, FrozenClock())
    yield opened
    opened.close()


async def go_to(reader: Reader, words: str) -> None:
    """Go to words of the page."""
    reader.pilot.app.screen.query_one(PageView).focus()
    await reader.press("slash")
    await reader.type(words)
    await reader.press("enter")


async def visit(reader: Reader, page: str) -> None:
    """Jump to a page by its title."""
    await reader.press("f")
    await reader.type(page)
    await reader.press("enter")


# Files of the space


async def test_what_the_description_says_is_shown_where_the_page_names_an_operation(described: Described) -> None:
    async with described.at("api", (120, 70)) as reader:
        reader.shows("Words above.", " GET   /pets", "List pets", "▾ Parameters  3", "▸  200   The pets", "pets.yaml")
        reader.shows("Words between.", " PUT   /pets/{petId}  deprecated", "▾ Body  11 fields  required")
        reader.shows("Words below.")


async def test_the_outline_and_the_keys_for_headings_lead_from_operation_to_operation(described: Described) -> None:
    async with described.at("api", (170, 30)) as reader:
        await reader.press("t")
        reader.shows("Outline  3", "GET List pets  /pets", "PUT /pets/{petId}")
        await reader.press("G", "enter")
        assert place(reader) == ("/pets/{id}", "put")
        await reader.press("left_square_bracket")
        assert place(reader) == ("/pets", "get")
        await reader.press("right_square_bracket")
        assert place(reader) == ("/pets/{id}", "put")


def place(reader: Reader) -> tuple[str | None, str | None]:
    """Return the path and the method of the operation under the page's cursor."""
    block = reader.pilot.app.screen.query_one(PageView).cursor_block
    attributes = block.attributes if block is not None else {}
    return attributes.get("path"), attributes.get("method")


async def test_a_name_without_a_file_is_a_specification_of_the_organization(described: Described) -> None:
    def keep(summary: str) -> None:
        paths = {"/cats": {"get": {"summary": summary, "responses": {"200": {"description": "Ok"}}}}}
        values = {"openapi": "3.1.0", "info": {"title": "Cats", "version": "1"}, "paths": paths}
        platform = described.platform
        organization = platform.database.read_now(lambda connection: connection.value("SELECT id FROM organizations"))
        source = SpecificationSource(text=json.dumps(values))
        platform.jobs.run(processing_task(organization, "cats", source, lambda context, row: None))

    async with described.at("trouble") as reader:
        reader.shows("The description “cats” could not be loaded")
    await asyncio.to_thread(keep, "List cats")
    async with described.at("trouble", (120, 70)) as reader:
        reader.shows("GET   /cats", "List cats")
        described.clock.advance(minutes=1)
        await asyncio.to_thread(keep, "List all cats")
        await reader.press("r")
        reader.shows("List all cats")
    revision = described.platform.database.read_now(lambda connection: main_revision(connection, described.space)).id
    past = SpaceLocation(described.space, revision=revision, page="trouble")
    async with described.reader(size=(120, 70), location=past) as reader:
        await reader.press("2")
        reader.shows("GET   /cats", "List cats")


async def test_a_description_is_brought_and_read_once(described: Described) -> None:
    async with described.at("api") as reader:
        await visit(reader, "Trouble")
        await visit(reader, "Api")
        reader.shows("List pets")
        assert len([url for url in reader.transport.downloads if "pets" in url or "blobs" in url]) == 2


async def test_parts_open_and_close_by_keys(described: Described) -> None:
    async with described.at("api") as reader:
        await go_to(reader, "The pets")
        reader.shows_not("X-Next")
        await reader.press("space")
        reader.shows("▾  200   The pets", "X-Next  string  The next page")
        await reader.press("j", "space")
        reader.shows("▸  200   The pets")
        await reader.press("enter")
        reader.shows("▾  200   The pets")


async def test_what_is_folded_away_is_counted_and_gone_to(described: Described) -> None:
    async with described.at("api") as reader:
        reader.shows_not("The next page")
        await go_to(reader, "The next page")
        reader.shows("The next page")
        assert reader.pilot.app.screen.query_one(PageView).found == (1, 1)


async def test_what_was_opened_stays_open_on_the_way_back(described: Described) -> None:
    async with described.at("api") as reader:
        await go_to(reader, "Parameters")
        await reader.press("escape", "space")
        reader.shows("▸ Parameters  3")
        await reader.press("r")
        reader.shows("▸ Parameters  3")


# What cannot be shown


async def test_what_cannot_be_shown_says_why_at_the_block(described: Described) -> None:
    async with described.at("trouble", (160, 40)) as reader:
        reader.shows(
            "The description has no operation GET /cats.",
            "The description of the API could not be read. It is not valid YAML",
            "The description gone.yaml is not among the files of the space.",
            "The description “cats” could not be loaded",
        )


async def test_a_description_that_did_not_come_is_asked_for_again_later(described: Described) -> None:
    def refuse(transport: Refusing) -> None:
        async def refused(url: str, most: int, *, patience: float | None = None) -> bytes:
            transport.downloads.append(url)
            raise Unreachable("Could not load pets.yaml.", "No answer came.")

        transport.download = refused  # type: ignore[method-assign]  # as if the network were gone

    async with described.at("api", prepare=refuse) as reader:
        reader.shows("Could not load pets.yaml. No answer came.", "Words between.")
        del reader.transport.download
        await visit(reader, "Trouble")
        described.clock.advance(seconds=AGAIN_AFTER.total_seconds())
        await visit(reader, "Api")
        reader.shows("List pets")


async def test_without_a_list_of_files_the_text_of_the_page_stands(described: Described) -> None:
    def refuse(transport: Refusing) -> None:
        transport.always["list_files"] = Unreachable("Could not load the files.", "No answer came.")

    async with described.at("api", prepare=refuse) as reader:
        reader.shows(" GET   /pets", "The API description could not be loaded. Could not load the files.", "pets.yaml")


# Elsewhere


@asynccontextmanager
async def serving(content: bytes) -> AsyncIterator[tuple[str, list[str]]]:
    """Serve a file from this machine; gives its address, and the heads of what was asked."""
    heads: list[str] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        heads.append((await reader.readuntil(b"\r\n\r\n")).decode())
        writer.write(b"HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n" + content)
        writer.close()
        await writer.wait_closed()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    try:
        yield f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/pets.yaml", heads
    finally:
        server.close()
        await server.wait_closed()


@pytest.mark.parametrize("page", ["remote", "linked"])
async def test_a_description_elsewhere_is_fetched_only_when_a_person_asks_for_it(tmp_path: Path, page: str) -> None:
    async with serving(PETS.encode()) as (address, heads):
        workspace = Described(tmp_path, FrozenClock(), address)
        async with workspace.at(page) as reader:
            reader.shows(" GET   /pets", "Its description is at http://127.0.0.1", "press p.")
            await reader.press("g")
            reader.shows_not("p fetch")
            await reader.press("j")
            reader.shows("p fetch")
            assert (reader.transport.downloads, heads) == ([], [])
            await reader.press("p")
            reader.shows("List pets", "▾ Parameters  3")
            reader.shows_not("p fetch")
            assert (reader.transport.downloads, len(heads)) == ([address], 1)
            await reader.press("p")
            assert len(heads) == 1
            await visit(reader, "Linked" if page == "remote" else "Remote")
            reader.shows("List pets")
            assert len(heads) == 1
        workspace.close()


async def test_what_was_fetched_and_is_no_description_says_so_and_can_be_fetched_again(tmp_path: Path) -> None:
    async with serving(b"<html>Not here</html>") as (address, heads):
        workspace = Described(tmp_path, FrozenClock(), address)
        async with workspace.at("remote") as reader:
            await go_to(reader, "fetched only")
            await reader.press("p")
            reader.shows("The description of the API could not be read.")
            await reader.press("p")
            assert len(heads) == 2
        workspace.close()
