"""Rows of the settings of an organization and of a space, and of sign-on. Stream ``form`` fills it."""

from __future__ import annotations

from tui.reach.row import Row

ROWS: tuple[Row, ...] = ()
