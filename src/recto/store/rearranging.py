"""Applies staged moves of a site, or of collections and spaces, to the platform, step by step, and undoes them."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, ClassVar, Protocol

from recto.client.errors import BadRequest, ClientError, NotFound, Unsupported
from recto.contract.structure import (
    AddSection,
    ItemPointer,
    MoveItem,
    MovePointer,
    MovePosition,
    SectionGroups,
    Sections,
    SiteSpaces,
    SortPosition,
    SortStructure,
    Structure,
    UpdateGroup,
    UpdateSection,
)
from recto.frozen import frozen
from recto.store.arrangement import Arrangement, Item, Kind
from recto.store.move_plan import PutBeside, PutInto, Step, plan
from recto.store.moves import Refusal
from recto.store.mutation import Cancelled, Mutation, Run
from recto.store.progress import Progress, StepReporter
from recto.store.query_keys import Chooser, about
from recto.store.staging import stage

if TYPE_CHECKING:
    from recto.client.call import Call
    from recto.store.store import Store

ROUNDS = 3
"""How often the result of the steps is compared with what was wanted, and corrected."""


class StepControl(StepReporter):
    """The progress of a running change for the screen, and the screen's request to stop it."""

    def __init__(self) -> None:
        super().__init__()
        self.halted = False
        self.steps: tuple[Step, ...] = ()
        """The steps under way, in order."""
        self.came_of_it: Rearranged | None = None
        """What was reached, also where not all of it was."""

    def stop_steps(self) -> None:
        """Stop after the current step."""
        self.halted = True


class Arranged(Protocol):
    """An ordered set of items on the platform, rearranged by a call for each step."""

    @property
    def name(self) -> str:
        """Its name in sentences: ``the site``."""
        ...

    @property
    def lane(self) -> tuple[str, str]:
        """The lane in which its changes run in turn."""
        ...

    @property
    def stale(self) -> tuple[Chooser, ...]:
        """The queries that moves make stale."""
        ...

    async def read(self, call: Call) -> Arrangement:
        """Ask how it is arranged now."""
        ...

    async def make(self, call: Call, step: Step) -> None:
        """Make a step."""
        ...


@frozen
class SiteAddress:
    """A site by its address in the API."""

    organization: str
    id: str

    name: ClassVar = "the site"

    @property
    def lane(self) -> tuple[str, str]:
        """The lane in which its changes run in turn."""
        return ("site", self.id)

    @property
    def stale(self) -> tuple[Chooser, ...]:
        """The queries that moves make stale."""
        return (about(site_id=self.id),)

    async def read(self, call: Call) -> Arrangement:
        """Ask how the site is arranged now."""
        return Arrangement.of(await call(Structure.get_structure, self.organization, self.id))

    async def make(self, call: Call, step: Step) -> None:
        """Make a step."""
        if isinstance(step, PutBeside):
            await _put_beside(call, self, step)
        elif isinstance(step, PutInto) and step.item.kind is Kind.GROUP:
            await _put_group_into(call, self, step)
        elif isinstance(step, PutInto):
            await _put_section_into(call, self, step)


@frozen
class Rearranged:
    """The arrangement before and after."""

    before: Arrangement
    after: Arrangement


class Stopped(ClientError):
    """The steps were not all done: ``done`` were, ``left`` were not, and ``after`` says how it is now."""

    def __init__(
        self,
        error: ClientError,
        before: Arrangement,
        after: Arrangement,
        done: tuple[Step, ...],
        left: tuple[Step, ...],
    ) -> None:
        super().__init__(error.what, error.why, error.next_step, may_have_arrived=error.may_have_arrived)
        self.error = error
        self.before = before
        self.after = after
        self.done = done
        self.left = left


