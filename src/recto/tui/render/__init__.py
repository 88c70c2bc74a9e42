"""What a page looks like: blocks become leaves, leaves become lines when they come into view."""
