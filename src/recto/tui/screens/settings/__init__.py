"""The settings screen: preferences, and the keys of all actions."""
