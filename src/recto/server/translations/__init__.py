"""Translations of spaces by a program that the owner chose."""
