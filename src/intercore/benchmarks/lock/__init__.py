"""The benchmark `lock`."""
