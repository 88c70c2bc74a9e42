"""Documentation that comes in from folders of Markdown files."""

from __future__ import annotations

from recto.server.exchange.brought_in import BroughtIn, BroughtInSpace, Remark
from recto.server.exchange.folder_error import FolderError
from recto.server.exchange.importing import bring_in
from recto.server.exchange.storing import ImportCancelledError

__all__ = ["BroughtIn", "BroughtInSpace", "FolderError", "ImportCancelledError", "Remark", "bring_in"]
