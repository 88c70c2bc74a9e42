"""Identifiers of records, injected so that tests and snapshots are stable."""

from __future__ import annotations

import os
import random
import string
from functools import partial

_LETTERS_AND_DIGITS = string.ascii_letters + string.digits
_LOWER_AND_DIGITS = string.ascii_lowercase + string.digits
_LENGTH = 20
_SHORT_LENGTH = 5


class Ids:
    """A source of fresh identifiers, shaped as public services shape theirs; a seed makes them repeatable."""

    def __init__(self, source: random.Random | None = None) -> None:
        self._choose = _choose_from_system if source is None else partial(_choose, source)

    def fresh(self) -> str:
        """Return 20 letters and digits: a user, organization, collection, space, page, revision or comment."""
        return self._choose(_LETTERS_AND_DIGITS, _LENGTH)

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
        return prefix + self._choose(_LOWER_AND_DIGITS, _SHORT_LENGTH)


def _choose(source: random.Random, signs: str, count: int) -> str:
    return "".join(source.choices(signs, k=count))


def _choose_from_system(signs: str, count: int) -> str:
    """Ask the system once for all: to ask it for each sign was a twentieth of an import."""
    by_byte = (signs * 256)[:256].encode()
    uneven = bytes(range(256 - 256 % len(signs), 256))  # the first signs would come more often
    chosen = ""
    while len(chosen) < count:
        chosen += os.urandom(2 * count).translate(by_byte, uneven).decode()
    return chosen[:count]
