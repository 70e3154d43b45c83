"""Intervals, distributions, tails, lines and factors: knows no benchmark."""
