"""The benchmark `jitter`."""
