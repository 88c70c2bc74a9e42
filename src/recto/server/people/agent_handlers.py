"""Answers about what organizations ask of agents."""

from __future__ import annotations

from datetime import datetime

from recto.contract.agent_instructions import AgentInstructions, Instructions, SetInstructions
from recto.contract.common import Urls
from recto.contract.rich_text import Document
from recto.server.context import Context
from recto.server.http.registry import handles
from recto.server.people import organizations as store
from recto.server.people.access import require_organization


@handles(AgentInstructions.get_instructions)
def get_instructions(context: Context, organization_id: str) -> Instructions:
    """Return what an organization asks of agents; takes the role read."""
    require_organization(context, organization_id, "read")
    return _answer(context, organization_id)


@handles(AgentInstructions.set_instructions)
def set_instructions(context: Context, organization_id: str, body: SetInstructions) -> Instructions:
    """Write what an organization asks of agents; takes the role admin."""
    require_organization(context, organization_id, "admin")
    store.set_instructions(context, organization_id, body.instructions)
    return _answer(context, organization_id)


def _answer(context: Context, organization: str) -> Instructions:
    urls = Urls(location=context.location(f"/orgs/{organization}/agent-instructions"))
    row = store.instructions_of(context, organization)
    if row is None:
        begun = store.beginning_of(context, organization)
        made = datetime.fromisoformat(begun.at)
        return Instructions(instructions=Document(), updated_at=made, updated_by=begun.by, urls=urls)
    return Instructions(
        instructions=Document.model_validate_json(row["instructions"]),
        updated_at=row["updated_at"],
        updated_by=row["updated_by"],
        urls=urls,
    )
