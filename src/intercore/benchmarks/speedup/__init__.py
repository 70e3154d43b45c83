"""The benchmark `speedup`."""
