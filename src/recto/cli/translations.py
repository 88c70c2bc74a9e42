"""``recto translate``: keeps translations of spaces, runs them, and says which pages are missing or stale."""

from __future__ import annotations

import asyncio
import sys
from argparse import Namespace
from collections import Counter
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import aclosing
from pathlib import Path
from typing import TYPE_CHECKING, Final

from recto.cli import output
from recto.cli.connection import connect_to
from recto.cli.embedded_platform import open_platform
from recto.cli.failures import FAILED, USAGE, CommandError, message_of, tell
from recto.cli.job_progress import BegunJobs, ProgressLine, check_finished, on_interrupt
from recto.cli.named_space import OTHER_ORGANIZATION, find_organization, find_space, thing_named
from recto.cli.own_workspace import OwnWorkspace
from recto.client.call import Call, pages
from recto.client.errors import ClientError, ReadOnly, Refused, Unsendable
from recto.client.sender import embed
from recto.contract.addresses import Main
from recto.contract.content import Content, PageTree
from recto.contract.organizations import Organization
from recto.contract.rich_text import Document
from recto.contract.spaces import Spaces
from recto.contract.translations import (
    COMPLETED,
    RUNNING,
    CreateTranslation,
    SourceToTranslate,
    Translation,
    Translations,
    UpdateTranslation,
)
from recto.document.rich_text.markdown_writer import to_markdown
from recto.document.rich_text.rich_pages import to_document
from recto.document.text import count, printable
from recto.settings import Settings
from recto.store.mutation import Attempt
from recto.store.translations import PageState, TranslatedPage, compare, create_translation, describe_last_run
from recto.tui.dialogs.import_report import finding_lines
from recto.urls import Thing

if TYPE_CHECKING:
    from recto.server.platform import Platform

_BETWEEN_REQUESTS_S: Final = 2.0
_LONGEST_BEGINNING_S: Final = 20.0
"""How long a hosted platform may show a run as pending before it runs."""
_LONGEST_WAIT_S: Final = 3600.0
_SHOWS: Final = "`recto translate show` shows its state."


def run(arguments: Namespace, settings: Settings, token: str | None) -> int:
    """Do one step on the translations of an organization, and print the result."""
    platform = open_platform(settings) if settings.base_url is None else None
    try:
        return asyncio.run(_work(arguments, settings, token, platform))
    except ClientError as error:
        raise CommandError(message_of(error), USAGE if isinstance(error, (ReadOnly, Unsendable)) else FAILED) from error
    finally:
        if platform is not None:
            platform.close()


async def _work(arguments: Namespace, settings: Settings, token: str | None, platform: Platform | None) -> int:
    if platform is not None:
        sender = embed(platform.application, platform.token, read_only=settings.read_only)
    else:
        assert settings.base_url is not None
        sender = connect_to(settings, settings.base_url, token)
    async with aclosing(sender):
        call = Call(sender)
        organization = await find_organization(call, arguments.organization, is_own=platform is not None)
        return await _STEPS[arguments.step](_Step(call, organization, arguments, settings, platform))


