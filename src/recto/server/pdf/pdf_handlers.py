"""The operation for PDFs, and the addresses that it answers with.

An address holds what the PDF is of and until when it is good, signed with a key of this run. The PDF is made when it is
fetched, with the permissions that the caller of the operation has then; no token is needed. The last PDF is kept for as
long as an address is good, and is served again while its content is the same.
"""

from __future__ import annotations

import asyncio
import hmac
import json
import secrets
from base64 import urlsafe_b64decode, urlsafe_b64encode
from pathlib import Path
from typing import Any, Final
from weakref import WeakKeyDictionary

from recto.contract.addresses import Address, InChangeRequest, Main
from recto.contract.operation import DECLARED
from recto.contract.pdf import Pdfs, PdfUrl
from recto.frozen import frozen
from recto.server.content.computed_pages import compute_pages
from recto.server.content.content_handlers import view_at
from recto.server.context import Context
from recto.server.http.asgi import Request, Response
from recto.server.http.front_door import Workspace, base_url_of
from recto.server.http.problems import BadRequest, NotFound
from recto.server.http.registry import handles
from recto.server.jobs import JobFailed
from recto.server.pdf.making import Part, check_part, pdf_task

GOOD_FOR_S: Final = 3600
"""How many seconds an address is good for."""

MOST_KEPT: Final = 100 * 1000 * 1000
"""The largest PDF that is kept to be served again, in bytes."""

_KEY: Final = secrets.token_bytes(32)


@frozen
class _Made:
    """A PDF with what it was made from, and until when it may be served again, in seconds of the platform's clock."""

    source: tuple[Any, ...]
    content: bytes
    ends: float


_last_made: WeakKeyDictionary[Workspace, _Made] = WeakKeyDictionary()


@handles(Pdfs.get_pdf)
def get_pdf(
    context: Context, at: Main | InChangeRequest, only: bool | None = DECLARED, page: str | None = DECLARED
) -> PdfUrl:
    """Return an address at which this server serves the PDF for an hour."""
    check_part(context, at, Part(page, bool(only)))
    ends = int(context.now().timestamp()) + GOOD_FOR_S
    request = at.change_request if isinstance(at, InChangeRequest) else None
    ticket = _sign([at.space, request, page, only, context.caller, ends])
    return PdfUrl(url=context.location(f"/spaces/{at.space}/pdf/{ticket}"))


async def serve_pdf(platform: Workspace, ticket: str, request: Request) -> Response:
    """Answer with the PDF of an address; a 404 where this run has not given the address, or it has expired."""
    space, change_request, page, only, caller, ends = _read(ticket)
    base_url, part = base_url_of(platform, request), Part(page, bool(only))
    at: Address = InChangeRequest(space, change_request) if change_request else Main(space)

    def check(context: Context) -> tuple[str, float, tuple[Any, ...]]:
        now = context.now().timestamp()
        if now > ends:
            raise NotFound("This address of a PDF has expired. Request another.")
        title, whole = check_part(context, at, part), check_part(context, at, Part())
        revision = view_at(context, at).revision
        computed = tuple(sorted(compute_pages(context.database, revision).texts.items()))
        return title, now, (at, part, base_url, whole, revision.id, computed)

    title, now, source = await platform.database.read(
        lambda connection: check(platform.context(connection, caller, base_url))
    )
    headers = {"Content-Disposition": 'inline; filename="document.pdf"', "X-Content-Type-Options": "nosniff"}
    if request.scope["method"] == "HEAD":
        return Response(200, headers=headers)
    last = _last_made.get(platform)
    if last is not None and last.source == source and now <= last.ends:
        return Response(200, last.content, headers, "application/pdf")
    made: list[bytes] = []

    def keep(file: Path) -> None:
        made.append(file.read_bytes())

    task = pdf_task(at, part, title, keep, platform.fonts)
    future = platform.jobs.start(task, caller=caller, base_url=base_url, is_local=False)
    try:
        await asyncio.shield(asyncio.wrap_future(future))
    except JobFailed as error:
        raise BadRequest(str(error)) from error
    if len(made[0]) <= MOST_KEPT:
        _last_made[platform] = _Made(source, made[0], now + GOOD_FOR_S)
    return Response(200, made[0], headers, "application/pdf")


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
