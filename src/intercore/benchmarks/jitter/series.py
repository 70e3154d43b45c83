"""The series of `jitter`."""

from intercore.benchmarks.series import Role

ROLES = {
    "late": Role.RESULT,
    "core": Role.AUXILIARY,
    "begins": Role.AUXILIARY,  # the samples with which a stretch begins
    "extremes": Role.AUXILIARY,  # the smallest and largest of what the histograms hold
    "*.counts": Role.HISTOGRAM,
}

SIGNED = ("late", "extremes")
"""A release may come before it is due, and a period be shorter than asked for."""
