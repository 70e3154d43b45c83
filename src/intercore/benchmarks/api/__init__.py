"""The benchmark `api`: what a call of the kernel costs, and what the other core adds.

Timed from before the call to after it.
"""
