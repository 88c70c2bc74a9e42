"""Whatever is wrong with what one gives the program, it names the thing in a sentence, and nothing is lost."""

from __future__ import annotations

import shlex
import socket
import sqlite3
import subprocess
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from recto.client.call import Call
from recto.client.errors import BadRequest, ClientError, NotFound, Unauthorized
from recto.client.sender import connect
from recto.contract.addresses import AtRevision, Main
from recto.contract.change_requests import ChangeRequests
from recto.contract.collections import Collections
from recto.contract.comments import Comments
from recto.contract.content import Content
from recto.contract.organizations import Organizations
from recto.contract.sites import Sites
from recto.contract.spaces import CreateSpace, Spaces, UpdateSpace
from recto.contract.users import Users
from recto.server.platform import Platform
from support.shell import RECTO, CommandResult, Server, environment, files_with, free_port, recto, serving
from support.terminal import Terminal

pytestmark = pytest.mark.slow  # each starts the program

TOKEN = "a-token-that-nobody-may-see-1f3e0"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return tmp_path / "home"


def not_sqlite(file: Path) -> str:
    file.write_text("Dear diary, this is no database.\n" * 200)
    return "it is not a SQLite file"


def another_database(file: Path) -> str:
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("CREATE TABLE recipes (name TEXT)")
    return "not a workspace of Recto"


def from_a_newer_version(file: Path) -> str:
    Platform.open(file).close()
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA user_version = 99")
    return "made by a newer version of Recto"


def cut_short(file: Path) -> str:
    Platform.open(file).close()
    file.write_bytes(file.read_bytes()[:5000])
    return "cannot be used as a workspace"


def a_folder(file: Path) -> str:
    file.mkdir()
    return "cannot be opened as a workspace"


NO_WORKSPACES = (not_sqlite, another_database, from_a_newer_version, cut_short, a_folder)


def assert_refused(said: CommandResult, *sentences: str) -> None:
    """Hold that a command failed with these words, and in words."""
    told = said.out + said.errors
    assert said.code == 1, told
    for sentence in sentences:
        assert sentence in told
    assert "Traceback" not in told


@pytest.mark.parametrize("make", NO_WORKSPACES)
@pytest.mark.parametrize("command", ["serve", "doctor"])
def test_a_file_that_is_no_workspace_is_named_and_left_alone(
    home: Path, tmp_path: Path, make: Callable[[Path], str], command: str
) -> None:
    file = tmp_path / "mine.recto"
    why = make(file)
    before = file.read_bytes() if file.is_file() else None
    assert_refused(recto(home, command, "--workspace", str(file)), str(file), why)
    assert (file.read_bytes() if file.is_file() else None) == before
    assert [each.name for each in tmp_path.iterdir() if each != home] == ["mine.recto"]


@pytest.mark.parametrize("make", NO_WORKSPACES[:3])
def test_the_program_says_so_too_and_ends(home: Path, tmp_path: Path, make: Callable[[Path], str]) -> None:
    file = tmp_path / "mine.recto"
    why = make(file)
    before = file.read_bytes()
    with Terminal([*RECTO, "--workspace", str(file)], environment=environment(home), columns=200) as terminal:
        assert terminal.wait_for_end() == 1
        assert why in terminal.text
        assert str(file) in terminal.text
        assert b"Traceback" not in terminal.written
    assert file.read_bytes() == before


def no_pages(folder: Path) -> str:
    (folder / "notes.txt").write_text("Nothing to see.")
    return "has no pages"


def bad_summary(folder: Path) -> str:
    (folder / "README.md").write_text("# Start\n")
    (folder / ".gitbook.yaml").write_text("root: [\n")
    return ".gitbook.yaml is not valid YAML"


@pytest.mark.parametrize("make", [no_pages, bad_summary])
def test_a_folder_that_cannot_be_imported_is_refused_as_a_whole(
    home: Path, tmp_path: Path, make: Callable[[Path], str]
) -> None:
    folder = tmp_path / "folder"
    folder.mkdir()
    why = make(folder)
    before = {file.name: file.read_bytes() for file in folder.iterdir()}
    command = [*RECTO, "open", str(folder)]
    with Terminal(command, environment=environment(home), columns=200) as terminal:
        terminal.wait_for(why)
        terminal.press("q")
        assert terminal.wait_for_end() == 1
        assert why in terminal.text
        assert b"Traceback" not in terminal.written
    assert {file.name: file.read_bytes() for file in folder.iterdir()} == before
    with closing(sqlite3.connect(home / "workspace.db")) as connection:
        assert connection.execute("SELECT count(*) FROM imports").fetchone() == (0,)
        assert connection.execute("SELECT count(*) FROM spaces WHERE title = 'folder'").fetchone() == (0,)


