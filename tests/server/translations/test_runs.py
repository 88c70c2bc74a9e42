"""Runs of translations: what they translate, what they keep of what people wrote, and engines that fail."""

from __future__ import annotations

import asyncio
import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from recto.contract.jobs import JobRecord, JobState
from recto.document.markdown.page import ParsedPage, parse_page
from recto.document.translation import page_texts
from recto.server.content.imported_tree import ImportedPage
from recto.server.content.objects import load_text
from recto.server.content.revisions import content_of, main_revision
from recto.server.jobs import Cancellation
from recto.server.platform import Platform
from recto.server.storage.database import Connection
from recto.server.translations import translator_process
from recto.server.translations.engine import Engine
from recto.server.translations.running import find_changed_pages, find_waiting_pages
from recto.server.translations.translator_process import EngineFailed, TranslationRequest, read_glossary, translate
from support.content import Desk, change_space, imported_page, make_space, notice, titles
from support.engines import HANGING, UPPER, requests_of, write_engine
from support.platform import Speaker, wait_for_jobs

NO_TEXT: dict[str, Any] = {"object": "document", "data": {"schemaVersion": 1}, "nodes": []}
START = ImportedPage(
    "start",
    "Start",
    "start",
    text="Read **this** first: [Cables](/pages/cables), [all](cables.md).\n\n`code` stays.\n",
    attributes={"git": {"path": "start.md"}},
)
CABLES = imported_page("cables", "Cables", "There are three.\n\nEach is red.\n")
SETUP = ImportedPage(
    "setup", "Set-up", "setup", text="Unpack & read.\n", front_matter={"description": "In short."}, children=(CABLES,)
)
PAGES = (START, SETUP)
LOGO = {"id": "logo", "name": "logo.png", "contentType": "image/png", "size": 3, "url": "https://a.example/logo.png"}


def failing(*words: str) -> str:
    """Return an engine that fails for pages whose title begins with one of these words."""
    refused = f"\nif request['texts'][0].startswith({words!r}):\n"
    return UPPER + refused + "    sys.exit('No more credit.\\nThe service refused.\\n')\n"


class Ground:
    """A space, its translation into French, and the engine that translates it."""

    def __init__(self, platform: Platform, ada: Speaker, organization: str, folder: Path) -> None:
        self.platform = platform
        self.ada = ada
        self.path = f"/orgs/{organization}/translations"
        self.folder = folder
        self.source = make_space(platform, PAGES, files=[LOGO])
        self.id = ""
        self.engine = self.use(UPPER)

    def use(self, program: str, glossary: Path | None = None) -> Engine:
        """Translate with a program from now on."""
        self.engine = self.platform.engine = write_engine(self.folder, program, glossary)
        return self.engine

    def write(self, *pages: ImportedPage) -> None:
        """Make these the pages of the source."""
        change_space(self.platform, self.source, pages, files=[LOGO])

    async def begin(self) -> None:
        """Begin a run; the first time, create the translation."""
        if not self.id:
            source = {"space": self.source, "language": "en"}
            body = {"source": source, "language": "fr", "instructions": NO_TEXT}
            self.id = (await self.ada.send("POST", self.path, body, 201))["id"]
        await self.ada.send("POST", f"{self.path}/{self.id}/run", status=204)

    async def run(self) -> Any:
        """Run the translation to its end and return it."""
        await self.begin()
        await wait_for_jobs(self.platform)
        return await self.get()

    async def get(self) -> Any:
        return await self.ada.get(f"{self.path}/{self.id}")

    async def asked(self) -> list[str]:
        """Run, and return the titles of the pages that were translated."""
        requests_of(self.engine)
        assert (await self.run())["status"] == "completed"
        return [each["texts"][0] for each in requests_of(self.engine)]

    @property
    def last(self) -> JobRecord:
        """The last job."""
        return self.platform.database.read_now(self.platform.jobs.find)[0]

    async def text(self, page: str) -> str:
        """Return the Markdown of a page of the translation, below its title."""
        result = (await self.get())["result"]["space"]
        found = await self.ada.get(f"/spaces/{result}/content/page/{page}", format="markdown")
        return str(found["markdown"]).partition("\n\n")[2]

    async def tree(self) -> list[Any]:
        result = (await self.get())["result"]["space"]
        return titles((await self.ada.get(f"/spaces/{result}/content/pages"))["pages"])

    async def edit(self, page: str, text: str) -> None:
        """Let a person write a page of the translation."""
        desk = await Desk.open(self.ada, (await self.get())["result"]["space"])
        await desk.edit(page, text)
        await desk.merge()

    async def requests(self) -> list[Any]:
        """Return the open change requests of the translation."""
        result = (await self.get())["result"]["space"]
        return list((await self.ada.get(f"/spaces/{result}/change-requests"))["items"])


