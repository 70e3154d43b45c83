"""The benchmark `rhealstone`."""
