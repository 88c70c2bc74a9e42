"""The language of expressions, and pages with their expressions evaluated."""
