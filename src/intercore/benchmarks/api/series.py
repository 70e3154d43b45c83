"""The series of `api`."""

from __future__ import annotations

NAMES = {"call": "timed call"}
"""Samples are compared as they were taken; the analysis takes the cost of looking off."""
