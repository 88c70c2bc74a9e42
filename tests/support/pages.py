"""Pages to try the reader on: one with every kind of block, hostile ones, and the samples where they are."""

from __future__ import annotations

from pathlib import Path

SAMPLES = Path(__file__).parents[3] / "shared" / "samples"

EVERYTHING = """\
---
description: What the page is about
---

# A page of *everything*

First paragraph with **strong words**, *emphasis*, ~~struck~~, `inline code`, a [link to somewhere](https://example.com/a)
and ![a picture](x.png). It is long enough to be wrapped somewhere in the middle of itself at any of the widths here.

## Lists

- one
- two with a [local link](other.md#part)
  - nested
    1. deep
    2. deeper
- [ ] open task
- [x] closed task

9. ninth

   second paragraph of the ninth
10. tenth

### Third level

> quoted words
>
> - list in a quote

{% hint style="info" %}
Informed.
{% endhint %}

{% hint style="success" %}
Succeeded.
{% endhint %}

{% hint style="warning" %}
Take care with `rm -rf`.

- really
{% endhint %}

{% hint style="danger" %}
Endangered.
{% endhint %}

{% tabs %}
{% tab title="npm" %}
```bash
npm install --save something-very-long-that-does-not-fit another-very-long-thing --with-flags=everything --and-more
# comment
```
{% endtab %}
{% tab title="pip" %}
{% code title="setup.py" lineNumbers="true" overflow="wrap" %}
```python
def function(argument: int) -> str:
\treturn "a string that is long enough to be wrapped at forty columns and more"
```
{% endcode %}
{% endtab %}
{% endtabs %}

| Name | What it is | Default |
|---|:-:|--:|
| alpha | The first letter of the Greek alphabet, used for many things in many places, see [here](a.md) | 1 |
| beta | second | 22 |

#### Fourth level

<details><summary>More here</summary>

Inside the details.

</details>

{% stepper %}
{% step %}
## Do this
Text of the first step.
{% endstep %}
{% step %}
## Do that
Text of the second step.
{% endstep %}
{% endstepper %}

{% columns %}
{% column %}
Left column.
{% endcolumn %}
{% column %}
Right column.
{% endcolumn %}
{% endcolumns %}

{% embed url="https://example.com/video" caption="Watch" %}

{% file src="report.pdf" caption="The report" %}

{% content-ref url="foo.md" %}
[Foo page](foo.md)
{% endcontent-ref %}

<figure><img src="a.png" alt="An image"><figcaption><p>Caption text</p></figcaption></figure>

{% openapi src="x.yaml" path="/pets" method="get" %}
[x.yaml](x.yaml)
{% endopenapi %}

{% include "/reusable-content/abc" %}

{% if visitor.claims.beta %}
Conditional words.
{% endif %}

{% unheard-of colour="green" %}
Unknown but kept.
{% endunheard-of %}

<table data-view="cards"><thead><tr><th></th><th data-card-target data-type="content-ref"></th></tr></thead>
<tbody><tr><td><strong>First card</strong></td><td><a href="one.md">one.md</a></td></tr></tbody></table>

$$ E = mc^2 $$

***

中文字符的排版，需要在任何地方换行，但是标点符号不能出现在行首。这是一个很长的段落，用来测试中文的换行是否正确。
English words 混排 as well, 日本語のテキスト、한국어 텍스트 and emoji 👩‍👩‍👧 👍🏽 ❤️ 🇩🇪.

The end[^1].

[^1]: A footnote.
"""

HOSTILE = {
    "escapes": "# \x1b[31mred\x1b[0m\n\n\x1b]0;title\x07 \x9b2J `\x1b[2J`\n\n```\n\x1b[1;1H\x00\x08\n```\n",
    "direction": "left \u202eright\u202c \u2066isolated\u2069 \u200b\u200czero\ufeff",
    "markup": "[bold]not bold[/bold] [@click=app.quit]click[/] [link=x]y[/link] \\[red] $primary",
    "brackets": "[" * 20_000,
    "emphasis": "*a **b" * 5_000,
    "quotes": ">" * 3_000 + " deep",
    "lists": "".join("  " * depth + "- item\n" for depth in range(200)),
    "tags": "{% hint %}\n" * 500 + "words",
    "one line": "word " * 20_000,
    "no space": "x" * 54_131,
    "wide": "字" * 20_000,
    "combining": "e" + "\u0301" * 500 + " Z̴̢͚̈a̵l̶g̷o",
    "tabs": "a\tb\n\n```\n\tx\ty\n```\n\n    \tindented\n",
    "empty": "",
    "table": "| a | b |\n|---|---|\n" + "| \x1b[31m | " + "y" * 3_000 + " |\n",
    "many columns": "|" + "column|" * 80 + "\n|" + "-|" * 80 + "\n|" + "some text|" * 80 + "\n",
    "html": "<div onclick='x'>\n<script>alert(1)</script>\n</div>\n\n<b>unclosed <i>tags",
    "links": "[x](javascript:alert(1)) [y](https://e.com/\x1b]8;;evil) <https://e.com/a%00b> [z](<a b>)",
}

COSTLY = ("brackets", "emphasis")
"""Those that take long to parse, each time."""


def sample_pages() -> list[Path]:
    """Give the Markdown files of the samples; none where they are absent."""
    return sorted(SAMPLES.rglob("*.md"))
