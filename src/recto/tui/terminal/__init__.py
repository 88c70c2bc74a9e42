"""The terminal and the process: clipboard, editor, signals, crashes."""
