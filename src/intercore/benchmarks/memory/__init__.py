"""The benchmark `memory`: how fast each core reaches each memory, and how much the other one slows it down.

A pass over so many bytes is timed.
"""
