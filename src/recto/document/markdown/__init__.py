"""Markdown pages: blocks and inline text, links, outline, and the keys of blocks."""
