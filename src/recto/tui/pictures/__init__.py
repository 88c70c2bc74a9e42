"""Pictures of pages: read from their files and drawn in the cells of a terminal."""
