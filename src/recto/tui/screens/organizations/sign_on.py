"""Sign-on of an organization: its identity providers, and the links that members sign in by."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Final

from recto.contract.sign_on import CreateSamlProvider, SamlProvider, SignOn, SsoLogins, UpdateSamlProvider
from recto.store.drafts import DraftPlace
from recto.store.organization_changes import change_provider, create_provider, delete_provider
from recto.store.roles import needs
from recto.tui.actions import Action, bindings, register
from recto.tui.dialogs.choose import Choice, Choose
from recto.tui.dialogs.confirm import NO_UNDO, UNDO, Confirm, ConfirmTitle, undo_of
from recto.tui.forms.form import Field, FieldKind, Filling, Form, Latest
from recto.tui.forms.form_dialog import FormDialog
from recto.tui.forms.role_words import ROLES
from recto.tui.lists.columns import Column
from recto.tui.navigation.url_locations import only_here
from recto.tui.screens.list_pane import Listed, ListPane, Nothing
from recto.tui.screens.organizations.people import find_teams

if TYPE_CHECKING:
    from recto.contract.organizations import Organization
    from recto.store.mutation import Outcome
    from recto.store.store import Store

register(
    Action("sign_on.copy_value", "Copy a value to configure on the identity provider", ("y",), "Organizations", "copy"),
    Action("sign_on.copy_login", "Copy a link to sign in by", ("Y",), "Organizations"),
)

_ACTIVE: Final = "A provider is active once it has an entity ID, an address and a certificate."


def _fields() -> list[Field | str]:
    return [
        Field("label", required=True, says="What members see when they sign in."),
        Field("entity_id", "Entity ID"),
        Field("sso_url", "Sign-on address", placeholder="https://…"),
        Field(
            "certificate",
            kind=FieldKind.TEXT,
            from_file=True,
            says="PEM, or its base64 alone; ‹form.from_file› reads it from a file.",
        ),
        "Newcomers",
        Field("default_role", choices=ROLES, none="guest"),
        Field(
            "default_team",
            kind=FieldKind.CHOICE,
            none="no team",
            read=lambda one: one.default_team and one.default_team.id,
        ),
    ]


NEW_PROVIDER: Final = Form("new-saml-provider", CreateSamlProvider, *_fields(), sends="Create the identity provider")
PROVIDER: Final = Form("saml-provider", UpdateSamlProvider, *_fields())

LISTED: Final = Listed[SamlProvider](
    title="Sign-on",
    what="the identity providers",
    one="identity provider",
    columns=(
        Column[SamlProvider]("Provider", lambda one: one.label, width=20, least=10, grows=True),
        Column[SamlProvider]("State", lambda one: str(one.status), width=8),
        Column[SamlProvider]("Newcomers", lambda one: str(one.default_role or "guest"), width=9, rank=1),
        Column[SamlProvider]("Address", lambda one: one.sso_url or "", width=32, least=12, rank=2),
    ),
    name=lambda one: one.label,
    empty=Nothing("No identity providers.", "a", "creates one"),
)


class SignOnPane(ListPane[SamlProvider]):
    """The identity providers of an organization."""

    BINDINGS = bindings("item.new", "item.delete", "sign_on.copy_value", "sign_on.copy_login")

    def __init__(self, store: Store) -> None:
        super().__init__(store, LISTED, id="sign-on", quiet=True)
        self._organization: Organization | None = None

    def show_organization(self, organization: Organization) -> None:
        """List the identity providers of an organization, if the person may see them."""
        is_same = self._organization is not None and organization.id == self._organization.id
        self._organization = organization
        reason = self._reason
        if reason is not None:
            self.list_nothing(f"Identity providers are shown to admins: {reason}.", "Y", "copies a link to sign in by")
        elif not is_same or not self.is_listing:
            self.list_from(SignOn.list_saml_providers, organization.id)

    @property
    def _reason(self) -> str | None:
        return needs(self._organization.permissions, "admin") if self._organization is not None else "not loaded yet"

    def why_not(self, action: str) -> str | None:
        """Return the reason why an action cannot be done."""
        if action in ("item.new", "item.delete", "list.open", "sign_on.copy_value") and self._reason is not None:
            return self._reason
        return self.why_none_chosen(action, "item.delete", "sign_on.copy_value") or super().why_not(action)

    # Making and changing

    def action_item_new(self) -> None:
        """Make an identity provider."""
        if self._organization is not None:
            self.work(self._create(self._organization), "provider", unless_running="provider")

    async def _create(self, organization: Organization) -> None:
        async def submit(body: CreateSamlProvider) -> Outcome[SamlProvider] | None:
            if body.default_role == "admin" and not await self._confirm_admins(organization, UNDO):
                return None
            return await self.send(create_provider(organization.id, body))

        filling = Filling(
            NEW_PROVIDER,
            submit,
            find={"default_team": find_teams(self.store, organization.id, {})},
            place=DraftPlace(organization=organization.id),
        )
        made = await self.ask(FormDialog(self.store, "New identity provider", filling, says=_ACTIVE))
        if made is not None:
            self.say(f"Created the identity provider “{made.label}”.")

    def on_list_pane_opened(self, event: ListPane.Opened) -> None:
        """Change the identity provider."""
        event.stop()
        if self._organization is not None:
            self.work(self._change(self._organization, event.item), "provider", unless_running="provider")

    async def _change(self, organization: Organization, provider: SamlProvider) -> None:
        latest = Latest(provider, lambda: self.store.fetch(SignOn.get_saml_provider, organization.id, provider.id))

        async def submit(body: UpdateSamlProvider) -> Outcome[SamlProvider] | None:
            now = latest.value
            gives = body.default_role == "admin" and now.default_role != "admin"
            change = change_provider(organization.id, now, body)
            if gives and not await self._confirm_admins(organization, undo_of(change, now)):
                return None
            return await self.send(change)

        filling = Filling(
            PROVIDER,
            submit,
            thing=provider,
            choices={"default_team": [Choice(team.id, team.title)] if (team := provider.default_team) else []},
            find={"default_team": find_teams(self.store, organization.id, {})},
            reread=latest,
            place=DraftPlace(organization=organization.id, block=provider.id),
        )
        if await self.ask(FormDialog(self.store, provider.label, filling, says=_ACTIVE)) is not None:
            self.say(f"Saved the identity provider “{provider.label}”.")

    async def _confirm_admins(self, organization: Organization, undo: str) -> bool:
        says = "Whoever first signs in through this provider becomes an admin."
        does = "saves the provider"
        question = ConfirmTitle("Newcomers become admins", says, named=organization.title, does=does, undo=undo)
        return await self.ask(question) is True

    def action_item_delete(self) -> None:
        """Delete the selected identity providers."""
        if self._organization is not None:
            self.work(self._delete(self._organization, self.chosen), "delete providers", unless_running="delete")

    async def _delete(self, organization: Organization, providers: Sequence[SamlProvider]) -> None:
        title, says = "Delete identity providers", "Members can no longer sign in through them."
        points, does = [provider.label for provider in providers], "deletes them"
        question: Confirm | ConfirmTitle = Confirm(title, says, points=points, does=does, undo=NO_UNDO)
        if organization.sso:
            enforced = "Sign-on is enforced: members without another provider are locked out, you too."
            named = organization.title
            question = ConfirmTitle(title, says, enforced, points=points, named=named, does=does, undo=NO_UNDO)
        if await self.ask(question):
            await self.change_each(
                providers,
                lambda provider: delete_provider(organization.id, provider),
                doing="Deleting identity providers",
                done="Deleted",
            )

    # Copying

    def action_sign_on_copy_value(self) -> None:
        """Copy a value to configure on the identity provider."""
        if self.current is not None:
            self.work(self._copy_value(self.current), "copy", instead_of="copy")

    async def _copy_value(self, provider: SamlProvider) -> None:
        service = provider.service
        values = {
            "ACS address": service.acs_url,
            "Entity ID": service.entity_id,
            "Start address": service.start_url,
        }
        await self._copy_one("Copy a value for the identity provider", values)

    async def _copy_one(self, title: str, values: dict[str, str | None]) -> None:
        choices = [Choice(name, name, value or "") for name, value in values.items() if value]
        chosen = await self.ask(Choose(title, choices))
        if chosen is not None:
            address = values[chosen] or ""
            self.app.copy_to_clipboard(address)
            self.say(f"Copied: {chosen}.{only_here(address)}")

    def action_sign_on_copy_login(self) -> None:
        """Copy a link to sign in by."""
        if self._organization is not None:
            self.work(self._copy_login(self._organization.id), "copy", instead_of="copy")

    async def _copy_login(self, organization: str) -> None:
        logins: SsoLogins = await self.store.fetch(SignOn.list_sso_logins, organization)
        if not logins.items:
            self.say("No identity provider is active, so there is no link to sign in by.")
            return
        await self._copy_one("Copy a link to sign in by", {each.label: each.start_url for each in logins.items})
