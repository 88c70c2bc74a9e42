"""A real Git server on loopback, and clones to commit in: both by the program ``git``, which tests may need."""

from __future__ import annotations

import base64
import getpass
import os
import shutil
import subprocess
import sys
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from copy import copy
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from support.folders import write_folder

_SETTINGS = {
    # Each commit, fetch and push would look for what to tidy up, in processes of their own.
    **{"gc.auto": "0", "maintenance.auto": "false", "receive.autogc": "false"},
    "http.receivepack": "true",
}
_CONFIG = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": os.devnull,
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_AUTHOR_NAME": "Grace Hopper",
    "GIT_AUTHOR_EMAIL": "grace@example.org",
    "GIT_COMMITTER_NAME": "Grace Hopper",
    "GIT_COMMITTER_EMAIL": "grace@example.org",
    "PATH": os.environ["PATH"],
    "GIT_CONFIG_COUNT": str(len(_SETTINGS)),
    **{f"GIT_CONFIG_KEY_{at}": name for at, name in enumerate(_SETTINGS)},
    **{f"GIT_CONFIG_VALUE_{at}": value for at, value in enumerate(_SETTINGS.values())},
}


def git(folder: Path, *arguments: str) -> str:
    """Run ``git`` in a folder, untouched by the settings of whoever runs the tests, and return what it prints."""
    done = subprocess.run(["git", *arguments], cwd=folder, env=_CONFIG, capture_output=True, check=False)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def make_bare(folder: Path) -> Path:
    """Make an empty repository, which may be pushed to."""
    git(folder.parent, "init", "-q", "--bare", "--template=", "-b", "main", folder.name)
    return folder


class Clone:
    """A working tree whose commits are pushed at once."""

    def __init__(self, folder: Path, bare: Path) -> None:
        self.folder = folder
        self.bare = bare
        git(folder.parent, "clone", "-q", "--template=", str(bare), folder.name)
        git(folder, "checkout", "-q", "-B", "main")
        self._pushed = ""

    def copy(self, folder: Path, bare: Path) -> Clone:
        """Copy the working tree and the repository: a dozen programs make them."""
        shutil.copytree(self.bare, bare)
        shutil.copytree(self.folder, folder)
        git(folder, "remote", "set-url", "origin", str(bare))
        copied = copy(self)
        copied.folder, copied.bare = folder, bare
        return copied

    def commit(self, files: Mapping[str, str | bytes | None], message: str = "Change") -> str:
        """Write files, delete those that are ``None``, and push the commit; returns its id."""
        if git(self.bare, "for-each-ref", "--format=%(objectname)", "refs/heads/main").strip() != self._pushed:
            git(self.folder, "fetch", "-q")
            git(self.folder, "reset", "-q", "--hard", "origin/main")
        write_folder(self.folder, {path: text for path, text in files.items() if text is not None})
        for path in (path for path, text in files.items() if text is None):
            (self.folder / path).unlink()
        git(self.folder, "add", "-A")
        git(self.folder, "commit", "-q", "--allow-empty", "-m", message)
        git(self.folder, "push", "-q", "origin", "main")
        self._pushed = git(self.folder, "rev-parse", "HEAD").strip()
        return self._pushed

    def show(self, path: str, ref: str = "main") -> bytes:
        """Return a file as it is on the server."""
        return subprocess.run(
            ["git", "show", f"{ref}:{path}"], cwd=self.bare, env=_CONFIG, capture_output=True, check=True
        ).stdout

    def log(self, form: str, ref: str = "main") -> list[str]:
        """Return a line for each commit on the server, the newest first."""
        return git(self.bare, "log", f"--format={form}", ref).splitlines()


class _HttpServer(ThreadingHTTPServer):
    def handle_error(self, request: Any, client_address: Any) -> None:
        """Print nothing about a client that has gone, such as a cancelled import."""
        if not isinstance(sys.exception(), ConnectionError):
            super().handle_error(request, client_address)


