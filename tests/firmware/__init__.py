"""Tests of the portable firmware, function by function, against second implementations in Python."""
