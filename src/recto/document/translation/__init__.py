"""The texts of a page as a translator gets them, and the page with translated texts in their place."""
