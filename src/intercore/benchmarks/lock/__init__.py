"""The benchmark `lock`: what a lock between cores costs, and whether it is fair.

Timed from the release on one core to the acquisition on the other.
"""
