"""Profiles of programs on the simulated RP2040: where cycles went, and what the cores lost to each other."""
