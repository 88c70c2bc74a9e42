"""PDFs of spaces, change requests and pages."""
