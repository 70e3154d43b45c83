"""Communication with a target: bytes, lines, messages, exchanges, sessions."""
