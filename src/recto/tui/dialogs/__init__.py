"""What is asked or shown over a view, and goes away with esc."""
