"""Recto: read, write, review and publish documentation from the terminal."""

__version__ = "0.1.0"
