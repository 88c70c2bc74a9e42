from __future__ import annotations

import pytest

from recto.cli.api.operation_help import explain
from recto.cli.api.operation_list import find_operations, list_lines
from recto.contract.api import routes
from recto.contract.changes import ContentChanges
from recto.contract.describe import path_of
from recto.contract.organizations import Organizations
from recto.contract.spaces import Spaces
from recto.contract.structure import SiteSpaces
from recto.contract.users import Users


def test_every_operation_is_listed_by_its_resource() -> None:
    lines = list(list_lines(routes()))
    assert lines[:3] == ["Users", "  GET     /user", "          Your own user."]
    for operation in routes():
        assert f"  {operation.method:<7} {path_of(operation)}" in lines


@pytest.mark.parametrize("width", [60, 80, 200])
def test_a_list_fits_a_terminal(width: int) -> None:
    lines = list(list_lines(routes(), width))
    assert max(map(len, lines)) <= width
    whole = "".join(line.strip() for line in lines)
    assert all(path_of(operation) in whole for operation in routes())


def test_what_is_deprecated_is_marked() -> None:
    assert SiteSpaces.move_site_space.deprecated
    marked = [line for line in list_lines(routes()) if line.endswith("(deprecated)")]
    assert len(marked) == sum(operation.deprecated for operation in routes()) > 0
    assert find_operations(routes(), "deprecated") == [each for each in routes() if each.deprecated]
    assert next(iter(explain(SiteSpaces.move_site_space.routes[0], 80))).endswith("(deprecated)")


def test_parameters_are_spelled_as_on_the_wire() -> None:
    every = "\n".join(list_lines(routes()))
    assert "A published site; shareKey is the key of a share link" in every
    assert "_" not in every


def test_a_word_chooses() -> None:
    assert Spaces.get_space.routes[0] in find_operations(routes(), "SPACES")
    assert {each.method for each in find_operations(routes(), "delete")} >= {"DELETE"}
    assert find_operations(routes(), "zzz") == []


def test_all_that_an_operation_takes_and_answers_is_explain() -> None:
    text = "\n".join(explain(Spaces.create_space.routes[0], 80))
    assert "POST /orgs/{organizationId}/spaces\nMake a space." in text
    assert "  title     text, at most 50 characters\n" in text
    assert "  editMode  live or locked\n" in text
    assert "\nResponse\n  201  an object with object, id, title" in text
    text = "\n".join(explain(Organizations.list_organizations.routes[0], 80))
    assert "  limit  whole number, 1 to 1000\n" in text
    assert "200  a list, whose items have object, id, title" in text
    text = "\n".join(explain(Spaces.delete_space.routes[0], 80))
    assert "  204  nothing" in text


def test_alternatives_in_a_body_are_described_kind_by_kind() -> None:
    lines = [" ".join(line.split()) for line in explain(ContentChanges.write_content.routes[0], 120)]
    assert "changes required; list of object, 1 to 50 items" in lines
    at = lines.index("changes[].operation delete_page, with these fields:")
    assert lines[at + 1] == "changes[].page required; text"
    assert "changes[].files[].name required; text, 1 to 256 characters" in lines
    assert not any("nodes" in line for line in lines)


@pytest.mark.slow
def test_every_operation_can_be_described() -> None:
    for operation in [*routes(), *Users.get_user.routes]:
        lines = list(explain(operation, 80))
        assert max(map(len, lines[1:])) <= 80
