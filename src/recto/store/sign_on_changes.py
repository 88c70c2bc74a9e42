"""Changes of an organization's identity providers, as mutations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from recto.contract.sign_on import CreateSamlProvider, SamlProvider, SignOn, UpdateSamlProvider
from recto.store.mutation import Mutation, new_in_list
from recto.store.query_keys import calls

if TYPE_CHECKING:
    from recto.store.query_keys import Chooser


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
        inverse=undo,
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