class _Step:
    """One step on the translations of an organization; each returns the exit code."""

    def __init__(
        self,
        call: Call,
        organization: Organization,
        arguments: Namespace,
        settings: Settings,
        platform: Platform | None,
    ) -> None:
        self._call = call
        self._organization = organization
        self._arguments = arguments
        self._settings = settings
        self._platform = platform

    async def list_translations(self) -> int:
        """Print the translations with their states."""
        found = await self._translations()
        if not found:
            title = printable(self._organization.title)
            tell(f"“{title}” has no translations. `recto translate add SPACE LANGUAGE` adds one. {OTHER_ORGANIZATION}")
            return 0
        titles = await self._titles()
        rows = [("SOURCE", "FROM", "INTO", "STATUS", "PAGES", "WORDS", "RUNS")]
        rows += [
            (
                titles.get(each.source.space, each.source.space),
                each.source.language,
                each.language,
                str(each.status),
                f"{each.stats.total_pages:,}",
                f"{each.stats.total_words:,}",
                f"{each.stats.runs:,}",
            )
            for each in found
        ]
        output.print_table(rows)
        return 0

    async def add(self) -> int:
        """Add a translation of a space."""
        arguments = self._arguments
        space = await find_space(self._call, self._thing(), arguments.space, self._organization)
        source_language = arguments.source_language or space.language
        if not source_language:
            raise CommandError(f"“{space.title}” has no language of its own. Name the one it is in with --from.", USAGE)
        instructions = await _read(arguments.instructions) if arguments.instructions else Document()
        try:
            body = CreateTranslation(
                source=SourceToTranslate(space=space.id, language=source_language),
                language=arguments.language,
                instructions=instructions,
            )
        except ValueError as error:
            raise CommandError(
                f"“{source_language}” or “{arguments.language}” is no code of a language, such as en or pt-br.", USAGE
            ) from error
        change = create_translation(self._organization.id, body)
        await Attempt(change.call, change.lookup).make(self._call)
        print(printable(f"Added the translation of “{space.title}” into {arguments.language}."))
        return 0

    async def show(self) -> int:
        """Print what runs have done, and the pages of the translation that are not current."""
        translation = await self._find()
        compared = await self._compare(translation)
        if self._arguments.json:
            listed = [
                {"path": each.path, "title": each.page.title, "state": str(each.state)}
                | ({"changeRequest": each.change_request} if each.change_request is not None else {})
                for each in compared
            ]
            values = {**translation.model_dump(mode="json", by_alias=True), "pages": listed}
            output.show(values, dark=self._settings.theme != "light")
            return 0
        titles = await self._titles()
        result = translation.result
        stats = translation.stats
        lines = [f"{self._name(translation, titles)}: {translation.status}"]
        lines += [f"Source: {translation.source.space} ({translation.source.language})"]
        lines += [f"Translation: {_space(result.space, titles)}"] if result else []
        if stats.runs:
            done = f"{count(stats.total_pages, 'page')}, {count(stats.total_words, 'word')}"
            lines.append(f"{count(stats.runs, 'run')}: {done}; the last: {describe_last_run(translation)}")
        for line in lines:
            print(printable(line).replace("\n", " "))
        _print_pages(compared)
        return 0

    async def run(self) -> int:
        """Translate what changed; follow the run in the own workspace, and at a hosted platform with ``--wait``."""
        translation = await self._find()
        name = self._name(translation, await self._titles())
        if self._platform is not None:
            begun = BegunJobs(self._platform.jobs)
            with on_interrupt(begun.cancel):
                await self._call(Translations.run_translation, self._organization.id, translation.id)
                (job,) = await begun.wait()
            check_finished(job)
            for line in finding_lines(job.findings):
                print(printable(line))
        else:
            try:
                await self._call(Translations.run_translation, self._organization.id, translation.id)
                if not self._arguments.wait:
                    print(printable(f"Started the translation of {name}. {_SHOWS}"))
                    return 0
                await self._wait(translation, name)
            except asyncio.CancelledError:
                tell(f"Interrupted; a run that has begun goes on. {_SHOWS}")
                raise
        translation = await self._get(translation)
        if self._platform is None:
            _print_pages(await self._compare(translation))
        did = describe_last_run(translation) if translation.stats.latest_pages else "nothing has changed"
        result = translation.result
        where = f" The translation is in {_space(result.space, await self._titles())}." if result else ""
        print(printable(f"Translated {name}: {did}.{where}"))
        return 0 if translation.status == COMPLETED else FAILED

    async def _wait(self, before: Translation, name: str) -> None:
        """Wait until a run at a hosted platform has ended. Raises ``CommandError`` where it failed."""
        loop = asyncio.get_running_loop()
        begun, has_run = loop.time(), False
        with ProgressLine() as line:
            while loop.time() - begun < _LONGEST_WAIT_S:
                now = await self._get(before)
                has_run = has_run or now.status == RUNNING or now.stats.runs > before.stats.runs
                if now.status != RUNNING and (has_run or loop.time() - begun >= _LONGEST_BEGINNING_S):
                    if has_run and now.status == COMPLETED:
                        return
                    raise CommandError(f"{name} was not translated: it is {now.status}, and the platform says no more.")
                line.show(f"Translating {name}", 0, None)
                await asyncio.sleep(_BETWEEN_REQUESTS_S)
        raise CommandError(f"{name} is still being translated. {_SHOWS}")

    async def instructions(self) -> int:
        """Print the instructions as Markdown, or replace them."""
        translation = await self._find()
        if self._arguments.file is None:
            print(printable(to_markdown(translation.instructions)).rstrip("\n"))
            return 0
        body = UpdateTranslation(instructions=await _read(self._arguments.file))
        await self._call(Translations.update_translation, self._organization.id, translation.id, body)
        print("Saved the instructions; the next run translates every page.")
        return 0

    async def delete(self) -> int:
        """Delete a translation; its space stays."""
        translation = await self._find()
        titles, result = await self._titles(), translation.result
        name = self._name(translation, titles)
        await self._call(Translations.delete_translation, self._organization.id, translation.id)
        kept = f" Its space stays: {_space(result.space, titles)}." if result else ""
        print(printable(f"Deleted the translation of {name}.{kept}"))
        return 0

    async def _find(self) -> Translation:
        """Return the translation of a space, named by its title, id or address, into a language."""
        arguments = self._arguments
        thing = self._thing()
        named = thing.space if thing is not None else arguments.space
        language = arguments.language.casefold()
        found = [each for each in await self._translations() if each.language.casefold() == language]
        matching = [each for each in found if each.source.space == named]
        if not matching:
            titles = await self._titles()
            matching = [
                each for each in found if titles.get(each.source.space, "").casefold() == arguments.space.casefold()
            ]
        if len(matching) == 1:
            return matching[0]
        if matching:
            ids = ", ".join(each.source.space for each in matching)
            raise CommandError(f"Several spaces are called “{arguments.space}”. Name one by its id: {ids}.", USAGE)
        raise CommandError(
            f"There is no translation of “{arguments.space}” into {arguments.language} in “{self._organization.title}”."
            f" `recto translate list` lists the translations. {OTHER_ORGANIZATION}"
        )

    def _thing(self) -> Thing | None:
        owner = self._platform.owner if self._platform is not None else ""
        return thing_named(self._arguments.space, owner, self._settings.base_url)

    async def _get(self, translation: Translation) -> Translation:
        return await self._call(Translations.get_translation, self._organization.id, translation.id)

    async def _translations(self) -> list[Translation]:
        listing = pages(self._call, Translations.list_translations, self._organization.id)
        return [each async for page in listing for each in page.items]

    async def _titles(self) -> Mapping[str, str]:
        listing = pages(self._call, Spaces.list_spaces, self._organization.id)
        return {each.id: each.title async for page in listing for each in page.items}

    def _name(self, translation: Translation, titles: Mapping[str, str]) -> str:
        space = translation.source.space
        return f"“{titles.get(space, space)}” into {translation.language}"

    async def _compare(self, translation: Translation) -> tuple[TranslatedPage, ...]:
        """Return the pages of the source beside those of the translation, as both are now."""
        source = await self._call(Content.list_pages, Main(translation.source.space))
        result: PageTree | None = None
        if translation.result is not None:
            try:
                result = await self._call(Content.list_pages, Main(translation.result.space))
            except Refused as error:
                if error.status != 404:
                    raise
                tell(f"The space of the translation, {translation.result.space}, is not there.")
        if self._platform is None:
            return compare(source, result)
        workspace = OwnWorkspace(self._platform)
        changed = await workspace.find_changed_pages(translation.id)
        return compare(source, result, changed, await workspace.find_waiting_pages(translation.id))


