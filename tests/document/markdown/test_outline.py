from __future__ import annotations

import pytest

from recto.document.markdown.outline import Heading, outline, slugify
from recto.document.markdown.page import parse_page


def test_headings_come_with_level_text_anchor_and_line() -> None:
    page = parse_page(
        '---\ntitle: x\n---\n# Set *up*\n\n{% tabs %}\n{% tab title="A" %}\n## Install\n{% endtab %}\n{% endtabs %}\n\n'
        '## Install\n\n### 資料庫 設定 <a href="#db" id="db"></a>\n'
    )
    assert outline(page) == (
        Heading(1, "Set up", "set-up", 3),
        Heading(2, "Install", "install", 7),
        Heading(2, "Install", "install-1", 11),
        Heading(3, "資料庫 設定", "db", 13),
    )


@pytest.mark.parametrize(
    ("title", "slug"),
    [
        ("What's new?", "whats-new"),
        ("資料庫 設定", "資料庫-設定"),
        ("`ncs.conf` (5)", "ncsconf-5"),
        ("  A -- B ", "a-b"),
    ],
)
def test_slugs_are_words_joined(title: str, slug: str) -> None:
    assert slugify(title) == slug
