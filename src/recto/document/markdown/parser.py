"""The parser of pages: markdown-it with the rules of this package.

Importing this imports markdown-it: modules that every start needs import it where they call it.
"""

from __future__ import annotations

from markdown_it import MarkdownIt
from mdit_py_plugins.footnote import footnote_plugin

from recto.document.markdown import block_rules, inline_rules, paragraph_rule

# Deeper quotes and lists than this are shown as they stand.
DEEPEST = 60


def make_parser() -> MarkdownIt:
    """Return a parser into blocks, which leaves their inline text as it stands."""
    parser = MarkdownIt("commonmark", {"maxNesting": DEEPEST}).enable(["table", "strikethrough"])
    footnote_plugin(parser, inline=False, move_to_end=False)
    block_rules.install(parser)
    paragraph_rule.install(parser)
    inline_rules.install(parser)
    return parser.disable(["inline", "text_join"])
