"""URLs: of the app (``urls.app``), of the API (``urls.location``) and of your own workspace.

A URL of the app is the address of a platform and behind it ``/o/<organization>``, ``/c/<collection>``,
``/o/<organization>/sites/<site>`` or ``/s/<space>``; a space's goes on with ``/~/changes/<change request>`` or
``/~/revisions/<revision>``, and then with the id or the path of a page. A workspace that no server answers for is
named by ``recto:`` and its id in place of an address, so that nothing in it is taken for a host or for a file.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final
from urllib.parse import SplitResult, quote, unquote, urlsplit

from recto.frozen import frozen
from recto.pattern import pattern

EMBEDDED_ADDRESS: Final = "http://recto.invalid"
"""The address under which the embedded platform is called in process; nothing outside answers there."""

WORKSPACE: Final = "recto:"
"""The beginning of the URL of a thing in a local workspace."""

LOOPBACK: Final = ("127.0.0.1", "::1", "localhost")
"""The host names of this machine itself."""

_HOSTED_APPS: Final = {"https://app.gitbook.com": "https://api.gitbook.com"}
"""Web applications whose API is at another address than they are, with that of the API."""

_UNQUOTED: Final = pattern("[/0-9A-Za-z_.~-]*")
_HOST = pattern(r"(?:[A-Za-z0-9-]+\.)+[A-Za-z0-9-]+(?::[0-9]*)?")

_LONGEST: Final = 4_096
"""The most characters of a URL that is read."""


@frozen
class Thing:
    """A thing by its ids; those that do not apply are empty. A ``page`` may be named by its path instead."""

    organization: str = ""
    collection: str = ""
    site: str = ""
    space: str = ""
    change_request: str = ""
    revision: str = ""
    page: str = ""
    anchor: str = ""

    @property
    def kind(self) -> str:
        """What it is, in words."""
        return next(word for name, word in _WORDS.items() if getattr(self, name))

    @property
    def id(self) -> str:
        """Its own id, or the path of a page."""
        found: str = next(getattr(self, name) for name in _WORDS if getattr(self, name))
        return found

    @property
    def path(self) -> str:
        """Where it is in the app, behind the address of the platform."""
        if self.space:
            within = ("~", "changes", self.change_request) if self.change_request else ()
            within = ("~", "revisions", self.revision) if self.revision else within
            path = _join("s", self.space, *within, *self.page.split("/")).rstrip("/")
            return f"{path}#{quote(self.anchor)}" if self.anchor else path
        if self.site:
            return _join("o", self.organization, "sites", self.site)
        return _join("c", self.collection) if self.collection else _join("o", self.organization)


_WORDS: Final = {
    "page": "page",
    "revision": "revision",
    "change_request": "change request",
    "space": "space",
    "site": "site",
    "collection": "collection",
    "organization": "organization",
}
"""The fields of a thing from the innermost on, as words."""


@frozen
class ThingUrl:
    """The URL of a thing: the address of its platform, or ``recto:`` and the id of a workspace, and the thing."""

    platform: str
    thing: Thing

    @property
    def is_of_workspace(self) -> bool:
        """Whether it is of a workspace that no server answers for."""
        return self.platform == EMBEDDED_ADDRESS or self.platform.startswith(WORKSPACE)

    @property
    def workspace(self) -> str:
        """The id of the workspace, if any."""
        return self.platform.removeprefix(WORKSPACE) if self.platform.startswith(WORKSPACE) else ""

    def __str__(self) -> str:
        return f"{self.platform}{self.thing.path}"


def is_url(text: str) -> bool:
    """Whether a text is meant as a URL, valid or not."""
    return text.strip().lower().startswith((WORKSPACE, "http://", "https://"))


def scheme_of(address: str) -> str:
    """Return the scheme of an address; empty where there is none, and for no address, such as ``http://[docs``."""
    try:
        return urlsplit(address).scheme
    except ValueError:
        return ""


def read_url(text: str) -> ThingUrl | None:
    """Parse a URL of the app, of the API or of a workspace; ``None`` where it is no such URL."""
    text = text.strip()
    if len(text) > _LONGEST or not text.isprintable():
        return None
    try:
        parts = urlsplit(text)
        platform = _platform(parts)
    except ValueError:
        return None
    if parts.scheme == WORKSPACE.rstrip(":"):
        workspace, _, path = parts.path.partition("/")
        thing = _in_app(_segments(path), unquote(parts.fragment))
        return ThingUrl(f"{WORKSPACE}{workspace}", thing) if thing and workspace.isalnum() else None
    if not platform:
        return None
    segments, anchor = _segments(parts.path), unquote(parts.fragment)
    at = next((at for at, segment in enumerate(segments) if segment in ("v1", "o", "c", "s")), None)
    if at is None:
        return None
    thing = _in_api(segments[at + 1 :], anchor) if segments[at] == "v1" else _in_app(segments[at:], anchor)
    platform = _HOSTED_APPS.get(platform, platform) + _join(*segments[:at])
    return ThingUrl(platform, thing) if thing else None


