"""Git: spaces that are kept in step with a repository."""
