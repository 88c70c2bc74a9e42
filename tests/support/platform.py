"""Embedded platforms for tests: a workspace file on disk, seeded ids, a clock that stands still, people with roles."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any

from recto.contract.common import Role
from recto.server.ids import Ids
from recto.server.people import directory
from recto.server.platform import Owner, Platform

if TYPE_CHECKING:
    import httpx

MORNING = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
BASE_URL = "http://recto.test"


class FrozenClock:
    """A clock that moves only when told to."""

    def __init__(self, start: datetime = MORNING) -> None:
        self.moment = start

    def __call__(self) -> datetime:
        return self.moment

    def advance(self, **by: float) -> None:
        """Move on, by ``minutes=5`` or the like."""
        self.moment += timedelta(**by)


def make_platform(tmp_path: Path, *, clock: FrozenClock | None = None, seed: int = 0) -> Platform:
    """Open a workspace in ``tmp_path`` that belongs to Ada; the caller closes it."""
    file, clock, chance = tmp_path / "workspace.recto", clock or FrozenClock(), Random(seed)
    if not file.exists():
        content, state = _new_workspace(clock.moment, seed)
        file.write_bytes(content)
        chance.setstate(state)
    return Platform.open(file, clock=clock, ids=Ids(chance))


@cache
def _new_workspace(moment: datetime, seed: int) -> tuple[bytes, Any]:
    """Return the file of a new workspace, and what chance is left with after its ids: making one takes longest."""
    chance = Random(seed)
    with TemporaryDirectory() as folder:
        file = Path(folder) / "workspace.recto"
        owner = Owner("Ada Lovelace", "ada@example.org")
        Platform.open(file, clock=FrozenClock(moment), ids=Ids(chance), owner=owner).close()
        return file.read_bytes(), chance.getstate()


def own_organization(platform: Platform) -> str:
    """Return the id of the organization that the owner was given."""
    return str(platform.database.read_now(lambda connection: connection.value("SELECT id FROM organizations")))


def join(platform: Platform, organization: str, name: str, role: Role | None) -> str:
    """Make a person and put them into an organization; return their user id."""

    def work(connection: Any) -> str:
        context = platform.context(connection)
        user = directory.create_user(context, name, f"{name.split()[0].lower()}@example.org")
        directory.add_member(context, organization, user, role)
        return user

    return platform.database.write_now(work)


def stranger(platform: Platform, name: str = "Sam Stranger") -> str:
    """Make a person who belongs to no organization; return their user id."""
    return platform.database.write_now(
        lambda connection: directory.create_user(platform.context(connection), name, "sam@example.org")
    )


async def wait_for_jobs(platform: Platform) -> None:
    """Wait until no job runs that a request has started."""
    for thread in tuple(platform.jobs._threads):
        await asyncio.to_thread(thread.join)


def user_of_token(platform: Platform, token: str) -> str | None:
    """Return the id of the user for whom a token speaks, if any."""
    return platform.database.read_now(lambda connection: platform.recognize(connection, token))


class Speaker:
    """Speaks to a platform in process, over its whole stack, as one of its users."""

    def __init__(self, platform: Platform, user: str | None = None) -> None:
        import httpx  # it takes a tenth of a second, which a process that is killed has no need of

        self._make_request = httpx.Request
        token = platform.token
        if user is not None:
            token = f"token-of-{user}"
            platform.admit(token, user)
        self.headers = {"Authorization": f"Bearer {token}"}
        self._transport = httpx.ASGITransport(platform.application)

    async def request(
        self, method: str, path: str, *, headers: Mapping[str, str] | None = None, **options: Any
    ) -> httpx.Response:
        """Send a request; ``path`` is what follows ``/v1``, or a whole address."""
        address = f"{BASE_URL}/v1{path}" if path.startswith("/") else path
        # Straight to the transport: what a client of httpx does beside it takes twice as long as the rest.
        request = self._make_request(method, address, headers={**self.headers, **(headers or {})}, **options)
        answer = await self._transport.handle_async_request(request)
        await answer.aread()
        return answer

    async def get(self, path: str, status: int = 200, **query: Any) -> Any:
        """Return the JSON of an answer that has this status."""
        return self._opened(await self.request("GET", path, params=query or None), status)

    async def send(self, method: str, path: str, body: Any = None, status: int = 200) -> Any:
        """Send a body and return the JSON of an answer that has this status, or ``None`` where it has no content."""
        return self._opened(await self.request(method, path, json=body), status)

    async def refused(self, method: str, path: str, status: int, body: Any = None, **query: Any) -> str:
        """Return the message of the error that answers a request with this status."""
        answer = await self.request(method, path, json=body, params=query or None)
        error = self._opened(answer, status)["error"]
        assert error["code"] == status
        return str(error["message"])

    @staticmethod
    def _opened(answer: httpx.Response, status: int) -> Any:
        assert answer.status_code == status, f"{answer.status_code}: {answer.text}"
        return answer.json() if answer.content else None
