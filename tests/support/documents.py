"""Documents of other tools, in the formats in which they are published."""

# ruff: noqa: E501  the formats have long lines

from __future__ import annotations

import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

PNG = bytes.fromhex(
    "89504e470d0a1a0a0000000d494844520000000100000001080600000"
    "01f15c4890000000d49444154789c636001000000050001"
    "0d0a2db40000000049454e44ae426082"
)

_TYPES = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">
<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>
<Default Extension="xml" ContentType="application/xml"/><Default Extension="png" ContentType="image/png"/>
<Override PartName="/word/document.xml"
 ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/>
</Types>"""
_RELATIONS = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="rId1"
 Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument"
 Target="word/document.xml"/></Relationships>"""
_WORD_RELATIONS = """<?xml version="1.0" encoding="UTF-8" standalone="yes"?>
<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="rId1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/hyperlink"
 Target="https://example.org/a" TargetMode="External"/>
<Relationship Id="rId2" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"
 Target="media/image1.png"/>
<Relationship Id="rId3" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/image"
 Target="file:///etc/passwd" TargetMode="External"/>
<Relationship Id="rId4" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/numbering"
 Target="numbering.xml"/>
<Relationship Id="rId5" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/styles"
 Target="styles.xml"/>
<Relationship Id="rId6" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/footnotes"
 Target="footnotes.xml"/>
</Relationships>"""
_W = 'xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"'
_NUMBERING = f"""<?xml version="1.0"?><w:numbering {_W}>
<w:abstractNum w:abstractNumId="0"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="1"><w:lvl w:ilvl="0"><w:numFmt w:val="decimal"/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="0"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="1"/></w:num>
</w:numbering>"""
_STYLES = f"""<?xml version="1.0"?><w:styles {_W}>
<w:style w:type="paragraph" w:styleId="Title"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="Heading1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Heading2"><w:name w:val="heading 2"/></w:style>
<w:style w:type="paragraph" w:styleId="Quote"><w:name w:val="Quote"/></w:style>
<w:style w:type="paragraph" w:styleId="Code"><w:name w:val="Source Code"/></w:style>
<w:style w:type="paragraph" w:styleId="BlockText"><w:name w:val="Block Text"/></w:style>
<w:style w:type="character" w:styleId="VerbatimChar"><w:name w:val="Verbatim Char"/></w:style>
</w:styles>"""


def _picture(relation: str, kind: str) -> str:
    return (
        '<w:r><w:drawing><wp:inline xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing">'
        '<wp:docPr id="1" name="P" descr="A dot"/>'
        '<a:graphic xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><a:graphicData>'
        '<pic:pic xmlns:pic="http://schemas.openxmlformats.org/drawingml/2006/picture"><pic:blipFill>'
        f'<a:blip xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:{kind}="{relation}"/>'
        "</pic:blipFill></pic:pic></a:graphicData></a:graphic></wp:inline></w:drawing></w:r>"
    )


def paragraph(text: str, style: str = "", extra: str = "", number: int = 0) -> str:
    numbered = f'<w:numPr><w:ilvl w:val="0"/><w:numId w:val="{number}"/></w:numPr>' if number else ""
    styled = f'<w:pPr>{f"""<w:pStyle w:val="{style}"/>""" if style else ""}{numbered}</w:pPr>'
    return f"<w:p>{styled}<w:r><w:t xml:space='preserve'>{text}</w:t></w:r>{extra}</w:p>"


