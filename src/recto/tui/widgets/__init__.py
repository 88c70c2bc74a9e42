"""Widgets shared by views."""
