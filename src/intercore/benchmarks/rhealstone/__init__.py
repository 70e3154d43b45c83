"""The benchmark `rhealstone`: the six times of Rhealstone, on one core and across two.

Timed as the original has it.
"""