WORD_BODY = "".join(
    [
        paragraph("The manual", "Title"),
        paragraph("Plain and ", extra="<w:r><w:rPr><w:b/></w:rPr><w:t>bold</w:t></w:r>"),
        paragraph("Parts", "Heading1"),
        paragraph("First", number=1),
        paragraph("Second", number=1),
        paragraph("One", number=2),
        paragraph("Said so", "Quote"),
        paragraph("x = 1", "Code"),
        paragraph("y = 2", "Code"),
        '<w:p><w:hyperlink xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" r:id="rId1">'
        "<w:r><w:t>A link</w:t></w:r></w:hyperlink></w:p>",
        f"<w:p>{_picture('rId2', 'embed')}</w:p>",
        "<w:tbl><w:tr><w:tc><w:p><w:r><w:t>A</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>B</w:t></w:r></w:p></w:tc>"
        "</w:tr><w:tr><w:tc><w:p><w:r><w:t>1</w:t></w:r></w:p></w:tc><w:tc><w:p><w:r><w:t>2 | 3</w:t></w:r></w:p></w:tc>"
        "</w:tr></w:tbl>",
    ]
)
# As pandoc writes them: lines of code in one paragraph, marks before headings, footnotes and formulas.
PANDOC_BODY = "".join(
    [
        paragraph("Run ", extra='<w:r><w:rPr><w:rStyle w:val="VerbatimChar"/></w:rPr><w:t>recto</w:t></w:r>'),
        '<w:p><w:r><w:t>Noted</w:t></w:r><w:r><w:footnoteReference w:id="21"/></w:r></w:p>',
        '<w:bookmarkStart w:id="9" w:name="_Toc1"/>',
        paragraph("Parts of it", "Heading2"),
        '<w:bookmarkEnd w:id="9"/>',
        paragraph("Said so", "BlockText"),
        paragraph("def f():", "Code", '<w:r><w:br/></w:r><w:r><w:t xml:space="preserve">    return 1</w:t></w:r>'),
        '<w:p><w:hyperlink w:anchor="_Toc1"><w:r><w:t>Up</w:t></w:r></w:hyperlink></w:p>',
        '<w:p><m:oMath xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math"><m:r><m:t>x</m:t></m:r>'
        "</m:oMath></w:p>",
    ]
)
PANDOC_FOOTNOTES = f"""<?xml version="1.0"?><w:footnotes {_W}><w:footnote w:id="21"><w:p><w:r><w:t>The note</w:t></w:r></w:p>
<w:p><w:r><w:t>and more.</w:t></w:r></w:p></w:footnote></w:footnotes>"""
EXTERNAL_PICTURE = f"<w:p>{_picture('rId3', 'link')}</w:p>"


def write_word(path: Path, body: str = WORD_BODY, head: str = "", more: Mapping[str, bytes] = {}) -> Path:
    """Write a Word document; ``head`` stands before its XML, ``more`` are further parts."""
    document = f'<?xml version="1.0" encoding="UTF-8"?>{head}<w:document {_W}><w:body>{body}</w:body></w:document>'
    parts = {
        "[Content_Types].xml": _TYPES.encode(),
        "_rels/.rels": _RELATIONS.encode(),
        "word/document.xml": document.encode(),
        "word/_rels/document.xml.rels": _WORD_RELATIONS.encode(),
        "word/numbering.xml": _NUMBERING.encode(),
        "word/styles.xml": _STYLES.encode(),
        "word/media/image1.png": PNG,
        **more,
    }
    return write_zip(path, parts)


def write_zip(path: Path, files: Mapping[str, Any]) -> Path:
    """Write an archive."""
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, content in files.items():
            packed.writestr(name, content)
    return path


