"""The errors of reading and importing a folder."""

from __future__ import annotations


class FolderError(Exception):
    """A folder cannot be imported; the message says what is wrong with it and what to do. Nothing was changed."""


class UnreadableFileError(FolderError):
    """A file cannot be read; ``reason`` says why in a few words."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason
