"""The benchmarks: a folder for each."""
