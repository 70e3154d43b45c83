"""Builds the programs of boards, and flashes boards."""
