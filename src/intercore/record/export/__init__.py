"""Export of a run's raw samples for other tools."""
