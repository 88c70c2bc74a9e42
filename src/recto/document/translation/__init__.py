"""The texts of a page for a translator, and the page with translated texts."""
