"""Books for PDFs: pages as data, and the Typst template that typesets them."""
