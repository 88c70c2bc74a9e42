"""What a page of a space is drawn with beside its own text: titles, files, included texts and variables."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from recto.client.errors import Unsupported
from recto.server.content.importing import ImportedPage
from recto.tui import navigation
from support.content import make_space
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
    async with workspace.reader(size=(120, 40), spot=navigation.at_space(workspace.space)) as reader:
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


async def test_where_a_platform_does_not_tell_the_words_of_the_page_stand(workspace: Workspace) -> None:
    def refuse(transport: Refusing) -> None:
        for name in ("get_revision", "list_files"):
            transport.always[name] = Unsupported(name, "This server does not offer it.", status=405)

    async with workspace.reader(size=(120, 40), spot=navigation.at_space(workspace.space), prepare=refuse) as reader:
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
