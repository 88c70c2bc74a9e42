"""Import of documentation from folders of Markdown files."""

from __future__ import annotations

from recto.server.exchange.folder import FolderError
from recto.server.exchange.folder_import import import_folder
from recto.server.exchange.progress import ImportCancelledError

__all__ = ["FolderError", "ImportCancelledError", "import_folder"]
