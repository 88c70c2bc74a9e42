"""The terminal and the process around the app: clipboard, editor, signals, crashes."""
