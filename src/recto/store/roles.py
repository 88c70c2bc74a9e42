"""The role that permissions amount to, and the reason where it does not suffice."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, cast

if TYPE_CHECKING:
    from recto.contract.common import Role
    from recto.contract.model import Model

GUEST: Final = "guest"
"""The word for the role of a member without one."""

_ALLOWS: Final = {
    "admin": ("admin",),
    "create": ("create", "create_content", "trigger_git_sync"),
    "review": ("review", "merge"),
    "edit": ("edit",),
    "comment": ("comment",),
    "read": ("view", "access"),
}
"""The permissions of which each role has at least one that roles after it lack."""


def role_of(permissions: Model) -> str:
    """Return the role that allows what permissions on an organization, a site or a space do; empty for none."""
    for role, names in _ALLOWS.items():
        if any(getattr(permissions, name, False) for name in names):
            return role
    return ""


def needs(permissions: Model, role: Role) -> str | None:
    """Return the reason why permissions do not suffice for what takes a role, else ``None``: "needs the admin role".

    Screens show it in place of what could be done (``why_not`` of an action, ``reason`` of a form).
    """
    order = list(_ALLOWS)
    own = role_of(permissions)
    return None if own and order.index(own) <= order.index(role) else f"needs the {role} role"


def may_administrate(thing: Model) -> bool:
    """Whether the person may administrate a thing with ``permissions``; assumed where a service does not send them."""
    return "permissions" not in thing.model_fields_set or bool(cast("Any", thing).permissions.admin)


def lacks_permission(permissions: Model, permission: str) -> str | None:
    """Return the reason why a permission is missing, else ``None``: "needs the edit role" for ``edit``."""
    if getattr(permissions, permission):
        return None
    return f"needs the {next(role for role, names in _ALLOWS.items() if permission in names)} role"
