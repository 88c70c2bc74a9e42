"""Responses in whose lists much cannot be read."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable

from benchmarks.twice.cases import case
from recto.client.responses import Responses
from recto.contract.content import Content
from recto.contract.structure import Structure


@case("pages of a tree that cannot be read", 2_000)
def unreadable_pages(size: int) -> Callable[[], object]:
    """Return the reading of a tree with so many pages, of which every other one has a list for a title."""
    pages = [{"id": f"p{at}", "title": [] if at % 2 else "Page"} for at in range(size)]
    content = json.dumps({"pages": pages}).encode()
    answers = Responses()
    return lambda: asyncio.run(answers.parse(Content.list_pages, "Could not load it.", content))


@case("site spaces that cannot be read", 1_000)
def unreadable_site_spaces(size: int) -> Callable[[], object]:
    """Return the reading of a structure whose one section has so many site spaces, none of which can be read."""
    inside = [{"object": "site-space", "id": f"s{at}", "path": 1} for at in range(size)]
    content = json.dumps({"structure": [{"object": "site-section", "id": "c", "siteSpaces": inside}]}).encode()
    answers = Responses()
    return lambda: asyncio.run(answers.parse(Structure.get_structure, "Could not load it.", content))
