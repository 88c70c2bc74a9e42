"""Remembers: what was asked, what is being changed, what was typed and where the person was."""
