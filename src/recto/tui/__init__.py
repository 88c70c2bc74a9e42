"""Shows: the app, its screens, dialogs, widgets and key bindings. Textual lives here alone."""
