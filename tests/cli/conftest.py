"""What the command line sets up for the whole process is put back after each test."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def own_logger() -> Iterator[None]:
    """Give each test the log as it was, and leave it so."""
    logger = logging.getLogger("recto")
    kept = logger.handlers[:], logger.propagate, logger.level
    yield
    for handler in logger.handlers:
        handler.close()
    logger.handlers[:], logger.propagate = kept[0], kept[1]
    logger.setLevel(kept[2])
