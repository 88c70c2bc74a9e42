"""Changes of organizations and of their identity providers, as mutations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recto.contract.agent_instructions import AgentInstructions, Instructions, SetInstructions
from recto.contract.organizations import Organization, Organizations, UpdateOrganization
from recto.contract.sign_on import CreateSamlProvider, SamlProvider, SignOn, UpdateSamlProvider
from recto.store.mutation import Mutation, new_in_list, unless_changed
from recto.store.query_keys import about, calls

if TYPE_CHECKING:
    from recto.client.call import Call
    from recto.contract.rich_text import Document
    from recto.store.query_keys import Chooser


def change_organization(before: Organization, body: UpdateOrganization) -> Mutation[Organization]:
    """Change an organization's settings; undoing gives those back that it had."""

    def undo(after: Organization) -> Mutation[Organization] | None:
        former = former_settings(before, body)
        return change_organization(after, former) if former is not None else None

    return Mutation(
        doing=f"Saving the settings of “{before.title}”",
        done=f"Saved the settings of “{before.title}”",
        call=lambda call: call(Organizations.update_organization, before.id, body),
        stale=(about(organization_id=before.id), calls(Organizations.list_organizations)),
        inverse=unless_changed(
            undo, body.model_fields_set, lambda call: call(Organizations.get_organization, before.id)
        ),
        once=True,
        lane=("organization", before.id),
    )


def former_settings(before: Organization, body: UpdateOrganization) -> UpdateOrganization | None:
    """Return the body that undoes a change; ``None`` where a value cannot be given back."""
    values: dict[str, Any] = {}
    for name in body.model_fields_set:
        if name == "logo":
            values[name] = before.urls.logo
        elif name in ("merge_rules", "default_content"):
            known = getattr(before, name)
            values[name] = known.model_dump(mode="json", by_alias=True, exclude_unset=True) if known else None
        else:
            values[name] = getattr(before, name)
    if values.get("merge_rules", ...) is None:
        values["merge_rules"] = {"type": "none"}
    if values.get("hostname", ...) is None:
        return None  # a host name, once set, cannot be removed
    return UpdateOrganization.model_validate(values)


def join_organization(organization: Organization) -> Mutation[None]:
    """Join an organization by the domain of the person's e-mail address."""
    return Mutation(
        doing=f"Joining “{organization.title}”",
        done=f"Joined “{organization.title}”",
        call=lambda call: call(Organizations.join_organization, organization.id),
        stale=(calls(Organizations.list_organizations),),
    )


def set_instructions(organization: str, document: Document, before: Document) -> Mutation[Instructions]:
    """Write the instructions for agents; undoing writes those from before."""

    async def work(call: Call) -> Instructions:
        return await call(AgentInstructions.set_instructions, organization, SetInstructions(instructions=document))

    return Mutation(
        doing="Saving the instructions for agents",
        done="Saved the instructions for agents",
        call=work,
        stale=(calls(AgentInstructions.get_instructions, organization_id=organization),),
        inverse=unless_changed(
            lambda _: set_instructions(organization, before, document),
            ("instructions",),
            lambda call: call(AgentInstructions.get_instructions, organization),
        ),
        once=True,
        lane=("instructions", organization),
    )


def _stale(organization: str) -> tuple[Chooser, ...]:
    return (
        calls(SignOn.list_saml_providers, organization_id=organization),
        calls(SignOn.get_saml_provider, organization_id=organization),
        calls(SignOn.list_sso_logins, organization_id=organization),
    )


def create_provider(organization: str, body: CreateSamlProvider) -> Mutation[SamlProvider]:
    """Make an identity provider; undoing deletes it."""
    return Mutation(
        doing=f"Creating the identity provider “{body.label}”",
        done=f"Created the identity provider “{body.label}”",
        call=lambda call: call(SignOn.create_saml_provider, organization, body),
        lookup=new_in_list(lambda one: one.label == body.label, SignOn.list_saml_providers, organization),
        stale=_stale(organization),
        inverse=lambda made: delete_provider(organization, made),
    )


def change_provider(organization: str, before: SamlProvider, body: UpdateSamlProvider) -> Mutation[SamlProvider]:
    """Change an identity provider; undoing gives back what it had, where that was something."""

    def undo(after: SamlProvider) -> Mutation[Any] | None:
        values: dict[str, Any] = {name: getattr(before, name) for name in body.model_fields_set}
        if "default_team" in values:
            values["default_team"] = before.default_team.id if before.default_team is not None else None
        # The contract has no way to take one of these from a provider again.
        if any(not value for name, value in values.items() if name != "default_role"):
            return None
        return change_provider(organization, after, UpdateSamlProvider.model_validate(values))

    return Mutation(
        doing=f"Saving the identity provider “{before.label}”",
        done=f"Saved the identity provider “{before.label}”",
        call=lambda call: call(SignOn.update_saml_provider, organization, before.id, body),
        stale=_stale(organization),
        inverse=unless_changed(
            undo, body.model_fields_set, lambda call: call(SignOn.get_saml_provider, organization, before.id)
        ),
        once=True,
        lane=("saml", before.id),
    )


def delete_provider(organization: str, provider: SamlProvider) -> Mutation[None]:
    """Delete an identity provider."""
    return Mutation(
        doing=f"Deleting the identity provider “{provider.label}”",
        done=f"Deleted the identity provider “{provider.label}”",
        call=lambda call: call(SignOn.delete_saml_provider, organization, provider.id),
        stale=_stale(organization),
    )
