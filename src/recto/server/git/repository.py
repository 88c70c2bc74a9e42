"""Repositories: fetched without a working tree, read, committed to and pushed. Nothing in them is ever run.

Hooks, filters, submodules and stored credentials belong to a working tree or to the program ``git``; neither is here.
"""

from __future__ import annotations

import base64
import os
import struct
import threading
import zlib
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from datetime import datetime
from hashlib import sha1
from itertools import islice
from pathlib import Path
from typing import Any, BinaryIO, Final

from dulwich.client import (
    GitClient,
    HTTPUnauthorized,
    SSHGitClient,
    SubprocessSSHVendor,
    SubprocessWrapper,
    Urllib3HttpGitClient,
)
from dulwich.errors import (
    ApplyDeltaError,
    ChecksumMismatch,
    GitProtocolError,
    HangupException,
    NotGitRepository,
    ObjectFormatException,
    SendPackError,
)
from dulwich.objects import Blob, Commit, ObjectID, ShaFile, Tree
from dulwich.pack import UnpackedObject, pack_objects_to_data
from dulwich.refs import Ref
from dulwich.repo import Repo

from recto import __version__
from recto.frozen import frozen
from recto.server.exchange.folder import MAX_ENTRIES, MAX_FILE_BYTES, MAX_NESTED
from recto.server.fetching import FetchedResponse, Fetcher
from recto.server.git.remotes import GitError, Remote, Way, moved_on_error
from recto.server.http.problems import Problem
from recto.server.jobs import JobFailed, Work

MAX_FETCHED_BYTES: Final = 500 * 1000 * 1000
"""The most that is fetched at once."""

MAX_EXPANDED_BYTES: Final = 2_000 * 1000 * 1000
"""The most that the objects of one fetch take when they are unpacked."""

MAX_OBJECTS: Final = 1_000_000
"""The most objects of one fetch; the library holds a few hundred bytes for each."""

MAX_HISTORY: Final = 10_000
"""The most commits that are looked through for one of them."""

_SSH = "ssh -oBatchMode=yes -oConnectTimeout=15 -oServerAliveInterval=15 -oClearAllForwardings=yes"
"""Options of ``ssh``: no questions, no forwarding, and an end when the server is gone."""

_SSH_ADVICE: Final = {
    "Host key verification failed": "Connect to it once with the program ssh to accept its key.",
    "Permission denied": "Give a key that it accepts to ssh-agent, or name it in ~/.ssh/config.",
}
"""What to do where ``ssh`` says this, since it cannot ask."""

_BETWEEN_LOOKS_S = 0.2

_PIECE = 64 * 1024
_HEAD = 32
"""Bytes at the beginning of a delta, in which its two sizes lie."""

_ZERO = ObjectID(b"0" * 40)
_FOLDER, _LINK, _MODULE, _FILE = 0o040000, 0o120000, 0o160000, 0o100644
_BROKEN = (
    *(GitProtocolError, ChecksumMismatch, ObjectFormatException, ApplyDeltaError, zlib.error, struct.error),
    *(AssertionError, ValueError, KeyError, IndexError, TypeError, EOFError, NotImplementedError),
)
"""The errors of the library if the server does not speak Git, or the connection ends early."""


@frozen
class Person:
    """The author of a commit."""

    name: str
    email: str

    def as_written(self) -> bytes:
        """The form that a commit has, without what would end it."""
        name, email = (" ".join(part.split()).translate(_ENDS) for part in (self.name, self.email))
        return f"{name or 'Unknown'} <{email}>".encode()


_ENDS = {ord(sign): None for sign in "<>\n\0"}


@frozen
class FoundCommit:
    """A commit: its id, its message, and the id of its tree."""

    oid: str
    message: str
    tree: str


@frozen
class GitFile:
    """A file of a commit's tree. ``mode`` is as Git has it."""

    oid: str
    mode: int

    @property
    def is_link(self) -> bool:
        """Whether it is a symbolic link."""
        return self.mode == _LINK

    @property
    def is_module(self) -> bool:
        """Whether it is another repository."""
        return self.mode == _MODULE


class _NoBranch(Exception):
    """There is no such branch."""


