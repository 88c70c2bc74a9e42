"""Scenarios of organizations and their people: settings, members, invites, what agents are asked to do."""

from __future__ import annotations

from datetime import UTC, datetime

from end_to_end.scenarios.table import proves
from end_to_end.scenarios.world import World, is_gone
from recto.contract.agent_instructions import AgentInstructions, SetInstructions
from recto.contract.invites import CreateInvite, Invites, UpdateInvite
from recto.contract.members import Members, UpdateMember
from recto.contract.merge_rules import MergeRuleBody, OrganizationMergeRulesBody
from recto.contract.organizations import DefaultSite, Organizations, UpdateOrganization
from recto.contract.rich_text import Block, Document, Leaf, Text
from recto.contract.spaces import Spaces, UpdateSpace


@proves(Organizations.update_organization)
async def an_organization_changes_what_is_sent_and_keeps_the_rest(world: World) -> None:
    organization = world.places.organization
    before = await world.call(Organizations.get_organization, organization)
    rules = OrganizationMergeRulesBody(type="rules", rules=(MergeRuleBody(rule="require_at_least_one_review"),))
    body = UpdateOrganization(
        title="Engines",
        hostname="docs.example.org",
        default_role="comment",
        default_content=DefaultSite(site=world.places.site),
        logo="https://example.org/logo.png",
        ai=True,
        merge_rules=rules,
    )
    changed = await world.call(Organizations.update_organization, organization, body)
    assert changed == await world.call(Organizations.get_organization, organization)
    assert (changed.title, changed.hostname, changed.default_role, changed.ai) == (
        "Engines", "docs.example.org", "comment", True,
    )  # fmt: skip
    assert (changed.created_at, changed.email_domains, changed.sso) == (before.created_at, (), False)
    assert changed.default_content is not None
    assert (changed.default_content.type, changed.default_content.site) == ("site", world.places.site)
    assert changed.urls.logo == "https://example.org/logo.png"
    assert changed.merge_rules is not None
    assert [each.rule for each in changed.merge_rules.rules] == ["require_at_least_one_review"]
    cleared = UpdateOrganization(default_role=None, default_content=None, logo=None)
    again = await world.call(Organizations.update_organization, organization, cleared)
    assert (again.title, again.default_role, again.default_content) == ("Engines", None, None)
    assert again.urls.logo is None


async def _allow_own_domain(world: World) -> None:
    body = UpdateOrganization(email_domains=("Example.org",))
    changed = await world.call(Organizations.update_organization, world.places.organization, body)
    assert changed.email_domains == ("example.org",)


@proves(Organizations.list_organizations_of_domain)
async def the_organizations_of_a_domain_are_those_that_allow_it(world: World) -> None:
    ask = Organizations.list_organizations_of_domain
    assert (await world.call(ask, "example.org")).organizations == ()
    await _allow_own_domain(world)
    found = await world.call(ask, "EXAMPLE.org")
    assert found.organizations == (await world.call(Organizations.get_organization, world.places.organization),)
    assert (await world.call(ask, "example.com")).organizations == ()


@proves(Organizations.join_organization)
async def who_joins_and_is_a_member_stays_what_they_are(world: World) -> None:
    await _allow_own_domain(world)
    before = await world.call(Members.list_members, world.places.organization)
    await world.call(Organizations.join_organization, world.places.organization)
    assert await world.call(Members.list_members, world.places.organization) == before


@proves(Organizations.ping)
async def who_pings_has_been_seen_and_may_show_who_they_are(world: World) -> None:
    started = datetime.now(UTC).replace(microsecond=0)
    organization = world.places.organization
    assert (await world.call(Members.list_members, organization, sort="lastSeenAt")).items == ()
    answer = await world.call(Organizations.ping, organization)
    assert answer.service_visitor_claims is not None
    assert answer.service_visitor_claims.count(".") == 2
    (seen,) = (await world.call(Members.list_members, organization, sort="lastSeenAt")).items
    assert seen.id == world.places.ada
    assert seen.last_seen_at is not None
    assert seen.last_seen_at >= started


@proves(Members.get_member)
async def a_member_is_the_one_listed(world: World) -> None:
    found = await world.call(Members.get_member, world.places.organization, world.places.grace)
    assert (found.role, found.user and found.user.display_name) == ("review", "Grace Hopper")
    assert found in (await world.call(Members.list_members, world.places.organization)).items


@proves(Members.update_member)
async def a_member_gets_another_role(world: World) -> None:
    grace = (world.places.organization, world.places.grace)
    for role in ("edit", None):
        changed = await world.call(Members.update_member, *grace, UpdateMember(role=role))
        assert changed == await world.call(Members.get_member, *grace)
        assert changed.role == role
    assert (await world.call(Members.update_member, *grace, UpdateMember())).role is None


