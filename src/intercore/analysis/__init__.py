"""From samples to numbers: one module per benchmark, plus the statistics that they share."""
