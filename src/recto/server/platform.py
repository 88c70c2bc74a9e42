"""The embedded platform: the workspace file, the tokens it accepts, and the application."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

from recto.clock import Clock, now
from recto.frozen import frozen
from recto.server.content.index_queue import is_queued
from recto.server.content.indexing import Indexer
from recto.server.context import Context
from recto.server.http.problems import Unavailable
from recto.server.ids import Ids
from recto.server.jobs import Jobs
from recto.server.people import directory
from recto.server.people.tokens import digest, user_of
from recto.server.spaces.sweeping import Sweeper
from recto.server.storage.database import Connection, Database
from recto.server.storage.schema import WorkspaceError
from recto.server.translations.engine import Engine
from recto.urls import EMBEDDED_ADDRESS, WORKSPACE

if TYPE_CHECKING:
    from recto.server.http.application import Application

_OWNER = "owner"
_FURNISHED = "furnished"


@frozen
class Owner:
    """The person whose workspace it is."""

    name: str
    email: str = ""


class Platform:
    """An open workspace.

    ``token`` is a secret of this run, never stored, with which the program speaks to its own platform as the owner.
    The workspace is known by the id of its owner, who is made with it: addresses of its content begin with that
    where no server answers for it. ``public_url`` is the address that others reach it by, where that differs
    from the address at which it listens, ``host`` the host name to listen at,
    ``fonts`` a folder with fonts for PDFs, beside those of the system, and ``engine`` the program that translates.
    """

    def __init__(self, database: Database, clock: Clock, ids: Ids, owner: str) -> None:
        self.database = database
        self.clock = clock
        self.ids = ids
        self.owner = owner
        self.sweeper = Sweeper(database, clock)
        self.indexer = Indexer(database)
        self.jobs = Jobs(self)
        database.on_left_over = self.indexer.nudge
        self.token = secrets.token_urlsafe(32)
        self.public_url: str | None = None
        self.host: str | None = None
        self.fonts: Path | None = None
        self.engine: Engine | None = None
        self.after_large_bodies: Callable[[], None] = lambda: None
        """Called on a thread of its own when large bodies were worked on and none is any more."""
        self._admitted = {digest(self.token): owner}

    @classmethod
    def open(
        cls,
        path: Path,
        *,
        clock: Clock = now,
        ids: Ids | None = None,
        owner: Owner | Callable[[], Owner] | None = None,
        fill: Callable[[Platform], None] | None = None,
    ) -> Platform:
        """Open the workspace in a file; a new workspace gets an owner and their empty organization.

        ``owner`` is the owner, or returns them; it is called only if there is no owner yet. ``fill`` fills a new
        workspace; it is called until it has run to its end, so it must be able to start over. Raises
        :class:`WorkspaceError` where the file is not a usable workspace.
        """
        ids = ids or Ids()
        database = Database.open(path)
        try:
            known = database.read_now(lambda connection: directory.recall(connection, _OWNER))
            if known is None:
                person = owner() if callable(owner) else owner or Owner("Me")
                known = database.write_now(lambda connection: _ensure_owner(connection, clock, ids, person))
            platform = cls(database, clock, ids, known)
            if fill is not None:
                platform._fill(fill)
            if database.read_now(is_queued):
                platform.indexer.nudge()
        except Unavailable as error:
            database.close()
            raise WorkspaceError(f"{path} cannot be used as a workspace. {error.message}") from error
        except BaseException:
            database.close()
            raise
        return platform

    @cached_property
    def application(self) -> Application:
        """The web application, made when first asked for."""
        from recto.server.http.application import Application

        return Application(self)

    def admit(self, token: str, user_id: str) -> None:
        """Accept a token for a user as long as the platform is open."""
        self._admitted[digest(token)] = user_id

    def is_own(self, token: str) -> bool:
        """Whether a token is the program's own, which never leaves this process."""
        return secrets.compare_digest(token.encode(), self.token.encode())

    def recognize(self, connection: Connection, token: str) -> str | None:
        """Return the id of the user for whom a token speaks; ``None`` for a token that is not good here."""
        given = digest(token)
        for known, user in self._admitted.items():
            if secrets.compare_digest(known, given):
                return user
        return user_of(connection, token)

    def context(
        self, connection: Connection, caller: str | None = None, base_url: str = "", prepared: Any = None
    ) -> Context:
        """Return the context of a call made by ``caller`` (the owner where left out) inside a transaction."""
        app_url = f"{WORKSPACE}{self.owner}" if base_url in ("", EMBEDDED_ADDRESS) else base_url
        return Context(
            caller or self.owner,
            connection,
            self.clock,
            self.ids,
            base_url,
            prepared,
            app_url,
            self.jobs.is_running,
        )

    def close(self) -> None:
        """Finish the writes that are under way and close the file."""
        self.jobs.close()
        self.sweeper.close()
        self.indexer.close()
        self.database.close()

    def _fill(self, fill: Callable[[Platform], None]) -> None:
        if self.database.read_now(lambda connection: directory.recall(connection, _FURNISHED)) is None:
            fill(self)
            self.database.write_now(lambda connection: directory.remember(connection, _FURNISHED, "yes"))


def _ensure_owner(connection: Connection, clock: Clock, ids: Ids, person: Owner) -> str:
    """Return the owner's user id; a new workspace gets an owner and their organization."""
    known = directory.recall(connection, _OWNER)
    if known is not None:
        return known
    context = Context("", connection, clock, ids)
    owner = directory.create_user(context, person.name, person.email or None)
    title = f"{person.name.split()[0]}'s documentation" if person.name.strip() else "My documentation"
    organization = directory.create_organization(context, title)
    directory.add_member(context, organization, owner, "admin")
    directory.remember(connection, _OWNER, owner)
    return owner
