"""The benchmark `memory`."""
