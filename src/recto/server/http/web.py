"""Responses beside the operations: files, the description, web pages, and unknown addresses."""

from __future__ import annotations

import asyncio
import gzip
import hashlib
import json
import re
import shlex
from collections.abc import Iterable
from functools import cache, partial
from html import escape
from typing import Final

from recto.frozen import frozen
from recto.server.content.files import find_download
from recto.server.http.asgi import Endpoint, Request, Response, path_in
from recto.server.http.problems import MethodNotAllowed, NotFound
from recto.server.http.registry import entry
from recto.server.http.request_guard import Workspace, base_url_of, caller_of, error_response, guard, token_of
from recto.server.storage.database import Connection
from recto.urls import Thing, read_path

_READING = ("GET", "HEAD")


def endpoint_at(platform: Workspace, method: str, path: str, methods: Iterable[str]) -> Endpoint:
    """Return the endpoint at a path without an operation in this method; ``methods`` are those with an operation."""
    match path.split("/"):
        case ["", "v1", "spaces", space, "blobs", blob] if space and blob:
            found = guard("GET a file", partial(_download, platform, space, blob))
        case ["", "v1", "orgs", organization, "openapi", slug, "versions", version, "source"]:
            found = guard("GET a specification", partial(_download_source, platform, organization, slug, version))
        case ["", "v1", "spaces", space, "pdf", ticket] if space and ticket:
            found = guard("GET a PDF", partial(_serve_pdf, platform, ticket))
        case ["", "openapi.json"]:
            found = guard("GET the description", _describe)
        case ["", "o" | "c" | "s", _, *_]:
            found = guard("GET the page of a thing", partial(_show_thing, platform))
        case _:
            return guard("No address", partial(_refuse, path, methods))
    return found if method in _READING else guard("No address", partial(_refuse, path, _READING))


async def _refuse(path: str, methods: Iterable[str], request: Request) -> Response:
    """Answer what nothing takes: an unknown address, or a method that the address does not have."""
    if not methods:
        raise NotFound(f"There is nothing at {path}.")
    refusal = MethodNotAllowed(f"{path} does not take {request.scope['method']}.")
    return error_response(refusal, {"Allow": ", ".join(sorted(methods))})


async def _show_thing(platform: Workspace, request: Request) -> Response:
    """Answer a browser at the address of a thing; the response tells nothing about the thing itself."""
    path = path_in(request.scope)
    thing = read_path(path)
    if thing is None:
        raise NotFound(f"There is nothing at {path}.")
    return _page_of(thing, f"{base_url_of(platform, request)}{thing.path}")


async def _download(platform: Workspace, space: str, blob: str, request: Request) -> Response:
    """Answer with the bytes of a file, with headers that keep a browser from running it."""
    token_of(request)
    found = await platform.database.read(
        lambda connection: find_download(
            platform.context(connection, caller_of(platform, connection, request)), space, blob
        )
    )
    headers = {"Content-Disposition": "attachment", "X-Content-Type-Options": "nosniff"}
    return Response(200, found.content, headers, found.content_type)


async def _download_source(
    platform: Workspace, organization: str, slug: str, version: str, request: Request
) -> Response:
    """Answer with the source of a version, which takes no token where the specification is public."""
    from recto.server.specifications.specification_handlers import find_source

    has_token = "authorization" in request.headers

    def read(connection: Connection) -> bytes | None:
        caller = caller_of(platform, connection, request) if has_token else None
        return find_source(platform.context(connection, caller), organization, slug, version, is_known=has_token)

    content = await platform.database.read(read)
    if content is None:
        token_of(request)
        raise NotFound("There is no such specification, or you may not see it.")
    headers = {"Content-Disposition": "attachment", "X-Content-Type-Options": "nosniff"}
    return Response(200, content, headers, "text/plain; charset=utf-8")


async def _serve_pdf(platform: Workspace, ticket: str, request: Request) -> Response:
    from recto.server.pdf.pdf_handlers import serve_pdf

    return await serve_pdf(platform, ticket, request)


async def _describe(request: Request) -> Response:
    """Answer with the description of this API, which is public and takes no token."""
    described = await asyncio.to_thread(_description)
    headers = {"ETag": described.tag, "Cache-Control": "public, max-age=3600", "Vary": "Accept-Encoding"}
    if described.tag in (each.strip() for each in request.headers.get("if-none-match", "").split(",")):
        return Response(304, headers=headers)
    if _GZIP.search(request.headers.get("accept-encoding", "")):
        return Response(200, described.compressed, headers | {"Content-Encoding": "gzip"})
    return Response(200, described.plain, headers)


_GZIP = re.compile(r"\b(gzip|x-gzip)\b(?!\s*;\s*q=0(\.0*)?\s*(,|$))", re.IGNORECASE)
"""Finds in a request that its response may be compressed."""


@frozen
class _Description:
    plain: bytes
    compressed: bytes
    tag: str


@cache
def _description() -> _Description:
    from recto.contract.api import routes
    from recto.contract.describe import describe

    answered = [(route, entry(route.operation)) for route in routes()]
    located = {route for route, found in answered if found is not None and found.location is not None}
    offered = [route for route, found in answered if found is not None]
    plain = json.dumps(describe(offered, located), ensure_ascii=False, separators=(",", ":")).encode()
    tag = f'W/"{hashlib.sha256(plain).hexdigest()[:32]}"'
    return _Description(plain, gzip.compress(plain, mtime=0), tag)


_PAGE_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
    "Referrer-Policy": "no-referrer",
    "X-Content-Type-Options": "nosniff",
}
_PAGE: Final = """\
<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><title>Recto: {kind} {id}</title></head>
<body>
<h1>{Kind} <code>{id}</code></h1>
<p>This is read and written in the terminal. Open it with</p>
<pre><code>{command}</code></pre>
</body>
</html>
"""


def _page_of(thing: Thing, address: str) -> Response:
    """Return the page of a thing. It holds what its address says, and not whether there is such a thing.

    Nothing in it is a script, a style or a link, and nothing else may be loaded by it.
    """
    values = {
        "kind": thing.kind,
        "Kind": thing.kind.capitalize(),
        "id": thing.id,
        "command": f"recto {shlex.quote(address)}",
    }
    page = _PAGE.format(**{name: escape(value) for name, value in values.items()})
    return Response(200, page.encode(), _PAGE_HEADERS, "text/html; charset=utf-8")