def rearrangement(
    arranged: Arranged,
    base: Arrangement,
    wanted: Arrangement,
    *,
    doing: str,
    done: str,
    moving: Collection[str] = (),
    step_control: StepControl | None = None,
) -> Mutation[Rearranged]:
    """Return the change that brings something from an arrangement to another; ``moving`` is as for ``plan``.

    Where it differs from ``base`` by now, the same steps are made on the current arrangement, if they all fit. The call
    raises :class:`Stopped` where a step fails, and then nothing more is done. Undoing it is the same in reverse.
    """
    steps = plan(base, wanted, moving)
    step_control = step_control or StepControl()

    async def work(call: Call) -> Rearranged:
        step_control.halted = False
        before = await arranged.read(call)
        if before.why_fixed is not None:
            raise ClientError("The moves were not made.", before.why_fixed, "Refresh, or move it in the web app.")
        goal = wanted
        if not before.same_order(base):
            again = stage(before, steps)
            if isinstance(again, Refusal):
                raise ClientError(
                    "The moves were not made.",
                    f"{arranged.name.capitalize()} has changed meanwhile, and they no longer fit. {again.reason}",
                    f"Look at {arranged.name} again.",
                )
            goal = again.arrangement
        return await _carry_out(call, arranged, before, goal, frozenset(moving), step_control)

    return Mutation(
        doing=doing,
        done=done,
        call=work,
        stale=arranged.stale,
        inverse=lambda response: reverse_moves(arranged, response.before, response.after),
        progress=step_control,
        lane=arranged.lane,
    )


def rearrange(store: Store, mutation: Mutation[Rearranged]) -> Run[Rearranged]:
    """Start the change. If it stops half-way, the steps made so far can still be undone."""
    run = store.run(mutation)

    def remember_stop(_: object) -> None:
        if isinstance(run.error, Stopped):
            store.history.record(mutation, Rearranged(run.error.before, run.error.after))

    run.task.add_done_callback(remember_stop)
    return run


def reverse_moves(arranged: Arranged, before: Arrangement, after: Arrangement) -> Mutation[Rearranged] | None:
    """Return the change that undoes the moves; ``None`` if there were none."""
    if not after.same_items(before) or after.same_order(before):
        return None
    moves = f"the moves in {arranged.name}"
    return rearrangement(arranged, after, before, doing=f"Reverting {moves}", done=f"Reverted {moves}")


class _OnlyBesideSections(Exception):
    """The server does not sort, and its older move puts a section beside sections only: plan again for that."""


async def _carry_out(
    call: Call,
    arranged: Arranged,
    before: Arrangement,
    goal: Arrangement,
    moving: Collection[str],
    step_control: StepControl,
) -> Rearranged:
    """Make the steps and compare; a service may not put an item last in a group, which is then corrected."""
    now = before
    steps: tuple[Step, ...] = ()
    sections_first = False
    for _ in range(ROUNDS):
        steps = plan(now, goal, moving, sections_first=sections_first)
        if not steps:
            break
        step_control.steps = steps
        for count, step in enumerate(steps):
            step_control.report(Progress(step.sentence, count, len(steps)))
            try:
                if step_control.halted:
                    raise Cancelled("The moves were stopped.", "You stopped them.", "")
                await arranged.make(call, step)
            except _OnlyBesideSections:
                sections_first = True
                break
            except ClientError as error:
                stopped = await _describe_stop(call, arranged, error, before, goal, steps, count)
                step_control.came_of_it = Rearranged(before, stopped.after)
                raise stopped from error
        else:
            step_control.report(Progress(steps[-1].sentence, len(steps), len(steps)))
        try:
            now = await arranged.read(call)
        except ClientError:
            # The server has confirmed each step, even if the result cannot be read now.
            now = goal
        if not now.same_items(goal):
            break
    step_control.came_of_it = Rearranged(before, now)
    if not now.same_order(goal):
        elsewhere = ClientError("Not all is in its place.", "The server put it elsewhere.", f"Look at {arranged.name}.")
        raise Stopped(elsewhere, before, now, steps, plan(now, goal, moving) if now.same_items(goal) else ())
    return step_control.came_of_it


async def _describe_stop(
    call: Call,
    arranged: Arranged,
    error: ClientError,
    before: Arrangement,
    goal: Arrangement,
    steps: tuple[Step, ...],
    count: int,
) -> Stopped:
    """Report what was done and what was not, by the current arrangement, where it can be requested."""
    try:
        now = await arranged.read(call)
        left = plan(now, goal) if now.same_items(goal) else steps[count:]
    except ClientError:
        reached = stage(before, steps[:count])
        now = before if isinstance(reached, Refusal) else reached.arrangement
        left = steps[count:]
    # A step whose response was lost may have been done all the same.
    arrived = error.may_have_arrived and steps[count] not in left
    return Stopped(error, before, now, steps[: count + arrived], left)


