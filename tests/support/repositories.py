"""Repositories on disk, made without the program ``git``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from dulwich.objects import Blob, Commit, ObjectID, Tree
from dulwich.refs import Ref
from dulwich.repo import Repo

MAIN = Ref(b"refs/heads/main")


def make_repository(folder: Path, files: Mapping[str, str]) -> Path:
    """Make a bare repository whose branch ``main`` has one commit with these files."""
    folder.mkdir()
    with Repo.init_bare(str(folder), default_branch=b"main") as repo:
        commit = Commit()
        commit.tree = _add_tree(repo, {path.encode(): text.encode() for path, text in files.items()})
        commit.author = commit.committer = b"Grace Hopper <grace@example.org>"
        commit.author_time = commit.commit_time = 1_770_000_000
        commit.author_timezone = commit.commit_timezone = 0
        commit.message = b"Begin\n"
        repo.object_store.add_object(commit)
        repo.refs[MAIN] = commit.id
    return folder


def _add_tree(repo: Repo, files: Mapping[bytes, bytes]) -> ObjectID:
    tree, below = Tree(), dict[bytes, dict[bytes, bytes]]()
    for path, content in files.items():
        first, slash, rest = path.partition(b"/")
        if slash:
            below.setdefault(first, {})[rest] = content
        else:
            blob = Blob.from_string(content)
            repo.object_store.add_object(blob)
            tree.add(first, 0o100644, blob.id)
    for name, inner in below.items():
        tree.add(name, 0o040000, _add_tree(repo, inner))
    repo.object_store.add_object(tree)
    return tree.id
