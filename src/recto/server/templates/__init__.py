"""The templates: folders of pages, and how they come into a space."""
