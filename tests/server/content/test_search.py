from __future__ import annotations

import re
from typing import Any

import pytest

from recto.server.content import search
from recto.server.content.imported_tree import ImportedPage
from recto.server.content.objects import Remembered
from recto.server.content.search import cut, find, forget, index_text, match_expression, pairs, plain
from recto.server.platform import Platform
from recto.server.storage.database import Connection, Row
from support.content import Desk, make_space
from support.platform import Speaker

TEXT = """Before any heading: walrus.

## Install on Linux

Use `apt`, the *package* manager. See [the list](walrus.md).

```
# not a heading
```

### 資料庫索引

建立索引的方法。

## Install on Linux <a href="#own" id="own"></a>

{% hint style="info" %}
Twice.
{% endhint %}
"""

PAGES = (
    ImportedPage("guide", "Guide", "guide", text=TEXT, front_matter={"description": "All about otters"}),
    ImportedPage("apt", "Package managers", "apt", text="Nothing here.\n"),
)


@pytest.fixture
def space(platform: Platform) -> str:
    return make_space(platform, PAGES)


def test_what_is_found_weighs_what_its_headings_do() -> None:
    row = {"page": "one", "anchor": "", "title": "Long " * 20_000, "text": "hash", "start": 0, "end": 9}
    assert search._weigh([search.FoundPage("space", "one", 1.0, [row, row])]) > 200_000


async def found(ada: Speaker, space: str, query: str) -> list[tuple[str, list[str]]]:
    hits = (await ada.get(f"/spaces/{space}/search", query=query))["items"]
    return [(hit["id"], [section["path"] for section in hit["sections"]]) for hit in hits]


def test_a_text_is_cut_at_its_headings() -> None:
    sections = cut(TEXT)
    assert [(section.anchor, section.heading) for section in sections] == [
        ("", ""),
        ("install-on-linux", "Install on Linux"),
        ("資料庫索引", "資料庫索引"),
        ("own", "Install on Linux"),
    ]
    assert TEXT[sections[0].start : sections[0].end] == "Before any heading: walrus.\n\n"
    assert "# not a heading" in TEXT[sections[1].start : sections[1].end]


def test_runs_without_spaces_are_indexed_in_pairs() -> None:
    assert pairs("資料庫") == "資料 料庫 庫"
    assert index_text("PG資料庫v2").split() == ["PG", "資料", "料庫", "庫", "v2"]
    assert match_expression("資料庫 pg 索") == '"資料 料庫" AND "pg"* AND "索"*'
    assert match_expression("?!") is None


@pytest.mark.parametrize(
    ("query", "pages"),
    [
        ("walrus", [("guide", ["guide"])]),
        ("apt", [("guide", ["guide#install-on-linux"])]),
        ("APT package", [("guide", ["guide#install-on-linux"])]),
        ("索引", [("guide", ["guide#資料庫索引"])]),
        ("料庫", [("guide", ["guide#資料庫索引"])]),
        ("引", [("guide", ["guide#資料庫索引"])]),
        ("資料庫 方法", [("guide", ["guide#資料庫索引"])]),
        ("料方", []),
        ("twice", [("guide", ["guide#own"])]),
        ("hint", []),
        ("otters", [("guide", [])]),
        ("managers", [("apt", [])]),
        ("nowhere", []),
        ('"walrus" OR *', []),
        ("-", []),
    ],
)
async def test_words_are_found_where_they_stand(
    ada: Speaker, space: str, query: str, pages: list[tuple[str, list[str]]]
) -> None:
    assert await found(ada, space, query) == pages


async def test_a_title_counts_more_than_a_text(ada: Speaker, space: str) -> None:
    assert [page for page, _ in await found(ada, space, "package")] == ["apt", "guide"]


async def test_a_hit_shows_the_words_in_their_place(ada: Speaker, space: str) -> None:
    (hit,) = (await ada.get(f"/spaces/{space}/search", query="manager. See"))["items"]
    (section,) = hit["sections"]
    assert (hit["title"], section["title"]) == ("Guide", "Install on Linux")
    assert "the *package* manager" in section["body"]
    assert "walrus.md" not in section["body"]


async def test_a_hit_shows_where_the_words_stand_together_not_a_part_of_another_word(ada: Speaker, space: str) -> None:
    desk = await Desk.open(ada, space)
    far = "The configuration of confd is long. " * 20
    await desk.edit("guide", f"# Guide\n\nAn ncs setting. {far}\n\nEdit `ncs.conf` here.\n\n## Other\n\nncs {far} x\n")
    await desk.merge()
    (hit,) = (await ada.get(f"/spaces/{space}/search", query="ncs.conf"))["items"]
    assert "Edit `ncs.conf` here" in next(one["body"] for one in hit["sections"] if one["title"] == "Guide")
    (hit,) = (await ada.get(f"/spaces/{space}/search", query="here edit"))["items"]
    assert "Edit `ncs.conf` here" in hit["sections"][0]["body"]


