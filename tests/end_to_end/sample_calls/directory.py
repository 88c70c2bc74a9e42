"""The sample calls on organizations, their people and how these sign in, on collections and on spaces."""

from __future__ import annotations

from typing import Any

from end_to_end.sample_calls.table import ANYONE, MEMBER, SampleCall
from end_to_end.sample_calls.world import PEOPLE
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

SAMPLES: dict[Operation[Any, Any] | Route, SampleCall] = {
    Users.get_user: SampleCall(ANYONE),
    Organizations.list_organizations: SampleCall(ANYONE),
    Organizations.get_organization: SampleCall(MEMBER),
    Organizations.update_organization: SampleCall(
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
    Organizations.join_organization: SampleCall(ANYONE),
    Organizations.ping: SampleCall(MEMBER),
    Organizations.list_organizations_of_domain: SampleCall(ANYONE, unknown={"email_domain": 400}),
    AgentInstructions.get_instructions: SampleCall("read"),
    AgentInstructions.set_instructions: SampleCall("admin", {"instructions": _INSTRUCTIONS}),
    Search.search_organization: SampleCall(MEMBER, query={"query": "welcome"}),
    Invites.list_invites: SampleCall("admin"),
    Invites.create_invite: SampleCall("admin", {"level": "edit", "space": "{space_id}"}, who={"guest": 400}),
    Invites.update_invite: SampleCall("admin", {"role": "edit"}),
    Invites.delete_invite: SampleCall("admin"),
    Specifications.list_specifications: SampleCall("read"),
    Specifications.create_specification: SampleCall("create", {"slug": "cats", "source": _SPECIFICATION}, again=400),
    Specifications.get_specification: SampleCall("read"),
    Specifications.replace_specification: SampleCall("create", {"source": _SPECIFICATION}, unknown={"spec_slug": 201}),
    Specifications.delete_specification: SampleCall("create"),
    Specifications.update_specification: SampleCall("create", {"visibility": "public"}),
    Specifications.list_versions: SampleCall("read"),
    Specifications.get_latest_version: SampleCall("read"),
    Specifications.get_latest_content: SampleCall("read"),
    Specifications.get_version: SampleCall("read"),
    Specifications.get_content: SampleCall("read"),
    Translations.list_translations: SampleCall("read"),
    Translations.create_translation: SampleCall(
        "create",
        {"source": {"space": "{space_id}", "language": "en"}, "language": "de", "instructions": _INSTRUCTIONS},
        again=400,
    ),
    Translations.get_translation: SampleCall("read"),
    Translations.update_translation: SampleCall("create", {"instructions": _INSTRUCTIONS}),
    Translations.delete_translation: SampleCall("create"),
    Translations.run_translation: SampleCall("create", again=409),
    Members.list_members: SampleCall("read"),
    Members.get_member: SampleCall("read"),
    Members.update_member: SampleCall("admin", {"role": "review"}),
    Members.delete_member: SampleCall("admin", who={"edit": 204}),
    Members.list_member_spaces: SampleCall("read"),
    Teams.list_teams: SampleCall("read"),
    Teams.create_team: SampleCall("admin", {"title": "Writers", "members": ["{user:edit}"]}),
    Teams.get_team: SampleCall("read"),
    Teams.update_team: SampleCall("admin", {"title": "Writers"}),
    Teams.delete_team: SampleCall("admin", who={"guest": 403}),
    Teams.list_team_members: SampleCall("read"),
    Teams.update_team_members: SampleCall(
        "admin", {"add": ["{user:read}"], "remove": ["{user:edit}"], "memberships": {"{user:admin}": {"role": "owner"}}}
    ),
    Teams.set_team_member: SampleCall("admin", {"role": "owner"}),
    Teams.remove_team_member: SampleCall("admin"),
    Teams.list_member_teams: SampleCall("read"),
    SignOn.list_saml_providers: SampleCall("admin"),
    SignOn.create_saml_provider: SampleCall(
        "admin",
        {
            "label": "Another",
            "entityID": "https://login.example.org",
            "ssoURL": "https://login.example.org/sso",
            "defaultTeam": "{team_id}",
            "defaultRole": "read",
        },
    ),
    SignOn.get_saml_provider: SampleCall("admin"),
    SignOn.update_saml_provider: SampleCall("admin", {"label": "Renamed", "defaultRole": None}),
    SignOn.delete_saml_provider: SampleCall("admin"),
    SignOn.list_sso_logins: SampleCall(MEMBER),
    SignOn.make_sso_member: SampleCall("admin"),
    Collections.list_collections: SampleCall(MEMBER),
    Collections.create_collection: SampleCall(
        "create", {"title": "Drawer", "parent": "{collection_id}"}, who={"guest": 400}
    ),
    Collections.get_collection: SampleCall("read"),
    Collections.update_collection: SampleCall(
        "admin", {"title": "Drawer", "description": "What is in it", "defaultLevel": "edit"}
    ),
    Collections.delete_collection: SampleCall("admin", path={"collection_id": "box_id"}, in_vain=("guest", "stranger")),
    Collections.list_collection_spaces: SampleCall("read"),
    Collections.move_collection: SampleCall(
        "admin", {"parent": None, "position": _BEFORE_LOOSE}, path={"collection_id": "box_id"}, again=409
    ),
    Collections.transfer_collection: SampleCall(
        "admin", {"organization": "{elsewhere_id}"}, path={"collection_id": "box_id"}, again=409
    ),
    Spaces.list_spaces: SampleCall(MEMBER),
    Spaces.create_space: SampleCall(
        "create",
        {"title": "Notes", "emoji": "1f4dd", "parent": "{collection_id}", "language": "de", "editMode": "live"},
        who={"guest": 400},
    ),
    Spaces.get_space: SampleCall("read"),
    Spaces.update_space: SampleCall(
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
    Spaces.delete_space: SampleCall("admin", in_vain=("guest", "stranger")),
    Spaces.duplicate_space: SampleCall("create"),
    Spaces.restore_space: SampleCall(
        "admin", path={"space_id": "deleted_id"}, who=dict.fromkeys(PEOPLE[1:], 404), again=409
    ),
    Spaces.move_space: SampleCall("admin", {"parent": None, "position": _BEFORE_LOOSE}, again=409),
    Spaces.transfer_space: SampleCall(
        "admin", {"organization": "{elsewhere_id}"}, path={"space_id": "portable_id"}, again=409
    ),
}
