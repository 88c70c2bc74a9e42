"""Organizations, their content, and their inbox."""