@pytest.fixture
def ground(platform: Platform, ada: Speaker, organization: str, tmp_path: Path) -> Ground:
    return Ground(platform, ada, organization, tmp_path)


async def test_the_first_run_makes_a_space_that_is_like_the_source(ground: Ground) -> None:
    await ground.ada.send("PATCH", f"/spaces/{ground.source}", {"defaultLevel": None})
    found = await ground.run()
    (result,) = [
        each for each in (await ground.ada.get(f"{ground.path[:-13]}/spaces"))["items"] if each["title"] == "Guide (fr)"
    ]
    assert found["status"] == "completed"
    assert found["result"] == {"space": result["id"], "revision": result["revision"], "language": "fr"}
    assert (result["language"], result["defaultLevel"]) == ("fr", None)
    assert await ground.tree() == ["START", ("SET-UP", ["CABLES"])]
    assert (
        await ground.text("start")
        == "READ **THIS** FIRST: [CABLES](/pages/cables), [ALL](cables.md).\n\n`code` STAYS.\n"
    )
    links = await ground.ada.get(f"/spaces/{result['id']}/content/page/start/links")
    assert [each["status"] for each in links["items"]] == ["ok"]
    page = await ground.ada.get(f"/spaces/{result['id']}/content/page/setup")
    assert (page["path"], page["description"]) == ("setup", "IN SHORT.")
    files = await ground.ada.get(f"/spaces/{result['id']}/content/files")
    assert [each["name"] for each in files["items"]] == ["logo.png"]
    words = found["stats"]["totalWords"]
    assert words > 15
    assert found["stats"] == {
        **{"runs": 1, "totalPages": 3, "latestPages": 3, "totalWords": words, "latestWords": words},
        **{"totalDuration": 0, "latestRunDuration": 0},
    }


async def test_a_run_translates_what_changed_since_the_last(ground: Ground) -> None:
    assert await ground.asked() == ["Start", "Set-up", "Cables"]
    assert await ground.asked() == []
    four = (replace(CABLES, text="There are four.\n"),)
    ground.write(START, replace(SETUP, children=four))
    assert await ground.asked() == ["Cables"]
    assert await ground.text("cables") == "THERE ARE FOUR.\n"
    ground.write(replace(START, attributes={"icon": "star"}), replace(SETUP, title="Setting up", children=four))
    assert await ground.asked() == ["Setting up"]
    assert (await ground.get())["stats"]["latestPages"] == 1
    paragraph = {"object": "block", "type": "paragraph", "nodes": [
        {"object": "text", "leaves": [{"object": "leaf", "text": "Be kind.", "marks": []}]},
    ]}  # fmt: skip
    await ground.ada.send("PUT", f"{ground.path}/{ground.id}", {"instructions": {**NO_TEXT, "nodes": [paragraph]}})
    await ground.run()
    requests = requests_of(ground.engine)
    assert [each["texts"][0] for each in requests] == ["Start", "Setting up", "Cables"]
    glossary = ground.folder / "words.toml"
    glossary.write_text('[fr]\ncable = "câble"\n[de]\ncable = "Kabel"\n', encoding="utf-8")
    ground.use(UPPER, glossary)
    await ground.run()
    requests = requests_of(ground.engine)
    assert [each["texts"][0] for each in requests] == ["Start", "Setting up", "Cables"]
    texts = requests[1].pop("texts")
    assert requests[1] == {
        "source_language": "en",
        "target_language": "fr",
        "instructions": "Be kind.\n",
        "glossary": {"cable": "câble"},
    }
    assert texts == ["Setting up", "In short.", "Unpack &amp; read."]
    assert await ground.text("setup") == "UNPACK & READ.\n"


