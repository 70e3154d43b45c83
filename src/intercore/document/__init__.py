"""A run as one JSON document, and its schema."""
