"""``recto token``: tokens with which the members of a workspace work on it while it is served."""

from __future__ import annotations

from argparse import Namespace
from datetime import datetime

from recto.cli import embedded_platform
from recto.cli.failures import USAGE, CommandError, tell
from recto.cli.output import print_table
from recto.contract.common import Role
from recto.server.context import Context
from recto.server.http.problems import Problem
from recto.server.people.directory import add_person, find_people
from recto.server.people.tokens import Token, all_tokens, make_token, revoke_token
from recto.server.platform import Platform
from recto.server.storage.database import Row
from recto.settings import Settings

DEFAULT_ROLE: Role = "edit"
"""The role of a new member where none is given."""


def run(arguments: Namespace, settings: Settings, token: str | None) -> int:
    """Make, list or revoke tokens of the workspace on this machine."""
    if arguments.base_url is not None:
        raise CommandError("token is about the workspace on this machine; leave --base-url out.", USAGE)
    if settings.read_only and arguments.step != "list":
        raise CommandError(f"token {arguments.step} changes the workspace, and Recto is read-only now.", USAGE)
    platform = embedded_platform.open_platform(settings)
    try:
        {"create": _create, "list": _list, "revoke": _revoke}[arguments.step](platform, arguments)
    except Problem as error:
        raise CommandError(error.message) from error
    finally:
        platform.close()
    return 0


def _create(platform: Platform, arguments: Namespace) -> None:
    """Print the token, and nothing else, on standard output."""
    if arguments.name is None and (arguments.role or arguments.organization):
        raise CommandError("--role and --organization are for a new member, who needs a --name.", USAGE)

    def work(context: Context) -> tuple[Token, str]:
        user = _new_member(context, arguments) if arguments.name is not None else _member(context, arguments.member)
        return make_token(context, user, arguments.label.strip())

    made, secret = platform.database.write_now(lambda connection: work(platform.context(connection)))
    if arguments.name is not None:
        tell(f"{_owner_of(made)} is a member now, with the role {arguments.role or DEFAULT_ROLE}.")
    tell(f"Token {made.id} for {_owner_of(made)}. It is shown only once: keep it secret.")
    print(secret, flush=True)


def _new_member(context: Context, arguments: Namespace) -> str:
    name, email = arguments.name.strip(), arguments.member.strip()
    if not name or "@" not in email:
        raise CommandError("A new member needs a --name that is not empty, and an e-mail address as MEMBER.", USAGE)
    role: Role = arguments.role or DEFAULT_ROLE
    return add_person(context, name, email, role, arguments.organization)


def _member(context: Context, given: str) -> str:
    found = find_people(context.database, given)
    if not found:
        raise CommandError(
            f"There is no member {given}. To add a new one: recto token create E-MAIL --name NAME --role ROLE."
        )
    if len(found) > 1:
        people = ", ".join(f"{_name_of(each)} (id {each['id']})" for each in found)
        raise CommandError(f"{given} could be {people}. Give the id.")
    user: str = found[0]["id"]
    return user


def _name_of(person: Row) -> str:
    return f"{person['display_name']} <{person['email']}>" if person["email"] else str(person["display_name"])


def _list(platform: Platform, arguments: Namespace) -> None:
    tokens = platform.database.read_now(all_tokens)
    if not tokens:
        tell("There are no tokens. `recto token create MEMBER` creates one.")
        return
    rows = [("ID", "MADE", "FOR", "LABEL")]
    rows += [(token.id, _day(token.created_at), _owner_of(token), token.label) for token in tokens]
    print_table(rows)


def _revoke(platform: Platform, arguments: Namespace) -> None:
    token = platform.database.write_now(lambda connection: revoke_token(connection, arguments.id.strip().lower()))
    if token is None:
        raise CommandError(f"There is no token {arguments.id}. `recto token list` shows the ids.")
    tell(f"The token {token.id} of {_owner_of(token)} is revoked.")


def _owner_of(token: Token) -> str:
    return f"{token.name} <{token.email}>" if token.email else token.name


def _day(stamp: str) -> str:
    return datetime.fromisoformat(stamp).astimezone().strftime("%Y-%m-%d")
