"""What each benchmark measures by default, and what its numbers mean: a folder for each."""
