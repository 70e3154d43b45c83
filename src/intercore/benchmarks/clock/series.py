"""The series of `clock`."""

from intercore.benchmarks.series import Role

ROLES = {"*": Role.AUXILIARY}
"""Intervals are of random length: what differs between cores, and from the truth, is the result."""
