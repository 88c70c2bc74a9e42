from __future__ import annotations

import pytest

from recto.cli.api.body import query_arguments, split_pair
from recto.cli.failures import USAGE, CommandError
from recto.contract.comments import Comments
from recto.contract.organizations import Organizations
from recto.contract.users import Users


def test_what_is_not_given_stays_out() -> None:
    assert query_arguments(Organizations.list_organizations.routes[0], [("limit", "many")]) == {
        "page": None,
        "limit": "many",
    }
    assert query_arguments(Users.get_user.routes[0], []) == {}


def test_a_parameter_that_holds_several_may_be_repeated() -> None:
    given = query_arguments(Comments.list_comments.routes[0], [("authors", "a"), ("authors", "b"), ("status", "all")])
    assert (given["authors"], given["status"]) == (["a", "b"], "all")
    with pytest.raises(CommandError, match="“status” is given 2 times") as caught:
        query_arguments(Comments.list_comments.routes[0], [("status", "all"), ("status", "open")])
    assert caught.value.exit_code == USAGE


def test_an_unknown_name_is_refused_with_those_that_are_known() -> None:
    with pytest.raises(CommandError, match=r"GET /orgs has no query parameter “limt”\. It knows page, limit\."):
        query_arguments(Organizations.list_organizations.routes[0], [("limt", "3")])
    with pytest.raises(CommandError, match=r"GET /user has no query parameter “a”\. It has none\."):
        query_arguments(Users.get_user.routes[0], [("a", "b")])


@pytest.mark.parametrize("given", ["limit", "=3", " =3"])
def test_a_pair_has_a_name_and_a_sign(given: str) -> None:
    with pytest.raises(CommandError, match="-q wants name=value"):
        split_pair(given, "-q")
    assert split_pair("a=b=c", "-q") == ("a", "b=c")
