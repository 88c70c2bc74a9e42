from __future__ import annotations

import base64
import json
from collections.abc import Callable
from typing import Any, TypeVar

import jwt
import pytest

from recto.server.context import Context
from recto.server.http.problems import Forbidden
from recto.server.people import directory
from recto.server.platform import Platform
from recto.server.sites.visitor_claims import LIFETIME, sign_claims, verify_claims
from support.platform import MORNING, FrozenClock, join

T = TypeVar("T")


@pytest.fixture
def reads(platform: Platform) -> Callable[[Callable[[Context], T]], T]:
    return lambda work: platform.database.read_now(lambda c: work(platform.context(c)))


@pytest.fixture
def writes(platform: Platform) -> Callable[[Callable[[Context], T]], T]:
    return lambda work: platform.database.write_now(lambda c: work(platform.context(c)))


@pytest.fixture
def rosa(platform: Platform, organization: str) -> str:
    return join(platform, organization, "Rosa Reader", "read")


@pytest.fixture
def token(writes: Any, organization: str, rosa: str) -> str:
    return str(writes(lambda context: sign_claims(context, organization, rosa)))


def _encode(text: str) -> str:
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _forge(token: str, **claims: Any) -> str:
    """The token with other claims under the signature that it had."""
    head, body, signature = token.split(".")
    told = json.loads(base64.urlsafe_b64decode(body + "=" * (-len(body) % 4))) | claims
    return f"{head}.{_encode(json.dumps(told))}.{signature}"


def test_what_is_signed_says_who_a_member_is(
    reads: Any, writes: Any, organization: str, rosa: str, platform: Platform
) -> None:
    def into_a_team(context: Context) -> str:
        context.database.insert(
            "teams", id="writers", organization=organization, title="Writers", created_at=context.stamp()
        )
        context.database.insert("team_members", team="writers", organization=organization, user=rosa, role="member")
        return sign_claims(context, organization, rosa)

    token = writes(into_a_team)
    assert reads(lambda context: verify_claims(context, organization, token)) == {
        "sub": rosa,
        "aud": organization,
        "iat": int(MORNING.timestamp()),
        "exp": int((MORNING + LIFETIME).timestamp()),
        "name": "Rosa Reader",
        "email": "rosa@example.org",
        "role": "read",
        "teams": ["writers"],
    }


def test_what_is_not_known_of_a_person_is_not_claimed(reads: Any, writes: Any, organization: str) -> None:
    def sign(context: Context) -> str:
        guest = directory.create_user(context, "Gil Guest")
        directory.add_member(context, organization, guest, None)
        return sign_claims(context, organization, guest)

    token = writes(sign)
    claims = reads(lambda context: verify_claims(context, organization, token))
    assert claims.keys() == {"sub", "aud", "iat", "exp", "name", "teams"}


def test_claims_are_good_for_an_hour_by_the_platforms_clock(
    reads: Any, organization: str, rosa: str, token: str, clock: FrozenClock
) -> None:
    clock.advance(minutes=59, seconds=59)
    assert reads(lambda context: verify_claims(context, organization, token))["sub"] == rosa
    clock.advance(seconds=1)
    with pytest.raises(Forbidden, match="has expired"):
        reads(lambda context: verify_claims(context, organization, token))


def test_the_key_stays_the_same_and_is_each_organizations_own(
    platform: Platform, reads: Any, writes: Any, organization: str, rosa: str, token: str
) -> None:
    writes(lambda context: sign_claims(context, organization, rosa))
    assert reads(lambda context: verify_claims(context, organization, token))["sub"] == rosa

    def elsewhere(context: Context) -> str:
        other = directory.create_organization(context, "Other")
        directory.add_member(context, other, rosa, "read")
        sign_claims(context, other, rosa)
        return other

    other = writes(elsewhere)
    with pytest.raises(Forbidden, match="not signed by this organization"):
        reads(lambda context: verify_claims(context, other, token))
    keys = platform.database.read_now(lambda c: {row["key"] for row in c.all("SELECT key FROM visitor_keys")})
    assert len(keys) == 2


def test_an_organization_that_never_signed_anything_knows_no_claims(reads: Any, organization: str) -> None:
    with pytest.raises(Forbidden, match="not signed by this organization"):
        reads(lambda context: verify_claims(context, organization, "a.b.c"))


def test_what_was_not_signed_here_is_refused(
    platform: Platform, reads: Any, organization: str, rosa: str, token: str
) -> None:
    key = platform.database.read_now(lambda c: c.value("SELECT key FROM visitor_keys"))
    claims = jwt.decode(token, options={"verify_signature": False})

    def without(name: str) -> dict[str, Any]:
        return {each: value for each, value in claims.items() if each != name}

    refused = {
        "other claims": _forge(token, sub=platform.owner),
        "a later end": _forge(token, exp=claims["exp"] + 3600),
        "another key": jwt.encode(claims, b"x" * 32, "HS256"),
        "no algorithm": jwt.encode(claims, None, "none"),
        "another algorithm": jwt.encode(claims, key + key, "HS512"),
        "no signature": token.rpartition(".")[0] + ".",
        "no end": jwt.encode(without("exp"), key, "HS256"),
        "an end that is no moment": jwt.encode(claims | {"exp": "9999999999"}, key, "HS256"),
        "nobody": jwt.encode(without("sub"), key, "HS256"),
        "for nobody": jwt.encode(without("aud"), key, "HS256"),
        "nothing": "",
        "no token": "open sesame",
        "not even letters": "\ud800.\x00.é",
        "without end": "a" * 100_000,
        "a head within a head": f"{_encode('[' * 100_000)}.e30.",
    }
    for what, shown in refused.items():
        with pytest.raises(Forbidden, match="not signed by this organization"):
            reads(lambda context, shown=shown: verify_claims(context, organization, shown))
            pytest.fail(what)
    assert jwt.encode(claims, key, "HS256") == token
