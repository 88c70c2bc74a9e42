from __future__ import annotations

import pytest

from recto.cli.api.command import find
from recto.cli.failures import USAGE, CommandError
from recto.contract.addresses import Main
from recto.contract.api import routes
from recto.contract.content import Content
from recto.contract.describe import path_of
from recto.contract.organizations import Organizations
from recto.contract.spaces import Spaces


@pytest.mark.parametrize("address", ["/spaces/abc", "spaces/abc", "/v1/spaces/abc", "v1/spaces/abc/", "/spaces/abc/"])
def test_an_operation_is_found_by_its_path(address: str) -> None:
    found = find("get", address)
    assert (found.route, found.values, found.open) == (Spaces.get_space.routes[0], {"space_id": "abc"}, ())


def test_every_operation_is_found_by_its_pattern() -> None:
    for operation in routes():
        found = find(operation.method, path_of(operation))
        assert found.route is operation
        assert list(found.open) == [name.strip("{}") for name in path_of(operation).split("/") if name[:1] == "{"]


def test_a_query_may_stand_behind_the_path() -> None:
    found = find("GET", "/orgs?limit=2&page=a%20b&empty=")
    assert found.route is Organizations.list_organizations.routes[0]
    assert found.query == (("limit", "2"), ("page", "a b"), ("empty", ""))


def test_a_path_in_a_path_is_taken_as_a_whole_and_escapes_are_read() -> None:
    found = find("GET", "/spaces/abc/content/path/guides/caf%C3%A9")
    assert found.route is Content.get_page_by_path.at(Main)
    assert found.values == {"space_id": "abc", "page_path": "guides/café"}


def test_an_address_of_the_platform_itself_is_taken() -> None:
    here = "https://docs.example.com/v1"
    assert find("GET", f"{here}/spaces/abc", here).route is Spaces.get_space.routes[0]
    assert find("GET", "http://recto.invalid/v1/spaces/abc").route is Spaces.get_space.routes[0]


@pytest.mark.parametrize(
    ("method", "address", "says"),
    [
        ("GET", "/orgz", "There is no operation GET /orgz. Similar:\n  GET /orgs"),
        ("GET", "/spaces/abc/change-request", "\n  GET /spaces/{spaceId}/change-requests"),
        ("GET", "/utterly/else/where", "`recto api` lists the operations."),
        ("DELETE", "/orgs", "/orgs does not take DELETE; it takes GET."),
        ("FETCH", "/user", "/user does not take FETCH; it takes GET."),
        ("GET", "https://elsewhere.example/v1/orgs", "is not on the platform that is used, http://recto.invalid."),
        ("GET", "/", "There is no operation GET /."),
    ],
)
def test_an_unknown_operation_is_refused_with_similar_names(method: str, address: str, says: str) -> None:
    with pytest.raises(CommandError) as caught:
        find(method, address)
    assert says in str(caught.value)
    assert caught.value.exit_code == USAGE
