"""Lists: the list widget for everything in rows, its trees, diffs, conflicts and sites, and their rows."""
