from __future__ import annotations

from recto.contract.common import User
from recto.contract.members import Member
from recto.tui.look import signs


def test_members_are_sorted_by_the_names_that_are_shown() -> None:
    people = [
        User(id="1", display_name="bob"),
        User(id="2", display_name="Ada"),
        User(id="3", email="cleo@example.org"),
        User(id="4", display_name="Ada"),
    ]
    members = [Member(id=user.id, user=user) for user in reversed(people)]
    assert [member.id for member in signs.by_name([*members, Member(id="5")])] == ["2", "4", "1", "3", "5"]