class Repository:
    """A repository at a remote, and the objects of it that are here.

    The methods raise :class:`GitError`, and ``JobCancelled`` once the work is cancelled.
    """

    def __init__(self, remote: Remote, repo: Repo, work: Work) -> None:
        self.remote = remote
        self._repo = repo
        self._work = work
        self._new: dict[ObjectID, ShaFile] = {}

    def tip(self, ref: bytes, check: Callable[[str | None], None]) -> FoundCommit | None:
        """Fetch the newest commit of a branch with all its files, and return it; ``None`` where there is no branch.

        ``HEAD`` is the branch that the repository is shown at.

        ``check`` is called with its id before anything is fetched, and raises where that is not to be.
        """
        with self._as_git_error():
            if self.remote.way is Way.LOCAL:
                oid = self._local_tip(ref)
                check(oid.decode() if oid else None)
            else:
                oid = self._fetch(ref, check)
            return None if oid is None else self._read_commit(oid)

    def find_tip(self, ref: bytes) -> str | None:
        """Return the id of the newest commit of a branch, which is not fetched; ``None`` where there is no branch."""
        with self._as_git_error():
            if self.remote.way is Way.LOCAL:
                found = self._local_tip(ref)
            else:
                with self._client() as (client, path):
                    found = client.get_refs(path.encode(), ref_prefix=[ref]).refs.get(Ref(ref))
            return found.decode() if found else None

    def _local_tip(self, ref: bytes) -> ObjectID | None:
        with suppress(KeyError):
            return ObjectID(self._repo.refs[Ref(ref)])
        return None

    def _fetch(self, ref: bytes, check: Callable[[str | None], None]) -> ObjectID | None:
        wanted = Ref(ref)
        found: list[ObjectID] = []

        def determine_wants(refs: Mapping[Ref, ObjectID], depth: int | None = None) -> list[ObjectID]:
            if wanted not in refs:
                raise _NoBranch
            check(refs[wanted].decode())
            found.append(refs[wanted])
            return [each for each in found if each not in self._repo.object_store]

        received = 0
        file, commit, abort = self._repo.object_store.add_pack()

        def write(piece: bytes) -> int:
            nonlocal received
            received += len(piece)
            if received > MAX_FETCHED_BYTES:
                raise GitError(f"The branch is larger than {MAX_FETCHED_BYTES // 1_000_000:,} MB.")
            self._work.stop_if_cancelled()
            self._work.progress("Fetching (kB)", received // 1000, None)
            return file.write(piece)

        try:
            with self._client() as (client, path):
                result = client.fetch_pack(
                    path,
                    determine_wants,
                    self._repo.get_graph_walker(),
                    write,
                    depth=None if self._has_history() else 1,
                    ref_prefix=[ref],
                )
            if received:
                _check_pack(file, self._work.stop_if_cancelled)
        except _NoBranch:
            abort()
            check(None)
            return None
        except BaseException:
            abort()
            raise
        commit()
        self._repo.update_shallow(result.new_shallow, result.new_unshallow)
        self._repo.refs[wanted] = found[0]
        return found[0]

    def _has_history(self) -> bool:
        """Whether a branch was fetched before: then all new commits are fetched, else only the newest."""
        return any(name.startswith(b"refs/heads/") for name in self._repo.refs.allkeys())

    @contextmanager
    def _client(self) -> Iterator[tuple[GitClient, str]]:
        """Open a client, and the path to ask it for."""
        remote = self.remote
        with ExitStack() as stack:
            if remote.way is Way.SSH:
                client = SSHGitClient(
                    remote.host,
                    remote.port,
                    remote.user,
                    vendor=_Ssh(stack, self._work),
                    ssh_command=_SSH,
                    thin_packs=False,
                    quiet=True,
                )
                try:
                    yield client, remote.path
                except (OSError, *_BROKEN):
                    self._work.stop_if_cancelled()
                    raise
                return
            pools: Any = _Pool(stack, self._work, _basic(remote))
            yield Urllib3HttpGitClient(remote.url, pool_manager=pools, thin_packs=False, quiet=True), ""

    def _read_commit(self, oid: ObjectID) -> FoundCommit:
        commit = self._object(oid)
        if not isinstance(commit, Commit):
            raise GitError("The branch does not point to a commit.")
        return FoundCommit(oid.decode(), commit.message.decode(errors="replace"), commit.tree.decode())

    def _object(self, oid: bytes) -> ShaFile:
        name = ObjectID(oid)
        return self._new[name] if name in self._new else self._repo.object_store[name]

    def find(self, oid: str) -> FoundCommit | None:
        """Return a commit; ``None`` where it is not here."""
        with self._as_git_error():
            name = ObjectID(oid.encode())
            return self._read_commit(name) if name in self._repo.object_store else None

    def lacks(self, commit: FoundCommit, oid: str) -> bool:
        """Whether another commit is not in the history of a commit; ``False`` where too little of both is here."""
        with self._as_git_error():
            if ObjectID(oid.encode()) not in self._repo.object_store:
                return False
            ends: set[str] = set()
            for number, (each, is_end) in enumerate(self._walk_history(commit.oid)):
                if each == oid or number == MAX_HISTORY:
                    return False
                if is_end:
                    ends.add(each)
            # What was fetched ends at the first commit that was: where it comes before both, nothing is left open.
            return not ends or ends <= {each for each, _ in islice(self._walk_history(oid), MAX_HISTORY)}

    def _walk_history(self, oid: str) -> Iterator[tuple[str, bool]]:
        """Yield a commit and those before it, the nearest first, and whether some before it are not here."""
        seen, waiting = {oid}, deque((oid,))
        while waiting:
            self._work.stop_if_cancelled()
            name = waiting.popleft()
            commit = self._object(name.encode())
            parents = [each.decode() for each in commit.parents] if isinstance(commit, Commit) else []
            here = [each for each in parents if ObjectID(each.encode()) in self._repo.object_store]
            yield name, len(here) < len(parents)
            waiting.extend(each for each in here if each not in seen)
            seen.update(here)

    def files(self, commit: FoundCommit) -> dict[str, GitFile]:
        """Return the files of a commit by their paths; names that are not UTF-8 hold U+FFFD."""
        files: dict[str, GitFile] = {}
        with self._as_git_error():
            folders = [("", commit.tree.encode(), 0)]
            while folders:
                base, oid, depth = folders.pop()
                tree = self._object(oid)
                if not isinstance(tree, Tree) or depth > MAX_NESTED:
                    raise GitError(f"The folders of the repository are nested more than {MAX_NESTED} deep.")
                for name, mode, each in tree.iteritems():
                    place = base + name.decode(errors="replace")
                    if mode == _FOLDER:
                        folders.append((f"{place}/", each, depth + 1))
                    else:
                        files[place] = GitFile(each.decode(), mode)
                if len(files) + len(folders) > MAX_ENTRIES:
                    raise GitError(f"The repository holds more than {MAX_ENTRIES:,} files and folders.")
        return files

    def read(self, oid: str) -> bytes:
        """Return the bytes of a file."""
        with self._as_git_error():
            kind, raw = self._repo.object_store.get_raw(ObjectID(oid.encode()))
            if kind != Blob.type_num:
                raise GitError("The repository is damaged: a file in it is not a file.")
            return raw

    def commit(
        self,
        parent: FoundCommit | None,
        changes: Mapping[str, bytes | None],
        message: str,
        author: Person,
        when: datetime,
    ) -> FoundCommit:
        """Make a commit with these files written, or deleted where there is ``None``; nothing is pushed yet."""
        with self._as_git_error():
            tree = self._write_tree(parent.tree.encode() if parent else None, changes)
            commit = Commit()
            commit.tree = tree.id if tree is not None else self._keep(Tree())
            commit.parents = [ObjectID(parent.oid.encode())] if parent else []
            commit.author = commit.committer = author.as_written()
            commit.author_time = commit.commit_time = int(when.timestamp())
            commit.author_timezone = commit.commit_timezone = 0
            commit.encoding = b"UTF-8"
            commit.message = message.replace("\0", "").encode()
            self._keep(commit)
            return FoundCommit(commit.id.decode(), message, commit.tree.decode())

    def _write_tree(self, before: bytes | None, changes: Mapping[str, bytes | None]) -> Tree | None:
        """Return a tree with changes written into it; ``None`` where nothing is left of it."""
        entries: dict[bytes, tuple[int, ObjectID]] = {}
        if before is not None:
            known = self._object(before)
            if not isinstance(known, Tree):
                raise GitError("The repository has a file where a folder is to be written.")
            entries = {name: (mode, oid) for name, mode, oid in known.iteritems()}
        below: dict[bytes, dict[str, bytes | None]] = {}
        for place, content in changes.items():
            first, slash, rest = place.partition("/")
            name = first.encode()
            if slash:
                below.setdefault(name, {})[rest] = content
            elif content is None:
                entries.pop(name, None)
            else:
                mode, _ = entries.get(name, (_FILE, _ZERO))
                is_file = mode & 0o170000 == 0o100000
                entries[name] = (mode if is_file else _FILE, self._keep(Blob.from_string(content)))
        for name, inner in below.items():
            mode, oid = entries.get(name, (0, _ZERO))
            folder = self._write_tree(oid if mode == _FOLDER else None, inner)
            if folder is not None:
                entries[name] = (_FOLDER, folder.id)
            elif mode == _FOLDER:
                del entries[name]
        if not entries:
            return None
        tree = Tree()
        for name, (mode, oid) in entries.items():
            tree.add(name, mode, oid)
        self._keep(tree)
        return tree

    def _keep(self, made: ShaFile) -> ObjectID:
        if made.id not in self._repo.object_store:
            self._new[made.id] = made
        return made.id

    def push(self, ref: bytes, commit: FoundCommit, expected: str | None) -> None:
        """Push a new commit to a branch.

        Raises :class:`~recto.server.git.remotes.MovedOnError`, with nothing changed there, unless the branch is still
        at ``expected``, which is ``None`` for a branch that is new.
        """
        new, old = ObjectID(commit.oid.encode()), ObjectID(expected.encode()) if expected else None
        with self._as_git_error():
            if self.remote.way is Way.LOCAL:
                self._push_here(Ref(ref), new, old)
            else:
                self._push_there(Ref(ref), new, old)
            self._repo.object_store.add_objects([(each, None) for each in self._new.values()])
            if self.remote.way is not Way.LOCAL:
                self._repo.refs[Ref(ref)] = new
            self._new.clear()

    def refuse_checked_out(self, ref: bytes) -> None:
        """Refuse to push to a branch whose files lie in a folder of this machine: they would not change with it."""
        if self.remote.way is not Way.LOCAL:
            return
        with self._as_git_error():
            folder = next((folder for folder, head in self._checked_out() if head == b"ref: " + ref), None)
        if folder is not None:
            raise GitError(
                f"The branch is checked out in {folder}, so its files would no longer be those of the branch. "
                "Push to another branch, or to a bare repository."
            )

    def _checked_out(self) -> Iterator[tuple[Path, bytes]]:
        """Yield the folders whose files are those of a commit, with what their ``HEAD`` says.

        They are that of the repository, unless it is bare, and those that ``git worktree`` has linked with it.
        """
        common = Path(self._repo.commondir()).resolve()
        if not self._repo.get_config().get_boolean(b"core", b"bare", self._repo.bare):
            yield common.parent, (common / "HEAD").read_bytes().strip()
        for linked in (common / "worktrees").glob("*"):
            link = linked / os.fsdecode((linked / "gitdir").read_bytes().strip())
            if link.exists():
                yield link.parent, (linked / "HEAD").read_bytes().strip()

    def _push_here(self, ref: Ref, new: ObjectID, old: ObjectID | None) -> None:
        repo = self._repo
        repo.object_store.add_objects([(each, None) for each in self._new.values()])
        done = repo.refs.set_if_equals(ref, old, new) if old is not None else repo.refs.add_if_new(ref, new)
        if not done:
            raise moved_on_error(ref)

    def _push_there(self, ref: Ref, new: ObjectID, old: ObjectID | None) -> None:
        def update_refs(refs: dict[Ref, ObjectID]) -> dict[Ref, ObjectID]:
            if refs.get(ref) != old:
                raise moved_on_error(ref)
            return {ref: new}

        def generate(
            have: Any, want: Any, *, ofs_delta: bool = False, progress: Any = None
        ) -> tuple[int, Iterator[UnpackedObject]]:
            return pack_objects_to_data([(each, None) for each in self._new.values()], deltify=False)

        with self._client() as (client, path):
            result = client.send_pack(path.encode(), update_refs, generate)
        refusal = (result.ref_status or {}).get(ref)
        if refusal:
            # Between the listing of branches and this push another push came first.
            if any(
                word in refusal for word in ("fetch first", "stale", "lock", "non-fast-forward", "failed to update")
            ):
                raise moved_on_error(ref)
            raise GitError(f"{self.remote.name} refused the push: {_plain(refusal)}")

    @contextmanager
    def _as_git_error(self) -> Iterator[None]:
        """Raise errors of the library as :class:`GitError`, without credentials."""
        try:
            yield
        except (JobFailed, Problem):
            raise
        except HTTPUnauthorized:
            known = "The user name or token in the address is not accepted" if self.remote.password else "It asks who"
            raise GitError(f"{self.remote.host} refuses access to {self.remote.name}. {known}.") from None
        except NotGitRepository:
            raise GitError(f"There is no Git repository at {self.remote.url}, or you have no access to it.") from None
        except HangupException as error:
            lines = [line.decode(errors="replace") for line in error.stderr_lines or ()]
            why = _plain(lines[-1]).rstrip(".") if lines else "it was lost"
            advice = next((" " + advice for words, advice in _SSH_ADVICE.items() if words in why), "")
            raise GitError(f"The connection to {self.remote.host} failed: {why}.{advice}") from None
        except SendPackError as error:
            raise GitError(f"{self.remote.name} refused the push: {_plain(str(error))}") from None
        except OSError as error:
            raise GitError(
                f"{self.remote.name} could not be read or written: {error.strerror or type(error).__name__}."
            ) from None
        except _BROKEN:
            raise GitError(f"The response of {self.remote.name} is not Git, or the connection was lost.") from None


def blob_id(content: bytes) -> str:
    """Return the id that a file with this content has."""
    return sha1(b"blob %d\0" % len(content) + content, usedforsecurity=False).hexdigest()


def _plain(text: str | bytes) -> str:
    """Return a message of the server as one line of at most 200 characters."""
    message = text.decode(errors="replace") if isinstance(text, bytes) else text
    line = " ".join("".join(sign if sign.isprintable() else " " for sign in message).split())
    return line[:200]


def _basic(remote: Remote) -> str | None:
    if remote.user is None and remote.password is None:
        return None
    return "Basic " + base64.b64encode(f"{remote.user or ''}:{remote.password or ''}".encode()).decode()


class _Ssh(SubprocessSSHVendor):
    """Starts the program ``ssh``, and ends it once the work is cancelled: a server may not answer."""

    def __init__(self, stack: ExitStack, work: Work) -> None:
        self._stack = stack
        self._work = work

    def run_command(self, *given: Any, **more: Any) -> SubprocessWrapper:
        """Run a command of the server."""
        connection, is_over = super().run_command(*given, **more), threading.Event()

        def watch() -> None:
            while not is_over.wait(_BETWEEN_LOOKS_S):
                if self._work.is_cancelled():
                    connection.proc.kill()

        def end() -> None:
            is_over.set()
            thread.join()
            with connection.proc as process:
                process.kill()

        thread = threading.Thread(target=watch, name="recto-ssh")
        thread.start()
        self._stack.callback(end)
        return connection


class _Pool:
    """Sends the requests of the library through :mod:`recto.server.fetching`, as it would through urllib3's pool."""

    def __init__(self, stack: ExitStack, work: Work, authorization: str | None) -> None:
        self.headers: dict[str, str] = {"User-Agent": f"git/recto-{__version__}"}
        if authorization is not None:
            self.headers["Authorization"] = authorization
        self._stack = stack
        self._fetcher = Fetcher(is_local=work.is_local, is_cancelled=work.is_cancelled)

    def request(self, method: str, url: str, *, headers: Mapping[str, str], body: Any = None, **_: Any) -> _Response:
        """Send a request."""
        return _Response(self._stack.enter_context(self._fetcher.open(method, url, headers=headers, body=body)))


class _Response:
    """A response as urllib3 has it."""

    def __init__(self, response: FetchedResponse) -> None:
        self.status = response.status
        self.headers = _Headers(response.headers)
        self._url = response.url
        self._pieces = response.pieces
        self._left = bytearray()
        if self.status == 200 and not response.headers.get("content-type", "").startswith("application/x-git-"):
            # A server of plain files: what it sends is not held to any bound.
            raise NotGitRepository

    def geturl(self) -> str:
        """Return where the response came from at last."""
        return self._url

    def read(self, size: int = -1) -> bytes:
        """Return so many bytes, fewer only at the end."""
        while size < 0 or len(self._left) < size:
            piece = next(self._pieces, None)
            if piece is None:
                break
            self._left += piece
        taken = bytes(self._left if size < 0 else self._left[:size])
        del self._left[: len(taken)]
        return taken

    def close(self) -> None:
        """Do nothing: the response is closed with its client."""


class _Headers:
    def __init__(self, headers: Mapping[str, str]) -> None:
        self._headers = headers

    def get(self, name: str, default: str | None = None) -> str | None:
        """Return a header, whatever the case of its name."""
        return self._headers.get(name.lower(), default)


def _check_pack(file: BinaryIO, stop_if_cancelled: Callable[[], None]) -> None:
    """Check the number and the unpacked sizes of the objects of a pack, before they are unpacked in memory.

    A few bytes of a delta make an object as large as that which it changes, so what it makes counts. The form is that
    of https://git-scm.com/docs/pack-format.
    """
    file.flush()
    file.seek(0)
    reader = _PackReader(file)
    signature, _, count = struct.unpack(">4sII", reader.take(12))
    if signature != b"PACK":
        raise GitProtocolError("not a pack")
    if count > MAX_OBJECTS:
        raise GitError(f"The branch has more than {MAX_OBJECTS:,} objects that are not here yet.")
    total = 0
    for _ in range(count):
        stop_if_cancelled()
        kind, size = reader.head()
        if kind == 6:
            while reader.take(1)[0] & 0x80:
                pass
        elif kind == 7:
            reader.take(20)
        total += _checked_size(size, total)
        first = reader.inflate(size)
        if kind in (6, 7):
            total += _checked_size(_size_of_result(first), total)
    file.seek(0, 2)


def _checked_size(size: int, total: int) -> int:
    """Return the size of an object; raise where it is too large, or too large beside the ``total`` before it."""
    if size > MAX_FILE_BYTES or total + size > MAX_EXPANDED_BYTES:
        raise GitError(
            f"The repository holds a file of more than {MAX_FILE_BYTES // 1_000_000} MB, or unpacks to more than "
            f"{MAX_EXPANDED_BYTES // 1_000_000:,} MB."
        )
    return size


def _size_of_result(delta: bytes) -> int:
    """Return the size of the result of a delta: the second number at its beginning."""
    at, size = 0, 0
    for _ in range(2):
        size, shift = 0, 0
        while True:
            byte = delta[at]
            at += 1
            size |= (byte & 0x7F) << shift
            shift += 7
            if not byte & 0x80:
                break
    return size


class _PackReader:
    """Reads a pack from its beginning to its end, in pieces."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._left = b""

    def take(self, size: int) -> bytes:
        """Return so many bytes."""
        while len(self._left) < size:
            piece = self._file.read(_PIECE)
            if not piece:
                raise EOFError
            self._left += piece
        taken, self._left = self._left[:size], self._left[size:]
        return taken

    def head(self) -> tuple[int, int]:
        """Return the type and the unpacked size of the next object."""
        byte = self.take(1)[0]
        kind, size, shift = (byte >> 4) & 7, byte & 0x0F, 4
        while byte & 0x80:
            byte = self.take(1)[0]
            size |= (byte & 0x7F) << shift
            shift += 7
        return kind, size

    def inflate(self, size: int) -> bytes:
        """Pass over an object and return its first bytes; raise where it holds more than it says."""
        unpacker = zlib.decompressobj()
        first, done = b"", 0
        while not unpacker.eof:
            piece = unpacker.unconsumed_tail or self._left or self._file.read(_PIECE)
            if not piece:
                raise EOFError
            if piece is self._left:
                self._left = b""
            out = unpacker.decompress(piece, _PIECE)
            first += out[: _HEAD - len(first)]
            done += len(out)
            if done > size:
                raise zlib.error("an object is larger than it says")
        self._left = unpacker.unused_data + self._left
        return first


@contextmanager
def open_repository(remote: Remote, folder: Path, work: Work) -> Iterator[Repository]:
    """Open the repository at a remote; fetched objects are kept in ``folder``, which is made. Raises ``GitError``.

    A repository on this machine is read where it is.
    """
    try:
        if remote.way is Way.LOCAL:
            repo = Repo(remote.url)
        elif (folder / "HEAD").exists():
            repo = Repo(str(folder))
        else:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            repo = Repo.init_bare(str(folder), default_branch=b"main")
    except NotGitRepository:
        raise GitError(f"There is no Git repository at {remote.url}.") from None
    except (OSError, *_BROKEN) as error:
        reason = getattr(error, "strerror", None) or "it is damaged"
        raise GitError(f"The repository at {remote.url} cannot be read: {reason}.") from None
    try:
        yield Repository(remote, repo, work)
    finally:
        repo.close()
