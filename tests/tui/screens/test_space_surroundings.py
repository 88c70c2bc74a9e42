"""What a page of a space is drawn with beside its own text: titles, files, included texts and variables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recto.client.errors import Unreachable, Unsupported
from recto.contract.content import File, GitObject
from recto.document.markdown.page_links import read_link
from recto.server.content.imported_tree import ImportedPage
from recto.store.locations import SpaceLocation
from recto.tui.screens.reading.space_surroundings import _Named
from support.content import Desk, make_space
from support.sites import Refusing
from support.spaces import Workspace

PAGE = """\
Version <code class="expression">space.vars.version</code> for <code class="expression">page.vars.who</code>.

<figure><img src="../assets/chart.png" alt="A chart"></figure>

{% file src="/files/report" %}

{% content-ref url="other.md" %}
[other.md](other.md)
{% endcontent-ref %}

See [that](other.md "mention").

{% include "../includes/notice.md" %}

{% include "../includes/gone.md" %}
"""


@pytest.fixture
def workspace(tmp_path: Path) -> Iterator[Workspace]:
    opened = Workspace(tmp_path)
    opened.space = make_space(
        opened.platform,
        [
            ImportedPage(
                "page",
                "The page",
                slug="page",
                text=PAGE,
                attributes={"git": {"oid": "1", "path": "docs/page.md"}, "variables": {"who": "everybody"}},
            ),
            ImportedPage(
                "other", "The other page", slug="other", attributes={"git": {"oid": "2", "path": "docs/other.md"}}
            ),
        ],
        files=[
            {"id": "chart", "name": "chart.png", "contentType": "image/png", "size": 34_000, "git": {"oid": "3"}},
            {"id": "report", "name": "report.pdf", "contentType": "application/pdf", "size": 12, "git": {"oid": "4"}},
        ],
        variables={"version": "4.2"},
        reusable_contents=[
            {
                "id": "notice",
                "title": "Notice",
                "text": "---\ntitle: Notice\n---\n\nKept in **one** place.\n",
                "git": {"oid": "5", "path": "includes/notice.md"},
            }
        ],
    )
    yield opened
    opened.close()


async def test_what_a_page_names_is_shown_by_what_it_is(workspace: Workspace) -> None:
    async with workspace.reader(size=(120, 40), location=SpaceLocation(workspace.space)) as reader:
        reader.shows(
            "Version 4.2 for everybody.",
            "▨ A chart · chart.png · 34.0 KB",
            "↓ report.pdf · 12 B",
            "→ The other page",
            "See The other page.",
            "included text  Notice",
            "┊ Kept in one place.",
            "included text  ../includes/gone.md",
        )


INCLUDED = """\
![Of the text](pictures/chart.png) ![Of the page](beside.png)

