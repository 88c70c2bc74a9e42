"""Templates: sets of pages to begin with, and the operation that writes a set into a space."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Final

from pydantic import Field

from recto.contract.common import ContentReference
from recto.contract.model import LEFT_OUT, Body
from recto.contract.operation import Resource, post
from recto.frozen import frozen

MOST_REFERENCES: Final = 50
"""The most references that a template is given."""


@frozen
class Template:
    """A template of the embedded platform.

    ``pages`` are the titles of its pages at the top level, in order; ``references`` describes the target of each named
    link.
    """

    id: str
    title: str
    description: str
    pages: tuple[str, ...]
    references: Mapping[str, str]


TEMPLATES: Final = (
    Template(
        "product-docs",
        "Product documentation",
        "quickstart, guides, reference, glossary",
        ("Welcome", "Quickstart", "Installation", "Concepts", "Guides", "Reference"),
        {"support": "where readers get help", "community": "where readers talk to each other"},
    ),
    Template(
        "api-docs",
        "API documentation",
        "first request, errors, limits, webhooks",
        ("Introduction", "Authentication", "Your first request", "How the API works"),
        {
            "specification": "the OpenAPI description",
            "status": "whether the API runs",
            "support": "where developers get help",
        },
    ),
    Template(
        "help-center",
        "Help center",
        "account, billing, privacy, problems",
        ("How can we help?", "Getting started", "Topics", "When you need a person"),
        {"contact": "where readers write to you", "status": "whether the service runs"},
    ),
    Template(
        "changelog",
        "Changelog",
        "how it is kept, a page for each month",
        ("Changelog", "October 2026", "September 2026"),
        {"product": "what the changes are about"},
    ),
    Template(
        "handbook",
        "Team handbook",
        "how we work, decisions, first week, security",
        ("Welcome", "How we work", "Being here"),
        {"directory": "the list of people", "calendar": "the team's calendar"},
    ),
    Template(
        "release-notes",
        "Release notes",
        "versions, upgrade guide, deprecations",
        ("Release notes", "Versions", "Upgrades and support"),
        {"documentation": "the documentation of the product", "downloads": "where versions are downloaded"},
    ),
)
"""The templates of the embedded platform; a hosted platform has others, by ids of its own."""


class TemplateParams(Body):
    """Values of a template: the target of each named reference."""

    content_refs: Annotated[dict[str, ContentReference], Field(max_length=MOST_REFERENCES)] = LEFT_OUT


class ApplyTemplate(Body):
    """The id of a template, and its values."""

    id: str
    params: TemplateParams = LEFT_OUT


class Templates(Resource):
    """Templates of content."""

    @post("/spaces/{space_id}/content/template", status=201)
    async def apply_template(self, space_id: str, body: ApplyTemplate) -> None:
        """Write the pages of a template into a space, after those that it has."""
        ...
