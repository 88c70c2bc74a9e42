"""What HTTP cannot do, told as an error of this package."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from recto.client.errors import TimedOut, Unreachable, Unsendable


@contextmanager
def failing(what: str, place: str, *, reads: bool) -> Iterator[None]:
    """Turn what goes wrong on the way to ``place`` and back into a :class:`ClientError`."""
    import httpx

    try:
        yield
    except (TimeoutError, httpx.TimeoutException) as error:
        unsent = isinstance(error, (httpx.ConnectTimeout, httpx.PoolTimeout))
        raise TimedOut(what, f"{place} did not answer in time.", may_have_arrived=not (reads or unsent)) from error
    except httpx.TransportError as error:
        unsent = isinstance(error, (httpx.ConnectError, httpx.ProxyError, httpx.UnsupportedProtocol))
        why = f"{place} cannot be reached." if unsent else f"The connection to {place} broke."
        raise Unreachable(what, why, may_have_arrived=not (reads or unsent)) from error
    except (httpx.InvalidURL, httpx.HTTPError, UnicodeError) as error:
        raise Unsendable(what, f"{place} is not an address that can be called.") from error
