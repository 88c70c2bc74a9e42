from __future__ import annotations

from collections.abc import Callable

import pytest

from recto.contract.common import Role
from recto.server.context import Context
from recto.server.http.problems import Forbidden, NotFound
from recto.server.people import directory
from recto.server.people.access import (
    ROLES,
    allows,
    find_deleted,
    require,
    require_collection,
    require_organization,
    space_role,
)
from recto.server.platform import Platform
from recto.server.spaces.spaces import add_space
from support.platform import Speaker, join, stranger


@pytest.fixture
def make_space(platform: Platform, organization: str) -> Callable[..., str]:
    """Makes a space under a chain of collections with these default levels, outermost first, its own level last."""

    def make(*levels: str | None) -> str:
        def work(context: Context) -> str:
            parent = None
            for level in levels[:-1]:
                parent = directory.create_collection(context, organization, "Shelf", parent)
                context.database.update("collections", parent, default_level=level)
            space = add_space(context, organization, "Book", parent=parent)
            context.database.update("spaces", space, default_level=levels[-1])
            return space

        return platform.database.write_now(lambda connection: work(platform.context(connection)))

    return make


def role_on(platform: Platform, space: str, user: str) -> Role | None:
    def work(context: Context) -> Role | None:
        row = context.database.one("SELECT * FROM spaces WHERE id = ?", space)
        assert row is not None
        return space_role(context, row, user)

    return platform.database.read_now(lambda connection: work(platform.context(connection)))


def test_each_role_may_do_what_those_after_it_may() -> None:
    for at, role in enumerate(ROLES):
        assert [allows(role, least) for least in ROLES] == [False] * at + [True] * (len(ROLES) - at)
        assert not allows(None, role)


@pytest.mark.parametrize(
    ("levels", "member", "role"),
    [
        (("inherit",), "edit", "edit"),
        (("read",), "edit", "read"),
        (("create",), "read", "create"),
        ((None,), "create", None),
        ((None,), "admin", "admin"),
        (("read",), "admin", "admin"),
        (("comment", "inherit"), "edit", "comment"),
        (("comment", "review"), "edit", "review"),
        (("comment", "inherit", "inherit"), "edit", "comment"),
        (("comment", "review", "inherit"), "edit", "review"),
        ((None, "inherit"), "create", None),
        ((None, "read"), "create", "read"),
        (("inherit", "inherit"), "review", "review"),
        (("inherit",), None, None),
        (("edit",), None, "edit"),
    ],
)
def test_the_nearest_level_counts_else_the_members_role(
    platform: Platform,
    organization: str,
    make_space: Callable[..., str],
    levels: tuple[str | None, ...],
    member: Role | None,
    role: Role | None,
) -> None:
    person = join(platform, organization, "Grace Hopper", member)
    assert role_on(platform, make_space(*levels), person) == role


def test_a_stranger_and_a_disabled_member_have_no_role(
    platform: Platform, organization: str, make_space: Callable[..., str]
) -> None:
    space = make_space("edit")
    assert role_on(platform, space, stranger(platform)) is None
    gone = join(platform, organization, "Grace Hopper", "admin")
    platform.database.write_now(lambda c: c.execute("UPDATE members SET disabled = 1 WHERE user = ?", gone))
    assert role_on(platform, space, gone) is None


def test_what_one_may_not_see_is_not_found_and_what_one_may_only_see_is_forbidden(
    platform: Platform, organization: str, make_space: Callable[..., str]
) -> None:
    reader = join(platform, organization, "Rosa Reader", "read")
    hidden, open_ = make_space(None), make_space("inherit", "inherit")

    def work(context: Context) -> None:
        with pytest.raises(NotFound, match=hidden):
            require(context, hidden)
        assert require(context, open_)["id"] == open_
        with pytest.raises(Forbidden, match="edit role"):
            require(context, open_, "edit")
        with pytest.raises(NotFound):
            require(context, "unknown")
        shelf = context.database.value("SELECT parent FROM spaces WHERE id = ?", open_)
        assert require_collection(context, shelf)["id"] == shelf
        with pytest.raises(Forbidden):
            require_collection(context, shelf, "create")
        with pytest.raises(Forbidden):
            require_organization(context, organization, "admin")

    platform.database.read_now(lambda connection: work(platform.context(connection, reader)))


async def test_a_deleted_space_is_found_by_those_alone_who_administrate_it_and_is_in_no_list(
    platform: Platform, ada: Speaker, organization: str, make_space: Callable[..., str]
) -> None:
    space = make_space("inherit")
    platform.database.write_now(
        lambda connection: connection.update("spaces", space, deleted_at="2026-03-02T09:00:00.000Z")
    )
    creator = join(platform, organization, "Cleo Creator", "create")

    def work(context: Context) -> tuple[bool, bool]:
        with pytest.raises(NotFound):
            require(context, space)
        return find_deleted(context, space) is not None, find_deleted(context, "unknown") is not None

    assert platform.database.read_now(lambda c: work(platform.context(c))) == (True, False)
    assert platform.database.read_now(lambda c: work(platform.context(c, creator))) == (False, False)
    assert (await ada.get(f"/orgs/{organization}/spaces"))["items"] == []


def test_a_collection_may_lie_in_thousands_of_others(
    platform: Platform, organization: str, make_space: Callable[..., str]
) -> None:
    space = make_space(*["inherit"] * 3000)
    assert role_on(platform, space, join(platform, organization, "Grace Hopper", "edit")) == "edit"
