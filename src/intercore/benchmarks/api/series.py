"""The series of `api`."""

from intercore.benchmarks.series import Result

RESULTS = {"call": Result("us", "call with clock reading")}
"""Samples are compared as they were taken; the analysis takes the cost of looking off."""
