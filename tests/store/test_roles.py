"""Whether permissions suffice for what takes a role."""

from __future__ import annotations

import pytest

from recto.contract.common import Role
from recto.contract.organizations import OrganizationPermissions
from recto.contract.spaces import SpacePermissions
from recto.store.roles import needs


@pytest.mark.parametrize(
    ("permissions", "role", "reason"),
    [
        (OrganizationPermissions(admin=True), "admin", None),
        (OrganizationPermissions(admin=True), "read", None),
        (OrganizationPermissions(create_content=True), "admin", "needs the admin role"),
        (OrganizationPermissions(create_content=True), "create", None),
        (SpacePermissions(view=True, comment=True), "edit", "needs the edit role"),
        (SpacePermissions(), "read", "needs the read role"),
    ],
)
def test_a_role_that_does_not_suffice_is_named(
    permissions: OrganizationPermissions | SpacePermissions, role: Role, reason: str | None
) -> None:
    assert needs(permissions, role) == reason
