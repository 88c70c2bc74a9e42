"""Content: revisions with shared storage, change requests, comments, links and search."""
