"""Spaces and collections, their order, and what becomes of deleted ones."""
