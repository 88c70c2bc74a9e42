"""Specifications: what each operation answers, how sources become versions, and what breaks."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable, Iterator
from threading import Event
from typing import Any

import pytest

from recto.contract.jobs import JobState
from recto.contract.specifications import SpecificationSource
from recto.document.openapi.api_model import Entry
from recto.document.openapi.checking import check
from recto.document.openapi.description import Description
from recto.server import fetching
from recto.server.content import index_pieces
from recto.server.content.imported_tree import ImportedPage
from recto.server.platform import Platform
from recto.server.specifications import declared_pages, processing
from support.content import change_space, make_space, titles
from support.platform import FrozenClock, Speaker, wait_for_jobs
from support.web_server import Handler, Server, serving

PETS = """\
openapi: 3.1.0
info: {title: Pets, version: "1"}
paths:
  /pets: {get: {summary: List pets, responses: {"200": {description: The pets}}}}
"""
SWAGGER = (
    'swagger: "2.0"\ninfo: {title: Old, version: "1"}\npaths:\n  /a: {get: {responses: {200: {description: Ok}}}}\n'
)
OLDER = '{"openapi": "3.0.3", "info": {"title": "Tiny", "version": "1"}, "paths": {}}'
NEWER = OLDER.replace("Tiny", "Small")


class Ground:
    """The specifications of an organization, and a web server for their sources."""

    def __init__(self, platform: Platform, speaker: Speaker, organization: str, web: Server) -> None:
        self.platform = platform
        self.speaker = speaker
        self.path = f"/orgs/{organization}/openapi"
        self.web = web
        self.url = f"{web.address}/api.json"

    def serve(self, content: str | bytes, status: int = 200) -> None:
        """Answer with this content at the address of the source from now on."""
        body = content if isinstance(content, bytes) else content.encode()
        self.web.answers["/api.json"] = lambda handler: handler.send(status, body)

    async def put(self, status: int = 200, *, slug: str = "pets", **source: str) -> Any:
        """Replace a source, and return the specification when its job has ended."""
        await self.speaker.send("PUT", f"{self.path}/{slug}", {"source": source or {"url": self.url}}, status)
        return await self.ended(slug)

    async def ended(self, slug: str = "pets") -> Any:
        """Return a specification once no job runs."""
        await wait_for_jobs(self.platform)
        return await self.speaker.get(f"{self.path}/{slug}")

    async def versions(self, slug: str = "pets") -> list[str]:
        return [each["id"] for each in (await self.speaker.get(f"{self.path}/{slug}/versions"))["items"]]


@pytest.fixture
def web() -> Iterator[Server]:
    with serving() as server:
        yield server


@pytest.fixture
def ground(platform: Platform, ada: Speaker, organization: str, web: Server) -> Ground:
    return Ground(platform, ada, organization, web)


async def test_a_specification_is_pending_then_in_progress_then_complete(ground: Ground, clock: FrozenClock) -> None:
    asked, go_on = Event(), Event()

    def answer(handler: Handler) -> None:
        asked.set()
        go_on.wait(60)
        handler.send(200, PETS.encode())

    ground.web.answers["/api.json"] = answer
    made = await ground.speaker.send("POST", ground.path, {"slug": "pets", "source": {"url": ground.url}}, 201)
    here = f"http://recto.test/v1{ground.path}/pets"
    assert made == {
        "object": "openapi-spec",
        "id": made["id"],
        "createdAt": "2026-03-02T09:00:00.000Z",
        "updatedAt": "2026-03-02T09:00:00.000Z",
        "slug": "pets",
        "sourceURL": ground.url,
        "processingState": "pending",
        "visibility": "private",
        "lastProcessedErrors": [],
        "lastProcessedErrorCount": 0,
        "permissions": {"view": True, "edit": True},
        "urls": {"app": made["urls"]["app"], "location": here},
    }
    await asyncio.to_thread(asked.wait, 60)
    assert (await ground.speaker.get(f"{ground.path}/pets"))["processingState"] == "progress"
    await ground.speaker.refused("GET", f"{ground.path}/pets/versions/latest", 404)
    clock.advance(minutes=1)
    go_on.set()
    found = await ground.ended()
    (version,) = await ground.versions()
    processed = {"lastProcessedAt": "2026-03-02T09:01:00.000Z", "lastVersion": version}
    assert found == made | processed | {"processingState": "complete"}
    assert (await ground.speaker.get(ground.path)) == {"count": 1, "items": [found]}
    latest = await ground.speaker.get(f"{ground.path}/pets/versions/latest")
    assert latest == await ground.speaker.get(f"{ground.path}/pets/versions/{version}")
    assert latest == {
        "object": "openapi-spec-version",
        "id": version,
        "createdAt": "2026-03-02T09:01:00.000Z",
        "url": f"{here}/versions/{version}/source",
        "urls": {"location": f"{here}/versions/{version}"},
    }


@pytest.mark.parametrize(
    ("text", "name"),
    [(PETS, "openapi.yaml"), (SWAGGER, "openapi.yaml"), (OLDER, "openapi.json")],
    ids=["3.1", "2.0", "3.0"],
)
async def test_each_version_of_the_format_is_read(ground: Ground, text: str, name: str) -> None:
    found = await ground.put(201, text=text)
    assert found["processingState"] == "complete" and "lastProcessErrorCode" not in found and "sourceURL" not in found
    content = await ground.speaker.get(f"{ground.path}/pets/versions/latest/content")
    assert list(content["filesystem"]) == [name]
    assert content["filesystem"][name]["info"]["title"] in ("Pets", "Old", "Tiny")
    assert content["urls"] == {"source": content["url"], "public": content["url"]}
    source = await ground.speaker.request("GET", content["url"])
    assert source.text == text and source.headers["content-type"] == "text/plain; charset=utf-8"


async def test_only_a_changed_source_makes_a_version(ground: Ground, clock: FrozenClock) -> None:
    ground.serve(OLDER)
    first = await ground.put(201)
    clock.advance(minutes=1)
    again = await ground.put()
    assert again == first | {"updatedAt": again["lastProcessedAt"], "lastProcessedAt": "2026-03-02T09:01:00.000Z"}
    assert len(ground.web.asked) == 2
    ground.serve(NEWER)
    changed = await ground.put()
    assert await ground.versions() == [changed["lastVersion"], first["lastVersion"]]
    ground.serve(OLDER)
    assert (await ground.put())["lastVersion"] not in (changed["lastVersion"], first["lastVersion"])
    old = await ground.speaker.get(f"{ground.path}/pets/versions/{first['lastVersion']}/content")
    assert old["filesystem"]["openapi.json"]["info"]["title"] == "Tiny"
    listed = await ground.speaker.get(f"{ground.path}/pets/versions", limit=2)
    assert (listed["count"], len(listed["items"])) == (3, 2)


async def test_a_source_that_breaks_keeps_the_last_good_version_and_says_since_when(
    ground: Ground, clock: FrozenClock
) -> None:
    ground.serve(OLDER)
    good = await ground.put(201)
    for content, status, code, why in (
        (OLDER, 500, "FETCH_ERROR", "the server answered 500"),
        ("openapi: [", 200, "PARSE_ERROR", "It is not valid YAML"),
        (OLDER.replace('"paths"', '"path"'), 200, "PARSE_ERROR", "It is not a valid OpenAPI 3.0 description."),
    ):
        clock.advance(minutes=1)
        ground.serve(content, status)
        broken = await ground.put()
        assert broken["lastProcessErrorCode"] == code
        assert why in broken["lastProcessedErrors"][0]["message"]
        assert all(each["code"] == code for each in broken["lastProcessedErrors"])
        since = "The source has failed since 2026-03-02 09:01 UTC. The last good version is kept."
        assert broken["lastProcessedErrors"][-1]["message"] == since
        assert broken["lastVersion"] == good["lastVersion"]
    reasons = [each["message"] for each in broken["lastProcessedErrors"]]
    assert 'At the top: "paths" is a required property' in reasons
    ground.serve(OLDER)
    mended = await ground.put()
    assert mended["lastVersion"] == good["lastVersion"]
    assert "lastProcessErrorCode" not in mended and mended["lastProcessedErrors"] == []


async def test_an_address_that_does_not_answer_has_its_own_code(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    ground.web.answers["/api.json"] = lambda handler: handler.send(200, b"")
    monkeypatch.setattr(fetching, "LONGEST_S", 0.0)
    assert (await ground.put(201))["lastProcessErrorCode"] == "FETCH_TIMEOUT"
    await ground.speaker.refused("GET", f"{ground.path}/pets/versions/latest/content", 404)


async def test_references_out_of_a_specification_are_named_and_not_followed(ground: Ground) -> None:
    text = json.dumps(
        {
            "openapi": "3.1.0",
            "info": {"title": "Out", "version": "1"},
            "paths": {"/a": {"$ref": "file:///etc/passwd"}, "/b": {"$ref": f"{ground.web.address}/b.json#/x"}},
            "components": {
                "schemas": {"A": {"$ref": "#/components/schemas/B"}, "B": {"$ref": "#/components/schemas/A"}}
            },
        }
    )
    found = await ground.put(201, text=text)
    assert found["processingState"] == "complete" and "lastProcessErrorCode" not in found
    named = [each["message"].split()[2] for each in found["lastProcessedErrors"]]
    assert named == ["file:///etc/passwd", f"{ground.web.address}/b.json#/x"]
    assert ground.web.asked == []


async def test_addresses_of_this_machine_are_fetched_for_its_owner_alone(
    ground: Ground, speak: Callable[[str], Speaker]
) -> None:
    ground.serve(OLDER)
    cleo = speak("create")
    await cleo.send("PUT", f"{ground.path}/pets", {"source": {"url": ground.url}}, 201)
    assert (await ground.ended())["lastProcessErrorCode"] == "FETCH_ERROR"
    assert ground.web.asked == []


async def test_what_is_sent_is_checked(ground: Ground) -> None:
    await ground.put(201, text=OLDER)
    source = {"text": OLDER}
    for body, why in (
        ({"slug": "Pets", "source": source}, "slug"),
        ({"slug": "pets-", "source": source}, "slug"),
        ({"slug": "pets", "source": source}, "there is a specification “pets” already"),
        ({"slug": "a", "source": {}}, "needs a url or a text"),
        ({"slug": "a", "source": {"url": "ftp://a.example/", "text": OLDER}}, "source"),
        ({"slug": "a", "source": {"url": "file:///etc/passwd"}}, "source.url"),
    ):
        assert why in await ground.speaker.refused("POST", ground.path, 400, body)
    assert "specSlug" in await ground.speaker.refused("PUT", f"{ground.path}/Not%20a%20slug", 400, {"source": source})
    assert "visibility" in await ground.speaker.refused("PATCH", f"{ground.path}/pets", 400, {"visibility": "secret"})
    await ground.speaker.refused("PATCH", f"{ground.path}/cats", 404, {"visibility": "public"})
    for path in ("", "/versions", "/versions/latest", "/versions/latest/content"):
        await ground.speaker.refused("GET", f"{ground.path}/cats{path}", 404)
    await ground.speaker.refused("GET", f"{ground.path}/pets/versions/none/content", 404)


async def test_only_a_public_source_is_read_without_a_token(ground: Ground, speak: Callable[[str], Speaker]) -> None:
    await ground.put(201, text=OLDER)
    latest = await ground.speaker.get(f"{ground.path}/pets/versions/latest")
    anyone = Speaker(ground.platform)
    del anyone.headers["Authorization"]
    assert (await anyone.request("GET", latest["url"])).status_code == 401
    assert (await speak("stranger").request("GET", latest["url"])).status_code == 404
    assert (await speak("read").request("GET", latest["url"])).text == OLDER
    public = await ground.speaker.send("PATCH", f"{ground.path}/pets", {"visibility": "public"})
    assert public["visibility"] == "public"
    assert (await anyone.request("GET", public["urls"]["published"])).text == OLDER
    assert (await anyone.request("GET", latest["url"])).text == OLDER
    assert (await anyone.request("GET", f"{ground.path}/pets/versions/none/source")).status_code == 401
    assert (
        "published"
        not in (await ground.speaker.send("PATCH", f"{ground.path}/pets", {"visibility": "private"}))["urls"]
    )
    assert (await anyone.request("GET", public["urls"]["published"])).status_code == 401


async def test_who_may_do_what(ground: Ground, speak: Callable[[str], Speaker]) -> None:
    await ground.put(201, url=f"{ground.url}?key=secret")
    writer = speak("review")
    seen = await writer.get(f"{ground.path}/pets")
    assert seen["permissions"] == {"view": True, "edit": False} and seen["sourceURL"] == ground.url
    body = {"source": {"text": OLDER}}
    for method, path, sent in (
        ("POST", "", {"slug": "a", **body}),
        ("PUT", "/pets", body),
        ("PATCH", "/pets", {"visibility": "public"}),
        ("DELETE", "/pets", None),
    ):
        await writer.refused(method, f"{ground.path}{path}", 403, sent)
        await speak("stranger").refused(method, f"{ground.path}{path}", 404, sent)
    cleo = speak("create")
    for _ in range(2):
        await cleo.send("DELETE", f"{ground.path}/pets", status=204)
    assert await cleo.get(ground.path) == {"count": 0, "items": []}


async def test_what_a_newer_source_or_a_deletion_overtakes_is_not_stored(ground: Ground) -> None:
    asked, go_on = Event(), Event()

    def answer(handler: Handler) -> None:
        asked.set()
        go_on.wait(60)
        handler.send(200, OLDER.encode())

    ground.web.answers["/api.json"] = answer
    body = {"source": {"url": ground.url}}
    await ground.speaker.send("PUT", f"{ground.path}/pets", body, 201)
    await asyncio.to_thread(asked.wait, 60)
    await ground.speaker.send("PUT", f"{ground.path}/cats", body, 201)
    await ground.speaker.send("DELETE", f"{ground.path}/cats", status=204)
    await ground.speaker.send("PUT", f"{ground.path}/pets", {"source": {"text": NEWER}}, 200)
    go_on.set()
    found = await ground.ended()
    assert await ground.versions() == [found["lastVersion"]] and found["lastProcessedErrors"] == []
    content = await ground.speaker.get(f"{ground.path}/pets/versions/latest/content")
    assert content["filesystem"]["openapi.json"]["info"]["title"] == "Small"
    assert (await ground.speaker.get(ground.path))["count"] == 1


async def test_a_processing_that_was_interrupted_says_so(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    def end(self: object, source: object) -> None:
        raise MemoryError

    monkeypatch.setattr(processing._Processing, "run", end)
    found = await ground.put(201, text=OLDER)
    assert (found["processingState"], found["lastProcessErrorCode"]) == ("complete", "FETCH_ERROR")
    assert "interrupted" in found["lastProcessedErrors"][0]["message"]


def test_the_job_names_the_source_without_what_may_be_secret(ground: Ground, organization: str) -> None:
    source = SpecificationSource(url="https://a.example/api?key=secret")
    task = processing.processing_task(organization, "pets", source, lambda context, row: None)
    assert task.what == "pets (https://a.example/api)"


async def test_the_oldest_versions_go(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processing, "MOST_VERSIONS", 2)
    await ground.put(201, text=OLDER)
    (first,) = await ground.versions()
    await ground.put(text=NEWER)
    second, _ = await ground.versions()
    found = await ground.put(text=OLDER)
    assert await ground.versions() == [found["lastVersion"], second]
    await ground.speaker.refused("GET", f"{ground.path}/pets/versions/{first}/content", 404)


async def test_reading_stops_when_its_job_is_cancelled(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    def cancel_first(content: bytes, pause: Callable[[], object]) -> object:
        (job,) = ground.platform.database.read_now(ground.platform.jobs.find)
        ground.platform.jobs.cancel(job.id)
        return check(content, pause)

    monkeypatch.setattr(processing, "check", cancel_first)
    found = await ground.put(201, text=PETS)
    assert await ground.versions() == []
    assert found["lastProcessedErrors"][0]["message"].startswith("It was interrupted before it was processed.")
    (job,) = ground.platform.database.read_now(ground.platform.jobs.find)
    assert job.state is JobState.CANCELLED


def _api(paths: dict[str, Any], **rest: Any) -> str:
    return json.dumps({"openapi": "3.1.0", "info": {"title": "Pets", "version": "1"}, "paths": paths, **rest})


def _operation(*tags: str) -> dict[str, Any]:
    return {"tags": list(tags), "responses": {"200": {"description": "Ok"}}}


async def test_computed_pages_follow_the_newest_version(ground: Ground) -> None:
    def declare(page: str, spec: str, **props: object) -> ImportedPage:
        reference = {"spec": {"ref": {"kind": "openapi", "spec": spec}}}
        computed = {"type": "builtin:openapi", "props": props, "dependencies": reference}
        below = (ImportedPage(f"{page}-notes", "Notes", "notes"),) if page == "api" else ()
        return ImportedPage(page, "API", page, type="computed", attributes={"computed": computed}, children=below)

    pages = [ImportedPage("home", "Home"), declare("api", "pets", models=True), declare("none", "gone")]
    space = make_space(ground.platform, [ImportedPage("top", "Top", children=tuple(pages))])
    content = f"/spaces/{space}/content"
    declared = await ground.speaker.get(f"{content}/pages", computed="false")
    assert titles(declared["pages"]) == [("Top", ["Home", "API", "API"])]
    hostile = '/a"b%}\\\\c&quot;'
    text = _api(
        {"/pets": {"get": _operation("Cats"), "post": _operation("Notes")}, hostile: {"get": _operation()}},
        tags=[{"name": "Notes", "description": "# Written down"}, {"name": "Dogs"}],
        webhooks={"born": {"post": _operation("Cats")}},
        components={"schemas": {"Pet": {"type": "object"}}},
    )
    await ground.put(201, text=text.replace('"version": "1"', '"version": "1", "description": "All pets."'))
    tree = (await ground.speaker.get(f"{content}/pages"))["pages"]
    made = ["Notes", "Cats", "Operations", "Webhooks", "Models", "Notes"]
    assert titles(tree) == [("Top", ["Home", ("API", made), "API"])]
    assert tree == (await ground.speaker.get(content))["pages"]
    assert await ground.speaker.get(f"{content}/pages", computed="false") == declared
    notes, cats, *_, own = tree[0]["pages"][1]["pages"]
    assert (notes["type"], notes["path"], own["path"]) == ("computed", "top/api/notes-1", "top/api/notes")
    assert notes["computed"]["dependencies"] and notes["computedSeed"]
    block = '{% openapi-operation spec="pets" path="/pets" method="post" %}\n{% endopenapi-operation %}\n'
    read = await ground.speaker.get(f"{content}/path/top/api/notes-1", format="markdown")
    assert read["markdown"] == f"# Notes\n\n## Written down\n\n{block}"
    assert (await ground.speaker.get(f"{content}/page/api", format="markdown"))["markdown"] == "# API\n\nAll pets.\n"
    said: list[dict[str, Any]] = []
    for page in tree[0]["pages"][1]["pages"][:5]:
        rich = await ground.speaker.get(f"{content}/page/{page['id']}", format="document")
        said += [each["data"] for each in rich["document"]["nodes"] if each["type"].startswith("openapi")]
    assert [each.get("path") or each.get("name") or each.get("schemas") for each in said] == [
        *("/pets", "/pets", hostile, "born", "Pet")
    ]
    await ground.put(text=_api({"/pets": {"get": _operation("Cats")}}))
    tree = (await ground.speaker.get(f"{content}/pages"))["pages"]
    assert titles(tree) == [("Top", ["Home", ("API", ["Cats", "Notes"]), "API"])]
    assert tree[0]["pages"][1]["pages"][0]["id"] == cats["id"], "a page keeps its id"
    await ground.speaker.refused("GET", f"{content}/page/{notes['id']}", 404)
    await ground.speaker.send("DELETE", f"{ground.path}/pets", None, 204)
    assert titles((await ground.speaker.get(f"{content}/pages"))["pages"])[0] == (
        "Top",
        ["Home", ("API", ["Notes"]), "API"],
    )


async def test_tags_beyond_the_bound_share_a_page(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(declared_pages, "MOST_SECTIONS", 2)
    computed = {"type": "builtin:openapi", "dependencies": {"spec": {"ref": {"kind": "openapi", "spec": "pets"}}}}
    page = ImportedPage("api", "API", type="computed", attributes={"computed": computed})
    space = make_space(ground.platform, [page])
    await ground.put(201, text=_api({f"/{tag}": {"get": _operation(tag)} for tag in ("a", "b\nb", "c", "d")}))
    tree = (await ground.speaker.get(f"/spaces/{space}/content/pages"))["pages"]
    assert titles(tree) == [("API", ["a", "b b", "More operations"])]
    last = tree[0]["pages"][2]["id"]
    read = await ground.speaker.get(f"/spaces/{space}/content/page/{last}", format="markdown")
    assert 'path="/c"' in read["markdown"] and 'path="/d"' in read["markdown"]


def _declared(id: str, specification: str = "pets") -> ImportedPage:
    reference = {"spec": {"ref": {"kind": "openapi", "spec": specification}}}
    return ImportedPage(
        id, "API", id, type="computed", attributes={"computed": {"type": "builtin:openapi", "dependencies": reference}}
    )


def _described(version: str, *tags: str, description: str) -> str:
    """Return an API with an operation under each tag, which have introductions with a heading and a link."""
    paths = {
        f"/{tag.lower()}/{{id}}": {
            "get": _operation(tag)
            | {"summary": f"Read {tag}", "description": description}
            | ({"parameters": [{"name": "purring", "in": "query", "schema": {}}]} if tag == "Cats" else {})
        }
        for tag in tags
    }
    about = [{"name": tag, "description": f"# About {tag}\n\n[Home](/pages/home) [gone](/pages/gone)"} for tag in tags]
    return _api(paths, tags=about).replace('"version": "1"', f'"version": "{version}"')


async def test_computed_pages_are_searched_and_linked(ground: Ground, organization: str) -> None:
    links = "[cats](api/cats.md) [one](/pages/home#x) [op](api/cats#get-cats-id) [about](api/cats#about-cats)"
    home = ImportedPage("home", "Home", "home", text=f"{links} [dogs](api/dogs.md)\n")
    space = make_space(ground.platform, [home, _declared("api")])
    content = f"/spaces/{space}/content"

    async def search(query: str, of: str = f"/spaces/{space}") -> list[tuple[str, list[tuple[str, str, str]]]]:
        ground.platform.indexer.run()
        found = (await ground.speaker.get(f"{of}/search", query=query))["items"]
        pages = found if of.startswith("/spaces") else [page for each in found for page in each["pages"]]
        return [(hit["path"], [(s["title"], s["path"], s["body"]) for s in hit["sections"]]) for hit in pages]

    async def broken() -> list[tuple[str, str]]:
        answer = await ground.speaker.get(f"/spaces/{space}/links")
        links = [link for link in answer["items"] if link["status"] == "broken"]
        places = [place for link in links for place in link["locationReferences"]]
        return sorted((place["page"]["title"], place["target"]) for place in places)

    assert len(await search("API")) == 1, "a declared page is found before there is a specification"
    assert {target for _, target in await broken()} >= {"api/cats.md", "api/cats#get-cats-id"}
    await ground.put(201, text=_described("1", "Cats", "Birds", description="Every whisker."))
    operation = ("Read Cats", "api/cats#get-cats-id", "GET /cats/{id} Every whisker. purring")
    assert await search("whisker cats") == [("api/cats", [operation])]
    assert await search("whisker cats", f"/orgs/{organization}") == [("api/cats", [operation])]
    assert {path for path, _ in await search("whisker")} == {"api/cats", "api/birds"}
    assert await search("purring") == [("api/cats", [operation])], "a parameter"
    ((path, (about,)),) = await search("about birds")
    assert (path, *about[:2]) == ("api/birds", "About Birds", "api/birds#about-birds")
    assert await broken() == [
        ("Birds", "/pages/gone"),
        ("Cats", "/pages/gone"),
        ("Home", "/pages/home#x"),
        ("Home", "api/dogs.md"),
    ]
    cats = (await ground.speaker.get(f"{content}/path/api/cats"))["id"]
    back = await ground.speaker.get(f"{content}/page/{cats}/backlinks")
    assert [each["page"]["title"] for each in back["items"]] == ["Home"]
    out = await ground.speaker.get(f"{content}/page/{cats}/links")
    assert {each["locationReferences"][0]["target"] for each in out["items"]} == {"/pages/home", "/pages/gone"}
    await ground.put(text=_described("2", "Dogs", description="Every tail."))
    assert await search("whisker") == []
    assert [path for path, _ in await search("tail")] == ["api/dogs"]
    assert ("Home", "api/cats.md") in await broken() and ("Home", "api/dogs.md") not in await broken()
    await ground.speaker.send("DELETE", f"{ground.path}/pets", None, 204)
    assert (await search("tail"), len(await search("API"))) == ([], 1)


async def test_a_search_finds_no_computed_page_that_is_gone(
    ground: Ground, organization: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    await ground.put(201, text=_described("1", "Cats", description="Every whisker."))
    space = make_space(ground.platform, [_declared("api")])
    ground.platform.indexer.run()
    monkeypatch.setattr(ground.platform.database, "on_left_over", lambda: None)
    await ground.put(text=_described("2", "Dogs", description="Every tail."))
    found = await ground.speaker.get(f"/spaces/{space}/search", query="whisker")
    assert (found["items"], found["unindexed"]) == ([], 1)
    (everywhere,) = (await ground.speaker.get(f"/orgs/{organization}/search", query="whisker"))["items"]
    assert everywhere["pages"] == []


async def test_the_words_of_computed_pages_are_gathered_for_the_search_alone(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    gathered: list[str] = []
    gather = Description.field_names

    def note(description: Description, entry: Entry) -> tuple[str, ...]:
        gathered.append(entry.path)
        return gather(description, entry)

    monkeypatch.setattr(Description, "field_names", note)
    monkeypatch.setattr(ground.platform.database, "on_left_over", lambda: None)
    await ground.put(201, text=_described("1", "Cats", "Birds", description="Every whisker."))
    space = make_space(ground.platform, [_declared("api")])
    tree = await ground.speaker.get(f"/spaces/{space}/content/pages")
    assert "Cats" in str(tree) and gathered == []
    ground.platform.indexer.run()
    assert sorted(gathered) == ["/birds/{id}", "/cats/{id}"]


async def test_pages_computed_from_what_changed_meanwhile_are_read_again(ground: Ground) -> None:
    await ground.put(201, text=_described("1", "Cats", description="Every whisker."))
    database = ground.platform.database
    ground.platform.indexer.close()
    space = make_space(ground.platform, [_declared("api")])

    def prepare(step: str) -> Any:
        return database.read_now(lambda connection: index_pieces.PREPARE[step](connection, 40))

    computed = prepare("computed")
    assert database.write_now(computed.write) == 1
    pages = prepare("search")
    await ground.put(text=_described("2", "Dogs", description="Every tail."))
    assert (database.write_now(computed.write), database.write_now(pages.write)) == (0, 0)
    for step in ("computed", "search"):
        assert database.write_now(prepare(step).write)
    found = (await ground.speaker.get(f"/spaces/{space}/search", query="tail"))["items"]
    assert [hit["path"] for hit in found] == ["api/dogs"]


async def test_a_past_revision_has_the_pages_of_its_time(
    ground: Ground, clock: FrozenClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    space = make_space(ground.platform, [_declared("api")])
    first = (await ground.speaker.get(f"/spaces/{space}/content"))["id"]
    seen = []
    for version, tag in enumerate(("Cats", "Dogs", "Birds")):
        clock.advance(minutes=1)
        await ground.put(200 if version else 201, text=_described(str(version), tag, description="."))
        change_space(ground.platform, space, [_declared("api"), ImportedPage(f"p{version}", "Page")])
        seen.append((await ground.speaker.get(f"/spaces/{space}/content"))["id"])

    async def computed(at: str) -> list[str]:
        tree = (await ground.speaker.get(f"/spaces/{space}/{at}/pages"))["pages"]
        return [page["title"] for page in tree[0]["pages"]]

    assert [await computed(f"revisions/{each}") for each in (first, *seen)] == [[], ["Cats"], ["Dogs"], ["Birds"]]
    read = await ground.speaker.get(f"/spaces/{space}/revisions/{seen[0]}/path/api/cats", format="markdown")
    assert "About Cats" in read["markdown"]
    monkeypatch.setattr(processing, "MOST_VERSIONS", 2)
    clock.advance(minutes=1)
    await ground.put(text=_described("4", "Fish", description="."))
    assert await computed("content") == ["Fish"]
    gone = [await computed(f"revisions/{each}") for each in (first, *seen)]
    assert gone == [[], ["Birds"], ["Birds"], ["Birds"]], "the oldest version that is kept stands for those before it"
