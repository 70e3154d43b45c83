"""From a power meter's data to energy: locates windows in it, and computes their energy. Independent of benchmarks."""