class GitServer:
    """Serves the repositories below a folder over HTTP, as ``git http-backend`` does.

    ``credentials`` is a user name and a password that it asks for; ``before`` is called with the path of each request
    and may say that the answer is cut off after so many bytes. ``seen`` are the paths that were asked for.
    """

    def __init__(self, root: Path) -> None:
        self.root = root
        self.credentials: tuple[str, str] | None = None
        self.before: Callable[[str], int | None] = lambda path: None
        self.seen: list[str] = []
        self._server = _HttpServer(("127.0.0.1", 0), self._handler())

    @property
    def address(self) -> str:
        """The address of the server."""
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def make(self, name: str) -> Path:
        """Make an empty repository, which may be pushed to."""
        return make_bare(self.root / name)

    @contextmanager
    def running(self) -> Iterator[GitServer]:
        """Serve as long as the context lasts."""
        thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        try:
            yield self
        finally:
            self._server.shutdown()
            thread.join()
            self._server.server_close()

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        served = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def log_message(self, *_: object) -> None:
                """Print nothing."""

            def do_GET(self) -> None:
                self._answer()

            def do_POST(self) -> None:
                self._answer()

            def _answer(self) -> None:
                served.seen.append(self.path)
                body = self._body()
                if served.credentials is not None and self.headers.get("Authorization") != _basic(served.credentials):
                    self._send(401, [("WWW-Authenticate", 'Basic realm="Git"')], b"")
                    return
                cut = served.before(self.path)
                status, headers, content = served.ask(self.command, self.path, dict(self.headers), body)
                self._send(status, headers, content, cut)

            def _body(self) -> bytes:
                if self.headers.get("Transfer-Encoding") != "chunked":
                    return self.rfile.read(int(self.headers.get("Content-Length") or 0))
                found = b""
                while size := int(self.rfile.readline(), 16):
                    found += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return found

            def _send(
                self, status: int, headers: list[tuple[str, str]], content: bytes, cut: int | None = None
            ) -> None:
                self.send_response(status)
                for name, value in headers:
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                self.wfile.write(content if cut is None else content[:cut])
                if cut is not None:
                    self.close_connection = True

        return Handler

    def ask(
        self, method: str, target: str, headers: Mapping[str, str], body: bytes
    ) -> tuple[int, list[tuple[str, str]], bytes]:
        """Return the answer of ``git http-backend``."""
        path, _, query = target.partition("?")
        environment = {
            **_CONFIG,
            "GIT_PROJECT_ROOT": str(self.root),
            "GIT_HTTP_EXPORT_ALL": "1",
            "PATH_INFO": path,
            "QUERY_STRING": query,
            "REQUEST_METHOD": method,
            "CONTENT_TYPE": headers.get("Content-Type") or "",
            "CONTENT_LENGTH": str(len(body)),
            "REMOTE_USER": "anyone",
            "REMOTE_ADDR": "127.0.0.1",
            "GIT_PROTOCOL": headers.get("Git-Protocol") or "",
        }
        out = subprocess.run(
            ["git", "http-backend"], env=environment, input=body, capture_output=True, check=False
        ).stdout
        head, _, content = out.partition(b"\r\n\r\n")
        lines = [line.partition(": ") for line in head.decode().split("\r\n")]
        status = next((int(value.split()[0]) for name, _, value in lines if name == "Status"), 200)
        return status, [(name, value) for name, _, value in lines if name not in ("", "Status")], content


def _basic(credentials: tuple[str, str]) -> str:
    return "Basic " + base64.b64encode(":".join(credentials).encode()).decode()


def serve_git(folder: Path) -> Iterator[GitServer]:
    """Serve repositories below a folder as long as a test needs them."""
    if shutil.which("git") is None:
        pytest.skip("the program git serves the repositories")
    root = folder / "served"
    root.mkdir()
    with GitServer(root).running() as server:
        yield server


def stand_in_for_ssh(folder: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Put a program ``ssh`` first that runs the other side's command here; return the file with what it is given."""
    given, program = folder / "given", folder / "bin" / "ssh"
    program.parent.mkdir()
    program.write_text(f'#!/bin/sh\necho "$@" >> {given}\nfor command; do :; done\nexec sh -c "$command"\n')
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")
    return given


class SshServer:
    """The system's ``sshd`` with keys of its own, started for each connection as ``inetd`` starts it.

    The program ``ssh`` that is found first is the system's, with the key and the known hosts of this server alone.
    """

    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        sshd = shutil.which("sshd", path=f"{os.environ['PATH']}:/usr/sbin:/usr/local/sbin")
        ssh, keygen = shutil.which("ssh"), shutil.which("ssh-keygen")
        if sshd is None or ssh is None or keygen is None:
            pytest.skip("the programs sshd and ssh serve the repositories")
        folder.mkdir()
        for name in ("host", "key"):
            subprocess.run([keygen, "-q", "-t", "ed25519", "-N", "", "-f", folder / name], check=True)
        self.allowed, self.known = folder / "authorized_keys", folder / "known_hosts"
        self.allowed.write_bytes((folder / "key.pub").read_bytes())
        self.known.write_text(f"* {(folder / 'host.pub').read_text()}")
        (folder / "server").write_text(
            f"HostKey {folder}/host\nAuthorizedKeysFile {self.allowed}\nStrictModes no\nUsePAM no\nPidFile none\n"
            "PasswordAuthentication no\nKbdInteractiveAuthentication no\n"
        )
        checked = subprocess.run([sshd, "-t", "-f", folder / "server"], capture_output=True, text=True, check=False)
        if checked.returncode:
            pytest.skip(f"sshd cannot be started here: {checked.stderr.strip()}")
        (folder / "client").write_text(
            f"ProxyCommand {sshd} -i -f {folder}/server\nUserKnownHostsFile {self.known}\nGlobalKnownHostsFile none\n"
            f"IdentityFile {folder}/key\nIdentitiesOnly yes\nIdentityAgent none\n"
        )
        program = folder / "bin" / "ssh"
        program.parent.mkdir()
        program.write_text(f'#!/bin/sh\nexec {ssh} -F {folder}/client "$@"\n')
        program.chmod(0o755)
        monkeypatch.setenv("PATH", f"{program.parent}:{os.environ['PATH']}")

    def address(self, repository: Path) -> str:
        """Return the address of a repository of this machine."""
        return f"ssh://{getpass.getuser()}@git.example{repository}"
