"""A change request: what it changes, and its conversation."""
