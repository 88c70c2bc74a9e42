"""Agent instructions: what an organization asks of agents that write for it."""

from recto.contract.common import Urls
from recto.contract.model import Body, Instant, Model
from recto.contract.operation import Resource, get, put
from recto.contract.rich_text import Document


class Instructions(Model):
    """The instructions of an organization for agents; ``updated_by`` is the id of a person."""

    object: str = "agent-instructions"
    instructions: Document = Document.model_construct()
    updated_at: Instant | None = None
    updated_by: str | None = None
    urls: Urls = Urls.model_construct()


class SetInstructions(Body):
    """The new instructions of an organization for agents, in place of all former ones."""

    instructions: Document


class AgentInstructions(Resource):
    """The instructions of organizations for agents."""

    @get("/orgs/{organization_id}/agent-instructions")
    async def get_instructions(self, organization_id: str) -> Instructions:
        """The instructions of an organization for agents; empty until they are written."""
        ...

    @put("/orgs/{organization_id}/agent-instructions")
    async def set_instructions(self, organization_id: str, body: SetInstructions) -> Instructions:
        """Write the instructions of an organization for agents."""
        ...