@pytest.mark.parametrize(("given", "why"), [("nowhere", "There is no folder"), ("file", "is neither a folder nor")])
def test_a_folder_that_is_none_is_named(home: Path, tmp_path: Path, given: str, why: str) -> None:
    (tmp_path / "file").write_text("text")
    assert_refused(recto(home, "open", str(tmp_path / given)), str(tmp_path / given), why)


def test_the_program_says_that_it_needs_a_terminal(home: Path) -> None:
    assert_refused(recto(home), "needs a terminal")


@pytest.mark.parametrize(
    ("variables", "why"),
    [({"TERM": "dumb"}, "TERM is dumb"), ({"PYTHONIOENCODING": "latin-1"}, "Set LC_ALL to a UTF-8 locale")],
)
def test_a_terminal_that_cannot_show_it_is_left_as_it_is(home: Path, variables: dict[str, str], why: str) -> None:
    with Terminal([*RECTO], environment=environment(home, **variables), columns=200) as terminal:
        assert terminal.wait_for_end() == 1
        assert why in terminal.text
        assert b"\x1b" not in terminal.written


def test_it_is_not_drawn_into_a_file(home: Path, tmp_path: Path) -> None:
    drawn = tmp_path / "drawn"
    shell = ["sh", "-c", f"{shlex.join(RECTO)} 2>{drawn}"]
    with Terminal(shell, environment=environment(home)) as terminal:
        assert terminal.wait_for_end() == 1
    assert "needs a terminal" in drawn.read_text()


def test_characters_that_the_locale_lacks_are_printed_by_number(home: Path, tmp_path: Path) -> None:
    said = recto(home, "doctor", "--workspace", str(tmp_path / "日.db"), PYTHONIOENCODING="latin-1")
    assert said.code == 0
    assert r"\u65e5.db" in said.out


def test_a_closed_pipe_ends_the_output_silently(home: Path) -> None:
    piped = ["bash", "-c", f"set -o pipefail; {shlex.join(RECTO)} doctor | true"]
    ended = subprocess.run(piped, env=environment(home), capture_output=True, text=True, check=False)
    assert ended.stderr == ""


def test_a_port_in_use_is_named(home: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert_refused(recto(home, "serve", "--port", str(port), RECTO_TOKEN=TOKEN), f"127.0.0.1:{port}", "--port")


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("serve", "--port", "70000"), "'70000' is not a port"),
        (("serve", "--base-url", "http://example.org"), "leave --base-url out"),
        (("open", ".", "--base-url", "http://example.org"), "leave the platform's address out"),
        (("doctor", "--workspace", "a", "--base-url", "http://example.org"), "give one of them"),
        (("frobnicate",), "frobnicate"),
    ],
)
def test_an_impossible_command_line_is_explained(home: Path, arguments: tuple[str, ...], named: str) -> None:
    said = recto(home, *arguments)
    assert said.code == 2
    assert named in said.errors
    assert "Traceback" not in said.errors


def test_settings_that_cannot_be_read_are_named(home: Path) -> None:
    home.mkdir()
    (home / "settings.toml").write_text("theme = [")
    said = recto(home, "doctor")
    assert said.code != 0
    assert str(home / "settings.toml") in said.errors
    assert "Traceback" not in said.errors


@pytest.mark.parametrize("suffix", ["", "/v1"])
def test_an_address_without_an_answer_is_named(home: Path, suffix: str) -> None:
    address = f"http://127.0.0.1:{free_port()}{suffix}"
    assert_refused(
        recto(home, "doctor", "--base-url", address, RECTO_TOKEN=TOKEN), address.removesuffix("/v1"), "reached"
    )
    with Terminal(
        [*RECTO, "--base-url", address], environment=environment(home, RECTO_TOKEN=TOKEN), columns=200
    ) as terminal:
        terminal.wait_for("cannot be reached")
        terminal.press("q")
        assert terminal.wait_for_end() == 1
        assert TOKEN.encode() not in terminal.written
    assert files_with(TOKEN, home) == []


