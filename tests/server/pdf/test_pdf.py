"""PDFs of content, made by the server and read back by another library."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from io import BytesIO
from pathlib import Path
from queue import Queue
from threading import Event
from typing import Any, cast
from urllib.parse import urlsplit

import pytest
from PIL import Image
from pypdf import PdfReader

from recto.contract.addresses import Main
from recto.contract.export_report import PdfReport
from recto.server.content.imported_tree import ImportedPage
from recto.server.exchange import import_folder
from recto.server.jobs import Job, JobCancelled, JobFailed, JobResult, Task
from recto.server.pdf import making, pdf_handlers, typesetting
from recto.server.pdf.making import Part, pdf_task
from recto.server.pdf.pdf_handlers import GOOD_FOR_S
from recto.server.platform import Platform
from support.block_pages import BLOCKS
from support.content import Desk, make_space
from support.folders import write_folder
from support.platform import FrozenClock, Speaker, make_platform, own_organization, stranger, wait_for_jobs

HOSTILE = '#import "@preview/evil:1.0.0": * $x$ *not bold* _not_ \\ "quoted" @label <tag> `#sys` [] {} // no comment'
FIRST = f"""# First

The first page leads to [the second](second.md#below), to its [start](second.md) and [out](https://example.org/a?b=c).

```text
{HOSTILE}
```

Прописью Ελληνικά \U00013080\U00013080.

![Chart](chart.png) ![Broken](broken.png) ![Gone](gone.png)

{{% tabs %}}
{{% tab title="Tab one" %}}
Inside one.
{{% endtab %}}

Between tabs.

{{% tab title="Tab two" %}}
Inside two.
{{% endtab %}}
{{% endtabs %}}

<details><summary>Folded</summary>

Opened words.

</details>

{{% stepper %}}
{{% step %}}
Step one.
{{% endstep %}}

Between steps.

{{% step %}}
Step two.
{{% endstep %}}
{{% endstepper %}}
"""
SECOND = "# Second\n\n" + "Filling words. " * 900 + '\n\n## Below\n\nThe end.\n\n{% include "note.md" %}\n'
COMPUTED = """\
* ```yaml
  type: builtin:openapi
  dependencies: {spec: {ref: {kind: openapi, spec: pets}}}
  ```"""
OWNER = {"type": "object", "properties": {"name": {"type": "string"}}}
PET = {"type": "object", "required": ["id"], "properties": {"id": {"type": "integer"}, "owner": OWNER}}
OPERATION = {
    "tags": ["Small pets"],
    "summary": "List small pets",
    "parameters": [{"name": "limit", "in": "query", "description": "At *most*.", "schema": {"type": "integer"}}],
    "responses": {"200": {"description": "Pets found", "content": {"application/json": {"schema": PET}}}},
}
PETS = {
    "openapi": "3.1.0",
    "info": {"title": "Pets", "version": "1"},
    "paths": {"/small-pets": {"get": OPERATION}},
}


async def add_specification(platform: Platform, title: str = "Pets", status: int = 201) -> None:
    body = {"source": {"text": json.dumps({**PETS, "info": {"title": title, "version": "1"}})}}
    await Speaker(platform).send("PUT", f"/orgs/{own_organization(platform)}/openapi/pets", body, status)
    await wait_for_jobs(platform)


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Platform, FrozenClock, str]]:
    """A space with pages that link to each other, and one of each kind of block."""
    top = tmp_path_factory.mktemp("book")
    clock = FrozenClock()
    platform = make_platform(top, clock=clock)
    picture = BytesIO()
    Image.new("RGB", (40, 30), "teal").save(picture, "PNG")
    pages = {f"blocks/{name.replace(' ', '-')}.md": f"# {name}\n\n{text}" for name, text in BLOCKS.items()}
    summary = ["* [First](first.md)", "* [Second](second.md)", "## Blocks", *(f"* [{each}]({each})" for each in pages)]
    summary += [COMPUTED, "* [Elsewhere](https://example.org/out)"]
    texts = {"SUMMARY.md": "\n".join(summary) + "\n", "first.md": FIRST, "second.md": SECOND, "note.md": "Included."}
    folder = write_folder(top / "docs", {**texts, **pages})
    (folder / "chart.png").write_bytes(picture.getvalue())
    (folder / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing")
    asyncio.run(add_specification(platform))
    (imported,) = import_folder(platform, folder).spaces
    yield platform, clock, imported.space
    platform.close()


def make(platform: Platform, space: str, part: Part) -> tuple[PdfReport, PdfReader]:
    made: list[bytes] = []

    def save(file: Path) -> None:
        made.append(file.read_bytes())
        # What is saved is no longer cancelled.
        assert platform.jobs.cancel(platform.database.read_now(platform.jobs.find)[0].id)

    task = pdf_task(Main(space), part, "book.pdf", save, None)
    return platform.jobs.run(task), PdfReader(BytesIO(made[0]))


def words(reader: PdfReader) -> str:
    return " ".join(" ".join(page.extract_text() for page in reader.pages).replace("\u200b", "").split())


def page_of(platform: Platform, space: str, title: str) -> str:
    def find(tree: Any) -> str:
        return next(str(page["id"]) for page in tree["pages"] if page["title"] == title)

    return find(asyncio.run(Speaker(platform).get(f"/spaces/{space}/content/pages")))


@pytest.mark.slow
def test_words_stand_in_order_and_links_lead_where_they_led(book: tuple[Platform, FrozenClock, str]) -> None:
    platform, _, space = book
    report, reader = make(platform, space, Part())
    assert report.pages == len(BLOCKS) + 5
    text = words(reader)
    order = ["Contents", "The first page leads to", "Inside one.", "Between tabs.", "Inside two.", "Folded"]
    order += ["Opened words.", "1 Step one.", "Between steps.", "2 Step two.", "The end."]
    order += ["GET /small-pets List small pets", "limit integer At most. query"]
    order += ["200 Pets found", "id integer required", "owner.name string", "→ https://example.org/out"]
    places = [text.index(each) for each in order]
    assert places == sorted(places)
    assert text.count("Прописью Ελληνικά") == 1
    assert HOSTILE in text
    assert text.index("id Of the cake") < text.index("200 Found")
    first = next(page for page in reader.pages if "The first page leads to" in page.extract_text())
    links = [note.get_object() for note in cast(Any, first["/Annots"])]
    outside = [each["/A"]["/URI"] for each in links if "/URI" in each.get("/A", {})]
    assert outside[0] == "https://example.org/a?b=c"
    inside = [number_of(reader, each) for each in links if "/URI" not in each.get("/A", {})]
    start = next(
        at for at, page in enumerate(reader.pages) if "Second Filling" in " ".join(page.extract_text().split())
    )
    below = next(at for at, page in enumerate(reader.pages) if "The end." in page.extract_text())
    assert inside[:2] == [below, start]
    assert below > start
    assert {"First", "Second", "Below"} <= set(titles(reader.outline))
    assert reader.metadata is not None
    assert reader.metadata.title == "docs"


def number_of(reader: PdfReader, link: Any) -> int:
    target = link["/Dest"] if "/Dest" in link else link["/A"]["/D"]
    target = target if not isinstance(target, str) else reader.named_destinations[target].dest_array
    found = reader.get_page_number(target[0].get_object())
    assert found is not None
    return found


def titles(outline: Any) -> Iterator[str]:
    for each in outline:
        if isinstance(each, list):
            yield from titles(each)
        else:
            yield str(each.title)


def test_what_a_pdf_cannot_show_is_reported_and_never_a_box(book: tuple[Platform, FrozenClock, str]) -> None:
    platform, _, space = book
    report, reader = make(platform, space, Part(page_of(platform, space, "First"), only=True))
    findings = {finding.message.split(" ", 1)[1]: finding.lines for finding in report.left_out}
    assert findings["character is in no font; its number stands in its place:"] == ("\U00013080 U+13080 2 times",)
    assert sorted(findings["pictures are not shown:"]) == [
        "broken.png: it cannot be read",
        "gone.png: it is not in the space",
    ]
    assert "U+13080" in words(reader)
    assert report.pages == 1
    assert "The end." not in words(reader)
    assert sum(len(page.images) for page in reader.pages) == 1


def test_the_words_of_the_book_are_in_the_language_of_the_space(book: tuple[Platform, FrozenClock, str]) -> None:
    platform, _, _ = book
    matrix = "$$\n\\begin{pmatrix} a & b \\end{pmatrix}\n$$\n"
    block = '{% openapi-operation spec="pets" path="/small-pets" method="get" %}\n{% endopenapi-operation %}\n'
    pages = [ImportedPage("a", "A", text=block), ImportedPage("b", "B", text=f"$$\nE = mc^2\n$$\n\n{matrix}")]
    space = make_space(platform, pages)
    asyncio.run(Speaker(platform).send("PATCH", f"/spaces/{space}", {"language": "ru"}))
    report, reader = make(platform, space, Part())
    text = words(reader)
    for each in ("Содержание", "Параметр Тип Описание", "обязательно", "2.3.2026", "E = mc²", r"\begin{pmatrix} a & b"):
        assert each in text
    assert "Contents" not in text
    (formulas,) = report.left_out
    assert (formulas.message, formulas.lines) == ("1 formula stands as it is written in TeX:", ("B: 1",))


def test_a_page_breaks_where_a_reader_expects_it(book: tuple[Platform, FrozenClock, str]) -> None:
    platform, _, _ = book
    row = "| Row {0} " + "Some words that fill more than a line. " * 6 + "End {0} | x |\n"
    rows = "| a | b |\n|-|-|\n" + "".join(row.format(f"{at}.") for at in range(40))
    title = "A title that is too long for the half of a line that it has above each page of the book"
    signs = "".join(chr(0x13080 + at) for at in range(40))
    parent = ImportedPage(
        "parent", "Parent without words", children=(ImportedPage("child", "Child", text=f"Its words. {signs}"),)
    )
    space = make_space(platform, [ImportedPage("a", title, text=rows), parent])
    report, reader = make(platform, space, Part())
    pages = [" ".join(page.extract_text().replace("\u200b", "").split()) for page in reader.pages]
    for number in range(40):
        assert any(f"Row {number}. " in page and f"End {number}. " in page for page in pages)
    assert all(page.startswith("Guide A title that is too long") and "…" in page for page in pages[2:-2])
    assert "Parent without words Child Its words." in pages[-2]
    (characters,) = report.left_out
    assert (len(characters.lines), characters.lines[-1]) == (11, "and 10 more")


def cancel_setting(job: Job) -> None:
    """Cancel a job once it sets its book."""
    if job.record.step == "Setting the PDF":
        job.cancel()


def test_cancelling_ends_the_process_and_leaves_nothing(
    book: tuple[Platform, FrozenClock, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    platform, _, space = book
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))

    with pytest.raises(JobCancelled):
        platform.jobs.run(pdf_task(Main(space), Part(), "book.pdf", lambda file: None, None), watch=cancel_setting)
    assert not any(tmp_path.iterdir())


def test_a_book_that_waits_for_its_turn_can_be_cancelled(
    book: tuple[Platform, FrozenClock, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    platform, _, space = book
    monkeypatch.setattr(typesetting, "_run", lambda *given: pytest.fail("it did not wait"))
    task = pdf_task(Main(space), Part(), "book.pdf", lambda file: None, None)
    with typesetting._TURN, pytest.raises(JobCancelled):
        platform.jobs.run(task, watch=cancel_setting)


async def test_the_address_is_served_without_a_token_until_it_ends(
    book: tuple[Platform, FrozenClock, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    platform, clock, space = book
    ada = Speaker(platform)
    pages = await ada.get(f"/spaces/{space}/content/pages")
    query = {"page": pages["pages"][0]["id"], "only": "true"}
    url = (await ada.get(f"/spaces/{space}/pdf", **query))["url"]
    ada.headers.pop("Authorization")
    assert (await ada.request("HEAD", url)).status_code == 200
    answer = await ada.request("GET", url)
    assert answer.headers["content-type"] == "application/pdf"
    assert "The first page leads to" in words(PdfReader(BytesIO(answer.content)))
    monkeypatch.setattr(pdf_handlers, "pdf_task", lambda *given: pytest.fail("it was made again"))
    assert (await ada.request("GET", url)).content == answer.content
    monkeypatch.undo()
    assert (await ada.request("GET", url[:-1] + ("0" if url[-1] != "0" else "1"))).status_code == 404
    clock.advance(seconds=GOOD_FOR_S + 1)
    assert (await ada.request("GET", url)).status_code == 404
    await Speaker(platform).refused("GET", f"/spaces/{space}/pdf", 404, page="none")
    await Speaker(platform, stranger(platform)).refused("GET", f"/spaces/{space}/pdf", 404)


def test_a_book_that_is_too_large_is_refused_before_it_is_set(
    book: tuple[Platform, FrozenClock, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    platform, _, space = book
    monkeypatch.setattr(making, "MOST_WRITTEN", 10_000)
    monkeypatch.setattr(making, "typeset", lambda *given: pytest.fail("it was set"))
    with pytest.raises(JobFailed, match=r"too large for one PDF\. Choose a page, alone or"):
        platform.jobs.run(pdf_task(Main(space), Part(), "book.pdf", lambda file: None, None))


def task_for_titles(folder: Path, begin: Callable[[str], None]) -> Callable[..., Task[PdfReport]]:
    """Return what stands for ``pdf_task``: its PDFs hold nothing but their titles, with which ``begin`` is called."""

    def task(at: Main, _part: Part, what: str, save: Callable[[Path], None], _fonts: Any) -> Task[PdfReport]:
        def do(job: Job) -> PdfReport:
            begin(what)
            file = folder / f"{job.record.id}.pdf"
            file.write_bytes(what.encode())
            save(file)
            finished = job.finish(lambda context: (PdfReport(what, 1, 1), JobResult({"pages": 1})))
            assert finished is not None
            return finished

        return Task("PDF", what, do, at.space)

    return task


async def test_a_pdf_is_made_again_when_what_it_shows_has_changed(
    platform: Platform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    monkeypatch.setattr(pdf_handlers, "pdf_task", task_for_titles(tmp_path, made.append))
    await add_specification(platform)
    block = '{% openapi-operation spec="pets" path="/small-pets" method="get" %}\n{% endopenapi-operation %}\n'
    desk = await Desk.open(Speaker(platform), make_space(platform, [ImportedPage("a", "A", text=block)]))
    url = (await desk.speaker.get(f"{desk.path}/pdf"))["url"]

    async def count() -> int:
        for _ in range(2):
            assert (await desk.speaker.request("GET", url)).status_code == 200
        return len(made)

    assert await count() == 1
    await desk.edit("a", f"# A\n\nOther words.\n\n{block}")
    assert await count() == 2
    await add_specification(platform, "Other pets", 200)
    assert await count() == 3
    await desk.speaker.send("PATCH", f"/spaces/{desk.space}", {"language": "ru"})
    assert await count() == 4
    await desk.speaker.send("PATCH", desk.path, {"subject": "Another subject"})
    assert await count() == 5


async def test_a_pdf_is_kept_as_long_as_an_address_is_good(
    platform: Platform, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made: list[str] = []
    monkeypatch.setattr(pdf_handlers, "pdf_task", task_for_titles(tmp_path, made.append))
    monkeypatch.setattr(pdf_handlers, "GOOD_FOR_S", 0)
    ada, space = Speaker(platform), make_space(platform, [ImportedPage("a", "A")])
    url = (await ada.get(f"/spaces/{space}/pdf"))["url"]
    for _ in range(2):
        assert (await ada.request("GET", url)).status_code == 200
    assert made == ["Guide", "Guide"]


async def test_a_pdf_is_made_once_for_all_who_fetch_it_and_few_at_once(
    book: tuple[Platform, FrozenClock, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    platform, _, space = book
    ada = Speaker(platform)
    pages = (await ada.get(f"/spaces/{space}/content/pages"))["pages"]
    urls = [(await ada.get(f"/spaces/{space}/pdf", page=each["id"]))["url"] for each in pages[:3]]
    goes_on, begun = Event(), Queue[str]()

    def wait(what: str) -> None:
        begun.put(what)
        goes_on.wait()

    monkeypatch.setattr(pdf_handlers, "pdf_task", task_for_titles(tmp_path, wait))
    fetches = [asyncio.create_task(ada.request("GET", url)) for url in (urls[0], urls[0], urls[1])]
    await asyncio.to_thread(begun.get)
    await asyncio.to_thread(begun.get)
    refused = await ada.request("GET", urls[2])
    assert (refused.status_code, begun.empty()) == (503, True)
    assert "as many PDFs as it can" in refused.json()["error"]["message"]
    goes_on.set()
    assert [(await each).content.decode() for each in fetches] == [pages[at]["title"] for at in (0, 0, 1)]
    await wait_for_jobs(platform)
    assert (await ada.request("GET", urls[2])).status_code == 200
    await wait_for_jobs(platform)


async def test_a_pdf_is_cancelled_once_the_last_of_those_who_fetch_it_has_gone(
    book: tuple[Platform, FrozenClock, str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    platform, _, space = book
    ada = Speaker(platform)
    url = (await ada.get(f"/spaces/{space}/pdf"))["url"]
    goes_on, begun = Event(), Queue[str]()

    def wait(what: str) -> None:
        begun.put(what)
        goes_on.wait()

    monkeypatch.setattr(pdf_handlers, "pdf_task", task_for_titles(tmp_path, wait))
    fetch = asyncio.create_task(ada.request("GET", url))
    await asyncio.to_thread(begun.get)
    (job,) = platform.jobs._running.values()
    try:
        status = await fetch_and_disconnect(platform, url)
        assert (status, job.is_cancelled()) == (400, False)
        fetch.cancel()
        await asyncio.wait([fetch])
        assert job.is_cancelled()
        other = asyncio.create_task(ada.request("GET", url))
        assert await asyncio.to_thread(begun.get, timeout=30)
    finally:
        goes_on.set()
    assert (await other).status_code == 200
    await wait_for_jobs(platform)
    assert [each.state for each in platform.database.read_now(platform.jobs.find)[:2]] == ["finished", "cancelled"]


async def fetch_and_disconnect(platform: Platform, url: str) -> int:
    """Fetch an address as a caller who goes at once; return the status that nobody receives."""
    sent: list[Any] = []

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    async def send(message: Any) -> None:
        sent.append(message)

    address = urlsplit(url)
    scope = {"type": "http", "method": "GET", "path": address.path, "query_string": b"", "root_path": ""}
    host = str(address.hostname)
    server = {"scheme": address.scheme, "server": (host, 80), "headers": [(b"host", address.netloc.encode())]}
    await platform.application(scope | server, receive, send)
    return int(sent[0]["status"])
