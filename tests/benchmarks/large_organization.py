"""Keys in a large organization and on a large site, beside small ones, in the same run.

    uv run python tests/benchmarks/large_organization.py

Opens the real program on two workspaces: ten members, ten spaces, five teams and a site of five sections with ten
site spaces; and 10,000 members, 2,000 spaces in nested collections, 500 teams and a site of 200 sections with 1,000
site spaces. Prints the milliseconds of the first frame, and the medians from a key to what it draws, with their
ratios. The aim: none grows by more than half.
"""

from __future__ import annotations

import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1]))

from recto.server.context import Context
from recto.server.people import directory
from recto.server.people.teams import add_team
from recto.server.platform import Owner, Platform
from recto.server.sites.sections import create_section
from recto.server.sites.site_spaces import add_site_space
from recto.server.sites.sites import add_site
from recto.server.spaces.spaces import add_space
from support.platform import own_organization
from support.terminal import Terminal

ROUNDS = 3


@dataclass(frozen=True)
class Sizes:
    """How much there is of everything."""

    members: int
    spaces: int
    teams: int
    sections: int
    site_spaces: int


SMALL = Sizes(members=10, spaces=10, teams=5, sections=5, site_spaces=10)
LARGE = Sizes(members=10_000, spaces=2_000, teams=500, sections=200, site_spaces=1_000)


def make_workspace(home: Path, sizes: Sizes) -> None:
    """Make a workspace of these sizes."""
    platform = Platform.open(home / "workspace.db", owner=Owner("Ada"), fill=lambda _: None)
    organization = own_organization(platform)
    platform.database.write_now(lambda connection: fill(platform.context(connection), organization, sizes))
    platform.close()


def fill(context: Context, organization: str, sizes: Sizes) -> None:
    """Fill an organization: ten spaces to a collection, ten collections to a collection around them."""
    members = [directory.create_user(context, f"Member {n:05}", f"m{n}@example.org") for n in range(sizes.members)]
    for member in members:
        directory.add_member(context, organization, member, "read")
    for number in range(sizes.teams):
        add_team(context, organization, f"Team {number:03}", members[:3])
    spaces: list[str] = []
    outer = inner = None
    for number in range(sizes.spaces):
        if number % 100 == 0:
            outer = directory.create_collection(context, organization, f"Shelf {number:05}", None)
        if number % 10 == 0:
            inner = directory.create_collection(context, organization, f"Board {number:05}", outer)
        spaces.append(add_space(context, organization, f"Space {number:05}", parent=inner))
    site = add_site(context, organization, "Manuals")
    sections = [create_section(context, site, f"Section {number:03}") for number in range(sizes.sections)]
    for number in range(sizes.site_spaces):
        add_site_space(context, site, spaces[number], section=sections[number % len(sections)])


def go_to(terminal: Terminal, title: str) -> None:
    """Put the cursor of the tree on a row, by its title."""
    for key in ("/", *title, "\r", "\x1b"):
        terminal.press(key)
        terminal.wait_until_still()


def escape(terminal: Terminal) -> None:
    """Press escape by itself: a key right after it would be read as one with alt."""
    terminal.wait_until_still()
    terminal.press("\x1b")
    terminal.wait_until_still()


def measure(sizes: Sizes) -> dict[str, float]:
    """Return what each thing takes in one run."""
    found: dict[str, Any] = {}
    with tempfile.TemporaryDirectory() as folder:
        make_workspace(Path(folder), sizes)
        begun = time.perf_counter()
        with Terminal([sys.executable, "-m", "recto"], environment={"RECTO_HOME": folder}) as terminal:
            terminal.wait_for("Organizations")
            found["first frame"] = (time.perf_counter() - begun) * 1000
            terminal.wait_for("Members", "Shelf 00000")
            terminal.press("Z")
            found["tree: step"] = terminal.time_keys("jjjjjjjjjkkkkkkkkk")
            terminal.press("/")
            found["tree: letter of a filter"] = terminal.time_keys("space")
            terminal.press("\r")
            escape(terminal)
            go_to(terminal, "00001")
            found["tree: lift"] = terminal.time_keys("m")
            found["tree: step of what is lifted"] = terminal.time_keys("jjjkkk")
            escape(terminal)
            for title in ("Members", "Teams"):
                go_to(terminal, title)
                terminal.press("\r")
                terminal.wait_for(f"{title[:-1]} 0")
                found[f"{title.lower()}: step"] = terminal.time_keys("jjjjkkkk")
                terminal.press("/")
                # Letters that nothing holds: rows that fill the screen or do not would be compared otherwise.
                found[f"{title.lower()}: letter of a filter"] = terminal.time_keys("xyzzy")
                escape(terminal)
                terminal.press("h")
            go_to(terminal, "Manuals")
            terminal.press("\r")
            terminal.wait_for("Section 001")
            found["site: step"] = terminal.time_keys("jjjjjjkkkkkk")
            terminal.press("/")
            found["site: letter of a filter"] = terminal.time_keys("secti")
            terminal.press("\r")
            escape(terminal)
            found["site: lift"] = terminal.time_keys("m")
            found["site: step of what is lifted"] = terminal.time_keys("jjjkkk")
    return found


def main() -> None:
    runs = [(measure(SMALL), measure(LARGE)) for _ in range(ROUNDS)]
    print(f"{'':30}{'small':>12}{'large':>12}   ratio")
    for name in runs[0][0]:
        small, large = (min(run[which][name] for run in runs) for which in (0, 1))
        print(f"{name:30}{small:9.1f} ms{large:9.1f} ms   {large / small:5.2f}")


if __name__ == "__main__":
    main()
