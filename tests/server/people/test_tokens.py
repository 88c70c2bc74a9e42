from __future__ import annotations

from pathlib import Path

from recto.server.people.directory import find_people
from recto.server.people.tokens import Token, all_tokens, make_token, revoke_token
from recto.server.platform import Platform
from support.platform import FrozenClock, Speaker, join, make_platform, stranger, user_of_token


def make(platform: Platform, user: str, label: str = "") -> tuple[Token, str]:
    return platform.database.write_now(lambda connection: make_token(platform.context(connection), user, label))


async def test_a_token_speaks_for_its_user_until_it_is_revoked(
    platform: Platform, organization: str, clock: FrozenClock
) -> None:
    grace = join(platform, organization, "Grace Hopper", "read")
    first, secret = make(platform, grace, "laptop")
    clock.advance(days=1)
    second, other = make(platform, platform.owner)
    assert user_of_token(platform, secret) == grace
    assert user_of_token(platform, other) == platform.owner
    assert user_of_token(platform, secret + "x") is None
    assert platform.database.read_now(all_tokens) == [first, second]
    assert (first.name, first.email, first.label) == ("Grace Hopper", "grace@example.org", "laptop")
    assert first.created_at == "2026-03-02T09:00:00.000Z"
    assert len({first.id, second.id}) == 2
    assert first.id not in secret
    assert platform.database.write_now(lambda connection: revoke_token(connection, first.id)) == first
    assert platform.database.write_now(lambda connection: revoke_token(connection, first.id)) is None
    assert user_of_token(platform, secret) is None
    assert user_of_token(platform, other) == platform.owner


async def test_what_another_process_revokes_is_good_no_longer_at_once(tmp_path: Path) -> None:
    served, other = make_platform(tmp_path), make_platform(tmp_path)
    token, secret = make(other, other.owner)
    assert user_of_token(served, secret) == served.owner
    other.database.write_now(lambda connection: revoke_token(connection, token.id))
    assert user_of_token(served, secret) is None
    served.close()
    other.close()


async def test_the_tokens_of_a_person_go_with_them(platform: Platform, organization: str) -> None:
    grace = join(platform, organization, "Grace Hopper", "read")
    _, secret = make(platform, grace)
    platform.database.write_now(lambda connection: connection.execute("DELETE FROM users WHERE id = ?", grace))
    assert user_of_token(platform, secret) is None


async def test_a_token_gives_no_more_than_its_user_may(platform: Platform, organization: str, ada: Speaker) -> None:
    grace = join(platform, organization, "Grace Hopper", "read")
    _, secret = make(platform, grace)
    platform.admit("unrelated", platform.owner)
    ada.headers["Authorization"] = f"Bearer {secret}"
    assert (await ada.get("/user"))["displayName"] == "Grace Hopper"
    await ada.refused("POST", f"/orgs/{organization}/spaces", 403, {"title": "x"})


def test_people_are_found_by_id_then_address_then_name(platform: Platform, organization: str) -> None:
    grace = join(platform, organization, "Grace Hopper", "read")
    emile = join(platform, organization, "ÉMILE", None)
    lost = stranger(platform)

    def find(meant: str) -> list[str]:
        return [each["id"] for each in platform.database.read_now(lambda connection: find_people(connection, meant))]

    assert find(grace) == find("GRACE@example.org") == find("grace hopper") == [grace]
    assert find("émile") == [emile]
    assert find(lost) == find("Sam Stranger") == find("") == find("Grace") == []
    twin = join(platform, organization, "Grace Hopper", "edit")
    assert find("Grace Hopper") == [grace, twin]
