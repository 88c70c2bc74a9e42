"""HTTP: the application, its routes, the bodies of requests, pages of lists, and ``serve``."""
