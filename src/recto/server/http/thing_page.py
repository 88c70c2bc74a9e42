"""The page that a browser gets at the address of a thing: what it is, and the command that opens it."""

from __future__ import annotations

import shlex
from html import escape
from typing import Final

from recto.server.http.asgi import Response
from recto.urls import Thing

_HEADERS: Final = {
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


def page_of(thing: Thing, address: str) -> Response:
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
    return Response(200, page.encode(), _HEADERS, "text/html; charset=utf-8")
