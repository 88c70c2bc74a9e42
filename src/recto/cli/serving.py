"""``recto serve``: the workspace answers the platform's API over HTTP."""

from __future__ import annotations

import ipaddress
import secrets
from argparse import Namespace

from recto.cli import embedded_platform
from recto.cli.failures import USAGE, CommandError, tell
from recto.server.http.uvicorn_server import ListenError, serve
from recto.settings import Settings


def run(arguments: Namespace, settings: Settings, token: str | None) -> int:
    """Serve until Ctrl+C, with the token in ``RECTO_TOKEN`` or a new token that is printed once."""
    if arguments.base_url is not None:
        raise CommandError("serve answers from a workspace on this machine; leave --base-url out.", USAGE)
    if settings.read_only:
        way = "leave --read-only out" if arguments.read_only else "set read_only = false, or add --no-read-only"
        raise CommandError(f"serve allows each person what their role allows; {way}.", USAGE)
    if not _is_loopback(arguments.host):
        tell(f"{arguments.host} can be reached from other machines: anyone with the token can do all that you can.")
        if arguments.public_url is None:
            tell("If they use a name or a proxy, give it with --public-url: responses contain addresses.")
    platform = embedded_platform.open_platform(settings)
    try:
        platform.public_url, platform.host = arguments.public_url, arguments.host.lower()
        admitted = token or secrets.token_urlsafe(32)
        platform.admit(admitted, platform.owner)

        def announce(address: str) -> None:
            if token is None:
                print(f"RECTO_TOKEN={admitted}", flush=True)
            known = f", known as {arguments.public_url}" if arguments.public_url else ""
            tell(f"Serving {settings.workspace_file} at {address}/v1{known}; Ctrl+C stops it.")

        serve(platform, arguments.host, arguments.port, ready=announce)
    except ListenError as error:
        raise CommandError(f"{error} Choose another --host or --port.") from error
    finally:
        platform.close()
    return 0


def _is_loopback(host: str) -> bool:
    if host == "localhost":
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False
