"""Text from outside is data: whatever stands in it, the terminal gets nothing but letters from it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from typing import Any

import pytest

from recto.server.content.imported_tree import ImportedPage, ImportedTree, import_tree
from recto.server.people import directory
from recto.server.platform import Owner, Platform
from recto.server.sites import sections, site_spaces, sites
from recto.server.spaces.spaces import add_space
from support.content import Desk
from support.platform import Speaker, own_organization
from support.shell import RECTO, environment
from support.terminal import Terminal

ENTER, ESCAPE, RENAME, QUIT = "\r", "\x1b", "\x1bOQ", "\x11"
MARKUP = "[bold]bold[/bold] [@click=app.quit]click[/]"
FAMILY = "\U0001f468\u200d\U0001f469\u200d\U0001f467\u200d\U0001f466"
HOSTILE = (
    f"\x1b]0;pwned\x07\x1b[66;66H\x1b[?66h\x9b66m\x1bP66\x1b\\\x08\r\n\t{MARKUP} \u202eback\u2066 \u061c\u200f"
    f"\u200b\ufeff\u00ad\u206a\ufff9\U000e0041 {FAMILY} \U0001f44d\U0001f3ff e\u0301"
)
PAGE = f"""\
# {HOSTILE}

Hello {HOSTILE}

```{HOSTILE}
{HOSTILE}
```

| a | {HOSTILE} |
| - | - |
| [{HOSTILE}](<{HOSTILE}>) | b |
"""
ATTRIBUTE = HOSTILE.replace("\r\n", "")
BLOCKS = f"""\
{{% tabs %}}
{{% tab title="First {ATTRIBUTE}" %}}
In the first tab {HOSTILE}
{{% endtab %}}
{{% tab title="Second {ATTRIBUTE}" %}}
In the second tab {HOSTILE}
{{% endtab %}}
{{% endtabs %}}

<details><summary>Summary {ATTRIBUTE}</summary>

Inside of it {HOSTILE}

</details>

{{% hint style="{ATTRIBUTE}" %}}
Hint {HOSTILE}
{{% endhint %}}

{{% embed url="https://e.com/{ATTRIBUTE}" caption="{ATTRIBUTE}" %}}

{{% file src="{ATTRIBUTE}" caption="{ATTRIBUTE}" %}}

{{% openapi src="{ATTRIBUTE}" path="{ATTRIBUTE}" method="{ATTRIBUTE}" %}}
{{% endopenapi %}}

{{% {ATTRIBUTE} %}}

<figure><img src="{ATTRIBUTE}" alt="{ATTRIBUTE}"><figcaption>{ATTRIBUTE}</figcaption></figure>

<table data-view="cards"><tr><td>Card {ATTRIBUTE}</td><td><a href="{ATTRIBUTE}">{ATTRIBUTE}</a></td></tr></table>

$$\\frac{{{ATTRIBUTE}}}{{2}}$$

Expression <code class="expression">space.vars.x {ATTRIBUTE}</code>, :{ATTRIBUTE}: and [^{ATTRIBUTE}]

