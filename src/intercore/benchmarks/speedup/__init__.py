"""The benchmark `speedup`: what a second core makes of work that one could do.

Timed from before the first part is started to all parts seen done.
"""
