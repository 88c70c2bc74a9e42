"""The fields that responses of the embedded server always carry, beside those that their models require.

The models read generously: almost every field has a default, because no other service is sure to send it. The
description that the server publishes of itself says more, and this is where it has it from.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from recto.contract.adaptive import AdaptiveSchema, TemplateCondition, TemplateConditions
from recto.contract.agent_instructions import Instructions
from recto.contract.change_requests import ChangeRequest, Contributor
from recto.contract.changes import ChangedFile, ChangedPage, ChangedReusableContent, Changes
from recto.contract.collections import Collection, CollectionPermissions
from recto.contract.comments import (
    Comment,
    CommentPermissions,
    CommentReply,
    NodeTarget,
    PageTarget,
    Reaction,
    Reactor,
    TableCell,
)
from recto.contract.common import User
from recto.contract.content import (
    File,
    GitObject,
    Page,
    PageCover,
    PageLayout,
    PageTree,
    ReusableContent,
    Revision,
    RevisionGit,
)
from recto.contract.links import BrokenLinks, ContentLink, LinkList, LinkStats
from recto.contract.members import Member, MemberSpace
from recto.contract.model import Model
from recto.contract.organizations import Organization, OrganizationPermissions, OrganizationsOfDomain
from recto.contract.publishing import PublishedSite
from recto.contract.redirects import Redirect, RedirectDestination
from recto.contract.reviews import RequestedReviewer, RequestedReviewers, Review
from recto.contract.search import SearchHit, SearchSection, SpaceSearchHits
from recto.contract.share_links import ShareLink
from recto.contract.sign_on import SamlProvider, SsoLogin, SsoLogins
from recto.contract.sites import AdaptiveContent, Site, SiteAds, SiteFeature, SitePermissions, SiteProxy
from recto.contract.spaces import Space, SpacePermissions
from recto.contract.specifications import (
    Specification,
    SpecificationError,
    SpecificationPermissions,
    SpecificationVersion,
    VersionContent,
)
from recto.contract.structure import SiteSection, SiteSectionGroup, SiteSpace, SiteStructure
from recto.contract.teams import MemberTeam, Team, TeamMember, TeamMemberPermissions, TeamMembership, TeamPermissions
from recto.contract.translations import (
    Translation,
    TranslationPermissions,
    TranslationResult,
    TranslationSource,
    TranslationStats,
)

ALWAYS: Final[Mapping[type[Model], str]] = {
    AdaptiveContent: "enabled",
    AdaptiveSchema: "object jsonSchema updatedAt",
    BrokenLinks: "total",
    ChangeRequest: "object id number status subject createdBy createdAt updatedAt space revision revisionInitial"
    " comments outdated urls.app urls.location",
    ChangedFile: "id name contentType downloadURL",
    ChangedPage: "id type title",
    ChangedReusableContent: "id title",
    Changes: "changes",
    Collection: "object id title organization urls.app urls.location defaultLevel permissions",
    Comment: "object id replies repliers body postedBy postedAt reactions target.space target.revision urls.location"
    " permissions status",
    CommentReply: "object id body postedBy postedAt reactions urls.location permissions",
    ContentLink: "relation status locationReferences",
    Contributor: "updatedAt count user actionType",
    File: "id name contentType downloadURL size",
    GitObject: "oid path",
    Instructions: "object instructions updatedAt updatedBy urls.location",
    LinkList: "items stats",
    LinkStats: "total broken",
    Member: "object id role user disabled joinedAt sso spaces teams sites",
    MemberSpace: "permission space",
    MemberTeam: "team member",
    NodeTarget: "id",
    Organization: "object id plan title createdAt inviteLinks type emailDomains mergeRules urls.app urls.location"
    " trial.status trial.count permissions",
    OrganizationsOfDomain: "organizations",
    Page: "id title type kind slug path pages urls.app",
    PageCover: "yPos",
    PageLayout: "width cover coverSize coverMask title description tableOfContents outline pagination metadata tags"
    " actions anchors",
    PageTarget: "id",
    PageTree: "pages",
    PublishedSite: "object site structure customizations scripts",
    Reaction: "emoji count users",
    Reactor: "user reactedAt",
    Redirect: "object id source destination draft captureWildcard permanent createdAt",
    RedirectDestination: "kind",
    RequestedReviewer: "object kind revision requestedBy createdAt",
    RequestedReviewers: "users",
    ReusableContent: "id title",
    Review: "object id revision reviewer status outdated createdAt updatedAt urls.location",
    Revision: "object id type parents pages files reusableContents tags createdAt urls.app",
    RevisionGit: "oid message createdByService",
    SamlProvider: "object id label ssoURL entityID certificate defaultRole createdAt status service urls.location",
    SearchHit: "id title description path score rank ancestors sections urls.app",
    SearchSection: "id title path body score urls.app",
    ShareLink: "object id createdAt urls",
    Site: "object id type appliedType title visibility published createdAt siteSpaces features agentsContext"
    " defaultLevel permissions urls.app urls.location urls.preview",
    SiteAds: "status",
    SiteFeature: "id plan frozen",
    SiteProxy: "origin target",
    SiteSection: "object id title path siteSpaces urls draft",
    SiteSectionGroup: "object id title sections children draft",
    SiteSpace: "object id title path urls draft",
    SiteStructure: "type structure",
    Space: "object id title emoji organization visibility revision createdAt updatedAt comments changeRequests"
    " changeRequestsOpen changeRequestsDraft mergeRules defaultLevel permissions urls.app urls.location",
    SpaceSearchHits: "type id title pages score",
    Specification: "object id createdAt updatedAt slug processingState visibility lastProcessedErrors"
    " lastProcessedErrorCount permissions urls.app urls.location",
    SpecificationError: "message",
    SpecificationVersion: "object id createdAt url urls.location",
    SsoLogin: "id label startURL",
    SsoLogins: "items",
    TableCell: "record definition",
    Team: "object id title members spaces createdAt permissions",
    TeamMember: "organization team permissions",
    TeamMembership: "role",
    TemplateCondition: "description condition",
    TemplateConditions: "items",
    Translation: "object id status source language instructions createdAt updatedAt stats permissions urls.location",
    TranslationResult: "space revision language",
    TranslationSource: "space language",
    User: "object id displayName urls.location",
    VersionContent: "filesystem url urls.source urls.public",
}
"""The fields of each model that are always there, as they are spelled on the wire; a point leads into a field."""

WHOLE: Final = frozenset(
    {
        CollectionPermissions,
        CommentPermissions,
        OrganizationPermissions,
        SitePermissions,
        SpacePermissions,
        SpecificationPermissions,
        TeamMemberPermissions,
        TeamPermissions,
        TranslationPermissions,
        TranslationStats,
    }
)
"""The models of which each field is always there."""
