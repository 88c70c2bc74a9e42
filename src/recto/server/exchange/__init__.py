"""Import of documentation from folders of Markdown files and from zip archives of such, and export to such folders."""

from __future__ import annotations

from recto.server.exchange.folder import FolderError
from recto.server.exchange.folder_export import export_folder
from recto.server.exchange.folder_import import find_import_report, import_folder
from recto.server.exchange.folder_writer import ExportError, InTheWayError

__all__ = ["ExportError", "FolderError", "InTheWayError", "export_folder", "find_import_report", "import_folder"]