async def test_pages_that_are_translated_as_they_are_now_have_not_changed(ground: Ground) -> None:
    def changed() -> frozenset[str]:
        return ground.platform.database.read_now(lambda connection: find_changed_pages(connection, ground.id))

    ground.use(BREAKING)
    await ground.run()
    assert changed() == {"start"}
    ground.use(UPPER)
    await ground.run()
    assert changed() == frozenset()
    ground.write(replace(START, attributes={"icon": "star"}), replace(SETUP, text="Unpack.\n"))
    assert changed() == {"setup"}
    ground.write(START, SETUP)
    assert changed() == frozenset()


async def test_what_pages_include_is_translated_once(ground: Ground) -> None:
    change_space(ground.platform, ground.source, PAGES, reusable_contents=notice("Be careful.\n"))
    assert await ground.asked() == ["Start", "Set-up", "Cables", "Notice"]
    assert (await ground.get())["stats"]["totalPages"] == 3
    result = (await ground.get())["result"]["space"]

    def included(connection: Connection) -> Any:
        (found,) = content_of(connection, main_revision(connection, result)).extras["reusableContents"]
        return found["id"], found["title"], load_text(connection, found["text"])

    assert ground.platform.database.read_now(included) == ("notice", "NOTICE", "BE CAREFUL.\n")
    assert await ground.asked() == []
    change_space(ground.platform, ground.source, (START,), reusable_contents=notice("Be quick.\n"))
    assert await ground.asked() == ["Notice"]
    assert ground.platform.database.read_now(included) == ("notice", "NOTICE", "BE QUICK.\n")


async def test_pages_that_move_appear_and_go_do_so_in_the_translation(ground: Ground) -> None:
    await ground.run()
    result = (await ground.get())["result"]["space"]
    desk = await Desk.open(ground.ada, result)
    await desk.write({"operation": "insert_page", "title": "Ours", "document": {"markdown": "Own words."}})
    await desk.merge()
    new = ImportedPage("new", "New", "new", text="New words.\n")
    ground.write(replace(CABLES, slug="wires"), replace(SETUP, children=(new,)))
    assert await ground.asked() == ["New"]
    assert await ground.tree() == ["CABLES", ("SET-UP", ["NEW"]), "Ours"]
    page = await ground.ada.get(f"/spaces/{result}/content/page/cables")
    assert page["path"] == "wires"


async def test_what_a_person_wrote_stays_beside_what_changed_elsewhere_on_the_page(ground: Ground) -> None:
    long = replace(CABLES, text="One.\n\nTwo.\n\nThree.\n\nFour.\n\nFive.\n")
    ground.write(START, replace(SETUP, children=(long,)))
    await ground.run()
    await ground.edit("cables", "Un.\n\nTWO.\n\nTHREE.\n\nFOUR.\n\nFIVE.\n")
    await ground.edit("start", "Lisez ceci.\n")
    assert await ground.asked() == []
    ground.write(START, replace(SETUP, children=(replace(long, text=long.text.replace("Five", "Fifth")),)))
    assert await ground.asked() == ["Cables"]
    assert await ground.text("cables") == "Un.\n\nTWO.\n\nTHREE.\n\nFOUR.\n\nFIFTH.\n"
    assert await ground.text("start") == "Lisez ceci.\n"
    assert await ground.requests() == []


async def test_one_change_request_holds_the_contradictions_of_several_runs(ground: Ground) -> None:
    await ground.run()
    await ground.edit("cables", "Il y en a trois.\n")
    await ground.edit("start", "Lisez ceci.\n")
    ground.write(START, replace(SETUP, text="Unpack.\n", children=(replace(CABLES, text="There are four.\n"),)))
    await ground.run()
    assert await ground.text("cables") == "Il y en a trois.\n"
    assert await ground.text("setup") == "UNPACK.\n"
    (request,) = await ground.requests()
    assert (request["subject"], request["status"]) == ("New translation of Guide", "open")
    (finding,) = ground.last.findings
    assert finding.message.startswith(f"Change request #{request['number']} holds the new translation")
    assert finding.lines == ("CABLES",)
    desk = Desk(ground.ada, request["space"], request["number"])
    held = await desk.text("cables")
    assert "THERE ARE FOUR." in held
    assert "Il y en a trois." in held
    assert "conflicts" in await ground.ada.refused("POST", f"{desk.path}/merge", 409)
    ground.write(
        replace(START, text="Read all.\n"),
        replace(SETUP, text="Unpack.\n", children=(replace(CABLES, text="There are five.\n"),)),
    )
    await ground.run()
    assert [each["id"] for each in await ground.requests()] == [request["id"]]
    held = await desk.text("cables")
    assert "THERE ARE FIVE." in held
    assert "FOUR" not in held
    assert held.count("<<<<<<<") == 1
    assert "READ ALL." in await desk.text("start")
    await desk.edit("cables", "Il y en a cinq.\n")
    await desk.edit("start", "Lisez tout.\n")
    await desk.merge()
    assert (await ground.text("cables"), await ground.text("start")) == ("Il y en a cinq.\n", "Lisez tout.\n")
    assert await ground.asked() == []
    assert (await ground.text("cables"), await ground.requests()) == ("Il y en a cinq.\n", [])


