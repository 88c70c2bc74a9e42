"""The title: the trail first, then what else there is room for."""

from __future__ import annotations

import pytest
from textual.app import App, ComposeResult

from recto.tui.look.lines import Span
from recto.tui.look.themes import THEMES
from recto.tui.widgets.bars import TitleBar, Whereabouts
from support.screens import screen_text

ADA = Whereabouts("docs.example.org", "Ada Lovelace", "review")


class Program(App[None]):
    def __init__(
        self, *trail: str, aside: str = "", offline: tuple[str, str] = ("", ""), address: Span | None = None
    ) -> None:
        super().__init__()
        self.bar = TitleBar()
        self.bar.set_reactive(TitleBar.address, address)
        self.bar.set_reactive(TitleBar.trail, trail)
        self.bar.set_reactive(TitleBar.aside, aside)
        self.bar.set_reactive(TitleBar.offline, offline)
        self.bar.set_reactive(TitleBar.whereabouts, ADA)
        for theme in THEMES:
            self.register_theme(theme)
        self.theme = THEMES[0].name

    def compose(self) -> ComposeResult:
        yield self.bar


async def title(
    width: int, *trail: str, aside: str = "", offline: tuple[str, str] = ("", ""), address: Span | None = None
) -> str:
    app = Program(*trail, aside=aside, offline=offline, address=address)
    async with app.run_test(size=(width, 3)):
        return screen_text(app)[0].strip()


@pytest.mark.parametrize(
    ("trail", "right"),
    [
        (("Acme", "Handbook"), "docs.example.org · Ada Lovelace (review)"),
        (("Acme", "The handbook of all that is sent"), "docs.example.org · Ada (review)"),
        (("Acme", "The handbook of all that is to be sent on"), "docs.example.org (review)"),
        (("Acme", "The handbook of all that is to be sent on up"), "docs.example.… (review)"),
    ],
)
async def test_the_trail_is_whole_and_the_rest_is_as_long_as_there_is_room(trail: tuple[str, ...], right: str) -> None:
    shown = await title(76, *trail)
    assert shown.startswith(" › ".join(trail))
    assert shown.endswith(f"  {right}")


@pytest.mark.parametrize(
    ("platform", "short"),
    [
        ("127.0.0.1:8977", "127.0.0.1:8977"),
        ("192.168.100.12:8977", "192.168.…:8977"),
        ("docs.example.org:65535", "docs.ex…:65535"),
        ("docs.example.org", "docs.example.…"),
        ("workspace a:b", "workspace a:b"),
    ],
)
def test_the_port_of_a_platform_is_never_cut(platform: str, short: str) -> None:
    assert Whereabouts(platform, "Ada", "").forms()[-1] == short


async def test_where_there_is_hardly_room_the_trail_is_shortened_and_the_platform_still_named() -> None:
    shown = await title(60, "Acme", "Handbook", "#12 A long subject of a change request")
    assert shown.startswith("… › #12 A long")
    assert shown.endswith("docs.example.… (review)")


async def test_at_a_past_revision_platform_and_person_come_before_how_it_came_about() -> None:
    address = ("◷ as of 2026-11-14 09:00", "success")
    shown = await title(76, "Acme", "Handbook", aside="merged #12 by Grace Hopper", address=address)
    assert shown.startswith("Acme › Handbook  ◷ as of 2026-11-14 09:00")
    assert shown.endswith("  docs.example.org · Ada (review)")
    shown = await title(76, "Documentation of Acme", "Handbook", aside="edited", address=address)
    assert shown.startswith("… › Handbook  ◷ as of 2026-11-14 09:00")
    assert shown.endswith("  docs.example.org · Ada (review)")
    shown = await title(76, "The whole documentation of Acme", "Handbook", address=address)
    assert shown.startswith("… › Handbook  ◷ as of 2026-11-14 09:00")
    assert shown.endswith("  docs.example.org · Ada (review)")
    shown = await title(90, "Acme", "Handbook", aside="merged #12 by Grace Hopper", address=address)
    assert shown.endswith("  merged #12 by…  docs.example.org · Ada (review)")


async def test_offline_is_named_with_its_reason_and_without_it_where_room_is_short() -> None:
    offline = ("offline since 14:05", "connection refused")
    assert "offline since 14:05: connection refused  docs.example.org · Ada" in await title(
        120, "Acme", "Handbook", offline=offline
    )
    shown = await title(76, "Acme", "The handbook of all", offline=offline)
    assert shown.startswith("Acme › The handbook of all")
    assert shown.endswith("  offline since 14:05: connection refused")
    shown = await title(76, "Acme", "The handbook of all that is sent", offline=offline)
    assert shown.startswith("… › The handbook of all that is")
    assert shown.endswith("  offline since 14:05: connection refused")
    shown = await title(76, "Acme's documentation", "Handbook", offline=offline, address=("◌ #4 “Say it”", "warning"))
    assert shown.startswith("… › Handbook  ◌ #4 “Say it”")
    assert shown.endswith("  offline since 14:05: connection refused")
    shown = await title(60, "Acme", "The handbook of all that is sent", offline=offline)
    assert "offline since 14:05" in shown and "refused" not in shown
