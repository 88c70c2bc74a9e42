"""The one error of reading and bringing in a folder."""

from __future__ import annotations


class FolderError(Exception):
    """A folder cannot be brought in; the message says what is wrong with it and what to do. Nothing was changed."""