async def test_the_index_follows_the_main_content(ada: Speaker, space: str) -> None:
    desk = await Desk.open(ada, space)
    await desk.edit("guide", "# Guide\n\nA narwhal.\n")
    await desk.write(
        {"operation": "delete_page", "page": "apt"},
        {"operation": "insert_page", "document": {"markdown": "# New\n\nA narwhal too.\n"}, "slug": "new"},
    )
    assert await found(ada, space, "narwhal") == []
    await desk.merge()
    assert sorted(paths for _, paths in await found(ada, space, "narwhal")) == [["guide"], ["new"]]
    assert await found(ada, space, "walrus") == []
    assert await found(ada, space, "managers") == []


async def test_pages_of_hits_follow_one_another(ada: Speaker, space: str) -> None:
    first = await ada.get(f"/spaces/{space}/search", query="package", limit=1)
    second = await ada.get(f"/spaces/{space}/search", query="package", limit=1, page=first["next"]["page"])
    assert (first["count"], first["items"][0]["id"], second["items"][0]["id"]) == (2, "apt", "guide")
    assert "next" not in second


@pytest.mark.parametrize("query", ["", "x" * 513])
async def test_a_query_has_1_to_512_characters(ada: Speaker, space: str, query: str) -> None:
    assert "query" in await ada.refused("GET", f"/spaces/{space}/search", 400, query=query)


HOSTILE = ("{% ", "](", "<a ", "<a id=", "# ", " ", "`", "字", "&#x20")


@pytest.mark.slow
@pytest.mark.parametrize("part", HOSTILE)
def test_a_hostile_line_takes_no_time(part: str) -> None:
    line = "# " + part * 20_000
    assert len(cut(f"{line}\n{line}x")) >= 2
    index_text(line)


async def test_words_of_pages_that_have_changed_leave_the_index_later(
    platform: Platform, ada: Speaker, space: str
) -> None:
    def sections(connection: Connection) -> tuple[int, int]:
        return connection.value("SELECT count(*) FROM search_sections"), connection.value("SELECT count(*) FROM search")

    before = platform.database.read_now(sections)[0]
    desk = await Desk.open(ada, space)
    await desk.edit("guide", "# Guide\n\nNo animals.\n")
    await desk.merge()
    assert await found(ada, space, "walrus") == []
    assert platform.database.read_now(sections) == (2, before + 1)
    assert platform.database.write_now(lambda connection: forget(connection, 3)) == 3
    assert platform.database.write_now(lambda connection: forget(connection, 3)) == before - 1 - 3
    assert platform.database.read_now(sections) == (2, 2)
    assert await found(ada, space, "animals") == [("guide", ["guide"])]


async def test_each_page_is_found_once_while_others_come_and_go(ada: Speaker, platform: Platform) -> None:
    texts = [f"Otter {'and otter ' * (number % 3)}by the water.\n" for number in range(9)]
    space = make_space(
        platform, [ImportedPage(f"p{at}", f"P{at}", f"p{at}", text=text) for at, text in enumerate(texts)]
    )
    seen: list[str] = []
    page: dict[str, Any] = {}
    for number in range(5):
        answer = await ada.get(f"/spaces/{space}/search", query="otter", limit=2, **page)
        seen += [hit["id"] for hit in answer["items"]]
        desk = await Desk.open(ada, space)
        new = {"operation": "insert_page", "title": f"Otter {number}", "document": {"markdown": "Otter. " * number}}
        await desk.write(new, {"operation": "delete_page", "page": seen[-1]})
        await desk.merge()
        page = {"page": answer["next"]["page"]} if "next" in answer else {}
    assert sorted(each for each in seen if each.startswith("p")) == [f"p{number}" for number in range(9)]


def test_a_line_that_ends_within_chinese_parts_no_pair_and_a_comment_is_not_found() -> None:
    assert "文换" in index_text("中文\n换行 and\nmore").split()
    assert plain("中文\n  换行\nand") == "中文换行 and"
    text = "a <!-- hidden\nwords --> b\n\n```html\n<!-- shown -->\n```\n\n<!-- hidden -->c"
    assert [word for word in ("hidden", "shown") if word in index_text(text)] == ["shown"]
    assert plain(text).startswith("a b ")
    assert plain("`` ` <!-- shown --> `` b <!-- `c` -->d") == "`` ` <!-- shown --> `` b d"


def test_the_anchor_that_a_heading_ends_with_is_that_of_its_section() -> None:
    _, first, second, third = cut("## One {#own}\na\n## One\nb\n## Two{#other} ##\nc\n")
    assert [(each.heading, each.anchor) for each in (first, second, third)] == [
        ("One", "own"),
        ("One", "one"),
        ("Two", "other"),
    ]


