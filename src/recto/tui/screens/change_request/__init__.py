"""A change request: what it changes, and what is said of it."""