async def test_pages_are_waiting_while_a_change_request_holds_them_and_stale_once_it_is_archived(
    ground: Ground,
) -> None:
    def waiting() -> dict[str, int]:
        return ground.platform.database.read_now(lambda connection: find_waiting_pages(connection, ground.id))

    def changed() -> set[str]:
        return set(ground.platform.database.read_now(lambda connection: find_changed_pages(connection, ground.id)))

    await ground.run()
    await ground.edit("cables", "Il y en a trois.\n\nEACH IS RED.\n")
    ground.write(START, replace(SETUP, children=(replace(CABLES, text="There are four.\n\nEach is red.\n"),)))
    await ground.run()
    (request,) = await ground.requests()
    assert (waiting(), changed()) == ({"cables": request["number"]}, set())
    last = replace(SETUP, children=(replace(CABLES, text="There are four.\n\nEach is blue.\n"),))
    ground.write(START, last)
    requests_of(ground.engine)
    assert await ground.asked() == ["Cables"]
    assert (waiting(), changed()) == ({"cables": request["number"]}, set())

    path = f"/spaces/{request['space']}/change-requests/{request['number']}"
    await ground.ada.send("PATCH", path, {"status": "archived"})
    assert (waiting(), changed()) == ({}, {"cables"})
    ground.use(failing("Cables"))
    await ground.run()
    assert (waiting(), changed()) == ({}, {"cables"})
    ground.use(UPPER)
    requests_of(ground.engine)
    assert await ground.asked() == ["Cables"]
    (other,) = [each for each in await ground.requests() if each["id"] != request["id"]]
    assert waiting() == {"cables": other["number"]}
    held = Desk(ground.ada, other["space"], other["number"])
    assert "THERE ARE FOUR." in await held.text("cables")
    assert "EACH IS BLUE." in await held.text("cables")
    await held.edit("cables", "Il y en a quatre.\n\nEACH IS BLUE.\n")
    await held.merge()
    assert (waiting(), changed()) == ({}, set())

    blue = "There are four.\n\nEach is blue.\n\nThe end.\n"
    ground.write(START, replace(SETUP, children=(replace(CABLES, text=blue),)))
    await ground.run()
    assert await ground.text("cables") == "Il y en a quatre.\n\nEACH IS BLUE.\n\nTHE END.\n"
    assert (waiting(), changed()) == ({}, set())


async def test_a_page_that_was_deleted_and_changes_in_the_source_is_asked_about(ground: Ground) -> None:
    await ground.run()
    desk = await Desk.open(ground.ada, (await ground.get())["result"]["space"])
    await desk.write({"operation": "delete_page", "page": "cables"})
    await desk.merge()
    ground.write(START, replace(SETUP, children=(replace(CABLES, text="There are four.\n"),)))
    await ground.run()
    assert await ground.tree() == ["START", "SET-UP"]
    (request,) = await ground.requests()
    held = Desk(ground.ada, request["space"], request["number"])
    assert await held.text("cables") == "# CABLES\n\nTHERE ARE FOUR.\n"


