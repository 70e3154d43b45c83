"""The benchmark `api`."""
