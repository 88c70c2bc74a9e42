"""Translations of spaces by a program of the owner's."""