async def _put_beside(call: Call, site: SiteAddress, step: PutBeside) -> None:
    """Sort; a server that cannot is asked for the older move of each kind of item."""
    position = SortPosition(**{step.where.value: _pointer(step.anchor)})
    try:
        body = SortStructure(item=_pointer(step.item), position=position)
        await call(Structure.sort_structure, site.organization, site.id, body)
    except (Unsupported, NotFound) as error:
        if step.item.kind is Kind.LINK:
            raise
        try:
            await _move_beside(call, site, step)
        except (Unsupported, NotFound):
            raise error from None


async def _move_beside(call: Call, site: SiteAddress, step: PutBeside) -> None:
    if step.item.kind is Kind.SECTION and step.anchor.kind is not Kind.SECTION:
        raise _OnlyBesideSections
    body = MoveItem(position=MovePosition(**{step.where.value: _older_pointer(step.anchor, step.item)}))
    if step.item.kind is Kind.SITE_SPACE:
        await call(SiteSpaces.move_site_space, site.organization, site.id, step.item.id, body)
    elif step.item.kind is Kind.SECTION:
        await call(Sections.move_section, site.organization, site.id, step.item.id, body)
    else:
        await call(SectionGroups.move_group, site.organization, site.id, step.item.id, body)


async def _put_section_into(call: Call, site: SiteAddress, step: PutInto) -> None:
    """Change the section's group; a server that does not know how is asked to change the groups' members instead."""
    into = step.into.id if step.into else None
    refused: ClientError | None = None
    try:
        body = UpdateSection(site_section_group_id=into)
        response = await call(Sections.update_section, site.organization, site.id, step.item.id, body)
        if await _is_there(call, site, step, response.section_group):
            return
    except (BadRequest, Unsupported) as error:
        refused = error
    try:
        await _change_members(call, site, step)
    except (Unsupported, NotFound) as error:
        raise refused or error from None


async def _change_members(call: Call, site: SiteAddress, step: PutInto) -> None:
    # First in, then out: a section in both for a moment is better than a section lost from both.
    if step.into is not None:
        body = AddSection(section_id=step.item.id)
        await call(SectionGroups.add_section, site.organization, site.id, step.into.id, body)
    if step.before is not None:
        await call(SectionGroups.remove_section, site.organization, site.id, step.before.id, step.item.id)


async def _put_group_into(call: Call, site: SiteAddress, step: PutInto) -> None:
    body = UpdateGroup(parent_section_group_id=step.into.id if step.into else None)
    response = await call(SectionGroups.update_group, site.organization, site.id, step.item.id, body)
    if not await _is_there(call, site, step, response.section_group):
        raise ClientError(
            f"The group “{step.item.name}” was not moved.",
            "This server cannot put a group into another or take it out.",
            "Take the moves back, or make a new group where it is to be.",
        )


async def _is_there(call: Call, site: SiteAddress, step: PutInto, reported: str | None) -> bool:
    """Whether the server has put an item into its place: older servers accept the change and do nothing."""
    into = step.into.id if step.into else None
    return reported == into or (await site.read(call)).parents.get(step.item.id) == into


def _pointer(item: Item) -> ItemPointer:
    match item.kind:
        case Kind.GROUP:
            return ItemPointer(type="site-section-group", id=item.id)
        case Kind.SECTION:
            return ItemPointer(type="site-section", id=item.id)
        case Kind.SITE_SPACE:
            return ItemPointer(type="site-space", id=item.id)
        case Kind.LINK:
            return ItemPointer(type="site-external-link", id=item.id)
        case _:
            raise ClientError(
                "The item was not moved.",
                f"It would be next to “{item.name}”, whose kind is unknown to this version.",
                "Move it next to another item.",
            )


def _older_pointer(anchor: Item, item: Item) -> MovePointer:
    """Name an item as the older moves do: sections by ``siteSection`` for sections, by ``id`` for groups."""
    if anchor.kind is Kind.SITE_SPACE:
        return MovePointer(type="site-space", site_space=anchor.id)
    if anchor.kind is Kind.SECTION and item.kind is Kind.SECTION:
        return MovePointer(type="site-section", site_section=anchor.id)
    return MovePointer(type=_pointer(anchor).type, id=anchor.id)
