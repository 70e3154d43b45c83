"""The benchmark `switch`."""
