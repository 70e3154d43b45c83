"""Files: how much is read of those from elsewhere, and what those that are written may replace."""
