"""The job that translates the changes of a space, and updates the space with its translation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any, Final

from recto.contract.import_report import Finding
from recto.contract.rich_text import Document
from recto.contract.translations import RUN
from recto.document.rich_text.markdown_writer import to_markdown
from recto.document.translation.page_texts import split
from recto.document.translation.tagged_text import Broken, TaggedText, count_words, in_plain_text
from recto.frozen import frozen
from recto.server.content.objects import load_text
from recto.server.content.page_text import is_readable
from recto.server.content.revisions import Content, StoredRevision, content_of, get_revision, main_revision
from recto.server.content.tree import canonical, digest
from recto.server.context import Context
from recto.server.exchange.findings import make_finding
from recto.server.http.problems import Conflict, NotFound, PreconditionFailed
from recto.server.jobs import Job, JobFailed, JobResult, Task
from recto.server.people.access import require, require_place
from recto.server.storage.database import Connection, Row
from recto.server.translations.engine import Engine
from recto.server.translations.result import (
    Followed,
    Text,
    Translated,
    add_result,
    begin_result,
    find_texts,
    follow,
    write_content,
)
from recto.server.translations.stored_translations import get_translation, is_running
from recto.server.translations.translator_process import EngineFailed, TranslationRequest, read_glossary, translate

_NO_ENGINE: Final = (
    "No translation engine is set on this server. Set “translation_command” in its settings to the command of one."
)

_UNMERGED: Final = ("draft", "open")

_MOST_FAILURES: Final = 3
"""How often the engine may fail in a row before a run stops."""


def translation_task(context: Context, row: Row) -> Task[None]:
    """Return the task that runs a translation; raises a problem where it cannot be run."""
    source = _check(context, row)
    organization, id = row["organization"], row["id"]

    def do(job: Job) -> None:
        if job.engine is None:
            raise PreconditionFailed(_NO_ENGINE)
        job.write(lambda context: _begin(context, job, organization, id))
        job.begin()
        _Run(job, job.engine, organization, id).run()

    return Task(RUN, f"{source['title']} ({row['language']})", do, source["id"])


def _check(context: Context, row: Row) -> Row:
    """Return the row of the source; raises a problem where the translation cannot be run, or not by the caller."""
    if is_running(context, row):
        raise Conflict("This translation is being run already. Wait until it has ended, or cancel it.")
    return _check_spaces(context, row)


def _check_spaces(context: Context, row: Row) -> Row:
    source = require(context, row["source"])
    if source["organization"] != row["organization"]:
        raise Conflict(
            f"The space “{source['title']}” is in another organization now. Create a translation of it there."
        )
    if row["result"] is None:
        require_place(context, row["organization"], source["parent"])
        return source
    try:
        result = require(context, row["result"], "create")
    except NotFound as problem:
        raise Conflict(
            "The space with this translation was deleted, or you may not see it. Restore it, or delete the translation"
            " and create another."
        ) from problem
    if result["edit_mode"] == "locked":
        raise Conflict(f"The space “{result['title']}” with this translation is locked. Unlock it, then run again.")
    return source


def _begin(context: Context, job: Job, organization: str, id: str) -> None:
    _check(context, get_translation(context, organization, id))
    context.database.update("translations", id, job=int(job.record.id), is_complete=False)


def find_changed_pages(connection: Connection, id: str) -> frozenset[str]:
    """Return the ids of the source's pages whose title, description or text was not translated as it is now."""
    source = connection.value("SELECT source FROM translations WHERE id = ?", id)
    known = _find_digests(connection, id)
    texts = find_texts(content_of(connection, main_revision(connection, source)))
    return frozenset(text.id for text in texts if text.is_page and known.get(text.id) != text.digest)


def find_waiting_pages(connection: Connection, id: str) -> dict[str, int]:
    """Return the numbers of the change requests that hold translations not merged yet, by the ids of their pages."""
    return {each["page"]: each["number"] for each in _find_waiting(connection, id) if each["status"] in _UNMERGED}


def _find_waiting(connection: Connection, id: str) -> list[Row]:
    """Return what was put into change requests: its id, that and the status of the change request, and its base."""
    return connection.all(
        "SELECT page, change_request, base, number, status FROM waiting_pages"
        " LEFT JOIN change_requests ON change_requests.id = change_request WHERE translation = ? ORDER BY page",
        id,
    )


def _is_rejected(waiting: Row) -> bool:
    return waiting["status"] not in (*_UNMERGED, "merged")


