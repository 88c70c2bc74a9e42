"""The command line's way in: reads arguments and settings, and hands over to the command."""

from __future__ import annotations

import os
from argparse import Namespace
from collections.abc import Callable, Sequence
from importlib import import_module

from recto import paths
from recto.cli import logs
from recto.cli.arguments import parser
from recto.cli.failures import USAGE, CommandError, tell
from recto.settings import Settings, SettingsError, load

Command = Callable[[Namespace, Settings, str | None], int]

# By the name of the command, the module whose ``run`` does it; each is imported only when it is asked for.
_COMMANDS = {
    None: "recto.cli.program",
    "open": "recto.cli.opening",
    "serve": "recto.cli.serving",
    "doctor": "recto.cli.doctor",
}


def run(arguments: Sequence[str]) -> int:
    """Do what the arguments say and return the exit code: 0, 1 where it failed, 2 where the usage was wrong."""
    given = parser().parse_args(arguments)
    token = os.environ.get("RECTO_TOKEN", "").strip() or None
    logs.start(paths.log_file(), *([token] if token else []))
    try:
        settings = load(
            paths.settings_file(),
            flags={"workspace": given.workspace, "base_url": given.base_url, "theme": given.theme},
        )
        if given.workspace is not None and given.base_url is not None:
            raise CommandError("--workspace and --base-url name two different places; give one of them.", USAGE)
        command: Command = import_module(_COMMANDS[given.command]).run
        return command(given, settings, token)
    except CommandError as error:
        tell(str(error))
        return error.exit_code
    except SettingsError as error:
        tell(str(error))
        return USAGE
    except KeyboardInterrupt:
        return 130
