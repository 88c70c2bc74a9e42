"""Identifiers of records, injected so that tests and snapshots are stable."""

from __future__ import annotations

import random
import secrets
import string

_LETTERS_AND_DIGITS = string.ascii_letters + string.digits
_LOWER_AND_DIGITS = string.ascii_lowercase + string.digits
_LENGTH = 20
_SHORT_LENGTH = 5


class Ids:
    """A source of fresh identifiers, shaped as public services shape theirs; a seed makes them repeatable."""

    def __init__(self, source: random.Random | None = None) -> None:
        self._random = source if source is not None else secrets.SystemRandom()

    def fresh(self) -> str:
        """Return 20 letters and digits: a user, organization, collection, space, page, revision or comment."""
        return "".join(self._random.choices(_LETTERS_AND_DIGITS, k=_LENGTH))

    def site(self) -> str:
        """Return the identifier of a site."""
        return self._short("site_")

    def section(self) -> str:
        """Return the identifier of a site section."""
        return self._short("sitesc_")

    def section_group(self) -> str:
        """Return the identifier of a group of site sections."""
        return self._short("sitescg_")

    def site_space(self) -> str:
        """Return the identifier of the link between a site and a space."""
        return self._short("sitesp_")

    def _short(self, prefix: str) -> str:
        return prefix + "".join(self._random.choices(_LOWER_AND_DIGITS, k=_SHORT_LENGTH))