Last words.
"""

# What this program itself writes: colours, places on the screen, modes, questions to the terminal, and links.
_OWN = re.compile(
    r"\x1b\[(?!66[;Hhm])[<>=?]?[0-9;:]*\$?[A-Za-z~]|\x1b\]22;[a-z]*(?:\x07|\x1b\\)|\x1b\]8;[^;\x07\x1b]*;[!-~]*\x1b\\|\x1b[>=78]"
)
_ACTING = re.compile(
    "[\x00-\x09\x0b\x0c\x0e-\x1f\x7f-\x9f\u00ad\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\U000e0000-\U000e007f]"
)

pytestmark = [pytest.mark.slow, pytest.mark.skipif(os.name == "nt", reason="there is no pseudo-terminal")]


def hostile_name(word: str) -> str:
    """Give a name by which a thing is found, and which is hostile all the same."""
    return f"{word} {HOSTILE}"


async def make_workspace(home: Path) -> None:
    """Make a workspace in which everything that has a name or a text has a hostile one."""
    platform = Platform.open(
        home / "workspace.db", owner=Owner(hostile_name("Ada"), "ada\x1b[66m@example.org"), fill=lambda _: None
    )
    organization = own_organization(platform)

    def work(connection: Any) -> str:
        context = platform.context(connection)
        connection.update("organizations", organization, title=hostile_name("Acme"))
        shelf = directory.create_collection(context, organization, hostile_name("Shelf"), description=HOSTILE)
        space = add_space(context, organization, hostile_name("Handbook"), parent=shelf)
        page = ImportedPage(
            "page", hostile_name("Welcome"), slug="page", text=PAGE, attributes={"description": HOSTILE}
        )
        blocks = ImportedPage("blocks", hostile_name("Blocks"), slug="blocks", text=BLOCKS)
        import_tree(context, space, ImportedTree([page, blocks]))
        site = sites.add_site(context, organization, hostile_name("Portal"))
        group = sections.create_group(context, site, hostile_name("Group"))
        section = sections.create_section(context, site, hostile_name("Section"), parent=group)
        site_spaces.add_site_space(context, site, space, section=section)
        return space

    space = platform.database.write_now(work)
    speaker = Speaker(platform)
    desk = await Desk.open(speaker, space, "Merged")
    await desk.write({"operation": "insert_files", "files": [file_named("drawing")]})
    await desk.merge()
    desk = await Desk.open(speaker, space, hostile_name("Subject")[:100])
    await speaker.send("PATCH", desk.path, {"status": "open"})
    await desk.edit("page", f"{HOSTILE}\n\nNew {HOSTILE}\n")
    comment = {"body": {"markdown": hostile_name("Remark")}}
    for place in (f"/spaces/{space}", desk.path):
        await speaker.send("POST", f"{place}/comments", comment)
    platform.close()


def file_named(word: str) -> dict[str, str]:
    return {"name": f"{word}\x1b[66m\u202e{MARKUP}".replace("/", ""), "contentType": "text/plain", "base64": "QQ=="}


@contextmanager
def program(home: Path, *arguments: str) -> Iterator[Terminal]:
    with Terminal([*RECTO, *arguments], environment=environment(home), columns=140, rows=40) as terminal:
        yield terminal
        terminal.press(QUIT)
        assert terminal.wait_for_end() == 0
    assert_only_letters(bytes(terminal.written))


def assert_only_letters(written: bytes) -> None:
    """Hold that no control sequence but the program's own has gone to the terminal."""
    left = _OWN.sub("", written.decode())
    found = _ACTING.search(left)
    assert found is None, f"{found[0]!a} after {left[max(0, found.start() - 80) : found.end() + 40]!a}"


def assert_frames_are_straight(terminal: Terminal) -> None:
    """Hold that the right edge of each panel is where it belongs: a name wider than believed would push it aside."""
    lines = [line for line in terminal.text.splitlines() if line.startswith("│")]
    assert lines
    assert all(line.endswith("│") and len(line) <= 140 for line in lines), terminal.text


async def test_organizations_sites_and_what_leads_to_them(tmp_path: Path) -> None:
    await make_workspace(tmp_path)
    with program(tmp_path) as terminal:
        terminal.wait_for("Acme", "Shelf", "Portal", MARKUP)
        terminal.press("jl")
        terminal.wait_for("Handbook")
        assert_frames_are_straight(terminal)
        terminal.press("j")
        terminal.wait_for("visibility")
        terminal.press(RENAME)
        terminal.wait_for("Rename")
        terminal.press(ESCAPE)
        terminal.wait_until_gone("Rename")
        terminal.press("jj")
        terminal.wait_for("#2", "Subject")
        assert_frames_are_straight(terminal)
        terminal.press("j")
        terminal.wait_for("admin")
        terminal.press(":")
        terminal.wait_for("Actions")
        terminal.press(ESCAPE)
        terminal.wait_until_gone("Actions")
        terminal.press("f")
        terminal.wait_for("Go to", "Subject", "Welcome")
        terminal.press("portal")
        terminal.wait_until_gone("Subject")
        terminal.press(ENTER)
        terminal.wait_for("Group", "Section", "m lift")
        assert_frames_are_straight(terminal)
        terminal.press(RENAME)
        terminal.wait_for("accept")
        terminal.press("X" + ENTER)
        terminal.wait_until_gone("accept")


