"""The console: every operation of the API, by hand."""
