"""The places one can be in: one module for each kind of view."""
