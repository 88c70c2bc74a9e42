"""Navigation: messages, screens by location, addresses, targets of a jump."""
