"""Import of content: each source in its published format, block by block, into main and into a change request."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from tempfile import gettempdir
from typing import Any

import pytest
from bs4 import Tag

from recto.contract.addresses import InChangeRequest, Main
from recto.contract.imports import SOURCES, ImportContent, ImportedContent, Source, guess_source
from recto.contract.jobs import JobState
from recto.document.conversion import html as html_module
from recto.document.conversion.html import ConversionError, parse_html
from recto.server.content.imported_tree import ImportedPage
from recto.server.exchange import content_import as content_import_module
from recto.server.exchange.content_import import content_import
from recto.server.exchange.folder import FolderError
from recto.server.exchange.sources import website
from recto.server.exchange.sources.pages import page_place
from recto.server.fetching import FetchError
from recto.server.jobs import Job, JobCancelled
from recto.server.platform import Platform
from server.test_fetching import page, to
from support.calls import CountingSet
from support.content import Desk, make_space
from support.documents import (
    CONFLUENCE,
    EXTERNAL_PICTURE,
    HTML,
    HTML_TEXT,
    NOTION_HTML,
    NOTION_MARKDOWN,
    PANDOC_BODY,
    PANDOC_FOOTNOTES,
    PNG,
    WORD_BODY,
    write_word,
    write_zip,
)
from support.platform import Speaker, join, own_organization
from support.web_server import Server, serving

FIRST = ImportedPage("first", "First", "first", text="There before.\n")


@pytest.fixture
def space(platform: Platform) -> str:
    return make_space(platform, (FIRST,))


@dataclass(frozen=True)
class Content:
    """The pages by their paths, with their titles and texts, and the names of files by their ids."""

    titles: Mapping[str, str]
    texts: Mapping[str, str]
    ids: Mapping[str, str]
    files: Mapping[str, str]

    def text(self, path: str) -> str:
        """Return a page's text with ids of pages and files in words."""
        named = {f"/pages/{id}": f"<{path}>" for path, id in self.ids.items()}
        named |= {f"/files/{id}": f"<{name}>" for id, name in self.files.items()}
        return re.sub(r"/(?:pages|files)/\w+", lambda found: named.get(found[0], found[0]), self.texts[path])


async def content(platform: Platform, at: str) -> Content:
    ada = Speaker(platform)
    titles, texts, ids = {}, {}, {}

    async def read(pages: list[Any]) -> None:
        for one in pages:
            assert "linkTitle" not in one  # the page tree would show it instead of the title
            titles[one["path"]], ids[one["path"]] = one["title"], one["id"]
            if one["type"] == "document":
                text = (await ada.get(f"{at}/content/page/{one['id']}", format="markdown"))["markdown"]
                texts[one["path"]] = text.partition("\n")[2].lstrip("\n")
            await read(one["pages"])

    await read((await ada.get(f"{at}/content/pages"))["pages"])
    files = {one["id"]: one["name"] for one in (await ada.get(f"{at}/content/files"))["items"]}
    return Content(titles, texts, ids, files)


def take(
    platform: Platform, at: Main | InChangeRequest | str, source: Source, address: Path | str, *, is_local: bool = True
) -> ImportedContent:
    url = address.as_uri() if isinstance(address, Path) else address
    at = Main(at) if isinstance(at, str) else at
    return platform.jobs.run(content_import(at, ImportContent(url=url, source=source)), is_local=is_local)


def test_the_place_of_a_page_is_looked_up_among_those_that_are_taken() -> None:
    taken = CountingSet(["docs/README.md"])
    assert page_place("docs/index.html", taken) == "docs/index.html.md"
    assert page_place("docs/a.html", taken) == "docs/a.md"
    assert taken.walks == 0


async def test_an_html_page_block_by_block(platform: Platform, space: str, tmp_path: Path) -> None:
    (tmp_path / "install.html").write_text(HTML, "utf-8")
    (tmp_path / "dot.png").write_bytes(PNG)
    answer = take(platform, space, "html", tmp_path / "install.html")
    found = await content(platform, f"/spaces/{space}")
    assert found.titles == {"first": "First", "install": "Install it"}
    assert found.text("install") == HTML_TEXT.replace("DOT", "<dot.png>")
    assert (answer.imported_resources, answer.total_resources) == (2, 2)


