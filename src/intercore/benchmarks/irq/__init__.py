"""The benchmark `irq`: how long interrupts take, and what they wake.

Timed from when a timer is due, or from before a ring, to the handler or the task.
"""
