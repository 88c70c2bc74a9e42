"""All that the API offers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from recto.contract.adaptive import AdaptiveContents
from recto.contract.agent_instructions import AgentInstructions
from recto.contract.change_requests import ChangeRequests
from recto.contract.changes import ContentChanges
from recto.contract.collections import Collections
from recto.contract.comments import Comments
from recto.contract.content import Content
from recto.contract.git import Git
from recto.contract.imports import Imports
from recto.contract.invites import Invites
from recto.contract.links import Links
from recto.contract.members import Members
from recto.contract.operation import Operation, Resource, Route
from recto.contract.organizations import Organizations
from recto.contract.pdf import Pdfs
from recto.contract.publishing import Publishing
from recto.contract.redirects import Redirects
from recto.contract.reviews import Reviews
from recto.contract.search import Search
from recto.contract.share_links import ShareLinks
from recto.contract.sign_on import SignOn
from recto.contract.sites import Sites
from recto.contract.spaces import Spaces
from recto.contract.specifications import Specifications
from recto.contract.structure import SectionGroups, Sections, SiteSpaces, Structure
from recto.contract.teams import Teams
from recto.contract.templates import Templates
from recto.contract.translations import Translations
from recto.contract.users import Users

RESOURCES: tuple[type[Resource], ...] = (
    Users,
    Organizations,
    AgentInstructions,
    Invites,
    Members,
    Teams,
    SignOn,
    Specifications,
    Translations,
    Collections,
    Spaces,
    Content,
    Templates,
    Git,
    Imports,
    ChangeRequests,
    ContentChanges,
    Pdfs,
    Search,
    Links,
    Reviews,
    Comments,
    Sites,
    Publishing,
    AdaptiveContents,
    ShareLinks,
    Redirects,
    Structure,
    SiteSpaces,
    Sections,
    SectionGroups,
)
"""Every resource class of the contract."""


def operations() -> Iterator[Operation[..., Any]]:
    """Yield every operation of the contract, in the order of its declaration."""
    for resource in RESOURCES:
        for member in vars(resource).values():
            if isinstance(member, Operation):
                yield member


def routes() -> Iterator[Route]:
    """Yield every path of every operation of the contract, in the order of their declaration."""
    for operation in operations():
        yield from operation.routes
