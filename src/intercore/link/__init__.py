"""Bytes, lines, messages and exchanges with a target."""
