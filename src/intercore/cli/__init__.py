"""The command line: one module for each command, what several of them share, and `main`."""
