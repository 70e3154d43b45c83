"""The command line: one module for each command, their shared parts, and `main`."""
