"""Finds and changes the members of organizations."""

from __future__ import annotations

from typing import TYPE_CHECKING

from recto.contract.common import Role
from recto.server.context import Context
from recto.server.http.problems import BadRequest, Forbidden, NotFound, PreconditionFailed
from recto.server.people.access import VisibleSpaces, allows, refusal, require_organization, standing
from recto.server.people.answers import MEMBER_COLUMNS, member_answer
from recto.server.people.directory import add_member
from recto.server.storage.database import Row

if TYPE_CHECKING:
    from recto.contract.members import Member


def find_member(context: Context, organization: str, user: str) -> Row:
    """Return a row of :data:`MEMBER_COLUMNS`; raises :class:`NotFound` for one who is not a member."""
    member = _member(context, organization, user)
    if member is None:
        raise NotFound(f"There is no member {user} in this organization.")
    return member


def require_member(context: Context, organization: str, user: str) -> Row:
    """Return the member's row where the caller may see them: oneself any member may, others the role read.

    Raises :class:`NotFound` for an organization that the caller may not see and for one who is not a member.
    """
    row = require_organization(context, organization)
    if user != context.caller and not allows(standing(context, organization).role, "read"):
        raise refusal("read", f"the organization “{row['title']}”")
    return find_member(context, organization, user)


def member_with_spaces(context: Context, row: Row) -> Member:
    """Return a row of :data:`MEMBER_COLUMNS` as a member; one who is disabled may see no space."""
    if row["disabled"]:
        return member_answer(context, row, 0)
    return member_answer(context, row, VisibleSpaces(context, row["organization"]).count(row["user"], row["role"]))


def change_role(context: Context, organization: str, user: str, role: Role | None) -> None:
    """Give a member a role, or make a guest of them with ``None``.

    Raises :class:`PreconditionFailed` where the organization would be left without an admin.
    """
    if role != "admin":
        _keep_an_admin(context, organization, user, "may not get another role")
    context.database.execute(
        "UPDATE members SET role = ? WHERE organization = ? AND user = ?", role, organization, user
    )


def remove_member(context: Context, organization: str, user: str) -> None:
    """Remove a member, who leaves their teams with it; there may be none.

    Raises :class:`PreconditionFailed` where the organization would be left without an admin.
    """
    _keep_an_admin(context, organization, user, "may not leave")
    context.database.execute("DELETE FROM members WHERE organization = ? AND user = ?", organization, user)


def join_by_domain(context: Context, organization: str) -> None:
    """Make the caller a member with the organization's default role; one who is a member stays what they are.

    Raises :class:`NotFound` for an unknown organization, :class:`BadRequest` where the domain of the caller's e-mail
    address is not among those that it allows, :class:`Forbidden` for a member who is disabled.
    """
    row = context.database.one("SELECT * FROM organizations WHERE id = ?", organization)
    if row is None:
        raise NotFound(f"There is no organization {organization}.")
    member = _member(context, organization, context.caller)
    if member is None:
        _check_domain(context, row)
        add_member(context, organization, context.caller, row["default_role"])
    elif member["disabled"]:
        raise Forbidden(
            f"You may not join the organization “{row['title']}” again: your membership is disabled. Ask its admins."
        )


def mark_seen(context: Context, organization: str) -> None:
    """Remember that the caller is active in an organization now."""
    context.database.execute(
        "UPDATE members SET last_seen_at = ? WHERE organization = ? AND user = ?",
        context.stamp(),
        organization,
        context.caller,
    )


def domain_of_caller(context: Context) -> str | None:
    """Return the domain of the caller's e-mail address, in small letters; ``None`` for one who has no address."""
    address: str | None = context.database.value("SELECT email FROM users WHERE id = ?", context.caller)
    _, at, domain = (address or "").rpartition("@")
    return domain.lower() if at and domain else None


def _member(context: Context, organization: str, user: str) -> Row | None:
    return context.database.one(
        f"SELECT {MEMBER_COLUMNS} FROM members JOIN users ON users.id = members.user"
        " WHERE members.organization = ? AND members.user = ?",
        organization,
        user,
    )


def _check_domain(context: Context, organization: Row) -> None:
    domain = domain_of_caller(context)
    if domain is None:
        raise BadRequest("You have no e-mail address here by whose domain you could join.")
    allowed = context.database.value(
        "SELECT count(*) FROM json_each(?) WHERE value = ?", organization["email_domains"], domain
    )
    if not allowed:
        raise BadRequest(f"The e-mail domain {domain} is not valid for joining this organization. Ask for an invite.")


def _keep_an_admin(context: Context, organization: str, user: str, what: str) -> None:
    """Raise :class:`PreconditionFailed` where ``user`` is the last admin who is not disabled."""
    admins = context.database.column(
        "SELECT user FROM members WHERE organization = ? AND role = 'admin' AND NOT disabled LIMIT 2", organization
    )
    if admins == [user]:
        raise PreconditionFailed(f"The last admin {what}: make somebody else an admin first.")
