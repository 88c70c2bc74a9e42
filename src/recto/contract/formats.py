"""The forms of domains, host names and addresses that are sent."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Annotated, Any, Final

from pydantic import AfterValidator, Field
from pydantic_core import PydanticCustomError

_LABEL: Final = "[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?"
_DOMAIN: Final = rf"^(?:{_LABEL}[.])+{_LABEL}$"
_HOST: Final = r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._~%-]+)(?::[0-9]{1,5})?"
_WEB_ADDRESS: Final = rf"^https?://{_HOST}(?:[/?#][A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]*)?$"

HOSTNAME_FORM: Final = r"^([a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?[.]){2,}[a-z0-9][a-z0-9-]{0,61}[a-z0-9]$"
"""The pattern of a custom host name."""


def of_form(pattern: str, what: str) -> Callable[[str], str]:
    """Return a check for a pattern whose complaint says ``what`` is asked for instead of showing the pattern."""

    def check(text: str) -> str:
        if re.fullmatch(pattern, text) is None:
            raise PydanticCustomError("form", f"must be {what}")
        return text

    return check


def _describe(pattern: str) -> dict[str, Any]:
    return {"pattern": pattern}


Domain = Annotated[
    str,
    Field(max_length=253, json_schema_extra=_describe(_DOMAIN)),
    AfterValidator(of_form(_DOMAIN, "a domain such as example.org")),
]
"""A domain of at least two labels, in any case."""

Hostname = Annotated[
    str,
    Field(max_length=512, json_schema_extra=_describe(HOSTNAME_FORM)),
    AfterValidator(
        of_form(HOSTNAME_FORM, "a host name of at least three parts in small letters, such as docs.example.org")
    ),
]
"""A custom host name."""

WebAddress = Annotated[
    str,
    Field(max_length=2048, json_schema_extra=_describe(_WEB_ADDRESS)),
    AfterValidator(of_form(_WEB_ADDRESS, "an address that begins with http:// or https://")),
]
"""An address on the web."""
