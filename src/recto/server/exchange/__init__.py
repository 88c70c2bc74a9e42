"""Import of documentation from folders of Markdown files."""

from __future__ import annotations

from recto.server.exchange.folder import FolderError, ImportCancelledError
from recto.server.exchange.folder_import import find_report, import_folder

__all__ = ["FolderError", "ImportCancelledError", "find_report", "import_folder"]
