from __future__ import annotations

import pytest

from recto.tui.navigation.url_locations import for_browser


@pytest.mark.parametrize("address", ["https://docs.example.org/a?b#c", "http://[::1]:8977/v1", "HTTPS://example.org"])
def test_addresses_of_the_web_are_for_the_browser(address: str) -> None:
    assert for_browser(address) == address


@pytest.mark.parametrize(
    "address",
    [
        None,
        "",
        "/guide",
        "javascript:alert(1)",
        "file:///etc/passwd",
        "https:",
        "http://[x/",
        "http://recto.invalid/v1",
    ],
)
def test_nothing_else_is(address: str | None) -> None:
    assert for_browser(address) is None
