"""The look of pages: blocks become leaves, leaves become lines when they come into view."""
