"""The cases that ``twice_the_size.py`` measures."""
