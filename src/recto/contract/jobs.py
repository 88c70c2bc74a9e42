"""Jobs of the workspace on this machine: long tasks such as imports, whose progress the API does not show."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum

from recto.contract.import_report import Finding
from recto.frozen import frozen


class JobState(StrEnum):
    """State of a job; interrupted means that the program ended first and nothing of the job was kept.

    Cancelling is what the program that cancels it shows until it has ended; it is never stored.
    """

    RUNNING = "running"
    CANCELLING = "cancelling"
    FINISHED = "finished"
    FAILED = "failed"
    CANCELLED = "cancelled"
    INTERRUPTED = "interrupted"


@frozen
class JobRecord:
    """A job as it is now, or as it ended."""

    id: str
    kind: str
    """The work in two or three words, such as ``import of a folder``."""
    what: str
    """The subject: a folder, or an address without credentials."""
    space: str | None
    """The space that it is about, where there is one."""
    state: JobState
    started_at: datetime
    step: str = ""
    done: int = 0
    total: int | None = None
    """How much there is to do in the step; ``None`` while that is not known."""
    ended_at: datetime | None = None
    message: str = ""
    """Why it failed."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """Numbers of imported or exported items, by kind, such as ``pages``."""
    findings: tuple[Finding, ...] = ()
    kept: str = ""
    """What is kept if the job is cancelled now, as a sentence; empty if nothing is."""
