"""The benchmark `switch`: what it costs to wake a task, on the same core and on the other.

Timed from before the signal to the first instruction of the woken task.
"""
