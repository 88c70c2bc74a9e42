"""A site and its structure."""