def _find_digests(connection: Connection, id: str) -> dict[str, str]:
    """Return the digests of the pages and reusable contents that were translated last, by their ids.

    Those whose change request was archived are not among them: the translation is not there.
    """
    stored = connection.all("SELECT page, digest FROM translated_pages WHERE translation = ?", id)
    rejected = {each["page"] for each in _find_waiting(connection, id) if _is_rejected(each)}
    return {each["page"]: each["digest"] for each in stored if each["page"] not in rejected}


@frozen
class _Plan:
    """The input of a run: the translation's row, the source, and the content translated last and now."""

    row: Row
    source: StoredRevision
    before: Content | None
    texts: tuple[Text, ...]
    """The pages and reusable contents to translate."""
    digests: Mapping[str, str]
    """What tells each page and reusable content of the source apart from what it was before, by its id."""
    instructions: str
    glossary: Mapping[str, str]
    guidance: str


class _Run:
    """A run of a translation."""

    def __init__(self, job: Job, engine: Engine, organization: str, id: str) -> None:
        self._job = job
        self._engine = engine
        self._organization = organization
        self._id = id
        self._translated: dict[str, Translated] = {}
        self._broken: dict[str, str] = {}
        self._failures: dict[str, EngineFailed] = {}
        """Why the engine failed, by the ids of what it was asked to translate."""
        self._pages = 0
        self._words = 0

    def run(self) -> None:
        """Translate the pages that have changed, and put them into the space with the translation.

        Pages for which the engine fails are left as they were; where it fails for all, this raises the last failure.
        """
        self._job.progress("Comparing pages", 0, None)
        plan = self._job.read(self._plan)
        in_a_row = 0
        for number, text in enumerate(plan.texts):
            self._check()
            self._job.progress("Translating pages", number, len(plan.texts))
            try:
                self._translated[text.id] = self._translate(plan, text)
            except Broken as error:
                self._broken[text.id] = f"{text.title}: {error}"
            except EngineFailed as error:
                self._failures[text.id] = error
            in_a_row = in_a_row + 1 if text.id in self._failures else 0
            if in_a_row == _MOST_FAILURES:
                break
        if self._failures and not self._translated:
            raise list(self._failures.values())[-1]
        self._job.progress("Writing pages", len(plan.texts), len(plan.texts))
        self._job.finish(partial(self._finish, plan))

    def _plan(self, context: Context) -> _Plan:
        row = get_translation(context, self._organization, self._id)
        connection = context.database
        source = main_revision(connection, row["source"])
        texts = list(find_texts(content_of(connection, source)))
        instructions = to_markdown(Document.model_validate_json(row["instructions"]))
        glossary = read_glossary(self._engine, row["language"])
        guidance = digest(canonical([instructions, glossary]).encode())
        known = _find_digests(connection, self._id) if row["guidance"] == guidance else {}
        digests = {text.id: text.digest for text in texts}
        return _Plan(
            row=row,
            source=source,
            before=content_of(connection, get_revision(connection, row["translated"])) if row["translated"] else None,
            texts=tuple(text for text in texts if known.get(text.id) != digests[text.id]),
            digests=digests,
            instructions=instructions,
            glossary=glossary,
            guidance=guidance,
        )

    def _translate(self, plan: _Plan, text: Text) -> Translated:
        """Return what a page or a reusable content says in the other language; raises :class:`Broken`."""
        markdown = self._job.read(lambda context: load_text(context.database, text.markdown))
        if not is_readable(markdown):
            raise Broken("It holds too many lines and marks to be translated.")
        named = {name: part for name, words in text.names.items() for part in in_plain_text(0, len(words), words, str)}
        parts = split(markdown)
        texts = [*(part.sent for part in named.values()), *parts.texts]
        if not texts:
            return Translated(text.names, markdown)
        request = TranslationRequest(
            source_language=plan.row["source_language"],
            target_language=plan.row["language"],
            instructions=plan.instructions,
            glossary=plan.glossary,
            texts=texts,
        )
        translated = translate(self._engine, request, self._check)
        if not is_readable("\n".join(translated)):
            raise Broken("The translation holds too many lines and marks to be read.")
        names = {name: _write(name, part, translated.pop(0)) for name, part in named.items()}
        joined = parts.join(translated)
        self._pages += text.is_page
        self._words += count_words(texts)
        return Translated({**text.names, **names}, joined)

    def _check(self) -> None:
        """Raise once the run is cancelled, or its translation is deleted, here or by another process."""
        self._job.stop_if_cancelled()
        self._job.read(self._find)

    def _find(self, context: Context) -> Row:
        """Return the row of the translation; raises :class:`JobFailed` once it is deleted."""
        row = context.database.one("SELECT * FROM translations WHERE id = ?", self._id)
        if row is None:
            raise JobFailed("The translation was deleted meanwhile.")
        return row

    def _finish(self, plan: _Plan, context: Context) -> tuple[None, JobResult]:
        """Write the translation, in one transaction."""
        connection = context.database
        row = self._find(context)
        source = _check_spaces(context, row)
        space: str = row["result"] or add_result(context, source, row["language"])
        content = write_content(context, plan.source, space, plan.before, self._translated)
        findings = list(self._find_left(plan))
        change_request = row["change_request"]
        if plan.before is None:
            main = begin_result(context, space, content)
            translated = main
        else:
            base = get_revision(connection, row["translated"])
            waiting = {each["page"]: each for each in _find_waiting(connection, self._id)}
            rejected = [
                (text, waiting[text.id]["base"])
                for text in plan.texts
                if text.id in waiting and text.id in self._translated and _is_rejected(waiting[text.id])
            ]
            subject = f"New translation of {source['title']}"
            followed = follow(context, base, content, subject, change_request, rejected)
            main, translated = followed.main, followed.translated
            change_request = followed.change_request
            findings += followed.findings
            self._note_waiting(connection, plan, waiting, followed, base.id)
        self._note(
            context, plan, row, result=space, revision=main.id, translated=translated.id, change_request=change_request
        )
        return None, JobResult({"pages": self._pages}, findings=tuple(findings))

    def _find_left(self, plan: _Plan) -> Iterator[Finding]:
        """Yield what the next run translates again, and why."""
        broken = make_finding(
            len(self._broken),
            ("{} page", "came back broken and was left as it was:"),
            ("{} pages", "came back broken and were left as they were:"),
            self._broken.values(),
        )
        left = [text for text in plan.texts if text.id not in self._translated and text.id not in self._broken]
        untranslated = make_finding(
            len(left),
            ("{} page", "was not translated. Run the translation again for it:"),
            ("{} pages", "were not translated. Run the translation again for them:"),
            (f"{text.title}: {self._failures.get(text.id, 'not sent after these failures')}" for text in left),
        )
        yield from (each for each in (broken, untranslated) if each is not None)

    def _note_waiting(
        self, connection: Connection, plan: _Plan, before: Mapping[str, Row], followed: Followed, base: str
    ) -> None:
        """Note what waits in change requests; ``before`` is what did, and ``base`` what the last run wrote."""
        left = {page: each for page, each in before.items() if each["status"] != "merged"}
        waiting = {
            page: (each["change_request"], each["base"])
            for page, each in left.items()
            if not _is_rejected(each) or page not in self._translated
        }
        for page in followed.waiting:
            waiting[page] = (followed.change_request, left[page]["base"] if page in left else base)
        connection.execute("DELETE FROM waiting_pages WHERE translation = ?", self._id)
        connection.execute_many(
            "INSERT INTO waiting_pages (translation, page, change_request, base) VALUES (?, ?, ?, ?)",
            [(self._id, page, *values) for page, values in waiting.items() if page in plan.digests],
        )

    def _note(self, context: Context, plan: _Plan, row: Row, **values: Any) -> None:
        """Note what was translated; the next run translates the other pages."""
        connection = context.database
        left = {text.id for text in plan.texts} - self._translated.keys()
        connection.execute("DELETE FROM translated_pages WHERE translation = ?", self._id)
        connection.execute_many(
            "INSERT INTO translated_pages (translation, page, digest) VALUES (?, ?, ?)",
            [(self._id, page, digest) for page, digest in plan.digests.items() if page not in left],
        )
        took = round((context.now() - self._job.record.started_at).total_seconds() * 1000)
        connection.update(
            "translations",
            self._id,
            is_complete=not self._failures,
            guidance=plan.guidance,
            runs=row["runs"] + 1,
            total_words=row["total_words"] + self._words,
            total_pages=row["total_pages"] + self._pages,
            total_duration=row["total_duration"] + took,
            latest_run_duration=took,
            latest_pages=self._pages,
            latest_words=self._words,
            updated_at=context.stamp(),
            **values,
        )


def _write(name: str, part: TaggedText, translated: str) -> str:
    try:
        return part.write(translated)
    except Broken as error:
        raise Broken(f"Its {name.replace('_', ' ')}: {error}.") from None
