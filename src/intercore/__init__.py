"""Intercore: the benchmark for multicore microcontrollers."""

__version__ = "0.1.0"
