"""Reaching the platform that the settings name: one at an address, or the workspace on this machine."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from recto.cli.failures import CommandError
from recto.settings import Settings

if TYPE_CHECKING:
    from recto.client.sender import Sender


@contextmanager
def reached(settings: Settings, token: str | None) -> Iterator[Sender]:
    """Give a sender to the platform; at the end the workspace, where it is that, is let go of.

    Closing the sender is the business of who uses it. Raises ``CommandError`` where the platform cannot be used.
    """
    if settings.base_url is not None:
        yield connected(settings, settings.base_url, token)
        return
    from recto.cli import workspace
    from recto.client.sender import embed

    platform = workspace.open_platform(settings)
    try:
        yield embed(platform.application, platform.token, read_only=settings.read_only)
    finally:
        platform.close()


def connected(settings: Settings, base_url: str, token: str | None) -> Sender:
    """Return a sender to the platform at an address; raises ``CommandError`` where there is no token for it."""
    from recto.client.sender import connect

    if token is None:
        raise CommandError(f"{base_url} needs a token: set RECTO_TOKEN to one that is good there.")
    return connect(base_url, token, read_only=settings.read_only)
