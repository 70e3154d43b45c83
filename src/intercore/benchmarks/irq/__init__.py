"""The benchmark `irq`."""