async def test_blocks_of_every_kind_on_a_page(tmp_path: Path) -> None:
    await make_workspace(tmp_path)
    with program(tmp_path) as terminal:
        terminal.wait_for("Acme", "Shelf")
        terminal.press("f")
        terminal.wait_for("Go to", "Welcome")
        terminal.press("blocks" + ENTER)
        terminal.wait_for("In the first tab", "1 Content")
        terminal.press(ENTER)
        terminal.wait_for("> links")
        terminal.press(">>" + ENTER)
        terminal.wait_for("In the second tab")
        terminal.press(">" + ENTER)
        terminal.wait_for("Inside of it")
        assert_frames_are_straight(terminal)
        terminal.press("G")
        terminal.wait_for("Last words.", "Card")
        assert_frames_are_straight(terminal)


async def test_spaces_change_requests_and_their_comments(tmp_path: Path) -> None:
    await make_workspace(tmp_path)
    with program(tmp_path) as terminal:
        terminal.wait_for("Acme", "Shelf")
        terminal.press("f")
        terminal.wait_for("Go to", "Welcome")
        terminal.press("welcome" + ENTER)
        terminal.wait_for("Hello", "1 Content")
        terminal.press("4")
        terminal.wait_for("drawing")
        terminal.press("3")
        terminal.wait_for("Remark")
        terminal.press(ENTER)
        terminal.wait_for("esc close", "c reply")
        terminal.press(ESCAPE)
        terminal.wait_until_gone("esc close")
        terminal.press("1")
        terminal.wait_for("Hello")
        terminal.press("s")
        terminal.wait_for("Search")
        terminal.press("Hello")
        terminal.wait_for("Welcome", "Hello")
        terminal.press(ESCAPE)
        terminal.wait_until_gone("Search")
        terminal.press("E")
        terminal.wait_for("New change request")
        terminal.press(ENTER)
        terminal.wait_for("ctrl+s", "␛[66;66H", MARKUP)
        terminal.press(ESCAPE)
        terminal.wait_until_gone("ctrl+s")
        terminal.press("f")
        terminal.wait_for("Go to", "Subject")
        terminal.press("subject" + ENTER)
        terminal.wait_for("2 Changes")
        terminal.press("2")
        terminal.wait_for("New")
        terminal.press("3")
        terminal.wait_for("Remark")


class Hostile(BaseHTTPRequestHandler):
    """A server that refuses everything in words that are to act on a terminal."""

    def do_GET(self) -> None:
        body = json.dumps({"error": {"code": 403, "message": f"Not for you, {HOSTILE}"}}).encode()
        self.send_response_only(403, "No\x9b66m")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, format: str, *args: Any) -> None:
        """Say nothing."""


def test_what_a_server_says_when_it_refuses(tmp_path: Path) -> None:
    with ThreadingHTTPServer(("127.0.0.1", 0), Hostile) as server:
        Thread(target=server.serve_forever).start()
        try:
            with Terminal(
                [*RECTO, "--base-url", f"http://127.0.0.1:{server.server_address[1]}"],
                environment=environment(tmp_path, RECTO_TOKEN="a-token"),
                columns=200,
            ) as terminal:
                terminal.wait_for("Not for you", MARKUP)
                terminal.press(QUIT)
                terminal.wait_for_end()
        finally:
            server.shutdown()
    assert_only_letters(bytes(terminal.written))
    assert_only_letters(
        (tmp_path / "log" / "recto.log").read_bytes() if (tmp_path / "log" / "recto.log").exists() else b""
    )


def test_a_folder_whose_names_are_hostile(tmp_path: Path) -> None:
    folder = tmp_path / "book\x1b[66m\u202e"
    folder.mkdir()
    (folder / "README.md").write_text(f"# Start {HOSTILE}\n\nHello.\n")
    (folder / f"not listed\x1b[66m\x9b66m\u202e{MARKUP.replace('/', '')}.md").write_text("# Other\n")
    Path(os.fsdecode(os.fsencode(folder) + b"/\xff\x1b[66m.md")).write_text("# Third\n")
    (folder / "SUMMARY.md").write_text("* [Start](README.md)\n* [Gone \x1b[66m](gone\x1b[66m.md)\n")
    with program(tmp_path, "open", str(folder)) as terminal:
        terminal.wait_for("not listed", "left out")
        terminal.press(ENTER)
        terminal.wait_for("Hello.")