HTML = """<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>Install | Example</title><script>alert(1)</script></head>
<body><header><a href="/">Example</a></header><nav><ul><li><a href="a.html">A</a></li></ul></nav>
<main><h1>Install <em>it</em><a class="headerlink" href="#install" title="Permalink">¶</a></h1>
<p>Run it with <strong>care</strong>, a_b and 2 &lt; 3, &amp;lt; and <a href="https://example.org/x">read on</a>.<br>Then rest.</p>
<h2 id="steps">Steps<a class="headerlink" href="#steps">#</a></h2>
<p>A note<a href="#fn1" class="footnote-ref" id="fnref1"><sup>1</sup></a>, and <a href="#step-3">a part</a>.</p>
<section id="step-3"><h3>Third step</h3></section>
<h3 id="own"><a class="header" href="#own">A link to <em>itself</em></a></h3><a class="header" href="#in" id="in"><h3>Inside</h3></a>
<ol start="3"><li>Unpack<ul><li>anywhere</li></ul></li><li><p>Run</p><pre><code class="language-sh">$ ./run


--all</code></pre></li></ol>
<ul><li><input type="checkbox" checked disabled> done</li><li><input type="checkbox" disabled> open</li></ul>
<table><caption>The names</caption><thead><tr><th>Name</th><th>Means</th></tr></thead>
<tbody><tr><td rowspan="2">a|b</td><td><p>one</p><p>two</p></td></tr><tr><td><pre>x
y</pre> <img src="dot.png" alt="dot"></td></tr></tbody></table>
<p>So <span class="katex"><span class="katex-mathml"><math><semantics><mi>E</mi><annotation encoding="application/x-tex">E=mc^2</annotation></semantics></math></span><span class="katex-html" aria-hidden="true">E</span></span> and <span class="math">\\(x\\)</span></p>
<a class="card" href="https://example.org/card"><h3>A card</h3><p>with words</p></a>
<figure><img src="dot.png" alt="A dot"><figcaption>The dot</figcaption></figure>
<details><summary>More</summary><p>Hidden</p></details>
<div class="admonition warning"><p class="admonition-title">Warning</p><p>Careful.</p></div>
<blockquote><p>Said so</p></blockquote>
<p><img src="javascript:alert(1)"><a href="javascript:alert(1)">Act</a> H<sub>2</sub>O {% hint %}</p>
<pre class="sourceCode python">a = 1<br>b = 2</pre>
<hr><section class="footnotes"><hr><ol><li id="fn1"><p>The note.<a href="#fnref1">↩︎</a></p></li></ol></section></main><footer>Imprint</footer></body></html>"""

HTML_TEXT = """Run it with **care**, a_b and 2 \\< 3, \\&lt; and [read on](https://example.org/x).\\
Then rest.

## Steps

A note[^1], and [a part](#step-3).

### Third step <a href="#step-3" id="step-3"></a>

### A link to *itself*

### Inside

3. Unpack
   * anywhere
4. Run

   ```sh
   $ ./run


   --all
   ```

* [x] done
* [ ] open

The names

| Name | Means |
| --- | --- |
| a\\|b | one<br>two |
|  | `x`<br>`y`<br>![dot](DOT) |

So $$E=mc^2$$ and $$x$$

### [A card](https://example.org/card)

with words

<figure><img src="DOT" alt="A dot"><figcaption><p>The dot</p></figcaption></figure>

<details>

<summary>More</summary>

Hidden

</details>

{% hint style="warning" %}
Careful.
{% endhint %}

> Said so

Act H<sub>2</sub>O {\\% hint %}

```python
a = 1
b = 2
```

---

[^1]: The note.
"""

_A, _B, _C = "0123456789abcdef0123456789abcdef", "1123456789abcdef0123456789abcdef", "2123456789abcdef0123456789abcdef"

NOTION_MARKDOWN = {
    f"Handbook {_A}.md": (
        f"# Handbook\n\nStart with [Zeal](Handbook%20{_A}/Zeal%20{_B}.md), then [Ada](Handbook%20{_A}/Ada%20{_C}.md).\n\n"
        f"<aside>\n💡 Mind the gap\n\n</aside>\n\n![dot](Handbook%20{_A}/dot.png)\n\n[People](Handbook%20{_A}/People%20{_B}.csv)\n"
    ),
    f"Handbook {_A}/Zeal {_B}.md": f"# Zeal\n\nBack to [Handbook](../Handbook%20{_A}.md).\n\n- [ ]  open\n",
    f"Handbook {_A}/Ada {_C}.md": "# Ada\n\nText.\n",
    f"Handbook {_A}/People {_B}.csv": "Name,Role\nAda,Admin | owner\nGrace,Editor\n",
    f"Handbook {_A}/dot.png": PNG,
}

