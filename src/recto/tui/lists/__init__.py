"""Lists: the list widget, its variants for trees, diffs, conflicts and threads, and their rows."""
