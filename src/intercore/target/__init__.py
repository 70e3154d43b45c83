"""What the name of a target means, and how to reach it."""
