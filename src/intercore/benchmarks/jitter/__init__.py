"""The benchmark `jitter`: how steady a periodic task is, also when it is moved.

Timed from when a release was due to the task's first reading.
"""
