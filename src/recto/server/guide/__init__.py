"""Recto's own guide: an organization that a new workspace comes with, and that can be removed for good."""

from __future__ import annotations

from recto.server.guide.install import find_guide, install_guide, remove_guide

__all__ = ["find_guide", "install_guide", "remove_guide"]
