"""The benchmark `message`."""