async def test_a_page_that_a_person_and_the_source_moved_stays_where_the_person_put_it(ground: Ground) -> None:
    await ground.run()
    desk = await Desk.open(ground.ada, (await ground.get())["result"]["space"])
    await desk.write({"operation": "update_page", "page": "cables", "into": None})
    await desk.merge()
    ground.write(replace(START, title="Begin", children=(CABLES,)), replace(SETUP, children=()))
    await ground.run()
    assert await ground.tree() == ["BEGIN", "SET-UP", "CABLES"]
    (request,) = await ground.requests()
    pages = (await ground.ada.get(f"/spaces/{request['space']}/change-requests/{request['id']}/content/pages"))["pages"]
    assert titles(pages) == [("BEGIN", ["CABLES"]), "SET-UP"]


async def test_a_page_that_was_edited_and_is_gone_from_the_source_stays_and_is_asked_about(ground: Ground) -> None:
    await ground.run()
    await ground.edit("cables", "Il y en a trois.\n")
    ground.write(START, replace(SETUP, children=()))
    await ground.run()
    assert await ground.text("cables") == "Il y en a trois.\n"
    (request,) = await ground.requests()
    assert ground.last.findings[0].lines == ("CABLES",)
    assert await ground.tree() == ["START", ("SET-UP", ["CABLES"])]
    await ground.ada.refused("POST", f"/spaces/{request['space']}/change-requests/{request['number']}/merge", 409)


BREAKING = UPPER.replace("text.upper()", 'text.upper().replace("</1>", "")')
"""Loses the end of the first mark of a text."""


