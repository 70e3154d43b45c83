"""Faults of two cores, found on the simulated RP2040: who waits for whom, stacks, interrupts, locks."""
