"""The benchmark `threadmetric`."""
