"""Which scenario proves which operation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from end_to_end.scenarios.world import Talk, World
from recto.contract.comments import ChangeRequestComments, SpaceComments
from recto.contract.operation import Operation

Scenario = Callable[[World], Awaitable[None]]

SCENARIOS: dict[Operation[Any, Any], Scenario] = {}
"""The one scenario of each operation: it does the operation and reads the effect back by another one."""


def proves(operation: Operation[Any, Any]) -> Callable[[Scenario], Scenario]:
    """Name the operation that the decorated scenario proves."""

    def register(scenario: Scenario) -> Scenario:
        if operation in SCENARIOS:
            raise ValueError(f"{operation!r} has a scenario already")
        SCENARIOS[operation] = scenario
        return scenario

    return register


TalkScenario = Callable[[World, Talk], Awaitable[None]]


def proves_talk(name: str) -> Callable[[TalkScenario], TalkScenario]:
    """Name the operation of comments that the decorated scenario proves, on spaces and on change requests alike."""

    def register(scenario: TalkScenario) -> TalkScenario:
        async def on_a_space(world: World) -> None:
            await scenario(world, Talk(world.call, SpaceComments, world.manual))

        async def on_a_change_request(world: World) -> None:
            request = await world.propose()
            await scenario(world, Talk(world.call, ChangeRequestComments, world.manual, request.id))

        proves(getattr(SpaceComments, name))(on_a_space)
        proves(getattr(ChangeRequestComments, name))(on_a_change_request)
        return scenario

    return register
