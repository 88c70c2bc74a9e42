"""The job that translates what has changed in a space."""

from __future__ import annotations

from typing import Final

from recto.contract.translations import RUN
from recto.server.context import Context
from recto.server.http.problems import Conflict
from recto.server.jobs import Job, JobFailed, Task
from recto.server.people.access import require
from recto.server.storage.database import Row
from recto.server.translations.rows import get_translation, is_running

NO_ENGINE: Final = (
    "No translation engine is set on this server. Set “translation_command” in its settings to the command of one."
)


def running(context: Context, row: Row) -> Task[None]:
    """Return the task that runs a translation."""
    _refuse_second(context, row)
    source = require(context, row["source"])
    organization, id = row["organization"], row["id"]

    def do(job: Job) -> None:
        job.write(lambda context: _begin(context, job, organization, id))
        job.begin()
        raise JobFailed(NO_ENGINE)

    return Task(RUN, f"{source['title']} ({row['language']})", do, source["id"])


def _begin(context: Context, job: Job, organization: str, id: str) -> None:
    _refuse_second(context, get_translation(context, organization, id))
    context.database.update("translations", id, job=int(job.record.id), is_complete=False)


def _refuse_second(context: Context, row: Row) -> None:
    if is_running(context, row):
        raise Conflict("This translation is being run already. Wait until it has ended, or cancel it.")
