"""Parsing, outline, links, comparison and merging of pages: pure text work, no I/O."""
