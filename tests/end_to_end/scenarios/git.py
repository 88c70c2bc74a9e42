"""Scenarios of Git, as far as they need no repository: those with one stand with the tests of the server."""

from __future__ import annotations

import pytest

from end_to_end.scenarios.table import proves
from end_to_end.scenarios.world import World
from recto.client.errors import BadRequest, NotFound
from recto.contract.addresses import Main
from recto.contract.content import Content
from recto.contract.git import ExportGit, Git, ImportGit
from recto.contract.spaces import Spaces


@proves(Git.get_info)
async def a_space_without_a_repository_has_no_info(world: World) -> None:
    assert (await world.call(Spaces.get_space, world.manual)).git_sync is None
    with pytest.raises(NotFound):
        await world.call(Git.get_info, world.manual)


@proves(Git.remove_legacy_installation)
async def removing_what_is_not_there_is_no_error(world: World) -> None:
    await world.call(Git.remove_legacy_installation, world.manual)
    assert (await world.call(Spaces.get_space, world.manual)).git_sync is None


@proves(Git.import_branch)
async def an_import_that_cannot_begin_is_refused_and_changes_nothing(world: World) -> None:
    before = await world.call(Content.get_revision, Main(world.manual))
    for address in ("file:///nowhere/docs.git", "ext::sh -c id", "http://127.0.0.1:9/docs.git"):
        with pytest.raises(BadRequest):
            await world.call(Git.import_branch, world.manual, ImportGit(url=address, ref="refs/heads/main"))
    assert await world.call(Content.get_revision, Main(world.manual)) == before


@proves(Git.export_branch)
async def an_export_that_cannot_begin_is_refused(world: World) -> None:
    for address in ("file:///nowhere/docs.git", "-oProxyCommand=id:docs", "http://127.0.0.1:9/docs.git"):
        with pytest.raises(BadRequest):
            body = ExportGit(url=address, ref="refs/heads/main", commit_message="From Recto")
            await world.call(Git.export_branch, world.manual, body)
    assert (await world.call(Spaces.get_space, world.manual)).git_sync is None
