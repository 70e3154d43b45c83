"""One kind of meter per file, found by being there; each has a `DRIVER`."""
