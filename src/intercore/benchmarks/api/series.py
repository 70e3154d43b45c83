"""The series of `api`."""

from __future__ import annotations

NAMES = {"call": "call with clock reading"}
"""Samples are compared as they were taken; the analysis takes the cost of looking off."""
