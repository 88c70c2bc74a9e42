"""The look: themes, text roles, signs, lines, times."""
