"""Going from screen to screen: messages, screens by location, addresses, targets of a jump."""
