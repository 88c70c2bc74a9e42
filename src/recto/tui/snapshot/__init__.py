"""The stored snapshot of the last screen, which covers a start until the view is there; `cover` is the door to it."""
