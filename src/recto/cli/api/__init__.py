"""``recto api``: every operation of the API from the shell."""
