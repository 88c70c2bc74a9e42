"""Git: spaces that are synchronized with a repository."""
