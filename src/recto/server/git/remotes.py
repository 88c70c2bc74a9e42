"""Addresses of repositories: which are allowed for whom, and how they are shown; and tops of working trees."""

from __future__ import annotations

import os
import re
from enum import StrEnum
from pathlib import Path, PurePosixPath
from typing import Final
from urllib.parse import unquote, urlsplit, urlunsplit

from recto.frozen import frozen
from recto.server.http.problems import Conflict
from recto.server.jobs import JobFailed

_SCP = re.compile(r"(?:(?P<user>[\w.+-]+)@)?(?P<host>[\w.-]+):(?P<path>(?!//).+)", re.DOTALL)
"""An address as ``scp`` has it: ``git@example.org:team/docs.git``."""

_REF = re.compile(r"refs/heads/[^\x00-\x20\x7f~^:?*\[\\]+")
_MOST: Final = 2_000


class GitError(JobFailed):
    """Something that cannot be done with a repository; the message is a sentence without credentials."""


class MovedOnError(Conflict):
    """The branch has commits that the space has not imported."""


def moved_on_error(ref: bytes) -> MovedOnError:
    """Return the refusal of a push to a branch that has moved on."""
    branch = ref.decode(errors="replace").removeprefix("refs/heads/")
    return MovedOnError(
        f"The branch {branch} has commits that the space has not imported. Import first, then export again."
    )


class Way(StrEnum):
    """How to reach a repository."""

    WEB = "web"
    SSH = "ssh"
    LOCAL = "local"


@frozen
class Remote:
    """A repository. ``url`` is its address without credentials, for ``LOCAL`` a path; ``password`` is never shown."""

    way: Way
    url: str
    host: str = ""
    port: int | None = None
    path: str = ""
    user: str | None = None
    password: str | None = None

    @property
    def name(self) -> str:
        """The short name of the repository: ``team/docs``, or the last part of its path."""
        parts = [part for part in PurePosixPath(self.path).parts if part not in ("/", "~")]
        name = "/".join(parts[-1:] if self.way is Way.LOCAL else parts[-2:])
        return name.removesuffix(".git") or self.host


def find_top(folder: Path) -> Path | None:
    """Return the top of the working tree in which a folder lies; ``None`` if it lies in none."""
    real = Path(os.path.realpath(folder))
    return next((each for each in (real, *real.parents) if (each / ".git").exists()), None)


def read_remote(address: str, *, is_local: bool) -> Remote:
    """Return the repository at an address.

    Paths, ``file:`` and ``ssh`` addresses are for the owner in this process (``is_local``): they read this machine's
    disk, or use its keys. Raises :class:`GitError`.
    """
    written = address.strip()
    if not written or len(written) > _MOST or not written.isprintable():
        raise GitError("url: takes the address of a repository, such as https://example.org/team/docs.git.")
    scheme, colon, _ = written.partition("://")
    if colon:
        return _read_url(written, scheme.lower(), is_local=is_local)
    if "::" in written or written.startswith("-"):
        raise GitError(
            "url: addresses of that form would run a program, which is not allowed. Use an https:// address."
        )
    scp = _SCP.fullmatch(written)
    if scp is not None and (scp["user"] or len(scp["host"]) > 1):  # a single letter alone is a drive
        _refuse_unless(is_local, "an ssh address")
        _check_host(scp["host"])
        return Remote(Way.SSH, written, scp["host"], None, scp["path"], scp["user"])
    _refuse_unless(is_local, "a local path")
    return _local(Path(written))


def _read_url(written: str, scheme: str, *, is_local: bool) -> Remote:
    try:
        parts = urlsplit(written)
        port = parts.port
    except ValueError as error:
        raise GitError("url: is not an address.") from error
    if scheme == "file":
        _refuse_unless(is_local, "a file: address")
        if parts.hostname not in (None, "", "localhost"):
            raise GitError("url: a file: address names a path of this machine, as in file:///home/ada/docs.")
        return _local(Path(unquote(parts.path)))
    if scheme not in ("https", "http", "ssh"):
        raise GitError(f"url: {scheme[:20]}: addresses are not supported. Use an https:// address.")
    _check_host(parts.hostname or "")
    host = parts.hostname or ""
    name = f"[{host}]" if ":" in host else host
    netloc = f"{name}:{port}" if port else name
    user = unquote(parts.username) if parts.username else None
    password = unquote(parts.password) if parts.password else None
    if scheme == "ssh":
        _refuse_unless(is_local, "an ssh address")
        if password is not None:
            raise GitError("url: an ssh: address takes no password. Use a key.")
        netloc = f"{parts.username}@{netloc}" if user else netloc
        if user is not None and not re.fullmatch(r"[\w.+][\w.+-]*", user):
            raise GitError("url: is not an address.")
        return Remote(Way.SSH, urlunsplit(("ssh", netloc, parts.path, "", "")), host, port, parts.path, user)
    return Remote(Way.WEB, urlunsplit((scheme, netloc, parts.path, "", "")), host, port, parts.path, user, password)


def _local(path: Path) -> Remote:
    if not path.is_absolute():
        raise GitError("url: a path is written from the root of the disk on.")
    return Remote(Way.LOCAL, str(path), path=path.as_posix())


def _check_host(host: str) -> None:
    if not host or host.startswith("-") or not re.fullmatch(r"[\w.:%-]+", host):
        raise GitError("url: names no host. It looks like https://example.org/team/docs.git.")


def _refuse_unless(is_local: bool, form: str) -> None:
    if not is_local:
        raise GitError(
            f"url: {form} is for the owner's own command line, where it may use this machine's disk and "
            "keys. Use an https:// address."
        )


def read_ref(ref: str) -> bytes:
    """Return the full name of a branch. Raise :class:`GitError` where it is none, by ``git check-ref-format``."""
    wrong = not _REF.fullmatch(ref) or len(ref) > 255 or ref.endswith((".", "/")) or ".." in ref or "@{" in ref
    if wrong or "//" in ref or any(part.startswith(".") or part.endswith(".lock") for part in ref.split("/")):
        raise GitError("ref: takes the full name of a branch, such as refs/heads/main.")
    return ref.encode()


def read_directory(directory: str | None) -> str:
    """Return a project directory without slashes around it, "" for the whole repository. Raise :class:`GitError`."""
    parts = [part for part in (directory or "").replace("\\", "/").split("/") if part not in ("", ".")]
    if ".." in parts or ".git" in (part.lower() for part in parts) or not all(part.isprintable() for part in parts):
        raise GitError("repoProjectDirectory: takes the path of a folder in the repository, such as docs/handbook.")
    return "/".join(parts)
