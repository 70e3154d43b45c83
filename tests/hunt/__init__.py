"""Tests of `intercore hunt`."""
