"""Books for printing: pages as data, and the Typst template that sets them."""
