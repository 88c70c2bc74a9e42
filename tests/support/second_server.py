"""The second server of the screens' tests: the embedded platform behind a door that knows the reference alone.

``pytest --server reference tests/tui/screens`` runs them against it. What a test wants of an operation that is not
there it cannot find; such a test is given up, and named. What holds for each of them all the same: the program does
not fail, comes to rest, writes no error, and asks for what is missing once.
"""

from __future__ import annotations

import json
import logging
import re
import traceback
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from starlette.types import ASGIApp, Receive, Scope, Send

from recto.client.errors import Unsupported
from recto.client.sender import Sender
from recto.urls import EMBEDDED_ADDRESS
from support.otherwise import only_the_reference
from support.platform import BASE_URL

AT_A_TIME = 4
"""How often something may be asked for before the first answer says that it is not there."""

_TESTS = Path(__file__).parents[1]
_IDS = re.compile(r"(?<=/)(?=[A-Za-z0-9_-]*[0-9_A-Z])[A-Za-z0-9_-]{3,}(?=/|$)|(?<=/)\d+(?=/|$)")
_ERROR = json.dumps({"error": {"code": 404, "message": "Not Found"}}).encode()


class OnlyReference:
    """An application that has the operations of the reference, and answers 404 to all others."""

    def __init__(self, application: ASGIApp) -> None:
        self.lacked: Counter[str] = Counter()
        """What was asked for and is not there, ids left out, with how often."""
        self._application = application

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on, or answer that there is no such thing.

        The bytes of files are at addresses that the answers name, whatever these are.
        """
        if scope["type"] != "http" or "/blobs/" in scope["path"] or only_the_reference(scope["method"], scope["path"]):
            await self._application(scope, receive, send)
            return
        self.lacked[f"{scope['method']} {_IDS.sub('…', scope['path'])}"] += 1
        headers = [(b"content-type", b"application/json")]
        await send({"type": "http.response.start", "status": 404, "headers": headers})
        await send({"type": "http.response.body", "body": _ERROR})


class SecondServer(logging.Handler):
    """Stands in place of the embedded platform while a test runs, and tells what was missing and what went wrong."""

    def __init__(self) -> None:
        super().__init__(logging.ERROR)
        self.doors: list[OnlyReference] = []
        self.errors: list[str] = []

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Have all senders to an embedded platform pass through a door, as to a platform at an address."""
        begin = Sender.__init__

        def behind_a_door(sender: Sender, address: str, token: str | None, **options: Any) -> None:
            if address == EMBEDDED_ADDRESS and options.get("application") is not None:
                door = OnlyReference(options["application"])
                self.doors.append(door)
                options["application"] = door
                address = BASE_URL
            begin(sender, address, token, **options)

        monkeypatch.setattr(Sender, "__init__", behind_a_door)

    def emit(self, record: logging.LogRecord) -> None:
        """Note an error in the log, but not that a test closed its workspace before the program was gone."""
        text = self.format(record)
        if "cannot schedule new futures after shutdown" not in text:
            self.errors.append(text)

    @property
    def lacked(self) -> list[str]:
        """What was asked for and is not there."""
        return sorted({name for door in self.doors for name in door.lacked})

    def is_to_be_expected(self, error: BaseException) -> bool:
        """Whether a test failed for want of what is missing: by itself, and not because the program did."""
        where = Path(traceback.extract_tb(error.__traceback__)[-1].filename)
        hangs = "does not come to rest" in str(error)
        is_of_the_test = isinstance(error, Unsupported) or _TESTS in where.parents
        return bool(self.lacked) and is_of_the_test and not hangs

    def check(self) -> None:
        """Hold what holds for every test whose program spoke to the server."""
        if not self.doors:
            return
        often = {name: count for door in self.doors for name, count in door.lacked.items() if count > AT_A_TIME}
        assert not often, f"asked for again though it is not there: {often}"
        assert not self.errors, "an error is in the log:\n" + "\n".join(self.errors)
