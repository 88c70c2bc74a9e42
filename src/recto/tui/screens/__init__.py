"""The screens: a package for each kind."""
