"""Documents of other formats as Markdown: the only modules that import the libraries for it."""
