"""The benchmark `threadmetric`: the eight counts of Thread-Metric, on one core and across two.

Counted are rounds in a window.
"""