NOTION_HTML = {
    f"Handbook {_A}.html": (
        '<html><head><title>Handbook</title></head><body><article id="1" class="page sans"><header>'
        '<h1 class="page-title">Handbook</h1><p class="page-description"></p></header><div class="page-body">'
        f'<figure class="link-to-page"><a href="Handbook%20{_A}/Zeal%20{_B}.html">Zeal</a></figure>'
        '<figure class="block-color-gray_background callout" style="white-space:pre-wrap;display:flex" id="2">'
        '<div style="font-size:1.5em"><span class="icon">💡</span></div><div style="width:100%">Mind the gap</div></figure>'
        '<ul id="3" class="to-do-list"><li><div class="checkbox checkbox-on"></div> '
        '<span class="to-do-children-checked">done</span></li></ul>'
        '<pre class="code"><code class="language-Python">x = 1</code></pre>'
        f'<figure class="image"><a href="Handbook%20{_A}/dot.png"><img src="Handbook%20{_A}/dot.png"/></a></figure>'
        '<ul class="toggle"><li><details open=""><summary>More</summary>Hidden</details></li></ul>'
        "</div></article></body></html>"
    ),
    f"Handbook {_A}/Zeal {_B}.html": (
        '<html><body><article class="page sans"><header><h1 class="page-title">Zeal</h1></header>'
        f'<div class="page-body"><p>Back to <a href="../Handbook%20{_A}.html">Handbook</a>.</p></div></article></body></html>'
    ),
    f"Handbook {_A}/dot.png": PNG,
}


def confluence_page(title: str, body: str) -> str:
    """Return a page as an HTML export of Confluence has it."""
    return f"""<!DOCTYPE html><html><head><title>Docs : {title}</title></head><body class="theme-default"><div id="page">
<div id="main" class="aui-page-panel"><div id="main-header"><div id="breadcrumb-section"><ol id="breadcrumbs">
<li class="first"><span><a href="index.html">Docs</a></span></li></ol></div>
<h1 id="title-heading" class="pagetitle"><span id="title-text">Docs : {title}</span></h1></div>
<div id="content" class="view"><div class="page-metadata">Created by <span class='author'>Ada</span></div>
<div id="main-content" class="wiki-content group">{body}</div></div></div>
<div id="footer" role="contentinfo"><section class="footer-body"><p>Document generated by Confluence</p></section></div>
</div></body></html>"""


CONFLUENCE = {
    "DOCS/index.html": """<!DOCTYPE html><html><body><div id="main-header"><h1 id="title-heading"><span id="title-text">
Space Details:</span></h1></div><div class="pageSection"><h2>Available Pages:</h2></div><ul><li>
<a href="Home_1.html">Home</a> <ul><li><a href="Zeal_3.html">Zeal</a></li><li><a href="Ada_2.html">Ada</a></li></ul>
</li></ul></body></html>""",
    "DOCS/Home_1.html": confluence_page(
        "Home",
        """<p>Start with <a href="Ada_2.html#Ada-Part">Ada</a>.</p>
<div class="confluence-information-macro confluence-information-macro-note"><p class="title">Mind</p>
<span class="aui-icon aui-icon-small aui-iconfont-warning confluence-information-macro-icon"></span>
<div class="confluence-information-macro-body"><p>The gap.</p></div></div>
<div class="code panel pdl" style="border-width: 1px;"><div class="codeContent panelContent pdl">
<pre class="syntaxhighlighter-pre" data-syntaxhighlighter-params="brush: java; gutter: false; theme: Confluence">int x = 1;
</pre></div></div>
<ul class="inline-task-list" data-inline-tasks-content-id="1"><li class="checked" data-inline-task-id="1">done</li>
<li data-inline-task-id="2">open</li></ul>
<div id="expander-1" class="expand-container"><div id="expander-control-1" class="expand-control">
<span class="expand-control-text">More</span></div><div id="expander-content-1" class="expand-content">
<p>Hidden</p></div></div>
<p><span class="confluence-embedded-file-wrapper"><img class="confluence-embedded-image"
 src="attachments/1/4.png" data-image-src="attachments/1/4.png"></span></p>
<p><a href="attachments/1/5.pdf">The plan</a></p>""",
    ),
    "DOCS/Ada_2.html": confluence_page("Ada", "<h1 id='Ada-Part'>Part</h1><p>Text.</p>"),
    "DOCS/Zeal_3.html": confluence_page("Zeal", "<p>More text.</p>"),
    "DOCS/attachments/1/4.png": PNG,
    "DOCS/attachments/1/5.pdf": b"%PDF-1.4",
    "DOCS/styles/site.css": "p {}",
}
