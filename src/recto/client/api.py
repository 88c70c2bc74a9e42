"""All resources of the contract over one transport."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from recto.contract.adaptive import AdaptiveContents
    from recto.contract.agent_instructions import AgentInstructions
    from recto.contract.change_requests import ChangeRequests
    from recto.contract.changes import ContentChanges
    from recto.contract.collections import Collections
    from recto.contract.comments import ChangeRequestComments, SpaceComments
    from recto.contract.content import ChangeRequestContent, Revisions, SpaceContent
    from recto.contract.invites import Invites
    from recto.contract.links import ChangeRequestLinks, SpaceLinks
    from recto.contract.members import Members
    from recto.contract.operation import Transport
    from recto.contract.organizations import Organizations
    from recto.contract.publishing import Publishing
    from recto.contract.redirects import Redirects
    from recto.contract.reviews import Reviews
    from recto.contract.search import Search
    from recto.contract.share_links import ShareLinks
    from recto.contract.sign_on import SignOn
    from recto.contract.sites import Sites
    from recto.contract.spaces import Spaces
    from recto.contract.structure import SectionGroups, Sections, SiteSpaces, Structure
    from recto.contract.teams import Teams
    from recto.contract.users import Users


class Api:
    """The platform as an object: one attribute for each resource, imported when it is first used."""

    def __init__(self, transport: Transport) -> None:
        self.transport = transport

    @cached_property
    def users(self) -> Users:
        """People."""
        from recto.contract.users import Users

        return Users(self.transport)

    @cached_property
    def organizations(self) -> Organizations:
        """Organizations."""
        from recto.contract.organizations import Organizations

        return Organizations(self.transport)

    @cached_property
    def agent_instructions(self) -> AgentInstructions:
        """What organizations ask of agents."""
        from recto.contract.agent_instructions import AgentInstructions

        return AgentInstructions(self.transport)

    @cached_property
    def invites(self) -> Invites:
        """The invites of organizations."""
        from recto.contract.invites import Invites

        return Invites(self.transport)

    @cached_property
    def members(self) -> Members:
        """The members of organizations."""
        from recto.contract.members import Members

        return Members(self.transport)

    @cached_property
    def teams(self) -> Teams:
        """The teams of organizations and who is in them."""
        from recto.contract.teams import Teams

        return Teams(self.transport)

    @cached_property
    def sign_on(self) -> SignOn:
        """How members of organizations sign in."""
        from recto.contract.sign_on import SignOn

        return SignOn(self.transport)

    @cached_property
    def collections(self) -> Collections:
        """Collections."""
        from recto.contract.collections import Collections

        return Collections(self.transport)

    @cached_property
    def spaces(self) -> Spaces:
        """Spaces."""
        from recto.contract.spaces import Spaces

        return Spaces(self.transport)

    @cached_property
    def space_content(self) -> SpaceContent:
        """The main content of spaces."""
        from recto.contract.content import SpaceContent

        return SpaceContent(self.transport)

    @cached_property
    def revisions(self) -> Revisions:
        """Past revisions of spaces."""
        from recto.contract.content import Revisions

        return Revisions(self.transport)

    @cached_property
    def space_comments(self) -> SpaceComments:
        """Comments on spaces."""
        from recto.contract.comments import SpaceComments

        return SpaceComments(self.transport)

    @cached_property
    def change_requests(self) -> ChangeRequests:
        """Change requests."""
        from recto.contract.change_requests import ChangeRequests

        return ChangeRequests(self.transport)

    @cached_property
    def change_request_content(self) -> ChangeRequestContent:
        """The content of change requests."""
        from recto.contract.content import ChangeRequestContent

        return ChangeRequestContent(self.transport)

    @cached_property
    def content_changes(self) -> ContentChanges:
        """Writing to change requests, and what they change."""
        from recto.contract.changes import ContentChanges

        return ContentChanges(self.transport)

    @cached_property
    def search(self) -> Search:
        """Search in organizations."""
        from recto.contract.search import Search

        return Search(self.transport)

    @cached_property
    def space_links(self) -> SpaceLinks:
        """The links of the main content of spaces."""
        from recto.contract.links import SpaceLinks

        return SpaceLinks(self.transport)

    @cached_property
    def change_request_links(self) -> ChangeRequestLinks:
        """The links of the content of change requests."""
        from recto.contract.links import ChangeRequestLinks

        return ChangeRequestLinks(self.transport)

    @cached_property
    def change_request_comments(self) -> ChangeRequestComments:
        """Comments on change requests."""
        from recto.contract.comments import ChangeRequestComments

        return ChangeRequestComments(self.transport)

    @cached_property
    def reviews(self) -> Reviews:
        """Reviews of change requests and requests for them."""
        from recto.contract.reviews import Reviews

        return Reviews(self.transport)

    @cached_property
    def sites(self) -> Sites:
        """Sites."""
        from recto.contract.sites import Sites

        return Sites(self.transport)

    @cached_property
    def publishing(self) -> Publishing:
        """Sites as their readers get them."""
        from recto.contract.publishing import Publishing

        return Publishing(self.transport)

    @cached_property
    def adaptive_contents(self) -> AdaptiveContents:
        """What sites know of their visitors."""
        from recto.contract.adaptive import AdaptiveContents

        return AdaptiveContents(self.transport)

    @cached_property
    def share_links(self) -> ShareLinks:
        """The share links of sites."""
        from recto.contract.share_links import ShareLinks

        return ShareLinks(self.transport)

    @cached_property
    def redirects(self) -> Redirects:
        """The redirects of sites."""
        from recto.contract.redirects import Redirects

        return Redirects(self.transport)

    @cached_property
    def structure(self) -> Structure:
        """The structure of sites and its order."""
        from recto.contract.structure import Structure

        return Structure(self.transport)

    @cached_property
    def site_spaces(self) -> SiteSpaces:
        """The spaces of sites."""
        from recto.contract.structure import SiteSpaces

        return SiteSpaces(self.transport)

    @cached_property
    def sections(self) -> Sections:
        """The sections of sites."""
        from recto.contract.structure import Sections

        return Sections(self.transport)

    @cached_property
    def section_groups(self) -> SectionGroups:
        """The section groups of sites."""
        from recto.contract.structure import SectionGroups

        return SectionGroups(self.transport)
