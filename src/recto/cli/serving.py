"""``recto serve``: the workspace answers the platform's API over HTTP."""

from __future__ import annotations

import ipaddress
import secrets
import sys
from argparse import Namespace

from recto.cli import workspace
from recto.cli.failures import USAGE, CommandError, tell
from recto.settings import Settings


def run(arguments: Namespace, settings: Settings, token: str | None) -> int:
    """Serve until Ctrl+C; the token is the one in ``RECTO_TOKEN``, else one made now and told once."""
    from recto.server.serve import serve

    if arguments.base_url is not None:
        raise CommandError("serve answers from a workspace on this machine; leave --base-url out.", USAGE)
    if not _is_loopback(arguments.host):
        tell(f"{arguments.host} can be reached from other machines, and whoever holds the token can do all you can.")
    platform = workspace.open_platform(settings)
    try:
        platform.admit(token or _tell_new_token(), platform.owner)
        address = f"http://{_in_address(arguments.host)}:{arguments.port}/v1"
        print(f"Serving {workspace.file(settings)} at {address} (Ctrl+C stops it)", file=sys.stderr, flush=True)
        serve(platform, arguments.host, arguments.port)
    except OSError as error:
        raise CommandError(
            f"{arguments.host}:{arguments.port} cannot be bound to: {error.strerror or error}. Choose another --port."
        ) from error
    finally:
        platform.close()
    return 0


def _tell_new_token() -> str:
    token = secrets.token_urlsafe(32)
    print(f"RECTO_TOKEN={token}", flush=True)
    return token


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _in_address(host: str) -> str:
    return f"[{host}]" if ":" in host else host
