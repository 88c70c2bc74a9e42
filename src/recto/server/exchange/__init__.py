"""Documentation that comes in from folders of Markdown files."""
