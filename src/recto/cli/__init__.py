"""The command line: the one place that joins all parts."""