def read_path(path: str) -> Thing | None:
    """Parse a path of the app."""
    return _in_app(_segments(path), "")


def _platform(parts: SplitResult) -> str:
    """Return the address of a platform, in lower case; empty where there is none, or a user name stands in it."""
    if parts.scheme not in ("http", "https") or not parts.hostname or "@" in parts.netloc:
        return ""
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    return f"{parts.scheme}://{host}" + (f":{parts.port}" if parts.port is not None else "")


def _segments(path: str) -> list[str]:
    return [unquote(segment) for segment in path.split("/") if segment]


def _in_app(segments: Sequence[str], anchor: str) -> Thing | None:
    match segments:
        case ["o", organization, "sites", site, *_] | ["o", organization, "site", site, *_]:
            return Thing(organization=organization, site=site)
        case ["c", collection] | ["o", _, "c", collection, *_]:
            return Thing(collection=collection)
        case ["s", space, *rest] | ["o", _, "s", space, *rest]:
            return _in_space(space, rest, anchor)
        case ["o", organization, *_]:
            return Thing(organization=organization)
        case _:
            return None


def _in_space(space: str, segments: Sequence[str], anchor: str) -> Thing:
    """Return the thing in a space that a path names; of the parts behind ``~`` only those that name content count."""
    change_request = revision = ""
    while len(segments) > 1 and segments[0] == "~":
        match segments:
            case ["~", "changes", found, *rest]:
                change_request, segments = found, rest
            case ["~", "revisions", found, *rest]:
                revision, segments = found, rest
            case ["~", _, *rest]:
                segments = rest
    page = "/".join(segment for segment in segments if segment not in ("~", ".", ".."))
    return Thing(
        space=space, change_request=change_request, revision=revision, page=page, anchor=anchor if page else ""
    )


def _in_api(segments: Sequence[str], anchor: str) -> Thing | None:
    match segments:
        case ["orgs", organization, "sites", site, *_]:
            return Thing(organization=organization, site=site)
        case ["orgs", organization, *_]:
            return Thing(organization=organization)
        case ["collections", collection, *_]:
            return Thing(collection=collection)
        case ["spaces", space, "change-requests", found, *rest]:
            return _with_page(Thing(space=space, change_request=found), rest, anchor)
        case ["spaces", space, "revisions", found, *rest]:
            return _with_page(Thing(space=space, revision=found), ["content", *rest], anchor)
        case ["spaces", space, *rest]:
            return _with_page(Thing(space=space), rest, anchor)
        case _:
            return None


def _with_page(thing: Thing, segments: Sequence[str], anchor: str) -> Thing:
    match segments:
        case ["content", "page", page, *_]:
            found = page
        case ["content", "path", *path]:
            found = "/".join(path)
        case _:
            return thing
    return Thing(
        space=thing.space, change_request=thing.change_request, revision=thing.revision, page=found, anchor=anchor
    )


def _join(*segments: str) -> str:
    path = "/" + "/".join(segments)
    # Ids have nothing to quote; addresses are made by the thousand.
    if path.count("/") == len(segments) and _UNQUOTED.fullmatch(path):
        return path
    return "".join(f"/{quote(segment, safe='~')}" for segment in segments)


def without_credentials(address: str) -> str:
    """Return an address without user name and password, whatever follows the scheme; other texts as they are."""
    scheme, mark, rest = address.partition("://")
    if not mark:
        return address
    host, slash, path = rest.partition("/")
    name = host.rpartition("@")
    # The part before the @ of an ssh address is a shared account.
    kept = host if scheme.lower() == "ssh" and ":" not in name[0] else name[2]
    return f"{scheme}{mark}{kept}{slash}{path}"


def without_typed_credentials(typed: str) -> str:
    """Return an address without credentials, even if it is only half typed."""
    scheme, mark, rest = typed.partition("://")
    is_whole = "/" in rest or _HOST.fullmatch(rest)
    return without_credentials(typed) if is_whole or not mark else f"{scheme}{mark}"


def same_platform(one: str, other: str) -> bool:
    """Whether two addresses are of one platform; this machine's names for itself count as equal."""
    return _normalize(one) == _normalize(other)


def _normalize(address: str) -> tuple[str, str, int | None, str] | str:
    try:
        parts = urlsplit(address.strip())
        port = parts.port or {"http": 80, "https": 443}.get(parts.scheme)
    except ValueError:
        return address
    host = parts.hostname or ""
    path = parts.path.rstrip("/").removesuffix("/v1")
    return parts.scheme, "localhost" if host in LOOPBACK else host, port, path
