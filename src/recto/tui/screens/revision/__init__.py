"""A space as it was."""