async def test_a_markdown_page_comes_with_its_pictures_and_front_matter(
    platform: Platform, space: str, tmp_path: Path
) -> None:
    text = "---\ndescription: About it\n---\n\n# Page\n\n![dot](img/dot.png) and `[x](img/dot.png)`\n"
    (tmp_path / "page.md").write_text(text, "utf-8")
    (tmp_path / "img").mkdir()
    (tmp_path / "img/dot.png").write_bytes(PNG)
    (tmp_path / "secret.txt").write_text("no", "utf-8")
    take(platform, space, "markdown", tmp_path / "page.md")
    found = await content(platform, f"/spaces/{space}")
    assert found.text("page") == "![dot](<dot.png>) and `[x](img/dot.png)`\n"
    assert list(found.files.values()) == ["dot.png"]


async def test_links_between_the_pages_of_an_archive_lead_to_them(
    platform: Platform, space: str, tmp_path: Path
) -> None:
    files = {
        "a.md": "# A\n\n[b](sub/b.html#part), [c](sub/c.md), [pdf](f.pdf), [web](https://x.example/sub/c.md)\n",
        "sub/b.html": "<h1>B</h1><p><a href='../a.md'>a</a> <a href='c.md'>c</a></p>",
        "sub/c.md": '# C\n\n```\n[a](../a.md)\n```\n\n[x]: ../a.md\n\n[a][x] {% embed url="https://y.example" %}\n',
        "f.pdf": b"%PDF",
        "left.txt": "not linked",
    }
    answer = take(platform, space, "zip", write_zip(tmp_path / "docs.zip", files))
    found = await content(platform, f"/spaces/{space}")
    assert found.text("a") == "[b](<sub/b>#part), [c](<sub/c>), [pdf](<f.pdf>), [web](https://x.example/sub/c.md)\n"
    assert found.text("sub/b") == "[a](<a>) [c](<sub/c>)\n"
    assert "```\n[a](../a.md)\n```" in found.text("sub/c")
    assert "[x]: <a>" in found.text("sub/c")
    assert (answer.imported_resources, answer.total_resources) == (4, 4)


async def test_the_layout_keeps_its_order_groups_includes_and_variables(
    platform: Platform, space: str, tmp_path: Path
) -> None:
    files = {
        "SUMMARY.md": "# Summary\n\n* [Start](README.md)\n\n## Part\n\n* [B](b.md)\n* [A](a.md)\n* [Web](https://x.example)\n",
        "README.md": '# Start\n\n{% include ".gitbook/includes/note.md" %}\n',
        "a.md": "# A\n",
        "b.md": "# B\n",
        "lost.md": "# Lost\n",
        ".gitbook/includes/note.md": "Mind [A](../../a.md).\n",
        ".gitbook/vars.yaml": "version: '2'\n",
    }
    answer = take(platform, space, "zip", write_zip(tmp_path / "docs.zip", files))
    found = await content(platform, f"/spaces/{space}")
    assert list(found.titles.values()) == ["First", "Start", "Part", "B", "A", "Web"]
    assert found.text("readme") == "Mind [A](<part/a>).\n"
    assert (answer.imported_resources, answer.total_resources) == (3, 4)
    (job,) = platform.database.read_now(platform.jobs.find)
    assert job.findings[0].lines == ("lost.md",)


async def test_a_text_that_includes_itself_does_so_once(platform: Platform, space: str, tmp_path: Path) -> None:
    again = '{% include "x.md" %}\n\n'
    files = {"README.md": '# Start\n\n{% include ".gitbook/includes/x.md" %}\n', "SUMMARY.md": "* [Start](README.md)\n"}
    files[".gitbook/includes/x.md"] = f"Word.\n\n{again * 40}"
    take(platform, space, "zip", write_zip(tmp_path / "a.zip", files))
    assert (await content(platform, f"/spaces/{space}")).texts["readme"].count("Word.") == 1


