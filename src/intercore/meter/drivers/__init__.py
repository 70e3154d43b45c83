"""One kind of meter per file, found automatically; each has a `DRIVER`."""
