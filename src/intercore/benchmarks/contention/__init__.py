"""The benchmark `contention`."""
