"""The OpenAPI specifications of an organization, with the state of their sources."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING, Final

from recto.client.errors import ClientError
from recto.contract.model import Body
from recto.contract.specifications import (
    PROCESSING,
    CreateSpecification,
    ReplaceSpecification,
    Slug,
    Specification,
    Specifications,
    SpecificationSource,
)
from recto.document.text import count
from recto.store.drafts import DraftPlace
from recto.store.mutation import Cancelled, Outcome
from recto.store.roles import needs
from recto.store.specification_uses import uses_of
from recto.store.specifications import (
    FAILURES,
    create_specification,
    delete_specification,
    is_address,
    load_source,
    replace_specification,
    set_visibility,
)
from recto.tui.actions import Action, bindings, register
from recto.tui.dialogs.confirm import NO_UNDO, UNDO, Confirm, shorten
from recto.tui.forms.form import Field, Filling, Form
from recto.tui.forms.form_dialog import FormDialog
from recto.tui.lists.columns import Column
from recto.tui.look import times
from recto.tui.screens.list_pane import Listed, ListPane, Nothing
from recto.tui.screens.organizations.details import Detail
from recto.tui.screens.organizations.specification_versions import specification_detail

if TYPE_CHECKING:
    from collections.abc import Sequence

    from recto.contract.jobs import JobRecord
    from recto.contract.organizations import Organization
    from recto.store.store import Store
    from recto.tui.look.lines import Line

register(
    Action("specification.fetch", "Fetch the source again", ("R",), "Organizations", "fetch", writes=True),
    Action("specification.publish", "Make public, or private again", ("P",), "Organizations", "publish", writes=True),
)

_FORM_SAYS: Final = "OpenAPI 3.0 or 3.1, or Swagger 2.0. A file is sent with the files beside it that it refers to."


class _Source(Body):
    """A source as typed: an address or a path."""

    source: str


class _Added(Body):
    """A specification to be added, as typed."""

    slug: Slug
    source: str


def _source_fault(typed: str) -> str | None:
    if is_address(typed.strip()):
        return None
    # Unlike those of ``Path``, these take a name half typed and a home of no user as well.
    path = os.path.expanduser(typed.strip())  # noqa: PTH111
    is_there = os.path.isfile(path)  # noqa: PTH113
    return None if is_there else "This is neither a file nor a web address; such an address begins with https://."


def _source_field(before: str | None = None) -> Field:
    # An address from a platform must not name a file of this machine, which would be read and sent.
    default = before if before is not None and is_address(before) else None
    return Field(
        "source",
        required=True,
        placeholder="https://… or ~/openapi.yaml",
        default=default,
        check=_source_fault,
        keeps=_without_secrets,
    )


def _without_secrets(typed: str) -> str:
    """Return a source without what may be secret in the query of an address."""
    return typed.partition("?")[0]


NEW: Final = Form(
    "new-specification",
    _Added,
    Field("slug", required=True, placeholder="pet-store", says="Blocks on pages name the specification by it."),
    _source_field(),
    sends="Add the specification",
)


class SpecificationsPane(ListPane[Specification]):
    """The OpenAPI specifications of an organization."""

    BINDINGS = bindings("item.new", "item.change", "specification.fetch", "specification.publish", "item.delete")

    def __init__(self, store: Store) -> None:
        listed = Listed[Specification](
            title="OpenAPI specifications",
            what="the specifications",
            one="specification",
            columns=(
                Column("Slug", lambda one: one.slug, width=20, least=10, grows=True),
                Column("State", _state, width=16, least=14),
                Column("Visible", lambda one: str(one.visibility), width=8, rank=1),
                Column("Source", lambda one: one.source_url or "sent as text", width=36, least=12, rank=2),
                Column(
                    "Processed",
                    lambda one: times.ago(one.last_processed_at, store.clock()) if one.last_processed_at else "",
                    width=12,
                    rank=3,
                ),
            ),
            name=lambda one: one.slug,
            empty=Nothing("No specifications yet.", "a", "adds one"),
        )
        super().__init__(store, listed, id="specifications", quiet=True)
        self._organization: Organization | None = None
        self._reading: asyncio.Task[SpecificationSource] | None = None

    def on_mount(self) -> None:
        """Follow the jobs, which change the states."""
        self.listen(self.store.jobs.changed, self._follow_job)

    def _follow_job(self, job: JobRecord) -> None:
        if job.kind == PROCESSING:
            self.reload()

    def show_organization(self, organization: Organization) -> None:
        """List the specifications of an organization."""
        is_same = self._organization is not None and self._organization.id == organization.id
        self._organization = organization
        if not is_same:
            self.list_from(Specifications.list_specifications, organization.id)

    # Actions

    def why_not(self, action: str) -> str | None:
        """Return the reason why something cannot be done with the specifications."""
        organization = self._organization
        if organization is None:
            return "no organization"
        changing = ("item.change", "specification.fetch", "specification.publish", "item.delete")
        if action in ("item.new", *changing) and (reason := needs(organization.permissions, "create")):
            return reason
        if reason := self.why_none_chosen(action, *changing):
            return reason
        if action == "specification.fetch":
            sources = [one.source_url for one in self.chosen]
            if not all(sources):
                return "it was sent as text"
            if not all(source and is_address(source) for source in sources):
                return "its source is not a web address"
        return super().why_not(action)

    def on_list_pane_opened(self, event: ListPane.Opened) -> None:
        """Show the versions of a specification."""
        event.stop()
        if self._organization is not None:
            self.post_message(Detail.Wanted(specification_detail(self.store, self._organization, event.item)))

    def action_item_new(self) -> None:
        """Add a specification."""
        if self._organization is not None:
            self.work(self._add(self._organization.id), "new specification", unless_running="new specification")

    async def _add(self, organization: str) -> None:
        async def submit(body: _Added) -> Outcome[Specification]:
            try:
                source = await self._read(body.source)
            except ClientError as error:
                return Outcome(None, error)
            return await self.send(
                create_specification(organization, CreateSpecification(slug=body.slug, source=source))
            )

        filling = Filling(NEW, submit, place=DraftPlace(organization=organization))
        made = await self.ask(
            FormDialog(self.store, "New specification", filling, says=_FORM_SAYS, interrupt=self._cancel_reading)
        )
        if made is not None:
            self.say(f"Added the specification “{made.slug}”; the list shows how far it is.")

    def action_item_change(self) -> None:
        """Change the source of the specification under the cursor."""
        if self._organization is not None and self.current is not None:
            self.work(self._replace(self._organization.id, self.current), "source", unless_running="source")

    async def _replace(self, organization: str, specification: Specification) -> None:
        async def submit(body: _Source) -> Outcome[Specification]:
            try:
                source = await self._read(body.source)
            except ClientError as error:
                return Outcome(None, error)
            wanted = ReplaceSpecification(source=source)
            return await self.send(replace_specification(organization, specification.slug, wanted))

        form = Form("specification-source", _Source, _source_field(specification.source_url), sends="Update the source")
        filling = Filling(form, submit, place=DraftPlace(organization=organization, block=specification.id))
        title = f"Source of {specification.slug}"
        dialog = FormDialog(self.store, title, filling, says=_FORM_SAYS, interrupt=self._cancel_reading)
        if await self.ask(dialog) is not None:
            self.say(f"Updating “{specification.slug}”; the list shows how far it is.")

    async def _read(self, typed: str) -> SpecificationSource:
        """Return a source; raises :class:`UnreadableFile`, and :class:`Cancelled` where the person cancels it."""
        self._reading = asyncio.create_task(load_source(typed))
        try:
            return await self._reading
        except asyncio.CancelledError:
            if (task := asyncio.current_task()) is not None and task.cancelling():
                raise
            raise Cancelled(f"{typed} was not read.", "You cancelled it.", "") from None

    def _cancel_reading(self) -> bool:
        """Cancel the reading of a file; returns whether a file was being read."""
        return self._reading is not None and self._reading.cancel()

    def action_specification_fetch(self) -> None:
        """Fetch the sources of the selected specifications again."""
        if self._organization is not None:
            self.work(self._fetch(self._organization.id, self.chosen), "fetch", unless_running="fetch")

    async def _fetch(self, organization: str, chosen: Sequence[Specification]) -> None:
        await self.change_each(
            chosen,
            lambda one: replace_specification(
                organization, one.slug, ReplaceSpecification(source=SpecificationSource(url=one.source_url or ""))
            ),
            doing="Fetching specifications",
            done="Asked to fetch",
        )

    def action_specification_publish(self) -> None:
        """Make the specification under the cursor public, after a question, or private."""
        if self._organization is not None and self.current is not None:
            self.work(self._publish(self._organization.id, self.current), "publish", unless_running="publish")

    async def _publish(self, organization: str, specification: Specification) -> None:
        becomes_public = specification.visibility != "public"
        question = Confirm(
            f"Make “{specification.slug}” public",
            "Anyone with the link can read its source, in all versions.",
            does="makes it public",
            undo=UNDO,
        )
        if not becomes_public or await self.ask(question):
            change = set_visibility(organization, specification, "public" if becomes_public else "private")
            await self.carry_out(change)

    def action_item_delete(self) -> None:
        """Delete the selected specifications, after a question."""
        if self._organization is not None:
            self.work(
                self._delete(self._organization.id, self.chosen), "delete specifications", unless_running="delete"
            )

    async def _delete(self, organization: str, chosen: Sequence[Specification]) -> None:
        points = [point for one in chosen for point in await self._describe_uses(organization, one)]
        question = Confirm(
            f"Delete {count(len(chosen), 'specification')}",
            "All versions are deleted. Blocks on pages that name them show nothing from then on.",
            points=shorten(points),
            does="deletes them",
            undo=NO_UNDO,
        )
        if await self.ask(question):
            await self.change_each(
                chosen,
                lambda one: delete_specification(organization, one),
                doing="Deleting specifications",
                done="Deleted",
            )

    async def _describe_uses(self, organization: str, specification: Specification) -> list[str]:
        """Return the specification and the pages that use it, as far as they are found at once."""
        listed = (await uses_of(self.store, organization, specification).wait()).value
        if listed is None:
            return [f"{specification.slug}, whose pages could not be looked up"]
        more = "" if listed.complete else " or more"
        used = f", used on {count(len(listed.items), 'page')}{more}" if listed.items else ""
        return [f"{specification.slug}{used}", *(f"“{use.title or 'Untitled'}” in {use.where}" for use in listed.items)]


def _state(specification: Specification) -> Line:
    if specification.last_process_error_code:
        code = specification.last_process_error_code
        return [(FAILURES.get(code, f"failed: {code}"), "error")]
    if specification.processing_state != "complete":
        return [(str(specification.processing_state), "accent")]
    notes = len(specification.last_processed_errors)
    return [("complete", "")] if not notes else [("complete, ", ""), (count(notes, "note"), "warning")]
