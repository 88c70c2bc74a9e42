"""OpenAPI specifications: changes of them as mutations, and what a version holds."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from recto.client.errors import ClientError
from recto.contract.specifications import (
    CreateSpecification,
    ReplaceSpecification,
    Specification,
    Specifications,
    SpecificationSource,
    UpdateSpecification,
    VersionContent,
    Visibility,
)
from recto.document.openapi.bundling import bundle
from recto.document.openapi.source import MOST_BYTES, Pause, Unreadable
from recto.store.mutation import Mutation, changes_items, new_in_list
from recto.store.query_keys import calls

if TYPE_CHECKING:
    from recto.store.query_keys import Chooser

FAILURES = {"FETCH_TIMEOUT": "did not answer", "FETCH_ERROR": "not fetched", "PARSE_ERROR": "not valid"}
"""The words for error codes in lists."""


class UnreadableFile(ClientError):
    """A file cannot be sent as a specification."""

    default_next_step = "Choose another file, or correct it."


def is_address(source: str) -> bool:
    """Return whether a source is a web address that a service takes; anything else is a file."""
    try:
        SpecificationSource(url=source)
    except ValidationError:
        return False
    return True


async def load_source(typed: str) -> SpecificationSource:
    """Return an address as the source, or a file of this machine with the files beside it that it refers to.

    Raises :class:`UnreadableFile`. A file is read on a thread, which ends soon after this is cancelled.
    """
    is_cancelled = threading.Event()

    def pause() -> None:
        if is_cancelled.is_set():
            raise _ReadingCancelled

    try:
        return await asyncio.to_thread(_read_source, typed.strip(), pause)
    except asyncio.CancelledError:
        is_cancelled.set()
        raise


class _ReadingCancelled(Exception):
    """The reading of a file was cancelled."""


def _read_source(typed: str, pause: Pause) -> SpecificationSource:
    if is_address(typed):
        return SpecificationSource(url=typed)
    what = f"{typed} could not be read."
    try:
        path = Path(typed).expanduser().resolve()
        folder = path.parent

        def read(name: str) -> bytes:
            found = (folder / name).resolve()
            if not found.is_relative_to(folder):
                raise Unreadable(f"{name} leads out of the folder.")
            if not found.is_file():
                raise Unreadable(f"There is no file {name} in its folder.")
            with found.open("rb") as file:
                return file.read(MOST_BYTES + 1)

        return SpecificationSource(text=bundle(path.name, read, pause))
    except OSError as error:
        raise UnreadableFile(what, f"{error.strerror or 'It cannot be opened'}: {error.filename}.") from error
    except (Unreadable, ValueError, RuntimeError) as error:  # a home of no user is a RuntimeError
        why = str(error) if isinstance(error, Unreadable) else "It is not a description that can be sent."
        raise UnreadableFile(what, why) from error


def values_in(content: VersionContent) -> Mapping[str, Any] | None:
    """Return the specification in the content of a version; ``None`` where it holds none that is understood.

    Some services send its files as a list of objects, each with a ``specification``.
    """
    files = content.filesystem
    found = list(files.values()) if isinstance(files, dict) else files if isinstance(files, list) else []
    for each in found:
        values = each.get("specification", each) if isinstance(each, dict) else None
        if isinstance(values, dict) and ("openapi" in values or "swagger" in values):
            return values
    return None


def create_specification(organization: str, body: CreateSpecification) -> Mutation[Specification]:
    """Add a specification; undoing deletes it."""
    return Mutation(
        doing=f"Adding the specification “{body.slug}”",
        done=f"Added the specification “{body.slug}”",
        call=lambda call: call(Specifications.create_specification, organization, body),
        lookup=new_in_list(lambda one: one.slug == body.slug, Specifications.list_specifications, organization),
        stale=_stale(organization),
        inverse=lambda made: delete_specification(organization, made),
    )


def replace_specification(organization: str, slug: str, body: ReplaceSpecification) -> Mutation[Specification]:
    """Process the same or another source of a specification; twice does no harm."""
    return Mutation(
        doing=f"Updating the specification “{slug}”",
        done=f"Updated the specification “{slug}”",
        call=lambda call: call(Specifications.replace_specification, organization, slug, body),
        stale=_stale(organization),
        lane=("specification", organization, slug),
    )


def set_visibility(organization: str, specification: Specification, visibility: Visibility) -> Mutation[Specification]:
    """Make a specification public or private; undoing gives back what it was."""
    before: Visibility = "public" if specification.visibility == "public" else "private"
    slug = specification.slug

    def change(one: Specification) -> Specification:
        return one.model_copy(update={"visibility": visibility}) if one.slug == slug else one

    return Mutation(
        doing=f"Making the specification “{slug}” {visibility}",
        done=f"Made the specification “{slug}” {visibility}",
        call=lambda call: call(
            Specifications.update_specification, organization, slug, UpdateSpecification(visibility=visibility)
        ),
        effects=(changes_items(Specifications.list_specifications, change, organization_id=organization),),
        stale=_stale(organization),
        inverse=lambda after: set_visibility(organization, after, before),
        lane=("specification", organization, slug),
    )


def delete_specification(organization: str, specification: Specification) -> Mutation[None]:
    """Delete a specification with its versions."""
    return Mutation(
        doing=f"Deleting the specification “{specification.slug}”",
        done=f"Deleted the specification “{specification.slug}”",
        call=lambda call: call(Specifications.delete_specification, organization, specification.slug),
        stale=_stale(organization),
        lane=("specification", organization, specification.slug),
    )


def _stale(organization: str) -> tuple[Chooser, ...]:
    return (
        calls(Specifications.list_specifications, organization_id=organization),
        calls(Specifications.get_specification, organization_id=organization),
        calls(Specifications.list_versions, organization_id=organization),
        calls(Specifications.get_latest_version, organization_id=organization),
        calls(Specifications.get_latest_content, organization_id=organization),
    )
