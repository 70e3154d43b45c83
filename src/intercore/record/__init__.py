"""The records: measurements, their conditions, plans, and the store."""
