"""The content engine: revisions that share all they did not change, and the lines of change requests."""
