"""``recto cache clear``: delete the stored responses of hosted platforms."""

from __future__ import annotations

from argparse import Namespace

from recto import paths
from recto.cli.failures import CommandError
from recto.settings import Settings
from recto.store.response_cache import clear_all


def run(arguments: Namespace, settings: Settings, token: str | None) -> int:
    """Delete the responses, and print how much that was."""
    try:
        size = clear_all(paths.responses_dir())
    except OSError as error:
        raise CommandError(
            f"The cache could not be cleared: {error.strerror or error}. Delete {paths.responses_dir()} yourself."
        ) from error
    print(f"Cleared the cache: {size / 1024 / 1024:.1f} MB." if size else "The cache is empty.")
    return 0
