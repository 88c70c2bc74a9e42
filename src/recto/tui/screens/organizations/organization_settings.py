"""The settings of an organization: a form, what only the platform sets, and the instructions for agents."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from recto.client.errors import ClientError
from recto.contract.agent_instructions import AgentInstructions, Instructions, SetInstructions
from recto.contract.collections import Collections
from recto.contract.organizations import Organization, Organizations, UpdateOrganization
from recto.contract.sign_on import SignOn
from recto.contract.sites import Sites
from recto.contract.spaces import Spaces
from recto.store.drafts import DraftPlace
from recto.store.organization_changes import change_organization, set_instructions
from recto.store.roles import needs
from recto.tui.actions import Action, bindings, register
from recto.tui.dialogs.choose import Choice
from recto.tui.dialogs.confirm import UNDO, ConfirmTitle, undo_of
from recto.tui.forms.form import Field, FieldKind, Filling, Form, Latest
from recto.tui.forms.form_dialog import FormDialog
from recto.tui.forms.form_pane import FormPane
from recto.tui.forms.merge_rules import merge_rules_field
from recto.tui.forms.role_words import ROLES
from recto.tui.look import times
from recto.tui.look.fact_rows import fact, heading

if TYPE_CHECKING:
    from recto.contract.organizations import DefaultContent
    from recto.store.mutation import Mutation, Outcome
    from recto.store.query import Query
    from recto.store.store import Store
    from recto.tui.look.lines import Line

register(
    Action("organization.instructions", "Edit the instructions for agents", ("i",), "Organizations", "instructions"),
)

UNDO_WHILE_IN: Final = "‹change.undo› takes it back only while you are still let in."
"""The note on undoing a change that may lock out its author."""


def _content_id(content: DefaultContent | None) -> str:
    """Return default content as the id of a choice: ``space:ID``."""
    return f"{content.type}:{getattr(content, content.type, None)}" if content is not None else ""


def _content(id: str | None) -> dict[str, str] | None:
    if not id:
        return None
    kind, _, of = id.partition(":")
    return {"type": kind, kind: of}


SETTINGS: Final = Form(
    "organization-settings",
    UpdateOrganization,
    "Organization",
    Field("title", required=True),
    Field("logo", says="The address of a picture.", none="no logo", read=lambda one: one.urls.logo),
    Field(
        "default_content",
        "Shown first",
        kind=FieldKind.CHOICE,
        none="nothing of its own",
        read=lambda one: _content_id(one.default_content),
        write=_content,
    ),
    Field(
        "hostname",
        "Host name",
        says="Where public content is published, such as docs.example.org.",
        none="none of its own",
    ),
    "People",
    Field("email_domains", "E-mail domains", says="Whoever has an address of these domains may join.", none="none"),
    Field("default_role", choices=ROLES, none="guest", says="The role of those who join by domain or sign-on."),
    Field("invite_links", says="Whether members may be invited by link."),
    Field("sso", "Enforce sign-on", says="Whether all members have to sign in through an identity provider."),
    "Writing",
    merge_rules_field("What a change request must meet before it is merged, in spaces that inherit."),
    Field("ai", "AI features", says="Whether the platform's features that use AI are on."),
)

INSTRUCTIONS: Final = Form(
    "agent-instructions",
    SetInstructions,
    Field("instructions", "Instructions", says="Markdown; other parts are kept if you do not edit them."),
    whole=True,
)


class SettingsPane(FormPane):
    """The settings of an organization."""

    BINDINGS = bindings("organization.instructions", "view.refresh")

    def __init__(self, store: Store) -> None:
        super().__init__(store, "Settings", id="settings")
        self._organization: Organization | None = None

    def show_organization(self, organization: Organization) -> None:
        """Show the settings of an organization."""
        is_same = self._organization is not None and organization.id == self._organization.id
        self._organization = organization
        if is_same:
            self._show(None)
            return
        id = organization.id
        self.follow_instead(
            "content",
            self._show,
            self.store.query_list(Spaces.list_spaces, id),
            self.store.query_list(Collections.list_collections, id),
            self.store.query_list(Sites.list_sites, id),
        )

    def _show(self, _: Query[Any] | None) -> None:
        if self._organization is not None:
            self.fill(self._organization.id, self._make_filling(self._organization))

    def _make_filling(self, organization: Organization) -> Filling[UpdateOrganization, Organization]:
        latest = Latest(organization, lambda: self.store.fetch(Organizations.get_organization, organization.id))

        async def submit(body: UpdateOrganization) -> Outcome[Organization] | None:
            change = change_organization(latest.value, body)
            return await self.send(change) if await self._confirm(latest.value, body, change) else None

        return Filling(
            SETTINGS,
            submit,
            thing=organization,
            choices={"default_content": self._content_choices(organization.id)},
            reread=latest,
            place=DraftPlace(organization=organization.id),
            reason=needs(organization.permissions, "admin"),
            facts=platform_facts(organization),
        )

    async def _confirm(
        self, organization: Organization, body: UpdateOrganization, change: Mutation[Organization]
    ) -> bool:
        """List the members who get in or are locked out, and ask for the title; returns whether to go on."""
        says, undo = consequences(organization, body), undo_of(change, organization)
        if body.sso and not organization.sso:
            if self.store.workspace is not None:
                says.append("This workspace only keeps the setting: everybody still gets in without a sign-on.")
            else:
                says.append("All members have to sign in through an identity provider from then on.")
                says.append("Whoever has no account there is locked out, you too.")
                says += await self._warn_of_lockout(organization)
                undo = UNDO_WHILE_IN if undo == UNDO else undo
        if not says:
            return True
        question = ConfirmTitle(
            "Change who gets in", *says, named=organization.title, does="saves the settings", undo=undo
        )
        return await self.ask(question) is True

    async def _warn_of_lockout(self, organization: Organization) -> list[str]:
        """Return a warning where no member could sign in, or where that is not known."""
        try:
            providers = await self.store.fetch(SignOn.list_saml_providers, organization.id)
        except ClientError as error:
            return [f"Whether an identity provider is active could not be loaded: {error.why}"]
        if providers.next is not None or any(one.status == "active" for one in providers.items):
            return []
        return ["No identity provider is active here: no member can sign in until one is."]

    def _content_choices(self, organization: str) -> list[Choice]:
        found: list[Choice] = []
        for operation in (Sites.list_sites, Collections.list_collections, Spaces.list_spaces):
            listed: Query[Any] = self.store.query_list(operation, organization)
            word = str(operation.name).removeprefix("list_").removesuffix("s")
            items = listed.value.items if listed.value is not None else ()
            found += [Choice(f"{word}:{each.id}", each.title or f"Untitled {word}", word) for each in items]
        return found

    def reload(self) -> None:
        """Request the organization again."""
        if self._organization is not None:
            self.store.query(Organizations.get_organization, self._organization.id).refresh()

    def why_not(self, action: str) -> str | None:
        """Return the reason why an action cannot be done."""
        if action == "organization.instructions" and self._organization is not None:
            return needs(self._organization.permissions, "read")
        return None

    def action_view_refresh(self) -> None:
        """Request the organization again."""
        self.reload()

    def action_organization_instructions(self) -> None:
        """Edit the instructions for agents."""
        if self._organization is not None:
            self.work(self._edit_instructions(self._organization), "instructions", unless_running="instructions")

    async def _edit_instructions(self, organization: Organization) -> None:
        read = AgentInstructions.get_instructions
        known: Instructions = await self.store.fetch(read, organization.id)
        latest = Latest(known, lambda: self.store.fetch(read, organization.id))

        async def submit(body: SetInstructions) -> Outcome[Instructions]:
            return await self.send(set_instructions(organization.id, body.instructions, latest.value.instructions))

        filling = Filling(
            INSTRUCTIONS,
            submit,
            thing=known,
            reread=latest,
            place=DraftPlace(organization=organization.id),
            reason=needs(organization.permissions, "admin"),
        )
        title = f"Instructions for agents of {organization.title}"
        if await self.ask(FormDialog(self.store, title, filling)) is not None:
            self.say("Saved the instructions for agents.")


def consequences(before: Organization, body: UpdateOrganization) -> list[str]:
    """Return who gets in after a change of the settings, a sentence each."""
    found = []
    if body.invite_links and not before.invite_links:
        found.append("Anyone with an invite link can join.")
    role = body.default_role if "default_role" in body.model_fields_set else before.default_role
    if domains := [each for each in body.email_domains or () if each not in before.email_domains]:
        found.append(f"Whoever has an address of {', '.join(domains)} can join, as {role or 'guest'}.")
    if role == "admin" and before.default_role != "admin":
        found.append("Whoever joins by domain or sign-on becomes an admin.")
    return found


def platform_facts(organization: Organization) -> list[Line]:
    """Return what only the platform sets of an organization."""
    values: list[tuple[str, object]] = [
        ("kind", organization.type),
        ("use", organization.use_case),
        ("community", organization.community_type),
        ("plan", organization.plan),
        ("custom host", organization.custom_hostname),
    ]
    if (billing := organization.billing) is not None:
        values += [
            ("billing", billing.interval),
            ("paid until", times.exact(billing.end_date) if billing.end_date else None),
            ("payment", "failed" if billing.has_payment_failed else None),
            ("plan ends", "with the period that is paid" if billing.is_scheduled_to_cancel else None),
            ("by use", ", ".join(name for name, addon in billing.usage_addons.items() if addon.enabled)),
        ]
    if (trial := organization.trial) is not None:
        ends = f", ends {times.exact(trial.end_date)}" if trial.end_date else ""
        status = None if trial.status == "notapplicable" else trial.status
        values.append(("trial", f"{status or 'none'}{ends}"))
    if organization.created_at is not None:
        values.append(("since", times.exact(organization.created_at)))
    found = [fact(name, str(value)) for name, value in values if value]
    if (blocked := organization.blocked) is not None:
        by = f" by {blocked.source}" if blocked.source else ""
        found.append(fact("blocked", f"{blocked.reason or 'yes'}{by}", "error"))
    return [(), heading("Set by the platform"), *found] if found else []
