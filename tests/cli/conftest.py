"""What the command line sets up for the whole process is put back after each test."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest


@pytest.fixture(autouse=True)
def own_logger() -> Iterator[None]:
    """Give each test the log as it was, and leave it so."""
    loggers = [logging.getLogger(name) for name in ("recto", "asyncio")]
    kept = [(logger, logger.handlers[:], logger.propagate, logger.level) for logger in loggers]
    yield
    for logger, handlers, propagate, level in kept:
        for handler in logger.handlers:
            handler.close()
        logger.handlers[:], logger.propagate = handlers, propagate
        logger.setLevel(level)
