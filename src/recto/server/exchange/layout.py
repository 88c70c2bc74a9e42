"""The layout of a book's folder: that of its ``.gitbook.yaml``, or the default."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import field
from typing import Any

from recto.document.yaml_text import read_yaml
from recto.frozen import frozen
from recto.server.exchange.folder import MAX_SETTINGS_BYTES, Folder, FolderError, join_path, normal_place

LAYOUT_FILE = ".gitbook.yaml"
LAYOUT_FILES = (LAYOUT_FILE, ".gitbook.yml")

ASSETS = ".gitbook/assets"
"""The folder below a book's root in which its files lie that are no pages."""

INCLUDES = ".gitbook/includes"
"""The folder below a book's root in which its reusable contents lie."""

VARIABLES_FILE = ".gitbook/vars.yaml"
TAGS_FILE = ".gitbook/tags.yaml"


@frozen
class Layout:
    """Where a book's parts lie in the opened folder, ``None`` for those that are not there.

    ``root`` is the folder that the book's paths are relative to, ``file`` the file of settings.
    """

    root: str
    readme: str | None
    summary: str | None
    redirects: Mapping[str, str] = field(default_factory=dict)
    file: str | None = None


def read_layout(folder: Folder, base: str) -> Layout:
    """Return the layout of the book at ``base``. Raise ``FolderError`` where ``.gitbook.yaml`` says what cannot be."""
    name = next((join_path(base, name) for name in LAYOUT_FILES if join_path(base, name) in folder), None)
    settings = _settings(folder, name) if name else {}
    root = _root(base, settings.get("root"), name)
    structure = settings.get("structure")
    structure = structure if isinstance(structure, dict) else {}
    return Layout(
        root=root,
        readme=_part(folder, root, structure.get("readme"), "README.md"),
        summary=_part(folder, root, structure.get("summary"), "SUMMARY.md"),
        redirects=read_redirects(settings),
        file=name,
    )


def read_redirects(settings: Mapping[str, Any]) -> dict[str, str]:
    """Return the redirects that a book's settings name, by the old path."""
    redirects = settings.get("redirects")
    if not isinstance(redirects, dict):
        return {}
    return {str(old).strip("/"): str(new).strip() for old, new in redirects.items() if isinstance(new, str)}


def _settings(folder: Folder, name: str) -> dict[str, Any]:
    try:
        settings = read_yaml(folder.text(name, MAX_SETTINGS_BYTES))
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise FolderError(f"{name} is not valid YAML: {reason}. Correct it, then open the folder again.") from error
    return settings if isinstance(settings, dict) else {}


def _root(base: str, given: object, name: str | None) -> str:
    if not isinstance(given, str):
        return base
    root = normal_place(posixpath.join(base, given.strip().lstrip("/") or "."))
    if root is None:
        raise FolderError(f"{name} names a root outside the folder ({given}). Open the folder that contains both.")
    return root


def _part(folder: Folder, root: str, given: object, usual: str) -> str | None:
    if isinstance(given, str) and given.strip():
        return folder.find(posixpath.join(root, given.strip().lstrip("/")))
    return folder.find(join_path(root, usual))
