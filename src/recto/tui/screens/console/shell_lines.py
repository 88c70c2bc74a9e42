"""Copies calls as lines for a shell."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recto import paths
from recto.store.api_calls import ApiCall, api_line, curl_line

if TYPE_CHECKING:
    from textual.app import App

    from recto.store.store import Store

NO_ADDRESS = "this workspace is in the program and has no address; recto serve gives it one"


class Lines:
    """The lines of calls to the platform of a store."""

    def __init__(self, app: App[Any], store: Store) -> None:
        self._app = app
        self._store = store

    def command(self, call: ApiCall) -> str:
        """Return the line of ``recto api``, with the option that names the platform; raises :class:`Unsendable`."""
        address = self._store.address
        if "://" in address:
            return api_line(call, ("--base-url", address))
        is_own = address in ("", str(paths.workspace_file().absolute()))
        return api_line(call, () if is_own else ("--workspace", address))

    def curl(self, call: ApiCall) -> str | None:
        """Return the line of ``curl``; ``None`` where the platform has no address. Raises :class:`Unsendable`."""
        return curl_line(call, self._store.address)

    def why_not(self, action: str) -> str | None:
        """Return the reason why there is no such line."""
        return NO_ADDRESS if action == "console.copy_curl" and "://" not in self._store.address else None

    def copy_command(self, call: ApiCall) -> None:
        """Copy the line of ``recto api``."""
        self._copy(self.command(call), "recto api")

    def copy_curl(self, call: ApiCall) -> None:
        """Copy the line of ``curl``."""
        if (line := self.curl(call)) is not None:
            self._copy(line, "curl")

    def _copy(self, line: str, name: str) -> None:
        self._app.copy_to_clipboard(line)
        self._app.notify(f"Copied the {name} line.")
