"""Links and backlinks: what points where, what is broken, and what a change request breaks."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from recto.contract.common import Role
from recto.server.content import link_index
from recto.server.content.imported_tree import ImportedPage
from recto.server.content.objects import Remembered
from recto.server.platform import Platform
from support.content import Desk, make_space
from support.platform import BASE_URL, Speaker, join, stranger

FILES = (
    {"id": "logo", "name": "logo.png", "contentType": "image/png", "size": 3, "path": ".gitbook/assets/logo.png"},
    {"id": "form", "name": "form.pdf", "contentType": "application/pdf", "size": 3, "path": ".gitbook/assets/form.pdf"},
)
CONTENTS = (
    {"id": "terms", "title": "Terms", "path": ".gitbook/includes/terms.md", "text": "See [setup](../../setup.md).\n"},
)
INCLUDED = "[The guide](../docs/other.md), [a neighbour](near.md), [gone](gone.md) and ![a picture](chart.png)\n"
HOME = """\
[Set-up](setup/README.md), [its end](setup/README.md#the-end), [no part of it](setup#nothing) and [gone](gone.md).

{% include ".gitbook/includes/terms.md" %}

![Logo](.gitbook/assets/logo.png) <img src=".gitbook/assets/none.png" alt="">

[The web](https://example.org), [the app](https://app.gitbook.com/s/elsewhere) and [down](#below).

{% content-ref url="setup/README.md" %}
[README.md](setup/README.md)
{% endcontent-ref %}

## Below
"""
SETUP = "Back to [home](../README.md), on to [cables](/pages/cables), by [path](/pages/setup/cables).\n\n## The end\n"
PAGES = (
    ImportedPage("home", "Home", "home", text=HOME, attributes={"git": {"path": "README.md"}}),
    ImportedPage(
        "setup",
        "Set-up",
        "setup",
        text=SETUP,
        attributes={"git": {"path": "setup/README.md"}, "cover": {"ref": {"kind": "file", "file": "logo"}}},
        children=(ImportedPage("cables", "Cables", "cables", text='{% file src="/files/form" %}\n'),),
    ),
    ImportedPage("link", "Link", "link", type="link", attributes={"target": {"kind": "page", "page": "setup"}}),
)


@pytest.fixture
def space(platform: Platform) -> str:
    return make_space(platform, PAGES, files=FILES, reusable_contents=CONTENTS)


def summarize(answer: Any) -> set[tuple[str, str, str, str]]:
    """Where each link stands, what it is and where it leads."""
    return {
        (_name(link["locationReferences"][0]), link["status"], link["relation"], _target(link))
        for link in answer["items"]
    }


def _target(link: Any) -> str:
    """Name what a link leads to; what is not there is named as it is written."""
    written = link["locationReferences"][0]["target"]
    return _name(link["targetReference"]) if "targetReference" in link else str(written)


def _name(reference: Any) -> str:
    kind = reference["kind"]
    held = reference.get({"reusable-content": "reusableContent"}.get(kind, kind))
    name = held["id"] if isinstance(held, dict) else held
    return f"{name}#{reference['anchor']}" if "anchor" in reference else str(name)


async def test_links_say_where_they_lead_and_whether_that_is_there(ada: Speaker, space: str) -> None:
    answer = await ada.get(f"/spaces/{space}/links")
    assert summarize(answer) == {
        ("home", "ok", "reference", "setup"),
        ("home", "ok", "reference", "setup#the-end"),
        ("home", "broken", "reference", "setup#nothing"),
        ("home", "broken", "reference", "gone.md"),
        ("home", "ok", "dependsOn", "terms"),
        ("home", "ok", "reference", "logo"),
        ("home", "broken", "reference", ".gitbook/assets/none.png"),
        ("home", "ok", "reference", "https://example.org"),
        ("home", "in-app", "reference", "https://app.gitbook.com/s/elsewhere"),
        ("home", "ok", "reference", "home#below"),
        ("setup", "ok", "reference", "logo"),
        ("setup", "ok", "reference", "home"),
        ("setup", "ok", "reference", "cables"),
        ("cables", "ok", "reference", "form"),
        ("link", "ok", "reference", "setup"),
        ("terms", "ok", "reference", "setup"),
    }
    assert answer["count"] == len(answer["items"]) == 16
    assert answer["stats"] == {"total": 16, "broken": {"total": 3, "changeRequest": 0}}


async def test_a_link_names_its_target_and_each_place_in_which_it_is_written(ada: Speaker, space: str) -> None:
    items = (await ada.get(f"/spaces/{space}/content/page/home/links"))["items"]
    link = next(each for each in items if _target(each) == "setup")
    target = link["targetReference"]
    assert (target["kind"], target["page"]["title"], target["page"]["path"]) == ("page", "Set-up", "setup")
    assert target["organization"]["object"] == "organization"
    assert target["space"]["id"] == space
    revision = (await ada.get(f"/spaces/{space}"))["revision"]
    assert target["versionContext"] == {"type": "revision", "revision": revision}
    places = link["locationReferences"]
    assert [(each["target"], each["text"], each["line"], each["page"]["id"]) for each in places] == [
        ("setup/README.md", "Set-up", 3, "home"),
        ("setup/README.md", "", 11, "home"),
        ("setup/README.md", "README.md", 12, "home"),
    ]
    lines = (await ada.get(f"/spaces/{space}/content/page/home", format="markdown"))["markdown"].split("\n")
    assert all(each["target"] in lines[each["line"] - 1] for each in places)


@pytest.mark.parametrize(("status", "count"), [("ok", 6), ("broken", 3), ("in-app", 1)])
async def test_links_are_listed_by_status_and_counted_whatever_theirs(
    ada: Speaker, space: str, status: str, count: int
) -> None:
    path = f"/spaces/{space}/content/page/home/links"
    answer = (await ada.request("GET", path, params={"status": status})).json()
    assert {each["status"] for each in answer["items"]} == {status}
    assert (answer["count"], answer["stats"]["total"]) == (count, 10)
    refused = await ada.request("GET", path, params={"status": "fine"})
    assert refused.status_code == 400


async def test_an_address_of_this_server_is_in_the_application(ada: Speaker, space: str) -> None:
    desk = await Desk.open(ada, space)
    await desk.edit("cables", f"# Cables\n\n[here]({BASE_URL}/v1/spaces/{space}) [there]({BASE_URL}er/x)\n")
    items = (await ada.get(f"{desk.path}/content/page/cables/links"))["items"]
    assert sorted(each["status"] for each in items) == ["in-app", "ok"]


async def test_pages_of_links_follow_one_another_while_others_come_and_go(ada: Speaker, space: str) -> None:
    everything = [each["locationReferences"] for each in (await ada.get(f"/spaces/{space}/links"))["items"]]
    first = await ada.get(f"/spaces/{space}/links", limit=7)
    desk = await Desk.open(ada, space)
    await desk.write({"operation": "insert_page", "document": {"markdown": "# New\n\n[x](y.md)\n"}, "at": 0})
    await desk.merge()
    second = await ada.get(f"/spaces/{space}/links", limit=1000, page=first["next"]["page"])
    found = [_name(each[0]) + each[0]["target"] for each in everything]
    paged = [each["locationReferences"][0] for each in (*first["items"], *second["items"])]
    assert [name for name in (_name(each) + each["target"] for each in paged) if name in found] == found


async def test_a_change_request_answers_for_what_it_breaks(ada: Speaker, space: str) -> None:
    desk = await Desk.open(ada, space)
    assert (await ada.get(f"{desk.path}/links"))["stats"]["broken"] == {"total": 3, "changeRequest": 0}
    await desk.write({"operation": "delete_page", "page": "cables"})
    stats = (await ada.get(f"{desk.path}/links"))["stats"]
    assert stats == {"total": 16, "broken": {"total": 5, "changeRequest": 2}}
    await desk.write(
        {"operation": "insert_page", "document": {"markdown": "# New\n\n[x](y.md), [z](/pages/z)\n"}, "ref": "new"},
        {"operation": "update_page", "page": "home", "document": {"markdown": HOME.replace("gone.md", "setup.md")}},
    )
    broken = (await ada.get(f"{desk.path}/links"))["stats"]["broken"]
    assert broken == {"total": 6, "changeRequest": 4}, "what it mends it does not answer for"
    by_request = await ada.get(f"{desk.path}/links", brokenContext="change-request")
    in_space = await ada.get(f"{desk.path}/links", brokenContext="space")
    assert (by_request["count"], in_space["count"], by_request["stats"]) == (4, 2, in_space["stats"])
    assert {each["status"] for each in (*by_request["items"], *in_space["items"])} == {"broken"}
    for asked, count in (({"status": "broken"}, 6), ({"status": "ok", "brokenContext": "space"}, 0)):
        answer = await ada.request("GET", f"{desk.path}/links", params=asked)
        assert answer.json()["count"] == count
    assert (await ada.get(f"{desk.path}/content/page/setup/links"))["stats"]["broken"] == {
        "total": 2,
        "changeRequest": 2,
    }
    assert (await ada.get(f"/spaces/{space}/links"))["stats"]["broken"] == {"total": 3, "changeRequest": 0}
    await desk.merge()
    assert (await ada.get(f"/spaces/{space}/links"))["stats"]["broken"] == {"total": 6, "changeRequest": 0}


async def test_what_the_main_content_breaks_is_not_laid_to_a_change_request(ada: Speaker, space: str) -> None:
    mine, other = await Desk.open(ada, space), await Desk.open(ada, space)
    await other.write({"operation": "delete_page", "page": "cables"})
    await other.merge()
    await mine.update()
    assert (await ada.get(f"{mine.path}/links"))["stats"]["broken"] == {"total": 5, "changeRequest": 0}


async def test_a_page_is_pointed_at_from_pages_and_reusable_contents(ada: Speaker, space: str) -> None:
    answer = await ada.get(f"/spaces/{space}/content/page/setup/backlinks")
    assert [(each["kind"], _name(each)) for each in answer["items"]] == [
        ("page", "home"),
        ("page", "link"),
        ("reusable-content", "terms"),
    ]
    (home, _, _) = answer["items"]
    assert home["page"]["title"] == "Home"
    assert (home["space"]["id"], home["organization"]["object"]) == (space, "organization")
    desk = await Desk.open(ada, space)
    await desk.edit("cables", "# Cables\n\n[up](/pages/setup#the-end)\n")
    proposed = await ada.get(f"{desk.path}/content/page/setup/backlinks")
    assert {_name(each) for each in proposed["items"]} == {"home", "link", "cables", "terms"}
    first = await ada.get(f"{desk.path}/content/page/setup/backlinks", limit=2)
    rest = await ada.get(f"{desk.path}/content/page/setup/backlinks", page=first["next"]["page"])
    assert (first["count"], [*first["items"], *rest["items"]]) == (4, proposed["items"])
    assert (await ada.get(f"/spaces/{space}/content/page/setup/backlinks"))["count"] == 3


async def test_a_file_is_pointed_at_by_pictures_and_covers(ada: Speaker, space: str) -> None:
    for path in (f"/spaces/{space}", (await Desk.open(ada, space)).path):
        items = (await ada.get(f"{path}/content/files/logo/backlinks"))["items"]
        assert [_name(each) for each in items] == ["home", "setup"]
        (form,) = (await ada.get(f"{path}/content/files/form/backlinks"))["items"]
        assert _name(form) == "cables"


async def test_other_spaces_point_at_a_page_as_far_as_one_may_see_them(
    platform: Platform, organization: str, ada: Speaker, space: str
) -> None:
    text = (
        f"[a](/spaces/{space}/pages/setup) [b](https://app.gitbook.com/o/x/s/{space}/setup/cables#x)"
        f" [c]({BASE_URL}/v1/spaces/{space}/content/page/home)\n"
    )
    other = make_space(platform, (ImportedPage("outer", "Outer", "outer", text=text),))
    grace = Speaker(platform, join(platform, organization, "Grace Hopper", "read"))
    for page in ("home", "setup", "cables"):
        path = f"/spaces/{space}/content/page/{page}/backlinks"
        pointing = [_name(each) for each in (await grace.get(path))["items"]]
        assert "outer" in pointing
    await ada.send("PATCH", f"/spaces/{other}", {"defaultLevel": None})
    for page in ("home", "setup", "cables"):
        path = f"/spaces/{space}/content/page/{page}/backlinks"
        assert "outer" not in [_name(each) for each in (await grace.get(path))["items"]]
        assert "outer" in [_name(each) for each in (await ada.get(path))["items"]]


async def test_a_link_to_another_space_is_broken_for_who_may_not_see_it(
    platform: Platform, organization: str, ada: Speaker, space: str
) -> None:
    text = (
        f"[a](/spaces/{space}) [b](/spaces/{space}/pages/setup#the-end) [c](/spaces/{space}/pages/setup#no)"
        f" [d](/spaces/{space}/pages/no) [e](/spaces/nowhere)\n"
    )
    other = make_space(platform, (ImportedPage("outer", "Outer", "outer", text=text),))
    answer = await ada.get(f"/spaces/{other}/links")
    assert {(each["status"], each["locationReferences"][0]["text"]) for each in answer["items"]} == {
        ("ok", "a"),
        ("ok", "b"),
        ("broken", "c"),
        ("broken", "d"),
        ("broken", "e"),
    }
    await ada.send("PATCH", f"/spaces/{space}", {"defaultLevel": None})
    grace = Speaker(platform, join(platform, organization, "Grace Hopper", "read"))
    answer = await grace.get(f"/spaces/{other}/links")
    assert answer["stats"]["broken"]["total"] == 5
    assert not any("targetReference" in each for each in answer["items"])


@pytest.mark.parametrize("role", ["read", "comment"])
async def test_reading_is_enough(platform: Platform, organization: str, ada: Speaker, space: str, role: Role) -> None:
    desk = await Desk.open(ada, space)
    grace = Speaker(platform, join(platform, organization, "Grace Hopper", role))
    outsider = Speaker(platform, stranger(platform))
    for path in (f"/spaces/{space}", desk.path):
        for suffix in (
            "/links",
            "/content/page/home/links",
            "/content/page/home/backlinks",
            "/content/files/logo/backlinks",
        ):
            await grace.get(path + suffix)
            await outsider.refused("GET", path + suffix, 404)


async def test_what_is_not_there_has_no_links(ada: Speaker, space: str) -> None:
    desk = await Desk.open(ada, space)
    for path in (f"/spaces/{space}", desk.path):
        assert "nowhere" in await ada.refused("GET", f"{path}/content/page/nowhere/links", 404)
        assert "nowhere" in await ada.refused("GET", f"{path}/content/page/nowhere/backlinks", 404)
        assert "nowhere" in await ada.refused("GET", f"{path}/content/files/nowhere/backlinks", 404)
        assert "page" in await ada.refused("GET", f"{path}/links", 400, page="x")
        assert "limit" in await ada.refused("GET", f"{path}/links", 400, limit=1001)
    await ada.refused("GET", "/spaces/nowhere/links", 404)
    await ada.refused("GET", f"/spaces/{space}/change-requests/99/links", 404)


async def test_what_stands_beside_the_text_has_no_line(ada: Speaker, space: str) -> None:
    items = (await ada.get(f"/spaces/{space}/content/page/setup/links"))["items"]
    (cover,) = [each for each in items if each["targetReference"]["kind"] == "file"]
    (place,) = cover["locationReferences"]
    assert (place["page"]["id"], place["target"], "line" in place) == ("setup", "/files/logo", False)


async def test_a_link_in_an_included_text_is_meant_from_there_else_from_the_page(
    platform: Platform, ada: Speaker
) -> None:
    git = {name: {"git": {"path": f"docs/{name}.md"}} for name in ("deep/page", "other", "deep/other", "deep/near")}
    pages = [
        ImportedPage("page", "Page", text='{% include "../../includes/notice.md" %}\n', attributes=git["deep/page"]),
        ImportedPage("guide", "Guide", attributes=git["other"]),
        ImportedPage("wrong", "Another", attributes=git["deep/other"]),
        ImportedPage("near", "Near", attributes=git["deep/near"]),
    ]
    contents = [{"id": "notice", "title": "Notice", "path": "includes/notice.md", "text": INCLUDED}]
    files = [
        {"id": path, "name": "chart.png", "contentType": "image/png", "size": 3, "path": f"{path}/chart.png"}
        for path in ("includes", "docs/deep")
    ]
    space = make_space(platform, pages, files=files, reusable_contents=contents)
    assert summarize(await ada.get(f"/spaces/{space}/links")) == {
        ("page", "ok", "dependsOn", "notice"),
        ("notice", "ok", "reference", "guide"),
        ("notice", "ok", "reference", "near"),
        ("notice", "broken", "reference", "gone.md"),
        ("notice", "ok", "reference", "includes"),
    }


async def test_what_is_included_from_the_application_is_needed(ada: Speaker, space: str) -> None:
    desk = await Desk.open(ada, space)
    address = "https://app.gitbook.com/s/x/~/reusable/y/"
    await desk.edit("cables", f'{{% include "{address}" %}}\n\n{{% openapi-operation spec="pets" path="/" %}}\n')
    items = (await ada.get(f"{desk.path}/content/page/cables/links"))["items"]
    assert {(each["status"], each["relation"], _target(each)) for each in items} == {
        ("in-app", "dependsOn", address),
        ("broken", "dependsOn", "pets"),
    }


async def test_the_file_of_a_specification_is_found_by_its_name(ada: Speaker, platform: Platform) -> None:
    files = [
        {"id": id, "name": path.rpartition("/")[2], "contentType": "text/yaml", "size": 3, "path": path}
        for id, path in {"pets": "api/pets.yaml", "a": "a/twice.json", "b": "b/twice.json"}.items()
    ]
    block = '{{% openapi-operation spec="{}" path="/" method="get" %}}\n{}\n{{% endopenapi-operation %}}\n\n'
    names = ("pets", "../api/pets", "twice", "../a/twice", "gone")
    text = "".join(block.format(name, "") for name in names) + block.format("there", "[it](https://example.org/x.json)")
    page = ImportedPage("home", "Home", "home", text=text, attributes={"git": {"path": "docs/home.md"}})
    space = make_space(platform, [page], files=files)
    items = (await ada.get(f"/spaces/{space}/content/page/home/links"))["items"]
    said = {
        place["target"]: (each["status"], each["relation"], each.get("targetReference", {}).get("file", {}).get("id"))
        for each in items
        for place in each["locationReferences"]
    }
    assert said == {
        "pets": ("ok", "dependsOn", "pets"),
        "../api/pets": ("ok", "dependsOn", "pets"),
        "twice": ("broken", "dependsOn", None),
        "../a/twice": ("ok", "dependsOn", "a"),
        "gone": ("broken", "dependsOn", None),
        "there": ("ok", "reference", None),
        "https://example.org/x.json": ("ok", "reference", None),
    }
    assert [each["page"]["id"] for each in (await ada.get(f"/spaces/{space}/content/files/pets/backlinks"))["items"]]
    organization = (await ada.get(f"/spaces/{space}"))["organization"]
    text = '{"openapi": "3.1.0", "info": {"title": "Gone", "version": "1"}, "paths": {}}'
    await ada.send("PUT", f"/orgs/{organization}/openapi/gone", {"source": {"text": text}}, 201)
    items = (await ada.get(f"/spaces/{space}/content/page/home/links"))["items"]
    broken = {each["locationReferences"][0]["target"] for each in items if each["status"] == "broken"}
    assert broken == {"twice"}
    named = next(each["targetReference"] for each in items if each.get("targetReference", {}).get("kind") == "openapi")
    assert (named["openAPISpec"]["slug"], named["organization"]["id"]) == ("gone", organization)


async def test_what_is_remembered_is_what_would_be_read_again(
    ada: Speaker, space: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = Random(3)
    pages = ["home", "setup", "cables"]

    def text() -> str:
        written = (f"[x](/pages/{chance.choice([*pages, 'gone'])}#{chance.choice(['a', 'b'])})" for _ in range(4))
        return f"{' '.join(written)}\n\n## {chance.choice(['a', 'b', 'c'])}\n"

    for _ in range(8):
        desk = await Desk.open(ada, space)
        made = await desk.write(
            {
                "operation": "update_page",
                "page": "home",
                "document": {"markdown": text()},
                "title": chance.choice("ab"),
            },
            {"operation": "update_page", "page": chance.choice(pages[1:]), "document": {"markdown": text()}},
            {"operation": "insert_page", "title": "New", "document": {"markdown": text()}, "ref": "new"},
            *([{"operation": "delete_page", "page": pages.pop()}] if chance.random() < 0.4 and len(pages) > 2 else []),
        )
        pages.append(made["changes"][2]["page"]["id"])
        paths = [f"{desk.path}/links", f"{desk.path}/content/page/home/backlinks", f"/spaces/{space}/links"]
        remembered = [await ada.get(path) for path in paths]
        with monkeypatch.context() as fresh:
            for name in ("_references", "_links", "_outward"):
                fresh.setattr(link_index, name, Remembered(100))
            assert [await ada.get(path) for path in paths] == remembered
        await desk.merge()
