"""The operation for PDFs, and the addresses that it answers with.

An address holds the subject of the PDF and when it expires, signed with a key of this run. The PDF is made when it is
fetched, with the permissions that the caller of the operation has then; no token is needed. The last PDF is kept for as
long as an address is good, and is served again while its content is the same.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from functools import partial
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary

from recto.contract.addresses import Address, InChangeRequest, Main
from recto.contract.export_report import PdfReport
from recto.contract.operation import DECLARED
from recto.contract.pdf import Pdfs, PdfUrl
from recto.frozen import frozen
from recto.server.content.change_requests import find_change_request
from recto.server.content.content_handlers import view_at
from recto.server.context import Context
from recto.server.http.asgi import Disconnected, Request, Response
from recto.server.http.problems import BadRequest, Busy, NotFound
from recto.server.http.registry import handles
from recto.server.http.request_guard import Workspace, base_url_of
from recto.server.jobs import Job, JobFailed, Task
from recto.server.pdf.making import Part, find_title, pdf_task
from recto.server.specifications.stored_specifications import SPECIFICATIONS

GOOD_FOR_S: Final = 3600
"""For how many seconds an address is valid."""

MOST_KEPT: Final = 100 * 1000 * 1000
"""The largest PDF that is kept to be served again, in bytes."""

MOST_AT_ONCE: Final = 2
"""The most PDFs that are made, or wait to be, at once: of the places for jobs, some are left for others."""

_KEY: Final = secrets.token_bytes(32)


@frozen
class _Made:
    """A PDF, what it was made from, and the timer that drops it."""

    source: tuple[Any, ...]
    content: bytes
    end: asyncio.TimerHandle


_last_made: WeakKeyDictionary[Workspace, _Made] = WeakKeyDictionary()


class _Making:
    """A PDF that is being made for all who fetch it meanwhile; its job is cancelled when the last of them leaves."""

    def __init__(self, source: tuple[Any, ...]) -> None:
        self.source = source
        self.content: Future[bytes] = Future()
        self.is_given_up = False
        """Whether all who fetched it have gone."""
        self._fetching = 0
        self._job: Job | None = None

    def watch(self, job: Job) -> None:
        """Follow the job, from its beginning."""
        self._job = job
        if self.is_given_up:
            job.cancel()

    async def wait(self, request: Request) -> bytes:
        """Return the PDF; raises :class:`Disconnected`, and what the job raises."""
        content = asyncio.wrap_future(self.content)
        # Where all have gone the result of the job is not read; asyncio would report that as an error.
        content.add_done_callback(lambda content: content.cancelled() or content.exception())
        gone = asyncio.create_task(request.wait_for_disconnect())
        self._fetching += 1
        try:
            await asyncio.wait((content, gone), return_when=asyncio.FIRST_COMPLETED)
            if not content.done():
                raise Disconnected
            return content.result()
        finally:
            gone.cancel()
            self._fetching -= 1
            self.is_given_up = not self._fetching
            if self.is_given_up and self._job is not None:
                self._job.cancel()


_under_way: WeakKeyDictionary[Workspace, list[_Making]] = WeakKeyDictionary()


@handles(Pdfs.get_pdf)
def get_pdf(
    context: Context, at: Main | InChangeRequest, only: bool | None = DECLARED, page: str | None = DECLARED
) -> PdfUrl:
    """Return an address at which this server serves the PDF for an hour."""
    find_title(context, at, Part(page, bool(only)))
    ends = int(context.now().timestamp()) + GOOD_FOR_S
    request = at.change_request if isinstance(at, InChangeRequest) else None
    ticket = _sign([at.space, request, page, only, context.caller, ends])
    return PdfUrl(url=context.location(f"/spaces/{at.space}/pdf/{ticket}"))


async def serve_pdf(platform: Workspace, ticket: str, request: Request) -> Response:
    """Answer with the PDF of an address; a 404 where this run has not given the address, or it has expired."""
    space, change_request, page, only, caller, ends = _read(ticket)
    base_url, part = base_url_of(platform, request), Part(page, bool(only))
    at: Address = InChangeRequest(space, change_request) if change_request else Main(space)

    def check(context: Context) -> tuple[str, tuple[Any, ...]]:
        if context.now().timestamp() > ends:
            raise NotFound("This address of a PDF has expired. Request another.")
        title, whole = find_title(context, at, part), find_title(context, at, Part())
        revision = view_at(context, at).revision
        return title, (at, part, base_url, whole, revision.id, *_find_surroundings(context, at))

    title, source = await platform.database.read(
        lambda connection: check(platform.context(connection, caller, base_url))
    )
    headers = {"Content-Disposition": 'inline; filename="document.pdf"', "X-Content-Type-Options": "nosniff"}
    if request.scope["method"] == "HEAD":
        return Response(200, headers=headers)
    last = _last_made.get(platform)
    if last is not None and last.source == source:
        return Response(200, last.content, headers, "application/pdf")
    under_way = _under_way.setdefault(platform, [])
    making = next((each for each in under_way if each.source == source and not each.is_given_up), None)
    if making is None:
        if len(under_way) >= MOST_AT_ONCE:
            raise Busy("This server already makes as many PDFs as it can. Try again later.")
        making = _begin(platform, source, partial(pdf_task, at, part, title), caller, base_url)
        under_way.append(making)
        making.content.add_done_callback(partial(_drop, under_way, making))
    try:
        content = await making.wait(request)
    except JobFailed as error:
        raise BadRequest(str(error)) from error
    if len(content) <= MOST_KEPT:
        _keep(platform, source, content)
    return Response(200, content, headers, "application/pdf")


def _find_surroundings(context: Context, at: Address) -> Iterator[Any]:
    """Yield what a PDF shows that changes without a new revision."""
    space = context.database.one("SELECT language, organization FROM spaces WHERE id = ?", at.space)
    assert space is not None
    yield space["language"]
    if isinstance(at, InChangeRequest):
        yield find_change_request(context.database, at.space, at.change_request)["subject"]
    # A block may name any specification of the organization.
    specifications = context.database.all(f"{SPECIFICATIONS} ORDER BY id", {"organization": space["organization"]})
    yield tuple((each["id"], each["slug"], each["last_version"]) for each in specifications)


def _keep(platform: Workspace, source: tuple[Any, ...], content: bytes) -> None:
    """Keep a PDF in place of the last, for as long as an address is good."""
    if (last := _last_made.get(platform)) is not None:
        last.end.cancel()
    end = asyncio.get_running_loop().call_later(GOOD_FOR_S, _last_made.pop, platform, None)
    _last_made[platform] = _Made(source, content, end)


def _drop(under_way: list[_Making], making: _Making, _content: Future[bytes]) -> None:
    under_way.remove(making)


def _begin(
    platform: Workspace, source: tuple[Any, ...], task: Callable[..., Task[PdfReport]], caller: str, base_url: str
) -> _Making:
    """Begin to make a PDF; raises :class:`Busy`."""
    making = _Making(source)
    made: list[bytes] = []

    def keep(file: Path) -> None:
        made.append(file.read_bytes())

    def hand_over(job: Future[PdfReport]) -> None:
        error = job.exception()
        if error is None:
            making.content.set_result(made[0])
        else:
            making.content.set_exception(error)

    job = platform.jobs.start(
        task(keep, platform.fonts), caller=caller, base_url=base_url, is_local=False, watch=making.watch
    )
    job.add_done_callback(hand_over)
    return making


def _sign(content: list[Any]) -> str:
    body = urlsafe_b64encode(json.dumps(content, separators=(",", ":")).encode()).rstrip(b"=")
    return f"{body.decode()}.{_signature(body)}"


def _signature(body: bytes) -> str:
    return hmac.new(_KEY, body, "sha256").hexdigest()


def _read(ticket: str) -> list[Any]:
    body, _, signature = ticket.partition(".")
    if not body.isascii() or not hmac.compare_digest(_signature(body.encode()).encode(), signature.encode()):
        raise NotFound("There is no PDF at this address. It may have expired; request another.")
    content: list[Any] = json.loads(urlsafe_b64decode(body + "=" * (-len(body) % 4)))
    return content