_STEPS: Final[Mapping[str, Callable[[_Step], Awaitable[int]]]] = {
    "list": _Step.list_translations,
    "add": _Step.add,
    "show": _Step.show,
    "run": _Step.run,
    "instructions": _Step.instructions,
    "delete": _Step.delete,
}


def _space(id: str, titles: Mapping[str, str]) -> str:
    """Return the title of a space, where it is known, and its id."""
    return f"“{titles[id]}” ({id})" if id in titles else id


def _print_pages(compared: Sequence[TranslatedPage]) -> None:
    """Print how many pages are in which state, and those that are not current."""
    states = Counter(each.state for each in compared)
    counted = ", ".join(f"{states[state]:,} {state}" for state in PageState if states[state])
    print(f"Pages: {counted or 'none'}")
    for each in compared:
        if each.state is not PageState.CURRENT:
            print(printable(f"  {each.state_words:<8} {each.path}").replace("\n", " "))


async def _read(file: str) -> Document:
    """Return the Markdown of a file, or of standard input, as rich text."""
    return to_document(await asyncio.to_thread(_read_text, file))


def _read_text(file: str) -> str:
    try:
        written = sys.stdin.buffer.read() if file == "-" else Path(file).expanduser().read_bytes()
        return written.decode()
    except OSError as error:
        raise CommandError(f"{file} cannot be read: {error.strerror or error}.", USAGE) from error
    except UnicodeDecodeError as error:
        raise CommandError(f"{file} is not a text in UTF-8.", USAGE) from error
