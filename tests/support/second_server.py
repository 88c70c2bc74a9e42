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
from recto.client.missing_operations import MissingOperations
from recto.client.sender import Sender
from recto.urls import EMBEDDED_ADDRESS
from support.other_platforms import only_the_reference
from support.transcript import Transcript

AT_A_TIME = 4
"""How often something may be asked for before the first answer says that it is not there."""

SAYS = {
    "GET /v1/user": "GET /user this server does not offer it|Could not load your own user",
    ".*/structure(/sort)?": "order of groups among sections unknown|Could not put an item before or after",
    ".*/redirects": "does not offer the redirects|has no redirects|Could not (load the redirects|make an old address)",
    "POST .*publish": "Could not (un)?publish a site|this server cannot publish sites",
    "GET .*/change-requests/…/changes": "changes as the page trees show them|changes unknown|does not list changes|"
    "offers neither the changes of a change request nor its pages before",
    "GET .*/contributors": "does not offer contributors",
    "GET .*/(requested-reviewers|reviews)": "does not offer reviews|this server has no reviews",
    "POST .*/reviews": "Could not approve a change request or ask for changes",
    "GET .*links": "does not list the links of a space|Could not load what points at|not offered by this server",
    "GET .*/replies": "this server does not list replies",
    "GET .*/revisions/…/changes": "does not offer the changes of a revision|changes unknown",
    "GET .*/revisions/….*": "earlier revisions are not available|Could not load the .* of a revision|"
    "Could not load the page as it was|Could not load the texts of this page",
    "POST .*/content": "Pages cannot be written|Could not write pages and files|takes no edits of pages",
    "POST .*/spaces": "Could not make a space|this server cannot create spaces",
    "GET .*/pdf": "Could not load the address of a PDF",
}
"""For what is missing the words that say so, on the screen, in a message, or in the error that the test itself got."""

SAID_NOWHERE = {
    "test_a_change_is_sent_though_its_space_is_left_meanwhile": "its own screen stands in place of the program's"
}
"""Tests that are given up though nothing can say what is missing, and why."""

_NAMELESS = re.compile(r"\bworkspace \(\w+\)")
"""The end of the header where it does not know who is there: by that pictures differ."""

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
        is_named = any(part in scope.get("path", "") for part in ("/blobs/", "/source"))
        if scope["type"] != "http" or is_named or only_the_reference(scope["method"], scope["path"]):
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
        self.transcript = Transcript()
        """What the programs showed and said."""

    def install(self, monkeypatch: pytest.MonkeyPatch) -> None:
        """Have all senders to an embedded platform pass through a door, and find out what is missing behind it."""
        begin = Sender.__init__

        def behind_a_door(sender: Sender, address: str, token: str | None, **options: Any) -> None:
            is_embedded = address == EMBEDDED_ADDRESS and options.get("application") is not None
            if is_embedded:
                door = OnlyReference(options["application"])
                self.doors.append(door)
                options["application"] = door
            begin(sender, address, token, **options)
            if is_embedded:
                sender.missing_operations = MissingOperations(sender._send_to_end)

        monkeypatch.setattr(Sender, "__init__", behind_a_door)
        self.transcript.install(monkeypatch)

    def emit(self, record: logging.LogRecord) -> None:
        """Note an error in the log, but not that a test closed its workspace before the program was gone."""
        text = self.format(record)
        if "cannot schedule new futures after shutdown" not in text:
            self.errors.append(text)

    @property
    def lacked(self) -> list[str]:
        """What was asked for and is not there."""
        return sorted({name for door in self.doors for name in door.lacked})

    def why_given_up(self, test: str, error: BaseException) -> str | None:
        """Return the words for a failure for want of what is missing: not that of the program, and said by it."""
        where = Path(traceback.extract_tb(error.__traceback__)[-1].filename)
        hangs = "does not come to rest" in str(error)
        if hangs or not (isinstance(error, Unsupported) or _TESTS in where.parents):
            return None
        words = self.transcript.words() + (f"\n{error}" if isinstance(error, Unsupported) else "")
        said = [name for name in self.lacked if any(re.search(said, words) for said in _words_for(name))]
        if not said and "snap_compare" in str(error) and _NAMELESS.search(words):
            said = ["name in the header"]
        return ", no ".join(said) or SAID_NOWHERE.get(test)

    def check(self) -> None:
        """Hold what holds for every test whose program spoke to the server."""
        if not self.doors:
            return
        often = {name: count for door in self.doors for name, count in door.lacked.items() if count > AT_A_TIME}
        assert not often, f"asked for again though it is not there: {often}"
        assert not self.errors, "an error is in the log:\n" + "\n".join(self.errors)


def _words_for(name: str) -> list[str]:
    return [words for pattern, words in SAYS.items() if re.fullmatch(pattern, name)][:1]
