from __future__ import annotations

from pathlib import Path

from recto.contract.organizations import Organizations
from recto.store.locations import OrganizationsLocation
from recto.tui.forms.merge_rules import RulesDialog
from support.guide_workspace import guided_app
from support.platform import make_platform, own_organization
from support.screens import all_messages, screen_text, settled, type_text

SUBJECT, APPROVAL, AUTHOR = "The change request has a subject", "At least one approval", "Only the author merges"


async def test_rules_are_added_put_in_order_and_removed(tmp_path: Path) -> None:
    platform = make_platform(tmp_path)
    organization = own_organization(platform)
    app = guided_app(platform, tmp_path, OrganizationsLocation(f"settings:{organization}"))
    async with app.run_test(size=(100, 40), notifications=True) as pilot:
        await settled(pilot)

        async def press(*keys: str) -> None:
            await pilot.press(*keys)
            await settled(pilot)

        def shown() -> list[str]:
            lines = screen_text(app)
            return [rule for line in lines for rule in (SUBJECT, APPROVAL, AUTHOR) if rule in line]

        await press("enter", *"jjjjjjjj", "enter")
        assert isinstance(app.screen, RulesDialog)
        for rule in (SUBJECT, APPROVAL, AUTHOR):
            await press("a")
            await type_text(pilot, rule)
            await press("enter")
        assert shown() == [SUBJECT, APPROVAL, AUTHOR]
        await press("J")
        assert "it is the last one" in "".join(all_messages(app))
        await press("K", "K")
        assert shown() == [AUTHOR, SUBJECT, APPROVAL]
        await press("K")
        assert "it is the first one" in "".join(all_messages(app))
        await press("J", "j", "x")
        assert shown() == [SUBJECT, AUTHOR]
        await press("ctrl+s", "ctrl+s")
        store = app._store
        assert store is not None
        rules = (await store.call(Organizations.get_organization, organization)).merge_rules
        assert rules is not None
        assert [rule.rule for rule in rules.rules] == ["require_change_request_subject", "require_author_to_merge"]
    platform.close()
