"""Scenarios of sign-on: identity providers, and who signs in through them."""

from __future__ import annotations

from end_to_end.scenarios.table import proves
from end_to_end.scenarios.world import World, is_gone
from recto.contract.members import Members
from recto.contract.sign_on import CreateSamlProvider, SamlProvider, SignOn, UpdateSamlProvider
from recto.contract.teams import CreateTeam, Teams

CERTIFICATE = "-----BEGIN CERTIFICATE-----\nMIIBszCCAVmgAwIBAgIUGyGBC\nA==\n-----END CERTIFICATE-----\n"


async def new_provider(world: World, label: str = "Example ID") -> SamlProvider:
    """Make a provider that has all it needs."""
    body = CreateSamlProvider(
        label=label, entity_id="urn:example:id", certificate=CERTIFICATE, sso_url="https://id.example.org/sso"
    )
    return await world.call(SignOn.create_saml_provider, world.places.organization, body)


@proves(SignOn.list_saml_providers)
async def the_providers_listed_are_those_that_can_be_opened(world: World) -> None:
    made = [await new_provider(world, label) for label in ("One", "Two")]
    listed = (await world.call(SignOn.list_saml_providers, world.places.organization)).items
    assert sorted(each.id for each in listed) == sorted(each.id for each in made)
    for each in listed:
        assert await world.call(SignOn.get_saml_provider, world.places.organization, each.id) == each


@proves(SignOn.create_saml_provider)
async def a_provider_names_the_team_and_role_of_newcomers(world: World) -> None:
    organization = world.places.organization
    team = await world.call(Teams.create_team, organization, CreateTeam(title="Newcomers", members=()))
    body = CreateSamlProvider(label="Example ID", default_team=team.id, default_role="read")
    made = await world.call(SignOn.create_saml_provider, organization, body)
    assert (made.label, made.status, made.default_team, made.default_role) == ("Example ID", "pending", team, "read")
    assert (await world.call(SignOn.list_saml_providers, organization)).items == (made,)


@proves(SignOn.get_saml_provider)
async def a_provider_says_what_to_configure(world: World) -> None:
    made = await new_provider(world)
    found = await world.call(SignOn.get_saml_provider, world.places.organization, made.id)
    assert found == made
    assert (found.status, found.certificate) == ("active", CERTIFICATE)
    addresses = (found.service.acs_url, found.service.start_url, found.service.entity_id)
    assert all(made.id in (each or "") for each in addresses)
    assert len(set(addresses)) == 3


@proves(SignOn.update_saml_provider)
async def values_are_changed_and_the_rest_stays(world: World) -> None:
    made = await new_provider(world)
    change = UpdateSamlProvider(label="Renamed", sso_url="https://id.example.org/new")
    await world.call(SignOn.update_saml_provider, world.places.organization, made.id, change)
    found = await world.call(SignOn.get_saml_provider, world.places.organization, made.id)
    assert (found.label, found.sso_url, found.status) == ("Renamed", "https://id.example.org/new", "active")
    assert (found.entity_id, found.certificate) == (made.entity_id, made.certificate)


@proves(SignOn.delete_saml_provider)
async def a_deleted_provider_is_gone(world: World) -> None:
    organization = world.places.organization
    made = await new_provider(world)
    await world.call(SignOn.delete_saml_provider, organization, made.id)
    assert await is_gone(world.call(SignOn.get_saml_provider, organization, made.id))
    assert (await world.call(SignOn.list_saml_providers, organization)).items == ()


@proves(SignOn.list_sso_logins)
async def one_signs_in_through_active_providers_alone(world: World) -> None:
    organization = world.places.organization
    made = await new_provider(world)
    await world.call(SignOn.create_saml_provider, organization, CreateSamlProvider(label="Not yet"))
    (login,) = (await world.call(SignOn.list_sso_logins, organization)).items
    assert (login.id, login.label, login.start_url) == (made.id, made.label, made.service.start_url)


@proves(SignOn.make_sso_member)
async def a_member_signs_in_through_a_provider_from_now_on(world: World) -> None:
    organization = world.places.organization
    changed = await world.call(SignOn.make_sso_member, organization, world.places.grace)
    assert (changed.id, changed.sso) == (world.places.grace, True)
    members = {each.id: each for each in (await world.call(Members.list_members, organization)).items}
    assert members[world.places.grace] == changed
    assert not members[world.places.ada].sso