def test_texts_that_include_too_much_are_refused(
    platform: Platform, space: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(content_import_module, "_MOST_INCLUDED", 10_000)
    files = {"README.md": '{% include ".gitbook/includes/x0.md" %}\n', "SUMMARY.md": "* [Start](README.md)\n"}
    for at in range(5):
        files[f".gitbook/includes/x{at}.md"] = f'{{% include "x{at + 1}.md" %}}\n\n' * 14
    with pytest.raises(FolderError, match="more than 10,000 characters in all"):
        take(platform, space, "zip", write_zip(tmp_path / "a.zip", files))


async def test_a_word_document_block_by_block(platform: Platform, space: str, tmp_path: Path) -> None:
    take(platform, space, "docx", write_word(tmp_path / "manual.docx"))
    found = await content(platform, f"/spaces/{space}")
    assert list(found.titles.values()) == ["First", "The manual"]
    text = found.text(list(found.texts)[-1])
    assert re.sub(r"picture-\w+", "picture", text) == (
        "Plain and **bold**\n\n## Parts\n\n* First\n* Second\n\n1. One\n\n> Said so\n\n```\nx = 1\ny = 2\n```\n\n"
        "[A link](https://example.org/a)\n\n![A dot](<picture.png>)\n\n"
        "| A | B |\n| --- | --- |\n| 1 | 2 \\| 3 |\n"
    )


async def test_a_word_document_of_pandoc_block_by_block(platform: Platform, space: str, tmp_path: Path) -> None:
    more = {"word/footnotes.xml": PANDOC_FOOTNOTES.encode()}
    take(platform, space, "docx", write_word(tmp_path / "manual.docx", PANDOC_BODY, more=more))
    found = await content(platform, f"/spaces/{space}")
    assert found.texts["readme"] == (
        'Run `recto`\n\nNoted[^1]\n\n## Parts of it <a href="#_Toc1" id="_Toc1"></a>\n\n'
        "> Said so\n\n```\ndef f():\n    return 1\n```\n\n[Up](#_Toc1)\n\n"
        "[^1]: The note\n\n    and more.\n"
    )
    (job,) = platform.database.read_now(platform.jobs.find)
    assert job.findings[0].lines == ("manual.docx: the formulas in it, which cannot be converted",)


@pytest.mark.parametrize(
    ("body", "head", "more"),
    [
        (WORD_BODY, '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;">]>', {}),
        (WORD_BODY, '<!DOCTYPE x [<!ENTITY a SYSTEM "file:///etc/passwd">]>', {}),
        ("<w:p>" * 100_000, "", {}),
        (WORD_BODY, "", {"word/footnotes.xml": b"\xff\xfe<\0!\0D\0"}),
        (WORD_BODY, "", {"word/big.xml": b" " * 17_000_000}),
    ],
)
def test_a_hostile_word_document_is_refused_with_nothing_written(
    platform: Platform, space: str, tmp_path: Path, body: str, head: str, more: dict[str, bytes]
) -> None:
    path = write_word(tmp_path / "manual.docx", body, head, more)
    with pytest.raises(FolderError):
        take(platform, space, "docx", path)
    assert platform.database.read_now(platform.jobs.find)[0].state is JobState.FAILED
    count = platform.database.read_now(lambda connection: connection.value("SELECT count(*) FROM blobs"))
    assert count == 0


async def test_a_picture_that_a_word_document_only_names_is_not_read(
    platform: Platform, space: str, tmp_path: Path
) -> None:
    take(platform, space, "docx", write_word(tmp_path / "manual.docx", WORD_BODY + EXTERNAL_PICTURE))
    found = await content(platform, f"/spaces/{space}")
    assert len(found.files) == 1
    assert "root:" not in "".join(found.texts.values())


async def test_macros_of_a_word_document_stay_out(platform: Platform, space: str, tmp_path: Path) -> None:
    more = {"word/vbaProject.bin": b"Sub AutoOpen()"}
    take(platform, space, "docx", write_word(tmp_path / "manual.docx", more=more))
    assert all(name.endswith(".png") for name in (await content(platform, f"/spaces/{space}")).files.values())


async def test_what_is_played_from_elsewhere_comes_as_its_address(
    platform: Platform, space: str, tmp_path: Path
) -> None:
    html = (
        '<h1>Media</h1><p>Look:</p><iframe src="//video.example.org/embed/1" allowfullscreen>No frames.</iframe>'
        '<video controls><source src="film.mp4"></video><object data="https://example.org/a.pdf"><p>Old.</p></object>'
        '<iframe src="javascript:act()"></iframe><iframe></iframe><table><tr><th>A</th></tr><tr><td>'
        '<audio src="https://example.org/a.mp3"></audio></td></tr></table>'
        "<p>Half is <math><mfrac><mi>a</mi><mi>b</mi></mfrac></math>.</p>"
    )
    take(platform, space, "zip", write_zip(tmp_path / "a.zip", {"media.html": html, "film.mp4": b"film"}))
    found = await content(platform, f"/spaces/{space}")
    assert found.text("media") == (
        'Look:\n\n{% embed url="https://video.example.org/embed/1" %}\n\n{% file src="<film.mp4>" %}\n\n'
        '{% embed url="https://example.org/a.pdf" %}\n\n'
        "| A |\n| --- |\n| [https://example.org/a.mp3](https://example.org/a.mp3) |\n\nHalf is a/b.\n"
    )


as_itself_or_a_zip = pytest.mark.parametrize("is_named", [True, False], ids=["named", "recognized"])
"""With its kind, and as an archive of which is found out what it is."""


@as_itself_or_a_zip
async def test_an_export_of_notion_as_markdown(platform: Platform, space: str, tmp_path: Path, is_named: bool) -> None:
    inner = write_zip(tmp_path / "Export-1-Part-1.zip", NOTION_MARKDOWN)
    outer = write_zip(tmp_path / "export.zip", {inner.name: inner.read_bytes()})
    answer = take(platform, space, "notion" if is_named else "zip", outer)
    found = await content(platform, f"/spaces/{space}")
    assert found.titles == {
        "first": "First",
        "Handbook": "Handbook",
        "Handbook/Zeal": "Zeal",
        "Handbook/Ada": "Ada",
        "Handbook/People": "People",
    }
    assert found.text("Handbook") == (
        "Start with [Zeal](<Handbook/Zeal>), then [Ada](<Handbook/Ada>).\n\n"
        '{% hint style="info" %}\n💡 Mind the gap\n{% endhint %}\n\n![dot](<dot.png>)\n\n[People](<Handbook/People>)\n'
    )
    assert found.text("Handbook/Zeal") == "Back to [Handbook](<Handbook>).\n\n- [ ]  open\n"
    assert "| Ada | Admin \\| owner |" in found.text("Handbook/People")
    assert answer.imported_resources == answer.total_resources == 6


@pytest.mark.parametrize("box", ["<aside>" + " " * 200_000, "<aside>" * 200_000])
async def test_a_box_of_notion_without_an_end_stays_as_it_is(
    platform: Platform, space: str, tmp_path: Path, box: str
) -> None:
    take(platform, space, "notion", write_zip(tmp_path / "a.zip", {"P.md": f"# P\n\n<aside>In</aside>\n\n{box}\n"}))
    text = (await content(platform, f"/spaces/{space}")).texts["P"]
    assert text == f'{{% hint style="info" %}}\nIn\n{{% endhint %}}\n\n{box}\n'


@as_itself_or_a_zip
async def test_an_export_of_notion_as_html(platform: Platform, space: str, tmp_path: Path, is_named: bool) -> None:
    take(platform, space, "notion" if is_named else "zip", write_zip(tmp_path / "export.zip", NOTION_HTML))
    found = await content(platform, f"/spaces/{space}")
    assert found.titles == {"first": "First", "Handbook": "Handbook", "Handbook/Zeal": "Zeal"}
    text = found.text("Handbook")
    for block in (
        "[Zeal](<Handbook/Zeal>)",
        '{% hint style="info" %}\nMind the gap\n{% endhint %}',
        "* [x] done",
        "```python\nx = 1\n```",
        '<img src="<dot.png>" alt="">',
        "<summary>More</summary>",
    ):
        assert block in text, text
    assert found.text("Handbook/Zeal") == "Back to [Handbook](<Handbook>).\n"


@as_itself_or_a_zip
async def test_an_export_of_confluence(platform: Platform, space: str, tmp_path: Path, is_named: bool) -> None:
    take(platform, space, "confluence" if is_named else "zip", write_zip(tmp_path / "export.zip", CONFLUENCE))
    found = await content(platform, f"/spaces/{space}")
    assert list(found.titles.values()) == ["First", "Home", "Zeal", "Ada"]
    home, _, ada = list(found.texts)[1:]
    text = found.text(home)
    for block in (
        f"Start with [Ada](<{ada}>#Ada-Part).",
        '{% hint style="info" %}\n**Mind**\n\nThe gap.\n{% endhint %}',
        "```java\nint x = 1;\n```",
        "* [x] done\n* [ ] open",
        "<details>\n\n<summary>More</summary>\n\nHidden\n\n</details>",
        "![](<4.png>)",
        "[The plan](<5.pdf>)",
    ):
        assert block in text, text
    assert "Created by" not in text
    assert found.text(ada) == '## Part <a href="#Ada-Part" id="Ada-Part"></a>\n\nText.\n'
    assert set(found.files.values()) == {"4.png", "5.pdf"}


@pytest.fixture
def server() -> Iterator[Server]:
    with serving() as one:
        yield one


def site(server: Server) -> None:
    def html(body: str) -> Any:
        return page(f"<html><body><nav><a href='/docs/b/'>b</a></nav><main>{body}</main></body></html>".encode())

    server.answers |= {
        "/docs/": html(
            "<h1>Docs</h1><p><a href='a.html#x'>A</a> <a href='b/'>B</a> <a href='/blog'>Blog</a>"
            " <a href='gone.html'>Gone</a> <img src='/dot.png' alt='dot'></p>"
        ),
        "/docs/a.html": html("<h1>A</h1><p><a href='b/'>B</a> <a href='#y'>y</a></p>"),
        "/docs/b/": html("<h1>B</h1><p><a href='../'>Docs</a> <a href='c'>C</a></p>"),
        "/docs/b/c": html("<h1>C&lt;T&gt;</h1><p>End.</p>"),
        "/blog": html("<h1>Blog</h1>"),
        "/dot.png": page(PNG, Content_Type="image/png"),
    }


async def test_the_pages_of_a_website_below_an_address(platform: Platform, space: str, server: Server) -> None:
    site(server)
    answer = take(platform, space, "website", f"{server.address}/docs/")
    found = await content(platform, f"/spaces/{space}")
    assert sorted(found.titles.values()) == ["A", "B", "C<T>", "Docs", "First"]
    by_title = {title: path for path, title in found.titles.items()}
    assert by_title["C<T>"].startswith(by_title["B"])
    text = found.text(by_title["Docs"])
    assert f"[A](<{by_title['A']}>#x) [B](<{by_title['B']}>) [Blog]({server.address}/blog)" in text
    assert re.search(r"!\[dot\]\(<dot-\w+\.png>\)", text)
    assert found.text(by_title["A"]) == f"[B](<{by_title['B']}>) [y](#y)\n"
    assert (answer.imported_resources, answer.total_resources) == (5, 6)
    (job,) = platform.database.read_now(platform.jobs.find)
    assert any("gone.html" in line for finding in job.findings for line in finding.lines)


async def test_a_page_of_a_website_that_is_linked_by_several_addresses_comes_once(
    platform: Platform, space: str, server: Server
) -> None:
    home = page(b"<h1>Docs</h1><p><a href='a'>A</a> <a href='index.html'>Home</a> <a href='a/'>A again</a></p>")
    server.answers |= {"/docs/": home, "/docs/index.html": home, "/docs/a": to("/docs/a/")}
    server.answers["/docs/a/"] = page(b"<h1>A</h1><p><a href='../index.html'>Home</a></p>")
    take(platform, space, "website", f"{server.address}/docs/")
    found = await content(platform, f"/spaces/{space}")
    assert sorted(found.titles.values()) == ["A", "Docs", "First"]
    by_title = {title: path for path, title in found.titles.items()}
    docs, a = f"(<{by_title['Docs']}>)", f"(<{by_title['A']}>)"
    assert found.text(by_title["Docs"]) == f"[A]{a} [Home]{docs} [A again]{a}\n"
    assert found.text(by_title["A"]) == f"[Home]{docs}\n"


async def test_one_page_of_the_web(platform: Platform, space: str, server: Server) -> None:
    site(server)
    take(platform, space, "html", f"{server.address}/docs/")
    found = await content(platform, f"/spaces/{space}")
    assert list(found.titles.values()) == ["First", "Docs"]


async def test_no_more_of_a_website_than_its_bound(
    platform: Platform, space: str, server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    site(server)
    monkeypatch.setattr(website, "MOST_PAGES", 2)
    answer = take(platform, space, "website", f"{server.address}/docs/")
    assert answer.imported_resources == 3
    assert answer.total_resources > 3


async def test_an_archive_of_the_web(platform: Platform, space: str, server: Server, tmp_path: Path) -> None:
    packed = write_zip(tmp_path / "docs.zip", {"a.md": "# A\n"}).read_bytes()
    server.answers["/d"] = page(packed, Content_Type="application/zip")
    take(platform, space, "zip", f"{server.address}/d")
    assert (await content(platform, f"/spaces/{space}")).titles["a"] == "A"


@pytest.mark.parametrize(
    ("source", "files"),
    [
        ("zip", {"a.txt": "a"}),
        ("zip", {"SUMMARY.md": "* [A](a.md)\n"}),
        ("zip", {"a.md": b"\xff" * 4_000_001}),
        ("zip", {"a.md": "# A", "SUMMARY.md": "".join(f"{'  ' * n}* [A{n}](a.md)\n" for n in range(90))}),
        ("notion", {"a.txt": "a"}),
        ("confluence", {"a.txt": "a"}),
        ("docx", {"a.txt": "a"}),
    ],
)
def test_a_refusal_names_the_address_and_not_where_it_was_unpacked(
    platform: Platform, space: str, server: Server, tmp_path: Path, source: Source, files: dict[str, str | bytes]
) -> None:
    packed = write_zip(tmp_path / "docs.zip", files).read_bytes()
    server.answers["/docs"] = page(packed, Content_Type="application/zip")
    with pytest.raises(FolderError) as refused:
        take(platform, space, source, f"{server.address}/docs")
    assert gettempdir() not in str(refused.value)
    assert source != "zip" or f"{server.address}/docs" in str(refused.value) or "summary" in str(refused.value)


async def test_a_change_request_takes_an_import_and_main_stays(platform: Platform, space: str, tmp_path: Path) -> None:
    ada = Speaker(platform)
    desk = await Desk.open(ada, space)
    request = str(desk.number)
    path = write_zip(tmp_path / "docs.zip", {"a.md": "# A\n"})
    answer = take(platform, InChangeRequest(space, request), "zip", path)
    assert (await content(platform, f"/spaces/{space}/change-requests/{request}")).titles == {
        "first": "First",
        "a": "A",
    }
    assert (await content(platform, f"/spaces/{space}")).titles == {"first": "First"}
    assert (await ada.get(desk.path))["revision"] == answer.revision


def test_a_cancelled_import_leaves_nothing_to_see(platform: Platform, space: str, tmp_path: Path) -> None:
    path = write_zip(tmp_path / "docs.zip", {f"{number}.html": f"<h1>{number}</h1>" for number in range(30)})
    task = content_import(Main(space), ImportContent(url=path.as_uri(), source="zip"))

    def cancel_at(step: str, job: Job) -> None:
        if job.record.step == step:
            job.cancel()

    for step in ("Unpacking", "Converting pages", "Storing texts and files", "Writing the page tree"):
        with pytest.raises(JobCancelled):
            platform.jobs.run(task, watch=partial(cancel_at, step))
    count = platform.database.read_now(lambda connection: connection.value("SELECT count(*) FROM revisions"))
    take(platform, space, "zip", path)
    assert platform.database.read_now(lambda c: c.value("SELECT count(*) FROM revisions")) == count + 1


@pytest.mark.parametrize(
    ("source", "files", "why"),
    [
        ("zip", {"../a.md": "# A"}, "names a file outside of itself"),
        ("zip", {"a.txt": "a"}, "has no pages"),
        ("zip", {"a.md": "# A", "b.txt": "a" * 20_000_000}, "200 times its size"),
        ("notion", {"a.txt": "a"}, "There are no pages in this archive"),
        ("confluence", {"entities.xml": "<a/>"}, "XML export"),
        ("confluence", {"a.md": "# A"}, "no index.html"),
    ],
)
def test_an_archive_that_cannot_be_imported_is_refused_with_the_reason(
    platform: Platform, space: str, tmp_path: Path, source: Source, files: dict[str, str], why: str
) -> None:
    with pytest.raises(FolderError, match=why):
        take(platform, space, source, write_zip(tmp_path / "a.zip", files))


def test_of_what_is_no_archive_the_kinds_are_named_that_can_be_imported(
    platform: Platform, space: str, tmp_path: Path
) -> None:
    (tmp_path / "manual.pdf").write_bytes(b"%PDF-1.4")
    with pytest.raises(FolderError, match=r"known by their endings: \.md, \.html and \.docx\."):
        take(platform, space, "zip", tmp_path / "manual.pdf")


@pytest.mark.slow
@pytest.mark.parametrize(
    "html",
    ["<b>" * 5_000 + "x", "<p>x</p>" * 50_000, "<!--" * 500_000, "<a b='" * 30_000, "&" * 2_000_000, "x" * 4_000_001],
)
async def test_a_page_that_would_cost_too_much_is_left_out_and_the_others_come(
    platform: Platform, space: str, tmp_path: Path, html: str
) -> None:
    answer = take(platform, space, "zip", write_zip(tmp_path / "a.zip", {"a.html": html, "b.html": "<h1>B</h1>"}))
    assert "B" in (await content(platform, f"/spaces/{space}")).titles.values()
    assert answer.total_resources == 2


@pytest.mark.parametrize("attributes", ["a ", "a='>' b/c ", 'a="b"'])
def test_a_page_with_more_attributes_than_are_held_is_not_parsed(
    monkeypatch: pytest.MonkeyPatch, attributes: str
) -> None:
    html = f"<p {attributes * 250_000}>x</p>"
    monkeypatch.setattr(html_module, "BeautifulSoup", lambda *_: pytest.fail("parsed"))
    with pytest.raises(ConversionError, match="more than 200,000 attributes"):
        parse_html(html)


async def test_paragraphs_of_a_cell_become_lines_without_being_looked_for_among_all(
    platform: Platform, space: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Tag, "index", lambda *_: pytest.fail("looked for"))
    rows = "<tr><th>H</th></tr><tr><td>" + "<p>a</p> " * 3 + "<p>b <b>c</b></p></td></tr>"
    take(platform, space, "zip", write_zip(tmp_path / "a.zip", {"a.html": f"<table>{rows}</table>"}))
    text = (await content(platform, f"/spaces/{space}")).texts["a"]
    assert "| a<br> a<br> a<br> b **c** |" in text


def test_what_only_begins_as_the_address_of_a_file_is_none(platform: Platform, space: str) -> None:
    with pytest.raises(FetchError, match="Only addresses that begin with http"):
        take(platform, space, "zip", "file://[docs")


def test_files_of_the_servers_machine_are_not_for_others(platform: Platform, space: str, tmp_path: Path) -> None:
    path = write_zip(tmp_path / "docs.zip", {"a.md": "# A\n"})
    with pytest.raises(FolderError, match="Files of the server's machine are not imported"):
        take(platform, space, "zip", path, is_local=False)


async def test_over_http_the_answer_counts_and_says_where_the_revision_is(
    platform: Platform, space: str, tmp_path: Path
) -> None:
    path = write_zip(tmp_path / "docs.zip", {"a.md": "# A\n"})
    ada = Speaker(platform)
    body = {"url": path.as_uri(), "source": "zip"}
    answer = await ada.request("POST", f"/spaces/{space}/content/import", json=body)
    assert (answer.status_code, answer.json()["importedResources"]) == (201, 1)
    assert answer.headers["location"].endswith(f"/spaces/{space}/revisions/{answer.json()['revision']}")
    told = await ada.refused(
        "POST", f"/spaces/{space}/content/import", 400, {"url": "https://x.example", "source": "google-docs"}
    )
    assert "google-docs" in told
    told = await ada.refused("POST", f"/spaces/{space}/content/import", 400, {"url": "ftp://x", "source": "zip"})
    assert told.startswith("url: ")
    eve = Speaker(platform, join(platform, own_organization(platform), "Eve Editor", "create"))
    told = await eve.refused("POST", f"/spaces/{space}/content/import", 400, body)
    assert "server's machine" in told
    told = await eve.refused(
        "POST", f"/spaces/{space}/content/import", 400, {"url": "http://127.0.0.1:9/x", "source": "markdown"}
    )
    assert "private network" in told


@pytest.mark.parametrize(
    ("address", "source"),
    [
        ("https://docs.example.org/guide/", "website"),
        ("https://docs.example.org/a.docx?x=1", "docx"),
        ("~/export.ZIP", "zip"),
        ("page.md", "markdown"),
        ("/docs", "zip"),
        ("a.html", "html"),
        ("https://github.com/ada/docs/wiki", "github-wiki"),
        ("https://github.com/ada/docs/wiki/Home", "github-wiki"),
        ("https://me:secret@git.example.org/ada/docs.wiki.git", "github-wiki"),
        ("git@git.example.org:ada/docs.wiki.git", "github-wiki"),
        ("ssh://git@git.example.org/ada/docs.wiki.git", "github-wiki"),
        ("https://en.wikipedia.org/wiki/Wiki", "website"),
        ("https://[docs.example.org/a.docx", "docx"),
    ],
)
def test_a_source_is_guessed_by_its_name(address: str, source: str) -> None:
    assert guess_source(address) == source
    assert source in SOURCES
