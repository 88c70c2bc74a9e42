"""Organizations, what is in them, and their inbox."""
