"""``recto spec``: keeps OpenAPI specifications with their versions, and says what changed between two of them."""

from __future__ import annotations

import asyncio
from argparse import Namespace
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import aclosing
from typing import Any, Final, TypeVar

from recto.cli import output
from recto.cli.connection import open_sender
from recto.cli.failures import FAILED, USAGE, CommandError, message_of, tell
from recto.cli.job_progress import ProgressLine
from recto.cli.named_space import OTHER_ORGANIZATION, find_organization
from recto.client.call import Call, pages
from recto.client.errors import ClientError, NotFound, ReadOnly, Refused, Unsendable, Unsupported
from recto.contract.organizations import Organization
from recto.contract.specifications import (
    CreateSpecification,
    ReplaceSpecification,
    Specification,
    Specifications,
    SpecificationSource,
    SpecificationVersion,
    UpdateSpecification,
)
from recto.document.openapi.description import Description
from recto.document.openapi.differences import compare, describe
from recto.document.text import printable
from recto.settings import Settings
from recto.store.growing_list import Grown
from recto.store.mutation import Attempt
from recto.store.specification_uses import SpecificationUse, load_uses
from recto.store.specifications import FAILURES, create_specification, load_source, replace_specification, values_in
from recto.tui.look import times
from recto.tui.navigation.url_locations import for_browser

T = TypeVar("T")

_BETWEEN_LOOKS_S: Final = 0.25
_LONGEST_BETWEEN_S: Final = 5.0
_LONGEST_WAIT_S: Final = 600.0
"""How long a command waits for a source to be processed."""


def run(arguments: Namespace, settings: Settings, token: str | None) -> int:
    """Do one step on the specifications of an organization, and print the result."""
    try:
        with open_sender(settings, token) as sender:

            async def work() -> None:
                async with aclosing(sender):
                    call = Call(sender)
                    found = await find_organization(call, arguments.organization, is_own=settings.base_url is None)
                    await _STEPS[arguments.step](_Step(call, found, arguments, settings))

            asyncio.run(work())
    except ClientError as error:
        raise CommandError(message_of(error), USAGE if isinstance(error, (ReadOnly, Unsendable)) else FAILED) from error
    return 0


