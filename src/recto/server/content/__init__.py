"""Content: revisions that share what they did not change, change requests, comments, links and search."""
