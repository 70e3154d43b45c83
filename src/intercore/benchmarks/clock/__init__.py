"""The benchmark `clock`."""
