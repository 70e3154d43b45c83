"""Budgets: what a series may take at most or must reach at least, held against what was measured."""
