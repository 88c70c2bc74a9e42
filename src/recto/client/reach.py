"""Whether the platform can be reached."""

from __future__ import annotations

from collections.abc import Callable

from recto.client.errors import ClientError


class Reach:
    """What the last request came to; ``listener`` gets the failure when it begins, and ``None`` when it is over."""

    def __init__(self) -> None:
        self.listener: Callable[[ClientError | None], None] | None = None
        self.failure: ClientError | None = None
        """Why the platform cannot be reached; ``None`` where it can."""

    def note(self, failure: ClientError | None) -> None:
        """Note that a request was answered, or why there was no response."""
        before, self.failure = self.failure, failure
        if (before is None) != (failure is None) and self.listener is not None:
            self.listener(failure)
