"""Dialogs over a view, closed with esc."""
