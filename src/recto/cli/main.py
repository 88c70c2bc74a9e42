"""The entry point of the command line: reads arguments and settings, and runs the command."""

from __future__ import annotations

import gc
import io
import os
import sys
from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING

from recto import paths
from recto.cli import logs
from recto.cli.failures import CANCELLED, FAILED, USAGE, CommandError, tell
from recto.settings import Settings, SettingsError, load
from recto.tui.terminal import crash

if TYPE_CHECKING:
    from argparse import Namespace

    Command = Callable[[Namespace, Settings, str | None], int]

# By the name of the command, the module whose ``run`` does it; each is imported only when it is asked for.
_COMMANDS = {
    "address": "recto.cli.address",
    "open": "recto.cli.opening",
    "export": "recto.cli.exporting",
    "import": "recto.cli.importing",
    "pdf": "recto.cli.pdf",
    "git": "recto.cli.git",
    "spec": "recto.cli.specifications",
    "translate": "recto.cli.translations",
    "serve": "recto.cli.serving",
    "api": "recto.cli.api.command",
    "token": "recto.cli.tokens",
    "cache": "recto.cli.cache",
    "doctor": "recto.cli.doctor",
}

_OPENING = ("address", "open")
"""The commands that open the program, which begins to collect garbage when it is open."""

_FLAGS = ("workspace", "base_url", "theme", "read_only")
"""The options that take precedence over settings."""


def run(arguments: Sequence[str]) -> int:
    """Run a command line and return the exit code: 0, 1 if it failed, 2 if the usage was wrong."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        # Characters that the locale lacks are printed by their numbers.
        sys.stdout.reconfigure(errors="backslashreplace")
    try:
        exit_code = _run(arguments)
        sys.stdout.flush()
        return exit_code
    except CommandError as error:
        tell(str(error))
        return error.exit_code
    except (SettingsError, paths.NoHomeError) as error:
        tell(str(error))
        return USAGE
    except KeyboardInterrupt:
        return CANCELLED
    except BrokenPipeError:
        # The reader has read enough; the rest of the output goes nowhere.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return FAILED
    except Exception as error:
        tell(crash.sentence(crash.record(error)))
        return FAILED


def _run(arguments: Sequence[str]) -> int:
    # Pydantic would read the entry points of every installed package in search of plugins, of which there are none.
    os.environ.setdefault("PYDANTIC_DISABLE_PLUGINS", "true")
    given = _parse(arguments) if arguments else None
    token = os.environ.get("RECTO_TOKEN", "").strip() or None
    logs.start(paths.log_file(), *([token] if token else []))
    flags = {name: getattr(given, name, None) for name in _FLAGS}
    settings = load(paths.settings_file(), flags=flags)
    if flags["workspace"] is not None and flags["base_url"] is not None:
        raise CommandError("--workspace and --base-url name two different places; give one of them.", USAGE)
    if given is None or given.command is None:
        from recto.cli.program import show

        return show(settings, token)
    command: Command = import_module(_COMMANDS[given.command]).run
    if given.command not in _OPENING:
        gc.enable()
    return command(given, settings, token)


def _parse(arguments: Sequence[str]) -> Namespace:
    # Without arguments the program starts sooner without their parser.
    from recto.cli.arguments import parse

    return parse(arguments)
