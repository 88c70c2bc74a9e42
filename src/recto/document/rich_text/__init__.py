"""Rich text: the form in which hosted editors hold pages, from Markdown and back."""
