"""A space: its pages, and what else it holds."""
