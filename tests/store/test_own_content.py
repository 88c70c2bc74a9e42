"""Content of this machine, sent to a change request of a platform by writes of at most 50 changes."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass, field
from typing import Any, cast

import httpx
import pytest

from recto.client.call import Call
from recto.client.sender import Sender
from recto.contract.addresses import InChangeRequest, Main
from recto.contract.change_requests import ChangeRequests
from recto.contract.content import Content
from recto.contract.own_content import OwnContent, OwnFile, OwnPage
from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Platform
from recto.store import own_content
from recto.store.mutation import Cancelled, Undecided
from recto.store.own_content import SendingStopped, Sent, send_content
from support.content import Desk, make_space
from support.documents import PNG
from support.platform import BASE_URL, Speaker

FIRST = ImportedPage("first", "First", "first", text="There before.\n")


@dataclass
class Line(httpx.AsyncBaseTransport):
    """The way to a platform; ``before`` and ``after`` are called with the number of each write of content."""

    platform: Platform
    writes: list[Any] = field(default_factory=list)
    before: Callable[[int], None] = lambda number: None
    after: Callable[[int], None] = lambda number: None
    is_old: bool = False
    """Whether writes answer the change request alone."""

    async def handle_async_request(self, request: httpx.Request) -> httpx.Response:
        is_write = request.method == "POST" and request.url.path.endswith("/content")
        if is_write:
            self.writes.append(request)
            self.before(len(self.writes))
            if self.is_old:
                request.url = request.url.copy_set_param("compat", "true")
        response = await httpx.ASGITransport(self.platform.application).handle_async_request(request)
        if is_write:
            await response.aread()
            self.after(len(self.writes))
        return response


def lose(*numbers: int) -> Callable[[int], None]:
    """Break the line at these writes."""

    def at(number: int) -> None:
        if number in numbers:
            raise httpx.ReadError("cut")

    return at


@pytest.fixture
def line(platform: Platform) -> Line:
    return Line(platform)


@pytest.fixture
async def call(platform: Platform, line: Line) -> AsyncIterator[Call]:
    async def run_at_once(_: float) -> None:
        """Wait no time before a call is sent again."""

    sender = Sender(BASE_URL, platform.token, transport=lambda: line, pause=run_at_once)
    yield Call(sender)
    await sender.aclose()


@pytest.fixture
def space(platform: Platform) -> str:
    return make_space(platform, (FIRST,))


CONTENT = OwnContent(
    "docs.zip",
    (
        OwnPage(
            "a",
            "Alpha",
            "[b](/pages/b#part) [c](/pages/c) ![dot](/files/dot) `[b](/pages/b)`\n",
            {"description": "About it", "hidden": True},
            (OwnPage("b", "Same", "---\n\n[a](/pages/a)\n"), OwnPage("c", "Same", "# Other\n\n[b](/pages/b)\n")),
        ),
        OwnPage("d", "Delta", "[web](https://x.example/pages/a)\n"),
    ),
    (OwnFile("dot", "dot.png", "image/png", PNG), OwnFile("dot2", "dot.png", "image/png", b"other")),
)


async def send(call: Call, at: Main | InChangeRequest, content: OwnContent = CONTENT) -> Sent:
    return await send_content(at, content).call(call)


async def pages(call: Call, at: InChangeRequest) -> dict[str, str]:
    """Return the texts of the pages by their paths, with ids of pages and files in words."""
    texts: dict[str, str] = {}
    named: dict[str, str] = {}

    async def read(tree: Any) -> None:
        for page in tree:
            named[page.id] = page.path
            texts[page.path] = (await call(Content.get_page, at, page.id, format="markdown")).markdown or ""
            await read(page.pages)

    await read((await call(Content.list_pages, at)).pages)
    for file in (await call(Content.list_files, at)).items:
        named[file.id] = file.name
    for id, name in named.items():
        texts = {path: text.replace(f"/{id}", f"/<{name}>") for path, text in texts.items()}
    return texts


WRITTEN = {
    "first": "# First\n\nThere before.\n",
    "alpha": "# Alpha\n\n[b](/pages/<alpha/same>#part) [c](/pages/<alpha/same-1>) ![dot](/files/<dot.png>)"
    " `[b](/pages/b)`\n",
    "alpha/same": "# Same\n\n\n---\n\n[a](/pages/<alpha>)\n",
    "alpha/same-1": "# Same\n\n## Other\n\n[b](/pages/<alpha/same>)\n",
    "delta": "# Delta\n\n[web](https://x.example/pages/a)\n",
}


async def test_content_comes_into_a_new_change_request_with_its_links(call: Call, line: Line, space: str) -> None:
    sent = await send(call, Main(space))
    assert (sent.request.subject, sent.pages, sent.files) == ("Import of docs.zip", 4, 2)
    assert await pages(call, InChangeRequest(space, sent.request.id)) == WRITTEN
    main = (await call(Content.list_pages, Main(space))).pages
    assert [page.title for page in main] == ["First"]
    # Files, the pages of two levels, and those whose links led ahead.
    assert len(line.writes) == 4


async def test_attributes_of_pages_are_sent(call: Call, space: str) -> None:
    sent = await send(call, Main(space))
    tree = (await call(Content.list_pages, InChangeRequest(space, sent.request.id))).pages
    assert (tree[1].description, tree[1].hidden) == ("About it", True)


async def test_an_open_change_request_takes_the_pages_after_its_own(call: Call, platform: Platform, space: str) -> None:
    ada = Speaker(platform)
    desk = await Desk.open(ada, space)
    sent = await send(call, InChangeRequest(space, str(desk.number)))
    assert sent.request.number == desk.number
    assert await pages(call, InChangeRequest(space, sent.request.id)) == WRITTEN


async def test_at_most_50_changes_and_some_megabytes_are_sent_at_once(
    call: Call, line: Line, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    many = tuple(OwnPage(f"p{n}", f"Page {n}", f"[next](/pages/p{(n + 1) % 120})\n") for n in range(120))
    files = tuple(OwnFile(f"f{n}", f"{n}.bin", "application/x", bytes(400_000)) for n in range(30))
    sent = await send(call, Main(space), OwnContent("many", many, files))
    assert all(len(write.content) < 9_000_000 for write in line.writes)
    texts = await pages(call, InChangeRequest(space, sent.request.id))
    assert texts["page-49"] == "# Page 49\n\n[next](/pages/<page-50>)\n"
    assert texts["page-119"] == "# Page 119\n\n[next](/pages/<page-0>)\n"
    assert list(texts) == ["first", *(f"page-{n}" for n in range(120))]


@pytest.mark.parametrize("number", [1, 2, 3, 4])
@pytest.mark.parametrize("arrives", [True, False])
async def test_a_write_whose_answer_is_lost_is_there_once(
    call: Call, line: Line, space: str, number: int, arrives: bool
) -> None:
    if arrives:
        line.after = lose(number)
    else:
        line.before = lose(number)
    sent = await send(call, Main(space))
    assert await pages(call, InChangeRequest(space, sent.request.id)) == WRITTEN
    files = (await call(Content.list_files, InChangeRequest(space, sent.request.id))).items
    assert len(files) == 2


async def test_a_platform_that_answers_the_change_request_alone_is_asked_for_the_ids(
    call: Call, line: Line, space: str
) -> None:
    line.is_old = True
    sent = await send(call, Main(space))
    assert await pages(call, InChangeRequest(space, sent.request.id)) == WRITTEN


async def test_content_that_arrived_before_a_failure_is_reported(call: Call, line: Line, space: str) -> None:
    line.before = lose(2, 3)
    with pytest.raises(SendingStopped, match="2 of 6 pages and files are in change request #1"):
        await send(call, Main(space))


async def test_a_change_request_that_stays_empty_is_archived(call: Call, line: Line, space: str) -> None:
    wrong = OwnContent("docs", (OwnPage("a", "A", "x", {"slug": "a/b"}),))
    with pytest.raises(Exception, match="slug"):
        await send(call, Main(space), wrong)
    assert await statuses(call, space) == ["archived"]


@pytest.mark.parametrize(
    ("number", "why", "status"),
    [
        (0, "Nothing was sent.", "archived"),
        (2, "4 of 6 pages and files are in change request #1.", "draft"),
    ],
)
async def test_a_cancelled_import_ends_after_the_write_that_is_under_way(
    call: Call, line: Line, space: str, number: int, why: str, status: str
) -> None:
    mutation = send_content(Main(space), CONTENT)
    task = asyncio.ensure_future(mutation.call(call))
    line.after = lambda now: cast(None, now == number and task.cancel())
    await asyncio.sleep(0)
    if number == 0:
        task.cancel()
    with pytest.raises(Cancelled) as cancelled:
        await task
    assert (cancelled.value.why, await statuses(call, space)) == (why, [status])
    assert len(line.writes) == number


async def statuses(call: Call, space: str) -> list[str]:
    """Return the statuses of the change requests of a space."""
    listed = [await call(ChangeRequests.list_change_requests, space, status=each) for each in ("draft", "archived")]
    return [str(each.status) for page in listed for each in page.items]


async def test_a_part_of_a_write_is_no_certainty(
    call: Call, line: Line, space: str, platform: Platform, monkeypatch: pytest.MonkeyPatch
) -> None:
    inner = own_content._Sending._find_pages

    async def find_some(self: own_content._Sending) -> Any:
        return [each for each in await inner(self) if each[2] != "Delta"]

    monkeypatch.setattr(own_content._Sending, "_find_pages", find_some)
    line.after = lose(2)
    with pytest.raises(SendingStopped) as stopped:
        await send(call, Main(space))
    assert isinstance(stopped.value.__cause__, Undecided)


async def test_what_a_platform_does_not_give_back_is_no_certainty(
    call: Call, line: Line, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def find_none(self: own_content._Sending) -> Any:
        return []

    monkeypatch.setattr(own_content._Sending, "_find_pages", find_none)
    line.is_old = True
    with pytest.raises(SendingStopped, match="are in change request #1") as stopped:
        await send(call, Main(space))
    assert isinstance(stopped.value.__cause__, Undecided)
