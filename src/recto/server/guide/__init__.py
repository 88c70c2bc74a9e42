"""Recto's own guide: an organization that a new workspace comes with, and that can be removed for good."""
