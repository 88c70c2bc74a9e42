"""Import of wikis: real repositories, from a real Git server on loopback."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from pathlib import Path

import pytest

from recto.cli.own_content import Conversion
from recto.contract.addresses import Main
from recto.contract.imports import ImportContent
from recto.server.exchange import book_reader, summary
from recto.server.exchange.content_import import content_import
from recto.server.exchange.sources.gathering import open_source
from recto.server.fetching import FetchError
from recto.server.jobs import Job, JobCancelled, JobFailed
from recto.server.platform import Platform
from server.exchange.test_content_import import content, take
from support.content import make_space
from support.documents import PNG
from support.git_server import Clone, GitServer, serve_git, stand_in_for_ssh

pytestmark = pytest.mark.slow  # a real Git server

HOME = """Welcome, start with [[Getting Started]] or [[the rules|House-rules#two]].

[A](Getting-Started), [by folder](guide/Deep), [web](WEB/docs/wiki/House-rules#one), [issue](WEB/docs/issues/5)

![dot](images/dot.png) [[images/dot.png|alt=A dot]] [[the plan|plan.pdf]] [[more|https://x.example]] [[Nowhere]]

| A | B |
| --- | --- |
| [[rules\\|House rules]] | `[[Home]]` |

```sh
[[ -f a ]] && [[Home]]
```
"""

WIKI: dict[str, str | bytes | None] = {
    "Home.md": None,
    "Getting-Started.md": "# Begin here\n\nBack [[Home]].\n",
    "House-rules.markdown": "## One\n\n[[up|Home]]\n",
    "guide/Deep.md": "[[Getting Started]], ![dot](/images/dot.png)\n",
    "Zebra.md": "Last.\n",
    "SUMMARY.md": "A page of that name.\n",
    "Old.rst": "Old\n===\n",
    "_Sidebar.md": (
        "![logo](logo.png)\n\n* [[Home]]\n\n### Rules\n\n* [[House rules]]\n  * [[Deep]]\n* Misc\n  * [Z](Zebra)\n"
    ),
    "_Footer.md": "The end.\n",
    "guide/_Header.md": "Above.\n",
    "images/dot.png": PNG,
    "logo.png": PNG,
    "plan.pdf": b"%PDF",
    "secret.txt": "not linked",
    ".gitbook.yaml": "root: guide\n",
}


@pytest.fixture
def space(platform: Platform) -> str:
    return make_space(platform, ())


@pytest.fixture
def server(tmp_path: Path) -> Iterator[GitServer]:
    yield from serve_git(tmp_path)


@pytest.fixture
def clone(server: GitServer, tmp_path: Path) -> Clone:
    clone = Clone(tmp_path / "clone", server.make("docs.wiki.git"))
    clone.commit({**WIKI, "Home.md": HOME.replace("WEB", server.address)})
    return clone


@pytest.mark.parametrize("address", ["docs.wiki.git", "docs/wiki", "docs/wiki/Home", "docs/-/wikis/home"])
async def test_a_wiki_in_the_order_of_its_sidebar(
    platform: Platform, space: str, server: GitServer, clone: Clone, address: str
) -> None:
    answer = take(platform, space, "github-wiki", f"{server.address}/{address}")
    found = await content(platform, f"/spaces/{space}")
    assert list(found.titles.values()) == [
        *("Home", "Rules", "House rules", "Deep", "Zebra"),
        *("Begin here", "SUMMARY"),
    ]
    paths = {title: path for path, title in found.titles.items()}
    assert paths["House rules"].startswith(paths["Rules"]) and paths["Deep"].startswith(paths["House rules"])
    assert (answer.imported_resources, answer.total_resources) == (8, 9)
    (job,) = platform.database.read_now(platform.jobs.find)
    assert any(
        "Old.rst: a page that is not written in Markdown" in line for each in job.findings for line in each.lines
    )


async def test_the_links_and_pictures_of_a_wiki(
    platform: Platform, space: str, server: GitServer, clone: Clone
) -> None:
    take(platform, space, "github-wiki", f"{server.address}/docs.wiki.git")
    found = await content(platform, f"/spaces/{space}")
    paths = {title: path for path, title in found.titles.items()}
    begin, rules, deep = (f"<{paths[title]}>" for title in ("Begin here", "House rules", "Deep"))
    assert found.text(paths["Home"]) == (
        f"Welcome, start with [Getting Started]({begin}) or [the rules]({rules}#two).\n\n"
        f"[A]({begin}), [by folder]({deep}), [web]({rules}#one), [issue]({server.address}/docs/issues/5)\n\n"
        "![dot](<dot.png>) ![A dot](<dot.png>) [the plan](<plan.pdf>) [more](https://x.example) [[Nowhere]]\n\n"
        f"| A | B |\n| --- | --- |\n| [rules]({rules}) | `[[Home]]` |\n\n"
        "```sh\n[[ -f a ]] && [[Home]]\n```\n"
    )
    assert found.text(paths["Begin here"]) == "Back [Home](<Home>).\n"
    assert found.text(paths["Deep"]) == f"[Getting Started]({begin}), ![dot](<dot.png>)\n"
    assert sorted(found.files.values()) == ["dot.png", "plan.pdf"]


async def test_a_wiki_without_a_sidebar_begins_with_home(
    platform: Platform, space: str, server: GitServer, clone: Clone
) -> None:
    clone.commit({"_Sidebar.md": None, "A.md": "A\n"})
    take(platform, space, "github-wiki", f"{server.address}/docs.wiki.git")
    found = await content(platform, f"/spaces/{space}")
    assert list(found.titles.values()) == ["Home", "A", "Begin here", "House rules", "SUMMARY", "Zebra", "Deep"]


async def test_a_wiki_over_ssh_is_for_the_owner_alone(
    platform: Platform, space: str, clone: Clone, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    clone.commit({"Home.md": f"[A](https://wiki.example{clone.bare.with_name('docs')}/wiki/Zebra)\n"})
    stand_in_for_ssh(tmp_path, monkeypatch)
    address = f"git@wiki.example:{clone.bare}"
    take(platform, space, "github-wiki", address)
    assert (await content(platform, f"/spaces/{space}")).text("Home") == "[A](<rules/Zebra>)\n"
    with pytest.raises(JobFailed, match="owner's own command line"):
        take(platform, space, "github-wiki", address, is_local=False)


async def test_a_wiki_that_asks_who_takes_the_credentials_of_the_address_and_shows_none(
    platform: Platform, space: str, server: GitServer, clone: Clone
) -> None:
    server.credentials = ("ada", "s3cret")
    address = server.address.replace("//", "//ada:wr0ng@")
    with pytest.raises(JobFailed, match="not accepted") as refused:
        take(platform, space, "github-wiki", f"{address}/docs/wiki")
    assert "wr0ng" not in str(refused.value)
    take(platform, space, "github-wiki", f"{address.replace('wr0ng', 's3cret')}/docs/wiki")
    jobs = platform.database.read_now(platform.jobs.find)
    assert not any(word in str(jobs) for word in ("wr0ng", "s3cret"))
    assert len((await content(platform, f"/spaces/{space}")).titles) == 7


def test_wikis_that_cannot_be_imported(
    platform: Platform, space: str, server: GitServer, clone: Clone, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.make("empty.wiki.git")
    with pytest.raises(JobFailed, match=r"There are no pages in empty\.wiki yet"):
        take(platform, space, "github-wiki", f"{server.address}/empty/wiki")
    with pytest.raises(JobFailed, match="There is no Git repository"):
        take(platform, space, "github-wiki", f"{server.address}/gone/wiki")
    with pytest.raises(FetchError, match="private network"):
        take(platform, space, "github-wiki", f"{server.address}/docs/wiki", is_local=False)
    with pytest.raises(JobFailed, match="run a program"):
        take(platform, space, "github-wiki", "ext::sh -c x")
    with monkeypatch.context() as patch:
        patch.setattr(summary, "MAX_ENTRIES", 5)
        with pytest.raises(JobFailed, match=r"^The sidebar has more than 5 entries"):
            take(platform, space, "github-wiki", f"{server.address}/docs/wiki")
    monkeypatch.setattr(book_reader, "MAX_PAGES", 3)
    with pytest.raises(JobFailed, match=rf"^{server.address}/docs/wiki has 7 pages"):
        take(platform, space, "github-wiki", f"{server.address}/docs/wiki")
    clone.commit(dict.fromkeys(WIKI) | {"a.rst": "A\n"})
    with pytest.raises(JobFailed, match="no Markdown pages in this wiki"):
        take(platform, space, "github-wiki", f"{server.address}/docs/wiki")


def test_a_cancelled_import_of_a_wiki_leaves_nothing(
    platform: Platform, space: str, server: GitServer, clone: Clone
) -> None:
    body = ImportContent(url=f"{server.address}/docs.wiki.git", source="github-wiki")

    def cancel_at(step: str, job: Job) -> None:
        if job.record.step == step:
            job.cancel()

    for step in ("Fetching (kB)", "Converting pages"):
        with pytest.raises(JobCancelled):
            platform.jobs.run(content_import(Main(space), body), watch=partial(cancel_at, step))
    assert platform.database.read_now(lambda c: c.value("SELECT count(*) FROM blobs")) == 0


@pytest.mark.parametrize(
    "text",
    ["[[" * 500_000, f"[[{'a' * 990}|" * 1_000, "`[[" * 300_000, "[[a]]" * 150_000],
    ids=["open", "long", "code", "links"],
)
def test_a_page_of_brackets_is_read_in_bounded_time(server: GitServer, clone: Clone, text: str) -> None:
    clone.commit({**dict.fromkeys(WIKI), "Home.md": text})
    # In time that grows with the square of this, it would be minutes.
    with open_source("github-wiki", f"{server.address}/docs/wiki", Conversion()) as library:
        assert len(library.books[0].pages) == 1
