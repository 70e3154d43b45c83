"""Searches interleavings of two cores that a real chip may show for one that fails (docs/hunt.md)."""