class _Step:
    """One step on the specifications of an organization."""

    def __init__(self, call: Call, organization: Organization, arguments: Namespace, settings: Settings) -> None:
        self._call = call
        self._organization = organization
        self._arguments = arguments
        self._settings = settings

    async def list_specifications(self) -> None:
        """Print the specifications with their states."""
        found = [each async for each in self._specifications()]
        if not found:
            title = printable(self._organization.title)
            tell(f"“{title}” has no specifications. `recto spec add SLUG SOURCE` adds one. {OTHER_ORGANIZATION}")
            return
        rows = [("SLUG", "STATE", "VISIBILITY", "PROCESSED", "SOURCE")]
        rows += [
            (
                each.slug,
                _state(each),
                str(each.visibility),
                times.exact(each.last_processed_at) if each.last_processed_at else "",
                each.source_url or "text",
            )
            for each in found
        ]
        output.print_table(rows)

    async def add(self) -> None:
        """Add a specification and wait until it has been processed."""
        slug = self._arguments.slug
        source = await load_source(self._arguments.source)
        try:
            body = CreateSpecification(slug=slug, source=source)
        except ValueError as error:
            raise CommandError(
                f"“{slug}” is no slug: small letters and digits, in parts joined by hyphens.", USAGE
            ) from error
        change = create_specification(self._organization.id, body)
        try:
            begun = await Attempt(change.call, change.lookup).make(self._call)
        except Refused as error:
            if error.status not in (400, 409) or slug not in [each.slug async for each in self._specifications()]:
                raise
            raise CommandError(
                f"There is a specification “{slug}” already. `recto spec update {slug} SOURCE` replaces its source."
            ) from error
        await self._follow(begun)

    async def update(self) -> None:
        """Give a specification another source, or fetch the same again, and wait until it has been processed."""
        source = self._arguments.source
        body = ReplaceSpecification(source=await (self._source_before() if source is None else load_source(source)))
        change = replace_specification(self._organization.id, self._arguments.slug, body)
        await self._follow(await Attempt(change.call, change.lookup).make(self._call))

    async def _source_before(self) -> SpecificationSource:
        specification = await self._get()
        if not specification.source_url:
            raise CommandError(f"“{specification.slug}” came from a file. Name the file again, or an address.", USAGE)
        return SpecificationSource(url=specification.source_url)

    async def _follow(self, begun: Specification) -> None:
        """Wait until a source has been processed, and print the result. Raises ``CommandError`` where it failed."""
        specification, pause = begun, _BETWEEN_LOOKS_S
        state = f"`recto spec show {begun.slug}` shows its state."
        try:
            with ProgressLine() as line:
                async with asyncio.timeout(_LONGEST_WAIT_S):
                    while specification.processing_state in ("pending", "progress"):
                        line.show(f"Processing {begun.slug}", 0, None)
                        await asyncio.sleep(pause)
                        pause = min(pause * 1.5, _LONGEST_BETWEEN_S)
                        specification = await self._get()
        except TimeoutError as error:
            raise CommandError(f"“{begun.slug}” is still being processed. {state}") from error
        except asyncio.CancelledError:
            tell(f"Interrupted. {state}")
            raise
        if specification.last_process_error_code:
            raise CommandError("\n  ".join([f"“{begun.slug}”: {_state(specification)}.", *_reasons(specification)]))
        if specification.last_version == begun.last_version:
            print(f"“{begun.slug}” has not changed since version {specification.last_version}.")
        else:
            print(f"“{begun.slug}” has a new version: {specification.last_version}.")
        for reason in _reasons(specification):
            print(printable(f"  {reason}"))

    async def show(self) -> None:
        """Print the state of a specification and the operations of a version, or the version as JSON."""
        version = self._arguments.version
        if self._arguments.json:
            output.show(await self._values(version), dark=self._settings.theme != "light")
            return
        specification = await self._get()
        processed = (
            f", processed {times.exact(specification.last_processed_at)}" if specification.last_processed_at else ""
        )
        lines = [f"{specification.slug}: {_state(specification)}{processed}, {specification.visibility}"]
        lines.append(f"Source: {specification.source_url or 'sent as text'}")
        if address := for_browser(specification.urls.published):
            lines.append(f"Anyone may read it at {address}")
        lines += [*_reasons(specification), *await self._uses(specification)]
        group = ""
        for entry in Description(await self._values(version)).outline() if specification.last_version else ():
            lines += ["", entry.group or "Without a tag"] if entry.group != group else []
            group = entry.group
            deprecated = " (deprecated)" if entry.deprecated else ""
            lines.append(f"  {entry.method.upper():<7}{entry.path}  {entry.summary}{deprecated}".rstrip())
        for line in lines:
            print(printable(line).replace("\n", " "))

    async def _uses(self, specification: Specification) -> list[str]:
        """Return the pages that use a specification, a line each."""
        found: Grown[SpecificationUse] | None = None
        unknown = ""
        try:
            while found is None or not found.complete:
                found = await load_uses(self._call, self._organization.id, specification, found)
            unknown = f"{found.remark}." if found.remark else ""
        except Unsupported:
            return ["This server does not list links, so the pages that use the specification are not known."]
        except ClientError as error:
            unknown = f"{error.what} {error.why}"
        used = [f"Used on “{use.title}” in “{use.where}”: {use.how}" for use in (found.items if found else ())]
        return [*used, f"Not all pages that use it are known. {unknown}"] if unknown else used

    async def list_versions(self) -> None:
        """Print the versions, the newest first."""
        found = await self._versions()
        if not found:
            tell("There are no versions: the source has not been processed.")
            return
        # In a workspace that no server answers for, addresses lead nowhere.
        has_addresses = any(for_browser(each.url) for each in found)
        rows = [("ID", "CREATED", "ADDRESS")]
        rows += [(each.id, times.exact(each.created_at) if each.created_at else "", each.url) for each in found]
        output.print_table(rows if has_addresses else [row[:2] for row in rows])

    async def diff(self) -> None:
        """Print what changed between two versions."""
        if len(self._arguments.versions) > 2:
            raise CommandError("diff compares two versions.", USAGE)
        before, after = self._arguments.versions if len(self._arguments.versions) == 2 else await self._newest_two()
        values = await self._values(before), await self._values(after)
        for line in describe(await asyncio.to_thread(compare, *values)):
            print(printable(line))

    async def _newest_two(self) -> tuple[str, str]:
        """Return the ids of the named or newest version, and of the version before it."""
        slug, ids = self._arguments.slug, [each.id for each in await self._versions()]
        wanted = next(iter(self._arguments.versions), ids[0] if ids else "")
        if wanted not in ids:
            raise CommandError(f"“{slug}” has no version {wanted}." if wanted else f"“{slug}” has no versions yet.")
        older = ids[ids.index(wanted) + 1 :]
        if not older:
            raise CommandError(f"{wanted} is the first version of “{slug}”: there is none to compare it with.")
        return older[0], wanted

    async def publish(self) -> None:
        """Make a specification public, or private again."""
        body = UpdateSpecification(visibility="private" if self._arguments.private else "public")
        change = Specifications.update_specification
        changed = await self._find(self._call(change, self._organization.id, self._arguments.slug, body))
        address = changed.urls.published
        where = f": {for_browser(address)}" if for_browser(address) else "."
        served = " It has an address while `recto serve` serves the workspace." if address and where == "." else ""
        print(printable(f"“{changed.slug}” is {changed.visibility}{where}{served}"))

    async def delete(self) -> None:
        """Delete a specification with its versions; a specification that does not exist is an error."""
        specification = await self._get()
        await self._call(Specifications.delete_specification, self._organization.id, specification.slug)
        print(f"Deleted “{specification.slug}”.")

    async def _specifications(self) -> AsyncIterator[Specification]:
        async for page in pages(self._call, Specifications.list_specifications, self._organization.id):
            for each in page.items:
                yield each

    async def _find(self, response: Awaitable[T]) -> T:
        """Wait for a response about the specification. Raises ``CommandError`` where there is none of that slug."""
        try:
            return await response
        except NotFound as error:
            slug = self._arguments.slug
            raise CommandError(
                f"There is no specification “{slug}” in “{self._organization.title}”. `recto spec list` lists them. "
                f"{OTHER_ORGANIZATION}"
            ) from error

    async def _get(self) -> Specification:
        return await self._find(
            self._call(Specifications.get_specification, self._organization.id, self._arguments.slug)
        )

    async def _versions(self) -> list[SpecificationVersion]:
        return await self._find(self._load_versions())

    async def _load_versions(self) -> list[SpecificationVersion]:
        listing = pages(self._call, Specifications.list_versions, self._organization.id, self._arguments.slug)
        return [each async for page in listing for each in page.items]

    async def _values(self, version: str) -> Mapping[str, Any]:
        call, slug = self._call, self._arguments.slug
        try:
            values = values_in(await call(Specifications.get_content, self._organization.id, slug, version))
        except NotFound as error:
            await self._get()  # the specification may be missing, not its version
            raise CommandError(
                f"“{slug}” has no version {version}. `recto spec versions {slug}` lists them."
            ) from error
        if values is None:
            raise CommandError(f"The form of version {version} is not known.")
        return values


_STEPS: Final[Mapping[str, Callable[[_Step], Awaitable[None]]]] = {
    "list": _Step.list_specifications,
    "add": _Step.add,
    "update": _Step.update,
    "show": _Step.show,
    "versions": _Step.list_versions,
    "diff": _Step.diff,
    "publish": _Step.publish,
    "delete": _Step.delete,
}


def _state(specification: Specification) -> str:
    code = specification.last_process_error_code
    return FAILURES.get(code, f"failed: {code}") if code else str(specification.processing_state)


def _reasons(specification: Specification) -> list[str]:
    return [error.message for error in specification.last_processed_errors]
