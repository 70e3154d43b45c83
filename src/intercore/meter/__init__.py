"""Power meters: their addresses, drivers and data. Independent of benchmarks."""
