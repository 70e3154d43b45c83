"""The benchmark `clock`: how far a difference of two readings can be trusted, and the cores' own counters.

Timed from one reading to another, on the same or another core.
"""
