"""Objects that revisions share, by hash: texts, page-tree nodes, manifests and the bytes of files."""

from __future__ import annotations

import json
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from concurrent.futures import Future
from threading import Lock
from typing import Any, Generic, TypeVar

from recto.server.content.tree import ROOT, Node, Tree, canonical, changed_children, digest, node_body
from recto.server.storage.database import Connection

V = TypeVar("V")
H = TypeVar("H", bound=Hashable)


class Remembered(Generic[V]):
    """A bounded LRU cache of values by hash, shared by all threads.

    A hash says all about its value, so that nothing here can be out of date, whichever file it came from. ``size``
    bounds what all values weigh, by ``weigh``; without that it bounds how many there are.
    """

    def __init__(self, size: int, weigh: Callable[[V], int] = lambda _: 1) -> None:
        self._size = size
        self._weigh = weigh
        self._weight = 0
        self._values: OrderedDict[Hashable, tuple[V, int]] = OrderedDict()
        self._under_way: dict[Hashable, Future[V]] = {}
        self._lock = Lock()

    def get(self, key: Hashable) -> V | None:
        """Return the value, or ``None`` where it is not known."""
        with self._lock:
            found = self._values.get(key)
            if found is None:
                return None
            self._values.move_to_end(key)
            return found[0]

    def get_or_make(self, key: Hashable, make: Callable[[], V]) -> V:
        """Return the value, making it at most once: concurrent callers wait for the same value."""
        value = self.get(key)
        if value is not None:
            return value
        with self._lock:
            making = self._under_way.get(key)
            if making is None:
                mine = self._under_way[key] = Future()
        if making is not None:
            return making.result()
        try:
            value = make()
        except BaseException as error:
            mine.set_exception(error)
            raise
        else:
            self.put(key, value)
            mine.set_result(value)
            return value
        finally:
            with self._lock:
                del self._under_way[key]

    def put(self, key: Hashable, value: V) -> None:
        """Remember a value."""
        self.put_all({key: value})

    def put_all(self, values: Mapping[H, V]) -> None:
        """Remember several values."""
        with self._lock:
            for key, value in values.items():
                weight = max(1, self._weigh(value))
                self._weight += weight - self._values.get(key, (value, 0))[1]
                self._values[key] = value, weight
                self._values.move_to_end(key)
            while self._weight > self._size:
                self._weight -= self._values.popitem(last=False)[1][1]


_nodes: Remembered[Node] = Remembered(100_000)
_trees: Remembered[Tree] = Remembered(200_000, lambda tree: tree.size)
"""Trees of 1,000 pages for each change request that fifty people have open at once, but few of a huge space."""
_manifests: Remembered[Any] = Remembered(64)


def stored_hashes(connection: Connection, table: str, hashes: Iterable[str]) -> set[str]:
    """Return those of the hashes that the table holds."""
    wanted = json.dumps(list(hashes))
    return set(connection.column(f"SELECT hash FROM {table} WHERE hash IN (SELECT value FROM json_each(?))", wanted))


def load_text(connection: Connection, text: str | None) -> str:
    """Return the text of a hash; empty for ``None``."""
    if text is None:
        return ""
    body: str = connection.value("SELECT body FROM texts WHERE hash = ?", text)
    return body


def load_texts(connection: Connection, texts: Iterable[str]) -> dict[str, str]:
    """Return several texts by their hashes."""
    rows = connection.all(
        "SELECT hash, body FROM texts WHERE hash IN (SELECT value FROM json_each(?))", json.dumps(list(texts))
    )
    return {row["hash"]: row["body"] for row in rows}


def weight_of_texts(connection: Connection, texts: Iterable[str]) -> int:
    """Return how many characters several texts have in all, by their hashes."""
    weight: int = connection.value(
        "SELECT coalesce(sum(length(body)), 0) FROM texts WHERE hash IN (SELECT value FROM json_each(?))",
        json.dumps(list(texts)),
    )
    return weight


def save_texts(connection: Connection, bodies: Mapping[str, str]) -> None:
    """Store several texts, given by their hashes."""
    connection.execute_many("INSERT OR IGNORE INTO texts (hash, body) VALUES (?, ?)", bodies.items())


# Keys that are put off are not saved where they would be carried from themselves: another writer may have saved keys
# since these were worked out. They follow from the text alone then.
_SAVE_KEYS = """INSERT OR REPLACE INTO block_keys (page, text, keys, befores) SELECT ?1, ?2, ?3, ?4 WHERE ?2 NOT IN (
    WITH RECURSIVE line (text) AS (
        SELECT value FROM json_each(?4) UNION
        SELECT before.value FROM line JOIN block_keys ON page = ?1 AND block_keys.text = line.text,
        json_each(befores) AS before
    ) SELECT text FROM line WHERE text IS NOT NULL)"""