@pytest.mark.parametrize(
    ("address", "why"),
    [
        ("example.org", "must begin with http:// or https://"),
        ("ftp://example.org", "must begin with http:// or https://"),
        ("http://", "It has to look like"),
        ("http://name:word@example.org", "without a user"),
    ],
)
def test_an_address_that_is_none_is_refused(home: Path, address: str, why: str) -> None:
    said = recto(home, "doctor", "--base-url", address, RECTO_TOKEN=TOKEN)
    assert said.code != 0
    assert address.replace("name:word@", "") in said.out + said.errors
    assert "word" not in said.out + said.errors
    assert why in said.out + said.errors
    assert "Traceback" not in said.out + said.errors


class TestServed:
    """What a server refuses, and how the program tells it."""

    @pytest.fixture(scope="class")
    def server(self, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
        with serving(tmp_path_factory.mktemp("served"), token=TOKEN) as server:
            yield server

    def test_a_wrong_token_is_reported_and_not_shown(self, home: Path, server: Server) -> None:
        wrong = "wrong-token-93b1"
        said = recto(home, "doctor", "--base-url", server.address, RECTO_TOKEN=wrong)
        assert_refused(said, "token", "RECTO_TOKEN")
        assert wrong not in said.out + said.errors
        with Terminal(
            [*RECTO, "--base-url", server.address], environment=environment(home, RECTO_TOKEN=wrong), columns=200
        ) as terminal:
            terminal.wait_for("token")
            terminal.press("q")
            assert terminal.wait_for_end() == 1
            assert wrong.encode() not in terminal.written
            assert b"Traceback" not in terminal.written
        assert files_with(wrong, home) == []

    def test_the_right_token_opens(self, home: Path, server: Server) -> None:
        said = recto(home, "doctor", "--base-url", server.address.removesuffix("/v1"), RECTO_TOKEN=TOKEN)
        assert said.code == 0, said
        assert TOKEN not in said.out + said.errors
        assert files_with(TOKEN, home) == []

    async def test_a_token_that_is_none_is_refused_in_words(self, server: Server) -> None:
        for token, kind in (("wrong", Unauthorized), (None, Unauthorized)):
            sender = connect(server.address, token)
            with pytest.raises(kind, match="token"):
                await Call(sender)(Users.get_user)
            await sender.aclose()

    async def test_unknown_ids_are_named(self, server: Server) -> None:
        sender = connect(server.address, TOKEN)
        call = Call(sender)
        organization = (await call(Organizations.list_organizations)).items[0].id
        other = (await call(Organizations.list_organizations)).items[1].id
        space = (await call(Spaces.list_spaces, other)).items[0].id
        for asked in (
            call(Spaces.get_space, "nowhere"),
            call(Organizations.get_organization, "nowhere"),
            call(Collections.get_collection, "nowhere"),
            call(Sites.get_site, organization, "nowhere"),
            call(Content.get_page, Main(space), "nowhere"),
            call(Content.get_file, Main(space), "nowhere"),
            call(Content.get_revision, AtRevision(space, "nowhere")),
            call(ChangeRequests.get_change_request, space, "nowhere"),
            call(Comments.get_comment, Main(space), "nowhere"),
        ):
            with pytest.raises(NotFound) as told:
                await asked
            assert "nowhere" in told.value.why
        await sender.aclose()

    async def test_a_title_that_is_too_long_names_the_field_and_the_limit(self, server: Server) -> None:
        sender = connect(server.address, TOKEN)
        call = Call(sender)
        organization = (await call(Organizations.list_organizations)).items[0].id
        space = await call(Spaces.create_space, organization, CreateSpace(title="x" * 50))
        body = UpdateSpace.model_construct({"title"}, title="y" * 51)
        with pytest.raises(BadRequest, match="title: at most 50 characters"):
            await call(Spaces.update_space, space.id, body)
        assert (await call(Spaces.get_space, space.id)).title == "x" * 50
        await sender.aclose()

    async def test_what_fails_on_the_way_says_what_was_wanted(self, server: Server) -> None:
        sender = connect(f"{server.address}/elsewhere", TOKEN)
        with pytest.raises(ClientError) as told:
            await Call(sender)(Organizations.list_organizations)
        assert told.value.what
        assert told.value.next_step
        await sender.aclose()
