"""Which scenario proves which operation."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

from end_to_end.scenarios.world import Talk, World
from recto.contract.addresses import Address, InChangeRequest, Main
from recto.contract.comments import Comments
from recto.contract.operation import Operation, Route

Scenario = Callable[[World], Awaitable[None]]

SCENARIOS: dict[Route, Scenario] = {}
"""The one scenario of each path: it does the operation and reads the effect back by another one."""


def proves(operation: Operation[Any, Any], address: type[Address] | None = None) -> Callable[[Scenario], Scenario]:
    """Name the operation that the decorated scenario proves, and the address where it has several."""
    route = operation.at(address) if address is not None else operation.routes[0]

    def register(scenario: Scenario) -> Scenario:
        if route in SCENARIOS:
            raise ValueError(f"{route!r} has a scenario already")
        SCENARIOS[route] = scenario
        return scenario

    return register


TalkScenario = Callable[[World, Talk], Awaitable[None]]


def proves_talk(name: str) -> Callable[[TalkScenario], TalkScenario]:
    """Name the operation of comments that the decorated scenario proves, on spaces and on change requests alike."""

    def register(scenario: TalkScenario) -> TalkScenario:
        async def on_a_space(world: World) -> None:
            await scenario(world, Talk(world.call, Main(world.manual)))

        async def on_a_change_request(world: World) -> None:
            request = await world.propose()
            await scenario(world, Talk(world.call, InChangeRequest(world.manual, request.id)))

        proves(getattr(Comments, name), Main)(on_a_space)
        proves(getattr(Comments, name), InChangeRequest)(on_a_change_request)
        return scenario

    return register
