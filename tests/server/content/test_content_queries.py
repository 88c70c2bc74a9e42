"""What ``format``, ``evaluated``, ``metadata`` and ``computed`` change in the answer of each content operation."""

from __future__ import annotations

from typing import Any

import pytest

from recto.server.content.imported_tree import ImportedPage, ImportedTree, import_tree
from recto.server.git.state import note_commit
from recto.server.platform import Platform
from recto.server.storage.database import Connection
from support.content import Desk, make_space, titles
from support.platform import Speaker

API = '<code class="expression">space.vars.api</code>'
PLAN = '<code class="expression">visitor.claims.plan</code>'
BROKEN = '<code class="expression">space.vars.</code>'
TEXT = f"""# Calling

Call {API} on the {PLAN} plan, or {BROKEN}.

{{% if page.vars.beta === "yes" %}}
For those who try it early.
{{% endif %}}

{{% if visitor.claims.plan === "pro" %}}
For professionals.
{{% endif %}}

{{% if visitor.claims. %}}
For whom, nobody knows.
{{% endif %}}
"""
WRITTEN = f"# Home\n\n#{TEXT}"
NO_BETA = "For those who try it early."
ONLY_VARIABLES = WRITTEN.replace(API, "https://api.example.org").replace(
    f'{{% if page.vars.beta === "yes" %}}\n{NO_BETA}\n{{% endif %}}', NO_BETA
)
ALL = ONLY_VARIABLES.replace(PLAN, "").replace(
    '{% if visitor.claims.plan === "pro" %}\nFor professionals.\n{% endif %}\n\n', ""
)
GIT = {"oid": "1", "path": "a.md"}
PAGES = (
    ImportedPage("home", "Home", "home", text=TEXT, attributes={"git": GIT, "variables": {"beta": "yes"}}),
    ImportedPage("plain", "Plain", "plain", text="Nothing to evaluate.\n"),
    ImportedPage(
        "operations",
        "Operations",
        "operations",
        type="computed",
        text="From a specification.\n",
        attributes={"computed": {"type": "openapi"}},
        children=(ImportedPage("one", "One", "one", type="computed", text="GET /one\n"),),
    ),
)
FILE = {"id": "f", "name": "f.png", "contentType": "image/png", "size": 1, "git": GIT}
REUSED = {"id": "r", "title": "R", "text": "Again.", "git": GIT}


@pytest.fixture
def space(platform: Platform) -> str:
    space = make_space(platform, ())
    tree = ImportedTree(PAGES, (FILE,), {"api": "https://api.example.org"}, (REUSED,))
    commit = {"oid": "2", "message": "As it was"}

    def write(connection: Connection) -> None:
        note_commit(connection, import_tree(platform.context(connection), space, tree).id, commit)

    platform.database.write_now(write)
    return space


@pytest.fixture(params=["main", "past", "change request"])
async def content(request: pytest.FixtureRequest, ada: Speaker, space: str) -> str:
    """The path of the same content as main content, as a past revision, and in a change request."""
    if request.param == "main":
        return f"/spaces/{space}/content"
    if request.param == "past":
        return f"/spaces/{space}/revisions/{(await ada.get(f'/spaces/{space}'))['revision']}"
    return f"{(await Desk.open(ada, space)).path}/content"


@pytest.fixture(params=["page/home", "path/home"])
def page(request: pytest.FixtureRequest, content: str) -> str:
    """The path of the same page by its id and by its path."""
    return f"{content}/{request.param}"


def words(document: dict[str, Any]) -> list[str]:
    """The text of each block that stands at the top of a rich text, what is in blocks of its own in brackets."""

    def text_of(node: dict[str, Any]) -> str:
        within = "".join(map(text_of, node.get("nodes", [])))
        leaves = "".join(leaf["text"] for leaf in node.get("leaves", []))
        return node["data"]["expression"] if node.get("type") == "expression" else leaves + within

    return [f"[{text_of(node)}]" if node["type"] == "if" else text_of(node) for node in document["nodes"]]


@pytest.mark.parametrize(
    ("evaluated", "markdown"),
    [(None, WRITTEN), ("false", WRITTEN), ("deterministic-only", ONLY_VARIABLES), ("true", ALL)],
    ids=["left out", "false", "deterministic-only", "true"],
)
async def test_markdown_comes_evaluated_as_it_is_asked_for(
    ada: Speaker, page: str, evaluated: str | None, markdown: str
) -> None:
    query: dict[str, Any] = {"evaluated": evaluated} if evaluated else {}
    assert (await ada.get(page, format="markdown", **query))["markdown"] == markdown


