"""Tests of which some runs are slow."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

import pytest


def with_slow(values: Iterable[Any], slow: Collection[Any]) -> list[Any]:
    """Return the values of a parameter; a test is marked as slow where it gets one of ``slow``."""
    return [pytest.param(value, marks=pytest.mark.slow) if value in slow else value for value in values]
