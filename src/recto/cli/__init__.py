"""The command line, the only place that joins all parts."""