async def test_a_translation_with_too_many_marks_is_left_out_and_not_parsed(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground.use(UPPER.replace("text.upper()", "text.upper() + ' *a' * 50_000"))
    ground.write(CABLES)
    parsed: list[str] = []

    def parse(text: str) -> ParsedPage:
        parsed.append(text)
        return parse_page(text)

    monkeypatch.setattr(page_texts, "parse_page", parse)
    assert await ground.asked() == ["Cables"]
    assert ground.last.findings[0].lines == ("Cables: The translation holds too many lines and marks to be read.",)
    assert parsed == [CABLES.text]


async def test_a_page_that_comes_back_broken_is_left_out_and_named(ground: Ground) -> None:
    ground.use(BREAKING)
    assert await ground.asked() == ["Start", "Set-up", "Cables"]
    assert await ground.tree() == [("SET-UP", ["CABLES"])]
    (finding,) = ground.last.findings
    assert finding.message == "1 page came back broken and was left as it was:"
    assert finding.lines[0].startswith("Start: ")
    ground.use(UPPER)
    assert await ground.asked() == ["Start"]
    assert await ground.tree() == ["START", ("SET-UP", ["CABLES"])]
    assert ground.last.findings == ()
    former = await ground.text("start")
    ground.use(BREAKING)
    ground.write(replace(START, text="**Read** on.\n"), SETUP)
    assert await ground.asked() == ["Start"]
    assert await ground.text("start") == former
    ground.use(UPPER)
    assert await ground.asked() == ["Start"]
    assert await ground.text("start") == "**READ** ON.\n"


async def test_a_title_is_cleaned_of_what_acts_on_terminals_and_one_without_words_is_not_sent(ground: Ground) -> None:
    ground.use(UPPER.replace("text.upper()", r"'\x1b[2J' + text.upper() + '\n'"))
    ground.write(replace(START, text="Read &lt; on.\n", title="Q&A"), imported_page("2024", "2024", "```\nls\n```\n"))
    assert await ground.asked() == ["Q&amp;A"]
    assert await ground.tree() == ["\N{REPLACEMENT CHARACTER}[2JQ&A", "2024"]
    assert "\x1b" not in await ground.text("start")
    assert await ground.text("2024") == "```\nls\n```\n"
    ground.use(UPPER.replace("text.upper()", "''"))
    ground.write(replace(START, title="More"))
    assert await ground.asked() == ["More"]
    assert ground.last.findings[0].lines == ("More: Its title: it has become empty.",)


async def test_a_run_that_fails_keeps_the_former_result(ground: Ground) -> None:
    before = await ground.run()
    ground.write(*(replace(page, title=f"{page.title} 2", children=()) for page in (START, SETUP, CABLES)))
    ground.use(failing("Start", "Set-up", "Cables"))
    failed = await ground.run()
    assert failed == before | {"status": "pending"}
    assert ground.last.state is JobState.FAILED
    assert (
        ground.last.message
        == f"The translation engine “{Path(ground.engine.command[0]).name}” failed: The service refused."
    )
    assert await ground.tree() == ["START", ("SET-UP", ["CABLES"])]
    ground.use(UPPER)
    assert await ground.asked() == ["Start 2", "Set-up 2", "Cables 2"]


async def test_pages_for_which_the_engine_fails_are_left_and_named_and_others_are_kept(ground: Ground) -> None:
    ground.use(failing("Set-up"))
    assert (await ground.run())["status"] == "pending"
    assert ground.last.state is JobState.FINISHED
    assert (await ground.get())["stats"]["latestPages"] == 2
    (finding,) = ground.last.findings
    assert finding.message == "1 page was not translated. Run the translation again for it:"
    assert finding.lines[0].startswith("Set-up: The translation engine")
    assert finding.lines[0].endswith("failed: The service refused.")
    assert await ground.tree() == ["START", ("Set-up", ["CABLES"])]
    ground.use(UPPER)
    assert await ground.asked() == ["Set-up"]
    assert await ground.tree() == ["START", ("SET-UP", ["CABLES"])]
    assert ground.last.findings == ()


async def test_an_engine_that_fails_again_and_again_is_asked_no_more(ground: Ground) -> None:
    ground.write(START, *(imported_page(f"page-{number}", f"Page {number}") for number in range(6)))
    ground.use(failing("Page"))
    assert (await ground.run())["status"] == "pending"
    assert [each["texts"][0] for each in requests_of(ground.engine)] == ["Start", "Page 0", "Page 1", "Page 2"]
    (finding,) = ground.last.findings
    assert finding.message.startswith("6 pages were not translated.")
    assert finding.lines[3:] == tuple(f"Page {number}: not sent after these failures" for number in (3, 4, 5))
    ground.use(UPPER)
    assert await ground.asked() == [f"Page {number}" for number in range(6)]


async def test_a_cancelled_run_ends_the_engine_with_what_it_started(ground: Ground) -> None:
    ground.use(HANGING)
    pid = ground.folder / "engine.pid"
    os.mkfifo(pid)
    await ground.begin()
    assert (await ground.get())["status"] == "running"
    assert "is being run already" in await ground.ada.refused("POST", f"{ground.path}/{ground.id}/run", 409)
    child = int(await asyncio.to_thread(pid.read_text))
    ground.platform.jobs.cancel(ground.last.id)
    await wait_for_jobs(ground.platform)
    assert ground.last.state is JobState.CANCELLED
    assert has_ended(child)
    assert (await ground.get())["status"] == "pending"


def has_ended(process: int) -> bool:
    """Whether a process has ended; its parent, which is not we, may not have heard of it yet."""
    try:
        state = Path(f"/proc/{process}/stat").read_text(encoding="ascii").rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return True
    return state in "ZX"


async def test_a_run_of_a_translation_that_is_deleted_ends_the_engine_at_once(ground: Ground) -> None:
    ground.use(HANGING)
    pid = ground.folder / "engine.pid"
    os.mkfifo(pid)
    await ground.begin()
    child = int(await asyncio.to_thread(pid.read_text))
    await ground.ada.send("DELETE", f"{ground.path}/{ground.id}", status=204)
    await wait_for_jobs(ground.platform)
    assert (ground.last.state, ground.last.message) == (JobState.FAILED, "The translation was deleted meanwhile.")
    assert has_ended(child)


async def test_a_translation_that_is_deleted_keeps_its_space(ground: Ground) -> None:
    result = (await ground.run())["result"]["space"]
    await ground.ada.send("DELETE", f"{ground.path}/{ground.id}", status=204)
    assert titles((await ground.ada.get(f"/spaces/{result}/content/pages"))["pages"])


async def test_a_translation_whose_space_is_gone_or_locked_is_not_run(ground: Ground) -> None:
    result = (await ground.run())["result"]["space"]
    await ground.ada.send("PATCH", f"/spaces/{result}", {"editMode": "locked"})
    run = f"{ground.path}/{ground.id}/run"
    assert "“Guide (fr)” with this translation is locked" in await ground.ada.refused("POST", run, 409)
    await ground.ada.send("DELETE", f"/spaces/{result}", status=204)
    assert "The space with this translation was deleted" in await ground.ada.refused("POST", run, 409)


ASKED = TranslationRequest("en", "fr", "", {}, ("One", "Two"))


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("while True: print('x' * 10_000)", "wrote more than 100,000 bytes for a page"),
        ("import signal; signal.pause()", "took longer than 1 s for a page"),
        ("print('Bonjour')", "did not answer with JSON that holds “texts”"),
        ("print('[' * 90_000)", "did not answer with JSON that holds “texts”"),
        ('print(\'{"texts": ["a"]}\')', "answered with 1 texts for 2"),
        ('print(\'{"texts": ["a", 2]}\')', "answered with “texts” that are not all texts"),
        ('print(\'{"texts": ["a", "\\\\ud800"]}\')', "answered with “texts” that are not all texts"),
        ("import sys; sys.exit(3)", "failed with the exit code 3"),
        ("import sys; print('x' * 9_000_000, file=sys.stderr); sys.exit(1)", "failed: xxx"),
        ("import sys; sys.exit('First.\\n\\x1b[2JLast.\\n')", "failed: ␛[2JLast."),
    ],
)
def test_an_engine_that_misbehaves_is_ended_and_named(
    program: str, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(translator_process, "LEAST_BYTES", 100_000)
    if "took longer" in why:
        monkeypatch.setattr(translator_process, "LONGEST_S", 1.0)
    with pytest.raises(EngineFailed) as raised:
        translate(write_engine(tmp_path, program), ASKED, Cancellation().stop_if_cancelled)
    assert why in str(raised.value)
    assert len(str(raised.value)) < 500


def test_an_engine_ends_with_what_it_started_when_the_program_is_killed(tmp_path: Path) -> None:
    alive = tmp_path / "alive"
    os.mkfifo(alive)
    engine = write_engine(
        tmp_path,
        "import os, signal, sys\n"
        "sys.stdin.read()\n"  # it is watched before it is asked
        f"alive = os.open({str(alive)!r}, os.O_WRONLY)\n"
        "os.fork()\n"
        "os.write(alive, b'x')\n"
        "signal.pause()\n",
    )
    asking = (
        "import sys; from recto.server.jobs import Cancellation; from recto.server.translations.translator_process"
        " import TranslationRequest, translate; from recto.server.translations.engine import Engine;"
        " work = Cancellation(); engine = Engine(tuple(sys.argv[1:]));"
        " translate(engine, TranslationRequest('en', 'fr', '', {}, ('One',)), work.stop_if_cancelled)"
    )
    with subprocess.Popen([sys.executable, "-c", asking, *engine.command]) as program, alive.open("rb") as pipe:
        assert pipe.read(2) == b"xx"
        program.kill()
        assert pipe.read() == b""  # once neither process has it open any more


def test_an_engine_that_is_not_there_is_named() -> None:
    with pytest.raises(EngineFailed, match=r"“no-such-engine” cannot be started: .*“translation_command”"):
        translate(Engine(("/no-such-engine", "--key=secret")), ASKED, Cancellation().stop_if_cancelled)


def test_no_token_reaches_the_engine(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("RECTO_TOKEN", "RECTO_HOME", "GITHUB_TOKEN", "LC_ALL"):
        monkeypatch.setenv(name, "C")
    names = "import json, os; print(json.dumps({'texts': [' '.join(os.environ), 'b']}))"
    found = set(translate(write_engine(tmp_path, names), ASKED, Cancellation().stop_if_cancelled)[0].split())
    assert {"LC_ALL", "PATH"} <= found
    assert not {name for name in found if name.startswith("RECTO_") or "TOKEN" in name}


@pytest.mark.parametrize(
    ("text", "why"),
    [("[fr", "is not valid TOML"), ("fr = 5", "“fr” must be a table"), ("[fr]\na = 5", "“fr” must be a table")],
)
def test_a_glossary_that_cannot_be_read_is_named(text: str, why: str, tmp_path: Path) -> None:
    file = tmp_path / "words.toml"
    with pytest.raises(EngineFailed, match="cannot be read"):
        read_glossary(Engine(("x",), file), "fr")
    file.write_text(text)
    with pytest.raises(EngineFailed, match=why):
        read_glossary(Engine(("x",), file), "fr")
    file.write_text("[de]\na = 'b'")
    assert read_glossary(Engine(("x",), file), "fr") == {}
