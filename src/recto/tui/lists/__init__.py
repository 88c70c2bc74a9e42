"""Lists: one list for everything that has rows, trees, diffs, conflicts and sites on it, and what their rows are."""
