from __future__ import annotations

from dataclasses import replace

import pytest

from recto.urls import Thing, ThingUrl, read_path, read_url, same_platform, without_credentials

SPACE = Thing(space="s1")
THINGS = [
    Thing(organization="o1"),
    Thing(collection="c1"),
    Thing(organization="o1", site="site_1"),
    SPACE,
    replace(SPACE, page="p1"),
    replace(SPACE, page="a/b c", anchor="the end"),
    replace(SPACE, change_request="r1"),
    replace(SPACE, change_request="r1", page="p1"),
    replace(SPACE, revision="v1", page="v1/p"),
]
PLATFORMS = ["https://docs.example.org", "http://[::1]:8977", "https://example.org/behind/it", "recto:Ada1"]


@pytest.mark.parametrize("platform", PLATFORMS)
@pytest.mark.parametrize("thing", THINGS, ids=lambda thing: thing.path)
def test_an_address_of_the_app_is_read_as_it_was_made(platform: str, thing: Thing) -> None:
    assert read_url(str(ThingUrl(platform, thing))) == ThingUrl(platform, thing)
    assert read_path(thing.path.partition("#")[0]) == replace(thing, anchor="")


@pytest.mark.parametrize(
    ("address", "thing"),
    [
        ("https://api.example.org/v1/orgs/o1", Thing(organization="o1")),
        ("https://api.example.org/v1/orgs/o1/sites/site_1/site-spaces/x", Thing(organization="o1", site="site_1")),
        ("https://api.example.org/v1/collections/c1", Thing(collection="c1")),
        ("https://api.example.org/v1/spaces/s1/comments/x", SPACE),
        ("https://api.example.org/v1/spaces/s1/content/page/p1#end", replace(SPACE, page="p1", anchor="end")),
        ("https://api.example.org/v1/spaces/s1/content/path/a/s/b", replace(SPACE, page="a/s/b")),
        ("https://api.example.org/v1/spaces/s1/change-requests/7", replace(SPACE, change_request="7")),
        (
            "https://api.example.org/v1/spaces/s1/change-requests/7/content/page/p1",
            replace(SPACE, change_request="7", page="p1"),
        ),
        ("https://api.example.org/v1/spaces/s1/revisions/v1/page/p1", replace(SPACE, revision="v1", page="p1")),
    ],
)
def test_addresses_of_the_api_name_things_too(address: str, thing: Thing) -> None:
    assert read_url(address) == ThingUrl("https://api.example.org", thing)


@pytest.mark.parametrize(
    ("address", "thing"),
    [
        ("https://app.gitbook.com/o/o1/s/s1/", SPACE),
        ("https://app.gitbook.com/o/o1/s/s1/a/b?q=1#end", replace(SPACE, page="a/b", anchor="end")),
        ("https://app.gitbook.com/o/o1/s/s1/~/changes/12/a", replace(SPACE, change_request="12", page="a")),
        ("https://app.gitbook.com/o/o1/s/s1/~/diff/~/changes/12/", replace(SPACE, change_request="12")),
        ("https://app.gitbook.com/o/o1/home", Thing(organization="o1")),
        ("https://app.gitbook.com/o/o1/sites/site_1/structure", Thing(organization="o1", site="site_1")),
    ],
)
def test_addresses_of_the_hosted_app_are_of_the_platform_that_answers_for_it(address: str, thing: Thing) -> None:
    assert read_url(f" {address}\n") == ThingUrl("https://api.gitbook.com", thing)


@pytest.mark.parametrize(
    "address",
    [
        "", "recto:", "recto:/etc/passwd", "recto:../s/x", "recto:Ada1", "recto:Ada1/etc/passwd", "file:///s/s1",
        "https://example.org", "https://example.org/guide", "https:///s/s1", "https://me:secret@example.org/s/s1",
        "http://[x/s/s1", "http://example.org:x/s/s1", "https://example.org/s/s1\x1b[2J",
        "ftp://example.org/s/s1", "javascript:alert(1)//s/x", "https://example.org/s/" + 5000 * "x",
    ],
)  # fmt: skip
def test_nothing_else_is_an_address(address: str) -> None:
    assert read_url(address) is None


def test_a_page_never_leads_out_of_its_space() -> None:
    read = read_url("https://example.org/s/s1/../../s/s2/./a")
    assert read is not None
    assert (read.thing.space, read.thing.page) == ("s1", "s/s2/a")


def test_a_machine_is_the_same_by_each_of_its_own_names() -> None:
    assert same_platform("http://localhost:8977/v1", "http://127.0.0.1:8977")
    assert same_platform("https://Example.org/", "https://example.org:443")
    assert not same_platform("http://localhost:8977", "http://localhost:8978")
    assert not same_platform("https://example.org", "http://example.org")
    assert not same_platform("https://example.org/a", "https://example.org/b")
    assert not same_platform("https://api.example.org", "https://api.example.org.evil.example")


@pytest.mark.parametrize(
    ("address", "shown"),
    [
        ("https://me:secret@example.org/a@b", "https://example.org/a@b"),
        ("https://token@example.org", "https://example.org"),
        ("ssh://git@example.org/a", "ssh://git@example.org/a"),
        ("ssh://git:secret@example.org/a", "ssh://example.org/a"),
        ("~/a@b", "~/a@b"),
    ],
)
def test_an_address_is_kept_without_credentials(address: str, shown: str) -> None:
    assert without_credentials(address) == shown
