"""``python -m recto`` and the ``recto`` command."""

from __future__ import annotations

import sys


def main() -> int:
    """Run the command line and return its exit code."""
    from recto.cli.main import run

    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
