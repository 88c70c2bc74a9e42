"""How things look: themes, text roles, signs, lines, times."""
