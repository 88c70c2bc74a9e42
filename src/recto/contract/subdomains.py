"""Subdomains: names under the platform's own domain. No operation gives or takes one; a place may be found by it."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from recto.contract.model import Model

SubdomainName = Annotated[str, Field(min_length=3, max_length=32, pattern="^[a-z0-9][a-z0-9-]{1,30}[a-z0-9]$")]
"""The first part of a host name: small letters, digits and, within it, hyphens."""


class OrganizationTarget(Model):
    """A subdomain leads to an organization."""

    type: Literal["organization"] = "organization"
    organization: str


class OtherTarget(Model):
    """A subdomain leads to something of a kind that this version does not know."""

    type: str


SubdomainTarget = Annotated[OrganizationTarget | OtherTarget, Field(union_mode="left_to_right")]


class Subdomain(Model):
    """A name under the platform's own domain, what it leads to, and whether it does so now."""

    object: str = "subdomain"
    subdomain: SubdomainName
    target: SubdomainTarget
    is_active: bool
