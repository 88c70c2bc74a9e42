"""How a book's folder is laid out: what its ``.gitbook.yaml`` says, or what holds where there is none."""

from __future__ import annotations

import posixpath
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from recto.document.yaml_text import read_yaml
from recto.server.exchange.folder import MAX_SETTINGS_BYTES, Folder, FolderError, joined, normal_place

LAYOUT_FILES = (".gitbook.yaml", ".gitbook.yml")


@dataclass(frozen=True, slots=True)
class Layout:
    """Where a book's parts lie in the opened folder, ``None`` for those that are not there.

    ``root`` is the folder that the book's paths are relative to.
    """

    root: str
    readme: str | None
    summary: str | None
    redirects: Mapping[str, str] = field(default_factory=dict)


def read_layout(folder: Folder, base: str) -> Layout:
    """Return the layout of the book at ``base``. Raise ``FolderError`` where ``.gitbook.yaml`` says what cannot be."""
    name = next((joined(base, name) for name in LAYOUT_FILES if joined(base, name) in folder), None)
    said = _settings(folder, name) if name else {}
    root = _root(base, said.get("root"), name)
    structure = said.get("structure")
    structure = structure if isinstance(structure, dict) else {}
    redirects = said.get("redirects")
    return Layout(
        root=root,
        readme=_part(folder, root, structure.get("readme"), "README.md"),
        summary=_part(folder, root, structure.get("summary"), "SUMMARY.md"),
        redirects={
            str(old).strip("/"): str(new).strip() for old, new in (redirects or {}).items() if isinstance(new, str)
        }
        if isinstance(redirects, dict)
        else {},
    )


def _settings(folder: Folder, name: str) -> dict[str, Any]:
    try:
        said = read_yaml(folder.text(name, MAX_SETTINGS_BYTES))
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise FolderError(f"{name} is not valid YAML: {reason}. Correct it, then open the folder again.") from error
    return said if isinstance(said, dict) else {}


def _root(base: str, said: object, name: str | None) -> str:
    if not isinstance(said, str):
        return base
    root = normal_place(posixpath.join(base, said.strip().lstrip("/") or "."))
    if root is None:
        raise FolderError(f"{name} names a root outside the folder ({said}). Open the folder that holds both.")
    return root


def _part(folder: Folder, root: str, said: object, usual: str) -> str | None:
    if isinstance(said, str) and said.strip():
        return folder.find(posixpath.join(root, said.strip().lstrip("/")))
    return folder.find(joined(root, usual))
