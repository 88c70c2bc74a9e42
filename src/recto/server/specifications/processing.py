"""The job that fetches the source of a specification, checks it and stores it as a version."""

from __future__ import annotations

import hashlib
import json
import zlib
from collections.abc import Callable, Sequence
from typing import Any, Final

from recto.contract.specifications import LONGEST_TEXT, PROCESSING, Specification, SpecificationSource
from recto.document.openapi.checking import Checked, Invalid, check
from recto.document.openapi.source import Unreadable
from recto.server.content.search import queue_pages_from
from recto.server.context import Context
from recto.server.fetching import Fetcher, FetchError, FetchTimeout, show_address
from recto.server.jobs import Begun, Job, JobFailed, JobResult, Task
from recto.server.specifications.stored_specifications import (
    find_specification,
    get_specification,
    serialize_specification,
)
from recto.server.storage.database import Row

MOST_VERSIONS: Final = 100
"""The most versions of a specification that are kept; the oldest go."""

_LEVEL: Final = 6
_REPLACED: Final = "The specification was deleted or given another source meanwhile."

Check = Callable[[Context, "Row | None"], None]
"""Checks again, in the transaction that begins the job, whether a specification may be added or replaced."""


def processing_task(organization: str, slug: str, source: SpecificationSource, check: Check) -> Task[Specification]:
    """Return the task that adds or replaces a specification and then processes its source."""

    def do(job: Job) -> Specification:
        begun, id = job.write(lambda context: _begin(context, job, organization, slug, source, check))
        job.begin(begun)
        return _Processing(job, organization, slug, id).run(source)

    what = show_address(source.url) if source.url else "text"
    return Task(PROCESSING, f"{slug} ({what})", do)


def _begin(
    context: Context, job: Job, organization: str, slug: str, source: SpecificationSource, check: Check
) -> tuple[Begun, str]:
    row = find_specification(context, organization, slug)
    check(context, row)
    id = row["id"] if row is not None else context.ids.fresh()
    now = context.stamp()
    values: dict[str, Any] = {
        "source_url": source.url,
        "state": "pending",
        "job": int(job.record.id),
        "updated_at": now,
    }
    if row is None:
        context.database.insert("specifications", id=id, organization=organization, slug=slug, created_at=now, **values)
    else:
        context.database.update("specifications", id, **values)
    written = get_specification(context, organization, slug)
    return Begun(serialize_specification(context, written), is_new=row is None), id


class _Processing:
    """The processing of a specification by a job; a later job on it takes its place."""

    def __init__(self, job: Job, organization: str, slug: str, id: str) -> None:
        self._job = job
        self._organization = organization
        self._slug = slug
        self._id = id

    def run(self, source: SpecificationSource) -> Specification:
        """Fetch, check and store."""
        self._job.progress("Checking" if source.text else "Fetching", 0, None)
        self._job.write(lambda context: self._note(context, state="progress"))
        try:
            content = self._fetch(source)
            self._job.progress("Checking", 0, None)
            checked = check(content, self._job.stop_if_cancelled)
        except FetchTimeout as error:
            self._fail("FETCH_TIMEOUT", [str(error)])
            raise
        except FetchError as error:
            self._fail("FETCH_ERROR", [str(error)])
            raise
        except Unreadable as error:
            errors = error.errors if isinstance(error, Invalid) else ()
            self._fail("PARSE_ERROR", [str(error), *errors])
            raise JobFailed(str(error)) from error
        packed = zlib.compress(content, _LEVEL), None if checked.is_json else zlib.compress(checked.content, _LEVEL)
        digest = hashlib.sha256(content).hexdigest()
        stored = self._job.finish(lambda context: self._store(context, checked, digest, *packed))
        assert stored is not None
        return stored

    def _fetch(self, source: SpecificationSource) -> bytes:
        if source.text:
            return source.text.encode()
        fetcher = Fetcher(is_local=self._job.is_local, is_cancelled=self._job.is_cancelled)
        return fetcher.get(source.url, most=LONGEST_TEXT).content

    def _store(
        self, context: Context, checked: Checked, digest: str, source: bytes, content: bytes | None
    ) -> tuple[Specification, JobResult]:
        now, connection = context.stamp(), context.database
        elsewhere = [
            f"The reference {target} leads out of the specification, and nothing but its source is fetched."
            for target in checked.elsewhere
        ]
        self._note(
            context,
            state="complete",
            error_code=None,
            errors=json.dumps(elsewhere, ensure_ascii=False),
            failing_since=None,
            processed_at=now,
        )
        last = connection.one(
            "SELECT number, digest FROM specification_versions WHERE specification = ? ORDER BY number DESC LIMIT 1",
            self._id,
        )
        is_new = last is None or last["digest"] != digest
        if is_new:
            number = last["number"] + 1 if last is not None else 1
            connection.insert(
                "specification_versions",
                id=context.ids.fresh(),
                specification=self._id,
                number=number,
                digest=digest,
                source=source,
                content=content,
                created_at=now,
            )
            queue_pages_from(connection, self._organization, (self._slug, self._id))
            connection.execute(
                "DELETE FROM specification_versions WHERE specification = ? AND number <= ?",
                self._id,
                number - MOST_VERSIONS,
            )
        row = get_specification(context, self._organization, self._slug)
        return serialize_specification(context, row), JobResult({"versions": int(is_new)})

    def _fail(self, code: str, errors: Sequence[str]) -> None:
        def work(context: Context) -> None:
            now = context.stamp()
            since = context.database.value("SELECT failing_since FROM specifications WHERE id = ?", self._id)
            self._note(
                context,
                state="complete",
                error_code=code,
                errors=json.dumps(list(errors), ensure_ascii=False),
                failing_since=since or now,
                processed_at=now,
            )

        self._job.write(work)

    def _note(self, context: Context, **values: Any) -> None:
        """Note the state of the specification, unless another job has taken over."""
        if context.database.value("SELECT job FROM specifications WHERE id = ?", self._id) != int(self._job.record.id):
            raise JobFailed(_REPLACED)
        context.database.update("specifications", self._id, **values)