See [the guide](../docs/other.md#setup), [that](../docs/other.md "mention") and [from here](other.md).

{% content-ref url="../docs/other.md" %}
[other.md](../docs/other.md)
{% endcontent-ref %}
"""


@pytest.fixture
def including(tmp_path: Path) -> Iterator[Workspace]:
    """A space with a page that includes a text with relative links, in a folder below that of the text."""
    opened = Workspace(tmp_path)
    text = '{% include "../../includes/notice.md" %}\n'
    git = {name: {"git": {"oid": name, "path": f"docs/{name}.md"}} for name in ("deep/page", "other", "deep/other")}
    opened.space = make_space(
        opened.platform,
        [
            ImportedPage("page", "The page", slug="page", text=text, attributes=git["deep/page"]),
            ImportedPage("other", "The guide", slug="g", text="## Setup\n\nOf the guide.\n", attributes=git["other"]),
            ImportedPage("near", "A neighbour", slug="n", text="Of the neighbour.\n", attributes=git["deep/other"]),
        ],
        files=[
            {
                "id": path,
                "name": path.rpartition("/")[2],
                "contentType": "image/png",
                "size": size,
                "git": {"path": path},
            }
            for path, size in (
                ("includes/pictures/chart.png", 1_000),
                ("docs/chart.png", 2_000),
                ("docs/deep/beside.png", 3_000),
                ("docs/beside.png", 4_000),
            )
        ],
        reusable_contents=[
            {"id": "notice", "title": "Notice", "text": INCLUDED, "git": {"path": "includes/notice.md"}}
        ],
    )
    yield opened
    opened.close()


async def test_what_an_included_text_names_is_looked_for_from_there_else_from_the_page(including: Workspace) -> None:
    async with including.reader(size=(120, 40), location=SpaceLocation(including.space)) as reader:
        reader.shows(
            "Of the text · chart.png · 1.0 KB",
            "Of the page · beside.png · 3.0 KB",
            "See the guide, The guide and from here.",
            "→ The guide",
        )


@pytest.mark.parametrize(("number", "words"), [(3, "Of the guide."), (5, "Of the neighbour."), (6, "Of the guide.")])
async def test_a_link_of_an_included_text_is_followed(including: Workspace, number: int, words: str) -> None:
    async with including.reader(size=(120, 40), location=SpaceLocation(including.space)) as reader:
        await reader.press("tab", *["greater_than_sign"] * number, "enter")
        reader.shows(words)


def test_files_are_gone_through_once_however_many_pictures_name_them() -> None:
    gone_through = 0

    class Counted(tuple[File, ...]):
        def __iter__(self) -> Iterator[File]:
            nonlocal gone_through
            gone_through += len(self)
            return super().__iter__()

    paths = [f"pictures/{number}.png" for number in range(1_000)]
    files = _Named(Counted(File(id=path, name=path[9:], git=GitObject(oid="1", path=path)) for path in paths))
    places = ("includes/notice.md", "docs/page.md")
    assert [files.find(places, read_link(f"../{path}")) for path in paths] == list(files.by_path.values())[::-1]
    assert files.find(places, read_link("elsewhere/7.png")) == files.by_path["pictures/7.png"]
    assert gone_through <= 3 * len(paths)


async def test_where_a_platform_does_not_tell_the_words_of_the_page_stand(workspace: Workspace) -> None:
    def refuse(transport: Refusing) -> None:
        for name in ("get_revision", "list_files"):
            transport.always[name] = Unsupported(name, "This server does not offer it.", status=405)

    async with workspace.reader(size=(120, 40), location=SpaceLocation(workspace.space), prepare=refuse) as reader:
        reader.shows(
            "Version space.vars.version for page.vars.who.",
            "▨ A chart · chart.png",
            "included text  ../includes/notice.md",
        )
        reader.shows_not("34.0 KB")


async def test_files_and_the_revision_are_asked_for_only_where_a_page_needs_them(tmp_path: Path) -> None:
    workspace = Workspace(tmp_path)
    asked: set[str] = set()

    def note(transport: Refusing) -> None:
        def noted(name: str) -> None:
            async def note_it() -> None:
                asked.add(name)

            transport.then[name] = note_it

        for name in ("get_revision", "list_files", "get_page"):
            noted(name)

    async with workspace.reader(prepare=note) as reader:
        reader.shows("This paragraph is here to be commented on.")
        assert asked == {"get_page"}
    workspace.close()


async def test_a_failed_request_is_repeated_with_the_page(workspace: Workspace) -> None:
    def fail(transport: Refusing) -> None:
        transport.errors["get_revision"] = [Unreachable("Could not load the revision.", "No answer came.")]

    async with workspace.reader(size=(120, 40), location=SpaceLocation(workspace.space), prepare=fail) as reader:
        reader.shows_not("Kept in one place.")
        await reader.press("r")
        reader.shows("Version 4.2 for everybody.", "Kept in one place.")


async def test_a_place_in_a_large_page_is_looked_for_in_that_page_alone(workspace: Workspace) -> None:
    text = '{% include "../includes/notice.md" %}\n\n' + "Words of it.\n\n" * 5000 + "## The end\n\nThe last words.\n"
    space = make_space(workspace.platform, [ImportedPage("large", "Large", slug="large", text=text)])
    async with workspace.reader(location=SpaceLocation(space, page="large", anchor="the-end")) as reader:
        reader.shows("The last words.")
        assert not reader.says("no place")


async def test_a_new_title_shows_where_the_page_is_named_after_a_refresh(
    workspace: Workspace,
) -> None:
    async with workspace.reader(size=(120, 40), location=SpaceLocation(workspace.space)) as reader:
        await reader.press("slash")
        await reader.type("the page")
        await reader.press("enter", "enter", "slash")
        await reader.type("o")
        await reader.press("enter", "n", "n")
        reader.shows("3 of ")
        desk = await Desk.open(workspace.api, workspace.space)
        await desk.write({"operation": "update_page", "page": "other", "title": "The newest page"})
        await desk.merge()
        await reader.press("r")
        reader.shows("→ The newest page", "See The newest page.", "3 of ")
