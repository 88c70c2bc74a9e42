from __future__ import annotations

import pytest

from recto.document.markdown.block_keys import fresh_keys
from recto.document.markdown.page import parse_page
from recto.document.rich_text.rich_pages import to_document
from recto.store.anchors import Anchors, find_anchors

TEXT = """\
Welcome, **all** of [you](https://example.org).

{% hint style="info" %}
Mind the step.
{% endhint %}

- one
- two
  - inner

| A | B |
|---|---|
| 1 | 2 |

```python
print("x")
```

Welcome, all of you.
"""


def anchors_of(text: str = TEXT) -> Anchors:
    return find_anchors(text, to_document(text))


def line_of(words: str) -> int:
    return next(number for number, line in enumerate(TEXT.split("\n"), 1) if words in line)


@pytest.mark.parametrize("words", ["Welcome, **all**", "Mind the step", "- one", "- inner", "| 1 |", 'print("x")'])
def test_each_line_finds_its_block_and_the_block_its_lines(words: str) -> None:
    anchors = anchors_of()
    key = anchors.key_at(line_of(words))
    assert key is not None
    lines = anchors.lines_of(key)
    assert lines is not None and lines[0] <= line_of(words) <= lines[1]


def test_the_keys_are_those_of_the_rich_text() -> None:
    page = parse_page(TEXT)
    own = dict(zip(fresh_keys(page), page.walk(), strict=True))
    anchors = anchors_of()
    key = anchors.key_at(line_of("Mind the step"))
    assert key is not None
    assert own[key].text == "Mind the step."


def test_blocks_with_the_same_text_are_distinguished() -> None:
    anchors = anchors_of()
    first, last = anchors.key_at(1), anchors.key_at(len(TEXT.split("\n")) - 1)
    assert first != last
    assert last is not None and anchors.lines_of(last) == (len(TEXT.split("\n")) - 1,) * 2


def test_a_block_is_replaced_where_it_stands() -> None:
    anchors = anchors_of()
    key = anchors.key_at(line_of("Mind the step"))
    assert key is not None
    assert anchors.replace_block(key, "Mind both steps.") == TEXT.replace("Mind the step.", "Mind both steps.")


def test_a_block_that_is_gone_has_no_lines() -> None:
    anchors = anchors_of()
    assert anchors.lines_of("nothing") is None
    assert anchors.source_of("nothing") is None
    with pytest.raises(KeyError):
        anchors.replace_block("nothing", "")


def test_rich_text_of_another_kind_anchors_what_it_names() -> None:
    document = to_document("Welcome, all of you.\n\nSomething else.\n", ("k1", "k2"))
    anchors = find_anchors("Not in it.\n\nWelcome, all of you.\n", document)
    assert anchors.lines_of("k1") == (3, 3)
    assert find_anchors(TEXT, None).key_at(1) is None


def test_what_lost_its_block_is_found_by_how_the_block_begins() -> None:
    anchors = anchors_of()
    assert anchors.key_of_source("Mind the") == anchors.key_at(line_of("Mind the step"))
    assert anchors.key_of_source("Welcome, all of") is not None
    assert anchors.key_of_source("Nowhere") is None
    chinese = find_anchors("第一行，\n这是第二行。\n", to_document("第一行，\n这是第二行。\n", ("k1",)))
    assert chinese.first_line_of("k1") == "第一行，这是第二行。"
    assert chinese.key_of_source("第一行， 这是") == chinese.key_of_source("第一行，这是") == "k1"
    assert anchors.key_of_source("") is None
