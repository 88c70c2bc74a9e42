"""What documentation generators write as HTML comes as the Markdown of a page."""

from __future__ import annotations

import re

import pytest

from recto.document.conversion.html import convert_html


def convert(html: str) -> str:
    page = f"<main><h1>Title</h1>{html}</main>"
    return convert_html(page, address=lambda kind, target: target, keep_picture=lambda content, kind: "kept").text


TABS = '{% tabs %}\n{% tab title="A" %}\na\n{% endtab %}\n\n{% tab title="B" %}\nb\n{% endtab %}\n{% endtabs %}\n'


@pytest.mark.parametrize(
    "html",
    [
        '<div><ul role="tablist"><li role="tab">A</li><li role="tab">B</li></ul>'
        '<div><p role="tabpanel">a</p><p role="tabpanel" hidden>b</p></div></div>',
        '<div role="tablist"><button role="tab">A</button><button role="tab">B</button></div>'
        '<div role="tabpanel"><p>a</p></div><div role="tabpanel"><p>b</p></div>',
        '<div class="tabbed-set"><input><label>A</label><div class="tabbed-content"><p>a</p></div>'
        '<input><label>B</label><div class="tabbed-content"><p>b</p></div></div>',
        '<div class="tabbed-set"><div class="tabbed-labels"><label>A</label><label>B</label></div>'
        '<div class="tabbed-content"><div class="tabbed-block">a</div><div class="tabbed-block">b</div></div></div>',
        '<div class="sd-tab-set"><label>A</label><div class="sd-tab-content">a</div>'
        '<label>B</label><div class="sd-tab-content">b</div></div>',
    ],
)
def test_tabs_are_tabs(html: str) -> None:
    assert convert(html) == TABS


def test_tabs_in_tabs_stay_in_theirs() -> None:
    def tabs(*texts: str) -> str:
        inside = "".join(f'<label>"{text[0]}"</label><div class="tabbed-content">{text}</div>' for text in texts)
        return f'<div class="tabbed-set">{inside}</div>'

    text = convert(tabs(f"a{tabs('c', 'd')}", "b"))
    assert re.findall(r"(?m)^\w|(?<=title=).+(?= )", text) == [
        *("\"'a'\"", "a", "\"'c'\"", "c", "\"'d'\"", "d", "\"'b'\"", "b")
    ]
    assert convert('<div><p role="tablist"><b role="tab">A</b></p><p>a</p></div>') == "**A**\n\na\n"


CODE = "```\na = 1\nb = 2\n```\n"


@pytest.mark.parametrize(
    "html",
    [
        '<table class="highlighttable"><tr><td class="linenos"><pre>1\n2</pre></td>'
        "<td><pre>a = 1\nb = 2</pre></td></tr></table>",
        '<div class="highlight"><table class="lntable"><tr><td><pre><span class="lnt">1\n2</span></pre></td>'
        "<td><pre>a = 1\nb = 2</pre></td></tr></table></div>",
        '<pre><span class="linenos">1</span>a = 1\n<span class="linenos">2</span>b = 2</pre>',
    ],
)
def test_code_comes_without_the_numbers_of_its_lines(html: str) -> None:
    assert convert(html) == CODE


@pytest.mark.parametrize(
    ("html", "markdown"),
    [
        (
            '<div class="theme-admonition theme-admonition-tip alert"><div class="admonitionHeading_x">tip</div>'
            "<div><p>Do it.</p></div></div>",
            '{% hint style="success" %}\nDo it.\n{% endhint %}\n',
        ),
        ('<dl><dt id="f">f<a class="headerlink" href="#f">¶</a></dt><dd>Does it.</dd></dl>', "**f**\n\nDoes it.\n"),
        ('<nav aria-label="Breadcrumbs"><a href="/">Home</a></nav><p>Words.</p>', "Words.\n"),
        ('<p><img src="data:image/gif;base64,AAAA" data-src="a.png" alt="A"></p>', "![A](a.png)\n"),
    ],
)
def test_what_stands_around_the_words_is_what_it_means(html: str, markdown: str) -> None:
    assert convert(html) == markdown