class PendingObjects:
    """Texts, files' bytes and block keys that are not stored yet, on top of the stored ones."""

    def __init__(self, connection: Connection) -> None:
        self.connection = connection
        self._texts: dict[str, str] = {}
        self._blobs: dict[str, bytes] = {}
        self._keys: dict[tuple[str, str], tuple[str, str | None]] = {}

    def text(self, name: str | None) -> str:
        """Return the text of a hash; empty for ``None``."""
        return self._texts[name] if name in self._texts else load_text(self.connection, name)

    def put_text(self, body: str) -> str:
        """Add a text and return its hash."""
        name = text_hash(body)
        self._texts[name] = body
        return name

    def put_blob(self, content: bytes) -> str:
        """Add the bytes of a file and return their hash."""
        name = digest(content)
        self._blobs[name] = content
        return name

    def keys(self, page: str, text: str) -> tuple[str, str | None] | None:
        """Return the row of block keys of a page with a text: the keys, and the texts they are carried from."""
        if (page, text) in self._keys:
            return self._keys[page, text]
        row = self.connection.one("SELECT keys, befores FROM block_keys WHERE page = ? AND text = ?", page, text)
        return (row["keys"], row["befores"]) if row else None

    def put_keys(self, page: str, text: str, keys: str, befores: str | None = None) -> None:
        """Add the block keys of a page with a text."""
        self._keys[page, text] = keys, befores

    def store(self, connection: Connection) -> None:
        """Store all of it."""
        save_texts(connection, self._texts)
        save_blobs(connection, self._blobs)
        connection.execute_many(_SAVE_KEYS, ((*place, *kept) for place, kept in self._keys.items()))


def text_hash(body: str) -> str:
    """Return the hash under which a text is stored."""
    return digest(body.encode())


def load_tree(connection: Connection, root: str) -> Tree:
    """Return the page tree with this root; each node is read from the file at most once."""
    tree = _trees.get(root)
    if tree is None:
        tree = Tree(_load_nodes(connection, root))
        _trees.put(root, tree)
    return tree


def _load_nodes(connection: Connection, root: str) -> Node:
    """Read a tree level by level from the root down, then put it together from the leaves up."""
    known: dict[str, Node] = {}
    bodies: list[tuple[str, list[Any]]] = []
    level = [root]
    while level:
        missing = []
        for name in level:
            node = _nodes.get(name)
            if node is not None:
                known[name] = node
            elif name not in known:
                missing.append(name)
        # As one text: to take thousands of rows apart, and to read each body alone, takes far longer.
        found = connection.value(
            """SELECT group_concat('["' || hash || '",' || body || ']')
            FROM json_each(?) CROSS JOIN nodes ON hash = value""",
            json.dumps(missing),
        )
        fresh = json.loads(f"[{found or ''}]")
        bodies.extend(fresh)
        level = [child for _, body in fresh for child in body[6]]
    new: dict[str, Node] = {}
    for name, (page, kind, attributes, text, created, updated, children) in reversed(bodies):
        below = tuple([known[child] for child in children]) if children else ()
        known[name] = new[name] = Node(name, page, kind, attributes, text, created, updated, below)
    _nodes.put_all(new)
    return known[root]


def save_tree(connection: Connection, root: Node, like: Tree | None = None) -> Tree:
    """Store a tree. A node that is there already is there with all under it, so only new ones are looked at.

    ``like`` is a stored tree from which this tree was made: shared nodes are skipped.
    """
    before = {ROOT: like.root} if like is not None else {}
    level = {root.hash: root} if like is None or like.root.hash != root.hash else {}
    while level:
        stored = stored_hashes(connection, "nodes", level)
        new = [node for name, node in level.items() if name not in stored]
        connection.execute_many(
            "INSERT INTO nodes (hash, body) VALUES (?, ?)", ((node.hash, node_body(node)) for node in new)
        )
        _nodes.put_all({node.hash: node for node in new})
        level = {}
        for node in new:
            for was, child in changed_children(before.get(node.id), node):
                level[child.hash] = child
                if was is not None:
                    before[child.id] = was
    tree = Tree(root, like)
    _trees.put(root.hash, tree)
    return tree


def load_manifest(connection: Connection, name: str) -> Any:
    """Return the list or map stored under a hash. It is shared: do not change it."""
    value = _manifests.get(name)
    if value is None:
        value = json.loads(connection.value("SELECT body FROM manifests WHERE hash = ?", name))
        _manifests.put(name, value)
    return value


def save_manifest(connection: Connection, value: list[Any] | dict[str, Any]) -> str:
    """Store a list or map and return its hash."""
    body = canonical(value)
    name = digest(body.encode())
    connection.execute("INSERT OR IGNORE INTO manifests (hash, body) VALUES (?, ?)", name, body)
    return name


def save_blob(connection: Connection, content: bytes) -> str:
    """Store the bytes of a file and return their hash."""
    name = digest(content)
    connection.execute("INSERT OR IGNORE INTO blobs (hash, body) VALUES (?, ?)", name, content)
    return name


def save_blobs(connection: Connection, contents: Mapping[str, bytes]) -> None:
    """Store the bytes of several files, given by their hashes."""
    connection.execute_many("INSERT OR IGNORE INTO blobs (hash, body) VALUES (?, ?)", contents.items())


def load_blob(connection: Connection, name: str) -> bytes | None:
    """Return the bytes of a file, or ``None`` where they were never stored."""
    content: bytes | None = connection.value("SELECT body FROM blobs WHERE hash = ?", name)
    return content