@pytest.mark.parametrize(
    ("evaluated", "first", "further"),
    [
        (
            None,
            "Call space.vars.api on the visitor.claims.plan plan, or space.vars..",
            [f"[{NO_BETA}]", "[For professionals.]", "[For whom, nobody knows.]"],
        ),
        (
            "deterministic-only",
            "Call https://api.example.org on the visitor.claims.plan plan, or space.vars..",
            [NO_BETA, "[For professionals.]", "[For whom, nobody knows.]"],
        ),
        (
            "true",
            "Call https://api.example.org on the  plan, or space.vars..",
            [NO_BETA, "[For whom, nobody knows.]"],
        ),
    ],
)
async def test_rich_text_comes_evaluated_as_it_is_asked_for(
    ada: Speaker, page: str, evaluated: str | None, first: str, further: list[str]
) -> None:
    query: dict[str, Any] = {"evaluated": evaluated} if evaluated else {}
    assert words((await ada.get(page, format="document", **query))["document"]) == ["Calling", first, *further]


async def test_blocks_have_the_same_keys_evaluated_or_not(ada: Speaker, space: str) -> None:
    desk = await Desk.open(ada, space)
    await desk.edit("home", WRITTEN.replace("on the", "over the").replace("try it", "try this"))

    async def keys(**query: Any) -> list[str]:
        answer = await ada.get(f"{desk.path}/content/page/home", format="document", **query)
        found: list[str] = []
        for node in answer["document"]["nodes"]:
            found += [inner["key"] for inner in node["nodes"]] if node["type"] == "if" else [node["key"]]
        return found

    written = await keys()
    assert len(written) == 5
    assert await keys(evaluated="deterministic-only") == written
    assert await keys(evaluated="true") == [*written[:3], written[4]]


async def test_a_page_without_expressions_is_the_same_evaluated_or_not(ada: Speaker, content: str) -> None:
    for form in ("markdown", "document"):
        written = await ada.get(f"{content}/page/plain", format=form)
        assert form in written
        for evaluated in ("true", "deterministic-only"):
            assert await ada.get(f"{content}/page/plain", format=form, evaluated=evaluated) == written


async def test_the_format_decides_whether_and_how_the_text_comes(ada: Speaker, page: str) -> None:
    assert not {"markdown", "document"} & (await ada.get(page)).keys()
    assert {"markdown", "document"} & (await ada.get(page, format="markdown")).keys() == {"markdown"}
    assert {"markdown", "document"} & (await ada.get(page, format="document")).keys() == {"document"}
    assert "format" in await ada.refused("GET", page, 400, format="html")
    assert "evaluated" in await ada.refused("GET", page, 400, evaluated="perhaps")


async def test_metadata_of_git_is_left_out_where_it_is_not_wanted(ada: Speaker, content: str, page: str) -> None:
    def gits(answer: Any) -> list[Any]:
        if isinstance(answer, list):
            return [git for item in answer for git in gits(item)]
        if not isinstance(answer, dict):
            return []
        return [value for name, value in answer.items() if name == "git"] + gits(list(answer.values()))

    for path in (content, f"{content}/pages", f"{content}/files", f"{content}/files/f", page):
        assert GIT in gits(await ada.get(path)), path
        assert await ada.get(path) == await ada.get(path, metadata="true")
        assert gits(await ada.get(path, metadata="false")) == [], path
    revision = await ada.get(content)
    assert revision["git"]["oid"] == "2"
    assert revision["reusableContents"][0]["git"] == revision["files"][0]["git"] == revision["pages"][0]["git"] == GIT


async def test_computed_pages_stand_as_they_were_declared_where_nothing_is_to_be_computed(
    ada: Speaker, content: str
) -> None:
    for path in (content, f"{content}/pages"):
        assert await ada.get(path, computed="true") == await ada.get(path)
        assert titles((await ada.get(path))["pages"]) == ["Home", "Plain", ("Operations", ["One"])]
        pages = (await ada.get(path, computed="false"))["pages"]
        assert titles(pages) == ["Home", "Plain", "Operations"]
        assert pages[2]["computed"] == {"type": "openapi"}
    for name in ("page/operations", "path/operations"):
        computed = await ada.get(f"{content}/{name}", format="markdown")
        assert (computed["markdown"], titles(computed["pages"])) == ("# Operations\n\nFrom a specification.\n", ["One"])
        declared = await ada.get(f"{content}/{name}", format="markdown", computed="false")
        assert "markdown" not in declared
        assert (declared["pages"], declared["computed"]) == ([], {"type": "openapi"})
    for name in ("page/one", "path/operations/one"):
        assert (await ada.get(f"{content}/{name}", format="markdown"))["markdown"] == "# One\n\nGET /one\n"
        await ada.refused("GET", f"{content}/{name}", 404, computed="false")
    home = f"{content}/page/home"
    assert await ada.get(home, format="markdown", computed="false") == await ada.get(home, format="markdown")


async def test_no_file_is_computed(ada: Speaker, content: str) -> None:
    for path in (f"{content}/files", f"{content}/files/f"):
        assert await ada.get(path, computed="false") == await ada.get(path)
        await ada.refused("GET", path, 400, computed="perhaps")
