"""The source of a version, for members, and for anyone while the specification is public."""

from __future__ import annotations

import zlib

from recto.server.context import Context
from recto.server.http.problems import NotFound
from recto.server.people.access import require_organization
from recto.server.specifications.rows import get_specification, get_version


def find_source(context: Context, organization: str, slug: str, version: str, *, is_known: bool) -> bytes | None:
    """Return the source of a version as it was read; ``None`` where the caller may not see it, or there is none.

    ``is_known`` says whether the caller of the context gave a token; without one only what is public is returned.
    """
    try:
        specification = get_specification(context, organization, slug)
        if specification["visibility"] != "public":
            if not is_known:
                return None
            require_organization(context, organization, "read")
        return zlib.decompress(get_version(context.database, specification, version)["source"])
    except NotFound:
        return None
