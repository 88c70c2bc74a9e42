"""Pages that the platform computes from something else, as the table of contents declares them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from recto.server.content.tree import Node


def specification_of(node: Node) -> str:
    """Return the id or slug of the specification that pages are computed from; empty for other pages."""
    computed = node.attributes.get("computed") if node.type == "computed" else None
    return specification_in(computed) if isinstance(computed, Mapping) else ""


def specification_in(computed: Mapping[str, Any]) -> str:
    """Return the id or slug of the specification among the dependencies of computed pages, if any."""
    found: Any = computed.get("dependencies")
    for step in ("spec", "ref"):
        found = found.get(step) if isinstance(found, Mapping) else None
    named = found.get("spec") if isinstance(found, Mapping) and found.get("kind", "openapi") == "openapi" else None
    return named if isinstance(named, str) else ""
