"""Which operations a server lacks is told from which things are gone, and known after one try."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any

import httpx
import pytest

from recto.client import errors
from recto.client.call import Call
from recto.client.missing_operations import is_optional
from recto.client.sender import Sender
from recto.contract.addresses import AtRevision, InChangeRequest, Main
from recto.contract.api import routes
from recto.contract.changes import ContentChanges, UpdatePage, WriteContent
from recto.contract.collections import Collections, TransferCollection
from recto.contract.content import Content
from recto.contract.describe import full_path
from recto.contract.git import Git
from recto.contract.imports import ImportContent, Imports
from recto.contract.links import Links
from recto.contract.redirects import Redirects
from recto.contract.reviews import Reviews
from recto.contract.spaces import CreateSpace, Spaces, TransferSpace
from recto.contract.structure import Structure
from recto.contract.users import Users
from support.other_platforms import NOT_FOUND, NOT_THERE, TABLE

GONE = {
    *("list_links", "list_page_links", "list_file_backlinks", "search_organization", "add_section", "remove_section"),
    *("import_content", "transfer_space", "transfer_collection", "remove_legacy_installation"),
}
"""Operations of the reference that are gone from newer services, and one that not all have."""

SPACE = {"object": "space", "id": "s", "revision": "r2"}
PAGES = [{"id": "p1", "path": "one", "pages": [{"id": "p2", "path": "one/two"}]}]


class Server:
    """A made-up server that has some paths, and what it was asked."""

    def __init__(self, there: dict[str, Any], refusal: httpx.Response = NOT_FOUND) -> None:
        self.asked: list[str] = []
        self._there = there
        self._refusal = refusal
        self.sender = Sender("https://x.y", None, transport=lambda: httpx.MockTransport(self._answer))
        self.call = Call(self.sender)

    def _answer(self, request: httpx.Request) -> httpx.Response:
        path = request.url.path.removeprefix("/v1")
        name = path if request.method == "GET" else f"{request.method} {path}"
        self.asked.append(name)
        if name in self._there:
            return httpx.Response(200, json=self._there[name])
        return httpx.Response(self._refusal.status_code, content=self._refusal.content)


Asking = Callable[[Call], Any]
REQUEST = InChangeRequest("s", "c")
LACKING: list[tuple[Asking, dict[str, Any]]] = [
    (lambda call: call(Users.get_user), {}),
    (lambda call: call(Reviews.list_reviews, "s", "c"), {"/spaces/s/change-requests/c": {"id": "c"}}),
    (lambda call: call(Links.list_page_links, Main("s"), "p"), {"/spaces/s/content/page/p": {"id": "p"}}),
    (lambda call: call(Structure.get_structure, "o", "w"), {"/orgs/o/sites/w": {"id": "w"}}),
    (lambda call: call(Reviews.withdraw_reviewer, "s", "c", "u"), {"/spaces/s/change-requests/c": {"id": "c"}}),
    (lambda call: call(Content.list_pages, AtRevision("s", "r1")), {"/spaces/s": SPACE}),
    (lambda call: call(Content.list_pages, AtRevision("s", "r2")), {"/spaces/s": SPACE}),
    (lambda call: call(Content.get_page, AtRevision("s", "r1"), "p9"),
     {"/spaces/s": SPACE, "/spaces/s/content/pages": {"pages": PAGES}}),
    (lambda call: call(Content.get_page_by_path, Main("s"), "no/such"),
     {"/spaces/s/content": SPACE, "/spaces/s/content/pages": {"pages": PAGES}}),
    (lambda call: call(Spaces.create_space, "o", CreateSpace(title="x")), {"/orgs/o/spaces": {"items": []}}),
    (lambda call: call(ContentChanges.write_content, REQUEST, WriteContent(changes=(UpdatePage(page="p2"),))),
     {"/spaces/s/change-requests/c/content": SPACE, "/spaces/s/change-requests/c/content/pages": {"pages": PAGES}}),
    (lambda call: call(Imports.import_content, Main("s"), ImportContent(url="https://a.example", source="website")),
     {"/spaces/s/content": SPACE}),
    (lambda call: call(Imports.import_content, REQUEST, ImportContent(url="https://a.example", source="website")),
     {"/spaces/s/change-requests/c/content": SPACE}),
    (lambda call: call(Spaces.transfer_space, "s", TransferSpace(organization="o")),
     {"/spaces/s": SPACE, "/orgs/o": {"id": "o"}}),
    (lambda call: call(Collections.transfer_collection, "b", TransferCollection(organization="o")),
     {"/collections/b": {"id": "b"}, "/orgs/o": {"id": "o"}}),
    (lambda call: call(Git.remove_legacy_installation, "s"), {"/spaces/s/git/info": {}}),
]  # fmt: skip


@pytest.mark.parametrize("refusal", NOT_THERE)
@pytest.mark.parametrize(("ask", "there"), LACKING)
async def test_what_a_server_lacks_is_asked_for_once(
    ask: Asking, there: dict[str, Any], refusal: httpx.Response
) -> None:
    server = Server(there, refusal)
    for attempt in range(3):
        with pytest.raises(errors.Unsupported) as raised:
            await ask(server.call)
        assert "This server does not offer it." in str(raised.value)
        assert "moved or deleted" not in str(raised.value)
        assert bool(server.asked) == (attempt == 0)
        server.asked.clear()


THERE: list[tuple[Asking, dict[str, Any]]] = [
    (lambda call: call(Reviews.list_reviews, "s", "gone"), {"/spaces/s": SPACE}),
    (lambda call: call(Redirects.delete_redirect, "o", "w", "gone"), {"/orgs/o/sites/w/redirects": {"items": []}}),
    (lambda call: call(Content.list_pages, AtRevision("s", "r1")),
     {"/spaces/s": SPACE, "/spaces/s/revisions/r2/pages": {"pages": PAGES}}),
    (lambda call: call(Content.get_page, AtRevision("s", "r1"), "p9"),
     {"/spaces/s": SPACE, "/spaces/s/content/pages": {"pages": PAGES}, "/spaces/s/revisions/r2/page/p1": PAGES[0]}),
    (lambda call: call(Content.get_page_by_path, Main("s"), "no/such"),
     {"/spaces/s/content": SPACE, "/spaces/s/content/pages": {"pages": PAGES}, "/spaces/s/content/path/one": PAGES[0]}),
    (lambda call: call(Spaces.create_space, "o", CreateSpace(title="x", parent="gone")),
     {"/orgs/o/spaces": {"items": []}}),
    (lambda call: call(ContentChanges.write_content, REQUEST, WriteContent(changes=(UpdatePage(page="gone"),))),
     {"/spaces/s/change-requests/c/content": SPACE, "/spaces/s/change-requests/c/content/pages": {"pages": PAGES}}),
    (lambda call: call(Spaces.transfer_space, "s", TransferSpace(organization="gone")), {"/spaces/s": SPACE}),
    (lambda call: call(Git.remove_legacy_installation, "s"), {"/spaces/s": SPACE}),
    (lambda call: call(Spaces.get_space, "gone"), {}),
]  # fmt: skip


@pytest.mark.parametrize(("ask", "there"), THERE)
async def test_what_is_gone_is_not_taken_for_an_operation_that_lacks(ask: Asking, there: dict[str, Any]) -> None:
    server = Server(there)
    for _ in range(2):
        with pytest.raises(errors.NotFound):
            await ask(server.call)
        assert server.asked
        server.asked.clear()


async def test_an_operation_that_has_answered_is_not_doubted() -> None:
    there: dict[str, Any] = {"/spaces/s/change-requests/c/reviews": {"items": []}}
    server = Server(there)
    await server.call(Reviews.list_reviews, "s", "c")
    there.clear()
    with pytest.raises(errors.NotFound):
        await server.call(Reviews.list_reviews, "s", "c")
    assert len(server.asked) == 2
    assert Reviews.list_reviews not in server.sender.missing_operations


async def test_what_cannot_be_found_out_is_left_open() -> None:
    def answer(request: httpx.Request) -> httpx.Response:
        return NOT_FOUND if request.url.path.endswith("/reviews") else httpx.Response(500)

    async def wait_not(_: float) -> None: ...

    sender = Sender("https://x.y", None, transport=lambda: httpx.MockTransport(answer), pause=wait_not)
    with pytest.raises(errors.NotFound, match=r"or this server does not offer it\. Refresh to try again\."):
        await Call(sender)(Reviews.list_reviews, "s", "c")
    assert Reviews.list_reviews not in sender.missing_operations


async def test_the_embedded_server_has_all() -> None:
    sender = Sender("http://recto.invalid", None, transport=lambda: httpx.MockTransport(lambda _: NOT_FOUND))
    with pytest.raises(errors.NotFound):
        await Call(sender)(Users.get_user)
    assert Users.get_user not in sender.missing_operations


def test_what_the_reference_does_not_have_is_optional() -> None:
    table = json.loads(TABLE.read_text(encoding="utf-8"))["operations"]
    reference = {(each["method"], re.sub(r"\{\w+\}", "{}", each["path"])) for each in table}
    for operation in routes():
        is_in = (operation.method, re.sub(r"\{\w+\}", "{}", full_path(operation))) in reference
        gone = operation.operation.name in GONE or operation.operation.name == "list_page_backlinks"
        assert is_optional(operation) == (not is_in or gone), operation


async def test_an_operation_may_be_lacking_at_one_address_alone() -> None:
    server = Server({"/spaces/s": SPACE, "/spaces/s/content/pages": {"pages": PAGES}})
    with pytest.raises(errors.Unsupported):
        await server.call(Content.list_pages, AtRevision("s", "r1"))
    assert Content.list_pages.at(AtRevision) in server.sender.missing_operations
    assert "Content.list_pages_at_revision" in server.sender.missing_operations
    assert Content.list_pages.at(Main) not in server.sender.missing_operations
    assert (await server.call(Content.list_pages, Main("s"))).pages[0].id == "p1"
