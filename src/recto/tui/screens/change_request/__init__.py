"""The screen of a change request."""
