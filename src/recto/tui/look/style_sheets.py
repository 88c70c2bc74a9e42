"""The style sheets, in the order in which they are loaded: later ones win."""

from __future__ import annotations

from pathlib import Path, PurePath

SHEETS = (
    "base",
    "widgets",
    "page_view",
    "dialogs",
    "organizations",
    "space",
    "change_request",
    "site",
    "console",
)


def style_sheets() -> list[str | PurePath]:
    """Return the files of all sheets: beside the package in a wheel, at the top of a checkout else."""
    package = Path(__file__).resolve().parents[2]
    beside = package / "styles"
    folder = beside if beside.is_dir() else package.parent.parent / "styles"
    return [folder / f"{name}.tcss" for name in SHEETS]
