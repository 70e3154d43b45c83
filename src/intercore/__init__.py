"""Intercore: the benchmark for multicore microcontrollers."""

from importlib import metadata

__version__ = metadata.version("intercore")
