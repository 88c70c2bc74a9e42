from __future__ import annotations

import re
from itertools import count

import pytest

from recto.contract.templates import TEMPLATES, Template
from recto.server.content.imported_tree import ImportedPage
from recto.server.exchange.library import read_library
from recto.server.platform import Platform
from recto.server.templates.template_handlers import PAGES, read_template
from support.content import make_space
from support.platform import Speaker

PAGES_BEFORE = (ImportedPage("one", "One", "one", text="First.\n"), ImportedPage("kept", "Changelog", "changelog"))

EACH = pytest.mark.parametrize("template", TEMPLATES, ids=lambda template: template.id)


def texts(template: Template, **addresses: str) -> list[str]:
    numbers = count()
    pages = read_template(template, addresses, lambda: f"page{next(numbers)}")
    return [page.text for root in pages for page in root.walk()]


def test_each_template_has_its_pages() -> None:
    assert sorted(folder.name for folder in PAGES.iterdir()) == sorted(template.id for template in TEMPLATES)


@EACH
def test_what_a_template_names_is_there(template: Template) -> None:
    (book,) = read_library(PAGES / template.id).books
    report = book.report
    assert not (report.unlisted or report.dangling or report.repeated or report.missing), report
    assert sum(bool(page.text) for page in book.walk()) >= 3
    assert tuple(page.title for page in book.pages) == template.pages
    used = {name for page in book.walk() for name in re.findall(r"\]\(ref:([^)]*)\)", page.text)}
    assert used == set(template.references)


@EACH
def test_its_links_lead_to_its_pages_and_to_what_is_given(template: Template) -> None:
    bare = texts(template)
    ids = {f"/pages/page{number}" for number in range(len(bare))}
    targets = [target for text in bare for target in re.findall(r"""(?:\]\(|href=")([^)"\s]*)""", text)]
    assert {target.partition("#")[0] for target in targets if target.startswith("/")} <= ids
    assert not [target for target in targets if target.startswith("ref:") or target.endswith(".md")]
    filled = texts(template, **{name: f"https://{name}.example" for name in template.references})
    assert all(any(f"](https://{name}.example)" in text for text in filled) for name in template.references)
    assert not any(f"{name}.example" in text for text in bare for name in template.references)


async def test_the_pages_come_after_the_others_as_often_as_wanted(platform: Platform, ada: Speaker) -> None:
    space = make_space(platform, PAGES_BEFORE)
    before = (await ada.get(f"/spaces/{space}/content/pages"))["pages"]
    refs = {"product": {"kind": "page", "page": before[0]["id"]}}
    for params in ({}, {"params": {"contentRefs": refs}}):
        answer = await ada.request("POST", f"/spaces/{space}/content/template", json={"id": "changelog", **params})
        assert (answer.status_code, answer.content) == (201, b"")
    after = (await ada.get(f"/spaces/{space}/content/pages"))["pages"]
    assert after[: len(before)] == before
    new = after[len(before) :]
    half = len(new) // 2
    assert [page["title"] for page in new[:half]] == [page["title"] for page in new[half:]]
    assert len({page["path"] for page in after}) == len(after)
    links = await ada.get(f"/spaces/{space}/links", limit=100)
    assert not [link for link in links["items"] if link.get("status") == "broken"]
    linked = [
        (await ada.get(f"/spaces/{space}/content/page/{page['id']}", format="markdown"))["markdown"] for page in new
    ]
    assert any(f"(/pages/{before[0]['id']})" in text for text in linked[half:])


@pytest.mark.parametrize(
    ("body", "named"),
    [
        ({"id": "sonnets"}, "id: there is no template “sonnets”; there are product-docs"),
        ({"id": "changelog", "params": {"contentRefs": {"owner": {"kind": "url", "url": "https://a.b"}}}}, "owner"),
        ({"id": "changelog", "params": {"contentRefs": {"product": {"kind": "user", "user": "u"}}}}, "kind “user”"),
        (
            {"id": "changelog", "params": {"contentRefs": {"product": {"kind": "url", "url": "javascript:a"}}}},
            "contentRefs.product: a web address",
        ),
        (
            {"id": "changelog", "params": {"contentRefs": {"product": {"kind": "url", "url": "https://a.b/)[x](c"}}}},
            "contentRefs.product: a web address",
        ),
    ],
)
async def test_what_cannot_be_filled_in_is_refused_by_name(
    platform: Platform, ada: Speaker, body: dict[str, object], named: str
) -> None:
    space = make_space(platform, PAGES_BEFORE)
    before = (await ada.get(f"/spaces/{space}"))["revision"]
    answer = await ada.request("POST", f"/spaces/{space}/content/template", json=body)
    assert answer.status_code == 400
    assert named in answer.json()["error"]["message"]
    assert (await ada.get(f"/spaces/{space}"))["revision"] == before


async def test_a_locked_space_takes_none(platform: Platform, ada: Speaker) -> None:
    space = make_space(platform, PAGES_BEFORE)
    await ada.send("PATCH", f"/spaces/{space}", {"editMode": "locked"})
    answer = await ada.request("POST", f"/spaces/{space}/content/template", json={"id": "changelog"})
    assert answer.status_code == 409