@proves(Members.delete_member)
async def a_member_who_is_removed_is_not_there_any_more(world: World) -> None:
    for _ in range(2):
        await world.call(Members.delete_member, world.places.organization, world.places.grace)
    assert await is_gone(world.call(Members.get_member, world.places.organization, world.places.grace))
    (left,) = (await world.call(Members.list_members, world.places.organization)).items
    assert left.id == world.places.ada


@proves(Members.list_member_spaces)
async def the_spaces_of_a_member_come_with_what_they_may_do_there(world: World) -> None:
    await world.call(Spaces.update_space, world.manual, UpdateSpace(default_level="comment"))
    await world.call(Spaces.update_space, world.places.blog, UpdateSpace(default_level=None))
    listed = await world.call(Members.list_member_spaces, world.places.organization, world.places.grace)
    assert {each.space.id: each.permission for each in listed.items} == {
        world.manual: "comment",
        world.places.handbook: "review",
    }
    every = (await world.call(Spaces.list_spaces, world.places.organization)).items
    assert all(each.space in every for each in listed.items)


@proves(AgentInstructions.get_instructions)
async def nothing_is_asked_of_agents_at_first(world: World) -> None:
    organization = world.places.organization
    found = await world.call(AgentInstructions.get_instructions, organization)
    made = (await world.call(Organizations.get_organization, organization)).created_at
    assert (found.instructions.nodes, found.updated_at, found.updated_by) == ((), made, world.places.ada)
    written = await world.call(
        AgentInstructions.set_instructions, organization, SetInstructions(instructions=_document_of("Be brief."))
    )
    assert await world.call(AgentInstructions.get_instructions, organization) == written


@proves(AgentInstructions.set_instructions)
async def what_is_asked_of_agents_is_what_was_written_last(world: World) -> None:
    organization = world.places.organization
    for text in ("Be brief.", "Be exact."):
        await world.call(
            AgentInstructions.set_instructions, organization, SetInstructions(instructions=_document_of(text))
        )
    found = await world.call(AgentInstructions.get_instructions, organization)
    assert (found.instructions, found.updated_by) == (_document_of("Be exact."), world.places.ada)


def _document_of(text: str) -> Document:
    leaf = Leaf(object="leaf", text=text, marks=())
    paragraph = Block(type="paragraph", nodes=(Text(object="text", leaves=(leaf,)),))
    return Document(nodes=(paragraph,))


async def _enable_links(world: World) -> None:
    body = UpdateOrganization(invite_links=True)
    assert (await world.call(Organizations.update_organization, world.places.organization, body)).invite_links


@proves(Invites.create_invite)
async def an_invite_is_to_the_organization_or_to_something_in_it(world: World) -> None:
    await _enable_links(world)
    organization = world.places.organization
    everywhere = await world.call(Invites.create_invite, organization, CreateInvite(role="read"))
    there = await world.call(Invites.create_invite, organization, CreateInvite(level="edit", space=world.manual))
    shelf = await world.call(
        Invites.create_invite, organization, CreateInvite(level="edit", collection=world.places.shelf)
    )
    assert (everywhere.role, everywhere.level, everywhere.space) == ("read", None, None)
    assert (there.role, there.level, there.space) == (None, "edit", world.manual)
    assert (shelf.level, shelf.collection) == ("edit", world.places.shelf)
    assert set((await world.call(Invites.list_invites, organization)).items) == {everywhere, there, shelf}


@proves(Invites.list_invites)
async def an_invite_that_gives_no_more_than_others_is_marked(world: World) -> None:
    await _enable_links(world)
    organization = world.places.organization
    made = [
        await world.call(Invites.create_invite, organization, body)
        for body in (
            CreateInvite(level="edit", space=world.places.handbook),
            CreateInvite(level="review", collection=world.places.shelf),
            CreateInvite(role="read"),
        )
    ]
    listed = {each.id: each.redundant for each in (await world.call(Invites.list_invites, organization)).items}
    assert [listed[each.id] for each in made] == [True, False, False]


@proves(Invites.update_invite)
async def an_invite_gives_another_role_under_the_same_name(world: World) -> None:
    await _enable_links(world)
    organization = world.places.organization
    made = await world.call(Invites.create_invite, organization, CreateInvite(level="read", space=world.manual))
    changed = await world.call(Invites.update_invite, organization, made.id, UpdateInvite(level="edit"))
    assert (await world.call(Invites.list_invites, organization)).items == (changed,)
    assert (changed.id, changed.level, changed.space) == (made.id, "edit", world.manual)


@proves(Invites.delete_invite)
async def an_invite_that_is_taken_back_is_not_listed(world: World) -> None:
    await _enable_links(world)
    organization = world.places.organization
    made = await world.call(Invites.create_invite, organization, CreateInvite(role="read"))
    for _ in range(2):
        await world.call(Invites.delete_invite, organization, made.id)
    assert (await world.call(Invites.list_invites, organization)).items == ()
