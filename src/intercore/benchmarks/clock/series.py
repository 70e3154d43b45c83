"""The series of `clock`."""

from collections.abc import Mapping

from intercore.benchmarks.series import Result, Role

ROLES = {"*": Role.AUXILIARY}
"""Intervals are of random length: what differs between cores, and from the truth, is the result."""

RESULTS: Mapping[str, Result] = {}
