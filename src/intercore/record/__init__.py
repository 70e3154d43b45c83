"""What is kept: measurements, their conditions, plans, and the store they are in."""
