"""Targets by name, and how to open them."""
