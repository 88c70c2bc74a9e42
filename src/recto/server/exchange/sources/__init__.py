"""Sources of content beside the layout of a repository: each becomes a folder of Markdown pages that is read as any."""
