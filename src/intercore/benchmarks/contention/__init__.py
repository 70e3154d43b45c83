"""The benchmark `contention`: who gets the processor when tasks and a main loop compete.

It counts the towers of Hanoi that end within a window.
"""
