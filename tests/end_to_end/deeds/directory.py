"""The deeds on organizations, their people and how these sign in, on collections and on spaces."""

from __future__ import annotations

from typing import Any

from end_to_end.deeds.table import ANYONE, MEMBER, Deed
from end_to_end.deeds.world import PEOPLE
from recto.contract.agent_instructions import AgentInstructions
from recto.contract.collections import Collections
from recto.contract.invites import Invites
from recto.contract.members import Members
from recto.contract.operation import Operation, Route
from recto.contract.organizations import Organizations
from recto.contract.search import Search
from recto.contract.sign_on import SignOn
from recto.contract.spaces import Spaces
from recto.contract.specifications import Specifications
from recto.contract.teams import Teams
from recto.contract.translations import Translations
from recto.contract.users import Users

_INSTRUCTIONS = {"object": "document", "data": {"schemaVersion": 1}, "nodes": []}
_RULES = {
    "type": "rules",
    "rules": [
        {"rule": "require_specific_reviewers", "users": ["{user:review}"]},
        {"rule": "custom", "expression": "changeRequest.number > 0", "message": "It has a number."},
    ],
}
_BEFORE_LOOSE = {"before": {"type": "space", "space": "{loose_id}"}}

_SPECIFICATION = {"text": "openapi: 3.0.3\ninfo: {title: Pets, version: '1'}\npaths: {}\n"}

DEEDS: dict[Operation[Any, Any] | Route, Deed] = {
    Users.get_user: Deed(ANYONE),
    Organizations.list_organizations: Deed(ANYONE),
    Organizations.get_organization: Deed(MEMBER),
    Organizations.update_organization: Deed(
        "admin",
        {
            "title": "House",
            "emailDomains": ["example.org"],
            "hostname": "docs.example.org",
            "defaultRole": "read",
            "defaultContent": {"type": "site", "site": "{site_id}"},
            "logo": "https://example.org/logo.png",
            "sso": False,
            "ai": False,
            "inviteLinks": True,
            "mergeRules": _RULES,
        },
    ),
    Organizations.join_organization: Deed(ANYONE),
    Organizations.ping: Deed(MEMBER),
    Organizations.list_organizations_of_domain: Deed(ANYONE, unknown={"email_domain": 400}),
    AgentInstructions.get_instructions: Deed("read"),
    AgentInstructions.set_instructions: Deed("admin", {"instructions": _INSTRUCTIONS}),
    Search.search_organization: Deed(MEMBER, query={"query": "welcome"}),
    Invites.list_invites: Deed("admin"),
    Invites.create_invite: Deed("admin", {"level": "edit", "space": "{space_id}"}, who={"guest": 400}),
    Invites.update_invite: Deed("admin", {"role": "edit"}),
    Invites.delete_invite: Deed("admin"),
    Specifications.list_specifications: Deed("read"),
    Specifications.create_specification: Deed("create", {"slug": "cats", "source": _SPECIFICATION}, again=400),
    Specifications.get_specification: Deed("read"),
    Specifications.replace_specification: Deed("create", {"source": _SPECIFICATION}, unknown={"spec_slug": 201}),
    Specifications.delete_specification: Deed("create"),
    Specifications.update_specification: Deed("create", {"visibility": "public"}),
    Specifications.list_versions: Deed("read"),
    Specifications.get_latest_version: Deed("read"),
    Specifications.get_latest_content: Deed("read"),
    Specifications.get_version: Deed("read"),
    Specifications.get_content: Deed("read"),
    Translations.list_translations: Deed("read"),
    Translations.create_translation: Deed(
        "create",
        {"source": {"space": "{space_id}", "language": "en"}, "language": "de", "instructions": _INSTRUCTIONS},
        again=400,
    ),
    Translations.get_translation: Deed("read"),
    Translations.update_translation: Deed("create", {"instructions": _INSTRUCTIONS}),
    Translations.delete_translation: Deed("create"),
    Translations.run_translation: Deed("create", again=409),
    Members.list_members: Deed("read"),
    Members.get_member: Deed("read"),
    Members.update_member: Deed("admin", {"role": "review"}),
    Members.delete_member: Deed("admin", who={"edit": 204}),
    Members.list_member_spaces: Deed("read"),
    Teams.list_teams: Deed("read"),
    Teams.create_team: Deed("admin", {"title": "Writers", "members": ["{user:edit}"]}),
    Teams.get_team: Deed("read"),
    Teams.update_team: Deed("admin", {"title": "Writers"}),
    Teams.delete_team: Deed("admin", who={"guest": 403}),
    Teams.list_team_members: Deed("read"),
    Teams.update_team_members: Deed(
        "admin", {"add": ["{user:read}"], "remove": ["{user:edit}"], "memberships": {"{user:admin}": {"role": "owner"}}}
    ),
    Teams.set_team_member: Deed("admin", {"role": "owner"}),
    Teams.remove_team_member: Deed("admin"),
    Teams.list_member_teams: Deed("read"),
    SignOn.list_saml_providers: Deed("admin"),
    SignOn.create_saml_provider: Deed(
        "admin",
        {
            "label": "Another",
            "entityID": "https://login.example.org",
            "ssoURL": "https://login.example.org/sso",
            "defaultTeam": "{team_id}",
            "defaultRole": "read",
        },
    ),
    SignOn.get_saml_provider: Deed("admin"),
    SignOn.update_saml_provider: Deed("admin", {"label": "Renamed", "defaultRole": None}),
    SignOn.delete_saml_provider: Deed("admin"),
    SignOn.list_sso_logins: Deed(MEMBER),
    SignOn.make_sso_member: Deed("admin"),
    Collections.list_collections: Deed(MEMBER),
    Collections.create_collection: Deed("create", {"title": "Drawer", "parent": "{collection_id}"}, who={"guest": 400}),
    Collections.get_collection: Deed("read"),
    Collections.update_collection: Deed(
        "admin", {"title": "Drawer", "description": "What is in it", "defaultLevel": "edit"}
    ),
    Collections.delete_collection: Deed("admin", path={"collection_id": "box_id"}, in_vain=("guest", "stranger")),
    Collections.list_collection_spaces: Deed("read"),
    Collections.move_collection: Deed(
        "admin", {"parent": None, "position": _BEFORE_LOOSE}, path={"collection_id": "box_id"}, again=409
    ),
    Collections.transfer_collection: Deed(
        "admin", {"organization": "{elsewhere_id}"}, path={"collection_id": "box_id"}, again=409
    ),
    Spaces.list_spaces: Deed(MEMBER),
    Spaces.create_space: Deed(
        "create",
        {"title": "Notes", "emoji": "1f4dd", "parent": "{collection_id}", "language": "de", "editMode": "live"},
        who={"guest": 400},
    ),
    Spaces.get_space: Deed("read"),
    Spaces.update_space: Deed(
        "admin",
        {
            "title": "Handbuch",
            "icon": "https://a.example/icon.png",
            "language": "de",
            "editMode": "locked",
            "defaultLevel": "read",
            "mergeRules": _RULES,
        },
    ),
    Spaces.delete_space: Deed("admin", in_vain=("guest", "stranger")),
    Spaces.duplicate_space: Deed("create"),
    Spaces.restore_space: Deed("admin", path={"space_id": "deleted_id"}, who=dict.fromkeys(PEOPLE[1:], 404), again=409),
    Spaces.move_space: Deed("admin", {"parent": None, "position": _BEFORE_LOOSE}, again=409),
    Spaces.transfer_space: Deed(
        "admin", {"organization": "{elsewhere_id}"}, path={"space_id": "portable_id"}, again=409
    ),
}
