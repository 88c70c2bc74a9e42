"""``python -m recto`` and the ``recto`` command."""

from __future__ import annotations

import sys

from recto.cli.main import run


def main() -> int:
    """Run the command line and return its exit code."""
    return run(sys.argv[1:])


if __name__ == "__main__":
    sys.exit(main())
