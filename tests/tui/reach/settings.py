"""Rows of the settings of an organization and of a space, and of sign-on."""

from __future__ import annotations

from typing import Any

from recto.contract.agent_instructions import AgentInstructions
from recto.contract.organizations import Organizations
from recto.contract.sign_on import SignOn
from recto.contract.spaces import Spaces
from recto.contract.teams import CreateTeam, Teams
from recto.document.rich_text.markdown_writer import to_markdown
from recto.server.people.directory import create_organization
from recto.store.locations import OrganizationsLocation, SpaceLocation
from tui.reach.organizations import OWN
from tui.reach.row import EVERYONE, Driver, Place, Row

SETTINGS = Place(
    "settings of an organization", lambda world: OrganizationsLocation(f"settings:{world.organization}"), ("enter",)
)
INSTRUCTIONS = Place("instructions for agents", SETTINGS.opening, ("enter", "i"))
SPACE = Place("settings of a space", lambda world: SpaceLocation(world.space), ("7",))
SIGN_ON = Place(
    "sign-on of an organization", lambda world: OrganizationsLocation(f"sign-on:{world.organization}"), ("enter",)
)


async def fill(ada: Driver, text: str) -> None:
    """Type into the field under the cursor of a pane, and go to the next."""
    await ada.press("enter")
    await ada.type(text)
    await ada.press("escape", "j")


async def go_to_another_organization(ada: Driver) -> None:
    await ada.press("G", "k")


async def join(ada: Driver) -> None:
    def make(connection: Any) -> str:
        context = ada.platform.context(connection)
        other = create_organization(context, "Example works")
        context.database.update("organizations", other, email_domains='["example.org"]')
        return other

    other = ada.platform.database.write_now(make)
    await ada.press("plus", "enter")
    listed = await ada.call(Organizations.list_organizations)
    assert other in [each.id for each in listed.items]


async def change_settings(ada: Driver) -> None:
    await fill(ada, " of ours")
    await fill(ada, "https://example.org/logo.png")
    await ada.press("space", "j")
    await fill(ada, "docs.example.org")
    await fill(ada, "example.org example.com")
    await ada.press("space", "j", "space", "j", "space", "j")
    await ada.press("enter", "a")
    await ada.type("subject")
    await ada.press("enter", "ctrl+s", "j", "space", "ctrl+s")
    await ada.type("recto guide")
    await ada.press("enter")
    now = await ada.call(Organizations.get_organization, ada.world.organization)
    assert now.title == "Recto guide of ours"
    assert now.email_domains == ("example.org", "example.com")
    assert now.sso
    assert now.merge_rules is not None
    assert [rule.rule for rule in now.merge_rules.rules] == ["require_change_request_subject"]


async def change_space(ada: Driver) -> None:
    await ada.press("j", "j", "j", "j", "j")
    await fill(ada, "https://example.org/icon.png")
    await ada.press("enter", "i", "a")
    await ada.type("approval")
    await ada.press("enter", "ctrl+s", "ctrl+s")
    now = await ada.call(Spaces.get_space, ada.world.space)
    assert now.urls.icon == "https://example.org/icon.png"
    assert now.merge_rules is not None
    assert [rule.rule for rule in now.merge_rules.rules] == ["require_at_least_one_approved_review"]


async def send_instructions(ada: Driver) -> None:
    await ada.type("Be brief.")
    await ada.press("ctrl+s")
    now = await ada.call(AgentInstructions.get_instructions, ada.world.organization)
    assert to_markdown(now.instructions) == "Be brief.\n"


async def add_provider(ada: Driver) -> None:
    for title in ("Newcomers", "Writers"):
        await ada.call(Teams.create_team, ada.world.organization, CreateTeam(title=title, members=()))
    await ada.press("a")
    for text in ("Example", "urn:example", "https://example.org/sso", "MIIB"):
        await ada.type(text)
        await ada.press("tab")
    await ada.press("space", "j", "enter")
    await ada.type("newc")
    await ada.press("enter", "ctrl+s")
    await ada.type("recto guide")
    await ada.press("enter")
    made = await ada.call(SignOn.list_saml_providers, ada.world.organization)
    assert [(one.label, one.status, one.default_role) for one in made.items] == [("Example", "active", "admin")]


async def change_provider(ada: Driver) -> None:
    await add_provider(ada)
    ada.asked.clear()
    await ada.press("enter")
    for _ in range(4):
        await ada.type("AAAA")
        await ada.press("tab")
    await ada.press("space", "j", "enter")
    await ada.type("writ")
    await ada.press("enter", "ctrl+s")
    made = await ada.call(SignOn.list_saml_providers, ada.world.organization)
    assert [one.default_role for one in made.items] == ["create"]
    assert made.items[0].label.startswith("Example")


async def delete_provider(ada: Driver) -> None:
    await add_provider(ada)
    await ada.press("D", "y")
    assert (await ada.call(SignOn.list_saml_providers, ada.world.organization)).items == ()


async def copy_login(ada: Driver) -> None:
    await add_provider(ada)
    await ada.press("Y", "enter")
    logins = await ada.call(SignOn.list_sso_logins, ada.world.organization)
    assert ada.pilot.app.clipboard == logins.items[0].start_url


PROVIDER = {
    **dict.fromkeys(("label", "entity_id", "certificate", "sso_url"), "field"),
    "default_role": "choice",
    "default_team": "choice",
}
ADMIN = "needs the admin role"

ROWS: tuple[Row, ...] = (
    Row(Organizations.ping, OWN, "list.bottom", act=go_to_another_organization, needs=EVERYONE),
    Row(Organizations.join_organization, OWN, "organization.join", act=join, needs=EVERYONE),
    Row(Organizations.list_organizations_of_domain, OWN, "organization.join", act=join),
    Row(
        Organizations.update_organization,
        SETTINGS,
        "form.send",
        {
            **dict.fromkeys(("title", "email_domains", "hostname", "logo"), "field"),
            **dict.fromkeys(("default_role", "default_content"), "choice"),
            **dict.fromkeys(("sso", "ai", "invite_links"), "switch"),
            "merge_rules": "dialog",
        },
        act=change_settings,
        needs=ADMIN,
    ),
    Row(AgentInstructions.get_instructions, INSTRUCTIONS),
    Row(
        AgentInstructions.set_instructions,
        INSTRUCTIONS,
        "text.send",
        {"instructions": "Markdown"},
        act=send_instructions,
        needs=ADMIN,
    ),
    Row(
        Spaces.update_space,
        SPACE,
        "form.send",
        {"icon": "field", "merge_rules": "dialog"},
        act=change_space,
        needs=ADMIN,
    ),
    Row(SignOn.list_saml_providers, SIGN_ON),
    Row(SignOn.create_saml_provider, SIGN_ON, "item.new", PROVIDER, act=add_provider, needs=ADMIN),
    Row(SignOn.update_saml_provider, SIGN_ON, "list.open", PROVIDER, act=change_provider, needs=ADMIN),
    Row(SignOn.delete_saml_provider, SIGN_ON, "item.delete", act=delete_provider, needs=ADMIN),
    Row(SignOn.list_sso_logins, SIGN_ON, "sign_on.copy_login", act=copy_login),
)