@pytest.mark.parametrize("pages", [400, 800])
def test_so_many_sections_are_ranked_however_many_hold_the_word(
    platform: Platform, pages: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(search, "_scores", Remembered(20_000))
    other = make_space(platform, [ImportedPage(f"o{number}", "別", text="他的。\n") for number in range(50)])
    text = "這是索引的說明。\n\n## 一\n\n其中的文字。\n"
    listed = [ImportedPage(f"p{number}", f"P {number}", text=text) for number in range(pages)]
    listed.append(ImportedPage("last", "的", text="Nothing.\n"))
    space = make_space(platform, listed)
    platform.indexer.run()
    looked: list[int] = []
    counted: list[int] = []
    score = search._score

    class Counted(Connection):
        def all(self, sql: str, *parameters: Any) -> list[Row]:
            rows = super().all(sql, *parameters)
            looked.append(len(rows))
            return rows

    def count_and_score(counter: re.Pattern[str], row: Row) -> float:
        counted.append(row["id"])
        return score(counter, row)

    monkeypatch.setattr(search, "_score", count_and_score)

    found = platform.database.read_now(lambda connection: find(Counted(connection.raw), [space], "的"))
    assert sum(looked) <= 400
    assert 0 < len(counted) == len(set(counted)) <= 400, "the words of a section are counted once"
    counted.clear()
    again = platform.database.read_now(lambda connection: find(Counted(connection.raw), [space], "的"))
    assert (again, counted) == (found, []), "and not again for the next page of the list"
    assert {page.space for page in found} == {space}
    assert max(found, key=lambda page: page.score).page == "last", "the page that has it in its title"
    assert platform.database.read_now(lambda connection: len(find(connection, [other], "的"))) == 50


def test_of_a_long_section_only_so_much_is_counted(platform: Platform, monkeypatch: pytest.MonkeyPatch) -> None:
    space = make_space(platform, [ImportedPage("a", "A", text="a " * 100_000), ImportedPage("b", "B", text="a\n")])
    platform.indexer.run()
    sizes: list[int] = []
    score = search._score

    def measure_and_score(counter: re.Pattern[str], row: Row) -> float:
        sizes.append(len(row["body"]))
        return score(counter, row)

    monkeypatch.setattr(search, "_score", measure_and_score)
    found = platform.database.read_now(lambda connection: find(connection, [space], "a"))
    assert {page.page for page in found} == {"a", "b"}
    assert len(sizes) == 2
    assert max(sizes) <= 50_000


@pytest.mark.parametrize(
    ("text", "query"),
    [
        ("Ein Café.\n", "cafe"),
        ("Ein Cafe.\n", "CAFÉ"),
        ("Ёлка\n", "ёл"),
        ("Äpfel\n", "ap"),
        ("한국어 문서\n", "한국"),
        ("其中的文字。\n", "的"),
        ("其中的文字。\n", "中的文"),
        ("ガイド\n", "ガイ"),
        ("It's `snake_case` here\n", "case"),
    ],
)
def test_what_is_found_is_counted(platform: Platform, text: str, query: str) -> None:
    space = make_space(platform, [ImportedPage("a", "-", text=text)])
    (page,) = platform.database.read_now(lambda connection: find(connection, [space], query))
    (twice,) = platform.database.read_now(
        lambda connection: find(connection, [make_space(platform, [ImportedPage("b", "-", text=text * 2)])], query)
    )
    assert 0 < page.score < twice.score


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ('{% embed url="https://example.org/kangaroo" %}\n', "kangaroo"),
        ("[](https://example.org/kangaroo)\n", "kangaroo"),
        ("<https://example.org/kangaroo>\n", "kangaroo"),
        ("See https://example.org/kangaroo now.\n", "kangaroo"),
        ('{% file src="files/kangaroo.pdf" caption="The koala" %}\n', "koala"),
        ('{% openapi-operation spec="kangaroo" path="/a" method="get" %}\n{% endopenapi-operation %}\n', "kangaroo"),
        ('{% swagger baseUrl="https://kangaroo.org" path="/a" %}\n{% endswagger %}\n', "kangaroo"),
        ("![A koala](images/red%20kangaroo.png?raw=true)\n", "kangaroo"),
        ("![A koala](images/a.png)\n", "koala"),
        ('![](images/a.png "The koala")\n', "koala"),
        ('<figure><img src="images/kangaroo.png" alt="A koala"></figure>\n', "kangaroo"),
        ("<p><img alt='A koala' src='images/a.png'></p>\n", "koala"),
        ('{% tabs %}\n{% tab title="Wombat" %}\nText.\n{% endtab %}\n{% endtabs %}\n', "wombat"),
    ],
)
async def test_what_a_block_or_address_shows_is_found(platform: Platform, ada: Speaker, text: str, word: str) -> None:
    space = make_space(platform, [ImportedPage("a", "A", text=text)])
    (hit,) = (await ada.get(f"/spaces/{space}/search", query=word))["items"]
    assert word in hit["sections"][0]["body"].casefold()


async def test_an_address_behind_a_text_is_not_shown_and_not_found(platform: Platform, ada: Speaker) -> None:
    space = make_space(platform, [ImportedPage("a", "A", text="[Text](https://example.org/kangaroo)\n")])
    assert (await ada.get(f"/spaces/{space}/search", query="kangaroo"))["items"] == []
